//! The handle through which the application answers a question.

mod method;
mod reply;

use crate::access::Verdict;
use crate::account::Permit;
use crate::catalog::{Sealer, ToolCall};
use crate::connection::ConnectionState;
use crate::error::{Error, ErrorKind};
use crate::event::{Afterwards, Outcome, Question, Verification};
use crate::model::{Answer, ClientExtensions, ClientRequestError, Json, MethodAnswer, Report};
use crate::observer::{Ended, FAILED, RunningCalls};
use crate::protocol::{CallId, Context};
use crate::request_head::OwnedHead;
use crate::server::ServerState;
use crate::session::Session;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

pub use reply::{InterestAnswer, Reply};

/// Answers one question to the application, once, on any thread. `A` is the type of the answer: [`Answer`],
/// [`crate::Page`], [`MethodAnswer`], a verdict for each URI, [`InterestAnswer`], or [`Verification`].
///
/// It holds no lock and may outlive its connection and server. Dropping it without an answer answers "internal error",
/// or for a tool a result with `isError`.
#[must_use = "dropping a responder fails its call"]
pub struct Responder<A: Reply> {
    target: AnswerTarget,
    kind: PhantomData<fn(A)>,
}

const DROPPED: &str = "was dropped without an answer";

enum AnswerTarget {
    /// A call. `permit` counts it over HTTP. `extras` are there for few calls.
    Call {
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        permit: Option<Arc<Permit>>,
        extras: Option<Box<Extras>>,
    },
    Interest {
        server: Weak<ServerState>,
        uri: Arc<str>,
        delivery: u64,
    },
    Verify(Weak<Question>, Arc<Permit>),
    Done,
}

/// The parts of a call that few calls have. Boxed, because each call is moved several times.
#[derive(Clone, Default)]
struct Extras {
    /// The running calls of which the observer hears, if there is one.
    observed: Option<Arc<RunningCalls>>,
    /// The closures of the around callbacks, if there are any.
    then: Option<Arc<Afterwards>>,
    /// The count of the calls of a tool that has limits.
    counted: Option<Arc<ToolCall>>,
}

impl Extras {
    fn observed(extras: Option<&Self>) -> Option<&RunningCalls> {
        extras?.observed.as_deref()
    }
}

/// Identifies a question to the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionId {
    Call(usize, CallId),
    Interest(u64),
    Verify(usize),
    None,
}

impl<A: Reply> Responder<A> {
    pub(crate) fn new(connection: Weak<ConnectionState>, call: CallId, context: Arc<Context>) -> Self {
        let permit = context.permit();
        let target = AnswerTarget::Call { connection, call, context, permit, extras: None };
        Responder { target, kind: PhantomData }
    }

    /// Has the observer notified when the call ends, even if the call's connection no longer exists then.
    pub(crate) fn observe(&mut self, running: Arc<RunningCalls>) {
        if let AnswerTarget::Call { extras, .. } = &mut self.target {
            extras.get_or_insert_default().observed = Some(running);
        }
    }

    /// Adds an around callback, which gets the answer before the client. Not for a responder that has a twin already.
    pub(crate) fn then(&mut self, around: Box<dyn FnOnce(Outcome) -> Outcome + Send>) {
        if let AnswerTarget::Call { extras, .. } = &mut self.target {
            extras.get_or_insert_default().then.get_or_insert_default().push(around);
        }
    }

    /// Makes a handle that only reads facts about the call. It must be disarmed, because it must not answer.
    pub(crate) fn onlooker(&self) -> Responder<MethodAnswer> {
        let mut target = self.twin().into_target();
        if let AnswerTarget::Call { permit, .. } = &mut target {
            *permit = None; // it may be kept beyond the callback
        }
        Responder { target, kind: PhantomData }
    }

    fn into_target(mut self) -> AnswerTarget {
        std::mem::replace(&mut self.target, AnswerTarget::Done)
    }

    /// Counts the call for the limits of its tool.
    pub(crate) fn count(&mut self, call: ToolCall) {
        if let AnswerTarget::Call { extras, .. } = &mut self.target {
            extras.get_or_insert_default().counted = Some(Arc::new(call));
        }
    }

