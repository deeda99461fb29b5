//! The questions to JavaScript, and the arguments of each.
//!
//! All are calls of one function, `runEvent(kind, call, handler, connection, context, begun, caller, revision, meta,
//! …)` of `lib/callbacks.ts`; the further arguments are at each kind below.

use crate::calls::Held;
use crate::raw::{Js, Kept, Value};
use wellhead::{
    AuthorizeCall, Call, CallId, Caller, CompleteCall, InterestCall, ListCall, MethodCall, VerifyCall,
};

/// The kind that cancels a call, `runEvent(CANCEL, call)`. It is no question.
pub(crate) const CANCEL: u32 = 0;
/// The kind for a client's response to a request of the server. It is no question.
pub(crate) const RESPONSE: u32 = 7;
/// The kind for the begin of a callback of the core itself, of which `begun` tells the observer. It is no question.
pub(crate) const BEGUN: u32 = 9;

/// A question to JavaScript, which answers it now or later.
pub(crate) trait Question: Sized {
    const KIND: u32;

    fn handler(&self) -> u64 {
        0
    }

    /// Returns the caller of the request; `None` if JavaScript finds it by the connection.
    fn caller(&self) -> Option<&Caller> {
        None
    }

    /// Returns the context that JavaScript passed with the request, if there is one.
    fn context(&self) -> Option<&Kept> {
        None
    }

    fn revision(&self) -> Option<&str>;
    /// Returns the `_meta` of the request as JSON; `None` if it has none.
    fn meta(&self) -> Option<&str>;
    /// Adds the arguments of this kind of question to `to`. Returns `None` if Node-API refused a value.
    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()>;
    fn call(&self) -> Option<CallId>;
    /// Returns the responder, which is kept until JavaScript has answered.
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

/// The arguments of a list: `limit, after, filter, uri`, the filter as JSON.
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

/// The arguments of a question to the authorizer: `operation, uri, …`.
impl Question for AuthorizeCall {
    const KIND: u32 = 3;

    of_request!();

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.push(js.text(&self.operation().to_string())?);
        for uri in self.targets() {
            to.push(js.text(uri)?);
        }
        Some(())
    }

    fn hold(self) -> Held {
        Held::Authorize(self.into_responder())
    }
}

/// The arguments of a change of interest: `uri, wanted`.
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

/// The arguments of a method: `method, params, clientCapabilities, logLevel, name, arguments`; params, capabilities and
/// arguments as JSON. Only a tool or prompt has a name.
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
            js.text(self.arguments())?,
        ]);
        Some(())
    }

    fn hold(self) -> Held {
        Held::Method(self.into_responder())
    }
}

/// The arguments of a completion: `variable, value, name, value, …`. A `name, value` pair stands for each variable that
/// has a value already.
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

/// A bearer token for the verifier of an endpoint. The handler is the number of the endpoint, and the argument is
/// `token`.
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
