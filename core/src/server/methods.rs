//! Registers methods of the application.

use super::instances::Announcement;
use super::{Handle, Server};
use crate::catalog::{HandlerId, MethodFn, is_notification};
use crate::error::{Error, ErrorKind, Result};
use crate::event::MethodCall;
use crate::model::{Method, MethodAnswer};
use crate::protocol::{RESOURCES, TopicSet};
use crate::provider::{IntoReply, method_handler};
use crate::sync::atomic::Ordering;
use std::sync::Arc;

impl Server {
    /// Registers a method other than those for resources. The handler gets JSON and returns JSON. A method that begins
    /// with `tools`, `prompts` or `logging` declares the capability of that name. Use [`crate::Builder::capability`] to
    /// declare any other, or to add settings.
    ///
    /// A name that begins with `notifications/` is that of a notification. The handler runs each time that a client
    /// sends it in a session, and its answer is dropped; its failure becomes a line of the log. For
    /// `notifications/initialized` it runs once. Calls of the handler count for [`crate::Limits::calls_in_flight`]. The
    /// library handles `notifications/cancelled` itself.
    ///
    /// ```
    /// use wellhead::{Json, MethodCall, Server};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// server.method("notes/count", |_| Json::parse(r#"{"count":3}"#))?;
    /// server.method("notifications/initialized", |call: MethodCall| {
    ///     println!("a client is ready: {:?}", call.client());
    /// })?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for a method that the server answers itself, for
    /// `notifications/cancelled`, and for an unknown revision. [`crate::ErrorKind::Duplicate`] if the method is
    /// registered. [`crate::ErrorKind::Closed`].
    pub fn method<F, R, M>(&self, method: impl Into<Method>, handler: F) -> Result<Handle>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        let method = method.into();
        let name = method.name.clone();
        self.add_method(method, Some(Arc::new(method_handler(handler))))?;
        Ok(Handle::method(self, &name))
    }

    /// Notifies the clients that want to know it that lists of a kind changed: `resources`, `tools`, `prompts` or a
    /// kind of [`crate::Builder::list_changed_method`]. Never blocks, and calls no callback but that of
    /// [`Server::on_publish`] and the `wake` of groups.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] for an unknown kind. [`crate::ErrorKind::InvalidArgument`] if the capability
    /// `tools` or `prompts` does not declare `listChanged`. [`crate::ErrorKind::Closed`].
    pub fn notify_list_changed(&self, kind: &str) -> Result<()> {
        self.apply_and_publish(&Announcement::Lists(kind))
    }

    pub(super) fn lists_changed(&self, kind: &str) -> Result<()> {
        self.open()?;
        let kinds = &self.0.settings.list_topics;
        let Some(number) = kinds.by_kind(kind) else {
            let message = format!(
                "no kind of lists is named \"{kind}\"; there are resources, tools, prompts and those of \
                 `list_changed_methods`"
            );
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        let mut wanted = TopicSet::default();
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

    /// Registers a method with a function that answers through the call's responder, and returns the id of the
    /// registration. Without a function, the application runs events itself. Everything else is as with
    /// [`Server::method`].
    pub fn add_method(
        &self,
        method: impl Into<Method>,
        handler: Option<Arc<dyn Fn(MethodCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let method = method.into();
        let _outlives: Option<Arc<MethodFn>> = handler.clone(); // on refusal it must not be dropped under the lock
        let hears = is_notification(&method.name);
        let id = self.0.catalog.with(|c, _| c.add_method(method, handler))?;
        if hears {
            self.0.settings.hears_notifications.store(true, Ordering::Release);
        }
        Ok(id)
    }

    /// Returns whether the application registered a method for a notification at some time.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only endpoints ask"))]
    pub(crate) fn hears_notifications(&self) -> bool {
        self.0.settings.hears_notifications()
    }
}
