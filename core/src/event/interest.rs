//! The news that a URI has subscribers, or has none any more.

use crate::hub::Interest;
use crate::responder::{InterestAnswer, Responder};
use std::sync::Arc;

pub(crate) type InterestHandler = dyn Fn(InterestCall) + Send + Sync;

/// A URI has its first subscriber, or has lost its last one. Subscribers are acknowledged after this is answered.
pub struct InterestCall {
    uri: Arc<str>,
    wanted: bool,
    pub(super) interest_handler: Option<Arc<InterestHandler>>,
    pub(super) responder: Option<Responder<InterestAnswer>>,
    pub(super) quiet: bool,
}

impl InterestCall {
    pub(crate) fn new(
        interest: Interest,
        interest_handler: Option<Arc<InterestHandler>>,
        responder: Responder<InterestAnswer>,
    ) -> Self {
        let Interest { uri, wanted, .. } = interest;
        InterestCall { uri, wanted, interest_handler, responder: Some(responder), quiet: false }
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns whether the URI has a subscriber now.
    pub fn wanted(&self) -> bool {
        self.wanted
    }
}
