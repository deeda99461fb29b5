//! The next items of a list.

use crate::access::RequestContext;
use crate::catalog::{Handler, HandlerId, ListOf, Listing};
use crate::connection::ConnectionState;
use crate::model::{Json, Page};
use crate::protocol::{CallId, Context};
use crate::provider::Provider;
use crate::responder::Responder;
use std::sync::{Arc, Weak};

/// A question for the next items of a list source. The application answers it with a [`Page`].
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

    /// The key of the last item that was listed; `None` for the start of the list. The item itself may have been
    /// deleted.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Returns the filter of a client of the `resources/get` dialect, which says what resources it wants; otherwise
    /// `None`. It is a JSON object whose members client and application agree on. A cursor is valid only with the
    /// filter that it was made for.
    pub fn filter(&self) -> Option<&Json> {
        self.context.filter()
    }

    /// Returns the kind of list that the client wants.
    #[cfg_attr(not(feature = "directory"), allow(dead_code, reason = "only folders tell lists apart"))]
    pub(crate) fn listing(&self) -> Listing {
        self.of.listing
    }

    /// The URI of the skill that the client asks for by `skills/get`; `None` for a list. The page then needs this skill
    /// only, or nothing. If the callback ignores it, the server searches the whole list.
    pub fn uri(&self) -> Option<&str> {
        self.of.subject.as_deref()
    }

    /// Returns the greatest number of items to return. Further ones are cut off. The client gets them with the next
    /// page, for which the callback is asked again.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The id of the registration whose callback this call is for.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// Returns whether the core has the callback: see [`crate::Call::has_provider`].
    pub fn has_provider(&self) -> bool {
        self.handler.provider.as_ref().is_some_and(|provider| provider.answers())
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        self.handler.provider.clone()
    }
}
