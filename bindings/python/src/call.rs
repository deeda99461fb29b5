//! A call of a callback, as the callback sees it.

use crate::access::Caller;
use crate::callbacks::Callbacks;
use crate::convert;
use crate::errors::{OrRaise, ends, error};
use crate::exit::{detach, try_attach};
use crate::hook::{raising, uncaught};
use crate::imported::Imported;
use crate::lock::lock;
use crate::log;
use crate::responder::{Notifies, Slot, Watched};
use crate::session::{LOG_MESSAGE, Session, log_params};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex, Weak};
use wellhead::{ClientRequestError, ErrorKind, Json};

/// A call of one of the program's callbacks by the server.
///
/// A callback gets it in a parameter that is annotated `wellhead.Call`. The callback may keep it after
/// its return. All methods are thread-safe.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Call {
    about: About,
    callbacks: Weak<Callbacks>,
    caller: Option<Py<Caller>>,
    slot: Arc<dyn Watched>,
    /// The arguments with which an around callback replaced those of the client, as JSON.
    changed: Mutex<Option<Json>>,
}

/// The call as the core describes it, without its responder.
pub(crate) enum About {
    Read(wellhead::Call),
    List(wellhead::ListCall),
    Authorize(wellhead::AuthorizeCall),
    Complete(wellhead::CompleteCall),
    Method(wellhead::MethodCall),
    Verify(wellhead::VerifyCall),
}

/// Evaluates an expression with the core's call. It is `None` for a call of `verify`, which lacks that
/// value.
macro_rules! common {
    ($about:expr, $call:ident => $value:expr) => {
        match $about {
            About::Read($call) => Some($value),
            About::List($call) => Some($value),
            About::Authorize($call) => Some($value),
            About::Complete($call) => Some($value),
            About::Method($call) => Some($value),
            About::Verify(_) => None,
        }
    };
}

impl About {
    /// Drops the context of the request. It may refer to the Python call, and garbage collection does not see it here.
    fn forget_request_context(&mut self) {
        match self {
            About::Read(call) => call.forget_request_context(),
            About::List(call) => call.forget_request_context(),
            About::Authorize(call) => call.forget_request_context(),
            About::Complete(call) => call.forget_request_context(),
            About::Method(call) => call.forget_request_context(),
            About::Verify(call) => call.forget_request_context(),
        }
    }
}

impl Call {
    pub(crate) fn new<A: Notifies>(
        py: Python<'_>,
        mut about: About,
        callbacks: &Arc<Callbacks>,
        slot: Arc<Slot<A>>,
    ) -> Self {
        let carried = || common!(&about, call => Caller::from_core(py, call.caller())).flatten();
        let caller = callbacks.caller(py).or_else(carried);
        about.forget_request_context();
        Call { about, callbacks: Arc::downgrade(callbacks), caller, slot, changed: Mutex::default() }
    }

    /// Returns the core's call of a read; `None` for other calls.
    pub(crate) fn read(&self) -> Option<&wellhead::Call> {
        match &self.about {
            About::Read(call) => Some(call),
            _ => None,
        }
    }
}

#[pymethods]
impl Call {
    /// The URI of the request as the client wrote it, a `str`. Empty in calls that are not about one URI.
    #[getter]
    fn uri(&self) -> &str {
        match &self.about {
            About::Read(call) => call.uri(),
            About::List(call) => call.uri().unwrap_or_default(),
            _ => "",
        }
    }

    /// The `Caller` on whose behalf the client sends its requests: the one of the `Grant` that `verify`
    /// returned, or the one that the application gave to `Server.connect`. The id of the `Caller` is empty over
    /// stdio.
    #[getter]
    fn caller(&self, py: Python<'_>) -> PyResult<Py<Caller>> {
        match &self.caller {
            Some(caller) => Ok(caller.clone_ref(py)),
            None => Py::new(py, Caller::unknown(py)),
        }
    }

    /// The value that the `lifespan` of the server yielded. None if the server has no lifespan, and for clients
    /// of `Server.connect`.
    #[getter]
    fn lifespan(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.callbacks.upgrade().and_then(|callbacks| callbacks.lifespan(py))
    }

