//! Requests that wait for verdicts of the authorizer, and the next step of each.

use super::CallId;
use super::application_call::{ApplicationCall, RequestState, ResolvedRead};
use super::call_context::Context;
use super::completion::Completing;
use super::dispatch::Request;
use super::draft::Argument;
use super::faults::{denied, internal, refused, refused_name, unknown_argument, unknown_name};
use super::machine::Machine;
use super::search::SearchResult;
use crate::access::{Operation, Verdict};
use crate::catalog::{Fixed, Handler, MethodHandler};
use crate::jsonrpc::RpcError;
use crate::model::{Borrowed, Completion, Contents, Family, Json};
use crate::revision::Revision;
use crate::sync::Trash;
use std::sync::Arc;

/// The next step of a request, which waits until the authorizer has allowed it.
pub(crate) enum Judged {
    /// Reads a resource, whose URI was found.
    Read { uri: Arc<str>, read: ResolvedRead },
    /// Reads a resource by the tool of a template, if the caller may list the template. `read` is what to read, or the
    /// error to answer.
    TemplateTool { tool: Arc<str>, template: Arc<str>, read: Result<(Arc<str>, ResolvedRead), RpcError> },
    /// Calls a tool or prompt.
    Method { family: Family, handler: Arc<MethodHandler>, params: Json },
    /// Completes an argument, whose template or prompt was found.
    Completion { argument: Arc<Argument>, completing: Completing },
    /// Answers with the values of a completion. Each verdict is about the URI that a value leads to.
    Values { argument: Arc<Argument>, completion: Completion },
    /// Answers with the results of a search. Each verdict is about one result.
    Results { handler: Arc<MethodHandler>, results: Vec<SearchResult> },
    /// Answers a read of a directory. Each verdict is about an entry.
    Entries { uri: Arc<str>, handler: Arc<Handler>, directory: Box<Contents> },
    /// Keeps or ends subscriptions that are judged again. No request of the client waits for this.
    Subscriptions { uris: Vec<Arc<str>> },
}

impl Judged {
    fn operation(&self) -> Operation {
        match self {
            Judged::Read { .. } => Operation::Read,
            Judged::Method { family, .. } => family.to_call(),
            Judged::Completion { .. } => Operation::Complete,
            Judged::TemplateTool { .. }
            | Judged::Values { .. }
            | Judged::Results { .. }
            | Judged::Entries { .. } => Operation::List,
            Judged::Subscriptions { .. } => Operation::Subscribe,
        }
    }

    /// Returns the URIs, or the name, that the application judges.
    fn uris(&self) -> Vec<Arc<str>> {
        match self {
            Judged::Read { uri, .. } => vec![uri.clone()],
            Judged::TemplateTool { template, .. } => vec![template.clone()],
            Judged::Method { handler, .. } => vec![handler.item.clone().unwrap_or_default()],
            Judged::Completion { argument, .. } => vec![argument.reference.clone()],
            Judged::Values { completion, .. } => completion.uris.clone(),
            Judged::Results { results, .. } => results.iter().map(|result| result.uri.clone()).collect(),
            Judged::Entries { directory, .. } => directory.entries().to_vec(),
            Judged::Subscriptions { uris } => uris.clone(),
        }
    }

    /// Returns the number of verdicts that the application has to give.
    pub(super) fn verdict_count(&self) -> usize {
        match self {
            Judged::Read { .. }
            | Judged::TemplateTool { .. }
            | Judged::Method { .. }
            | Judged::Completion { .. } => 1,
            Judged::Values { completion, .. } => completion.uris.len(),
            Judged::Results { results, .. } => results.len(),
            Judged::Entries { directory, .. } => directory.entries().len(),
            Judged::Subscriptions { uris } => uris.len(),
        }
    }

    /// Returns the resource to read if it has a fixed value.
    pub(super) fn fixed(&self) -> Option<&Arc<Fixed>> {
        match self {
            Judged::Read { read: ResolvedRead::Fixed(fixed), .. } => Some(fixed),
            _ => None,
        }
    }

