//! A whole request in, a whole response out, for a server with a thread for each request.

use super::endpoint::wellhead_endpoint;
use super::exchange::{begin, wellhead_exchange, wellhead_http_request};
use crate::boundary::share;
use crate::foreign::{UserData, notice};
use crate::status::wellhead_error;
use crate::types::wellhead_str;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wellhead::http::{Endpoint, Exchange, Progress, Response};

/// The bytes of events after which an event stream ends, because they are all kept until then.
const STREAM_BYTES: usize = 1024 * 1024;

/// Handles a whole request, for a server with a thread for each request. Blocks until the response is complete, and runs
/// callbacks on this thread. Returns the exchange, which the application frees. Its head is wellhead_exchange_response,
/// with the length of the body. Its whole body is wellhead_exchange_data. After `stream_ms` milliseconds an event stream
/// ends that has no end of its own, such as that of a GET. It also ends with 1 MiB of events. Its client gets them then,
/// and reconnects. A call ends after call_ms at the latest. The threads inside this function poll and tick the endpoint,
/// so an application that handles all requests this way needs no `wake`.
/// endpoint, request: may not be NULL.
/// body: copied; may be absent.
/// now_ms: the time on the clock of wellhead_exchange_new.
/// Returns NULL if it fails with INVALID_ARGUMENT, or with INVALID_UTF8 for a method, target or name that is not UTF-8.
/// Then the application answers the request with status 400.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_handle(
    endpoint: *mut wellhead_endpoint,
    request: *const wellhead_http_request,
    body: wellhead_str,
    now_ms: u64,
    stream_ms: u64,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_exchange {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let endpoint = promise.hold(endpoint, "endpoint")?;
            let body = promise.bytes(body, "body")?;
            let clock = Clock { began: Instant::now(), at: now_ms };
            let bell = Arc::new(Bell::default());
            let rung = bell.clone();
            let mut exchange = begin(promise, &endpoint.endpoint, request, now_ms, move || rung.ring())?;
            exchange.body(body);
            exchange.end(now_ms);
            let place = Place { waiting: &endpoint.waiting, endpoint: &endpoint.endpoint, bell };
            let (head, data) = place.complete(&mut exchange, &clock, now_ms.saturating_add(stream_ms));
            drop(place);
            let never = notice(None, UserData::new(std::ptr::null_mut(), None));
            Ok(wellhead_exchange::new(exchange, head, data, never))
        })
    }
}

/// The clock of the application, which goes on while a request is handled.
struct Clock {
    began: Instant,
    at: u64,
}

impl Clock {
    fn now(&self) -> u64 {
        let passed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.at.saturating_add(passed)
    }

    /// Returns the time that is left until a moment of the clock, or None for ever.
    fn until(&self, at: u64) -> Option<Duration> {
        (at != u64::MAX).then(|| Duration::from_millis(at.saturating_sub(self.now())))
    }
}

/// Threads that wait for responses. One of them polls the endpoint when it wakes.
#[derive(Default)]
pub(super) struct Waiting {
    /// True if the endpoint has something to poll that no thread has begun to poll.
    woken: AtomicBool,
    /// The bells of the threads that sleep.
    bells: Mutex<Vec<Arc<Bell>>>,
}

impl Waiting {
    /// Takes the wake of the endpoint. If no thread sleeps, the next one that would looks for it first.
    pub(super) fn wake(&self) {
        self.woken.store(true, Ordering::SeqCst);
        let one = self.bells.lock().last().cloned();
        if let Some(bell) = one {
            bell.ring();
        }
    }

    /// Sleeps until the bell rings, at most for the given time, unless there is something to poll.
    fn sleep(&self, bell: &Arc<Bell>, most: Option<Duration>) {
        self.bells.lock().push(bell.clone());
        if !self.woken.load(Ordering::SeqCst) {
            bell.wait(most);
        }
        self.bells.lock().retain(|other| !Arc::ptr_eq(other, bell));
    }
}

/// A thread that handles a request.
struct Place<'a> {
    waiting: &'a Waiting,
    endpoint: &'a Endpoint,
    bell: Arc<Bell>,
}

impl Place<'_> {
    /// Polls the exchange until its response is complete. An event stream ends at a moment of the clock.
    fn complete(
        &self,
        exchange: &mut Exchange,
        clock: &Clock,
        stream_end: u64,
    ) -> (Option<Response>, Vec<u8>) {
        let (mut head, mut data) = (None::<Response>, Vec::new());
        let mut ended = false; // since it was polled
        self.endpoint.tick(clock.now());
        loop {
            self.poll_endpoint();
            match exchange.poll(clock.now(), &mut data) {
                Progress::Event(event) => event.run(),
                Progress::Respond(response) => head = Some(response),
                Progress::Data => {}
                Progress::Wait(_) if !ended && (clock.now() >= stream_end || data.len() >= STREAM_BYTES) => {
                    ended = true;
                    exchange.end_stream();
                }
                Progress::Wait(at) => {
                    ended = false;
                    let due = [at, self.endpoint.poll_timeout()].into_iter().flatten().min();
                    let due = due.unwrap_or(u64::MAX);
                    let due = if clock.now() < stream_end { due.min(stream_end) } else { due };
                    self.waiting.sleep(&self.bell, clock.until(due));
                    self.endpoint.tick(clock.now());
                }
                _ => break,
            }
        }
        if let Some(head) = &mut head {
            head.length = Some(data.len() as u64);
        }
        (head, data)
    }

    fn poll_endpoint(&self) {
        while self.waiting.woken.swap(false, Ordering::SeqCst) {
            while let Some(event) = self.endpoint.poll_event() {
                self.waiting.wake(); // another thread polls the rest while this one runs a callback
                event.run();
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.poll_endpoint(); // what this thread was woken for
    }
}

/// A bell on which one thread waits.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock() = true;
        self.changed.notify_one();
    }

    /// Waits until it has rung since the last time, at most for the given time.
    fn wait(&self, most: Option<Duration>) {
        let mut rung = self.rung.lock();
        match most {
            Some(most) if !*rung => drop(self.changed.wait_for(&mut rung, most)),
            None if !*rung => self.changed.wait(&mut rung),
            _ => {}
        }
        *rung = false;
    }
}
