//! The server as JavaScript sees it.

use crate::bell::{Bell, Log, Observe, Soon};
use crate::calls::{Calls, Hooks, Origin};
use crate::connection::NativeConnection;
use crate::descriptor::{self, Descriptor};
use crate::error::{Result, invalid, thrown};
use crate::exists;
use crate::http::Listener;
use crate::live::LiveServer;
use crate::options::Options;
use crate::raw::{AtEnd, Js};
use crate::session::Session;
use crate::stdio::Quiet;
use napi::bindgen_prelude::{Env, External, Function, ObjectFinalize, Uint8Array, Unknown};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wellhead::serve::{Batch, Driver};
use wellhead::{Caller, ClientRequestError, Json, MethodError, Server, Severity, SharedBytes, Spelling};

/// The time that an answer waits for the rest of its batch, at most; the callback that runs then still ends first.
const SLOW: Duration = Duration::from_millis(1);

/// The bits of the number that [`Native::turn`] returns.
const MORE: u32 = 1;
const ENDED: u32 = 2;
const WOKEN: u32 = 4;
const HTTP: u32 = 8;
const UNLISTENED: u32 = 16;

pub(crate) struct Inner {
    pub(crate) server: Server,
    pub(crate) bell: Arc<Bell>,
    pub(crate) calls: Calls,
    pub(crate) stdio: RefCell<Option<Rc<Driver>>>,
    /// The pipe that stands for descriptor 0 while the server reads standard input.
    pub(crate) quiet: RefCell<Option<Quiet>>,
    pub(crate) listeners: RefCell<Vec<Listener>>,
    /// The numbers of the listeners that have ended since JavaScript last asked.
    pub(crate) ended: RefCell<Vec<u32>>,
    /// The number of the latest endpoint. Each new one gets the next number.
    pub(crate) endpoints: Cell<u32>,
}

/// A server, which belongs to one Node-API environment.
#[napi(custom_finalize)]
pub(crate) struct Native {
    pub(crate) inner: Rc<Inner>,
    at_end: AtEnd,
    /// True once the environment has ended, and `at_end` has run.
    down: Rc<Cell<bool>>,
    live: LiveServer,
}

/// A function of `lib`, which Rust calls with raw values.
pub(crate) type Hook<'a> = Function<'a, Unknown<'a>, Unknown<'a>>;

#[napi]
impl Native {
    /// Makes a server. `options` is JSON. `turn` takes a turn now, `soon` once the running JavaScript is done. The
    /// others are called on the JS thread: `log` with a severity and a line, `observe` and `publish` with JSON, `exists`
    /// with the number of a registration and a URI.
    #[napi(constructor)]
    #[allow(clippy::too_many_arguments, reason = "called from one place")]
    pub fn new(
        env: Env,
        name: String,
        version: String,
        options: String,
        cursor_key: Option<Uint8Array>,
        turn: Soon<'_>,
        soon: Soon<'_>,
        log: Option<Log<'_>>,
        observe: Option<Observe<'_>>,
        publish: Observe<'_>,
        exists: exists::ExistsFn<'_>,
    ) -> Result<Native> {
        let (logs, observes) = (log.is_some(), observe.is_some());
        let bell = Arc::new(Bell::new(env, &turn, &soon, log, observe, &publish, &exists).map_err(refused)?);
        let mut builder = Options::apply(&options, Server::builder(name, version)).map_err(thrown)?;
        builder = builder.spelling(Spelling::Camel);
        if let Some(key) = cursor_key {
            builder = builder.cursor_key(key.to_vec());
        }
        if logs {
            let bell = bell.clone();
            builder = builder.on_log(move |severity, line| bell.log(severity, line));
        }
        if observes {
            let (bell, begun) = (bell.clone(), Instant::now());
            builder = builder.observe(move |call| bell.observe(call)).clock(move || begun.elapsed());
        }
        let server = builder.build().map_err(thrown)?;
        let inner = Rc::new(Inner {
            server,
            calls: Calls::new(bell.clone()),
            bell,
            stdio: RefCell::default(),
            quiet: RefCell::default(),
            listeners: RefCell::default(),
            ended: RefCell::default(),
            endpoints: Cell::default(),
        });
        let down = Rc::new(Cell::new(false));
        let gone = down.clone();
        let ended = Rc::downgrade(&inner);
        let at_end = AtEnd::new(&env, move || {
            gone.set(true);
            if let Some(inner) = ended.upgrade() {
                inner.go_down();
                inner.bell.lose();
            }
        });
        let at_end = at_end.ok_or_else(|| invalid("the environment is ending"))?;
        Ok(Native { inner, at_end, down, live: LiveServer::new() })
    }

    /// Returns the number that [`crate::live::is_live`] takes.
    #[napi]
    pub fn number(&self) -> u32 {
        self.live.number()
    }

