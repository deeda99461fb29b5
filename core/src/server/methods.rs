//! Methods of the host's own.

use super::{Handle, Server};
use crate::catalog::{HandlerId, MethodFn};
use crate::error::Result;
use crate::event::MethodCall;
use crate::model::{Method, MethodAnswer};
use crate::provider::{IntoReply, method_handler};
use std::sync::Arc;

impl Server {
    /// A method beside those for resources: JSON in, JSON out. Its capability is declared with it: `tools`, `prompts` or
    /// `logging` for what begins so; say more of it, or declare any other, with [`crate::Builder::capability`].
    ///
    /// ```
    /// use wellhead::{Json, Server};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// server.method("notes/count", |_| Json::object(r#"{"count":3}"#))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for a method that is served already, a notification, or an unknown
    /// revision; [`crate::ErrorKind::Duplicate`], [`crate::ErrorKind::Closed`].
    pub fn method<F, R, M>(&self, method: impl Into<Method>, handler: F) -> Result<Handle>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        let method = method.into();
        let name = method.name.clone();
        self.add_method(method, Some(Arc::new(method_handler(handler))))?;
        Ok(self.handle(&name))
    }

    /// [`Server::method`] with a function that answers through the call's responder, or with none for a host that runs
    /// events by itself.
    pub fn add_method(
        &self,
        method: impl Into<Method>,
        handler: Option<Arc<dyn Fn(MethodCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let method = method.into();
        let _outlives: Option<Arc<MethodFn>> = handler.clone(); // if it is refused, it must not be dropped under the lock
        self.0.catalog.with(|c, _| c.add_method(method, handler))
    }
}
