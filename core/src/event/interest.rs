//! The event that a URI has got its first subscriber, or has lost its last one.

use crate::hub::Interest;
use crate::responder::{InterestAnswer, Responder};
use std::sync::Arc;

pub(crate) type InterestHandler = dyn Fn(InterestCall) + Send + Sync;

/// A URI has got its first subscriber, or has lost its last one. The server acknowledges the subscription after the
/// application has answered this.
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

    /// The URI that has got or lost subscribers.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns true if the URI has got its first subscriber, false if it has lost its last one.
    pub fn wanted(&self) -> bool {
        self.wanted
    }
}