    /// Seals a text for a call of a reader: [`Native::open_state`] opens it before the time `until`. Returns
    /// `undefined` if there is no such call.
    #[napi]
    pub fn seal_state(&self, call: u32, state: String, until: f64) -> Option<String> {
        self.inner.calls.of_read(call, |call| Some(call.seal_state(&state, until as u64)))
    }

    #[napi]
    pub fn open_state(&self, call: u32, now: f64) -> Option<String> {
        self.inner.calls.of_read(call, |call| call.open_state(now as u64))
    }

    /// Returns the client's capabilities as JSON, until the call is answered.
    #[napi]
    pub fn client_capabilities(&self, call: u32) -> Option<String> {
        self.inner.calls.of_read(call, wellhead::Call::client_capabilities)
    }

    /// Returns the name and version of the client that sent the request, as JSON, until the call is answered.
    #[napi]
    pub fn client(&self, call: u32) -> Option<String> {
        self.inner.calls.client(call)
    }

    /// Returns the session of the client of a call; `undefined` if it has none.
    #[napi]
    pub fn session(&self, call: u32) -> Option<Session> {
        self.inner.calls.session(call).map(Session)
    }

    /// Returns the client's settings of an extension, as JSON; `undefined` if it does not declare the extension.
    #[napi]
    pub fn extension(&self, call: u32, id: String) -> Option<String> {
        self.inner.calls.extension(call, &id)
    }

    /// Returns whether the client shows MCP Apps.
    #[napi]
    pub fn client_supports_apps(&self, call: u32) -> bool {
        self.inner.calls.client_supports_apps(call)
    }

    /// Returns true if the client does not want the answer any more, or if there is no such call.
    #[napi]
    pub fn is_cancelled(&self, call: u32) -> bool {
        self.inner.calls.is_cancelled(call)
    }

    /// Returns a header field of the HTTP request that the call came with; absent over stdio.
    #[napi]
    pub fn header(&self, call: u32, name: String) -> Option<String> {
        self.inner.calls.header(call, &name)
    }

    /// Returns the query of the HTTP request that the call came with; absent over stdio.
    #[napi]
    pub fn query(&self, call: u32) -> Option<String> {
        self.inner.calls.query(call)
    }

    /// Writes a warning to the log, about something that a client does not notice.
    #[napi]
    pub fn warn(&self, line: String) {
        self.inner.server.log_line(Severity::Warning, &line);
    }

    /// Lets `publish` be called from now on.
    #[napi]
    pub fn on_publish(&self) -> Result<()> {
        let bell = self.inner.bell.clone();
        self.inner.server.on_publish(move |event| bell.publish(event)).map_err(thrown)
    }

    /// Takes a change of another instance; `event` is JSON. Returns false for a change of this instance, and for an
    /// unknown kind.
    #[napi]
    pub fn inject(&self, event: String) -> Result<bool> {
        self.inner.server.inject(&event).map_err(thrown)
    }

    #[napi]
    pub fn counters(&self) -> Counted {
        let counters = self.inner.server.counters();
        Counted {
            connections: counters.connections as f64,
            connections_open: counters.connections_open as f64,
            calls: counters.calls as f64,
            calls_answered: counters.calls_answered as f64,
            calls_failed: counters.calls_failed as f64,
            changes: counters.changes as f64,
            uris_subscribed: counters.uris_subscribed as f64,
            subscriptions_open: counters.subscriptions_open as f64,
        }
    }

    /// Sends a notification about a call of a method; `params` is JSON. Returns whether it was sent.
    #[napi]
    pub fn notify(&self, call: u32, method: String, params: Option<String>) -> Result<bool> {
        let inner = &self.inner;
        let params = params.map(Json::parse).transpose().map_err(thrown)?;
        inner.calls.notify(call, &method, params.as_ref()).map_err(thrown)
    }

    /// Checks arguments, which are JSON, that are to replace those of a tool or a prompt. Returns those that its callback gets.
    #[napi]
    pub fn check_arguments(&self, call: u32, arguments: String) -> Result<String> {
        let arguments = Json::parse(arguments).map_err(thrown)?;
        let checked = self.inner.calls.check_arguments(call, &arguments).map_err(thrown)?;
        Ok(checked.as_str().to_owned())
    }

    /// Sends the progress of a call. Returns whether it can be sent.
    #[napi]
    pub fn progress(&self, call: u32, progress: f64, total: Option<f64>, message: Option<String>) -> bool {
        self.inner.calls.progress(call, progress, total, message.as_deref())
    }

    /// Closes the event stream that will carry the answer of a call. Returns false if there is none.
    #[napi]
    pub fn close_event_stream(&self, call: u32, retry_ms: f64) -> bool {
        self.inner.calls.close_event_stream(call, retry_ms as u64)
    }

