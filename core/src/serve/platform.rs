//! The parts of the stdio driver that differ between operating systems.

#[cfg(shuttle)]
mod modelled;
#[cfg(any(windows, shuttle))]
mod signal;
#[cfg(all(unix, not(shuttle)))]
mod unix;
#[cfg(all(windows, not(shuttle)))]
mod windows;

#[cfg(shuttle)]
pub(super) use modelled::{Guard, Terminate, on_terminate, open};
#[cfg(shuttle)]
pub use modelled::{Input, Output};
#[cfg(any(windows, shuttle))]
pub(super) use signal::Signal;
#[cfg(all(unix, not(shuttle)))]
pub(super) use unix::{Guard, Input, Output, Signal, Terminate, on_terminate, open};
#[cfg(all(windows, not(shuttle)))]
pub(super) use windows::{Guard, Input, Output, Terminate, on_terminate, open};

#[cfg(not(any(unix, windows)))]
compile_error!("the feature `stdio` needs Unix or Windows");

/// Standard input and output. If the guard is on, the rest of the process cannot reach them.
pub(super) struct StdioFiles {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) guard: Option<Guard>,
}

/// The reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    Ready,
    Signal,
    #[cfg_attr(shuttle, allow(dead_code, reason = "in a model no time is ever over"))]
    Timeout,
}
