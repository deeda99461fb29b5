//! One request and its response.

use super::endpoint::wellhead_endpoint;
use crate::boundary::{Promise, Shared, call_shared, release, share};
use crate::foreign::{Notice, UserData, notice};
use crate::server::wellhead_pair;
use crate::status::wellhead_error;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str, wellhead_wake_callback};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::Arc;
use wellhead::Result;
use wellhead::http::{Endpoint, Exchange, Progress, RequestHead, Response};

/// cbindgen:ignore
pub struct wellhead_exchange {
    state: Mutex<State>,
    ready: Arc<Notice>,
}

impl Shared for wellhead_exchange {}

struct State {
    /// None while a thread is inside of it, which may run the application's code, and once the handle is freed.
    exchange: Option<Exchange>,
    freed: bool,
    data: Vec<u8>,
    /// True if data came with the head; the next poll reports it.
    data_unreported: bool,
    /// The time at which to poll again.
    until: u64,
    response: Option<Answer>,
}

/// A response, and what C sees of it.
struct Answer {
    _whole: Response,
    _headers: Vec<wellhead_pair>,
    view: wellhead_http_response,
}

// SAFETY: the views point into the other fields, which nothing changes.
unsafe impl Send for Answer {}

/// The head of a request, as the HTTP server of the application has read it. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_http_request {
    pub struct_size: usize,
    /// The method, such as POST; case-sensitive.
    pub method: wellhead_str,
    /// The path and query of the request line. If it is a URL, its host counts instead of Host.
    pub target: wellhead_str,
    /// The header fields in the order in which they came: names in any case, values as they are. Pass :authority of HTTP/2 as
    /// `host`.
    pub headers: *const wellhead_pair,
    pub header_count: usize,
    /// The connection that the request came over: its client's address and port, or what else tells it from others. All
    /// requests of one peer share a part of buffer_bytes. If it is empty because that is unknown, all requests with the
    /// same bearer token share it.
    pub peer: wellhead_str,
}

/// The head of a response.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_http_response {
    pub struct_size: usize,
    pub status: u32,
    /// The header fields; names are in lower case.
    pub headers: *const wellhead_pair,
    pub header_count: usize,
    /// The number of bytes that follow, also in content-length; UINT64_MAX if it is not known.
    pub length: u64,
}

growing!(wellhead_http_request, wellhead_http_response);

/// The response is complete: free the exchange.
pub const WELLHEAD_PROGRESS_DONE: u32 = 0;
/// Read the body: pass it to wellhead_exchange_body, then call wellhead_exchange_end.
pub const WELLHEAD_PROGRESS_BODY: u32 = 1;
/// Send the head that wellhead_exchange_response returns.
pub const WELLHEAD_PROGRESS_RESPOND: u32 = 2;
/// Send the bytes that wellhead_exchange_data returns.
pub const WELLHEAD_PROGRESS_DATA: u32 = 3;
/// Nothing to do now: poll again when `ready` is called.
pub const WELLHEAD_PROGRESS_WAIT: u32 = 4;

/// Begins an exchange with the head of a request. The application frees the exchange.
/// endpoint, request: may not be NULL.
/// now_ms: milliseconds of a monotonic clock of the application, the same for all exchanges and the endpoint.
/// ready: called when wellhead_exchange_poll may have something new to do, on any thread, also for nothing. Like `wake`
/// of wellhead_endpoint_new it may call only _free functions. May be NULL.
/// ready_data: passed to `ready`.
/// ready_destroy: called once with ready_data, after the last `ready` and before wellhead_exchange_free returns, also on
/// failure; may be NULL.
/// Returns NULL if it fails with INVALID_ARGUMENT, or with INVALID_UTF8 for a method, target or name that is not UTF-8.
/// Then the application answers the request with status 400.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_new(
    endpoint: *mut wellhead_endpoint,
    request: *const wellhead_http_request,
    now_ms: u64,
    ready: wellhead_wake_callback,
    ready_data: *mut c_void,
    ready_destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_exchange {
    let ready = notice(ready, UserData::new(ready_data, ready_destroy));
    // SAFETY: our caller's promise.
    unsafe {
        share(error, move |promise| {
            let endpoint = promise.hold(endpoint, "endpoint")?;
            let rung = ready.clone();
            let exchange = begin(promise, &endpoint.endpoint, request, now_ms, move || rung.call())?;
            Ok(wellhead_exchange::new(exchange, None, Vec::new(), ready))
        })
    }
}

