//! Streamable HTTP: endpoints for adapters in JavaScript, which read and write, and the native listener.

use crate::calls::{Hooks, Origin};
use crate::error::{Result, thrown};
use crate::from_js;
use crate::raw::{Js, Value};
use crate::server::{Hook, Inner, Native};
use napi::bindgen_prelude::{Env, Unknown};
use napi_derive::napi;
use serde::Deserialize;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::net::ToSocketAddrs;
use std::rc::Rc;
use std::sync::Arc;
use wellhead::http::{Endpoint, EndpointBuilder, Exchange, Progress, Protection, RequestHead, Response};
use wellhead::serve::{Batch, Http, Listening};
use wellhead::{Caller, Error, ErrorKind, Event, Server};

/// The first number of a step: how it ends, and what to do next.
const BODY: u32 = 0;
const WAIT: u32 = 1;
const MORE: u32 = 2;
const DONE: u32 = 3;
/// Flag in a step's first number: call [`NativeEndpoint::poll_events`] before the next step.
const EVENTS: u32 = 4;

/// The greatest number of bytes that one step hands to JavaScript.
const CHUNK: usize = 64 << 10;
/// ASCII output of at most this many bytes is handed to JavaScript as a string. That is cheaper than a buffer, and is
/// sent with the head in one piece.
const SHORT: usize = 16 << 10;

/// The options of an endpoint that are about tokens, as JSON from JavaScript.
#[derive(Deserialize)]
struct Options {
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
    let mut builder = from_js::options(server.endpoint(), options)?;
    let options: Options = from_js::parse(options)?;
    if options.protect.is_some() && !options.verify {
        let message = "protect is of no use without verify, which judges the tokens";
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    if options.verify {
        builder = builder.protect(options.protect.unwrap_or_default().protection()?);
    }
    Ok(builder)
}

/// The greatest number of batches of a listener in one turn. After a single request the second batch is empty, which
/// saves a turn.
const BATCHES: usize = 2;

/// An endpoint whose requests JavaScript reads.
#[napi]
pub(crate) struct NativeEndpoint {
    number: u32,
    endpoint: Endpoint,
    inner: Rc<Inner>,
    /// The exchanges by number. The value is `None` while the exchange is driven.
    exchanges: RefCell<HashMap<u32, Option<Exchange>>>,
    /// Events that were taken to see whether there is one; [`NativeEndpoint::poll_events`] runs them first. Never
    /// borrowed while code of the application runs, which may call this endpoint.
    first: RefCell<VecDeque<Event>>,
}

#[napi]
impl NativeEndpoint {
    /// The number under which JavaScript keeps the verifier.
    #[napi(getter)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Begins the exchange of a request under that number. `head`: its method, its target, and the names and values of
    /// its fields in turn, a line each. `lines`: the number of lines. `peer`: the number of its connection, or 0.
    /// `context`: an object that JavaScript gets with each question of this request. `caller_id`, `caller`: the caller,
    /// if JavaScript knows it. `now`: the time in milliseconds, on one clock for all calls. Each function that returns
    /// a step runs callbacks.
    #[napi]
    #[allow(clippy::too_many_arguments, reason = "called from one place")]
    pub fn begin<'env>(
        &self,
        env: &'env Env,
        number: u32,
        head: String,
        lines: u32,
        peer: u32,
        now: f64,
        run_event: Hook<'_>,
        context: Unknown<'_>,
        caller_id: Option<&[u8]>,
        caller: Unknown<'_>,
    ) -> Option<Value<'env>> {
        let head: Vec<&str> = head.split('\n').collect();
        let (method, target, fields) = match &*head {
            [method, target, fields @ ..] if head.len() == lines as usize => (method, target, fields),
            _ => (&"", &"", &[][..]), // a line break where HTTP has none: nothing of it is believed
        };
        let fields = fields.as_chunks().0.iter().map(|[name, value]| (*name, latin1(value)));
        let fields: Vec<(&str, Cow<'_, [u8]>)> = fields.collect();
        let headers: Vec<(&str, &[u8])> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
        let head = RequestHead {
            method,
            target,
            headers: &headers,
            peer: if peer == 0 { &[] } else { &peer.to_be_bytes() },
        };
        let bell = self.inner.bell.clone();
        let js = Js::new(env);
        let context = js.keep(js.value(&context), &bell)?;
        let caller = match caller_id {
            Some(id) => Some(Caller::new(id).with_value(js.keep(js.value(&caller), &bell)?)),
            None => None,
        };
        self.exchanges.borrow_mut().insert(number, None);
        self.drive(env, &run_event, number, now, || {
            let (context, ready) = (Arc::new(context), move || bell.exchange_ready(number));
            match caller {
                Some(caller) => {
                    self.endpoint.begin_with_caller(&head, now as u64, caller, Some(context), ready)
                }
                None => self.endpoint.begin_with_context(&head, now as u64, context, ready),
            }
        })
    }

