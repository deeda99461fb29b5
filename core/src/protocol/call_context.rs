//! The facts about a request that all calls of the application for it share.

use super::CallId;
use super::draft::{Details, RetryInput};
use crate::access::Caller;
use crate::account::Permit;
use crate::cancellation::CancelHooks;
use crate::model::Json;
use crate::revision::Revision;
use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Weak};

/// The facts about a request that a call can read. They do not change, except for the state of the call.
pub(crate) struct Context {
    pub(crate) caller: Arc<Caller>,
    pub(crate) revision: Revision,
    pub(crate) details: Option<Arc<Details>>,
    /// The permit that counts the request over HTTP. Weak, because an application may keep its call for ever.
    permit: Weak<Permit>,
    /// Hooks of the application that run, without the machine, once the request is cancelled.
    pub(crate) hooks: CancelHooks<CallId>,
    stage: AtomicU8,
    /// True if a call of this request was counted for the limits of its tool.
    has_begun: AtomicBool,
}

/// The state of a request for which no callback runs.
const WAITING: u8 = 0;
/// The state of a request whose callback runs, or whose question the application keeps.
const BEGUN: u8 = 1;
const CANCELLED: u8 = 2;

impl Context {
    pub(crate) fn new(
        caller: Arc<Caller>,
        revision: Revision,
        details: Option<Arc<Details>>,
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

    /// Copies the facts without the context that the application gave to the request. The copy does not follow the
    /// state of the request.
    pub(crate) fn without_request_context(&self) -> Arc<Context> {
        let caller = Arc::new(Caller::clone(&self.caller).in_context(None));
        Context::new(caller, self.revision, self.details.clone(), self.permit.clone())
    }

    /// Returns the permit that counts the request over HTTP, if it still exists.
    pub(crate) fn permit(&self) -> Option<Arc<Permit>> {
        self.permit.upgrade()
    }

    /// The version of the resource that the client has, if it named one.
    pub(crate) fn if_version(&self) -> Option<&str> {
        self.details.as_ref()?.if_version.as_deref()
    }

    /// Returns the filter of a list request of the dialect: which resources the client wants.
    pub(crate) fn filter(&self) -> Option<&Json> {
        self.details.as_ref()?.filter.as_ref()
    }

    /// The input that the client sends with its request because the result of an earlier request asked for it.
    pub(crate) fn input(&self) -> Option<&RetryInput> {
        self.details.as_ref()?.input.as_ref()
    }

    /// Notes that a call of a tool begins for the request. Returns true if one began before, so that the callback runs
    /// again.
    pub(crate) fn begin_tool(&self) -> bool {
        self.has_begun.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.stage.load(Ordering::Acquire) == CANCELLED
    }

    /// Notes that a callback begins for the request. Returns false if the request was cancelled before.
    pub(crate) fn begin(&self) -> bool {
        self.change(WAITING, BEGUN) || !self.is_cancelled()
    }

    /// Notes that the request has another question for the application, whose callback has not begun.
    pub(super) fn wait(&self) {
        self.change(BEGUN, WAITING);
    }

    /// Cancels the request unless a callback runs for it. Returns true if this cancelled it.
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
