//! A call as callbacks get it: the call of the core, with what C borrows from it until it ends.

use crate::foreign::ApplicationCaller;
use crate::types::wellhead_str;
use parking_lot::Mutex;
use std::sync::OnceLock;
use wellhead::{
    Arguments, AroundCall, AuthorizeCall, Call, ClientExtensions, ClientRequestError, CompleteCall,
    InterestCall, ListCall, MethodCall, VerifyCall,
};

/// cbindgen:ignore
pub enum wellhead_call {
    Read(Held<Call, OnceLock<Box<ClientRequests>>>),
    List(Held<ListCall>),
    Complete(Held<CompleteCall>),
    Method(Held<MethodCall, OnceLock<Box<OfMethod>>>),
    Authorize(Held<AuthorizeCall, Targets>),
    Around(Held<AroundCall, OnceLock<Arguments>>),
    Interest(InterestCall),
    Verify(VerifyCall),
}

/// Reads what the calls of requests share. `$otherwise` is for interest and verify callbacks, which belong to no
/// request of MCP.
macro_rules! of_request {
    ($call:expr, $held:ident => $value:expr, $otherwise:expr) => {
        match $call {
            wellhead_call::Read($held) => $value,
            wellhead_call::List($held) => $value,
            wellhead_call::Complete($held) => $value,
            wellhead_call::Method($held) => $value,
            wellhead_call::Authorize($held) => $value,
            wellhead_call::Around($held) => $value,
            wellhead_call::Interest(_) | wellhead_call::Verify(_) => $otherwise,
        }
    };
}
pub(crate) use of_request;

impl wellhead_call {
    pub(crate) fn read(call: Call) -> Self {
        wellhead_call::Read(Held::new(call, OnceLock::new()))
    }

    pub(crate) fn list(call: ListCall) -> Self {
        wellhead_call::List(Held::new(call, ()))
    }

    pub(crate) fn complete(call: CompleteCall) -> Self {
        wellhead_call::Complete(Held::new(call, ()))
    }

    pub(crate) fn method(call: MethodCall) -> Self {
        wellhead_call::Method(Held::new(call, OnceLock::new()))
    }

    pub(crate) fn around(call: AroundCall) -> Self {
        wellhead_call::Around(Held::new(call, OnceLock::new()))
    }

    pub(crate) fn authorize(call: AuthorizeCall) -> Self {
        let targets = call.targets().map(wellhead_str::from_text).collect();
        wellhead_call::Authorize(Held::new(call, Targets(targets)))
    }

