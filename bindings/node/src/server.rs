//! The server, and the driver for standard input and output.

use crate::answer;
use crate::bell::{Bell, Log, Observe, Soon};
use crate::calls::{Calls, Hooks, Origin};
use crate::connection::NativeConnection;
use crate::descriptor::{self, Descriptor};
use crate::error::{Result, invalid, thrown};
use crate::http::Listener;
use crate::knows::{self, Knows};
use crate::options::Options;
use crate::raw::Js;
use napi::CleanupEnvHook;
use napi::bindgen_prelude::{Env, Function, ObjectFinalize, Uint8Array, Unknown};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wellhead::serve::{Batch, Driver, Interrupter, Stdio};
use wellhead::{Body, Caller, HandlerId, Json, Level, Method, MethodError, Provider, Server, Template};

/// What has been answered waits no longer than this, and one callback, for the rest of its batch.
const SLOW: Duration = Duration::from_millis(1);

/// Bits of what [`Native::turn`] returns.
const MORE: u32 = 1;
const ENDED: u32 = 2;
const WOKEN: u32 = 4;
const HTTP: u32 = 8;
const UNLISTENED: u32 = 16;

pub(crate) struct Inner {
    pub(crate) server: Server,
    pub(crate) bell: Arc<Bell>,
    pub(crate) calls: Calls,
    stdio: RefCell<Option<Rc<Driver>>>,
    pub(crate) listeners: RefCell<Vec<Listener>>,
    /// The numbers of listeners that are over.
    pub(crate) ended: RefCell<Vec<u32>>,
    /// The last number of an endpoint, and of an exchange.
    pub(crate) endpoints: Cell<u32>,
    pub(crate) exchanges: Cell<u32>,
}

/// A server of one environment.
#[napi(custom_finalize)]
pub(crate) struct Native {
    pub(crate) inner: Rc<Inner>,
    hook: CleanupEnvHook<Weak<Inner>>,
    /// The hook has run, and is gone.
    down: Rc<Cell<bool>>,
}

/// A JavaScript function of ours, called with raw values.
pub(crate) type Hook<'a> = Function<'a, Unknown<'a>, Unknown<'a>>;

