//! Methods of the host's own.

use super::replicas::Change;
use super::{Handle, Server};
use crate::catalog::{HandlerId, MethodFn};
use crate::error::{Error, ErrorKind, Result};
use crate::event::MethodCall;
use crate::model::{Method, MethodAnswer};
use crate::protocol::{KindSet, RESOURCES};
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

    /// Lists of a kind changed: everybody who wants to know is told. `toolsListChanged`, `promptsListChanged`, or a kind of
    /// [`crate::Builder::announces`]. Never blocks, and calls nothing but [`Server::on_publish`].
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`]; [`crate::ErrorKind::InvalidArgument`] if the capability `tools` or `prompts` does
    /// not declare `listChanged`; [`crate::ErrorKind::Closed`].
    pub fn announce(&self, kind: &str) -> Result<()> {
        self.tell(&Change::Lists(kind))
    }

    pub(super) fn lists_changed(&self, kind: &str) -> Result<()> {
        self.open()?;
        let kinds = &self.0.settings.kinds;
        let Some(number) = kinds.find(kind) else {
            let message = format!("no kind of lists is named \"{kind}\"; see `announces`");
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        let mut wanted = KindSet::default();
        wanted.add(number);
        if number != RESOURCES && self.0.offered(wanted).is_empty() {
            let capability = kinds.get(number).and_then(|kind| kind.capability).unwrap_or_default();
            let message =
                format!("declare the capability \"{capability}\" with {{\"listChanged\":true}} first");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if number == RESOURCES {
            self.0.list_changed();
        } else {
            self.0.announce(number);
        }
        Ok(())
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
