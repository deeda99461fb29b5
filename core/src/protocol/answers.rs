//! What the host answers: contents, pages and verdicts, as long as somebody wants them.

use super::CallId;
use super::faults::{busy, denied, internal, not_found, not_modified, refused, unknown_argument};
use super::inflight::{Ask, Context, Open, Read, State};
use super::machine::Machine;
use super::methods::Outcome;
use super::outbox::Stage;
use crate::access::Verdict;
use crate::catalog::{Handler, Walk, Walked};
use crate::jsonrpc::RpcError;
use crate::log::Level;
use crate::model::{Answer, Borrowed};
use crate::sync::Trash;
use std::sync::Arc;

const READ: &str = "resources/read";

/// What the host was asked about a request.
pub(crate) struct Asked {
    /// What is to be listed: the verdicts go to the walk.
    pub(crate) walks: bool,
    /// How many verdicts are wanted.
    pub(crate) uris: usize,
    /// What is read, if it is fixed.
    pub(crate) fixed: Option<Arc<crate::catalog::Fixed>>,
}

impl Machine {
    /// The answer to a read, its contents if it has any, and how many of their bytes live for this answer alone.
    pub(crate) fn finish_read(
        &mut self,
        call: CallId,
        answer: &Answer,
        contents: &[Borrowed<'_>],
        own: usize,
        over: &mut Option<(State, Open)>,
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let (State::Read { uri, handler }, Some(open)) = (&state, self.inflight.close(call)) else {
            trash.put(state);
            return false;
        };
        let revision = open.context.revision;
        match answer {
            Answer::Found(_) => {
                if let Some(had) = open.context.if_version()
                    && version(contents, uri, handler) == Some(had)
                {
                    self.fail(open.route, Stage::Dispatched, &open.id, &not_modified(revision, uri, had));
                } else if let Err(full) = open.fits(own) {
                    self.fail(open.route, Stage::Dispatched, &open.id, &full.fault());
                } else {
                    let (defaults, reusable) = (handler.defaults(uri), open.context.input().is_none());
                    self.write_read(open.route, revision, &open.id, &defaults, contents, reusable);
                    self.outbox.charge(open.route, open.permit.as_ref(), own);
                }
            }
            Answer::NotFound => {
                self.fail(open.route, Stage::Dispatched, &open.id, &not_found(revision, uri));
                if handler.is_first_missing() {
                    let why = "answers \"not found\", though it is listed; return contents, or remove it";
                    self.causes.log(Level::Warning, format!("the callback of \"{uri}\" {why}"));
                }
            }
            Answer::Denied => self.fail(open.route, Stage::Dispatched, &open.id, &denied(revision, uri)),
            Answer::NotModified => {
                if let Some(had) = open.context.if_version() {
                    self.fail(open.route, Stage::Dispatched, &open.id, &not_modified(revision, uri, had));
                } else {
                    self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
                    let why = "was answered \"not modified\", though the call named no version";
                    self.causes.log(Level::Error, format!("the read of {uri} {why}"));
                }
            }
            Answer::Busy(retry_after) => {
                let fault = busy(revision, retry_after.map(|after| after.as_millis()));
                self.fail(open.route, Stage::Dispatched, &open.id, &fault);
            }
            Answer::NeedsInput(wanted) => {
                let client = self.client_capabilities(&open.context);
                let settings = self.settings.clone();
                let shown = || format!("the read of {uri}");
                let outcome = Outcome::needs_input(
                    wanted,
                    (READ, &shown),
                    revision,
                    client.as_ref(),
                    &settings.identity,
                );
                self.write_outcome(&open, outcome);
            }
            Answer::InvalidState => {
                let fault = RpcError::invalid_params("requestState is not valid here");
                self.fail(open.route, Stage::Dispatched, &open.id, &fault);
            }
            Answer::Failed(why) => {
                self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
                self.causes.log(Level::Error, format!("reading {uri} failed: {why}"));
            }
        }
        *over = Some((state, open)); // rather than into the trash, which would cost two allocations a read
        true
    }

    /// An answer that nobody wants any more: what it occupied is free.
    pub(crate) fn late(&mut self, call: CallId) {
        if self.inflight.get(call).is_none() {
            self.inflight.answered(call);
        }
    }

    /// What verdicts were asked for. Nothing if nobody wants them any more.
    pub(crate) fn asked(&mut self, call: CallId) -> Option<Asked> {
        let (uris, fixed) = match &self.inflight.get(call)?.state {
            State::Walk(walk) => (walk.asked(), None),
            State::AuthorizeRead { read: Read::Fixed(fixed), .. } => (1, Some(fixed.clone())),
            State::AuthorizeRead { .. } | State::AuthorizeComplete { .. } | State::AuthorizeMethod { .. } => {
                (1, None)
            }
            State::AuthorizeValues { completion, .. } => (completion.uris.len(), None),
            State::Subscribe(subscribing) => (subscribing.uris.len(), None),
            State::Listen { stream } => {
                (self.subscriptions.stream(*stream).map_or(0, |s| s.uris().count()), None)
            }
            State::Review { uris } => (uris.len(), None),
            State::Read { .. } | State::Complete { .. } | State::Method { .. } | State::Taken => return None,
        };
        let walks = matches!(self.inflight.get(call)?.state, State::Walk(_));
        Some(Asked { walks, uris, fixed })
    }

    /// Takes a walk out, to go on with it without a lock. Nothing if nobody wants the answer any more.
    pub(crate) fn take_walk(&mut self, call: CallId) -> Option<(Box<Walk>, Arc<Context>)> {
        self.inflight.get(call)?; // [`Machine::late`] lets go of what nobody wants
        match self.inflight.answered(call)? {
            State::Walk(walk) => {
                let context = self.inflight.get(call)?.context.clone();
                Some((walk, context))
            }
            other => {
                let _ = self.inflight.again(call, other);
                None
            }
        }
    }

    /// A walk has come as far as it could.
    pub(crate) fn walked(&mut self, call: CallId, walked: Walked, trash: &mut Trash) {
        match walked {
            Walked::Ask { walk, handler, after: key, limit } => {
                match self.inflight.again(call, State::Walk(walk)) {
                    Ok(call) => self.queue_host_call(Ask::List { call, handler, after: key, limit }),
                    Err(_) => trash.put(handler),
                }
            }
            Walked::Authorize { walk, uris } => {
                let operation = walk.operation();
                if let Ok(call) = self.inflight.again(call, State::Walk(walk)) {
                    self.queue_host_call(Ask::Authorize { call, operation, uris });
                }
            }
            Walked::Page { listing, items, cursor } => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    self.write_list(open.route, revision, &open.id, listing, &items, cursor.as_deref());
                }
            }
            Walked::Failed(why) => {
                if let Some(open) = self.inflight.close(call) {
                    self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
                    self.causes.log(Level::Error, why);
                }
            }
        }
    }

    /// The verdicts about a read, a subscription or a listen stream, and the contents if what is read is fixed. Those
    /// about a list come through [`Machine::take_walk`].
    pub(crate) fn finish_verdicts(
        &mut self,
        call: CallId,
        verdicts: &[Verdict],
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let first = verdicts.first().copied().unwrap_or(Verdict::Deny);
        match state {
            State::AuthorizeRead { uri, read } => match first {
                Verdict::Allow => self.go_on_reading(call, uri, read, contents, trash),
                verdict => {
                    if let Some(open) = self.inflight.close(call) {
                        let fault = refused(open.context.revision, &uri, verdict);
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                    }
                    trash.put(read);
                }
            },
            State::AuthorizeComplete { argument, completing } => match first {
                Verdict::Allow => self.go_on_completing(call, argument, completing, trash),
                verdict => {
                    if let Some(open) = self.inflight.close(call) {
                        let uri = &argument.reference;
                        let fault = match verdict {
                            Verdict::Hide => unknown_argument(&argument),
                            _ => denied(open.context.revision, uri),
                        };
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                    }
                    trash.put(completing);
                }
            },
            State::AuthorizeValues { completion, .. } => self.propose_allowed(call, *completion, verdicts),
            State::Subscribe(subscribing) => self.may_subscribe(call, subscribing, verdicts),
            State::Listen { stream } => {
                let uris = self.subscriptions.stream(stream).map(|s| s.uris().cloned().collect::<Vec<_>>());
                let uris = uris.unwrap_or_default();
                for (uri, verdict) in uris.iter().zip(verdicts) {
                    if *verdict == Verdict::Allow {
                        self.subscriptions.allow(uri, call.slot());
                    } else {
                        self.subscriptions.stream_drops(stream, uri, call.slot());
                    }
                }
                if let Ok(call) = self.inflight.again(call, State::Listen { stream }) {
                    self.start_stream_if_complete(call, stream);
                }
            }
            State::AuthorizeMethod { family, handler, params } => {
                self.method_allowed(call, family, handler, params, first, trash);
            }
            State::Review { uris } => {
                self.inflight.close(call);
                for (uri, verdict) in uris.iter().zip(verdicts) {
                    if *verdict != Verdict::Allow {
                        self.revoke(uri, *verdict);
                    }
                }
            }
            other => {
                let _ = self.inflight.again(call, other);
                return false;
            }
        }
        true
    }

    fn go_on_reading(
        &mut self,
        call: CallId,
        uri: Arc<str>,
        read: Read,
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) {
        let has = |open: &Open| open.context.if_version().is_some_and(|had| read.version() == Some(had));
        if self.inflight.get(call).is_some_and(|open| has(open))
            && let Some(open) = self.inflight.close(call)
        {
            let had = open.context.if_version().unwrap_or_default();
            let fault = not_modified(open.context.revision, &uri, had);
            self.fail(open.route, Stage::Dispatched, &open.id, &fault);
            trash.put(read);
            return;
        }
        match read {
            Read::Fixed(fixed) => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    let (defaults, reusable) = (fixed.defaults(&uri), open.context.input().is_none());
                    self.write_read(open.route, revision, &open.id, &defaults, contents, reusable);
                }
                trash.put(fixed);
            }
            Read::Call { handler, vars } => {
                let state = State::Read { uri: uri.clone(), handler: handler.clone() };
                match self.inflight.again(call, state) {
                    Ok(call) => self.queue_host_call(Ask::Read { call, uri, handler, vars }),
                    Err(state) => trash.put((state, handler)),
                }
            }
        }
    }

    /// The host dropped its responder, failed to answer in time, or answered nonsense.
    pub(crate) fn give_up(&mut self, call: CallId, why: &str, trash: &mut Trash) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        self.undo(call.slot(), &state);
        if let Some(open) = self.inflight.close(call) {
            self.give_up_requests(); // before the answer: nothing may follow it
            self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
            self.causes.log(Level::Error, format!("{} {why}", state.describe()));
            trash.put(open);
        }
        trash.put(state);
        true
    }

    /// Closes the stream on which a request is to be answered, for a client that comes back. Not wanted if it is answered,
    /// or where there is no such stream.
    pub(crate) fn close_stream(&mut self, call: CallId, retry_ms: u64) -> bool {
        let open = self.inflight.get(call).filter(|open| open.context.revision.sse_priming);
        let Some(route) = open.map(|open| open.route) else { return false };
        self.outbox.pause(route, retry_ms)
    }
}

