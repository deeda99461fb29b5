//! The question whether a bearer token is valid.

use crate::access::RequestContext;
use crate::account::Permit;
use crate::event::{Question, Verification};
use crate::request_head::OwnedHead;
use crate::responder::Responder;
use std::any::Any;
use std::sync::{Arc, Weak};

pub(crate) type Verifier = dyn Fn(VerifyCall) + Send + Sync;

/// A bearer token to be judged, before anything else of its request is read. It has a responder: [`VerifyCall::defer`]
/// or [`VerifyCall::into_responder`] takes it out.
///
/// Never send the token to anybody but its issuer.
pub struct VerifyCall {
    token: String,
    head: Arc<OwnedHead>,
    context: Option<RequestContext>,
    pub(super) verifier: Option<Arc<Verifier>>,
    pub(super) responder: Option<Responder<Verification>>,
    pub(super) quiet: bool,
}

impl VerifyCall {
    pub(crate) fn new(
        token: String,
        head: Arc<OwnedHead>,
        context: Option<RequestContext>,
        verifier: Option<Arc<Verifier>>,
        question: Weak<Question>,
        permit: Arc<Permit>,
    ) -> Self {
        let responder = Some(Responder::verify(question, permit));
        VerifyCall { token, head, context, verifier, responder, quiet: false }
    }

    /// The token as the client sent it: letters, digits and `-._~+/=` (RFC 6750 section 2.1). Empty if the request has
    /// none and [`crate::http::EndpointBuilder::token_required`] is false.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the value of a header field of the request. `None` if it is absent, came more than once, or is no text.
    /// The case of `name` does not matter. If scopes depend on the request, `Mcp-Method` and `Mcp-Name` tell what a
    /// client of 2026-07-28 is about to do.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// Returns the query of the request's target as it came, without its `?`, or `None` if it has none.
    pub fn query(&self) -> Option<&str> {
        self.head.query()
    }

    /// The context that the application gave to [`crate::http::Endpoint::begin_with_context`]; `None` if there is none,
    /// or if it is no `T`.
    pub fn request_context<T: Any>(&self) -> Option<&T> {
        self.context.as_deref()?.downcast_ref()
    }

    /// Drops the call's share of its request context. An application that keeps the call uses it, since a context that
    /// refers to the call would keep both for ever.
    pub fn forget_request_context(&mut self) {
        self.context = None;
    }
}