    /// Returns the error for a request whose verdict is not "allow".
    fn refusal(&self, revision: Revision, verdict: Verdict) -> RpcError {
        match self {
            Judged::Read { uri, .. } => refused(revision, uri, verdict),
            // A template that lists leave out has no tool, so a verdict of "deny" hides it, too.
            Judged::TemplateTool { tool, .. } => unknown_name(Family::Tools, tool),
            Judged::Method { family, handler, .. } => {
                refused_name(revision, *family, handler.item.as_deref().unwrap_or_default(), verdict)
            }
            Judged::Completion { argument, .. } | Judged::Values { argument, .. } => match verdict {
                Verdict::Hide => unknown_argument(argument),
                _ => denied(revision, &argument.reference),
            },
            // A verdict takes out one result or entry, and no client waits for a review of subscriptions.
            Judged::Results { .. } | Judged::Entries { .. } | Judged::Subscriptions { .. } => {
                internal(revision)
            }
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Judged::Read { uri, .. } => format!("the verdict about reading {uri}"),
            Judged::TemplateTool { template, .. } => format!("the verdict about listing {template}"),
            Judged::Method { handler, .. } => format!("the verdict about {}", handler.describe()),
            Judged::Completion { argument, .. } | Judged::Values { argument, .. } => {
                format!("the verdict about completing {}", argument.reference)
            }
            Judged::Results { results, .. } => {
                format!("the verdict about {} results of a search", results.len())
            }
            Judged::Entries { uri, .. } => format!("the verdict about the entries of {uri}"),
            Judged::Subscriptions { uris } => {
                format!("the verdict about subscriptions to {} URIs", uris.len())
            }
        }
    }
}

impl Machine {
    /// Asks the authorizer about a request that was looked up. Returns the call for the poller that looked it up.
    pub(crate) fn begin_judged(
        &mut self,
        request: &Request,
        judged: Judged,
        trash: &mut Trash,
    ) -> Option<(ApplicationCall, Arc<Context>)> {
        let (operation, uris) = (judged.operation(), judged.uris());
        let state = RequestState::Judged(Box::new(judged));
        let context = self.begin_call(request.call, state, trash)?;
        Some((ApplicationCall::Authorize { call: request.call, operation, uris }, context))
    }

    /// Queues a call of the authorizer about the next step of an open request.
    pub(super) fn queue_judged(&mut self, call: CallId, judged: Judged, trash: &mut Trash) {
        let (operation, uris) = (judged.operation(), judged.uris());
        match self.inflight.begin_next_call(call, RequestState::Judged(Box::new(judged))) {
            Ok(call) => self.queue_application_call(ApplicationCall::Authorize { call, operation, uris }),
            Err(state) => trash.put(state),
        }
    }

    /// Takes the next step of a request as far as the verdicts allow it. `contents` is empty unless a fixed value is
    /// read.
    pub(super) fn finish_judged(
        &mut self,
        call: CallId,
        judged: Judged,
        verdicts: &[Verdict],
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) {
        let first = verdicts.first().copied().unwrap_or(Verdict::Deny);
        match judged {
            Judged::Values { completion, .. } => self.finish_allowed_values(call, completion, verdicts),
            Judged::Results { handler, results } => {
                self.finish_allowed_results(call, &handler, results, verdicts);
                trash.put(handler);
            }
            Judged::Entries { uri, handler, directory } => {
                self.finish_allowed_entries(call, &uri, &handler, *directory, verdicts);
                trash.put(handler);
            }
            Judged::Subscriptions { uris } => {
                self.inflight.close(call);
                let judged = uris.iter().zip(verdicts.iter().copied());
                let refused: Vec<_> = judged.filter(|(_, verdict)| *verdict != Verdict::Allow).collect();
                self.end_revoked_subscriptions(&refused);
            }
            judged if first != Verdict::Allow => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    match &judged {
                        Judged::Method { family: Family::Tools, handler, .. }
                            if first == Verdict::Hide || revision.masks_denied() =>
                        {
                            self.write_unknown_tool(&open, handler.item.as_deref().unwrap_or_default());
                        }
                        Judged::TemplateTool { tool, .. } => self.write_unknown_tool(&open, tool),
                        judged => {
                            let fault = judged.refusal(revision, first);
                            self.answer_open_failed(&open, &fault);
                        }
                    }
                }
                trash.put(judged);
            }
            Judged::Read { uri, read } => self.begin_allowed_read(call, uri, read, contents, trash),
            Judged::TemplateTool { read, .. } => match read {
                Ok((uri, read)) => self.queue_judged(call, Judged::Read { uri, read }, trash),
                Err(fault) => {
                    if let Some(open) = self.inflight.close(call) {
                        self.answer_open_failed(&open, &fault);
                    }
                }
            },
            Judged::Method { handler, params, .. } => self.begin_allowed_method(call, handler, params, trash),
            Judged::Completion { argument, completing } => {
                self.begin_allowed_completion(call, argument, completing, trash);
            }
        }
    }
}
