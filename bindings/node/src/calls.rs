//! The calls that JavaScript answers later, by number.

use crate::answer::{Outcome, Understood};
use crate::bell::Bell;
use crate::question::{BEGUN, CANCEL, Question, RESPONSE, Verify};
use crate::raw::{Js, Kept, Value};
use crate::worker::Worker;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::identity;
use std::sync::Arc;
use wellhead::http::Verification;
use wellhead::{
    Call, CallId, ClientAnswer, ClientRequestError, Completion, Error, ErrorKind, Event, InterestAnswer,
    Json, MethodAnswer, Page, Responder, ResponseCall, Result, Verdict, VerifyCall,
};

/// The function `runEvent` of JavaScript, and the JS thread to call it on.
#[derive(Clone, Copy)]
pub(crate) struct Hooks<'s> {
    pub(crate) js: Js<'s>,
    pub(crate) run_event: Value<'s>,
}

/// The driver whose connection a call belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The driver for standard input and output, which writes the answers of a turn at its end.
    Stdio,
    /// The endpoint with this number.
    Endpoint(u32),
    Elsewhere,
}

/// The responder of a question while JavaScript works on the answer.
pub(crate) enum Held {
    Read(Box<Call>),
    List(Responder<Page>),
    Authorize(Responder<Vec<Verdict>>),
    Interest(Responder<InterestAnswer>),
    Method(Responder<MethodAnswer>),
    Complete(Responder<Completion>),
    /// A question about a token, with its call, whose header fields the verifier may read.
    Verify(Responder<Verification>, Box<VerifyCall>),
}

macro_rules! each {
    ($held:expr, $responder:ident => $do:expr) => {
        match $held {
            Held::Read($responder) => $do,
            Held::List($responder) => $do,
            Held::Authorize($responder) => $do,
            Held::Interest($responder) => $do,
            Held::Method($responder) => $do,
            Held::Complete($responder) => $do,
            Held::Verify($responder, _) => $do,
        }
    };
}

/// A held call: one that JavaScript answers later.
pub(crate) struct Entry {
    held: Held,
    pub(crate) origin: Origin,
    id: Option<CallId>,
}

pub(crate) struct Calls {
    bell: Arc<Bell>,
    files: RefCell<Option<Worker>>,
    searches: RefCell<Option<Worker>>,
    last: Cell<u32>,
    /// The calls whose callbacks are running, the innermost last.
    running: RefCell<Vec<(u32, Held)>>,
    /// True once the log has a line that JavaScript was ended.
    ended: Cell<bool>,
    held: RefCell<HashMap<u32, Entry>>,
    numbers: RefCell<HashMap<CallId, u32>>,
}

impl Calls {
    pub(crate) fn new(bell: Arc<Bell>) -> Calls {
        Calls {
            bell,
            files: RefCell::default(),
            searches: RefCell::default(),
            last: Cell::new(0),
            running: RefCell::default(),
            ended: Cell::new(false),
            held: RefCell::default(),
            numbers: RefCell::default(),
        }
    }

    /// Runs the callback of an event.
    pub(crate) fn run(&self, hooks: &Hooks<'_>, event: Event, origin: Origin) {
        match event {
            Event::Read(call) if call.has_provider() => self.elsewhere(hooks, call, Event::Read),
            Event::List(call) if call.has_provider() => self.elsewhere(hooks, call, Event::List),
            Event::Complete(call) if call.has_provider() => self.elsewhere(hooks, call, Event::Complete),
            Event::Method(call) if call.has_provider() => self.elsewhere(hooks, call, Event::Method),
            event if !event.begin() => drop(event), // the answer is not wanted any more
            Event::Read(call) => self.call_javascript(hooks, call, origin),
            Event::List(call) => self.call_javascript(hooks, call, origin),
            Event::Authorize(call) => self.call_javascript(hooks, call, origin),
            Event::Interest(call) => self.call_javascript(hooks, call, origin),
            Event::Method(call) => self.call_javascript(hooks, call, origin),
            Event::Complete(call) => self.call_javascript(hooks, call, origin),
            Event::Verify(call) => {
                let endpoint = match origin {
                    Origin::Endpoint(number) => number,
                    Origin::Stdio | Origin::Elsewhere => 0, // they have no tokens
                };
                self.call_javascript(hooks, Verify { call, endpoint }, origin);
            }
            Event::Response(response) => {
                hooks.js.scope(|js| js.call(hooks.run_event, &response_arguments(js, &response)?).map(drop));
            }
            Event::Cancel(call) => {
                let number = self.numbers.borrow().get(&call).copied();
                if let Some(number) = number {
                    hooks.js.scope(|js| {
                        let arguments = [js.number(f64::from(CANCEL))?, js.number(f64::from(number))?];
                        js.call(hooks.run_event, &arguments).map(drop)
                    });
                }
            }
            event => drop(event), // nothing else can be registered from JavaScript yet
        }
    }