    /// Takes a piece of the request's body. `last`: nothing follows.
    #[napi]
    pub fn body<'env>(
        &self,
        env: &'env Env,
        number: u32,
        bytes: &[u8],
        last: bool,
        now: f64,
        run_event: Hook<'_>,
    ) -> Option<Value<'env>> {
        let Some(mut exchange) = self.take(number) else { return self.absent(env, number) };
        self.drive(env, &run_event, number, now, || {
            exchange.body(bytes);
            if last {
                exchange.end(now as u64);
            }
            exchange
        })
    }

    /// Takes the next step of an exchange, with output to send.
    #[napi]
    pub fn poll<'env>(
        &self,
        env: &'env Env,
        number: u32,
        now: f64,
        run_event: Hook<'_>,
    ) -> Option<Value<'env>> {
        let Some(exchange) = self.take(number) else { return self.absent(env, number) };
        self.drive(env, &run_event, number, now, || exchange)
    }

    /// Ends the exchange, since the client is gone.
    #[napi]
    pub fn drop(&self, number: u32) {
        let gone = self.exchanges.borrow_mut().remove(&number);
        drop(gone);
    }

    /// Returns whether the endpoint serves requests with this target.
    #[napi]
    pub fn serves(&self, target: String) -> bool {
        self.endpoint.serves(&target)
    }

    /// Runs the callbacks of the events that have come. `now`: the time in milliseconds.
    #[napi]
    pub fn poll_events(&self, env: Env, now: f64, run_event: Hook<'_>) {
        self.endpoint.tick(now as u64); // so that what is asked now has its whole time
        let js = Js::new(&env);
        self.run_events(&Hooks { js, run_event: js.value(&run_event) });
    }

    #[napi]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.endpoint.poll_timeout().map(|at| at as f64)
    }
}

impl NativeEndpoint {
    fn take(&self, number: u32) -> Option<Exchange> {
        self.exchanges.borrow_mut().get_mut(&number)?.take()
    }

    /// Returns the step of an exchange that an outer call drives already, or that is over; `None` for any other.
    fn absent<'env>(&self, env: &'env Env, number: u32) -> Option<Value<'env>> {
        let next = if self.exchanges.borrow().contains_key(&number) { WAIT } else { DONE };
        step(Js::new(env), next, None, Vec::new(), None)
    }

    /// Runs the callbacks of the exchange that `begin` returns, and returns its next step. Callbacks of other exchanges
    /// do not run here, in the context of this request: see [`EVENTS`].
    fn drive<'env>(
        &self,
        env: &'env Env,
        run_event: &Hook<'_>,
        number: u32,
        now: f64,
        begin: impl FnOnce() -> Exchange,
    ) -> Option<Value<'env>> {
        let js = Js::new(env);
        let hooks = Hooks { js, run_event: js.value(run_event) };
        let drive = || {
            let mut exchange = begin();
            let (mut head, mut data) = (None, Vec::new());
            let (next, at) = loop {
                match exchange.poll(now as u64, &mut data) {
                    Progress::Event(event) => self.run(&hooks, event),
                    Progress::Body(at) => break (BODY, Some(at)),
                    Progress::Respond(response) => head = Some(response),
                    Progress::Data if data.len() >= CHUNK => break (MORE, None),
                    Progress::Data => {}
                    Progress::Wait(at) => break (WAIT, at),
                    Progress::Done => break (DONE, None),
                    _ => break (WAIT, None),
                }
            };
            (exchange, head, data, next, at)
        };
        let ((exchange, head, data, next, at), events) = self.inner.bell.drive(self.number, drive);
        let mut exchanges = self.exchanges.borrow_mut();
        if next == DONE {
            exchanges.remove(&number);
        } else if let Some(place) = exchanges.get_mut(&number) {
            *place = Some(exchange);
        } // else a callback has dropped it
        drop(exchanges);
        let head = head.map(|head| (head, self.inner.server.is_closed()));
        let events = events && self.has_events();
        step(Js::new(env), if events { next | EVENTS } else { next }, at, data, head)
    }

    fn run_events(&self, hooks: &Hooks<'_>) {
        while let Some(event) = self.take_event() {
            self.run(hooks, event);
        }
    }

    fn take_event(&self) -> Option<Event> {
        let first = self.first.borrow_mut().pop_front();
        first.or_else(|| self.endpoint.poll_event())
    }

    /// Returns whether there is an event for [`NativeEndpoint::poll_events`]. Most requests cause none, which saves
    /// that call. The exchange that was driven has set the clock before.
    fn has_events(&self) -> bool {
        if self.first.borrow().is_empty() {
            let event = self.endpoint.poll_event();
            self.first.borrow_mut().extend(event);
        }
        !self.first.borrow().is_empty()
    }

    fn run(&self, hooks: &Hooks<'_>, event: Event) {
        self.inner.calls.run(hooks, event, Origin::Endpoint(self.number));
    }
}

