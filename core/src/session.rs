//! A session of a client, for an application that keeps it beyond a call.

use crate::connection::ConnectionState;
use crate::error::Result;
use crate::jsonrpc::write::Object;
use crate::model::Json;
use std::fmt;
use std::sync::{Arc, Weak};

/// The session that a client began with `initialize`. Any thread may keep copies of this handle, which keep nothing
/// alive. [`Session::notify`] sends notifications outside of calls; after the end of the session it sends nothing.
///
/// Revision 2026-07-28 has no sessions, and neither has an endpoint of HTTP with `sessions` off.
///
/// ```
/// use std::sync::Mutex;
/// use wellhead::{MethodCall, Server};
///
/// static CLIENTS: Mutex<Vec<wellhead::Session>> = Mutex::new(Vec::new());
///
/// let server = Server::builder("notes", "1.0.0").capability("logging", wellhead::Json::default()).build()?;
/// server.method("notifications/initialized", |call: MethodCall| {
///     CLIENTS.lock().unwrap().extend(call.session());
/// })?;
/// // Later, on any thread:
/// for session in CLIENTS.lock().unwrap().iter() {
///     session.log("warning", "The disk is full", None)?;
/// }
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    connection: Weak<ConnectionState>,
    id: Arc<str>,
    client: Option<Json>,
    capabilities: Option<Json>,
}

impl Session {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        id: Arc<str>,
        client: Option<Json>,
        capabilities: Option<Json>,
    ) -> Self {
        Session { connection, id, client, capabilities }
    }

    /// Returns the id, unlike that of any other session of the server. Over HTTP it is the `Mcp-Session-Id`, which is a
    /// secret of the client; otherwise it is a number.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name and version that the client gives itself, the text of a JSON object; `None` if it gives none.
    /// For logs, not for decisions.
    pub fn client(&self) -> Option<&str> {
        self.client.as_ref().map(Json::as_str)
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"sampling":{}}`; `None` if it
    /// declared none.
    pub fn client_capabilities(&self) -> Option<&str> {
        self.capabilities.as_ref().map(Json::as_str)
    }

    /// Returns whether the session is over.
    pub fn is_closed(&self) -> bool {
        self.connection.upgrade().is_none_or(|connection| connection.is_closed())
    }

    /// Sends a notification that belongs to no call. Over HTTP it goes to the event stream that the client opened for
    /// these. Returns false if it was not sent: before `notifications/initialized`, after the end of the session, or if
    /// the client does not read its output. `notifications/message` below the client's level is not sent either. The
    /// client sets the level by `logging/setLevel`; it is `warning` before.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for other names than `notifications/…`, for those that the server sends by
    /// itself, and for a `notifications/message` without a level, or without the capability `logging`.
    pub fn notify(&self, method: &str, params: Option<&Json>) -> Result<bool> {
        self.connection.upgrade().map_or(Ok(false), |connection| connection.notify_session(method, params))
    }

    /// Sends the client a log message, a `notifications/message`, as [`Session::notify`] does. `level` is from
    /// `debug` to `emergency`. `logger` names a part of the application.
    ///
    /// # Errors
    /// As [`Session::notify`].
    pub fn log(&self, level: &str, text: &str, logger: Option<&str>) -> Result<bool> {
        self.notify(LOG_MESSAGE, Some(&log_params(level, text, logger)))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("client", &self.client).finish_non_exhaustive()
    }
}

pub(crate) const LOG_MESSAGE: &str = "notifications/message";

/// The parameters of a log message.
pub(crate) fn log_params(level: &str, text: &str, logger: Option<&str>) -> Json {
    let mut out = Vec::new();
    let mut params = Object::begin(&mut out);
    params.string("level", level);
    if let Some(logger) = logger {
        params.string("logger", logger);
    }
    params.string("data", text);
    params.end();
    Json::written(out)
}