    /// Sends the answer. Returns false if it is not wanted any more, because the call is cancelled or answered; that is
    /// no error. For an interest it is always true.
    pub fn finish(mut self, answer: impl Into<A>) -> bool {
        // Armed until the end: the answer is the application's, and may panic when it is looked at.
        let wanted = match &self.target {
            AnswerTarget::Call { connection, call, context, permit, extras } => {
                let extras = extras.as_deref();
                let answer = answer.into();
                let answer = match extras.and_then(|extras| extras.then.as_ref()) {
                    Some(then) => answer.through(then),
                    None => answer,
                };
                let observed = Extras::observed(extras);
                let outcome = (answer.word(), observed.map_or(0, |_| answer.size()));
                if let Some(counted) = extras.and_then(|extras| extras.counted.as_ref()) {
                    counted.end();
                }
                let connection = connection.upgrade();
                let wanted = connection.as_ref().is_some_and(|connection| {
                    if let Some(permit) = permit
                        && !context.is_cancelled()
                    {
                        permit.holder().make_room(answer.own_size(context.if_version()));
                    }
                    answer.complete(connection, *call)
                });
                end(connection.as_deref(), observed, *call, outcome, wanted);
                context.hooks.end(*call);
                wanted
            }
            AnswerTarget::Interest { server, uri, delivery } => {
                if let Some(server) = server.upgrade() {
                    server.interest_done(uri, *delivery, answer.into().failure());
                }
                true
            }
            AnswerTarget::Verify(question, _) => match (question.upgrade(), answer.into().verification()) {
                (Some(question), Some(verification)) => question.answer(verification),
                _ => false,
            },
            AnswerTarget::Done => false,
        };
        self.target = AnswerTarget::Done;
        wanted
    }

    /// Returns the server of the question; `None` if the answer is not wanted any more.
    pub(crate) fn server(&self) -> Option<Arc<ServerState>> {
        match &self.target {
            AnswerTarget::Call { connection, .. } => Some(connection.upgrade()?.server().clone()),
            AnswerTarget::Interest { server, .. } => server.upgrade(),
            AnswerTarget::Verify(question, _) => question.upgrade()?.server(),
            AnswerTarget::Done => None,
        }
    }

