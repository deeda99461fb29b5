//! Handles answers of the application: contents, pages and verdicts.

use super::CallId;
use super::application_call::{ApplicationCall, RequestState, ResolvedRead};
use super::application_methods::{LoggedSubject, MethodOutcome, MethodRequest};
use super::call_context::Context;
use super::faults::{busy, denied, internal, not_found, not_modified, nothing_at};
use super::inflight::OpenRequest;
use super::judged::Judged;
use super::machine::Machine;
use crate::access::Verdict;
use crate::catalog::{Handler, Walk, Walked};
use crate::jsonrpc::RpcError;
use crate::log::{LogLine, Severity};
use crate::model::{Answer, Borrowed, Contents};
use crate::sync::Trash;
use crate::wire::{Identity, LARGE};
use std::sync::Arc;

const READ: &str = "resources/read";
const CALL: &str = "tools/call";

/// The verdicts of the authorizer that a call waits for.
pub(crate) struct WantedVerdicts {
    /// True if the verdicts are about the items of a list.
    pub(crate) walks: bool,
    /// The number of verdicts that the application has to give.
    pub(crate) uris: usize,
    /// The resource to read, if it has a fixed value.
    pub(crate) fixed: Option<Arc<crate::catalog::Fixed>>,
}

impl Machine {
    /// Answers a read with its contents, if it has any.
    pub(crate) fn finish_read(
        &mut self,
        call: CallId,
        answer: &Answer,
        contents: &[Borrowed<'_>],
        over: &mut Option<(RequestState, OpenRequest)>,
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let (RequestState::Read { uri, handler }, Some(open)) = (&state, self.inflight.close(call)) else {
            trash.put(state);
            return false;
        };
        match answer {
            Answer::Found(_) => self.write_found(&open, uri, handler, contents),
            Answer::InputRequired(wanted) => {
                let client = self.client_capabilities(&open.context);
                let settings = self.settings.clone();
                let request = MethodRequest::for_read(&open, uri, &settings.identity);
                self.write_outcome(&open, request.input_required(wanted, client.as_ref()));
            }
            Answer::MissingCapability(wanted) => {
                let settings = self.settings.clone();
                let request = MethodRequest::for_read(&open, uri, &settings.identity);
                self.write_outcome(&open, request.missing(wanted.as_str()));
            }
            refused => {
                let (fault, line) = refusal(refused, &open, uri, handler);
                self.answer_open_failed(&open, &fault);
                if let Some(LogLine(level, text)) = line {
                    self.causes.log(level, text);
                }
            }
        }
        *over = Some((state, open)); // rather than into the trash, which would cost two allocations a read
        true
    }

    /// Answers a read with contents, unless the client has them already, or its share of bytes is used up.
    fn write_found(
        &mut self,
        open: &OpenRequest,
        uri: &Arc<str>,
        handler: &Handler,
        contents: &[Borrowed<'_>],
    ) {
        if let Some(had) = open.context.if_version()
            && version(contents, uri, handler) == Some(had)
        {
            return self.answer_open_failed(open, &not_modified(open.context.revision, uri, had));
        }
        if let Err(full) = open.fits(contents.iter().map(|contents| contents.own_size(LARGE)).sum()) {
            return self.answer_open_failed(open, &full.fault());
        }
        self.write_read(open, &handler.defaults(uri), contents);
        if let Some(line) = handler.first_doubt(contents) {
            self.causes.log(Severity::Warning, line);
        }
    }

    /// Asks the authorizer which entries of a directory the caller may see.
    pub(crate) fn queue_entries(&mut self, call: CallId, directory: Contents, trash: &mut Trash) -> bool {
        match self.inflight.answered(call) {
            Some(RequestState::Read { uri, handler }) => {
                let directory = Box::new(directory);
                self.queue_judged(call, Judged::Entries { uri, handler, directory }, trash);
                true
            }
            Some(other) => {
                self.inflight.close(call);
                trash.put(other);
                false
            }
            None => false,
        }
    }

    /// Answers a read of a directory with the entries that the caller may see.
    pub(super) fn finish_allowed_entries(
        &mut self,
        call: CallId,
        uri: &Arc<str>,
        handler: &Handler,
        mut directory: Contents,
        verdicts: &[Verdict],
    ) {
        let judged = directory.entries().iter().zip(verdicts);
        let allowed = judged.filter(|(_, verdict)| **verdict == Verdict::Allow);
        let allowed: Vec<_> = allowed.map(|(uri, _)| uri.clone()).collect();
        if allowed.len() < directory.entries().len() {
            directory.take_version(); // it is that of all entries, and the caller may see more of them later
        }
        directory.set_entries(allowed);
        if let Some(open) = self.inflight.close(call) {
            self.write_found(&open, uri, handler, &[Borrowed::of_answer(&directory)]);
        }
    }

    /// Frees the slot of a call whose request was cancelled.
    pub(crate) fn finish_unwanted(&mut self, call: CallId) {
        if self.inflight.get(call).is_none() {
            self.inflight.answered(call);
        }
    }

    /// Returns the verdicts that a call waits for. Returns `None` if its request is over, or if it waits for something
    /// else.
    pub(crate) fn wanted_verdicts(&mut self, call: CallId) -> Option<WantedVerdicts> {
        let (uris, fixed) = match &self.inflight.get(call)?.state {
            RequestState::Walk(walk) => (walk.judged_count(), None),
            RequestState::Judged(judged) => (judged.verdict_count(), judged.fixed().cloned()),
            RequestState::Subscribe(subscribing) => (subscribing.uris.len(), None),
            RequestState::Listen { stream } => {
                (self.subscriptions.stream(*stream).map_or(0, |s| s.uris().count()), None)
            }
            RequestState::Read { .. }
            | RequestState::Complete { .. }
            | RequestState::Method { .. }
            | RequestState::Lookup
            | RequestState::Taken => return None,
        };
        let walks = matches!(self.inflight.get(call)?.state, RequestState::Walk(_));
        Some(WantedVerdicts { walks, uris, fixed })
    }

    /// Takes a list walk out of its slot, so that the caller continues it without a lock. Returns `None` if its request
    /// is over.
    pub(crate) fn take_walk(&mut self, call: CallId) -> Option<(Box<Walk>, Arc<Context>)> {
        self.inflight.get(call)?; // [`Machine::finish_unwanted`] frees the slot of a cancelled call
        match self.inflight.answered(call)? {
            RequestState::Walk(walk) => {
                let context = self.inflight.get(call)?.context.clone();
                Some((walk, context))
            }
            other => {
                let _ = self.inflight.begin_next_call(call, other);
                None
            }
        }
    }

    /// Puts a list walk back into its slot, with its result: a page, a question to the application, or a failure.
    pub(crate) fn finish_walk(&mut self, call: CallId, walked: Walked, trash: &mut Trash) {
        match walked {
            Walked::CallSource { walk, handler, of, after: key, limit } => {
                match self.inflight.begin_next_call(call, RequestState::Walk(walk)) {
                    Ok(call) => self.queue_application_call(ApplicationCall::List {
                        call,
                        handler,
                        of,
                        after: key,
                        limit,
                    }),
                    Err(_) => trash.put(handler),
                }
            }
            Walked::Authorize { walk, uris } => {
                let operation = walk.operation();
                if let Ok(call) = self.inflight.begin_next_call(call, RequestState::Walk(walk)) {
                    self.queue_application_call(ApplicationCall::Authorize { call, operation, uris });
                }
            }
            Walked::Page(page) => {
                if let Some(open) = self.inflight.close(call) {
                    self.write_list(&open, &page);
                }
            }
            Walked::Denied(uri) => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    let masks = revision.masks_denied();
                    let fault = if masks { nothing_at(&uri) } else { denied(revision, &uri) };
                    self.answer_open_failed(&open, &fault);
                }
            }
            Walked::Missing(uri) => {
                if let Some(open) = self.inflight.close(call) {
                    self.answer_open_failed(&open, &nothing_at(&uri));
                }
            }
            Walked::Failed(why) => {
                if let Some(open) = self.inflight.close(call) {
                    self.answer_open_failed(&open, &internal(open.context.revision));
                    self.causes.log(Severity::Error, why);
                }
            }
        }
    }