    /// Tells the observer that a callback of the core itself begins, such as that of a folder.
    fn notify_begin(&self, hooks: &Hooks<'_>, call: Option<CallId>, context: Option<&Kept>) {
        let Some(begun) = call.and_then(|call| self.bell.take_begun(call)) else { return };
        hooks.js.scope(|js| {
            let zero = js.number(0.0)?;
            let context = context.map_or_else(|| js.undefined(), |context| js.kept(context))?;
            let kind = js.number(f64::from(BEGUN))?;
            js.call(hooks.run_event, &[kind, zero, zero, zero, context, js.text(&begun)?]).map(drop)
        });
    }

    /// Runs a callback of the core itself on another thread.
    fn elsewhere<Q: Question>(&self, hooks: &Hooks<'_>, call: Q, event: impl FnOnce(Q) -> Event) {
        self.notify_begin(hooks, call.call(), call.context());
        let event = event(call);
        // The only methods of the core's own are searches of folders.
        let (place, name) = match event {
            Event::Method(_) => (&self.searches, "wellhead search"),
            _ => (&self.files, "wellhead files"),
        };
        let mut worker = place.borrow_mut();
        if worker.is_none() {
            *worker = Worker::start(name, self.bell.clone()).ok();
        }
        match &*worker {
            Some(worker) => {
                worker.run(event);
                hooks.js.keep_alive(self.bell.turn_function(), true);
            }
            None => event.run(),
        }
    }

    /// Returns whether a thread of the core reads files or searches for a call. Node then keeps the process alive.
    pub(crate) fn waits(&self) -> bool {
        [&self.files, &self.searches]
            .iter()
            .any(|worker| worker.borrow().as_ref().is_some_and(Worker::is_busy))
    }

    /// Ends the threads of the core that read files and search.
    pub(crate) fn stop(&self) {
        let workers = (self.files.borrow_mut().take(), self.searches.borrow_mut().take());
        drop(workers);
    }

    fn call_javascript<Q: Question>(&self, hooks: &Hooks<'_>, question: Q, origin: Origin) {
        let number = self.next();
        let id = question.call();
        let begun = id.and_then(|id| self.bell.take_begun(id));
        let later = hooks.js.scope(|js| {
            let arguments = arguments(js, &question, number, begun.as_deref());
            self.running.borrow_mut().push((number, question.hold()));
            let value = arguments.and_then(|arguments| js.call(hooks.run_event, &arguments));
            let (_, held) = self.running.borrow_mut().pop()?;
            self.answer(js, held, value)
        });
        if let Some(held) = later {
            if let Some(id) = id {
                self.numbers.borrow_mut().insert(id, number);
            }
            self.held.borrow_mut().insert(number, Entry { held, origin, id });
        }
    }

    /// Answers a question. Returns it if its answer comes later. `value`: `None` if JavaScript could not be called.
    fn answer(&self, js: Js<'_>, held: Held, value: Option<Value<'_>>) -> Option<Held> {
        match held {
            Held::Read(call) => self.respond(js, call, value, |call| call.into_responder()).map(Held::Read),
            Held::List(held) => self.respond(js, held, value, identity).map(Held::List),
            Held::Authorize(held) => self.respond(js, held, value, identity).map(Held::Authorize),
            Held::Interest(held) => self.respond(js, held, value, identity).map(Held::Interest),
            Held::Method(held) => self.respond(js, held, value, identity).map(Held::Method),
            Held::Complete(held) => self.respond(js, held, value, identity).map(Held::Complete),
            Held::Verify(held, call) => {
                self.respond(js, held, value, identity).map(|held| Held::Verify(held, call))
            }
        }
    }

    /// Finishes the responder of `held`. Returns `held` if its answer comes later.
    fn respond<H, A: Understood>(
        &self,
        js: Js<'_>,
        held: H,
        value: Option<Value<'_>>,
        responder: impl FnOnce(H) -> Responder<A>,
    ) -> Option<H> {
        let outcome = match value {
            Some(value) => A::understand(js, value, &self.bell),
            None if js.is_running() || !self.ended.replace(true) => {
                Outcome::Failed("JavaScript could not be called".to_owned())
            }
            None => Outcome::Later, // the server is closed next: one line in the log is enough
        };
        match outcome {
            Outcome::Answer(answer) => drop(responder(held).finish(answer)),
            Outcome::Failed(why) => A::fail(responder(held), why),
            Outcome::Later => return Some(held),
        }
        None
    }

