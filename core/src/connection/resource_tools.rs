//! Calls of the tools that show resources. They become the requests of the protocol for resources, and differ in the form
//! of the answer.

use super::ConnectionState;
use crate::catalog::{Listing, MethodHandler, ResourceTool, text_argument};
use crate::event::Event;
use crate::jsonrpc::{Raw, RpcError};
use crate::protocol::{AnswerForm, Request};
use std::sync::Arc;

impl ConnectionState {
    pub(super) fn show_resources(
        self: &Arc<Self>,
        request: &Request,
        handler: &MethodHandler,
        tool: &ResourceTool,
        arguments: Raw<'_>,
    ) -> Option<Event> {
        self.machine.with(|m, _| m.set_form(request, AnswerForm::Tool));
        let name = handler.item.as_deref().unwrap_or_default();
        let wrong = |lines: String| {
            let text = format!("Invalid arguments for tool {name}:{lines}");
            self.refuse(request, &RpcError::invalid_params("").with_sentence(text))
        };
        if let Some(schema) = &handler.promises.schema
            && let Err(lines) = schema.check(arguments)
        {
            return wrong(lines);
        }
        if *tool == ResourceTool::List {
            return match text_argument(arguments, "cursor") {
                Ok(cursor) => self.list(request, Listing::Everything, None, cursor.as_deref()),
                Err(lines) => wrong(lines),
            };
        }
        let uri = match tool.uri(arguments) {
            Ok(uri) => uri,
            Err(lines) => return wrong(lines),
        };
        if let Err(fault) = self.machine.with(|m, _| m.check_length(&uri)) {
            return self.refuse(request, &fault);
        }
        self.read(request, uri.into(), self.server.settings.access_check())
    }
}
