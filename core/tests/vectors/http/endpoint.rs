//! The endpoint without a socket. An exchange is polled only when it has asked for it or its time has come. The
//! endpoint is polled only when it was woken. So a script fails if a wake is missing.

use super::options::builder;
use super::script::{Adapter, Got, Head, Request};
use crate::host::Host;
use crate::script::Pace;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Event;
use wellhead::http::{self, Progress, RequestHead};

pub(crate) struct InMemory {
    endpoint: http::Endpoint,
    woken: Flag,
    pace: Pace,
    now: u64,
}

pub(crate) struct Polled {
    exchange: http::Exchange,
    ready: Flag,
    at: Option<u64>,
}

/// Raised from any thread.
#[derive(Clone)]
struct Flag(Arc<AtomicBool>);

impl Flag {
    fn raised() -> Flag {
        Flag(Arc::new(AtomicBool::new(true)))
    }

    fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn lower(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

impl Adapter for InMemory {
    type Exchange = Polled;

    const WAITS: bool = false;

    fn new(host: &Host, options: &Value, pace: Pace) -> Self {
        let woken = Flag::raised();
        let wakes = woken.clone();
        let endpoint =
            builder(host, options).build(move || wakes.raise()).expect("requests can match what is allowed");
        InMemory { endpoint, woken, pace, now: 0 }
    }

    fn send(&mut self, request: &Request) -> Polled {
        let headers: Vec<(&str, &[u8])> =
            request.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let head =
            RequestHead { method: &request.method, target: &request.target, headers: &headers, peer: &[] };
        let ready = Flag::raised();
        let rings = ready.clone();
        let mut exchange = self.endpoint.begin(&head, self.now, move || rings.raise());
        let body = request.body.as_deref().unwrap_or_default();
        let piece = if self.pace == Pace::Whole { body.len().max(1) } else { request.piece };
        for bytes in body.chunks(piece) {
            exchange.body(bytes);
        }
        if !request.unfinished {
            exchange.end(self.now);
        }
        Polled { exchange, ready, at: None }
    }

    fn receive(&mut self, of: &mut Polled, got: &mut Got, _wait: bool) -> Result<bool, String> {
        let due = of.at.is_some_and(|at| at <= self.now);
        if got.done || !(of.ready.lower() | due) {
            return Ok(false);
        }
        of.at = None;
        loop {
            match of.exchange.poll(self.now, &mut got.body) {
                Progress::Respond(response) => {
                    let headers = response.headers.into_iter().map(|(name, value)| (name.to_owned(), value));
                    let head = Head { status: response.status, headers: headers.collect() };
                    if got.head.replace(head).is_some() {
                        return Err("a second head came".to_owned());
                    }
                }
                Progress::Data => {}
                Progress::Event(event) => event.run(),
                Progress::Wait(at) => {
                    of.at = at;
                    return Ok(true);
                }
                Progress::Body(at) => {
                    of.at = Some(at);
                    return Ok(true);
                }
                Progress::Done => {
                    got.done = true;
                    return Ok(true);
                }
                other => return Err(format!("an exchange says {other:?}")),
            }
        }
    }

    fn poll(&mut self) -> bool {
        let woken = self.woken.lower();
        if woken {
            while let Some(event) = self.endpoint.poll_event() {
                Event::run(event);
            }
        }
        woken
    }

    fn advance(&mut self, ms: u64) {
        self.now += ms;
        self.endpoint.tick(self.now);
    }
}
