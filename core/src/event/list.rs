//! The next items of a list.

use crate::access::RequestContext;
use crate::catalog::{Handler, HandlerId, ListOf, Listing};
use crate::connection::ConnectionState;
use crate::model::{Json, Page};
use crate::protocol::{CallId, Context};
use crate::provider::Provider;
use crate::responder::Responder;
use std::sync::{Arc, Weak};

/// The next items of a list source, to be answered.
pub struct ListCall {
    pub(super) after: Option<String>,
    pub(super) limit: usize,
    pub(super) of: ListOf,
    pub(super) handler: Arc<Handler>,
    pub(super) context: Arc<Context>,
    pub(super) attached: Option<RequestContext>,
    pub(super) responder: Option<Responder<Page>>,
    pub(super) quiet: bool,
}

impl ListCall {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        handler: Arc<Handler>,
        of: ListOf,
        (after, limit): (Option<String>, usize),
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        ListCall { after, limit, of, handler, context, attached: None, responder, quiet: false }
    }

    /// The key of the last item that was listed; none: from the start. The item itself may be gone by now.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Returns which resources the client wants, as a client of the `resources/get` dialect may say: a JSON object whose members
    /// the dialect leaves to the two of them. A cursor is good for the filter that it came with.
    pub fn filter(&self) -> Option<&Json> {
        self.context.filter()
    }

    /// Returns the kind of list that the client wants.
    #[cfg_attr(not(feature = "directory"), allow(dead_code, reason = "only folders tell lists apart"))]
    pub(crate) fn listing(&self) -> Listing {
        self.of.listing
    }

    /// The URI of the skill that the client asks for by `skills/get`; `None` for a list. The page then has this skill, or
    /// nothing. Without regard to it, the whole list is searched.
    pub fn uri(&self) -> Option<&str> {
        self.of.subject.as_deref()
    }

    /// Returns how many items are wanted at most; more are cut off, and asked for again.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The registration that this call belongs to.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// See [`crate::Call::has_provider`].
    pub fn has_provider(&self) -> bool {
        self.handler.provider.as_ref().is_some_and(|provider| provider.answers())
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        self.handler.provider.clone()
    }
}
