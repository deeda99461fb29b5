//! Streamable HTTP: endpoints for adapters in JavaScript, which read and write, and the native listener.

use crate::calls::{Hooks, Origin};
use crate::descriptor::ill_typed;
use crate::error::{Result, thrown};
use crate::raw::Js;
use crate::server::{Hook, Inner, Native};
use napi::bindgen_prelude::{Buffer, Env};
use napi_derive::napi;
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wellhead::http::{Endpoint, EndpointBuilder, Exchange, Progress, Protection, RequestHead};
use wellhead::serve::{Batch, Http, Listening};
use wellhead::{Error, ErrorKind, Server};

/// What a [`Step`] ends with.
const BODY: u32 = 0;
const WAIT: u32 = 1;
const MORE: u32 = 2;
const DONE: u32 = 3;

/// So much is handed over at once.
const CHUNK: usize = 64 << 10;

/// What an endpoint is made with; JSON from JavaScript.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    path: Option<String>,
    loopback: Option<bool>,
    allowed_origins: Option<Vec<String>>,
    allowed_hosts: Option<Vec<String>>,
    strict_accept: Option<bool>,
    cors: Option<bool>,
    sessions: Option<bool>,
    head_ms: Option<u64>,
    idle_ms: Option<u64>,
    session_limit: Option<usize>,
    session_ms: Option<u64>,
    delete: Option<bool>,
    keep_alive_ms: Option<u64>,
    body_ms: Option<u64>,
    replay_bytes: Option<usize>,
    protect: Option<Protect>,
    #[serde(default)]
    verify: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Protect {
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes: Vec<String>,
}

impl Protect {
    fn protection(self) -> wellhead::Result<Protection> {
        let protection = match self.resource {
            Some(resource) => Protection::new(&resource, self.authorization_servers)?,
            None if self.authorization_servers.is_empty() => Protection::default(),
            None => {
                let message = "protect: authorizationServers are for a resource; give its URL, too";
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        };
        protection.scopes(self.scopes)
    }
}

fn endpoint(server: &Server, options: &str) -> wellhead::Result<EndpointBuilder> {
    let options: Options = serde_json::from_str(options).map_err(ill_typed)?;
    let mut builder = server.endpoint();
    builder = add(builder, options.path, EndpointBuilder::path);
    builder = add(builder, options.loopback, EndpointBuilder::loopback);
    builder = add(builder, options.allowed_origins, EndpointBuilder::allowed_origins);
    builder = add(builder, options.allowed_hosts, EndpointBuilder::allowed_hosts);
    builder = add(builder, options.strict_accept, EndpointBuilder::strict_accept);
    builder = add(builder, options.cors, EndpointBuilder::cors);
    builder = add(builder, options.sessions, EndpointBuilder::sessions);
    builder = add(builder, options.head_ms, EndpointBuilder::head_ms);
    builder = add(builder, options.idle_ms, EndpointBuilder::idle_ms);
    builder = add(builder, options.session_limit, EndpointBuilder::session_limit);
    builder = add(builder, options.session_ms, EndpointBuilder::session_ms);
    builder = add(builder, options.delete, EndpointBuilder::delete);
    builder = add(builder, options.keep_alive_ms, EndpointBuilder::keep_alive_ms);
    builder = add(builder, options.body_ms, EndpointBuilder::body_ms);
    builder = add(builder, options.replay_bytes, EndpointBuilder::replay_bytes);
    if options.verify || options.protect.is_some() {
        builder = builder.protect(options.protect.unwrap_or_default().protection()?);
    }
    Ok(builder)
}

fn add<T>(
    builder: EndpointBuilder,
    given: Option<T>,
    add: impl FnOnce(EndpointBuilder, T) -> EndpointBuilder,
) -> EndpointBuilder {
    match given {
        Some(value) => add(builder, value),
        None => builder,
    }
}

/// An endpoint whose requests JavaScript reads.
#[napi]
pub(crate) struct NativeEndpoint {
    number: u32,
    endpoint: Endpoint,
    inner: Rc<Inner>,
}

#[napi]
impl NativeEndpoint {
    /// What its verifier is found by.
    #[napi(getter)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// A request has come. `headers`: names and values in turn. `now` in milliseconds, the same clock for all calls.
    #[napi]
    pub fn begin(&self, method: String, target: String, headers: Vec<String>, now: f64) -> NativeExchange {
        let lines: Vec<(&str, Vec<u8>)> =
            headers.as_chunks().0.iter().map(|[name, value]| (name.as_str(), latin1(value))).collect();
        let headers: Vec<(&str, &[u8])> =
            lines.iter().map(|(name, value)| (*name, value.as_slice())).collect();
        let head = RequestHead { method: &method, target: &target, headers: &headers };
        let number = self.inner.exchanges.get().wrapping_add(1);
        self.inner.exchanges.set(number);
        let bell = self.inner.bell.clone();
        let exchange = self.endpoint.begin(&head, now as u64, move || bell.exchange_ready(number));
        NativeExchange {
            number,
            origin: Origin::Endpoint(self.number),
            exchange: RefCell::new(Some(exchange)),
            inner: self.inner.clone(),
            dropped: Cell::new(false),
        }
    }

