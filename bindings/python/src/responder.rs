//! The core's responder of a callback: the way of the answer, and what a [`Call`](crate::call::Call) does before the answer.

use crate::exit::{detach, try_attach};
use crate::lock::lock;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use wellhead::{CallId, ClientRequestError, ErrorKind, Json, Reply, Responder};

/// The way of one answer to the core, to be used once. If it is dropped without an answer, it answers "internal error".
pub(crate) struct Way<A: Reply> {
    own: Option<Responder<A>>,
    shared: Option<Arc<Slot<A>>>,
    lenient: bool,
}

impl<A: Reply> Way<A> {
    pub(crate) fn own(responder: Responder<A>) -> Self {
        Way { own: Some(responder), shared: None, lenient: false }
    }

    pub(crate) fn shared(slot: Arc<Slot<A>>) -> Self {
        Way { own: None, shared: Some(slot), lenient: false }
    }

    /// Sets `lenient`, which [`crate::answer::FromCallback::from_value`] explains.
    pub(crate) fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    pub(crate) fn is_lenient(&self) -> bool {
        self.lenient
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.own.as_ref().is_some_and(Responder::is_cancelled)
            || self.shared.as_ref().is_some_and(|slot| slot.state().is_cancelled())
    }

    pub(crate) fn finish(mut self, answer: A)
    where
        A: Send + 'static,
    {
        self.end(move |responder| {
            responder.finish(answer);
        });
    }

    /// Drops the way without an answer, in a child of `fork`, which does not own the connection.
    pub(crate) fn abandon(mut self) {
        self.end(mem::forget);
    }

    fn end(&mut self, end: impl FnOnce(Responder<A>) + Send + 'static) {
        if let Some(slot) = self.shared.take() {
            slot.end(end);
        } else if let Some(responder) = self.own.take() {
            end(responder);
        }
    }
}

impl Way<Vec<wellhead::Verdict>> {
    /// Answers that the `authorize` callback failed. `why` goes to the log only.
    pub(crate) fn fail(mut self, why: String) {
        self.end(move |responder| responder.fail(&why));
    }
}

impl<A: Reply> Drop for Way<A> {
    fn drop(&mut self) {
        self.end(drop);
    }
}

/// The methods of a responder that a [`Call`] uses, without the type of its answer.
pub(crate) trait Watched: Send + Sync {
    fn is_cancelled(&self) -> bool;
    /// Sets a hook on cancellation. Returns false if the call is already answered.
    fn on_cancel(&self, hook: Box<dyn FnOnce() + Send>) -> bool;
    /// Sends a notification. Returns `None` if the call is already answered.
    fn notify(&self, method: &str, params: Option<&Json>) -> Option<wellhead::Result<bool>>;
    /// Sends the client a request. Returns the numbers of its connection and of the request, or `None` if the call is
    /// already answered.
    fn request(&self, method: &str, params: Option<&Json>) -> Option<wellhead::Result<(u64, u64)>>;
    fn give_up(&self, request: u64);
    fn require_input(&self, name: &str, method: &str, params: Option<&Json>) -> Option<Requested>;
    fn client(&self) -> Option<String>;
    fn client_capabilities(&self) -> Option<String>;
    fn session(&self) -> Option<wellhead::Session>;
    fn check_arguments(&self, arguments: &Json) -> wellhead::Result<Json>;
    fn extension(&self, id: &str) -> Option<String>;
    fn client_supports_apps(&self) -> bool;
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool;
    fn close_event_stream(&self, retry_ms: u64) -> bool;
}

/// The result of a request that the callback made by a name, or why it has none.
pub(crate) type Requested = Result<Json, ClientRequestError>;

/// A responder that a [`Call`] shares with the answer's way back. Any number of threads use it at once.
pub(crate) struct Slot<A: Reply> {
    state: Mutex<State<A>>,
    /// True if the call has a hook on cancellation. The end of the call waits while the hook runs on another thread, so
    /// it detaches from the interpreter.
    hooked: AtomicBool,
}

