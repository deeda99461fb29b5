//! The effects that a step of the machine has outside of its connection.

use super::application_call::ApplicationCall;
use super::call_context::Context;
use super::machine::Machine;
use super::outbox::Route;
use crate::jsonrpc::{Limit, RpcError};
use crate::log::{LogLine, Severity};
use std::sync::Arc;

/// The things that the connection does after a step, without a lock, such as to wake a driver. Only
/// [`Machine::take_effects`] makes it.
pub(crate) struct Effects {
    /// The step added something to poll or to drain, or it ended the connection.
    pub(crate) has_new_work: bool,
    /// The hub still has to learn which URIs are subscribed to.
    pub(crate) is_unsynced: bool,
    /// There is room again for a message that waits. A driver has to poll, even if the thread of this step polls
    /// already.
    pub(crate) has_room: bool,
    /// `None` for most steps.
    pub(crate) rare: Option<Box<RareEffects>>,
}

/// Effects of few steps. Boxed, so that the other steps move less.
#[derive(Default)]
pub(crate) struct RareEffects {
    /// Lines for the application's log.
    pub(crate) lines: Vec<LogLine>,
    /// Limits that messages exceeded.
    pub(crate) exceeded: Vec<Limit>,
    /// Requests that were cancelled and have hooks to run.
    pub(crate) cancelled: Vec<Arc<Context>>,
}

/// Causes of effects that cannot be derived from the state of the machine.
#[derive(Default)]
pub(super) struct Causes {
    /// A call of the application was queued.
    called: bool,
    /// The client's input ended, or the connection did.
    pub(super) ended: bool,
    pub(super) has_room: bool,
    rare: Option<Box<RareEffects>>,
}

impl Causes {
    /// Notes that a request was cancelled, so that its hooks run. A hook that is added after this step runs at once.
    pub(super) fn cancelled(&mut self, context: &Arc<Context>) {
        if context.hooks.are_used() {
            self.rare.get_or_insert_default().cancelled.push(context.clone());
        }
    }

    /// Notes that a message was refused with this error, so that a limit gets into the log.
    pub(super) fn refused(&mut self, fault: &RpcError) {
        if let Some(limit) = fault.limit() {
            self.rare.get_or_insert_default().exceeded.push(limit);
        }
    }

    pub(super) fn log(&mut self, severity: Severity, text: String) {
        self.rare.get_or_insert_default().lines.push(LogLine(severity, text));
    }
}

impl Machine {
    /// Forgets output and calls that were there before the step: a poll or a drain finds them. Called before each step
    /// that may cause a wake.
    pub(crate) fn begin_effects(&mut self) {
        self.causes.called = false;
        self.outbox.take_growth();
    }

    /// Returns what a step has caused. Called after each step, in the same critical section.
    #[inline]
    pub(crate) fn take_effects(&mut self) -> Effects {
        let grew = self.outbox.take_growth();
        let Causes { called, ended, has_room, rare } = std::mem::take(&mut self.causes);
        let has_new_work = grew || called || ended || self.has_message_to_dispatch();
        Effects { has_new_work, is_unsynced: self.subscriptions.is_unsynced(), has_room, rare }
    }

    /// Queues an event for the next poll, such as a call of the application.
    pub(super) fn queue_application_call(&mut self, call: ApplicationCall) {
        self.causes.called = true;
        self.application_calls.push_back(call);
    }

    /// Returns true if there is something to poll, or output whose driver was not woken to send it.
    pub(crate) fn has_work(&self) -> bool {
        self.has_something_to_poll() || self.outbox.has_pending_output()
    }

    /// [`Machine::has_work`] without the output of one route, which the caller takes.
    pub(crate) fn has_work_other_than(&self, route: Route) -> bool {
        self.has_something_to_poll() || self.outbox.has_pending_output_other_than(route)
    }

    fn has_something_to_poll(&self) -> bool {
        !self.application_calls.is_empty() || self.may_dispatch() || self.has_elements()
    }

    /// Returns whether a poll would now handle a message that was read before. Such a poll follows at once, so this
    /// does not stay true.
    fn has_message_to_dispatch(&self) -> bool {
        self.may_dispatch() || self.has_elements() && !self.is_full()
    }
}