#[napi]
impl Native {
    /// `options` is JSON. `turn` takes a turn now, `soon` once the running JavaScript is done; `log` is called with a
    /// level and a line, `observe` and `publish` with JSON, `knows` with the number of a registration and a URI, on the JS
    /// thread.
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
        knows: knows::Ask<'_>,
    ) -> Result<Native> {
        let options = Options::parse(&options).map_err(thrown)?;
        let (logs, observes) = (log.is_some(), observe.is_some());
        let bell = Arc::new(Bell::new(env, &turn, &soon, log, observe, &publish, &knows).map_err(refused)?);
        let mut builder = options.apply(Server::builder(name, version)).map_err(thrown)?;
        if let Some(key) = cursor_key {
            builder = builder.cursor_key(key.to_vec());
        }
        if logs {
            let bell = bell.clone();
            builder = builder.on_log(move |level, line| bell.log(level, line));
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
            listeners: RefCell::default(),
            ended: RefCell::default(),
            endpoints: Cell::default(),
            exchanges: Cell::default(),
        });
        let down = Rc::new(Cell::new(false));
        let gone = down.clone();
        let hook = env
            .add_env_cleanup_hook(Rc::downgrade(&inner), move |inner| {
                gone.set(true);
                if let Some(inner) = inner.upgrade() {
                    inner.go_down();
                }
            })
            .map_err(refused)?;
        Ok(Native { inner, hook, down })
    }

    /// A fixed text, or bytes. `descriptor` is JSON.
    #[napi]
    pub fn add_value(
        &self,
        env: Env,
        uri: String,
        body: Unknown<'_>,
        descriptor: Option<String>,
    ) -> Result<()> {
        let body = self.body(env, &body)?;
        let resource =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.resource(uri)).map_err(thrown)?;
        self.inner.server.value(resource, body).map(drop).map_err(thrown)
    }

    /// `said`: what is said of the body, as JSON.
    #[napi]
    pub fn set_value(&self, env: Env, uri: String, body: Unknown<'_>, said: Option<String>) -> Result<()> {
        let body = self.body(env, &body)?;
        let contents = match said {
            Some(said) => descriptor::contents(body, &said).map_err(thrown)?,
            None => body.into(),
        };
        self.inner.server.set(&uri, contents).map_err(thrown)
    }

    /// A fixed URI that a callback reads. `knows`: whether JavaScript knows if it exists. Returns the number that `ask` is
    /// called with.
    #[napi]
    pub fn add_resource(&self, uri: String, descriptor: Option<String>, knows: bool) -> Result<f64> {
        let resource =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.resource(uri)).map_err(thrown)?;
        self.knowing(knows, |server, provider| server.add_resource(resource, provider))
    }

    /// A template that lists what it makes, or does not, and completes these variables. Returns the number that `ask`
    /// is called with.
    #[napi]
    pub fn add_template(
        &self,
        template: String,
        descriptor: Option<String>,
        lists: bool,
        completes: Vec<String>,
        knows: bool,
    ) -> Result<f64> {
        let template =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.template(template)).map_err(thrown)?;
        let template = completes.into_iter().fold(template, Template::completes);
        self.knowing(knows, |server, provider| server.add_template(template, provider, lists))
    }

    /// A folder; `options` is JSON. Returns the text of its template.
    #[napi]
    pub fn add_directory(&self, path: String, options: String) -> Result<String> {
        let directory = descriptor::directory(path, &options).map_err(thrown)?;
        Ok(self.inner.server.directory(directory).map_err(thrown)?.name().to_owned())
    }

    /// A list source. Returns the number that `ask` is called with.
    #[napi]
    pub fn add_list(&self, name: Option<String>) -> Result<f64> {
        Ok(self.inner.server.add_list(name, None).map_err(thrown)?.number() as f64)
    }

    /// Returns the number that `ask` is called with.
    #[napi]
    pub fn set_fallback(&self, knows: bool) -> Result<f64> {
        self.knowing(knows, Server::set_fallback)
    }

    /// A method of the host's own. Returns the number that `ask` is called with.
    #[napi]
    pub fn add_method(&self, name: String, revisions: Option<Vec<String>>) -> Result<f64> {
        let mut method = Method::new(name);
        if let Some(revisions) = revisions {
            method = method.revisions(revisions);
        }
        Ok(self.inner.server.add_method(method, None).map_err(thrown)?.number() as f64)
    }

    /// A tool, or a prompt; `members` is JSON. Returns the number that `ask` is called with.
    #[napi]
    pub fn add_named(&self, prompt: bool, name: String, members: String) -> Result<f64> {
        let server = &self.inner.server;
        let members = Json::object(members).map_err(thrown)?;
        let id = if prompt {
            server.add_prompt(&name, &members, None)
        } else {
            server.add_tool(&name, &members, None)
        };
        Ok(id.map_err(thrown)?.number() as f64)
    }

    /// Returns the number of the tool or prompt that was removed.
    #[napi]
    pub fn remove_named(&self, prompt: bool, name: String) -> Result<f64> {
        let server = &self.inner.server;
        let id = if prompt { server.remove_prompt(&name) } else { server.remove_tool(&name) };
        Ok(id.map_err(thrown)?.number() as f64)
    }

    /// Returns the number that `ask` is called with for this argument of a prompt.
    #[napi]
    pub fn add_prompt_completer(&self, prompt: String, argument: String) -> Result<f64> {
        let id = self.inner.server.add_prompt_completer(&prompt, &argument, None).map_err(thrown)?;
        Ok(id.number() as f64)
    }

    /// For a call of a reader: a state that [`Native::open_state`] opens until then.
    #[napi]
    pub fn seal_state(&self, call: u32, state: String, until: f64) -> Option<String> {
        self.inner.calls.of_read(call, |call| Some(call.seal_state(&state, until as u64)))
    }

    #[napi]
    pub fn open_state(&self, call: u32, now: f64) -> Option<String> {
        self.inner.calls.of_read(call, |call| call.open_state(now as u64))
    }

    /// JSON.
    #[napi]
    pub fn client_capabilities(&self, call: u32) -> Option<String> {
        self.inner.calls.of_read(call, wellhead::Call::client_capabilities)
    }

    /// Who asks, while the call is not answered: JSON.
    #[napi]
    pub fn client(&self, call: u32) -> Option<String> {
        self.inner.calls.client(call)
    }

    /// Whether nobody waits for the answer any more.
    #[napi]
    pub fn is_cancelled(&self, call: u32) -> bool {
        self.inner.calls.is_cancelled(call)
    }

    /// A header field of the request whose token is judged.
    #[napi]
    pub fn header(&self, call: u32, name: String) -> Option<String> {
        self.inner.calls.header(call, &name)
    }

    /// A line of the log about what a client does not notice.
    #[napi]
    pub fn warn(&self, line: String) {
        self.inner.server.log(Level::Warning, &line);
    }

    /// From now on `publish` is called.
    #[napi]
    pub fn on_publish(&self) -> Result<()> {
        let bell = self.inner.bell.clone();
        self.inner.server.on_publish(move |event| bell.publish(event)).map_err(thrown)
    }

    /// `event` is JSON. Returns whether it was new.
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
            uris_watched: counters.uris_watched as f64,
            subscriptions: counters.subscriptions as f64,
        }
    }

    /// Sends a notification about a call of a method; `params` is JSON. Returns whether it was sent.
    #[napi]
    pub fn notify(&self, call: u32, method: String, params: Option<String>) -> Result<bool> {
        let inner = &self.inner;
        let params = params.map(Json::object).transpose().map_err(thrown)?;
        inner.calls.notify(call, &method, params.as_ref()).map_err(thrown)
    }

    /// Tells how far a call is, and returns whether anybody wants to know.
    #[napi]
    pub fn progress(&self, call: u32, progress: f64, total: Option<f64>, message: Option<String>) -> bool {
        self.inner.calls.progress(call, progress, total, message.as_deref())
    }

    /// Lets go of the stream that will carry the answer of a call, and returns whether there was one.
    #[napi]
    pub fn close_stream(&self, call: u32, retry_ms: f64) -> bool {
        self.inner.calls.close_stream(call, retry_ms as u64)
    }

    /// Asks the client, for a call of a method; `params` is JSON. Returns the number that its answer comes with.
    #[napi]
    pub fn request(&self, call: u32, method: String, params: Option<String>) -> Result<f64> {
        let params = params.map(Json::object).transpose().map_err(thrown)?;
        Ok(self.inner.calls.request(call, &method, params.as_ref()).map_err(thrown)? as f64)
    }

    /// The answer to that request is not wanted any more.
    #[napi]
    pub fn cancel_request(&self, call: u32, request: f64) {
        self.inner.calls.cancel_request(call, request as u64);
    }

    /// From now on `ask` is called before anything is listed, read or watched.
    #[napi]
    pub fn authorize(&self) -> Result<()> {
        // Its questions are events, which JavaScript answers: the closure is never run.
        self.inner.server.authorize(|_: wellhead::AuthorizeCall| Vec::new()).map_err(thrown)
    }

    /// From now on `ask` is called when a URI begins or ceases to be watched.
    #[napi]
    pub fn on_interest(&self) -> Result<()> {
        self.inner.server.on_interest(|_: wellhead::InterestCall| {}).map_err(thrown)
    }

    /// Asks again for what the caller with these id bytes watches.
    #[napi]
    pub fn access_changed(&self, caller: Uint8Array) -> Result<()> {
        self.inner.server.access_changed(&caller).map_err(thrown)
    }

    /// JSON.
    #[napi]
    pub fn explain(&self, uri: String) -> String {
        self.inner.server.explain(&uri).to_json()
    }

    /// Returns the number of what was removed, if it had callbacks.
    #[napi]
    pub fn remove(&self, name: String) -> Result<Option<f64>> {
        let handler = self.inner.server.remove(&name).map_err(thrown)?;
        Ok(handler.map(|id| id.number() as f64))
    }

    #[napi]
    pub fn updated(&self, uri: String) -> Result<()> {
        self.inner.server.updated(&uri).map_err(thrown)
    }

    /// `descriptor` is JSON.
    #[napi]
    pub fn updated_as(&self, uri: String, descriptor: String) -> Result<()> {
        let resource = Descriptor::parse(Some(&descriptor)).and_then(|d| d.resource(uri)).map_err(thrown)?;
        self.inner.server.updated_as(resource).map_err(thrown)
    }

    #[napi]
    pub fn updated_below(&self, uri: String, parent: String) -> Result<()> {
        self.inner.server.updated_below(&uri, &parent).map_err(thrown)
    }

    #[napi]
    pub fn announce(&self, kind: String) -> Result<()> {
        self.inner.server.announce(&kind).map_err(thrown)
    }

    #[napi]
    pub fn list_changed(&self) -> Result<()> {
        self.inner.server.list_changed().map_err(thrown)
    }

    #[napi]
    pub fn close(&self) {
        self.inner.server.close();
    }

    #[napi]
    pub fn is_closed(&self) -> bool {
        self.inner.server.is_closed()
    }

    /// The numbers of held calls whose answer nobody wants any more. They are forgotten.
    #[napi]
    pub fn abandoned(&self) -> Vec<u32> {
        self.inner.calls.abandon()
    }

    /// A connection, with the number that it wakes by. `caller`: the id bytes of whom it speaks for.
    #[napi]
    pub fn connect(&self, caller: Uint8Array) -> NativeConnection {
        NativeConnection::new(self.inner.clone(), Caller::new(caller.to_vec()))
    }

    /// Answers a held call.
    ///
    /// Returns whether that made output that only a turn will write: the driver was not woken, so that several answers
    /// are one write.
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

    // ---- standard input and output

    /// Starts to serve standard input and output, and keeps the process alive until [`Native::stop`].
    #[napi]
    pub fn start(&self, env: Env, guard: bool, drain_ms: Option<u32>) -> Result<()> {
        let inner = &self.inner;
        if inner.driver().is_some() {
            return Err(invalid("run() was called already, and has not returned"));
        }
        let bell = inner.bell.clone();
        let mut stdio = Stdio::new().guard(guard);
        if let Some(ms) = drain_ms {
            stdio = stdio.drain(Duration::from_millis(ms.into()));
        }
        let driver = stdio.start(&inner.server, Some(Box::new(move || bell.ring()))).map_err(thrown)?;
        *inner.stdio.borrow_mut() = Some(Rc::new(driver));
        Js::new(&env).keep_alive(inner.bell.turn_function(), true);
        inner.bell.ring();
        Ok(())
    }

    /// One turn: lines of the log, and a batch of the driver's events. Returns what there is to do next, as bits:
    /// 1 another turn, 2 `stop`, 4 `woken`, 8 `poll` of the endpoints and `ready_exchanges`, 16 `ended_listeners`.
    #[napi]
    pub fn turn(&self, env: Env, ask: Hook<'_>) -> u32 {
        let inner = &self.inner;
        let js = Js::new(&env);
        inner.bell.answer(js);
        let hooks = Hooks { js, ask: js.value(&ask) };
        let mut next = if inner.run_listeners(&hooks) { MORE } else { 0 };
        if inner.driver().is_none() && inner.listeners.borrow().is_empty() && !inner.calls.waits() {
            js.keep_alive(inner.bell.turn_function(), false);
        }
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

    /// Asks for a turn after timers and I/O had theirs.
    #[napi]
    pub fn turn_later(&self) {
        self.inner.bell.ring_later();
    }

    /// The numbers of the connections that woke.
    #[napi]
    pub fn woken(&self) -> Vec<f64> {
        self.inner.bell.take_woken().into_iter().map(|number| number as f64).collect()
    }

    /// Ends the service as the protocol asks: what is under way may still be answered.
    #[napi]
    pub fn terminate(&self) {
        let interrupter: Option<Interrupter> = self.inner.driver().map(|driver| driver.interrupter());
        if let Some(interrupter) = interrupter {
            interrupter.terminate();
        }
    }

    /// Ends the driver and its threads at once. From now on nothing of ours keeps the process alive.
    #[napi]
    pub fn stop(&self, env: Env) {
        if self.inner.stop() {
            Js::new(&env).keep_alive(self.inner.bell.turn_function(), false);
        }
    }

    /// Registers something with what JavaScript knows of it. Returns its number.
    fn knowing(
        &self,
        knows: bool,
        add: impl FnOnce(&Server, Option<Arc<dyn Provider>>) -> wellhead::Result<HandlerId>,
    ) -> Result<f64> {
        let (bell, number) = (self.inner.bell.clone(), knows::Number::default());
        let provider = knows.then(|| Arc::new(Knows { bell, number: number.clone() }) as Arc<dyn Provider>);
        let id = add(&self.inner.server, provider).map_err(thrown)?.number();
        number.get_or_init(|| id);
        Ok(id as f64)
    }

    fn body(&self, env: Env, body: &Unknown<'_>) -> Result<Body> {
        let js = Js::new(&env);
        answer::body(js, js.value(body), &self.inner.bell)
            .ok_or_else(|| invalid("a body is a string or a Uint8Array"))
    }
}

