//! Registers around callbacks, which run around other callbacks.

use super::Server;
use crate::error::Result;
use crate::event::{AroundCall, Next};
use std::sync::Arc;

impl Server {
    /// Adds an around callback: a closure that runs around each call of a callback for a tool, a prompt, a read or a method
    /// of the application. It may refuse the call, and it may look at the answer and replace it. Around callbacks nest in
    /// the order in which they were added: the first is the outermost. None runs around fixed contents and folders, which
    /// the library answers by itself, nor if the application runs events itself.
    ///
    /// The closure lets the call run by [`Next::run`], or answers in its place by [`Next::answer_instead`]. It may keep
    /// `next` and do so later, on any thread. It runs on the callback's thread, with no lock held. A callback that asks
    /// the client (see [`crate::MethodCall::require_input`]) runs again from its start, and so do the around callbacks.
    ///
    /// ```
    /// use std::time::Instant;
    /// use wellhead::{Server, ToolError};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// server.around(|call, next| {
    ///     if call.name() == Some("erase") && call.caller().id() != b"admin" {
    ///         return next.answer_instead(ToolError::new("Only an administrator may erase notes."));
    ///     }
    ///     let began = Instant::now();
    ///     next.run(move |outcome| {
    ///         eprintln!("{} {:?}: {:?}", call.method(), call.name().or(call.uri()), began.elapsed());
    ///         outcome
    ///     });
    /// })?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Closed`] if the server was closed.
    pub fn around(&self, callback: impl Fn(AroundCall, Next) + Send + Sync + 'static) -> Result<()> {
        self.open()?;
        self.0.add_around(Arc::new(callback));
        Ok(())
    }
}