    /// Calls `f` with a call whose callback is running, or that is held. Returns `None` if there is no such call.
    fn use_call<R>(&self, number: u32, f: impl FnOnce(&Held) -> R) -> Option<R> {
        let running = self.running.borrow();
        if let Some((_, held)) = running.iter().rev().find(|(running, _)| *running == number) {
            return Some(f(held));
        }
        self.held.borrow().get(&number).map(|entry| f(&entry.held))
    }

    /// Sends a notification about a call of a method. Returns true if it was sent.
    pub(crate) fn notify(&self, number: u32, method: &str, params: Option<&Json>) -> Result<bool> {
        let notify = |held: &Held| match held {
            Held::Method(responder) => responder.notify(method, params),
            _ => Ok(false),
        };
        self.use_call(number, notify).unwrap_or(Ok(false))
    }

    /// Sends the client a request, for a call of a method. Returns the number of the request.
    pub(crate) fn request(&self, number: u32, method: &str, params: Option<&Json>) -> Result<u64> {
        let request = |held: &Held| match held {
            Held::Method(responder) => Some(responder.send_request_by_number(method, params)),
            _ => None,
        };
        self.use_call(number, request).flatten().unwrap_or_else(|| {
            Err(Error::new(ErrorKind::Closed, "the call is over; its client takes no more requests"))
        })
    }

    /// Checks arguments that are to replace those of a tool or a prompt. Returns those that its callback gets.
    pub(crate) fn check_arguments(&self, number: u32, arguments: &Json) -> Result<Json> {
        let check = |held: &Held| {
            let Held::Method(responder) = held else {
                let why = "only calls of tools and prompts have arguments to change";
                return Err(Error::new(ErrorKind::InvalidArgument, why));
            };
            responder.check_arguments(arguments)
        };
        let over = || Err(Error::new(ErrorKind::Closed, "the call is over"));
        self.use_call(number, check).unwrap_or_else(over)
    }

