//! The facts about a request that its calls of the application share.

use super::CallId;
use super::draft::{Details, RetryInput};
use crate::access::Caller;
use crate::account::Permit;
use crate::cancellation::CancelHooks;
use crate::model::Json;
use crate::revision::Revision;
use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Weak};

/// The facts that a call knows of its request; immutable except for how far the call is.
pub(crate) struct Context {
    pub(crate) caller: Arc<Caller>,
    pub(crate) revision: Revision,
    pub(crate) details: Option<Box<Details>>,
    /// The permit of the request, over HTTP. Weak, because an application may keep its call for ever.
    permit: Weak<Permit>,
    /// Run, without the machine, once the request is cancelled.
    pub(crate) hooks: CancelHooks<CallId>,
    stage: AtomicU8,
    /// A call of the request counted for the limits of its tool.
    has_begun: AtomicBool,
}

/// No callback runs for the request's question.
const WAITING: u8 = 0;
/// One does, or the application keeps the question.
const BEGUN: u8 = 1;
const CANCELLED: u8 = 2;

impl Context {
    pub(crate) fn new(
        caller: Arc<Caller>,
        revision: Revision,
        details: Option<Box<Details>>,
        permit: Weak<Permit>,
    ) -> Arc<Context> {
        Arc::new(Context {
            caller,
            revision,
            details,
            permit,
            hooks: CancelHooks::new(),
            stage: AtomicU8::new(WAITING),
            has_begun: AtomicBool::new(false),
        })
    }

    /// A share in what the request counts as.
    pub(crate) fn permit(&self) -> Option<Arc<Permit>> {
        self.permit.upgrade()
    }

    /// The version that the client has.
    pub(crate) fn if_version(&self) -> Option<&str> {
        self.details.as_ref()?.if_version.as_deref()
    }

    /// Returns which resources the client wants listed.
    pub(crate) fn filter(&self) -> Option<&Json> {
        self.details.as_ref()?.filter.as_ref()
    }

    /// The input that the client sends because an earlier result asked for it.
    pub(crate) fn input(&self) -> Option<&RetryInput> {
        self.details.as_ref()?.input.as_ref()
    }

    /// Notes that a call of a tool begins for the request. Returns whether one began before: its callback runs again.
    pub(crate) fn begin_tool(&self) -> bool {
        self.has_begun.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.stage.load(Ordering::Acquire) == CANCELLED
    }

    /// The question's callback begins. False: the request was cancelled before.
    pub(crate) fn begin(&self) -> bool {
        self.change(WAITING, BEGUN) || !self.is_cancelled()
    }

    /// The request has another question, which waits for its callback.
    pub(super) fn wait(&self) {
        self.change(BEGUN, WAITING);
    }

    /// Cancels the request unless a callback runs for it.
    pub(super) fn cancel_waiting(&self) -> bool {
        self.change(WAITING, CANCELLED)
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.stage.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    pub(super) fn cancel(&self) {
        self.stage.store(CANCELLED, Ordering::Release);
    }
}
