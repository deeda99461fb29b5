//! Registers pages of MCP Apps, and finds tools whose page is missing.

use super::{Handle, Server, ServerState};
use crate::catalog::{self, HandlerId};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Call;
use crate::log::Severity;
use crate::model::{APPS, Answer, Body, Json, Resource};
use crate::provider::{IntoReply, Provider, Reader};
use crate::sync::atomic::Ordering;
use std::sync::Arc;

impl Server {
    /// Registers a page of MCP Apps (`io.modelcontextprotocol/ui`), an HTML5 document under a URI such as
    /// `ui://clock/view`. The server sets its MIME type and declares the extension. `ui` says what the page needs: a
    /// JSON object with `csp`, `permissions`, `domain` and `prefersBorder`, sent in lists and with the contents. A tool
    /// opens the page if its definition names the URI as `app`. Give a page that is not UTF-8 as bytes.
    ///
    /// # Errors
    /// As [`Server::text`]. [`ErrorKind::InvalidArgument`] also if the scheme is not `ui`, and for a member that `ui`
    /// does not have.
    pub fn app(&self, resource: impl Into<Resource>, ui: &Json, html: impl Into<Body>) -> Result<Handle> {
        self.open()?;
        let (resource, html) = (catalog::app(resource.into(), ui)?, html.into());
        let doubt = match &html {
            Body::Text(text) => catalog::doubtful(&resource.uri, (**text).as_ref().as_bytes()),
            Body::Blob(bytes) => catalog::doubtful(&resource.uri, (**bytes).as_ref()),
        };
        let handle = self.value(resource, html)?;
        self.apps_used();
        if let Some(line) = doubt {
            self.0.log.write(Severity::Warning, &line);
        }
        Ok(handle)
    }

    /// Registers a page of MCP Apps that a closure returns at each read, as that of [`Server::resource`] does.
    /// Everything else is as with [`Server::app`].
    ///
    /// # Errors
    /// As [`Server::app`].
    pub fn app_with_reader<F, R, M>(
        &self,
        resource: impl Into<Resource>,
        ui: &Json,
        read: F,
    ) -> Result<Handle>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        let resource = resource.into();
        let name = resource.uri.clone();
        self.add_app(resource, ui, Some(Arc::new(Reader::new(read))))?;
        Ok(Handle::resource(self, &name))
    }

    /// Registers a page of MCP Apps that a [`Provider`] makes at each read. Without a provider, the application runs
    /// events itself. Everything else is as with [`Server::app`].
    ///
    /// # Errors
    /// As [`Server::app`].
    pub fn add_app(
        &self,
        resource: impl Into<Resource>,
        ui: &Json,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        let id = self.add_resource(catalog::app(resource.into(), ui)?, provider)?;
        self.apps_used();
        Ok(id)
    }

    fn apps_used(&self) {
        self.0.catalog.with(|c, _| c.extensions.begin_use(APPS));
    }

    /// Fails if a tool opens an app that is not registered. Servers check this before they begin, since clients read
    /// the app before or after a call.
    pub(crate) fn check_apps(&self) -> Result<()> {
        match self.0.catalog.with(|c, _| c.missing_app()) {
            None => Ok(()),
            Some((tool, app)) => Err(Error::new(ErrorKind::InvalidArgument, missing(&tool, &app))),
        }
    }
}

impl ServerState {
    /// Looks for missing apps from now on, because a client is there. Before that, an application may register tools
    /// before their apps.
    pub(super) fn begin_serving(&self) {
        self.serving.store(true, Ordering::Release);
        let lacking = self.catalog.with(|c, _| c.missing_app());
        if let Some((tool, app)) = lacking {
            self.notice(&app, || missing(&tool, &app));
        }
    }

    /// Logs that the app of a tool is missing, after the tool changed.
    pub(super) fn notice_app_of(&self, tool: &str) {
        if self.serving.load(Ordering::Acquire)
            && let Some(app) = self.catalog.with(|c, _| c.missing_app_of(tool))
        {
            self.notice(&app, || missing(tool, &app));
        }
    }

    /// Logs that a tool opens an app that was removed.
    pub(super) fn notice_removed_app(&self, uri: &str) {
        if self.serving.load(Ordering::Acquire)
            && let Some(tool) = self.catalog.with(|c, _| c.tool_of_app(uri))
        {
            self.notice(uri, || missing(&tool, uri));
        }
    }
}

fn missing(tool: &str, app: &str) -> String {
    format!("the tool \"{tool}\" opens the app \"{app}\", which is not registered; register the app, too")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolResult;

    // row: AP-30
    #[test]
    fn serving_does_not_begin_while_the_app_of_a_tool_is_missing() {
        let server = Server::new("clock", "1");
        let definition = Json::parse(r#"{"app":"ui://clock/view"}"#).unwrap();
        let tool = server.tool("show", &definition, |_| ToolResult::from("noon")).unwrap();
        let refused = server.endpoint().build(|| {}).expect_err("the app is missing");
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        let text = r#"the tool "show" opens the app "ui://clock/view", which is not registered; register the app, too"#;
        assert_eq!(refused.to_string(), text);
        #[cfg(feature = "stdio")]
        assert_eq!(crate::serve::stdio(&server).unwrap_err().to_string(), text);
        tool.disable().unwrap();
        assert!(server.endpoint().build(|| {}).is_ok());
        tool.enable().unwrap();
        server.app("ui://clock/view", &Json::empty(), "<!doctype html>").unwrap();
        assert!(server.endpoint().build(|| {}).is_ok());
    }

    // row: EX-12
    #[test]
    fn a_result_type_belongs_to_an_extension_that_is_declared() {
        let built = |result_type: &str, id: &str| {
            let builder = Server::builder("s", "1").extension("com.example/a", Json::empty());
            builder
                .result_type_extension(result_type, id)
                .build()
                .map(drop)
                .map_err(|error| error.to_string())
        };
        assert_eq!(built("chart", "com.example/a"), Ok(()));
        for (result_type, id, why) in [
            ("", "com.example/a", "is empty"),
            ("complete", "com.example/a", "is the protocol's own"),
            ("input_required", "com.example/a", "is the protocol's own"),
            ("chart", "com.example/b", "which is not declared"),
        ] {
            assert!(built(result_type, id).unwrap_err().contains(why), "{result_type} {id}");
        }
    }
}
