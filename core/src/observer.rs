//! Observation of the application's callbacks for metrics and traces.

use crate::access::RequestContext;
use crate::counters::Counters;
use crate::log::{Log, Severity};
use crate::protocol::{ApplicationCall, CallId, Context};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The beginning or the end of a call of one of the application's callbacks.
#[derive(Clone)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The number of the call, the same at its beginning and its end, and unique in its server.
    pub call: u64,
    /// The method of the request, such as `resources/read`, or `authorize`.
    pub method: &'a str,
    /// The registration that is called: the text of a template, a fixed URI, or the name of a list source, a tool or a
    /// prompt. Never a URI that a client made up. `None` for a callback without a registration.
    pub registered_as: Option<&'a str>,
    /// The `traceparent` of the request, as the client sent it; `None` if it has none.
    pub traceparent: Option<&'a str>,
    /// The number of the call, as in [`crate::Responder::call`] and [`crate::Event::Cancel`].
    pub id: CallId,
    /// The context that the application gave to the request. At the end of a call it is the one that was attached at
    /// the beginning. `None` if there is none.
    pub request_context: Option<&'a RequestContext>,
    /// The outcome of the call; `None` at its beginning.
    pub end: Option<Ended>,
    attached: Option<&'a OnceLock<RequestContext>>,
}

impl Observed<'_> {
    /// Attaches a context to a call that begins, in place of its request's context. Only the first attachment
    /// counts.
    pub fn attach(&self, context: RequestContext) {
        if let Some(attached) = self.attached {
            let _ = attached.set(context);
        }
    }
}

impl fmt::Debug for Observed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observed")
            .field("call", &self.call)
            .field("method", &self.method)
            .field("registered_as", &self.registered_as)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// One of the words `found`, `not_found`, `denied`, `not_modified`, `busy`, `input_required`, `waiting`,
    /// `invalid_state`, `missing_capability`, `result`, `page`, `completion`, `verdicts`, `failed`, `error` and
    /// `dropped`. `error` is an error that the application sends to the client. `dropped` is a call without an
    /// answer.
    pub outcome: &'static str,
    /// False if the request was cancelled or timed out before the answer.
    pub client_waiting: bool,
    /// The size of the answer in bytes of text, of binary data, or of JSON; 0 if it has no such content.
    pub bytes: u64,
    /// The time since the call began; `None` if the application set no clock.
    pub time: Option<Duration>,
}

