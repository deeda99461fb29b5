//! Dispatches one message: finds out what it is, and what is to be done about it.

use super::RequestHead;
use super::answer_form::AnswerForm;
use super::application_call::RequestState;
use super::call_context::Context;
use super::draft::{Argument, Draft, cancelled_id};
use super::inflight::{CallId, IdOwner, OpenRequest};
use super::judged::Judged;
use super::list_topics::TopicSet;
use super::machine::Machine;
use super::outbox::{MessageKind, Route, Stage};
use super::subscriptions::Subscriber;
use crate::access::{Caller, Verdict};
use crate::catalog::Listing;
use crate::jsonrpc::write::{ReplyId, error};
use crate::jsonrpc::{Params, Parsed, RequestId, RpcError};
use crate::model::Json;
use crate::revision::{KnownMethod, Revision};
use crate::sync::Trash;
use crate::uri::check_uri;
use crate::wire;
use std::borrow::Cow;
use std::sync::{Arc, Weak};

pub(crate) const INITIALIZED: &str = "notifications/initialized";
pub(crate) const CANCELLED: &str = "notifications/cancelled";

/// The way in which a message arrived: as new input, as an element of a batch, or after it had waited for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    New,
    /// The message is the first of the elements of batches that wait to be handled.
    Element,
    /// The message waited for room under this number, and there is room now.
    Resumed(u64),
}

/// The way that one message took to the machine.
#[derive(Clone, Copy)]
pub(crate) struct MessageOrigin<'m> {
    pub(crate) route: Route,
    pub(crate) arrival: Arrival,
    /// The head of the POST that had the message. The message has to agree with it.
    pub(crate) head: Option<&'m RequestHead<'m>>,
    /// The caller of the connection.
    pub(crate) caller: &'m Arc<Caller>,
}

/// The right of the client to cancel a request that waits. It may not cancel `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancellable {
    Yes,
    No,
}

/// The result of admitting a message.
pub(crate) enum Admitted {
    /// The message was answered or ignored.
    Done,
    /// There is no room for another call. The caller keeps the bytes of the message, and offers them again later.
    Wait { id: RequestId, cancellable: Cancellable },
    /// The request is to be looked up in the catalog. It has a slot.
    Lookup(Request, Lookup),
}

/// Identifies a request for the thread that looks it up: its slot, and the facts that the catalog needs.
pub(crate) struct Request {
    pub(crate) call: CallId,
    pub(crate) context: Arc<Context>,
}

/// The lookup that a message needs in the catalog.
pub(crate) enum Lookup {
    List {
        listing: Listing,
        cursor: Option<String>,
    },
    Read {
        uri: Arc<str>,
    },
    Subscribe {
        subscriber: Subscriber,
        uris: Vec<String>,
    },
    Listen {
        lists: TopicSet,
        uris: Vec<String>,
    },
    /// `completion/complete`, with the argument to complete. If the server completes nothing, the client learns that in
    /// place of an error in the argument.
    Complete(Result<Arc<Argument>, RpcError>),
    /// `initialize` or `server/discover`: the answer describes the server.
    Introduce,
    /// A method that the protocol does not know, but the application may.
    Further {
        name: String,
        params: Json,
    },
    /// A notification for which the application may have a handler.
    Notification {
        name: String,
        params: Json,
    },
}

impl Machine {
    /// Handles one message.
    pub(crate) fn handle_parsed(
        &mut self,
        parsed: Parsed<'_>,
        origin: MessageOrigin<'_>,
        trash: &mut Trash,
    ) -> Admitted {
        let route = origin.route;
        match parsed {
            Parsed::Request { id, method, params } => self.handle_request(id, method, params, origin),
            Parsed::Notification { method, params } => {
                self.handle_notification(&method, params, origin, trash)
            }
            Parsed::Response { id, result } => {
                self.handle_response(id.as_ref(), result);
                self.outbox.end(route);
                Admitted::Done
            }
            Parsed::Array(elements) => {
                self.handle_batch(elements, route);
                Admitted::Done
            }
            Parsed::Bad { id, fault } => {
                let fault = fault.error(&self.settings.limits.of_parsing());
                // An element of a batch that is no message has no id, whatever it says.
                let id = id.filter(|_| self.outbox.batches.route_of(route).is_none());
                self.answer_refused(route, id.as_ref(), &fault);
                Admitted::Done
            }
        }
    }

    /// Handles a message that was longer than the limit and was skipped. Returns true if no further message may be
    /// handled now.
    pub(crate) fn handle_too_long(&mut self, route: Route) -> bool {
        if !self.is_closed() {
            let fault = RpcError::limit_exceeded("message_bytes", self.settings.limits.message_bytes);
            self.answer_refused(route, None, &fault);
        }
        self.is_full()
    }