/// Makes the `Step` of `lib/native.ts`. `head`: the head of the response, and whether it is the last of its connection.
fn step(
    js: Js<'_>,
    next: u32,
    at: Option<u64>,
    data: Vec<u8>,
    head: Option<(Response, bool)>,
) -> Option<Value<'_>> {
    let mut step = Vec::with_capacity(6);
    step.push(js.number(next.into())?);
    step.push(at.map_or_else(|| js.undefined(), |at| js.number(at as f64))?);
    if !data.is_empty() || head.is_some() {
        step.push(match data.len() {
            0 => js.undefined()?,
            1..=SHORT if data.is_ascii() => js.latin1(&data)?,
            _ => js.bytes(data)?,
        });
    }
    if let Some((head, last)) = head {
        let fields: Vec<&str> =
            head.headers.iter().flat_map(|(name, value)| [*name, value.as_str()]).collect();
        step.extend([js.number(head.status.into())?, js.text(&fields.join("\n"))?, js.boolean(last)?]);
    }
    js.array(&step)
}

/// Returns the bytes of a field's value. JavaScript makes a character of each byte.
fn latin1(value: &str) -> Cow<'_, [u8]> {
    if value.is_ascii() {
        return Cow::Borrowed(value.as_bytes());
    }
    Cow::Owned(value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect())
}

/// A native listener of a server.
pub(crate) struct Listener {
    number: u32,
    listening: Rc<Listening>,
}

/// The address of a listener.
#[napi(object)]
pub struct Bound {
    /// The number under which JavaScript keeps the verifier.
    pub number: u32,
    pub host: String,
    pub port: u32,
}

#[napi]
impl Native {
    /// Makes an endpoint for Streamable HTTP. `options`: the options of `HttpOptions`, as JSON.
    #[napi]
    pub fn endpoint(&self, options: String) -> Result<NativeEndpoint> {
        let inner = self.inner.clone();
        let bell = inner.bell.clone();
        let builder = endpoint(&inner.server, &options).map_err(thrown)?;
        let number = inner.next_endpoint();
        let endpoint = builder.build(move || bell.endpoint_ready(number)).map_err(thrown)?;
        Ok(NativeEndpoint {
            number,
            endpoint,
            inner,
            exchanges: RefCell::default(),
            first: RefCell::default(),
        })
    }

    /// Starts a native listener, and keeps the process alive until it ends; `options` is JSON.
    #[napi]
    pub fn listen(&self, env: Env, host: String, port: u32, options: String) -> Result<Bound> {
        let inner = &self.inner;
        let builder = endpoint(&inner.server, &options).map_err(thrown)?;
        let http = from_js::options(Http::new(builder), &options).map_err(thrown)?;
        let port = u16::try_from(port).map_err(|_| crate::error::invalid("port: at most 65535"))?;
        let addresses = (host.as_str(), port).to_socket_addrs().map_err(|e| {
            let what = format!("the address {host}:{port} cannot be bound");
            thrown(Error::new(ErrorKind::Io, what).because(e))
        })?;
        let listener = http.bind(addresses.as_slice()).map_err(thrown)?;
        let address = listener.address();
        let bell = inner.bell.clone();
        let listening = listener.start(Some(Box::new(move || bell.ring()))).map_err(thrown)?;
        let number = inner.next_endpoint();
        inner.listeners.borrow_mut().push(Listener { number, listening: Rc::new(listening) });
        Js::new(&env).keep_alive(inner.bell.turn_function(), true);
        Ok(Bound { number, host: address.ip().to_string(), port: address.port().into() })
    }

    /// Returns the numbers of the exchanges that have output or another step to take.
    #[napi]
    pub fn ready_exchanges(&self) -> Vec<u32> {
        self.inner.bell.take_exchanges().collect()
    }

    /// Runs the callbacks of the events that wait in the listener with this number. Returns whether more events may
    /// wait.
    #[napi]
    pub fn run_listener(&self, env: Env, number: u32, run_event: Hook<'_>) -> bool {
        let inner = &self.inner;
        let js = Js::new(&env);
        let hooks = Hooks { js, run_event: js.value(&run_event) };
        let found = inner.listeners.borrow().iter().find(|l| l.number == number).map(|l| l.listening.clone());
        let Some(listening) = found else { return false };
        for _ in 0..BATCHES {
            match listening.try_next() {
                Batch::Events(events) => {
                    for event in events {
                        inner.calls.run(&hooks, event, Origin::Endpoint(number));
                    }
                }
                Batch::Interrupted => {}
                Batch::Ended => {
                    inner.listeners.borrow_mut().retain(|listener| listener.number != number);
                    inner.bell.join(|| listening.stop()); // one of its threads may wait for JavaScript
                    inner.ended.borrow_mut().push(number);
                    inner.rest(js);
                    return false;
                }
                Batch::Idle => return false, // what comes later rings
            }
        }
        true
    }

    /// Returns the numbers of the listeners that have ended since the last call.
    #[napi]
    pub fn ended_listeners(&self) -> Vec<u32> {
        self.inner.ended.take()
    }

    /// Ends the listeners at once, and drops their calls in flight.
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

    pub(crate) fn stop_listeners(&self) {
        let listeners = self.listeners.take();
        self.bell.join(|| listeners.iter().for_each(|listener| listener.listening.stop()));
        self.ended.borrow_mut().extend(listeners.iter().map(|listener| listener.number));
    }
}
