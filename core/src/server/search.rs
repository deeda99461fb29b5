//! Registers a search of resources.

use super::Server;
use crate::catalog::HandlerId;
use crate::error::Result;
use crate::event::MethodCall;
use crate::log::Severity;
use crate::model::{Family, MethodAnswer};
use crate::provider::{IntoReply, method_handler};
#[cfg(feature = "directory")]
use crate::{catalog::MethodFn, search::SearchedFolder};
use std::sync::Arc;
#[cfg(feature = "directory")]
use std::sync::Weak;

impl Server {
    /// Registers a search of resources. Together with [`crate::Builder::resources_as_tools`] it gives clients the tools
    /// `search` and `fetch`; without that option it has no effect. It replaces the search that folders have of their
    /// own, which finds files whose path or text has at least half of the words of the query, in at most 2 seconds. The
    /// handler gets the arguments `query`, a text, and `limit`, the number of results that are of use. It returns
    /// `results` as [`crate::Json`], the best first: each is an object with the `uri` of a resource, and optionally
    /// `title`, `text` (a snippet) and `url` (where a person reads it). A result without `title` or `url` gets those of
    /// its registration: the title or name, and the member `url` of its `_meta`. If a URI is itself `http` or `https`,
    /// it is its own URL.
    ///
    /// The authorizer judges the URI of each result, as in a list. A client gets at most 20 results; with an
    /// authorizer, `limit` is 100. `fetch` reads a resource as `resources/read` does. The handler may also answer as a
    /// tool does: a [`crate::ToolError`] has a text for the model.
    ///
    /// ```
    /// use wellhead::{Json, Server};
    ///
    /// let server = Server::builder("notes", "1.0.0").resources_as_tools(true).build()?;
    /// server.text("notes://tea", "Buy tea.")?;
    /// server.resource_search(|_| Json::parse(r#"{"results":[{"uri":"notes://tea","text":"Buy tea."}]}"#))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Duplicate`] if a search is registered, [`crate::ErrorKind::Closed`].
    pub fn resource_search<F, R, M>(&self, handler: F) -> Result<()>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_resource_search(Some(Arc::new(method_handler(handler)))).map(drop)
    }

    /// Registers a search of resources: a function that answers through the call's responder. Without a function, the
    /// application runs events itself. Everything else is as with [`Server::resource_search`].
    ///
    /// # Errors
    /// As [`Server::resource_search`].
    pub fn add_resource_search(
        &self,
        handler: Option<Arc<dyn Fn(MethodCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let _outlives = handler.clone(); // if it is refused, it must not be dropped under the lock
        let (id, shown) =
            self.0.catalog.with(|c, _| c.add_resource_search(handler).map(|id| (id, c.shows_resources())))?;
        if shown {
            self.0.named_changed(Family::Tools);
        } else {
            let line =
                "a search is registered, but clients have no tool for it: resources are not shown as tools";
            self.0.log.write(Severity::Warning, line);
        }
        Ok(id)
    }

    /// Adds a folder to those that are searched. `run` searches all of them, unless the application has registered a
    /// search.
    #[cfg(feature = "directory")]
    pub(crate) fn add_searched(&self, folder: Weak<dyn SearchedFolder>, run: Arc<MethodFn>) {
        self.0.searched.with(|folders, _| {
            folders.retain(|folder| folder.strong_count() > 0);
            folders.push(folder);
        });
        if self.0.catalog.with(|c, trash| {
            trash.put(c.set_folder_search(run));
            c.shows_resources()
        }) {
            self.0.named_changed(Family::Tools);
        }
    }
}