    fn handle_request(
        &mut self,
        id: RequestId,
        name: Cow<'_, str>,
        params: Params<'_>,
        MessageOrigin { route, arrival, head, caller }: MessageOrigin<'_>,
    ) -> Admitted {
        if !matches!(arrival, Arrival::Resumed(_))
            && let Some(kept_back) = self.queue_unless_admitted(&id, &name, route)
        {
            return kept_back;
        }
        let draft = match Draft::new(id, name, params) {
            Ok(draft) => draft,
            Err((id, fault)) => {
                self.answer_refused(route, Some(&id), &fault);
                return Admitted::Done;
            }
        };
        if let Some(fault) = self.unfit_for_batch(&draft, route) {
            self.answer_refused(route, Some(&draft.id), &fault);
            return Admitted::Done;
        }
        let (revision, method) = match self.lifecycle.place(&draft, head, &self.settings.revisions) {
            Ok(placed) => placed,
            Err((fault, revision)) => {
                let stage = if revision.is_some() { Stage::NoMethod } else { Stage::Refused };
                self.answer_failed(route, stage, &draft.id, &fault);
                return Admitted::Done;
            }
        };
        let lookup = self.begin_lookup(&draft, revision, method, route).and_then(|lookup| {
            let Some(lookup) = lookup else { return Ok(None) };
            let details = self.details(&draft, revision, method, head);
            details.map(|details| Some((lookup, details))).map_err(|fault| (Stage::Dispatched, fault))
        });
        match lookup {
            Ok(Some((lookup, details))) => {
                let (own_caller, permit) = self.outbox.caller_of(route);
                let caller = own_caller.unwrap_or(caller).clone();
                let weak = permit.as_ref().map_or_else(Weak::new, Arc::downgrade);
                let context = Context::new(caller, revision, details, weak);
                let open = OpenRequest {
                    permit,
                    ..OpenRequest::new(
                        draft.id,
                        route,
                        context.clone(),
                        AnswerForm::Method,
                        RequestState::Lookup,
                    )
                };
                let call = match method {
                    KnownMethod::Initialize => self.inflight.open_own(open), // may not be cancelled
                    _ => self.inflight.open(open),
                };
                Admitted::Lookup(Request { call, context }, lookup)
            }
            Ok(None) => Admitted::Done,
            Err((stage, fault)) => {
                self.answer_failed(route, stage, &draft.id, &fault);
                Admitted::Done
            }
        }
    }

    /// Refuses a request whose id is in use, and makes a request wait for which there is no room. Returns `None` if the
    /// request may be dispatched.
    fn queue_unless_admitted(&mut self, id: &RequestId, name: &str, route: Route) -> Option<Admitted> {
        if !self.outbox.batches.note_id(route, id) {
            let fault = RpcError::invalid_request("the batch has another request with this id");
            self.answer_refused(route, Some(id), &fault);
            return Some(Admitted::Done);
        }
        if self.inflight.has_id(id) {
            let fault = RpcError::invalid_request("a request with this id is in flight");
            self.answer_refused(route, Some(id), &fault);
            return Some(Admitted::Done);
        }
        let is_free = name == "ping" && self.outbox.batches.route_of(route).is_none();
        if is_free || self.has_room(route) {
            return None;
        }
        let cancellable = match KnownMethod::named(name) {
            Some(KnownMethod::Initialize) => Cancellable::No,
            _ => Cancellable::Yes,
        };
        Some(Admitted::Wait { id: id.clone(), cancellable })
    }