    /// Sends the client a request, for a call of a method; `params` is JSON. Returns the number with which its answer
    /// comes.
    #[napi]
    pub fn request(&self, call: u32, method: String, params: Option<String>) -> Result<f64> {
        let params = params.map(Json::parse).transpose().map_err(thrown)?;
        Ok(self.inner.calls.request(call, &method, params.as_ref()).map_err(thrown)? as f64)
    }

    /// Makes a named request, for a call; `params` is JSON. Returns a word and a JSON text: `result` or `error` with
    /// that of the client, `lacks` with capabilities, `waiting`, or `state` if the client's state is not valid.
    #[napi]
    pub fn require_input(
        &self,
        call: u32,
        name: String,
        method: String,
        params: Option<String>,
    ) -> Result<Vec<String>> {
        let params = params.map(Json::parse).transpose().map_err(thrown)?;
        let (kind, text) = match self.inner.calls.require_input(call, &name, &method, params.as_ref()) {
            Ok(result) => ("result", result.as_str().to_owned()),
            Err(ClientRequestError::MissingCapability(lacked)) => ("lacks", lacked.as_str().to_owned()),
            Err(ClientRequestError::Refused(error)) => ("error", error.as_json()),
            Err(ClientRequestError::InvalidState) => ("state", String::new()),
            Err(ClientRequestError::InvalidAnswer(why)) => ("invalid", why),
            Err(ClientRequestError::Failed(why)) => return Err(thrown(why)),
            Err(_) => ("waiting", String::new()),
        };
        Ok(vec![kind.to_owned(), text])
    }

    /// Cancels a request that a call sent to the client.
    #[napi]
    pub fn cancel_request(&self, call: u32, request: f64) {
        self.inner.calls.cancel_request(call, request as u64);
    }

    /// Lets `runEvent` be called before a client lists, reads or subscribes.
    #[napi]
    pub fn authorize(&self) -> Result<()> {
        // The authorizer's calls arrive as events, which JavaScript answers. So this closure never runs.
        self.inner.server.authorize(|_: wellhead::AuthorizeCall| Vec::new()).map_err(thrown)
    }

    /// Lets `runEvent` be called when a URI gets its first subscriber, and when it loses its last one.
    #[napi]
    pub fn on_interest(&self) -> Result<()> {
        self.inner.server.on_interest(|_: wellhead::InterestCall| {}).map_err(thrown)
    }

    /// Calls the authorizer again for the subscriptions of the caller with this id.
    #[napi]
    pub fn access_changed(&self, caller: Uint8Array) -> Result<()> {
        self.inner.server.access_changed(&caller).map_err(thrown)
    }

    /// Returns which registration serves a URI, and why others do not, as JSON.
    #[napi]
    pub fn explain(&self, uri: String) -> String {
        self.inner.server.explain(&uri).to_json()
    }

    #[napi]
    pub fn notify_updated(&self, uri: String) -> Result<()> {
        self.inner.server.notify_updated(&uri).map_err(thrown)
    }

    /// Notifies subscribers that a resource changed, with its new version. `descriptor` is JSON.
    #[napi]
    pub fn notify_updated_with_resource(&self, uri: String, descriptor: String) -> Result<()> {
        let resource = Descriptor::parse(Some(&descriptor)).and_then(|d| d.resource(uri)).map_err(thrown)?;
        self.inner.server.notify_updated_with_resource(resource).map_err(thrown)
    }

    #[napi]
    pub fn notify_sub_resource_updated(&self, uri: String, parent: String) -> Result<()> {
        self.inner.server.notify_sub_resource_updated(&uri, &parent).map_err(thrown)
    }

    #[napi]
    pub fn notify_list_changed(&self, kind: String) -> Result<()> {
        self.inner.server.notify_list_changed(&kind).map_err(thrown)
    }

    #[napi]
    pub fn notify_resource_list_changed(&self) -> Result<()> {
        self.inner.server.notify_resource_list_changed().map_err(thrown)
    }

    #[napi]
    pub fn close(&self) {
        self.inner.server.close();
    }

    #[napi]
    pub fn is_closed(&self) -> bool {
        self.inner.server.is_closed()
    }

    /// Forgets the held calls whose answer is not wanted any more, and returns their numbers.
    #[napi]
    pub fn abandoned(&self) -> Vec<u32> {
        self.inner.calls.abandon()
    }

    /// Makes a connection, with the number by which [`Native::woken`] names it. `caller`: the id of its caller, as
    /// bytes.
    #[napi]
    pub fn connect(&self, caller: Uint8Array) -> NativeConnection {
        NativeConnection::new(self.inner.clone(), Caller::new(caller.to_vec()))
    }