    /// Handles the verdicts that a call waits for; those about a list come through [`Machine::take_walk`]. `contents`
    /// is empty unless the call is a read of a fixed value.
    pub(crate) fn finish_verdicts(
        &mut self,
        call: CallId,
        verdicts: &[Verdict],
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        match state {
            RequestState::Judged(judged) => self.finish_judged(call, *judged, verdicts, contents, trash),
            RequestState::Subscribe(subscribing) => {
                self.begin_allowed_subscription(call, subscribing, verdicts);
            }
            RequestState::Listen { stream } => {
                let uris = self.subscriptions.stream(stream).map(|s| s.uris().cloned().collect::<Vec<_>>());
                let uris = uris.unwrap_or_default();
                for (uri, verdict) in uris.iter().zip(verdicts) {
                    if *verdict == Verdict::Allow {
                        self.subscriptions.allow(uri, call.slot());
                    } else {
                        self.subscriptions.stream_drops(stream, uri, call.slot());
                    }
                }
                if let Ok(call) = self.inflight.begin_next_call(call, RequestState::Listen { stream }) {
                    self.begin_stream_if_complete(call, stream);
                }
            }
            other => {
                let _ = self.inflight.begin_next_call(call, other);
                return false;
            }
        }
        true
    }

    /// Continues a read that the authorizer allowed.
    pub(super) fn begin_allowed_read(
        &mut self,
        call: CallId,
        uri: Arc<str>,
        read: ResolvedRead,
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) {
        let has =
            |open: &OpenRequest| open.context.if_version().is_some_and(|had| read.version() == Some(had));
        if self.inflight.get(call).is_some_and(|open| has(open))
            && let Some(open) = self.inflight.close(call)
        {
            let had = open.context.if_version().unwrap_or_default();
            let fault = not_modified(open.context.revision, &uri, had);
            self.answer_open_failed(&open, &fault);
            trash.put(read);
            return;
        }
        match read {
            ResolvedRead::Fixed(fixed) => {
                if let Some(open) = self.inflight.close(call) {
                    self.write_read(&open, &fixed.defaults(&uri), contents);
                }
                trash.put(fixed);
            }
            ResolvedRead::Call { handler, vars } => {
                let state = RequestState::Read { uri: uri.clone(), handler: handler.clone() };
                match self.inflight.begin_next_call(call, state) {
                    Ok(call) => {
                        self.queue_application_call(ApplicationCall::Read { call, uri, handler, vars });
                    }
                    Err(state) => trash.put((state, handler)),
                }
            }
        }
    }