/// The URI that the values of a template make; they are JSON.
#[napi]
pub fn expand(template: String, values: String) -> Result<String> {
    descriptor::expand(template, &values).map_err(thrown)
}

/// What a server has counted.
#[napi(object)]
pub struct Counted {
    pub connections: f64,
    pub connections_open: f64,
    pub calls: f64,
    pub calls_answered: f64,
    pub calls_failed: f64,
    pub changes: f64,
    pub uris_watched: f64,
    pub subscriptions: f64,
}

/// An error as JSON-RPC has it.
#[napi(object)]
pub struct Fault {
    pub number: i32,
    pub message: String,
}

/// JSON-RPC's error for parameters that are wrong.
#[napi]
pub fn invalid_params(what: String) -> Fault {
    let error = MethodError::invalid_params(&what);
    Fault { number: error.code(), message: error.message().to_owned() }
}

/// What Node-API refused, as an error of ours.
pub(crate) fn refused(e: napi::Error) -> napi::Error<crate::error::Code> {
    invalid(e.reason.clone())
}

impl Inner {
    fn driver(&self) -> Option<Rc<Driver>> {
        self.stdio.borrow().clone()
    }

    /// Drops the driver, which waits for its threads. Whether there was one.
    fn stop(&self) -> bool {
        let driver = self.stdio.borrow_mut().take();
        let served = driver.is_some();
        self.bell.join(|| drop(driver));
        served
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
            env.remove_env_cleanup_hook(self.hook)?;
            self.inner.go_down();
        }
        Ok(())
    }
}
