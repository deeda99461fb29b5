//! Messages to the client about a call of a tool, a prompt or a method, before its answer.

use super::{AnswerTarget, Responder};
use crate::connection::no_arguments;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Continuation;
use crate::model::{ClientAnswer, ClientRequestError, Json, MethodAnswer};
use crate::session::{LOG_MESSAGE, log_params};

impl Responder<MethodAnswer> {
    /// Sends a notification about the call, on the route of its answer. Returns false if it was not sent: after the
    /// answer, if the answer is not wanted any more, if the route takes an answer only, or if the client does not read
    /// its output. `notifications/message` is sent as [`Responder::log`] says.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] if it is no notification about a call: its name does not begin with
    /// `notifications/`, the server sends it by itself, or it is a `notifications/message` without a level, or without
    /// the capability `logging`.
    pub fn notify(&self, method: &str, params: Option<&Json>) -> Result<bool> {
        match &self.target {
            AnswerTarget::Call { connection, call, context, .. } => match connection.upgrade() {
                Some(connection) => connection.notify(*call, context, method, params),
                None => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Sends the client a log message about the call, a `notifications/message`, as [`Responder::notify`] does.
    /// Lines below the client's level are not sent: in a session it sets the level by `logging/setLevel`, and it is
    /// `warning` before; in the stateless era each request names it. `level` is from `debug` to `emergency`. `logger`
    /// names a part of the application.
    ///
    /// # Errors
    /// As [`Responder::notify`].
    pub fn log(&self, level: &str, text: &str, logger: Option<&str>) -> Result<bool> {
        self.notify(LOG_MESSAGE, Some(&log_params(level, text, logger)))
    }

    /// Checks arguments that an around callback gives in place of the client's, as the server checks those: see
    /// [`crate::Next::set_arguments`]. Returns them with defaults filled in. For bindings, which run around callbacks
    /// themselves.
    ///
    /// # Errors
    /// As [`crate::Next::set_arguments`].
    pub fn check_arguments(&self, arguments: &Json) -> Result<Json> {
        match &self.target {
            AnswerTarget::Call { connection, call, .. } => match connection.upgrade() {
                Some(connection) => connection.changed_arguments(*call, arguments),
                None => Err(Error::new(ErrorKind::Closed, "the call is over")),
            },
            _ => Err(no_arguments()),
        }
    }

    /// Asks the client for one of its features by a name, in every revision: `sampling/createMessage`,
    /// `elicitation/create` or `roots/list`. Returns the client's result. The first time it fails with
    /// [`ClientRequestError::Waiting`]: return that, and the callback **runs again from its start** when the client has
    /// answered. So everything before the last request runs several times. Names are unique in a callback and the same
    /// in every run. Requests that one run makes go to the client together.
    ///
    /// In the handshake era the server sends a request, and withdraws it if the call is cancelled. In the stateless era
    /// it answers the call with `input_required`, and the client repeats the call. The answers so far are in a sealed
    /// `requestState`, so that any instance with the key can continue; it is valid for this call for 10 minutes. That
    /// revision deprecates sampling and roots, which still work.
    ///
    /// # Errors
    /// See [`ClientRequestError`].
    pub fn require_input(
        &self,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> std::result::Result<Json, ClientRequestError> {
        self.request_named(name, method, params)
    }

    /// Asks the client for one of its features, `sampling/createMessage`, `elicitation/create` or `roots/list`, before
    /// the call is answered. `then` gets the client's answer, as an event of the connection. The client
    /// has 10 minutes, and meanwhile the call's deadline does not run. If the call is answered or cancelled first, the request
    /// is given up. Returns the request's number, which is its id for the client and never used again on the
    /// connection. If a session over HTTP ends, `then` gets [`ClientAnswer::GivenUp`]. It is not called if the
    /// application closes the connection itself.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for other methods, if the client did not declare the capability, and if
    /// the revision has no such requests: answer [`MethodAnswer::InputRequired`] then. [`crate::ErrorKind::Limit`] if the
    /// client does not read its output. [`crate::ErrorKind::Closed`] once the call is over.
    pub fn send_request<F>(&self, method: &str, params: Option<&Json>, then: F) -> Result<u64>
    where
        F: FnOnce(ClientAnswer) + Send + 'static,
    {
        self.send_with(method, params, Some(Box::new(then)))
    }

    /// Asks the client for one of its features before the call is answered, for an application that runs events by
    /// itself. The client's answer is an [`crate::Event::Response`] with the number that this function returns.
    /// Everything else is as with [`Responder::send_request`].
    ///
    /// # Errors
    /// As [`Responder::send_request`].
    pub fn send_request_by_number(&self, method: &str, params: Option<&Json>) -> Result<u64> {
        self.send_with(method, params, None)
    }

    fn send_with(&self, method: &str, params: Option<&Json>, then: Option<Continuation>) -> Result<u64> {
        if let AnswerTarget::Call { connection, call, context, .. } = &self.target
            && let Some(connection) = connection.upgrade()
        {
            return connection.request(*call, context, method, params, then);
        }
        Err(Error::new(ErrorKind::Closed, "the call is over; its client takes no more requests"))
    }

    /// Gives up a request to the client, and notifies the client. `then` gets [`ClientAnswer::GivenUp`]. Returns false
    /// if the client had answered already, or if there is no such request.
    pub fn cancel_request(&self, number: u64) -> bool {
        match &self.target {
            AnswerTarget::Call { connection, .. } => {
                connection.upgrade().is_some_and(|connection| connection.cancel_client_request(number))
            }
            _ => false,
        }
    }
}