pub(crate) type Callback = dyn Fn(&Observed<'_>) + Send + Sync;
pub(crate) type Clock = dyn Fn() -> Duration + Send + Sync;

/// The application's observer, which is called with no lock held.
#[derive(Clone)]
pub(crate) struct Observer {
    pub(crate) callback: Arc<Callback>,
    pub(crate) log: Log,
}

/// The server's counters, its observer, and its clock, which is called with no lock held.
#[derive(Default)]
pub(crate) struct Metrics {
    observer: Option<Observer>,
    pub(crate) clock: Option<Arc<Clock>>,
    calls: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    changes: AtomicU64,
}

/// Calls of one connection that have begun and not ended, and the observer that is called at their end. Responders
/// share it, because a callback may end after its connection.
pub(crate) struct RunningCalls {
    observer: Observer,
    clock: Option<Arc<Clock>>,
    started: Lock<BTreeMap<CallId, Started>>,
}

/// The facts about a call at its beginning that are repeated at its end.
pub(crate) struct Started {
    number: u64,
    method: Arc<str>,
    registered_as: Option<Arc<str>>,
    traceparent: Option<String>,
    context: Option<RequestContext>,
    at: Option<Duration>,
}

/// The word for the outcome of a failed call.
pub(crate) const FAILED: &str = "failed";

impl Metrics {
    pub(crate) fn new(observer: Option<Observer>, clock: Option<Arc<Clock>>) -> Metrics {
        Metrics { observer, clock, ..Metrics::default() }
    }

    /// Returns the table of calls for a new connection; `None` if there is no observer.
    pub(crate) fn running_calls(&self) -> Option<Arc<RunningCalls>> {
        let observer = self.observer.clone()?;
        let clock = self.clock.clone();
        Some(Arc::new(RunningCalls { observer, clock, started: Lock::new(BTreeMap::new()) }))
    }

    pub(crate) fn change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call that the application gets. Returns its number.
    pub(crate) fn began(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts the answer to a call.
    pub(crate) fn answered(&self, end: &Ended) {
        if end.client_waiting {
            self.answered.fetch_add(1, Ordering::Relaxed);
            if end.outcome == FAILED || end.outcome == "dropped" {
                self.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Returns the counters that are kept here; the hub keeps the others.
    pub(crate) fn count(&self) -> Counters {
        Counters {
            calls: self.calls.load(Ordering::Relaxed),
            calls_answered: self.answered.load(Ordering::Relaxed),
            calls_failed: self.failed.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
            ..Counters::default()
        }
    }
}

impl RunningCalls {
    /// Notifies the observer that a call begins. Returns the context that it attached.
    pub(crate) fn began(
        &self,
        number: u64,
        application_call: &ApplicationCall,
        context: &Context,
    ) -> Option<RequestContext> {
        let (method, registered_as) = subject(application_call);
        let at = self.clock.as_ref().map(|clock| clock());
        let traceparent = context.traceparent();
        let context = context.caller.context().cloned();
        let mut started = Started { number, method, registered_as, traceparent, context, at };
        let attached = self.observer.notify(application_call.call(), &started, None);
        if attached.is_some() {
            started.context.clone_from(&attached);
        }
        self.started.with(|running, _| running.insert(application_call.call(), started));
        attached
    }

    /// Notifies the observer of the end of a call, and adds its duration. Only the first answer to a call counts.
    pub(crate) fn ended(&self, call: CallId, mut end: Ended) {
        let Some(started) = self.started.with(|running, _| running.remove(&call)) else { return };
        let now = self.clock.as_ref().map(|clock| clock());
        end.time = now.zip(started.at).map(|(now, at)| now.saturating_sub(at));
        self.observer.notify(call, &started, Some(end));
    }
}

impl Observer {
    /// Calls the observer. Never panics, because calls also end while a panic unwinds.
    fn notify(&self, id: CallId, started: &Started, end: Option<Ended>) -> Option<RequestContext> {
        let attached = OnceLock::new();
        let observed = Observed {
            call: started.number,
            method: &started.method,
            registered_as: started.registered_as.as_deref(),
            traceparent: started.traceparent.as_deref(),
            id,
            request_context: started.context.as_ref(),
            end,
            attached: end.is_none().then_some(&attached),
        };
        if catch_unwind(AssertUnwindSafe(|| (self.callback)(&observed))).is_err() {
            let what = if observed.end.is_some() { "end" } else { "begin" };
            let line = format!("the observer panicked; it has missed the {what} of call {}", observed.call);
            self.log.write(Severity::Error, &line);
        }
        attached.into_inner()
    }
}

/// Returns the method of a call and the registration that it concerns.
fn subject(application_call: &ApplicationCall) -> (Arc<str>, Option<Arc<str>>) {
    match application_call {
        ApplicationCall::Read { handler, .. } | ApplicationCall::ReadAgain { handler, .. } => {
            ("resources/read".into(), Some((*handler.name).into()))
        }
        ApplicationCall::List { handler, of, .. } => {
            (of.listing.method().into(), Some((*handler.name).into()))
        }
        ApplicationCall::Complete { handler, .. } => {
            ("completion/complete".into(), Some((*handler.name).into()))
        }
        ApplicationCall::Method { handler, .. } => ((*handler.name).into(), handler.item.clone()),
        ApplicationCall::Authorize { .. }
        | ApplicationCall::Cancel { .. }
        | ApplicationCall::Response { .. } => ("authorize".into(), None),
    }
}