    /// Answers a held call.
    ///
    /// Returns true if the answer is output that the next turn writes: the driver was not woken, so that several
    /// answers make one write.
    #[napi]
    pub fn finish(&self, env: Env, call: u32, answer: Unknown<'_>) -> bool {
        let inner = &self.inner;
        let Some(taken) = inner.calls.take(call) else { return false };
        let js = Js::new(&env);
        let answer = js.value(&answer);
        let driver = (taken.origin == Origin::Stdio).then(|| inner.driver()).flatten();
        if let Some(driver) = driver {
            driver.run(|| inner.calls.finish(js, taken, answer));
            return true;
        }
        inner.calls.finish(js, taken, answer);
        false
    }

    /// One turn: lines of the log, and a batch of the driver's events. Returns what there is to do next, as bits:
    /// 1 another turn, 2 `stop`, 4 `woken`, 8 `poll` of the endpoints and `ready_exchanges`, 16 `ended_listeners`.
    #[napi]
    pub fn turn(&self, env: Env, run_event: Hook<'_>) -> u32 {
        let inner = &self.inner;
        let js = Js::new(&env);
        inner.bell.answer(js);
        let hooks = Hooks { js, run_event: js.value(&run_event) };
        let mut next = 0;
        inner.rest(js);
        if let Some(driver) = inner.driver() {
            next |= match driver.try_next() {
                Batch::Events(events) => {
                    driver.run(|| {
                        let mut flushed = Instant::now();
                        for event in events {
                            inner.calls.run(&hooks, event, Origin::Stdio);
                            if flushed.elapsed() > SLOW {
                                driver.flush();
                                flushed = Instant::now();
                            }
                        }
                    });
                    MORE
                }
                Batch::Interrupted => MORE,
                Batch::Idle => 0,
                Batch::Ended => ENDED,
            };
        }
        if !inner.ended.borrow().is_empty() {
            next |= UNLISTENED;
        }
        if inner.bell.has_http() {
            next |= HTTP;
        }
        next | if inner.bell.has_woken() { WOKEN } else { 0 }
    }

    /// Schedules a turn after timers and I/O have run.
    #[napi]
    pub fn turn_later(&self) {
        self.inner.bell.ring_later();
    }

    /// Returns the numbers of the connections that have something new to poll.
    #[napi]
    pub fn woken(&self) -> Vec<f64> {
        self.inner.bell.take_woken().map(|number| number as f64).collect()
    }
}

/// Returns the URI that a template makes of values, which are JSON.
#[napi]
pub fn expand(template: String, values: String) -> Result<String> {
    descriptor::expand(template, &values).map_err(thrown)
}

/// Fails if a text is no MIME type.
#[napi]
pub fn check_mime_type(mime_type: String) -> Result<()> {
    wellhead::check_mime_type(&mime_type).map_err(thrown)
}

/// Bytes for many answers, in memory that JavaScript cannot reach.
#[napi]
pub fn share_bytes(bytes: &[u8]) -> External<SharedBytes> {
    External::new_with_size_hint(Arc::new(bytes.to_vec()), bytes.len())
}

/// The counters of a server.
#[napi(object)]
pub struct Counted {
    pub connections: f64,
    pub connections_open: f64,
    pub calls: f64,
    pub calls_answered: f64,
    pub calls_failed: f64,
    pub changes: f64,
    pub uris_subscribed: f64,
    pub subscriptions_open: f64,
}

/// An error of JSON-RPC: its code and its message.
#[napi(object)]
pub struct Fault {
    pub rpc_code: i32,
    pub message: String,
}

/// Returns JSON-RPC's error for wrong parameters.
#[napi]
pub fn invalid_params(what: String) -> Fault {
    let error = MethodError::invalid_params(&what);
    Fault { rpc_code: error.rpc_code(), message: error.message().to_owned() }
}

/// Turns an error by which Node-API refused a value into an "invalid" error of this package.
pub(crate) fn refused(e: napi::Error) -> napi::Error<crate::error::Code> {
    invalid(e.reason.clone())
}

impl Inner {
    /// Lets the process end if no work of this package is left.
    pub(crate) fn rest(&self, js: Js<'_>) {
        if self.driver().is_none() && self.listeners.borrow().is_empty() && !self.calls.waits() {
            js.keep_alive(self.bell.turn_function(), false);
        }
    }

    fn go_down(&self) {
        self.bell.die();
        self.stop();
        self.stop_listeners();
        self.calls.stop();
        self.server.close();
    }
}

impl ObjectFinalize for Native {
    fn finalize(self, env: Env) -> napi::Result<()> {
        if !self.down.get() {
            self.at_end.remove(&env);
            self.inner.go_down();
        }
        Ok(())
    }
}
