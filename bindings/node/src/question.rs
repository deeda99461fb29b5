//! The questions to JavaScript: the arguments of each, and the meaning of its answers.
//!
//! All are calls of one function, `ask(kind, call, handler, connection, context, begun, caller, revision, meta, …)` of
//! `lib/callbacks.ts`; what follows stands with each kind below.

use crate::answer;
use crate::bell::Bell;
use crate::calls::Held;
use crate::raw::{Js, Kept, Value};
use std::sync::Arc;
use wellhead::http::Verification;
use wellhead::{
    Answer, AuthorizeCall, Call, CallId, Caller, CompleteCall, Completion, InterestCall, ListCall,
    MethodAnswer, MethodCall, Page, Reply, Responder, Verdict, VerifyCall, Watched,
};

/// `ask(CANCEL, call)` is no question: that answer is not wanted any more.
pub(crate) const CANCEL: u32 = 0;
/// Nor is what a client answered to a request of ours.
pub(crate) const RESPONSE: u32 = 7;
/// Nor is that a callback of the core's own begins: `begun` is for the observer.
pub(crate) const BEGUN: u32 = 9;

/// Something that JavaScript answers, now or later.
pub(crate) trait Question: Sized {
    type Answer: Understood;
    const KIND: u32;

    fn handler(&self) -> u64 {
        0
    }

    /// Who asks, where it is not the connection that knows.
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

/// The outcome of a question.
pub(crate) enum Outcome<A> {
    Answer(A),
    Failed(String),
    Later,
}

/// An answer that JavaScript gives.
pub(crate) trait Understood: Reply + Sized {
    fn understand(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Outcome<Self>;
    /// Answers that the callback failed; the text is for the log.
    fn fail(responder: Responder<Self>, why: String);
}

/// `ifVersion, inputResponses, requestState, uri, name, value, …, raw`: the variables, and behind them, if any value was sent escaped, the values as they were.
impl Question for Call {
    type Answer = Answer;
    const KIND: u32 = 1;

    fn handler(&self) -> u64 {
        Call::handler(self).number()
    }

    fn caller(&self) -> Option<&Caller> {
        Some(Call::caller(self))
    }

    fn context(&self) -> Option<&Kept> {
        self.request_context()
    }

    fn revision(&self) -> Option<&str> {
        Some(Call::revision(self))
    }

    fn meta(&self) -> Option<&str> {
        Call::meta(self)
    }

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

    fn call(&self) -> Option<CallId> {
        Call::call(self)
    }

    fn hold(self) -> Held {
        Held::Read(Box::new(self))
    }
}

impl Understood for Answer {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Answer> {
        answer::read(js, value)
    }

    fn fail(responder: Responder<Answer>, why: String) {
        responder.finish(Answer::Failed(why));
    }
}

/// `limit, after, filter`, the last as JSON.
impl Question for ListCall {
    type Answer = Page;
    const KIND: u32 = 2;

    fn handler(&self) -> u64 {
        ListCall::handler(self).number()
    }

    fn caller(&self) -> Option<&Caller> {
        Some(ListCall::caller(self))
    }

    fn context(&self) -> Option<&Kept> {
        self.request_context()
    }

    fn revision(&self) -> Option<&str> {
        Some(ListCall::revision(self))
    }

    fn meta(&self) -> Option<&str> {
        ListCall::meta(self)
    }

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([
            js.number(self.limit() as f64)?,
            js.text_or_undefined(self.after())?,
            js.text_or_undefined(self.filter().map(wellhead::Json::as_str))?,
        ]);
        Some(())
    }

    fn call(&self) -> Option<CallId> {
        ListCall::call(self)
    }

    fn hold(self) -> Held {
        Held::List(self.into_responder())
    }
}

impl Understood for Page {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Page> {
        answer::list(js, value)
    }

    fn fail(responder: Responder<Page>, why: String) {
        responder.finish(Page::failed(why));
    }
}

/// `operation, uri, …`.
impl Question for AuthorizeCall {
    type Answer = Vec<Verdict>;
    const KIND: u32 = 3;

    fn caller(&self) -> Option<&Caller> {
        Some(AuthorizeCall::caller(self))
    }

