//! The questions to JavaScript, and the arguments of each.
//!
//! All are calls of one function, `runEvent(kind, call, handler, connection, context, begun, caller, revision, meta, …)` of
//! `lib/callbacks.ts`; what follows stands with each kind below.

use crate::calls::Held;
use crate::raw::{Js, Kept, Value};
use wellhead::{
    AuthorizeCall, Call, CallId, Caller, CompleteCall, InterestCall, ListCall, MethodCall, VerifyCall,
};

/// `runEvent(CANCEL, call)` is no question: it cancels a call.
pub(crate) const CANCEL: u32 = 0;
/// The client answered a request of the server, which is no question.
pub(crate) const RESPONSE: u32 = 7;
/// A callback of the core itself begins, which is no question: `begun` is for the observer.
pub(crate) const BEGUN: u32 = 9;

/// Something that JavaScript answers, now or later.
pub(crate) trait Question: Sized {
    const KIND: u32;

    fn handler(&self) -> u64 {
        0
    }

    /// Returns the caller, where the connection does not know it.
    fn caller(&self) -> Option<&Caller> {
        None
    }

    /// The context that JavaScript gave with the request.
    fn context(&self) -> Option<&Kept> {
        None
    }

    fn revision(&self) -> Option<&str>;
    /// The request's `_meta`.
    fn meta(&self) -> Option<&str>;
    /// Adds what follows. None: Node-API refused.
    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()>;
    fn call(&self) -> Option<CallId>;
    /// Keeps what answers it while JavaScript is asked.
    fn hold(self) -> Held;
}

/// Defines the getters that all calls of a request have.
macro_rules! of_request {
    () => {
        fn caller(&self) -> Option<&Caller> {
            Some(Self::caller(self))
        }

        fn context(&self) -> Option<&Kept> {
            self.request_context()
        }

        fn revision(&self) -> Option<&str> {
            Some(Self::revision(self))
        }

        fn meta(&self) -> Option<&str> {
            Self::meta(self)
        }

        fn call(&self) -> Option<CallId> {
            Self::call(self)
        }
    };
}

/// The array that JavaScript gets: `[ifVersion, inputResponses, requestState, uri, name, value, …, raw]`. A `name, value` pair stands
/// for each variable of the template. `raw`, only if a value was percent-encoded, is the array of all values before decoding.
impl Question for Call {
    const KIND: u32 = 1;

    fn handler(&self) -> u64 {
        Call::handler(self).number()
    }

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([
            js.text_or_undefined(self.if_version())?,
            js.text_or_undefined(self.input_responses())?,
            js.text_or_undefined(self.request_state())?,
            js.text(self.uri())?,
        ]);
        let mut variables = false;
        for name in self.names() {
            variables = true;
            to.push(js.text(name)?);
            to.push(if self.is_list(name) {
                let values: Option<Vec<_>> =
                    self.values(name).into_iter().map(|value| js.text(value)).collect();
                js.array(&values?)?
            } else {
                js.text(self.var(name)?)?
            });
        }
        if variables && self.uri().contains('%') {
            let raw: Option<Vec<_>> = self.names().map(|name| js.text(self.raw(name)?)).collect();
            to.push(js.array(&raw?)?);
        }
        Some(())
    }

    fn hold(self) -> Held {
        Held::Read(Box::new(self))
    }
}

/// `limit, after, filter, uri`, the filter as JSON.
impl Question for ListCall {
    const KIND: u32 = 2;

    fn handler(&self) -> u64 {
        ListCall::handler(self).number()
    }

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([
            js.number(self.limit() as f64)?,
            js.text_or_undefined(self.after())?,
            js.text_or_undefined(self.filter().map(wellhead::Json::as_str))?,
            js.text_or_undefined(self.uri())?,
        ]);
        Some(())
    }

    fn hold(self) -> Held {
        Held::List(self.into_responder())
    }
}

/// `operation, uri, …`.
impl Question for AuthorizeCall {
    const KIND: u32 = 3;

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.push(js.text(&self.operation().to_string())?);
        for uri in self.uris() {
            to.push(js.text(uri)?);
        }
        Some(())
    }

    fn hold(self) -> Held {
        Held::Authorize(self.into_responder())
    }
}

/// `uri, wanted`.
impl Question for InterestCall {
    const KIND: u32 = 4;

    fn revision(&self) -> Option<&str> {
        None
    }

    fn meta(&self) -> Option<&str> {
        None
    }

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([js.text(self.uri())?, js.boolean(self.wanted())?]);
        Some(())
    }

    fn call(&self) -> Option<CallId> {
        InterestCall::call(self)
    }

    fn hold(self) -> Held {
        Held::Interest(self.into_responder())
    }
}

/// `method, params, clientCapabilities, logLevel, name, arguments`; params, capabilities and arguments as JSON, the last
/// two of a tool or prompt only.
impl Question for MethodCall {
    const KIND: u32 = 5;

    fn handler(&self) -> u64 {
        MethodCall::handler(self).number()
    }

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([
            js.text(self.method())?,
            js.text(self.params())?,
            js.text_or_undefined(self.client_capabilities().as_deref())?,
            js.text_or_undefined(self.log_level().as_deref())?,
            js.text_or_undefined(self.name())?,
            js.text_or_undefined(self.name().map(|_| self.arguments()))?,
        ]);
        Some(())
    }

    fn hold(self) -> Held {
        Held::Method(self.into_responder())
    }
}

/// `variable, value, name, value, …`: of the variables that have one already.
impl Question for CompleteCall {
    const KIND: u32 = 6;

    fn handler(&self) -> u64 {
        CompleteCall::handler(self).number()
    }

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([js.text(self.variable())?, js.text(self.value())?]);
        for (name, value) in self.others() {
            to.extend([js.text(name)?, js.text(value)?]);
        }
        Some(())
    }

    fn hold(self) -> Held {
        Held::Complete(self.into_responder())
    }
}

/// A bearer token to be judged by the verifier of an endpoint, whose number is the handler: `token`.
pub(crate) struct Verify {
    pub(crate) call: VerifyCall,
    pub(crate) endpoint: u32,
}

impl Question for Verify {
    const KIND: u32 = 8;

    fn handler(&self) -> u64 {
        self.endpoint.into()
    }

    fn context(&self) -> Option<&Kept> {
        self.call.request_context()
    }

    fn revision(&self) -> Option<&str> {
        None
    }

    fn meta(&self) -> Option<&str> {
        None
    }

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.push(js.text(self.call.token())?);
        Some(())
    }

    fn call(&self) -> Option<CallId> {
        None
    }

    fn hold(mut self) -> Held {
        match self.call.take_responder() {
            Some(responder) => Held::Verify(responder, Box::new(self.call)),
            None => unreachable!("it was taken before"),
        }
    }
}