    /// Whether requests of this target are the endpoint's.
    #[napi]
    pub fn serves(&self, target: String) -> bool {
        self.endpoint.serves(&target)
    }

    /// Runs the callbacks of what has come.
    #[napi]
    pub fn poll(&self, env: Env, ask: Hook<'_>) {
        let js = Js::new(&env);
        let hooks = Hooks { js, ask: js.value(&ask) };
        while let Some(event) = self.endpoint.poll_event() {
            self.inner.calls.run(&hooks, event, Origin::Endpoint(self.number));
        }
    }

    #[napi]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.endpoint.poll_timeout().map(|at| at as f64)
    }

    #[napi]
    pub fn tick(&self, now: f64) {
        self.endpoint.tick(now as u64);
    }
}

/// One request and its response.
#[napi]
pub(crate) struct NativeExchange {
    number: u32,
    origin: Origin,
    /// None while it is polled, and once it was dropped.
    exchange: RefCell<Option<Exchange>>,
    inner: Rc<Inner>,
    dropped: Cell<bool>,
}

/// What is to be done for an exchange.
#[napi(object)]
pub struct Step {
    /// 0 read the body, until `at`; 1 wait, until `at`; 2 poll again at once; 3 the response is complete.
    pub next: u32,
    pub at: Option<f64>,
    pub head: Option<Head>,
    pub data: Option<Buffer>,
}

/// The head of a response: names and values of its fields in turn.
#[napi(object)]
pub struct Head {
    pub status: u32,
    pub headers: Vec<String>,
}

#[napi]
impl NativeExchange {
    #[napi(getter)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Some of the body.
    #[napi]
    pub fn body(&self, bytes: &[u8]) {
        if let Some(exchange) = &mut *self.exchange.borrow_mut() {
            exchange.body(bytes);
        }
    }

    /// The body is complete.
    #[napi]
    pub fn end(&self, now: f64) {
        if let Some(exchange) = &mut *self.exchange.borrow_mut() {
            exchange.end(now as u64);
        }
    }

    /// Runs callbacks, and takes what there is to send.
    #[napi]
    pub fn poll(&self, env: Env, now: f64, ask: Hook<'_>) -> Step {
        let mut step = Step { next: DONE, at: None, head: None, data: None };
        let Some(mut exchange) = self.exchange.take() else {
            step.next = if self.dropped.get() { DONE } else { WAIT }; // it is polled already, from further out
            return step;
        };
        let js = Js::new(&env);
        let hooks = Hooks { js, ask: js.value(&ask) };
        let mut data = Vec::new();
        loop {
            match exchange.poll(now as u64, &mut data) {
                Progress::Event(event) => self.inner.calls.run(&hooks, event, self.origin),
                Progress::Body(at) => {
                    (step.next, step.at) = (BODY, Some(at as f64));
                    break;
                }
                Progress::Respond(response) => {
                    let fields = response.headers.into_iter();
                    let headers = fields.flat_map(|(name, value)| [name.to_owned(), value]).collect();
                    step.head = Some(Head { status: response.status.into(), headers });
                }
                Progress::Data if data.len() >= CHUNK => {
                    step.next = MORE;
                    break;
                }
                Progress::Data => {}
                Progress::Wait(at) => {
                    (step.next, step.at) = (WAIT, at.map(|at| at as f64));
                    break;
                }
                Progress::Done => break,
                _ => {
                    step.next = WAIT;
                    break;
                }
            }
        }
        if step.next != DONE && !self.dropped.get() {
            self.exchange.replace(Some(exchange));
        }
        step.data = (!data.is_empty()).then(|| data.into());
        step
    }