    /// Answers a request that needs neither the catalog nor the application, and returns the lookup of any other.
    fn begin_lookup(
        &mut self,
        draft: &Draft<'_>,
        revision: Revision,
        method: KnownMethod,
        route: Route,
    ) -> Result<Option<Lookup>, (Stage, RpcError)> {
        let bad = |fault| (Stage::Dispatched, fault);
        let further = || Lookup::Further { name: draft.name.to_string(), params: draft.params() };
        if method.is_of_resources() && !self.settings.has_resources() {
            return Ok(Some(further())); // which serves none of these
        }
        Ok(match method {
            KnownMethod::Ping => {
                self.answer_done(draft, revision, route);
                None
            }
            KnownMethod::Initialize => {
                if self.lifecycle.handshake().is_some() {
                    return Err((Stage::Refused, RpcError::invalid_request("already initialized")));
                }
                let requested = draft.initialize().map_err(bad)?;
                // An `initialize` that is refused begins no session.
                self.details(draft, revision, method, None).map_err(bad)?;
                self.lifecycle.initialize(
                    &requested,
                    (draft.capabilities(), draft.client_info()),
                    revision,
                    &self.settings.revisions,
                );
                Some(Lookup::Introduce)
            }
            KnownMethod::Discover => Some(Lookup::Introduce),
            KnownMethod::Further => Some(further()),
            KnownMethod::ListResources => Some(list(Listing::Resources, draft).map_err(bad)?),
            KnownMethod::ListTemplates => Some(list(Listing::Templates, draft).map_err(bad)?),
            KnownMethod::Read | KnownMethod::Get => {
                Some(Lookup::Read { uri: self.uri(draft).map_err(bad)?.into() })
            }
            KnownMethod::Complete => Some(Lookup::Complete(draft.argument(revision).map(Arc::new))),
            KnownMethod::Subscribe | KnownMethod::Unsubscribe
                if !self.settings.identity.resources.subscribe =>
            {
                return Err((Stage::NoMethod, RpcError::method_not_found(&draft.name)));
            }
            KnownMethod::Subscribe => {
                let (subscriber, uris) = self.uris_to_subscribe(draft).map_err(bad)?;
                if uris.is_empty() {
                    self.answer_done(draft, revision, route);
                    return Ok(None);
                }
                Some(Lookup::Subscribe { subscriber, uris: uris.into_iter().map(Cow::into_owned).collect() })
            }
            KnownMethod::Unsubscribe => {
                let (subscriber, uris) = self.uris_to_subscribe(draft).map_err(bad)?;
                if let (Subscriber::Session, Some(uri)) = (subscriber, uris.first())
                    && check_uri(uri).is_err()
                {
                    return Err(bad(invalid_uri(uri)));
                }
                self.drop_changes(&uris.iter().map(|uri| (subscriber, &**uri)).collect());
                for uri in uris {
                    for slot in self.subscriptions.unsubscribe(subscriber, &uri) {
                        self.handle_subscribed(slot, &uri);
                    }
                }
                self.answer_done(draft, revision, route);
                None
            }
            KnownMethod::Listen if self.outbox.takes_answer_only(route) => {
                let what = "a listen stream needs a connection; this message was handed in alone";
                return Err((Stage::Refused, RpcError::invalid_request(what)));
            }
            KnownMethod::Listen => {
                let (lists, uris) = draft.notifications(&self.settings.list_topics).map_err(bad)?;
                let limit_of = self.settings.limits.listen_streams;
                if self.subscriptions.streams() >= limit_of {
                    return Err(bad(RpcError::limit_exceeded("listen_streams", limit_of)));
                }
                let uris = if self.settings.identity.resources.subscribe && self.settings.has_resources() {
                    uris
                } else {
                    Vec::new()
                };
                Some(Lookup::Listen { lists, uris: uris.into_iter().map(Cow::into_owned).collect() })
            }
        })
    }

    /// Answers a request with an empty result.
    fn answer_done(&mut self, draft: &Draft<'_>, revision: Revision, route: Route) {
        self.outbox.write(route, MessageKind::Final(Stage::Dispatched), |p| {
            wire::empty_result(p.out, revision, &draft.id, &self.settings.identity);
        });
    }