    fn context(&self) -> Option<&Kept> {
        self.request_context()
    }

    fn revision(&self) -> Option<&str> {
        Some(AuthorizeCall::revision(self))
    }

    fn meta(&self) -> Option<&str> {
        AuthorizeCall::meta(self)
    }

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.push(js.text(&self.operation().to_string())?);
        for uri in self.uris() {
            to.push(js.text(uri)?);
        }
        Some(())
    }

    fn call(&self) -> Option<CallId> {
        AuthorizeCall::call(self)
    }

    fn hold(self) -> Held {
        Held::Authorize(self.into_responder())
    }
}

impl Understood for Vec<Verdict> {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Vec<Verdict>> {
        answer::verdicts(js, value)
    }

    fn fail(responder: Responder<Vec<Verdict>>, why: String) {
        responder.fail(&why);
    }
}

/// `uri, wanted`.
impl Question for InterestCall {
    type Answer = Watched;
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

impl Understood for Watched {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Watched> {
        answer::watched(js, value)
    }

    fn fail(responder: Responder<Watched>, why: String) {
        responder.finish(Watched::Failed(why));
    }
}

/// `method, params, clientCapabilities, logLevel, name, arguments`; params, capabilities and arguments as JSON, the last
/// two of a tool or prompt only.
impl Question for MethodCall {
    type Answer = MethodAnswer;
    const KIND: u32 = 5;

    fn handler(&self) -> u64 {
        MethodCall::handler(self).number()
    }

    fn caller(&self) -> Option<&Caller> {
        Some(MethodCall::caller(self))
    }

    fn context(&self) -> Option<&Kept> {
        self.request_context()
    }

    fn revision(&self) -> Option<&str> {
        Some(MethodCall::revision(self))
    }

    fn meta(&self) -> Option<&str> {
        MethodCall::meta(self)
    }

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

    fn call(&self) -> Option<CallId> {
        MethodCall::call(self)
    }

    fn hold(self) -> Held {
        Held::Method(self.into_responder())
    }
}

impl Understood for MethodAnswer {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<MethodAnswer> {
        answer::method(js, value)
    }

    fn fail(responder: Responder<MethodAnswer>, why: String) {
        responder.finish(MethodAnswer::Failed(why));
    }
}

/// `variable, value, name, value, …`: of the variables that have one already.
impl Question for CompleteCall {
    type Answer = Completion;
    const KIND: u32 = 6;

    fn handler(&self) -> u64 {
        CompleteCall::handler(self).number()
    }

    fn caller(&self) -> Option<&Caller> {
        Some(CompleteCall::caller(self))
    }

    fn context(&self) -> Option<&Kept> {
        self.request_context()
    }

    fn revision(&self) -> Option<&str> {
        Some(CompleteCall::revision(self))
    }

    fn meta(&self) -> Option<&str> {
        CompleteCall::meta(self)
    }

    fn arguments<'s>(&self, js: Js<'s>, to: &mut Vec<Value<'s>>) -> Option<()> {
        to.extend([js.text(self.variable())?, js.text(self.value())?]);
        for (name, value) in self.others() {
            to.extend([js.text(name)?, js.text(value)?]);
        }
        Some(())
    }

    fn call(&self) -> Option<CallId> {
        CompleteCall::call(self)
    }

    fn hold(self) -> Held {
        Held::Complete(self.into_responder())
    }
}

impl Understood for Completion {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Completion> {
        answer::completion(js, value)
    }

    fn fail(responder: Responder<Completion>, why: String) {
        responder.finish(Completion::failed(why));
    }
}

/// A bearer token to be judged by the verifier of an endpoint, whose number is the handler: `token`.
pub(crate) struct Verify {
    pub(crate) call: VerifyCall,
    pub(crate) endpoint: u32,
}

impl Question for Verify {
    type Answer = Verification;
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

impl Understood for Verification {
    fn understand(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Outcome<Verification> {
        answer::verification(js, value, bell)
    }

    fn fail(responder: Responder<Verification>, why: String) {
        responder.finish(Verification::Failed(why));
    }
}