enum State<A: Reply> {
    Open(Arc<Responder<A>>),
    /// The call is answered, or dropped. The thread that uses the responder last runs the end.
    Over {
        cancelled: bool,
        end: Option<End<A>>,
    },
}

/// The function that uses the responder last, to answer. To drop the responder instead answers "internal error".
type End<A> = Box<dyn FnOnce(Responder<A>) + Send>;

impl<A: Reply> Slot<A> {
    pub(crate) fn new(responder: Responder<A>) -> Self {
        Slot { state: Mutex::new(State::Open(Arc::new(responder))), hooked: AtomicBool::new(false) }
    }

    fn state(&self) -> MutexGuard<'_, State<A>> {
        lock(&self.state)
    }

    /// Runs `end`, now or when no other thread uses the responder any more. Only the first call of this function
    /// counts.
    fn end(&self, end: impl FnOnce(Responder<A>) + Send + 'static) {
        let mut state = self.state();
        let State::Open(responder) = &*state else { return };
        let cancelled = responder.is_cancelled();
        // Users take their share under this lock.
        let end: Option<End<A>> = if Arc::strong_count(responder) == 1 {
            let State::Open(responder) = mem::replace(&mut *state, State::Over { cancelled, end: None })
            else {
                return;
            };
            drop(state);
            if let Some(responder) = Arc::into_inner(responder) {
                self.waiting(|| end(responder));
            }
            return;
        } else {
            Some(Box::new(end))
        };
        let before = mem::replace(&mut *state, State::Over { cancelled, end });
        drop(state);
        if let State::Open(responder) = before {
            self.give_back(responder);
        }
    }

    /// Calls `f` with the responder, without a lock, as `f` may wake the application. Returns `None` if the call is
    /// already answered.
    fn use_responder<R>(&self, f: impl FnOnce(&Responder<A>) -> R) -> Option<R> {
        let responder = match &*self.state() {
            State::Open(responder) => responder.clone(),
            State::Over { .. } => return None,
        };
        let result = f(&responder);
        self.give_back(responder);
        Some(result)
    }

    /// Gives the responder back. Runs the end if the call ended meanwhile and no other thread has the responder.
    fn give_back(&self, responder: Arc<Responder<A>>) {
        let Some(responder) = Arc::into_inner(responder) else { return };
        let end = match &mut *self.state() {
            State::Over { end, .. } => end.take(),
            State::Open(_) => None, // cannot be: it has a share
        };
        self.waiting(|| match end {
            Some(end) => end(responder),
            None => drop(responder),
        });
    }

    /// Runs `end`, which may block while the call's hook runs on another thread.
    fn waiting(&self, end: impl FnOnce() + Send) {
        if !self.hooked.load(Ordering::Acquire) {
            return end();
        }
        let mut end = Some(end);
        try_attach(|py| end.take().map(|end| detach(py, end)));
        if let Some(end) = end {
            end(); // there is no interpreter
        }
    }
}

impl<A: Reply> State<A> {
    fn is_cancelled(&self) -> bool {
        match self {
            State::Open(responder) => responder.is_cancelled(),
            State::Over { cancelled, .. } => *cancelled,
        }
    }
}

impl<A: Reply + Notifies> Watched for Slot<A> {
    fn is_cancelled(&self) -> bool {
        self.state().is_cancelled()
    }

    fn on_cancel(&self, hook: Box<dyn FnOnce() + Send>) -> bool {
        self.hooked.store(true, Ordering::Release);
        self.use_responder(|responder| responder.on_cancel(hook)).is_some()
    }

    fn notify(&self, method: &str, params: Option<&Json>) -> Option<wellhead::Result<bool>> {
        self.use_responder(|responder| A::notify(responder, method, params))
    }