    /// The protocol revision of the request, named by its date, such as `2025-06-18`.
    #[getter]
    fn revision(&self) -> &'static str {
        common!(&self.about, call => call.revision()).unwrap_or_default()
    }

    /// The request's `_meta` as the client sent it, a dict, such as `{"traceparent": "…"}`. The library does
    /// not check it: do not trust it.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match common!(&self.about, call => call.meta()).flatten() {
            Some(meta) => loads(py, meta),
            None => Ok(PyDict::new(py).into_any()),
        }
    }

    /// The version of the resource that the client already has, a `str`. None if the client named none. If that
    /// version is current, return `wellhead.NOT_MODIFIED` instead of a body.
    #[getter]
    fn if_version(&self) -> Option<&str> {
        self.read()?.if_version()
    }

    /// The name of the method that the client called, such as `tools/call`. In each read it is
    /// `resources/read`, also for a client of the `resources/get` dialect. Empty in other calls, such as those
    /// of `Server.list` and `authorize`.
    #[getter]
    fn method(&self) -> &str {
        match &self.about {
            About::Method(call) => call.method(),
            About::Read(_) => "resources/read",
            _ => "",
        }
    }

    /// The request's `params` as the client sent them, a dict, in a call of `Server.method`, `tool` or
    /// `prompt`. Empty in other calls. An around callback may have replaced the `arguments`.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let About::Method(call) = &self.about else { return Ok(PyDict::new(py).into_any()) };
        let params = loads(py, call.params())?;
        let changed = lock(&self.changed).clone();
        if let Some(changed) = changed {
            params.set_item("arguments", loads(py, changed.as_str())?)?;
        }
        Ok(params)
    }

    /// The `arguments` of the call as JSON text, a `str`, in which each number has the digits that the client
    /// wrote. `{}` in calls without arguments. An around callback may have replaced them. In the arguments that
    /// the function gets, an integer is exact, and a number with a point or an exponent is the nearest float.
    /// `json.loads(call.arguments_json, parse_float=decimal.Decimal)` keeps that exact, too.
    #[getter]
    fn arguments_json(&self) -> String {
        let About::Method(call) = &self.about else { return "{}".to_owned() };
        let changed = lock(&self.changed);
        changed.as_ref().map_or(call.arguments(), |changed| changed.as_str()).to_owned()
    }

    /// Replaces the arguments, for `_around.py`. Returns those that the callback gets.
    fn _change<'py>(&self, arguments: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, arguments) = (arguments.py(), convert::object("arguments", arguments)?);
        let checked = detach(py, || self.slot.check_arguments(&arguments)).or_raise(py)?;
        let given = loads(py, checked.as_str())?;
        *lock(&self.changed) = Some(checked);
        Ok(given)
    }

    /// The name of the tool that the client called, or of the prompt that it got. None in other calls.
    #[getter]
    fn name(&self) -> Option<&str> {
        match &self.about {
            About::Method(call) => call.name(),
            _ => None,
        }
    }

    /// The client's own description of itself, a dict with `name` and `version`. Use it for logs, not for
    /// decisions. None if the client sent none, and once the call is answered.
    #[getter]
    fn client<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let client = detach(py, || self.slot.client());
        client.map(|client| loads(py, &client)).transpose()
    }

    /// The capabilities that the client declares, a dict such as `{"sampling": {}}`. None once the call is
    /// answered.
    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let capabilities = detach(py, || self.slot.client_capabilities());
        capabilities.map(|capabilities| loads(py, &capabilities)).transpose()
    }

    /// The session of the client, a `wellhead.Session`, which the application may keep beyond the call. None in
    /// revision 2026-07-28, which has no sessions, over HTTP with `sessions=False`, and once the call is answered.
    #[getter]
    fn session(&self, py: Python<'_>) -> Option<Session> {
        detach(py, || self.slot.session()).map(Session)
    }

    /// Returns the client's settings of an extension of the protocol, a dict. Returns None if the client does
    /// not declare the extension, and once the call is answered.
    ///
    /// Args:
    ///     id: The identifier of the extension, such as `com.example/charts`.
    #[pyo3(signature = (id, /))]
    fn extension<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, id) = (id.py(), convert::string("id", id)?);
        let settings = detach(py, || self.slot.extension(&id));
        settings.map(|settings| loads(py, &settings)).transpose()
    }

    /// True if the client declares that it shows MCP Apps. False once the call is answered.
    #[getter]
    fn client_supports_apps(&self, py: Python<'_>) -> bool {
        detach(py, || self.slot.client_supports_apps())
    }

    /// The filter with which a client of the `resources/get` dialect asks for a list, a dict. None if there is
    /// no filter. Wellhead passes its members on unchecked. A cursor works only with the filter of its own list.
    #[getter]
    fn filter<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let About::List(call) = &self.about else { return Ok(None) };
        call.filter().map(|filter| loads(py, filter.as_str())).transpose()
    }

    /// The client's answers to an `InputRequired` that the callback raised, a dict by the keys of its
    /// `inputRequests`. None if the request has no answers, as the first one. Only in reads: a tool or a prompt
    /// finds them in `params`.
    #[getter]
    fn input_responses<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let responses = self.read().and_then(wellhead::Call::input_responses);
        responses.map(|responses| loads(py, responses)).transpose()
    }

    /// The `requestState` of an earlier `InputRequired` as the client sent it back, a `str`. None if the client
    /// sent none. A client can invent one: see `open_state`. Only in reads: a tool or a prompt finds it in
    /// `params`.
    #[getter]
    fn request_state(&self) -> Option<&str> {
        self.read()?.request_state()
    }

    /// Returns a `requestState` that only `open_state` opens, for the same caller and URI. It is encrypted with
    /// the server's cursor key. Only in reads, else it is empty: in a tool or a prompt use `require_input`.
    ///
    /// A client can send the same state back any number of times.
    ///
    /// Args:
    ///     state: The text to seal.
    ///     until: The time at which the state expires, on a clock that all instances share, such as milliseconds
    ///         of Unix time.
    #[pyo3(signature = (state, until, /))]
    fn seal_state(&self, state: &Bound<'_, PyAny>, until: &Bound<'_, PyAny>) -> PyResult<String> {
        let (py, state, until) =
            (state.py(), convert::string("state", state)?, convert::count("until", until)?);
        let (Some(call), Some(callbacks)) = (self.read(), self.callbacks.upgrade()) else {
            return Ok(String::new());
        };
        Ok(callbacks.server.get().core(py).seal_state(call.caller(), call.uri(), &state, until))
    }

    /// Returns the text that an earlier call sealed with `seal_state`, from the `requestState` of this request.
    /// Only in reads, else None.
    ///
    /// Args:
    ///     now: The present time, on the clock of `seal_state`.
    ///
    /// Returns:
    ///     The text. None if the request has no state, and if the state is invented, is expired, or belongs to
    ///         another caller or URI. Raise `InvalidState` then.
    #[pyo3(signature = (now, /))]
    fn open_state(&self, now: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let (py, now) = (now.py(), convert::count("now", now)?);
        let (Some(call), Some(callbacks)) = (self.read(), self.callbacks.upgrade()) else { return Ok(None) };
        let Some(state) = call.request_state() else { return Ok(None) };
        Ok(callbacks.server.get().core(py).open_state(call.caller(), call.uri(), state, now))
    }

    /// Returns the value of a header field of the HTTP request that the call came with.
    ///
    /// A client can write anything into most fields: to identify it, use `caller`.
    ///
    /// Args:
    ///     name: The name of the field, such as `Mcp-Method`. Case does not matter.
    ///
    /// Returns:
    ///     The value. None if the field is absent, came more than once, or is not text. Always None over stdio.
    #[pyo3(signature = (name, /))]
    fn header(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<&str>> {
        let name = convert::string("name", name)?;
        Ok(match &self.about {
            About::Verify(call) => call.header(&name),
            about => common!(about, call => call.header(&name)).flatten(),
        })
    }

    /// The query of the HTTP request that the call came with, a `str` as it came, for `urllib.parse.parse_qs`:
    /// `tenant=a` of `/mcp?tenant=a`. None if the URL has no query, and over stdio.
    #[getter]
    fn query(&self) -> Option<&str> {
        match &self.about {
            About::Verify(call) => call.query(),
            about => common!(about, call => call.query()).flatten(),
        }
    }

    /// The lowest level of log messages that the request asks for, such as `warning`. None if it asks for none,
    /// in a session, and in calls other than those of methods, tools and prompts.
    #[getter]
    fn log_level(&self) -> Option<String> {
        match &self.about {
            About::Method(call) => call.log_level(),
            _ => None,
        }
    }

    /// Sends the client a notification about this call, before its answer. Only in calls of methods, tools
    /// and prompts. Never blocks.
    ///
    /// Args:
    ///     method: A name that begins with `notifications/`.
    ///     params: The parameters, a dict. None sends none.
    ///
    /// Returns:
    ///     True if it was sent. False if the call is answered or cancelled, or if the client leaves as many
    ///         bytes unread as `output_bytes` allows. False too if only the answer can reach the client: it
    ///         accepts JSON alone, or the call came through `Connection.handle`. False for a
    ///         `notifications/message` below the level that the client asked for.
    ///
    /// Raises:
    ///     UsageError: With `invalid_argument` in each case: `method` is no notification, or one that
    ///         the server sends itself. A `notifications/message` has no level, or the server does not declare
    ///         the capability `logging`. The call is a read, a list, a completion or of `authorize`.
    #[pyo3(signature = (method, params = None, /))]
    fn notify(&self, method: &Bound<'_, PyAny>, params: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (py, method) = (method.py(), convert::string("method", method)?);
        let params = convert::optional(params, |params| convert::object("params", params))?;
        match detach(py, || self.slot.notify(&method, params.as_ref())) {
            Some(sent) => sent.or_raise(py),
            None => Ok(false),
        }
    }

    /// Sends the client a log message about this call, a `notifications/message`, as `notify` does. In a
    /// session the client gets lines of the level that it set by `logging/setLevel`, or of a higher one;
    /// `warning` before it sets one. In revision 2026-07-28 each request names its lowest level.
    ///
    /// Args:
    ///     level: The level of the line, from `debug` to `emergency`.
    ///     data: A text, or another value that can be written as JSON.
    ///     logger: The name of the part of the application that the line is from. None sends no name.
    ///
    /// Returns:
    ///     True if it was sent. False for the reasons that `notify` names.
    ///
    /// Raises:
    ///     UsageError: With `invalid_argument`: there is no level of this name, or the server does not
    ///         declare the capability `logging`. The call is a read, a list, a completion or of `authorize`: use
    ///         `call.session.log` there.
    #[pyo3(signature = (level, data, /, logger = None))]
    fn log(
        &self,
        level: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        logger: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let (py, params) = (level.py(), log_params(level, data, logger)?);
        match detach(py, || self.slot.notify(LOG_MESSAGE, Some(&params))) {
            Some(sent) => sent.or_raise(py),
            None => Ok(false),
        }
    }

    /// Sends the client the progress of its request, if it asked for progress.
    ///
    /// A `progress` that is not greater than the one before is dropped. A slow client gets only the newest one.
    /// Never blocks.
    ///
    /// Args:
    ///     progress: The work done so far, in any unit, such as bytes.
    ///     total: The whole work in the same unit. None if it is unknown.
    ///     message: A text for people about the progress. None sends none.
    ///
    /// Returns:
    ///     False if no progress can be sent: the client did not ask for it, only an answer can reach it, or the
    ///         request is over. Else True. `cancelled` tells whether to stop the work.
    #[pyo3(signature = (progress, total = None, message = None, /))]
    fn progress(
        &self,
        progress: &Bound<'_, PyAny>,
        total: Option<&Bound<'_, PyAny>>,
        message: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let (py, progress) = (progress.py(), convert::number("progress", progress)?);
        let total = convert::optional(total, |total| convert::number("total", total))?;
        let message = convert::optional(message, |message| convert::string("message", message))?;
        Ok(detach(py, || self.slot.progress(progress, total, message.as_deref())))
    }

    /// Ends the HTTP event stream that carries the answer, before there is an answer, so that a long call
    /// keeps no HTTP connection open.
    ///
    /// The client connects again after `retry_ms` milliseconds, and then gets the messages that it missed. Only
    /// the revision 2025-11-25 has this.
    ///
    /// Returns:
    ///     True if the stream ends now. False if there is no such stream: over stdio, in other revisions, for a
    ///         client that accepts only JSON, after the answer, and for a stream that is closed already.
    #[pyo3(signature = (retry_ms, /))]
    fn close_event_stream(&self, retry_ms: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, retry_ms) = (retry_ms.py(), convert::count("retry_ms", retry_ms)?);
        Ok(detach(py, || self.slot.close_event_stream(retry_ms)))
    }

    /// Asks the client for one of its features by a name, in every protocol revision, and returns the
    /// client's result, a dict. Only in reads, tools and prompts, and in methods up to revision 2025-11-25. Never
    /// blocks.
    ///
    /// The first time there is no result yet: `Waiting` is raised, which the callback must not catch. The
    /// callback **runs again from its start** when the client has answered. So all code before the latest
    /// request runs once more each time.
    ///
    /// In 2026-07-28 the call is answered with `input_required`, and the answers so far travel in a sealed
    /// `requestState`, good for this call for 10 minutes, with each instance that has the key. That revision
    /// deprecates sampling and roots, which still work. In earlier revisions the server sends the client a
    /// request.
    ///
    /// Args:
    ///     name: A name that is unique in the callback, and the same in every run.
    ///     method: `sampling/createMessage`, `elicitation/create` or `roots/list`.
    ///     params: The parameters, a dict. None sends none.
    ///
    /// Raises:
    ///     Waiting: The client has not answered yet. Do not catch it.
    ///     MissingCapability: The client did not declare the capability that the method needs.
    ///     ErrorFromClient: The client answered with an error.
    ///     InvalidAnswer: The client's answer does not fit the form that it was asked to fill in.
    ///     InvalidState: The client sent a state that is forged, expired, or of another call. Do not catch it.
    ///     UsageError: With `invalid_argument` in each case: `method` is none of the three. The callback
    ///         used `name` for another request before. A client cannot show the form, which must be one flat
    ///         object. The call is of a method in 2026-07-28. Only the answer can reach the client: see `notify`.
    ///     ClosedError: The call is already answered.
    #[pyo3(signature = (name, method, params = None, /))]
    fn require_input<'py>(
        &self,
        name: &Bound<'py, PyAny>,
        method: &Bound<'py, PyAny>,
        params: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = name.py();
        let (name, method) = (convert::string("name", name)?, convert::string("method", method)?);
        let params = convert::optional(params, |params| convert::object("params", params))?;
        match detach(py, || self.slot.require_input(&name, &method, params.as_ref())) {
            Some(Ok(result)) => loads(py, result.as_str()),
            Some(Err(why)) => Err(unanswered(py, why)),
            None => Err(error(py, ErrorKind::Closed, "the call is over; ask before it is answered")),
        }
    }

    /// Sends the client a request before this call is answered, and returns a future of the client's
    /// result. Only in calls of methods, tools and prompts.
    ///
    /// The future raises `ErrorFromClient` if the client answers with an error. The future is cancelled if the call
    /// is answered or cancelled first, or if the client is gone. Cancelling the future cancels the request. Do
    /// not wait for the future on a thread that runs callbacks: return a future, or use `send_request_async`.
    ///
    /// Args:
    ///     method: `sampling/createMessage`, `elicitation/create` or `roots/list`.
    ///     params: The parameters, a dict. None sends none.
    ///
    /// Raises:
    ///     UsageError: With `invalid_argument` in each case: `method` is none of the three. The client
    ///         lacks the capability. The revision has no requests to clients: raise `InputRequired` there. Only the
    ///         answer can reach the client: see `notify`.
    ///     LimitError: The client leaves as many bytes unread as `output_bytes` allows.
    ///     ClosedError: The call is already answered.
    #[pyo3(signature = (method, params = None, /))]
    fn send_request<'py>(
        this: &Bound<'py, Self>,
        method: &Bound<'py, PyAny>,
        params: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static REQUEST: Imported = Imported::new("wellhead._requests", "request");
        REQUEST.get(this.py())?.call1((this, method, params))
    }

    /// Sends the client a request, and returns its result, in an `async def`. Arguments and errors are
    /// those of `send_request` and of its future.
    #[pyo3(signature = (method, params = None, /))]
    fn send_request_async<'py>(
        this: &Bound<'py, Self>,
        method: &Bound<'py, PyAny>,
        params: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._asyncio")?.getattr("request")?.call1((this, method, params))
    }

    /// Sends the request for `_requests.py`, and has `future` wait for the answer.
    fn _request(
        &self,
        method: &Bound<'_, PyAny>,
        params: Option<&Bound<'_, PyAny>>,
        future: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        let (py, method) = (future.py(), convert::string("method", method)?);
        let params = convert::optional(params, |params| convert::object("params", params))?;
        let sent = detach(py, || self.slot.request(&method, params.as_ref()));
        let (Some(callbacks), Some(sent)) = (self.callbacks.upgrade(), sent) else {
            return Err(error(py, ErrorKind::Closed, "the call is over; ask before it is answered"));
        };
        let (connection, number) = sent.or_raise(py)?;
        callbacks.requests.wait_for(future, (connection, number))?;
        Ok(number)
    }

    /// Cancels a request for `_requests.py`, since its answer is not wanted any more.
    fn _give_up(&self, py: Python<'_>, number: u64) {
        detach(py, || self.slot.give_up(number));
    }

    /// True once the answer is no longer wanted: the client cancelled the request, or is gone. A callback that
    /// runs for long checks it now and then, and returns early.
    #[getter]
    fn cancelled(&self) -> bool {
        self.slot.is_cancelled()
    }

    /// Calls `function()` when the answer is no longer wanted, as `cancelled` says; at once if it is not wanted
    /// now.
    ///
    /// So a `def` callback that waits can be interrupted: `call.on_cancel(process.kill)`. The task of an `async
    /// def` callback is cancelled without it. `function` is called at most once, and never after the call was
    /// answered. It runs on the thread that notices the cancellation, which often is the one that reads the
    /// client's messages, so it must return quickly. An exception that it raises is logged. Several functions
    /// are called in the order in which they were added.
    ///
    /// Args:
    ///     function: A function without arguments. Its result is ignored.
    ///
    /// Raises:
    ///     ClosedError: The call was answered before, or it is a call of a `verify` callback.
    #[pyo3(signature = (function, /))]
    fn on_cancel(&self, function: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = function.py();
        convert::function("function", "a function", function)?;
        let function = function.clone().unbind();
        let hook = Box::new(move || {
            try_attach(|py| {
                if let Err(e) = function.bind(py).call0() {
                    if ends(py, &e) {
                        uncaught(py, e, None);
                    } else {
                        log::exception(py, "a function given to `on_cancel` failed", e);
                    }
                }
            });
        });
        let is_token = matches!(self.about, About::Verify(_));
        if is_token || !raising(|| detach(py, || self.slot.on_cancel(hook)))? {
            return Err(error(py, ErrorKind::Closed, "the call was answered; call `on_cancel` before"));
        }
        Ok(())
    }

    /// The variables of the template that the URI contains, by name, percent-decoded, in the order of the
    /// template.
    ///
    /// An exploded variable is a list of `str`. Useful for names that are not Python identifiers, and for
    /// callbacks that serve many templates.
    #[getter]
    fn vars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vars = PyDict::new(py);
        let Some(call) = self.read() else { return Ok(vars) };
        for name in call.names() {
            if call.is_list(name) {
                vars.set_item(name, call.values(name))?;
            } else {
                vars.set_item(name, call.var(name))?;
            }
        }
        Ok(vars)
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Call {}>", self.uri())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.caller)
    }
}

