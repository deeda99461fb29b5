//! The effects of a step outside of its connection.

use super::call_context::Context;
use super::host_call::HostCall;
use super::machine::Machine;
use super::outbox::Route;
use crate::log::{Level, LogLine};
use std::sync::Arc;

/// Tells the shell what to do after a step, without a lock. [`Machine::take_effects`] computes it; no step puts it
/// together.
pub(crate) struct Effects {
    /// The step added something to poll or to drain, or the connection ended.
    pub(crate) has_new_work: bool,
    /// The hub does not know yet which URIs are subscribed to.
    pub(crate) is_unsynced: bool,
    /// A reader that waits for room has to look again, even if the thread of this step polls.
    pub(crate) has_room: bool,
    /// Lines for the application's log.
    pub(crate) lines: Vec<LogLine>,
    /// Requests that were cancelled and have hooks to run.
    pub(crate) cancelled: Vec<Arc<Context>>,
}

/// Effects of a step that the state does not show.
#[derive(Default)]
pub(super) struct Causes {
    /// A call of the application was queued.
    called: bool,
    /// The input or the connection ended.
    pub(super) ended: bool,
    pub(super) has_room: bool,
    lines: Vec<LogLine>,
    cancelled: Vec<Arc<Context>>,
}

impl Causes {
    /// The request was cancelled. A hook that comes after this step finds that by itself.
    pub(super) fn cancelled(&mut self, context: &Arc<Context>) {
        if context.hooks.are_used() {
            self.cancelled.push(context.clone());
        }
    }

    pub(super) fn log(&mut self, level: Level, text: String) {
        self.lines.push(LogLine(level, text));
    }
}

impl Machine {
    /// Forgets what was added before: a poll or a drain finds that. Called before a step that may be due a wake.
    pub(crate) fn begin_effects(&mut self) {
        self.causes.called = false;
        self.outbox.take_growth();
    }

    /// Returns what a step has caused. Called after each step, in the same critical section.
    pub(crate) fn take_effects(&mut self) -> Effects {
        let grew = self.outbox.take_growth();
        let Causes { called, ended, has_room, lines, cancelled } = std::mem::take(&mut self.causes);
        let has_new_work = grew || called || ended || self.has_message_to_dispatch();
        Effects { has_new_work, is_unsynced: self.subscriptions.is_unsynced(), has_room, lines, cancelled }
    }

    /// Queues a call of the application, or what a poll hands out like one.
    pub(super) fn queue_host_call(&mut self, call: HostCall) {
        self.causes.called = true;
        self.host_calls.push_back(call);
    }

    /// Returns true if there is something to poll, or output whose driver was not woken to send it.
    pub(crate) fn has_work(&self) -> bool {
        self.has_something_to_poll() || self.outbox.has_pending_output()
    }

    /// [`Machine::has_work`] without the output of one exchange, which the caller takes.
    pub(crate) fn has_work_other_than(&self, exchange: Route) -> bool {
        self.has_something_to_poll() || self.outbox.has_pending_output_other_than(exchange)
    }

    fn has_something_to_poll(&self) -> bool {
        !self.host_calls.is_empty() || self.may_dispatch() || self.has_elements()
    }

    /// Returns whether a poll would deal with a message now that was read before. It does so at once: this is never true for
    /// long.
    fn has_message_to_dispatch(&mut self) -> bool {
        self.may_dispatch() || self.has_elements() && !self.is_full()
    }
}