    pub(super) fn uri<'a>(&self, draft: &Draft<'a>) -> Result<Cow<'a, str>, RpcError> {
        let uri = draft.uri()?;
        self.check_length(&uri)?;
        Ok(uri)
    }

    pub(crate) fn check_length(&self, uri: &str) -> Result<(), RpcError> {
        let max = self.settings.limits.uri_bytes;
        if uri.len() <= max {
            return Ok(());
        }
        let what = format!("uri has more than {max} bytes");
        let fault = RpcError::invalid_params(&what).exceeds("uri_bytes", max);
        Err(fault.with_sentence(format!("Invalid URI: it has more than {max} bytes")))
    }

    /// Handles `notifications/initialized`: sends the notifications that were held back for it. Returns true the first
    /// time.
    fn handle_initialized(&mut self) -> bool {
        let begins = self.lifecycle.initialized();
        if begins {
            let held = std::mem::take(&mut self.held);
            self.queue_marks(held);
        }
        begins
    }

    /// Handles a notification. If the application has a handler for it, it waits for room as a request does.
    fn handle_notification(
        &mut self,
        name: &str,
        params: Params<'_>,
        MessageOrigin { route, arrival, caller, .. }: MessageOrigin<'_>,
        trash: &mut Trash,
    ) -> Admitted {
        let session = self.lifecycle.lasting_session();
        let heard = session.filter(|_| name != CANCELLED && self.settings.hears_notifications());
        let heard = heard.zip(Draft::new(RequestId::none(), name.into(), params).ok());
        if heard.is_some() && !matches!(arrival, Arrival::Resumed(_)) && !self.has_room(route) {
            return Admitted::Wait { id: RequestId::none(), cancellable: Cancellable::No };
        }
        let (own_caller, permit) = self.outbox.caller_of(route);
        let own_caller = own_caller.cloned();
        let is_news = match name {
            INITIALIZED => self.handle_initialized(),
            _ => true,
        };
        if let (CANCELLED, Some(id)) = (name, cancelled_id(params)) {
            self.handle_cancellation(&id, trash);
        }
        self.outbox.end(route);
        let Some((revision, draft)) = heard.filter(|_| is_news) else { return Admitted::Done };
        let caller = own_caller.unwrap_or_else(|| caller.clone());
        let weak = permit.as_ref().map_or_else(Weak::new, Arc::downgrade);
        let context = Context::new(caller, revision, draft.details(None, None, None, None, None), weak);
        // What the callback says about it goes where the session's own messages go.
        let (id, route, state) = (draft.id.clone(), Route::Connection, RequestState::Lookup);
        let open =
            OpenRequest { permit, ..OpenRequest::new(id, route, context.clone(), AnswerForm::None, state) };
        let call = self.inflight.open_own(open);
        Admitted::Lookup(
            Request { call, context },
            Lookup::Notification { name: name.to_owned(), params: draft.params() },
        )
    }

    fn handle_cancellation(&mut self, id: &RequestId, trash: &mut Trash) {
        match self.inflight.owner(id) {
            None => {}
            Some(IdOwner::Waiting(number)) => {
                if self.waiting.get(&number).is_some_and(|waiting| waiting.cancellable == Cancellable::Yes)
                    && let Some(waiting) = self.waiting.remove(&number)
                {
                    self.inflight.disown(id);
                    self.waiting_bytes -= waiting.line.len();
                    self.outbox.end(waiting.route);
                }
            }
            Some(IdOwner::Stream(stream)) => {
                self.inflight.disown(id);
                if let Some(stream) = self.subscriptions.close_stream(stream) {
                    self.outbox.end(stream.route);
                }
            }
            Some(IdOwner::Slot(slot)) => {
                if let Some(call) = self.inflight.in_slot(slot).map(|(call, _)| call) {
                    self.end_request(call, trash);
                }
            }
        }
    }

    /// Undoes what a cancelled request had begun, such as its subscriptions.
    pub(super) fn cancel_wanted(&mut self, slot: u32, state: &RequestState) {
        match state {
            RequestState::Subscribe(subscribing) => self.drop_subscriptions(subscribing, slot),
            RequestState::Listen { stream } => {
                self.subscriptions.close_stream(*stream);
            }
            RequestState::Judged(judged) => {
                if let Judged::Subscriptions { uris } = &**judged {
                    let refused = uris.iter().map(|uri| (uri, Verdict::Deny)); // no verdict is no permission
                    self.end_revoked_subscriptions(&refused.collect::<Vec<_>>());
                }
            }
            _ => {}
        }
    }

    /// Answers a message that was not dispatched.
    pub(super) fn answer_refused(&mut self, route: Route, id: Option<&RequestId>, fault: &RpcError) {
        let in_batch = self.outbox.batches.route_of(route).is_some();
        let reply = match (id, self.lifecycle.last()) {
            (Some(id), _) => ReplyId::Id(id),
            (None, Some(revision)) if !revision.null_id && !in_batch => ReplyId::Omitted,
            (None, _) => ReplyId::Null,
        };
        self.causes.refused(fault);
        self.outbox.write(route, MessageKind::Final(Stage::Refused), |p| error(p.out, reply, fault));
    }

    /// Answers a request with an error.
    pub(super) fn answer_failed(&mut self, route: Route, stage: Stage, id: &RequestId, fault: &RpcError) {
        self.causes.refused(fault);
        self.outbox.write(route, MessageKind::Final(stage), |p| error(p.out, ReplyId::Id(id), fault));
    }
}

fn list(listing: Listing, draft: &Draft<'_>) -> Result<Lookup, RpcError> {
    Ok(Lookup::List { listing, cursor: draft.cursor()?.map(Cow::into_owned) })
}

/// Returns the error for a text of the client that is not a URI.
pub(crate) fn invalid_uri(uri: &str) -> RpcError {
    let mut fault = RpcError::invalid_params("").with_member("uri", uri);
    fault.message = "Invalid URI".into();
    fault.with_sentence(format!("Invalid URI: {uri}"))
}