/// Returns the exception for a request to the client that got no result, such as `Waiting`.
fn unanswered(py: Python<'_>, why: ClientRequestError) -> PyErr {
    let raise = |name: &str, arguments: Bound<'_, PyTuple>| {
        let class = py.import("wellhead._errors").and_then(|errors| errors.getattr(name));
        match class.and_then(|class| class.call1(arguments)) {
            Ok(raised) => PyErr::from_value(raised),
            Err(e) => e,
        }
    };
    let raised = match why {
        ClientRequestError::Waiting => Ok(("Waiting", PyTuple::empty(py))),
        ClientRequestError::InvalidState => Ok(("InvalidState", PyTuple::empty(py))),
        ClientRequestError::MissingCapability(needed) => loads(py, needed.as_str())
            .and_then(|needed| Ok(("MissingCapability", (needed,).into_pyobject(py)?))),
        ClientRequestError::Refused(refused) => {
            let data = refused.data_json().map(|data| loads(py, data.as_str())).transpose();
            data.and_then(|data| {
                Ok(("ErrorFromClient", (refused.rpc_code(), refused.message(), data).into_pyobject(py)?))
            })
        }
        ClientRequestError::Failed(why) => {
            return match Err::<(), _>(why).or_raise(py) {
                Err(e) => e,
                Ok(()) => error(py, ErrorKind::Closed, "the request was not sent"),
            };
        }
        ClientRequestError::InvalidAnswer(why) => (why,).into_pyobject(py).map(|why| ("InvalidAnswer", why)),
        why => return error(py, ErrorKind::InvalidArgument, &why.to_string()),
    };
    raised.map_or_else(|e| e, |(name, arguments)| raise(name, arguments))
}

/// Parses JSON text into Python's values.
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: Imported = Imported::new("wellhead._json", "loads");
    LOADS.get(py)?.call1((text,))
}
