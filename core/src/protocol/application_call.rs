//! The calls of the application that a request leads to, and what the request waits for until they are answered.

use super::draft::Argument;
use super::inflight::CallId;
use super::judged::Judged;
use crate::catalog::{Handler, MethodHandler, Walk};
use crate::model::{ClientAnswer, Json};
use std::sync::Arc;

/// The next call of the application. It becomes an event, with a responder, after the lock is released.
pub(crate) enum ApplicationCall {
    Read {
        call: CallId,
        uri: Arc<str>,
        handler: Arc<Handler>,
        vars: crate::catalog::Vars,
    },
    /// A read whose callback runs again, because the client has answered the callback's requests.
    ReadAgain {
        call: CallId,
        uri: Arc<str>,
        handler: Arc<Handler>,
    },
    Method {
        call: CallId,
        handler: Arc<MethodHandler>,
        params: Arc<Json>,
    },
    List {
        call: CallId,
        handler: Arc<Handler>,
        of: crate::catalog::ListOf,
        after: Option<String>,
        limit: usize,
    },
    Complete {
        call: CallId,
        handler: Arc<Handler>,
        argument: Arc<Argument>,
    },
    Authorize {
        call: CallId,
        operation: crate::access::Operation,
        uris: Vec<Arc<str>>,
    },
    Cancel {
        call: CallId,
    },
    /// The client's answer to a request of the server.
    Response {
        call: CallId,
        number: u64,
        answer: ClientAnswer,
    },
}

impl ApplicationCall {
    pub(crate) fn call(&self) -> CallId {
        match self {
            ApplicationCall::Read { call, .. }
            | ApplicationCall::ReadAgain { call, .. }
            | ApplicationCall::Method { call, .. }
            | ApplicationCall::List { call, .. }
            | ApplicationCall::Complete { call, .. }
            | ApplicationCall::Authorize { call, .. }
            | ApplicationCall::Response { call, .. }
            | ApplicationCall::Cancel { call } => *call,
        }
    }
}

/// The thing that an open request waits for.
pub(crate) enum RequestState {
    /// The catalog's answer: a thread looks the request up without a lock.
    Lookup,
    /// The application's answer to a read.
    Read { uri: Arc<str>, handler: Arc<Handler> },
    /// The application's answer to a method of its own.
    Method { handler: Arc<MethodHandler>, params: Arc<Json> },
    /// The application's values for a completion.
    Complete { argument: Arc<Argument> },
    /// Verdicts about the item that the lookup found, before it is served or called. Boxed, because it is larger than
    /// the others.
    Judged(Box<Judged>),
    /// The next page of a list source, or verdicts about items of a list.
    Walk(Box<Walk>),
    /// A subscribe request. It waits for the authorizer's verdicts, then for the interest handlers.
    Subscribe(Box<Subscribing>),
    /// A listen request. It waits for the authorizer's verdicts, then for the interest handlers.
    Listen { stream: u64 },
    /// Nothing: a thread took the state out of the slot, to work on it without a lock.
    Taken,
}

/// A request to subscribe to one or more URIs. It succeeds for all of them, or for none.
pub(crate) struct Subscribing {
    pub(crate) subscriber: super::subscriptions::Subscriber,
    /// All URIs of the request, in its order. Those at which there can be no resource are here only.
    pub(crate) requested: Vec<String>,
    pub(crate) uris: Vec<Arc<str>>,
    /// The URIs for which an interest handler has not answered yet.
    pub(crate) awaited: std::collections::BTreeSet<Arc<str>>,
}

impl Subscribing {
    /// Returns whether there can be no resource at a URI of the request.
    pub(super) fn has_unknown(&self) -> bool {
        self.requested.len() > self.uris.len()
    }
}

/// A read whose URI has been resolved.
pub(crate) enum ResolvedRead {
    Fixed(Arc<crate::catalog::Fixed>),
    Call { handler: Arc<Handler>, vars: crate::catalog::Vars },
}

impl ResolvedRead {
    /// The version of the resource that its registration names, if any.
    pub(crate) fn version(&self) -> Option<&str> {
        match self {
            ResolvedRead::Fixed(fixed) => fixed.descriptor().version(),
            ResolvedRead::Call { handler, .. } => handler.version(),
        }
    }
}