/// Begins an exchange of the core with the head of a request.
pub(super) fn begin(
    promise: &Promise,
    endpoint: &Endpoint,
    request: *const wellhead_http_request,
    now_ms: u64,
    ready: impl Fn() + Send + Sync + 'static,
) -> Result<Exchange> {
    let request = promise.fields(request, "request")?;
    let mut headers = Vec::new();
    for line in promise.array(request.headers, request.header_count, "headers")? {
        let value = promise.bytes(line.value, "the value of a header field")?;
        headers.push((promise.text(line.name, "the name of a header field")?, value));
    }
    let head = RequestHead {
        method: promise.text(request.method, "method")?,
        target: promise.text(request.target, "target")?,
        headers: &headers,
        peer: promise.bytes(request.peer, "peer")?,
    };
    Ok(endpoint.begin(&head, now_ms, ready))
}

/// Frees an exchange that is complete, or whose client is gone. Waits while `ready` runs on another thread. When it
/// returns, `ready` is not called again, and `ready_destroy` has run. Does nothing if `exchange` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_free(exchange: *mut wellhead_exchange) {
    // SAFETY: our caller's promise.
    unsafe {
        release(exchange, |this| {
            this.ready.revoke();
            let exchange = {
                let mut state = this.state.lock();
                state.freed = true;
                state.exchange.take()
            };
            drop(exchange); // with no lock held
        });
    }
}

/// Takes a part of the body. May come before the first poll. A body over message_bytes is refused at once: poll, and
/// stop reading.
/// bytes: copied; an absent part is empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_body(exchange: *mut wellhead_exchange, bytes: wellhead_str) {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(exchange, (), |promise, this| {
            if let Ok(bytes) = promise.bytes(bytes, "bytes") {
                this.inside(|exchange| exchange.body(bytes));
            }
        });
    }
}

/// Ends the body. Call it once, when all of the body has come. May come before the first poll.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_end(exchange: *mut wellhead_exchange, now_ms: u64) {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(exchange, (), |_, this| {
            this.inside(|exchange| exchange.end(now_ms));
        });
    }
}

/// Ends a response that is an event stream without an end of its own, for a program that shuts down. A listen stream ends
/// with its result. The stream of a session ends with a `retry`, so that its client reconnects. A call in flight is still
/// answered. Call wellhead_exchange_poll afterwards. May be repeated for a stream that has begun since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_end_stream(exchange: *mut wellhead_exchange) {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(exchange, (), |_, this| {
            this.inside(Exchange::end_stream);
        });
    }
}

/// Returns the next step, one of WELLHEAD_PROGRESS_, and runs callbacks on this thread. now_ms: as in wellhead_exchange_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_poll(exchange: *mut wellhead_exchange, now_ms: u64) -> u32 {
    // SAFETY: our caller's promise.
    unsafe { call_shared(exchange, WELLHEAD_PROGRESS_DONE, |_, this| this.poll(now_ms)) }
}

/// Returns the time by which to poll again, in milliseconds of the clock: for a comment that keeps a stream alive, or
/// because the body is due. Returns UINT64_MAX if there is no deadline, or if `exchange` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_poll_timeout(exchange: *const wellhead_exchange) -> u64 {
    // SAFETY: our caller's promise.
    unsafe { call_shared(exchange, u64::MAX, |_, this| this.state.lock().until) }
}