    /// Answers "internal error", or a result of that meaning for a tool, since the application dropped its responder
    /// or gave an answer that makes no sense.
    pub(crate) fn finish_failed(&mut self, call: CallId, why: &str, trash: &mut Trash) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        self.cancel_wanted(call.slot(), &state);
        if let Some(open) = self.inflight.close(call) {
            self.cancel_dropped_requests(); // before the answer: nothing may follow it
            if let RequestState::Method { handler, .. } = &state {
                let settings = self.settings.clone();
                let outcome =
                    MethodOutcome::given_up(handler, open.context.revision, &settings.identity, why);
                self.write_outcome(&open, outcome);
            } else {
                self.answer_open_failed(&open, &internal(open.context.revision));
                self.causes.log(Severity::Error, format!("{} {why}", state.describe()));
            }
            trash.put(open);
        }
        trash.put(state);
        true
    }

    /// Closes the event stream of a request, so that the client comes back for the answer. Returns false if the request
    /// is answered, or has no event stream.
    pub(crate) fn close_event_stream(&mut self, call: CallId, retry_ms: u64) -> bool {
        let open = self.inflight.get(call).filter(|open| open.context.revision.sse_priming);
        let Some(route) = open.map(|open| open.route) else { return false };
        self.outbox.pause(route, retry_ms)
    }
}