/// The version of what was answered.
fn version<'a>(contents: &'a [Borrowed<'_>], uri: &str, handler: &'a Handler) -> Option<&'a str> {
    Borrowed::told(contents, uri).and_then(|told| told.version.as_deref()).or(handler.version())
}

impl State {
    pub(super) fn describe(&self) -> String {
        match self {
            State::Read { uri, .. } => format!("the read of {uri}"),
            State::Method { handler } => format!("the call of {}", handler.describe()),
            State::AuthorizeMethod { handler, .. } => format!("the verdict about {}", handler.describe()),
            State::AuthorizeRead { uri, .. } => format!("the verdict about reading {uri}"),
            State::Complete { argument } => {
                format!("the completion of {} in {}", argument.name, argument.reference)
            }
            State::AuthorizeComplete { argument, .. } | State::AuthorizeValues { argument, .. } => {
                format!("the verdict about completing {}", argument.reference)
            }
            State::Walk(walk) => format!("the list source \"{}\"", walk.source_name()),
            State::Subscribe(subscribing) => format!("the request to watch {}", subscribing.uris.join(", ")),
            State::Listen { .. } => "the request for a listen stream".to_owned(),
            State::Review { uris } => format!("the verdict about watching {} URIs", uris.len()),
            State::Taken => "a call".to_owned(),
        }
    }
}