    pub(crate) fn as_read(&self) -> Option<&Call> {
        match self {
            wellhead_call::Read(held) => Some(&held.call),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&ListCall> {
        match self {
            wellhead_call::List(held) => Some(&held.call),
            _ => None,
        }
    }

    pub(crate) fn as_complete(&self) -> Option<&CompleteCall> {
        match self {
            wellhead_call::Complete(held) => Some(&held.call),
            _ => None,
        }
    }

    pub(crate) fn as_method(&self) -> Option<&MethodCall> {
        match self {
            wellhead_call::Method(held) => Some(&held.call),
            _ => None,
        }
    }

    pub(crate) fn as_around(&self) -> Option<&AroundCall> {
        match self {
            wellhead_call::Around(held) => Some(&held.call),
            _ => None,
        }
    }

    pub(crate) fn log_level(&self) -> Option<&str> {
        let wellhead_call::Method(held) = self else { return None };
        held.more().log_level.get_or_init(|| held.call.log_level()).as_deref()
    }

    /// Returns the arguments, which are parsed when a function first reads one by its path. None unless it is the call
    /// of a method, a tool or a prompt, or one with a callback around it.
    pub(crate) fn by_path(&self) -> Option<&Arguments> {
        match self {
            wellhead_call::Method(held) => {
                Some(held.more().arguments.get_or_init(|| Arguments::new(&held.call)))
            }
            wellhead_call::Around(held) => Some(held.more.get_or_init(|| Arguments::around(&held.call))),
            _ => None,
        }
    }

    pub(crate) fn requests(&self) -> Option<&ClientRequests> {
        match self {
            wellhead_call::Read(held) => Some(held.more()),
            wellhead_call::Method(held) => Some(&held.more().requests),
            _ => None,
        }
    }

    pub(crate) fn client(&self) -> Option<&str> {
        of_request!(self, held => held.facts().client.get_or_init(|| held.call.client()).as_deref(), None)
    }

    pub(crate) fn client_capabilities(&self) -> Option<&str> {
        let capabilities = match self {
            wellhead_call::Read(held) => {
                held.facts().client_capabilities.get_or_init(|| held.call.client_capabilities())
            }
            wellhead_call::Method(held) => {
                held.facts().client_capabilities.get_or_init(|| held.call.client_capabilities())
            }
            wellhead_call::Around(held) => {
                held.facts().client_capabilities.get_or_init(|| held.call.client_capabilities())
            }
            _ => return None,
        };
        capabilities.as_deref()
    }

    pub(crate) fn extensions(&self) -> Option<&ClientExtensions> {
        of_request!(self, held => {
            Some(held.facts().extensions.get_or_init(|| held.call.client_extensions()))
        }, None)
    }

    pub(crate) fn caller(&self) -> Option<&ApplicationCaller> {
        of_request!(self, held => held.call.caller().value::<ApplicationCaller>(), None)
    }
}

/// A call, with what C borrows from it. That is made when the application first asks for it, because most calls need
/// none, and it is boxed, because each call is moved several times.
pub struct Held<C, More = ()> {
    pub(crate) call: C,
    pub(crate) more: More,
    facts: OnceLock<Box<Facts>>,
}

/// The facts about a request that the call does not lend.
#[derive(Default)]
struct Facts {
    client: OnceLock<Option<String>>,
    client_capabilities: OnceLock<Option<String>>,
    extensions: OnceLock<ClientExtensions>,
}

impl<C, More> Held<C, More> {
    fn new(call: C, more: More) -> Self {
        Held { call, more, facts: OnceLock::new() }
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(Box::default)
    }
}

impl<C, More: Default> Held<C, OnceLock<Box<More>>> {
    fn more(&self) -> &More {
        self.more.get_or_init(Box::default)
    }
}

/// More texts and arguments that C borrows from the call of a method, a tool or a prompt.
#[derive(Default)]
pub struct OfMethod {
    log_level: OnceLock<Option<String>>,
    arguments: OnceLock<Arguments>,
    requests: ClientRequests,
}

/// The texts that the client answered to requests of a callback, and why the first of them has no answer.
#[derive(Default)]
pub struct ClientRequests(Mutex<(Vec<Box<str>>, Option<ClientRequestError>)>);

impl ClientRequests {
    /// Keeps a text as long as the call.
    pub(crate) fn keep_text(&self, text: String) -> wellhead_str {
        let mut kept = self.0.lock();
        kept.0.push(text.into());
        kept.0.last().map_or(wellhead_str::ABSENT, |text| wellhead_str::from_text(text))
    }

    /// Stores why a request has no result. The first reason counts, unless the callback may have dealt with it.
    pub(crate) fn keep_error(&self, why: ClientRequestError) {
        use ClientRequestError::{InvalidAnswer, MissingCapability, Refused};
        let kept = &mut self.0.lock().1;
        if matches!(kept, None | Some(InvalidAnswer(_) | MissingCapability(_) | Refused(_))) {
            *kept = Some(why);
        }
    }

    pub(crate) fn take_error(&self) -> Option<ClientRequestError> {
        self.0.lock().1.take()
    }
}

/// The URIs of a question about access as C sees them.
pub struct Targets(pub(crate) Vec<wellhead_str>);

// SAFETY: they are views into the call that they are held with, which nothing changes.
unsafe impl Send for Targets {}
// SAFETY: as above.
unsafe impl Sync for Targets {}