impl<'a> MethodRequest<'a> {
    /// Makes the request of a read, or of a tool that reads.
    fn for_read(open: &OpenRequest, uri: &'a str, identity: &'a Identity) -> Self {
        let (is_tool, revision) = (open.is_tool(), open.context.revision);
        let method = if is_tool { CALL } else { READ };
        MethodRequest { method, is_tool, subject: LoggedSubject::Read(uri), revision, identity }
    }
}

/// Returns the error for a read that the application refused, and the line for the log. The callers deal with the
/// other answers.
fn refusal(
    answer: &Answer,
    open: &OpenRequest,
    uri: &Arc<str>,
    handler: &Handler,
) -> (RpcError, Option<LogLine>) {
    let revision = open.context.revision;
    let error = |text: String| Some(LogLine(Severity::Error, text));
    match answer {
        Answer::NotFound => {
            let why = "answers \"not found\", though it is listed; return contents, or remove it";
            let line = || LogLine(Severity::Warning, format!("the callback of \"{uri}\" {why}"));
            (not_found(revision, uri), handler.is_first_missing().then(line))
        }
        Answer::Denied => (denied(revision, uri), None),
        Answer::NotModified => {
            if let Some(had) = open.context.if_version() {
                (not_modified(revision, uri, had), None)
            } else {
                let why = "was answered \"not modified\", though the call named no version";
                (internal(revision), error(format!("the read of {uri} {why}")))
            }
        }
        Answer::Busy(retry_after) => (busy(revision, retry_after.map(|after| after.as_millis())), None),
        Answer::InvalidState => (RpcError::invalid_params("requestState is not valid here"), None),
        Answer::Failed(why) => (internal(revision), error(format!("reading {uri} failed: {why}"))),
        Answer::Waiting => {
            let why = "waits for its client, and asked it nothing";
            (internal(revision), error(format!("the read of {uri} {why}")))
        }
        Answer::Found(_) | Answer::InputRequired(_) | Answer::MissingCapability(_) => {
            (internal(revision), None)
        }
    }
}

/// The version of the contents that were answered, if they have one.
fn version<'a>(contents: &'a [Borrowed<'_>], uri: &str, handler: &'a Handler) -> Option<&'a str> {
    Borrowed::description(contents, uri).and_then(|given| given.version.as_deref()).or(handler.version())
}

impl RequestState {
    pub(super) fn describe(&self) -> String {
        match self {
            RequestState::Read { uri, .. } => format!("the read of {uri}"),
            RequestState::Method { handler, .. } => format!("the call of {}", handler.describe()),
            RequestState::Judged(judged) => judged.describe(),
            RequestState::Complete { argument } => {
                format!("the completion of {} in {}", argument.name, argument.reference)
            }
            RequestState::Walk(walk) if walk.judged_count() > 0 => {
                "the verdict about items of a list".to_owned()
            }
            RequestState::Walk(walk) => format!("the list source \"{}\"", walk.source_name()),
            RequestState::Subscribe(subscribing) => {
                format!("the subscription to {}", subscribing.uris.join(", "))
            }
            RequestState::Listen { .. } => "the request for a listen stream".to_owned(),
            RequestState::Lookup => "the lookup of a request".to_owned(),
            RequestState::Taken => "a call".to_owned(),
        }
    }
}
