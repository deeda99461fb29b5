//! Calls of the tools that show resources, such as `read_resource`. They become requests of the protocol for resources,
//! whose answers have the form of a tool's result.

use super::ConnectionState;
use super::method_calls::{arguments, with_arguments};
use crate::access::AccessCheck;
use crate::catalog::{Listing, MethodHandler, ResourceQuestion, ResourceTool};
use crate::event::Event;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RpcError, elements, is_array, is_null, members, string};
use crate::model::{Family, Json, MethodAnswer};
use crate::protocol::{AnswerForm, Judged, RESULTS, Request, ResolvedRead, SearchResult, unknown_name};
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
        let check = self.server.settings.access_check();
        let judged = match tool {
            ResourceTool::Template(template) if check == AccessCheck::Required => Some(&**template),
            _ => None,
        };
        match (judged, self.question(handler, tool, arguments)) {
            (_, Ok(ResourceQuestion::List { cursor })) => {
                self.list(request, Listing::Everything, None, cursor.as_deref())
            }
            (_, Ok(ResourceQuestion::Search { query })) => self.search(request, params, &query),
            (None, Ok(ResourceQuestion::Read { uri })) => self.read(request, uri.into(), check),
            (None, Err(fault)) => self.refuse(request, &fault),
            (Some(template), Ok(ResourceQuestion::Read { uri })) => {
                let read = self.find(request, &uri).map(|read| (uri.into(), read));
                self.read_by_template(request, handler, template, read)
            }
            (Some(template), Err(fault)) => self.read_by_template(request, handler, template, Err(fault)),
        }
    }

    /// Returns the question that a call asks, or the error to answer.
    fn question(
        &self,
        handler: &MethodHandler,
        tool: &ResourceTool,
        arguments: Raw<'_>,
    ) -> Result<ResourceQuestion, RpcError> {
        let wrong = |lines: String| self.refuse_arguments(handler, &lines);
        if let Some(schema) = &handler.promises.schema {
            schema.check(arguments).map_err(wrong)?;
        }
        let question = tool.question(arguments).map_err(wrong)?;
        if let ResourceQuestion::Read { uri } = &question {
            self.machine.with(|m, _| m.check_length(uri))?;
        }
        Ok(question)
    }

    /// Reads by the tool of a template, which only the callers have that may list the template. Its errors would show
    /// the others that there is such a tool, so the authorizer judges the template before them.
    fn read_by_template(
        self: &Arc<Self>,
        request: &Request,
        handler: &MethodHandler,
        template: &str,
        read: Result<(Arc<str>, ResolvedRead), RpcError>,
    ) -> Option<Event> {
        let tool = handler.item.clone().unwrap_or_default();
        let judged = Judged::TemplateTool { tool, template: template.into(), read };
        let begun = self.polled_step(|m, trash| m.begin_judged(request, judged, trash));
        let (application_call, context) = begun?;
        self.event(application_call, context)
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
