//! What differs between operating systems.

#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use plain::{Guard, Input, Output, Signal, Terminate, on_terminate, open};
#[cfg(unix)]
pub(super) use unix::{Guard, Input, Output, Signal, Terminate, on_terminate, open};

/// Standard input and output, taken away from everybody else if that was asked for.
pub(super) struct Files {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) guard: Option<Guard>,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    Ready,
    Signal,
    Timeout,
}
