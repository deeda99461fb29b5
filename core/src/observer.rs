//! What the host is told of its own calls, for metrics and traces; and counters.

use crate::access::RequestContext;
use crate::log::{Level, Log};
use crate::protocol::{Ask, CallId, Context};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A call of one of the host's callbacks that begins or ends.
#[derive(Clone)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// A number that begin and end of a call share; unique in its server.
    pub call: u64,
    /// What is asked: the method of the request, such as `resources/read`, or `authorize`.
    pub method: &'a str,
    /// Which registration is asked: the text of a template, a fixed URI, the name of a list source, of a tool or of a
    /// prompt. Never a URI that a client has made up.
    pub registration: Option<&'a str>,
    /// The request's `traceparent`, as it came.
    pub traceparent: Option<&'a str>,
    /// Which question it is, as [`crate::Responder::call`] and [`crate::Event::Cancel`] name it.
    pub id: CallId,
    /// The context that the host gave to the request; at the end of a call, what was attached at its begin, if something was.
    pub request_context: Option<&'a RequestContext>,
    /// None: the call begins.
    pub end: Option<Ended>,
    attached: Option<&'a OnceLock<RequestContext>>,
}

impl Observed<'_> {
    /// Gives a call that begins a context of its own, in place of its request's. Only the first of a begin counts.
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
            .field("registration", &self.registration)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// In a word: `found`, `not_found`, `denied`, `not_modified`, `busy`, `needs_input`, `missing_capability`, `result`,
    /// `error` (of the host's own, told to the client), `page`, `completion`, `verdicts`, `failed`, or `dropped`, without
    /// an answer.
    pub outcome: &'static str,
    /// Whether somebody still wanted the answer: not if it was cancelled, or too late.
    pub wanted: bool,
    /// The size of what was answered, in bytes of text, of bytes, or of JSON; 0 where there is none to speak of.
    pub bytes: u64,
    /// The time since the call began, if the host gave a clock.
    pub time: Option<Duration>,
}

/// What a server has done since it was made, and what is open. Taken at slightly different moments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Connections that were made.
    pub connections: u64,
    /// Connections that are open.
    pub connections_open: u64,
    /// Calls of callbacks that began.
    pub calls: u64,
    /// Calls that somebody still wanted when they were answered.
    pub calls_answered: u64,
    /// Of these, those that failed or were dropped without an answer.
    pub calls_failed: u64,
    /// Changes of resources that were told, and of lists.
    pub changes: u64,
    /// URIs that somebody watches.
    pub uris_watched: u64,
    /// Watchers of all URIs, each connection once a URI.
    pub subscriptions: u64,
}

pub(crate) type Callback = dyn Fn(&Observed<'_>) + Send + Sync;
pub(crate) type Clock = dyn Fn() -> Duration + Send + Sync;

/// The host's observer and clock. Called with no lock held.
#[derive(Clone)]
pub(crate) struct Observer {
    pub(crate) callback: Arc<Callback>,
    pub(crate) clock: Option<Arc<Clock>>,
    pub(crate) log: Log,
}

/// The counters that are kept, and the observer.
#[derive(Default)]
pub(crate) struct Watch {
    observer: Option<Observer>,
    calls: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    changes: AtomicU64,
}

/// Calls of one connection that began and have not ended, if there is an observer.
pub(crate) type Running = Lock<BTreeMap<CallId, Started>>;

/// What a call's end repeats of its begin.
pub(crate) struct Started {
    number: u64,
    method: Arc<str>,
    registration: Option<Arc<str>>,
    traceparent: Option<String>,
    context: Option<RequestContext>,
    at: Option<Duration>,
}

/// What a failure is told as, and its size.
pub(crate) const FAILED: (&str, u64) = ("failed", 0);

impl Watch {
    pub(crate) fn new(observer: Option<Observer>) -> Watch {
        Watch { observer, ..Watch::default() }
    }

    pub(crate) fn observes(&self) -> bool {
        self.observer.is_some()
    }

    pub(crate) fn change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// A call leaves for the host. Returns what its observer attached.
    pub(crate) fn began(&self, running: &Running, ask: &Ask, context: &Context) -> Option<RequestContext> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let observer = self.observer.as_ref()?;
        let (method, registration) = subject(ask);
        let at = observer.clock.as_ref().map(|clock| clock());
        let traceparent = context.traceparent();
        let context = context.caller.context().cloned();
        let mut started = Started { number, method, registration, traceparent, context, at };
        let attached = observer.tell(ask.call(), &started, None);
        if attached.is_some() {
            started.context.clone_from(&attached);
        }
        running.with(|running, _| running.insert(ask.call(), started));
        attached
    }

    /// A call was answered. Only its first answer counts.
    pub(crate) fn ended(
        &self,
        running: &Running,
        call: CallId,
        (outcome, bytes): (&'static str, u64),
        wanted: bool,
    ) {
        if wanted {
            self.answered.fetch_add(1, Ordering::Relaxed);
            if outcome == FAILED.0 || outcome == "dropped" {
                self.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
        let Some(observer) = &self.observer else { return };
        let Some(started) = running.with(|running, _| running.remove(&call)) else { return };
        let now = observer.clock.as_ref().map(|clock| clock());
        let time = now.zip(started.at).map(|(now, at)| now.saturating_sub(at));
        observer.tell(call, &started, Some(Ended { outcome, wanted, bytes, time }));
    }

    /// The counters that are kept here; the others are the hub's.
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

impl Observer {
    /// Never panics: calls also end while a panic unwinds.
    fn tell(&self, id: CallId, started: &Started, end: Option<Ended>) -> Option<RequestContext> {
        let attached = OnceLock::new();
        let observed = Observed {
            call: started.number,
            method: &started.method,
            registration: started.registration.as_deref(),
            traceparent: started.traceparent.as_deref(),
            id,
            request_context: started.context.as_ref(),
            end,
            attached: end.is_none().then_some(&attached),
        };
        if catch_unwind(AssertUnwindSafe(|| (self.callback)(&observed))).is_err() {
            let what = if observed.end.is_some() { "end" } else { "begin" };
            let line = format!("the observer panicked; it has missed the {what} of call {}", observed.call);
            self.log.write(Level::Error, &line);
        }
        attached.into_inner()
    }
}

/// What is asked, and of which registration.
fn subject(ask: &Ask) -> (Arc<str>, Option<Arc<str>>) {
    match ask {
        Ask::Read { handler, .. } => ("resources/read".into(), Some((*handler.name).into())),
        Ask::List { handler, .. } => ("resources/list".into(), Some((*handler.name).into())),
        Ask::Complete { handler, .. } => ("completion/complete".into(), Some((*handler.name).into())),
        Ask::Method { handler, .. } => ((*handler.name).into(), handler.item.clone()),
        Ask::Authorize { .. } | Ask::Cancel { .. } | Ask::Response { .. } => ("authorize".into(), None),
    }
}