    /// The client is gone.
    #[napi]
    pub fn drop(&self) {
        self.dropped.set(true);
        drop(self.exchange.take());
    }
}

/// The bytes of a field's value, of which JavaScript makes a character each.
fn latin1(value: &str) -> Vec<u8> {
    value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// A native listener of a server.
pub(crate) struct Listener {
    number: u32,
    listening: Rc<Listening>,
}

/// How the native listener serves, beside what its endpoint is made with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListenOptions {
    io_threads: Option<usize>,
    connections: Option<usize>,
    drain_ms: Option<u64>,
}

/// Where a listener is reached.
#[napi(object)]
pub struct Bound {
    /// What its verifier is found by.
    pub number: u32,
    pub host: String,
    pub port: u32,
}

#[napi]
impl Native {
    /// An endpoint; `options` is JSON.
    #[napi]
    pub fn endpoint(&self, options: String) -> Result<NativeEndpoint> {
        let inner = self.inner.clone();
        let bell = inner.bell.clone();
        let builder = endpoint(&inner.server, &options).map_err(thrown)?;
        let endpoint = builder.build(move || bell.endpoint_ready());
        Ok(NativeEndpoint { number: inner.next_endpoint(), endpoint, inner })
    }

    /// Starts a native listener, and keeps the process alive until it is over; `options` is JSON.
    #[napi]
    pub fn listen(&self, env: Env, host: String, port: u32, options: String) -> Result<Bound> {
        let inner = &self.inner;
        let builder = endpoint(&inner.server, &options).map_err(thrown)?;
        let how: ListenOptions = serde_json::from_str(&options).map_err(|e| thrown(ill_typed(e)))?;
        let mut http = Http::new(builder);
        if let Some(threads) = how.io_threads {
            http = http.io_threads(threads);
        }
        if let Some(most) = how.connections {
            http = http.connections(most);
        }
        if let Some(ms) = how.drain_ms {
            http = http.drain(Duration::from_millis(ms));
        }
        let port = u16::try_from(port).map_err(|_| crate::error::invalid("port: at most 65535"))?;
        let listener = http.bind((host.as_str(), port)).map_err(thrown)?;
        let address = listener.address();
        let bell = inner.bell.clone();
        let listening = listener.start(Some(Box::new(move || bell.ring()))).map_err(thrown)?;
        let number = inner.next_endpoint();
        inner.listeners.borrow_mut().push(Listener { number, listening: Rc::new(listening) });
        Js::new(&env).keep_alive(inner.bell.turn_function(), true);
        Ok(Bound { number, host: address.ip().to_string(), port: address.port().into() })
    }

    /// The numbers of the exchanges that have something to say.
    #[napi]
    pub fn ready_exchanges(&self) -> Vec<u32> {
        self.inner.bell.take_exchanges()
    }

    /// The numbers of the listeners that are over.
    #[napi]
    pub fn ended_listeners(&self) -> Vec<u32> {
        self.inner.ended.take()
    }

    /// Ends the listeners at once, with what is under way.
    #[napi]
    pub fn stop_listeners(&self) {
        self.inner.stop_listeners();
    }
}

impl Inner {
    fn next_endpoint(&self) -> u32 {
        self.endpoints.set(self.endpoints.get().wrapping_add(1));
        self.endpoints.get()
    }

    /// Runs what the listeners have; whether there may be more.
    pub(crate) fn run_listeners(&self, hooks: &Hooks<'_>) -> bool {
        let running: Vec<(u32, Rc<Listening>)> =
            self.listeners.borrow().iter().map(|l| (l.number, l.listening.clone())).collect();
        let mut more = false;
        for (number, listening) in running {
            match listening.try_next() {
                Batch::Events(events) => {
                    more = true;
                    for event in events {
                        self.calls.run(hooks, event, Origin::Endpoint(number));
                    }
                }
                Batch::Interrupted => more = true,
                Batch::Idle => {}
                Batch::Ended => {
                    self.listeners.borrow_mut().retain(|listener| listener.number != number);
                    self.ended.borrow_mut().push(number);
                }
            }
        }
        more
    }

    pub(crate) fn stop_listeners(&self) {
        let listeners = self.listeners.take();
        self.bell.join(|| listeners.iter().for_each(|listener| listener.listening.stop()));
        self.ended.borrow_mut().extend(listeners.iter().map(|listener| listener.number));
    }
}