/// Returns the head to send, once wellhead_exchange_poll has returned WELLHEAD_PROGRESS_RESPOND, and NULL before. It is
/// borrowed until the exchange is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_response(
    exchange: *const wellhead_exchange,
) -> *const wellhead_http_response {
    let none = std::ptr::null();
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(exchange, none, |_, this| {
            this.state.lock().response.as_ref().map_or(none, |answer| &raw const answer.view)
        })
    }
}

/// Returns the bytes to send, after wellhead_exchange_poll has returned WELLHEAD_PROGRESS_DATA. They are borrowed until
/// the next wellhead_exchange_poll.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_data(exchange: *const wellhead_exchange) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(exchange, wellhead_str::ABSENT, |_, this| wellhead_str::bytes(&this.state.lock().data))
    }
}

impl wellhead_exchange {
    /// Makes the handle of an exchange, with the head and the data of its response if it is complete already.
    pub(super) fn new(
        exchange: Exchange,
        head: Option<Response>,
        data: Vec<u8>,
        ready: Arc<Notice>,
    ) -> wellhead_exchange {
        let (exchange, response) = (Some(exchange), head.map(Answer::new));
        let state = State { exchange, freed: false, data, data_unreported: false, until: u64::MAX, response };
        wellhead_exchange { state: Mutex::new(state), ready }
    }

    /// Does something with the exchange, with no lock held. Returns None if the exchange is freed, or if a thread is
    /// inside of it already.
    fn inside<R>(&self, run: impl FnOnce(&mut Exchange) -> R) -> Option<R> {
        let mut exchange = self.state.lock().exchange.take()?;
        let result = run(&mut exchange);
        let mut state = self.state.lock();
        if state.freed {
            drop(state);
            drop(exchange); // with no lock held
            return None;
        }
        state.exchange = Some(exchange);
        Some(result)
    }

    fn poll(&self, now: u64) -> u32 {
        loop {
            let mut data = {
                let mut state = self.state.lock();
                if state.freed {
                    return WELLHEAD_PROGRESS_DONE;
                }
                if std::mem::take(&mut state.data_unreported) {
                    return WELLHEAD_PROGRESS_DATA;
                }
                std::mem::take(&mut state.data)
            };
            data.clear();
            let progress = self.inside(|exchange| exchange.poll(now, &mut data));
            let mut state = self.state.lock();
            let has_data = !data.is_empty();
            state.data = data;
            state.until = u64::MAX;
            return match progress {
                Some(Progress::Event(event)) => {
                    drop(state);
                    event.run(); // with no lock held
                    continue;
                }
                Some(Progress::Body(at)) => {
                    state.until = at;
                    WELLHEAD_PROGRESS_BODY
                }
                Some(Progress::Respond(head)) => {
                    state.response = Some(Answer::new(head));
                    state.data_unreported = has_data;
                    WELLHEAD_PROGRESS_RESPOND
                }
                Some(Progress::Data) => WELLHEAD_PROGRESS_DATA,
                Some(Progress::Wait(at)) => {
                    state.until = at.unwrap_or(u64::MAX);
                    WELLHEAD_PROGRESS_WAIT
                }
                Some(_) => WELLHEAD_PROGRESS_DONE,
                None if state.freed => WELLHEAD_PROGRESS_DONE,
                None => WELLHEAD_PROGRESS_WAIT,
            };
        }
    }
}

impl Answer {
    fn new(whole: Response) -> Answer {
        let lines = whole.headers.iter();
        let headers: Vec<_> = lines
            .map(|(name, value)| wellhead_pair {
                name: wellhead_str::from_text(name),
                value: wellhead_str::from_text(value),
            })
            .collect();
        let view = wellhead_http_response {
            struct_size: size_of::<wellhead_http_response>(),
            status: whole.status.into(),
            headers: headers.as_ptr(),
            header_count: headers.len(),
            length: whole.length.unwrap_or(u64::MAX),
        };
        Answer { _whole: whole, _headers: headers, view }
    }
}
