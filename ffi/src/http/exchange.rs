//! One request and its response.

use super::endpoint::wellhead_endpoint;
use crate::boundary::{ask, free, make};
use crate::foreign::UserData;
use crate::server::wellhead_pair;
use crate::status::wellhead_error;
use crate::types::{growing, wellhead_str};
use parking_lot::Mutex;
use std::ffi::c_void;
use wellhead::http::{Exchange, Progress, RequestHead, Response};

/// cbindgen:ignore
pub struct wellhead_exchange(Mutex<State>);

struct State {
    exchange: Exchange,
    data: Vec<u8>,
    /// The data came with the head.
    untold: bool,
    /// When to poll again.
    until: u64,
    response: Option<Answer>,
}

/// A response, and what C sees of it.
struct Answer {
    _whole: Response,
    _headers: Vec<wellhead_pair>,
    view: wellhead_response,
}

// SAFETY: the views are into what is kept beside them, which nothing changes.
unsafe impl Send for Answer {}

/// The head of a request, as the host's HTTP server has read it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_request {
    pub struct_size: usize,
    /// Such as POST; case-sensitive.
    pub method: wellhead_str,
    /// Path and query, as in the request line. Of a URL the host counts, whatever Host says.
    pub target: wellhead_str,
    /// Field lines in the order in which they came: names in any case, values as they are. HTTP/2's :authority is host.
    pub headers: *const wellhead_pair,
    pub header_count: usize,
}

/// The head of a response.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_response {
    pub struct_size: usize,
    pub status: u32,
    /// Field lines, names in lower case.
    pub headers: *const wellhead_pair,
    pub header_count: usize,
    /// How many bytes follow, then content-length is among the headers; UINT64_MAX: not known.
    pub length: u64,
}

growing!(wellhead_request, wellhead_response);

/// The response is complete: free the exchange.
pub const WELLHEAD_PROGRESS_DONE: u32 = 0;
/// Read the body: give it to wellhead_exchange_body, then call wellhead_exchange_end.
pub const WELLHEAD_PROGRESS_BODY: u32 = 1;
/// Send the head that wellhead_exchange_response tells.
pub const WELLHEAD_PROGRESS_RESPOND: u32 = 2;
/// Send wellhead_exchange_data.
pub const WELLHEAD_PROGRESS_DATA: u32 = 3;
/// Nothing now: poll again when `ready` was called.
pub const WELLHEAD_PROGRESS_WAIT: u32 = 4;

/// A request has come, of which the head is known so far. now_ms: milliseconds of a monotonic clock of the host's choosing,
/// one for all exchanges and the endpoint. ready: called on any thread, perhaps for nothing, when wellhead_exchange_poll has
/// something to do that it had not before; as `wake` of wellhead_endpoint_new it only tells. ready: may be NULL. ready_destroy:
/// called once, after the last `ready`, also on failure; may be NULL. NULL on failure: INVALID_ARGUMENT, INVALID_UTF8 for a
/// method, target or name that is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_new(
    endpoint: *mut wellhead_endpoint,
    request: *const wellhead_request,
    now_ms: u64,
    ready: Option<unsafe extern "C" fn(ready_data: *mut c_void)>,
    ready_data: *mut c_void,
    ready_destroy: Option<unsafe extern "C" fn(ready_data: *mut c_void)>,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_exchange {
    let data = UserData::new(ready_data, ready_destroy);
    // SAFETY: our caller's promise.
    unsafe {
        make(error, move |promise| {
            let endpoint = promise.handle(endpoint.cast_const(), "endpoint")?;
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
            };
            let exchange = endpoint.0.begin(&head, now_ms, move || {
                if let Some(ready) = ready {
                    ready(data.get());
                }
            });
            let state = State { exchange, data: Vec::new(), untold: false, until: u64::MAX, response: None };
            Ok(wellhead_exchange(Mutex::new(state)))
        })
    }
}

/// The exchange is over, or its client is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_free(exchange: *mut wellhead_exchange) {
    // SAFETY: our caller's promise.
    unsafe { free(exchange) }
}