    /// Returns whether the answer is not wanted any more: the request was cancelled, or its connection is gone. Cheap.
    pub fn is_cancelled(&self) -> bool {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => {
                context.is_cancelled() || connection.strong_count() == 0
            }
            AnswerTarget::Verify(question, _) => question.strong_count() == 0,
            AnswerTarget::Interest { .. } | AnswerTarget::Done => false,
        }
    }

    /// Runs `hook` when the answer is not wanted any more: the client cancels the request, its deadline passes, or its
    /// connection ends. So a callback that waits can be interrupted. If that has happened already, `hook` runs at once.
    ///
    /// It runs at most once, on the thread that notices the end. That is often the one that reads the client's
    /// messages, so it has to be short. No lock is held. It never runs after [`Responder::finish`] or the drop of the
    /// responder has returned: these drop it or wait until it has ended, unless it answers the call itself. A responder
    /// takes several hooks, which run in their order. An interest and a token are never cancelled: their hooks are
    /// dropped.
    pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) {
        let AnswerTarget::Call { connection, call, context, .. } = &self.target else { return };
        // Clones, because the hook may free this responder: at once, or on a thread that cancels the request meanwhile.
        let (connection, call, context) = (connection.clone(), *call, context.clone());
        context.hooks.add(call, Box::new(hook));
        // Who cancels the request now finds the hook. If it is over by now, this thread looks after it.
        if connection.upgrade().is_some_and(|connection| connection.is_open(call)) {
            return;
        }
        if context.is_cancelled() || connection.strong_count() == 0 {
            context.hooks.run();
        } else {
            context.hooks.end(call);
        }
    }

    /// Sends the client the progress of its request, if it asked for that: in any unit, such as bytes, and with the
    /// total at the end, if that is known. Returns false if none can be sent: the client did not ask for progress, only
    /// an answer can reach it, or the request is over. [`Responder::is_cancelled`] tells whether to stop the work.
    ///
    /// `progress` has to grow: a value that does not, or is no number, is ignored. A client that reads its messages
    /// slowly gets the newest value only.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool {
        let AnswerTarget::Call { connection, call, context, .. } = &self.target else { return false };
        if context.progress_token().is_none() {
            return false;
        }
        let message = message.map(str::to_owned);
        let report = Report { progress, total: total.filter(|total| total.is_finite()), message };
        connection.upgrade().is_some_and(|connection| connection.progress(*call, report))
    }

    /// Closes the event stream that carries the call's answer over HTTP, before the answer. The client comes back after
    /// `retry_ms` milliseconds, and gets what was sent in the meantime. So a slow call does not keep a connection open.
    ///
    /// Returns false if it did not: after the answer, if the stream is closed already, or if the client could not come
    /// back to it. That is so over stdio, for a client that accepts JSON only, and in every revision but 2025-11-25.
    ///
    /// Output that waits for the client counts against the session's [`crate::Limits::output_bytes`]. Source: MCP
    /// 2025-11-25, Transports, "Sending Messages to the Server".
    pub fn close_event_stream(&self, retry_ms: u64) -> bool {
        match &self.target {
            AnswerTarget::Call { connection, call, .. } => {
                connection.upgrade().is_some_and(|connection| connection.close_event_stream(*call, retry_ms))
            }
            _ => false,
        }
    }

    /// Returns the name and version that the client gives itself, the text of a JSON object; `None` if it gives none.
    /// For logs, not for decisions.
    pub fn client(&self) -> Option<String> {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => connection.upgrade()?.client_info(context),
            _ => None,
        }
    }

    /// Returns the session of the client, which may be kept beyond the call: see [`Session`]. `None` in the stateless
    /// era.
    pub fn session(&self) -> Option<Session> {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => connection.upgrade()?.session(context),
            _ => None,
        }
    }

    /// Notes that the callback begins. Returns false if its client has gone: then drop the question instead.
    pub(crate) fn begin(&self) -> bool {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => {
                connection.strong_count() > 0 && context.begin()
            }
            AnswerTarget::Verify(..) | AnswerTarget::Interest { .. } | AnswerTarget::Done => {
                !self.is_cancelled()
            }
        }
    }

    pub(crate) fn with_sealer<R>(&self, f: impl FnOnce(&Sealer) -> R) -> Option<R> {
        match &self.target {
            AnswerTarget::Call { connection, .. } => Some(f(connection.upgrade()?.sealer())),
            _ => None,
        }
    }

    fn request_named(
        &self,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Json, ClientRequestError> {
        if let AnswerTarget::Call { connection, call, context, .. } = &self.target
            && let Some(connection) = connection.upgrade()
        {
            return connection.require_input(*call, context, name, method, params);
        }
        let why = Error::new(ErrorKind::Closed, "the call is over; its client takes no more requests");
        Err(ClientRequestError::Failed(why))
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"sampling":{}}`. It declared them
    /// with this request, or when its session began. `None` if it declared none.
    pub fn client_capabilities(&self) -> Option<String> {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => {
                connection.upgrade()?.client_capabilities(context)
            }
            _ => None,
        }
    }

    /// Returns the extensions of the protocol that the client declared, with this request or when its session began.
    pub fn client_extensions(&self) -> ClientExtensions {
        match &self.target {
            AnswerTarget::Call { connection, context, .. } => {
                connection.upgrade().map(|c| c.client_extensions(context)).unwrap_or_default()
            }
            _ => ClientExtensions::default(),
        }
    }

    /// Returns the value of a header field of the HTTP request that the question came with: see [`crate::Call::header`].
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head()?.header(name)
    }

    /// Returns the query of that HTTP request: see [`crate::Call::query`].
    pub fn query(&self) -> Option<&str> {
        self.head()?.query()
    }

    fn head(&self) -> Option<&OwnedHead> {
        match &self.target {
            AnswerTarget::Call { context, .. } => context.caller.head().map(Arc::as_ref),
            _ => None,
        }
    }

    /// Returns the client's settings of an extension, the text of a JSON object. `None` if the client does not declare
    /// it.
    pub fn extension(&self, id: &str) -> Option<String> {
        self.client_extensions().get(id).map(str::to_owned)
    }

    /// Returns whether the client declares that it shows MCP Apps.
    pub fn client_supports_apps(&self) -> bool {
        self.client_extensions().supports_apps()
    }

    /// Returns the id of the call, which [`crate::Event::Cancel`] names. `None` for an interest and a token.
    pub fn call(&self) -> Option<CallId> {
        match self.target {
            AnswerTarget::Call { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Drops this handle without an answer, because the question has another handle.
    pub(crate) fn disarm(mut self) {
        self.target = AnswerTarget::Done;
    }

    /// Makes a handle for a question whose responder was taken. Its answer has no effect.
    pub(crate) fn spent() -> Self {
        Responder { target: AnswerTarget::Done, kind: PhantomData }
    }

    /// Returns the identity of the question.
    pub(crate) fn question(&self) -> QuestionId {
        match &self.target {
            AnswerTarget::Call { connection, call, .. } => {
                QuestionId::Call(connection.as_ptr() as usize, *call)
            }
            AnswerTarget::Interest { delivery, .. } => QuestionId::Interest(*delivery),
            AnswerTarget::Verify(question, _) => QuestionId::Verify(question.as_ptr().addr()),
            AnswerTarget::Done => QuestionId::None,
        }
    }

    /// Makes a second handle for the same question. Only the first answer counts.
    pub(crate) fn twin(&self) -> Self {
        let target = match &self.target {
            AnswerTarget::Call { connection, call, context, permit, extras } => AnswerTarget::Call {
                connection: connection.clone(),
                call: *call,
                context: context.clone(),
                permit: permit.clone(),
                extras: extras.clone(),
            },
            AnswerTarget::Interest { server, uri, delivery } => {
                AnswerTarget::Interest { server: server.clone(), uri: uri.clone(), delivery: *delivery }
            }
            AnswerTarget::Verify(question, permit) => AnswerTarget::Verify(question.clone(), permit.clone()),
            AnswerTarget::Done => AnswerTarget::Done,
        };
        Responder { target, kind: PhantomData }
    }
}

impl Responder<Answer> {
    /// Asks the client for one of its features by a name, before the contents are known. The callback of the read runs
    /// again from its start when the client has answered. See [`Responder::<MethodAnswer>::require_input`].
    ///
    /// # Errors
    /// See [`ClientRequestError`].
    pub fn require_input(
        &self,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Json, ClientRequestError> {
        self.request_named(name, method, params)
    }
}

impl Responder<Vec<Verdict>> {
    /// Answers "internal error". `why` goes to the log, not to the client.
    pub fn fail(mut self, why: &str) {
        if let AnswerTarget::Call { connection, call, context, extras, .. } =
            std::mem::replace(&mut self.target, AnswerTarget::Done)
        {
            give_up(
                connection.upgrade().as_ref(),
                Extras::observed(extras.as_deref()),
                call,
                &format!("failed: {why}"),
                (FAILED, 0),
            );
            context.hooks.end(call);
        }
    }
}

impl Responder<InterestAnswer> {
    pub(crate) fn interest(server: Weak<ServerState>, uri: Arc<str>, delivery: u64) -> Self {
        Responder { target: AnswerTarget::Interest { server, uri, delivery }, kind: PhantomData }
    }
}

impl Responder<Verification> {
    pub(crate) fn verify(question: Weak<Question>, permit: Arc<Permit>) -> Self {
        Responder { target: AnswerTarget::Verify(question, permit), kind: PhantomData }
    }
}

/// Ends a call without an answer.
fn give_up(
    connection: Option<&Arc<ConnectionState>>,
    observed: Option<&RunningCalls>,
    call: CallId,
    why: &str,
    outcome: (&'static str, u64),
) {
    let wanted = connection.is_some_and(|connection| connection.give_up(call, why));
    end(connection.map(Arc::as_ref), observed, call, outcome, wanted);
}

/// Counts the end of a call and calls the observer. `outcome`: its word and its size.
fn end(
    connection: Option<&ConnectionState>,
    observed: Option<&RunningCalls>,
    call: CallId,
    (outcome, bytes): (&'static str, u64),
    wanted: bool,
) {
    let ended = Ended { outcome, client_waiting: wanted, bytes, time: None };
    if let Some(connection) = connection {
        connection.server().metrics.answered(&ended);
    }
    if let Some(observed) = observed {
        observed.ended(call, ended);
    }
}

impl<A: Reply> Drop for Responder<A> {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.target, AnswerTarget::Done) {
            AnswerTarget::Call { connection, call, context, extras, .. } => {
                let extras = extras.as_deref();
                if let Some(counted) = extras.and_then(|extras| extras.counted.as_ref()) {
                    counted.end();
                }
                let observed = Extras::observed(extras);
                let connection = connection.upgrade();
                let then = extras.and_then(|extras| extras.then.as_ref());
                if let Some(answer) = then.and_then(|then| A::of_arounds(then)) {
                    let outcome = (answer.word(), observed.map_or(0, |_| answer.size()));
                    let wanted = connection.as_ref().is_some_and(|c| answer.complete(c, call));
                    end(connection.as_deref(), observed, call, outcome, wanted);
                } else {
                    give_up(connection.as_ref(), observed, call, DROPPED, ("dropped", 0));
                }
                context.hooks.end(call);
            }
            AnswerTarget::Interest { server, uri, delivery } => {
                if let Some(server) = server.upgrade() {
                    server.interest_done(&uri, delivery, Some(DROPPED.to_owned()));
                }
            }
            AnswerTarget::Verify(question, _) => {
                if let Some(question) = question.upgrade() {
                    question.answer(Verification::Failed(DROPPED.to_owned()));
                }
            }
            AnswerTarget::Done => {}
        }
    }
}

impl<A: Reply> fmt::Debug for Responder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("call", &self.call()).finish_non_exhaustive()
    }
}
