//! Searches of resources: the application's results, the verdicts about them, and the answer.

use super::CallId;
use super::application_call::RequestState;
use super::application_methods::MethodOutcome;
use super::inflight::OpenRequest;
use super::judged::Judged;
use super::machine::Machine;
use crate::access::{AccessCheck, Verdict};
use crate::catalog::MethodHandler;
use crate::jsonrpc::write::Object;
use crate::model::{Json, MethodAnswer};
use crate::sync::Trash;
use std::sync::Arc;

/// The greatest number of results that a client gets for one search.
pub(crate) const RESULTS: usize = 20;

/// A resource that a search found.
#[derive(Debug, Clone)]
pub(crate) struct SearchResult {
    pub(crate) uri: Arc<str>,
    pub(crate) title: String,
    pub(crate) text: Option<String>,
    /// The URL at which a person can read the resource; empty if there is none.
    pub(crate) url: String,
}

impl Machine {
    /// Handles the results of a search, or the reason why they are invalid. An authorizer judges each result before the
    /// client gets it.
    pub(crate) fn finish_search(
        &mut self,
        call: CallId,
        results: Result<Vec<SearchResult>, String>,
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let RequestState::Method { handler, .. } = state else {
            trash.put((state, self.inflight.close(call)));
            return false;
        };
        self.cancel_dropped_requests(); // before the answer: nothing may follow it
        match results {
            Ok(results) if !results.is_empty() && self.settings.access_check() == AccessCheck::Required => {
                self.queue_judged(call, Judged::Results { handler, results }, trash);
            }
            results => {
                if let Some(open) = self.inflight.close(call) {
                    self.write_results(&open, &handler, results);
                    trash.put(open);
                }
                trash.put(handler);
            }
        }
        true
    }

    /// Handles the verdicts about the results, and answers with those that are allowed.
    pub(super) fn finish_allowed_results(
        &mut self,
        call: CallId,
        handler: &MethodHandler,
        mut results: Vec<SearchResult>,
        verdicts: &[Verdict],
    ) {
        let mut allowed = verdicts.iter().map(|verdict| *verdict == Verdict::Allow);
        results.retain(|_| allowed.next().unwrap_or(false));
        if let Some(open) = self.inflight.close(call) {
            self.write_results(&open, handler, Ok(results));
        }
    }

    fn write_results(
        &mut self,
        open: &OpenRequest,
        handler: &MethodHandler,
        results: Result<Vec<SearchResult>, String>,
    ) {
        let (revision, settings) = (open.context.revision, self.settings.clone());
        let outcome = match results {
            Ok(results) => {
                let answer = MethodAnswer::Result(answer(&results));
                MethodOutcome::new(answer, handler, revision, None, &settings)
                    .bounded(handler, revision, &settings)
            }
            Err(why) => MethodOutcome::given_up(handler, revision, &settings.identity, &why),
        };
        self.write_outcome(open, outcome);
    }
}

/// Returns the result of the tool `search`. Its structured content is also its text.
fn answer(results: &[SearchResult]) -> Json {
    let mut list = b"[".to_vec();
    for (at, SearchResult { uri, title, text, url }) in results.iter().take(RESULTS).enumerate() {
        if at > 0 {
            list.push(b',');
        }
        let mut object = Object::begin(&mut list);
        object.string("id", uri).string("title", title).string("url", url);
        if let Some(text) = text {
            object.string("text", text);
        }
        object.end();
    }
    list.push(b']');
    let mut out = Vec::with_capacity(list.len() + 40);
    let mut result = Object::begin(&mut out);
    let mut structured = Object::begin(result.member("structuredContent"));
    structured.raw("results", &list);
    structured.end();
    result.end();
    Json::written(out)
}