/// Some of the body, also before it was asked for; it is copied. More than message_bytes is refused at once: poll, and read
/// no further.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_body(exchange: *mut wellhead_exchange, bytes: wellhead_str) {
    // SAFETY: our caller's promise.
    unsafe {
        ask(exchange.cast_const(), (), |promise, this| {
            if let Ok(bytes) = promise.bytes(bytes, "bytes") {
                this.0.lock().exchange.body(bytes);
            }
        });
    }
}

/// The body is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_end(exchange: *mut wellhead_exchange, now_ms: u64) {
    // SAFETY: our caller's promise.
    unsafe { ask(exchange.cast_const(), (), |_, this| this.0.lock().exchange.end(now_ms)) }
}

/// What is to be done now, one of WELLHEAD_PROGRESS_; runs callbacks on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_poll(exchange: *mut wellhead_exchange, now_ms: u64) -> u32 {
    // SAFETY: our caller's promise.
    unsafe { ask(exchange.cast_const(), WELLHEAD_PROGRESS_DONE, |_, this| this.poll(now_ms)) }
}

/// When to poll again at the latest, in milliseconds of the clock: for a comment that keeps a stream alive, or because a body
/// has to be there by then. UINT64_MAX: never.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_poll_timeout(exchange: *const wellhead_exchange) -> u64 {
    // SAFETY: our caller's promise.
    unsafe { ask(exchange, u64::MAX, |_, this| this.0.lock().until) }
}

/// The head to send, once poll has said WELLHEAD_PROGRESS_RESPOND; borrowed until the exchange is freed. NULL before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_response(
    exchange: *const wellhead_exchange,
) -> *const wellhead_response {
    let none = std::ptr::null();
    // SAFETY: our caller's promise.
    unsafe {
        ask(exchange, none, |_, this| {
            this.0.lock().response.as_ref().map_or(none, |answer| &raw const answer.view)
        })
    }
}

/// The bytes to send, after poll has said WELLHEAD_PROGRESS_DATA; borrowed until the next poll.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_exchange_data(exchange: *const wellhead_exchange) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { ask(exchange, wellhead_str::ABSENT, |_, this| wellhead_str::bytes(&this.0.lock().data)) }
}

impl wellhead_exchange {
    fn poll(&self, now: u64) -> u32 {
        loop {
            let event = {
                let mut state = self.0.lock();
                let State { exchange, data, untold, until, response } = &mut *state;
                if std::mem::take(untold) {
                    return WELLHEAD_PROGRESS_DATA;
                }
                data.clear();
                *until = u64::MAX;
                match exchange.poll(now, data) {
                    Progress::Event(event) => event,
                    Progress::Body(at) => {
                        *until = at;
                        return WELLHEAD_PROGRESS_BODY;
                    }
                    Progress::Respond(head) => {
                        *response = Some(Answer::new(head));
                        *untold = !data.is_empty();
                        return WELLHEAD_PROGRESS_RESPOND;
                    }
                    Progress::Data => return WELLHEAD_PROGRESS_DATA,
                    Progress::Wait(at) => {
                        *until = at.unwrap_or(u64::MAX);
                        return WELLHEAD_PROGRESS_WAIT;
                    }
                    _ => return WELLHEAD_PROGRESS_DONE,
                }
            };
            event.run(); // with no lock held
        }
    }
}

impl Answer {
    fn new(whole: Response) -> Answer {
        let lines = whole.headers.iter();
        let headers: Vec<_> = lines
            .map(|(name, value)| wellhead_pair {
                name: wellhead_str::of(name),
                value: wellhead_str::of(value),
            })
            .collect();
        let view = wellhead_response {
            struct_size: size_of::<wellhead_response>(),
            status: whole.status.into(),
            headers: headers.as_ptr(),
            header_count: headers.len(),
            length: whole.length.unwrap_or(u64::MAX),
        };
        Answer { _whole: whole, _headers: headers, view }
    }
}
