//! Calls of the tools that show resources, such as `read_resource`. They become requests of the protocol for resources,
//! whose answers have the form of a tool's result.

use super::ConnectionState;
use super::method_calls::{arguments, with_arguments};
use crate::access::AccessCheck;
use crate::catalog::{Listing, MethodHandler, ResourceTool, needed, text_argument};
use crate::event::Event;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RpcError, elements, is_array, is_null, members, string};
use crate::model::{Family, Json, MethodAnswer};
use crate::protocol::{AnswerForm, RESULTS, Request, SearchResult, unknown_name};
use crate::wire;
use std::sync::Arc;

/// The greatest number of results that an authorizer judges for one search.
const CANDIDATES: usize = 100;

impl ConnectionState {
    pub(super) fn show_resources(
        self: &Arc<Self>,
        request: &Request,
        handler: &MethodHandler,
        tool: &ResourceTool,
        params: &Json,
    ) -> Option<Event> {
        let arguments = arguments(params);
        let form = match tool {
            ResourceTool::Search => AnswerForm::Search,
            ResourceTool::Fetch => AnswerForm::Document,
            _ => AnswerForm::Tool,
        };
        self.machine.with(|m, _| m.set_form(request, form));
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
        if *tool == ResourceTool::Search {
            return match needed(arguments, "query") {
                Ok(query) => self.search(request, params, &query),
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

    /// Calls the application's search. Its arguments are the text to search for, and the number of results that are of
    /// use.
    fn search(self: &Arc<Self>, request: &Request, params: &Json, query: &str) -> Option<Event> {
        let Some(handler) = self.server.catalog.with(|c, _| c.search().cloned()) else {
            return self.refuse(request, &unknown_name(Family::Tools, "search"));
        };
        let limit = match self.server.settings.access_check() {
            AccessCheck::Required => CANDIDATES,
            AccessCheck::NotRequired => RESULTS,
        };
        let mut given = Vec::new();
        let mut object = Object::begin(&mut given);
        object.string("query", query).raw("limit", itoa::Buffer::new().format(limit));
        object.end();
        let params = with_arguments(params, &given);
        self.call(request, handler, params)
    }

    /// Returns the results that the application's search gave, with titles and URLs from their registrations. Returns
    /// `None` if it answered as a tool does.
    pub(super) fn search_results(&self, answer: &MethodAnswer) -> Option<Result<Vec<SearchResult>, String>> {
        let MethodAnswer::Result(answer) = answer else { return None };
        let results = members(answer.raw(), &["results"]).ok()?[0]?;
        let Some(results) = elements(results, usize::MAX).filter(|_| is_array(results)) else {
            return Some(Err("has results that are not an array".to_owned()));
        };
        let most = match self.server.settings.access_check() {
            AccessCheck::Required => CANDIDATES,
            AccessCheck::NotRequired => RESULTS,
        };
        Some(
            results
                .into_iter()
                .take(most)
                .enumerate()
                .map(|(at, result)| self.search_result(at, result))
                .collect(),
        )
    }

    fn search_result(&self, at: usize, result: Raw<'_>) -> Result<SearchResult, String> {
        let [uri, title, text, url] = members(result, &["uri", "title", "text", "url"])
            .map_err(|twice| format!("has a wrong results[{at}]: {twice}"))?;
        let given = |name: &str, value: Option<Raw<'_>>| match value.filter(|value| !is_null(*value)) {
            None => Ok(None),
            Some(value) => match string(value) {
                Some(text) => Ok(Some(text.into_owned())),
                None => Err(format!("has a results[{at}] whose {name} is not a string")),
            },
        };
        let Some(uri) = given("uri", uri)? else {
            return Err(format!("has a results[{at}] without a uri"));
        };
        let (mut title, text, mut url) = (given("title", title)?, given("text", text)?, given("url", url)?);
        if (title.is_none() || url.is_none())
            && let Some(described) = self.server.catalog.with(|c, _| c.described(&uri))
        {
            title = title.or(described.0);
            url = url.or(described.1);
        }
        let url = wire::url_of(&uri, url.as_deref().unwrap_or_default()).to_owned();
        Ok(SearchResult { title: title.unwrap_or_else(|| uri.clone()), text, url, uri: uri.into() })
    }
}