    fn request(&self, method: &str, params: Option<&Json>) -> Option<wellhead::Result<(u64, u64)>> {
        self.use_responder(|responder| {
            let connection = responder.call().map_or(0, CallId::connection);
            A::request(responder, method, params).map(|number| (connection, number))
        })
    }

    fn give_up(&self, request: u64) {
        self.use_responder(|responder| A::give_up(responder, request));
    }

    fn require_input(&self, name: &str, method: &str, params: Option<&Json>) -> Option<Requested> {
        self.use_responder(|responder| A::require_input(responder, name, method, params))
    }

    fn client(&self) -> Option<String> {
        self.use_responder(Responder::client)?
    }

    fn client_capabilities(&self) -> Option<String> {
        self.use_responder(Responder::client_capabilities)?
    }

    fn session(&self) -> Option<wellhead::Session> {
        self.use_responder(Responder::session)?
    }

    fn check_arguments(&self, arguments: &Json) -> wellhead::Result<Json> {
        self.use_responder(|responder| A::check_arguments(responder, arguments))
            .unwrap_or_else(|| Err(wellhead::Error::new(ErrorKind::Closed, "the call is over")))
    }

    fn extension(&self, id: &str) -> Option<String> {
        self.use_responder(|responder| responder.extension(id))?
    }

    fn client_supports_apps(&self) -> bool {
        self.use_responder(Responder::client_supports_apps).unwrap_or(false)
    }

    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool {
        self.use_responder(|responder| responder.progress(progress, total, message)).unwrap_or(false)
    }

    fn close_event_stream(&self, retry_ms: u64) -> bool {
        self.use_responder(|responder| responder.close_event_stream(retry_ms)).unwrap_or(false)
    }
}

/// A type of answer before which the callback may send the client notifications and requests.
pub(crate) trait Notifies: Reply + Sized {
    fn notify(_: &Responder<Self>, _: &str, _: Option<&Json>) -> wellhead::Result<bool> {
        Err(no_method())
    }

    fn request(_: &Responder<Self>, _: &str, _: Option<&Json>) -> wellhead::Result<u64> {
        Err(no_method())
    }

    fn give_up(_: &Responder<Self>, _: u64) {}

    fn check_arguments(_: &Responder<Self>, _: &Json) -> wellhead::Result<Json> {
        let message = "only calls of tools and prompts have arguments to change";
        Err(wellhead::Error::new(ErrorKind::InvalidArgument, message))
    }

    fn require_input(_: &Responder<Self>, _: &str, _: &str, _: Option<&Json>) -> Requested {
        let message = "only a read, tool, prompt or method asks its client";
        Err(ClientRequestError::Failed(wellhead::Error::new(ErrorKind::InvalidArgument, message)))
    }
}

fn no_method() -> wellhead::Error {
    let message = "only a call of a further method sends notifications and requests";
    wellhead::Error::new(ErrorKind::InvalidArgument, message)
}

impl Notifies for wellhead::Answer {
    fn require_input(
        responder: &Responder<Self>,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Requested {
        responder.require_input(name, method, params)
    }
}

impl Notifies for wellhead::Page {}
impl Notifies for wellhead::Completion {}
impl Notifies for Vec<wellhead::Verdict> {}
impl Notifies for wellhead::http::Verification {}

impl Notifies for wellhead::MethodAnswer {
    fn notify(responder: &Responder<Self>, method: &str, params: Option<&Json>) -> wellhead::Result<bool> {
        responder.notify(method, params)
    }

    fn request(responder: &Responder<Self>, method: &str, params: Option<&Json>) -> wellhead::Result<u64> {
        responder.send_request_by_number(method, params)
    }

    fn give_up(responder: &Responder<Self>, request: u64) {
        responder.cancel_request(request);
    }

    fn check_arguments(responder: &Responder<Self>, arguments: &Json) -> wellhead::Result<Json> {
        responder.check_arguments(arguments)
    }

    fn require_input(
        responder: &Responder<Self>,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Requested {
        responder.require_input(name, method, params)
    }
}