    /// Makes a named request, for a read or for a call of a method.
    pub(crate) fn require_input(
        &self,
        number: u32,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> std::result::Result<Json, ClientRequestError> {
        let request = |held: &Held| match held {
            Held::Method(responder) => Some(responder.require_input(name, method, params)),
            Held::Read(call) => Some(call.require_input(name, method, params)),
            _ => None,
        };
        self.use_call(number, request).flatten().unwrap_or_else(|| {
            let why = "the call is over; its client takes no more requests";
            Err(ClientRequestError::Failed(Error::new(ErrorKind::Closed, why)))
        })
    }

    /// Cancels a request to the client, whose answer is not wanted any more.
    pub(crate) fn cancel_request(&self, number: u32, request: u64) {
        self.use_call(number, |held| match held {
            Held::Method(responder) => responder.cancel_request(request),
            _ => false,
        });
    }

    /// Calls `f` with a call of a reader. Returns `None` if there is no such call.
    pub(crate) fn of_read<R>(&self, number: u32, f: impl FnOnce(&Call) -> Option<R>) -> Option<R> {
        let of_held = |held: &Held| match held {
            Held::Read(call) => f(call),
            _ => None,
        };
        self.use_call(number, of_held).flatten()
    }

    /// Returns the name and version of the client that sent the request, as JSON, until the call is answered.
    pub(crate) fn client(&self, number: u32) -> Option<String> {
        self.use_call(number, |held| each!(held, responder => responder.client())).flatten()
    }

    /// Returns the session of the client that sent the request; `None` if it has none, or if there is no such call.
    pub(crate) fn session(&self, number: u32) -> Option<wellhead::Session> {
        self.use_call(number, |held| each!(held, responder => responder.session())).flatten()
    }

    /// Returns the client's settings of an extension, as JSON; `None` if it does not declare the extension.
    pub(crate) fn extension(&self, number: u32, id: &str) -> Option<String> {
        self.use_call(number, |held| each!(held, responder => responder.extension(id))).flatten()
    }

    /// Returns whether the client shows MCP Apps.
    pub(crate) fn client_supports_apps(&self, number: u32) -> bool {
        self.use_call(number, |held| each!(held, responder => responder.client_supports_apps()))
            .unwrap_or(false)
    }

    /// Returns true if the client does not want the answer any more, or if there is no such call.
    pub(crate) fn is_cancelled(&self, number: u32) -> bool {
        self.use_call(number, |held| each!(held, responder => responder.is_cancelled())).unwrap_or(true)
    }

    /// Returns a header field of the HTTP request that the call came with; absent over stdio.
    pub(crate) fn header(&self, number: u32, name: &str) -> Option<String> {
        let header = |held: &Held| match held {
            Held::Verify(_, call) => call.header(name).map(str::to_owned),
            held => each!(held, responder => responder.header(name).map(str::to_owned)),
        };
        self.use_call(number, header).flatten()
    }

    /// Returns the query of the HTTP request that the call came with; absent over stdio.
    pub(crate) fn query(&self, number: u32) -> Option<String> {
        let query = |held: &Held| match held {
            Held::Verify(_, call) => call.query().map(str::to_owned),
            held => each!(held, responder => responder.query().map(str::to_owned)),
        };
        self.use_call(number, query).flatten()
    }

    /// Sends the progress of a call. Returns whether it can be sent.
    pub(crate) fn progress(
        &self,
        number: u32,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> bool {
        let report = |held: &Held| each!(held, responder => responder.progress(progress, total, message));
        self.use_call(number, report).unwrap_or(false)
    }

    /// Closes the event stream of a call. Returns false if there is none.
    pub(crate) fn close_event_stream(&self, number: u32, retry_ms: u64) -> bool {
        let close = |held: &Held| each!(held, responder => responder.close_event_stream(retry_ms));
        self.use_call(number, close).unwrap_or(false)
    }

    fn next(&self) -> u32 {
        self.last.set(self.last.get().wrapping_add(1));
        self.last.get()
    }

    /// Removes and returns a held call, to be answered. `None` if there is no such call.
    pub(crate) fn take(&self, number: u32) -> Option<Entry> {
        let entry = self.held.borrow_mut().remove(&number)?;
        if let Some(id) = entry.id {
            self.numbers.borrow_mut().remove(&id);
        }
        Some(entry)
    }

    /// Forgets calls whose connection is gone, and returns their numbers.
    pub(crate) fn abandon(&self) -> Vec<u32> {
        let mut abandoned: Vec<(u32, Entry)> = self
            .held
            .borrow_mut()
            .extract_if(|_, call| each!(&call.held, responder => responder.is_cancelled()))
            .collect();
        abandoned.sort_unstable_by_key(|(number, _)| *number);
        for (_, call) in &abandoned {
            if let Some(id) = call.id {
                self.numbers.borrow_mut().remove(&id);
            }
        }
        abandoned.into_iter().map(|(number, _)| number).collect()
    }

    /// Answers a call that [`Calls::take`] returned. If `value` is no answer, the call fails, with a line in the log.
    pub(crate) fn finish(&self, js: Js<'_>, call: Entry, value: Value<'_>) {
        drop(self.answer(js, call.held, Some(value)));
    }
}

/// Makes the arguments of `runEvent` for a client's response: `RESPONSE, request, 0, connection, , , , , , result,
/// error`.
fn response_arguments<'s>(js: Js<'s>, response: &ResponseCall) -> Option<[Value<'s>; 11]> {
    let (result, error) = match response.answer() {
        ClientAnswer::Result(result) => (Some(&**result), None),
        ClientAnswer::Error(error) => (None, Some(&**error)),
        _ => (None, None),
    };
    Some([
        js.number(f64::from(RESPONSE))?,
        js.number(response.number() as f64)?,
        js.number(0.0)?,
        js.number(response.connection() as f64)?,
        js.undefined()?,
        js.undefined()?,
        js.undefined()?,
        js.undefined()?,
        js.undefined()?,
        js.text_or_undefined(result)?,
        js.text_or_undefined(error)?,
    ])
}

/// Makes the arguments of `runEvent`: those of all questions, and then those of this one. `begun`: the begin of the
/// call for the observer, as JSON.
fn arguments<'s, Q: Question>(
    js: Js<'s>,
    question: &Q,
    number: u32,
    begun: Option<&str>,
) -> Option<Vec<Value<'s>>> {
    let mut arguments = Vec::with_capacity(16);
    let connection = question.call().map_or(0, CallId::connection);
    let caller = question.caller().and_then(wellhead::Caller::value::<Kept>);
    let kept = |kept: Option<&Kept>| kept.map_or_else(|| js.undefined(), |kept| js.kept(kept));
    arguments.extend([
        js.number(f64::from(Q::KIND))?,
        js.number(f64::from(number))?,
        js.number(question.handler() as f64)?,
        js.number(connection as f64)?,
        kept(question.context())?,
        js.text_or_undefined(begun)?,
        kept(caller)?,
        js.text_or_undefined(question.revision())?,
        js.text_or_undefined(question.meta())?,
    ]);
    question.arguments(js, &mut arguments)?;
    Some(arguments)
}
