//! The functions of the application that run when a request is cancelled.

use crate::sync::thread::{self, ThreadId};
use crate::sync::{Fault, Monitor, is_planted};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A function that runs when its call is cancelled.
type Hook = Box<dyn FnOnce() + Send>;

/// The hooks of one request, by the call `C` that each belongs to. Most requests have none, so there is no lock until the
/// first.
pub(crate) struct CancelHooks<C>(OnceLock<Box<Monitor<HooksState<C>>>>);

struct HooksState<C> {
    waiting: Vec<(C, Hook)>,
    /// The calls whose hooks are running, and the threads on which they run.
    running: Vec<(C, ThreadId)>,
}

impl<C: Copy + PartialEq + Send + 'static> CancelHooks<C> {
    pub(crate) const fn new() -> Self {
        CancelHooks(OnceLock::new())
    }

    /// Returns whether the request ever had a hook.
    pub(crate) fn are_used(&self) -> bool {
        self.0.get().is_some()
    }

    pub(crate) fn add(&self, call: C, hook: Hook) {
        let hooks = self
            .0
            .get_or_init(|| Box::new(Monitor::new(HooksState { waiting: Vec::new(), running: Vec::new() })));
        hooks.with(|state, _| state.waiting.push((call, hook)));
    }

    /// Runs each waiting hook once, with no lock held, because the request was cancelled. A panic ends that hook only.
    pub(crate) fn run(&self) {
        let Some(hooks) = self.0.get() else { return };
        let thread = thread::current().id();
        loop {
            let next = hooks.with(|state, _| {
                let (call, hook) = (!state.waiting.is_empty()).then(|| state.waiting.remove(0))?;
                state.running.push((call, thread));
                Some((call, hook))
            });
            let Some((call, hook)) = next else { return };
            let _ = catch_unwind(AssertUnwindSafe(hook));
            hooks.with(|state, _| {
                if let Some(at) = state.running.iter().rposition(|running| *running == (call, thread)) {
                    state.running.swap_remove(at);
                }
            });
            hooks.notify_all();
        }
    }

    /// Drops the hooks of a call, because it was answered, and blocks until none of them runs on another thread. So the
    /// application can close afterwards what the hooks use.
    pub(crate) fn end(&self, call: C) {
        let Some(hooks) = self.0.get() else { return };
        hooks.with(|state, trash| {
            let (ended, others) =
                std::mem::take(&mut state.waiting).into_iter().partition(|(of, _)| *of == call);
            state.waiting = others;
            trash.put::<Vec<_>>(ended);
        });
        if is_planted(Fault::UnwaitedHook) {
            return;
        }
        let thread = thread::current().id();
        hooks.wait(None, |state| {
            let of_call = || state.running.iter().filter(|(of, _)| *of == call);
            (of_call().count() == 0 || of_call().any(|(_, of)| *of == thread)).then_some(())
        });
    }
}
