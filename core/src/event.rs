//! Questions to the application, as values. The caller that polled one chooses the thread on which the application's
//! code runs.

mod arguments;
mod around;
mod authorize;
mod complete;
mod interest;
mod list;
mod method;
mod read;
mod verification;
mod verify;

use crate::access::{Caller, RequestContext, Verdict};
use crate::model::{Answer, ClientExtensions, Completion, Json, MethodAnswer, Page};
use crate::observer::RunningCalls;
use crate::protocol::CallId;
use crate::provider::Deferred;
use crate::responder::{InterestAnswer, Reply, Responder};
use crate::session::Session;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use arguments::Arguments;
pub(crate) use around::{Afterwards, AroundCallback, AroundCallbacks};
pub use around::{AroundCall, Next, Outcome};
pub use authorize::AuthorizeCall;
pub(crate) use authorize::Gatekeeper;
pub use complete::CompleteCall;
pub use interest::InterestCall;
pub(crate) use interest::InterestHandler;
pub use list::ListCall;
pub(crate) use method::Continuation;
pub use method::{MethodCall, ResponseCall};
pub use read::Call;
pub use verification::{Grant, Verification};
pub(crate) use verification::{Question, failed};
pub(crate) use verify::Verifier;
pub use verify::VerifyCall;

/// Something that only the application can do. Each is handed out once.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Read a resource.
    Read(Call),
    /// List a source's next items.
    List(ListCall),
    /// Propose values for a template's variable.
    Complete(CompleteCall),
    /// Answer a method of the application's own.
    Method(MethodCall),
    /// The client answered a request that a further method sent, or will not answer it.
    Response(ResponseCall),
    /// The answer to that call is not wanted any more. Its responder is still to be answered or dropped.
    Cancel(CallId),
    /// May the caller?
    Authorize(AuthorizeCall),
    /// A URI has its first subscriber, or has lost its last one.
    Interest(InterestCall),
    /// Is this bearer token good? Over HTTP, of an endpoint that asks for one.
    Verify(VerifyCall),
}

impl Event {
    /// Notes that the event's callback begins, for an application that runs events by itself. Returns false if the
    /// request is over, so drop the event instead; [`Event::run`] does that. Call it before each callback, not when the
    /// event is polled.
    pub fn begin(&self) -> bool {
        match self {
            Event::Read(call) => call.begin(),
            Event::List(call) => call.begin(),
            Event::Complete(call) => call.begin(),
            Event::Method(call) => call.begin(),
            Event::Authorize(call) => call.begin(),
            Event::Verify(call) => call.begin(),
            Event::Interest(call) => call.begin(),
            Event::Response(_) | Event::Cancel(_) => true,
        }
    }

    /// The request has ended, so no answer is wanted.
    #[cfg(feature = "http")]
    pub(crate) fn is_cancelled(&self) -> bool {
        match self {
            Event::Read(call) => call.is_cancelled(),
            Event::List(call) => call.is_cancelled(),
            Event::Complete(call) => call.is_cancelled(),
            Event::Method(call) => call.is_cancelled(),
            Event::Authorize(call) => call.is_cancelled(),
            Event::Verify(call) => call.is_cancelled(),
            Event::Interest(call) => call.is_cancelled(),
            Event::Response(_) | Event::Cancel(_) => false,
        }
    }

    /// Runs the callback that was registered for it, here and now. Without one, the call fails.
    ///
    /// A panic in the callback is caught and answered like a dropped [`crate::Responder`]; the process's panic hook has
    /// reported it. The
    /// callback of a call whose request is over is not run.
    pub fn run(self) {
        if !self.begin() {
            return; // dropped, which gives back what it counted as
        }
        match self {
            Event::Read(mut call) => match (call.provider(), call.arounds.take()) {
                (Some(provider), Some(arounds)) if !provider.is_library() => {
                    Next::read(arounds, call, provider).run_next();
                }
                (Some(provider), _) => guarded(call, move |call| provider.read(call)),
                (None, _) => drop(call),
            },
            Event::List(call) => match (call.handler.callbacks.list(), call.provider()) {
                (Some(list), _) => guarded(call, move |call| list(call)),
                (None, Some(provider)) => guarded(call, move |call| provider.list(call)),
                (None, None) => drop(call),
            },
            Event::Complete(call) => match (call.completer(), call.provider()) {
                (Some(complete), _) => guarded(call, move |call| complete(call)),
                (None, Some(provider)) => guarded(call, move |call| provider.complete(call)),
                (None, None) => drop(call),
            },
            Event::Method(mut call) => match (call.run(), call.arounds.take()) {
                (Some(run), Some(arounds)) if !call.is_of_library() => {
                    Next::method(arounds, call, run).run_next();
                }
                (Some(run), _) => guarded(call, move |call| run(call)),
                (None, _) => drop(call),
            },
            Event::Response(call) => guarded(call, ResponseCall::run),
            Event::Authorize(call) => match call.gatekeeper.clone() {
                Some(gatekeeper) => guarded(call, move |call| gatekeeper(call)),
                None => drop(call),
            },
            Event::Interest(call) => match call.interest_handler.clone() {
                Some(interest_handler) => guarded(call, move |call| interest_handler(call)),
                None => drop(call),
            },
            Event::Verify(call) => match call.verifier.clone() {
                Some(verifier) => guarded(call, move |call| verifier(call)),
                None => drop(call),
            },
            Event::Cancel(_) => {}
        }
    }

    /// The context of the request that the event belongs to, or what an observer put in its place, if it is a `T`: see
    /// [`crate::RequestContext`].
    pub fn request_context<T: Any>(&self) -> Option<&T> {
        match self {
            Event::Read(call) => call.request_context(),
            Event::List(call) => call.request_context(),
            Event::Complete(call) => call.request_context(),
            Event::Method(call) => call.request_context(),
            Event::Authorize(call) => call.request_context(),
            Event::Verify(call) => call.request_context(),
            Event::Response(_) | Event::Cancel(_) | Event::Interest(_) => None,
        }
    }

    /// [`Event::run`] runs these around the callback.
    pub(crate) fn surround(&mut self, arounds: AroundCallbacks) {
        match self {
            Event::Read(call) => call.arounds = Some(arounds),
            Event::Method(call) => call.arounds = Some(arounds),
            _ => {}
        }
    }

    /// Has the observer notified when the call ends. `context`: what it attached, in place of the request's.
    pub(crate) fn observe(&mut self, running: &Arc<RunningCalls>, context: Option<RequestContext>) {
        match self {
            Event::Read(call) => call.observe(running, context),
            Event::List(call) => call.observe(running, context),
            Event::Complete(call) => call.observe(running, context),
            Event::Method(call) => call.observe(running, context),
            Event::Authorize(call) => call.observe(running, context),
            Event::Verify(_) | Event::Response(_) | Event::Cancel(_) | Event::Interest(_) => {}
        }
    }
}

/// The responder inside the call is dropped by the unwinding, which answers.
fn guarded<C>(call: C, run: impl FnOnce(C)) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(call)));
}

macro_rules! answerable {
    ($($call:ident: $answer:ty),*) => {$(
        impl $call {
            /// Takes the answer out of the callback: return the first, answer through the second, from any thread,
            /// even before the callback has returned. If the responder was taken already, this one has no effect.
            pub fn defer(&self) -> (Deferred, Responder<$answer>) {
                self.begin();
                let twin = self.responder.as_ref().map(Responder::twin);
                let twin = twin.unwrap_or_else(Responder::spent);
                (Deferred::new(twin.question()), twin)
            }

            /// The responder, for an application that answers by itself. If it was taken already, this one has no effect.
            pub fn into_responder(mut self) -> Responder<$answer> {
                self.begin();
                self.responder.take().unwrap_or_else(Responder::spent)
            }

            /// The responder, for an application that answers by itself and still looks at the call. None: it was taken.
            pub fn take_responder(&mut self) -> Option<Responder<$answer>> {
                self.begin();
                self.responder.take()
            }

            /// Returns whether the answer is not wanted any more. Cheap; a slow callback checks it now and then.
            pub fn is_cancelled(&self) -> bool {
                self.responder.as_ref().is_some_and(Responder::is_cancelled)
            }

            /// See [`Event::begin`]. Who takes the responder begins, too.
            fn begin(&self) -> bool {
                self.responder.as_ref().is_none_or(Responder::begin)
            }

            /// The number that [`Event::Cancel`] would name.
            pub fn call(&self) -> Option<CallId> {
                self.responder.as_ref().and_then(Responder::call)
            }
        }

        impl fmt::Debug for $call {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($call)).field("call", &self.call()).finish_non_exhaustive()
            }
        }

        impl Answerable for $call {
            type Answer = $answer;

            fn hand_over(&mut self) -> Responder<$answer> {
                self.quiet = true;
                self.defer().1
            }
        }

        impl Drop for $call {
            fn drop(&mut self) {
                if let (true, Some(responder)) = (self.quiet, self.responder.take()) {
                    responder.disarm();
                }
            }
        }
    )*};
}

answerable!(
    Call: Answer,
    ListCall: Page,
    CompleteCall: Completion,
    MethodCall: MethodAnswer,
    AuthorizeCall: Vec<Verdict>,
    InterestCall: InterestAnswer,
    VerifyCall: Verification
);

/// A call of any kind, for the closure sugar.
pub(crate) trait Answerable {
    type Answer: Reply;

    /// From now on the responder that this returns answers, and dropping the call does not.
    fn hand_over(&mut self) -> Responder<Self::Answer>;
}

macro_rules! with_caller {
    ($($call:ident),*) => {$(
        impl $call {
            /// Returns the caller on whose behalf the request is made.
            pub fn caller(&self) -> &Caller {
                &self.context.caller
            }

            /// The context that the application gave to the request that the call belongs to, or what its observer put
            /// in its place ([`crate::Observed::attach`]), if it is a `T`: see [`crate::RequestContext`].
            pub fn request_context<T: Any>(&self) -> Option<&T> {
                self.attached.as_deref().or(self.context.caller.context().map(AsRef::as_ref))?.downcast_ref()
            }

            /// The request's `_meta` as it came, the text of a JSON object: `traceparent` and the like. Its keys are
            /// the client's, and never checked.
            pub fn meta(&self) -> Option<&str> {
                self.context.details.as_ref()?.meta.as_ref().map(Json::as_str)
            }

            /// Returns the value of a header field of the HTTP request that the call came with, or `None` if it is
            /// absent, came more than once, or is no text; over stdio always. The case of `name` does not matter.
            /// The client can write what it likes into most fields: do not trust them as a [`Caller`].
            pub fn header(&self, name: &str) -> Option<&str> {
                self.context.caller.head()?.header(name)
            }

            /// Returns the query of that HTTP request as it came, without its `?`: `tenant=a` of `/mcp?tenant=a`.
            /// `None` if there is none, and over stdio.
            pub fn query(&self) -> Option<&str> {
                self.context.caller.head()?.query()
            }

            /// [`Responder::client`], while the call has its responder.
            pub fn client(&self) -> Option<String> {
                self.responder.as_ref()?.client()
            }

            /// [`Responder::session`], while the call has its responder.
            pub fn session(&self) -> Option<Session> {
                self.responder.as_ref()?.session()
            }

            /// [`Responder::client_extensions`], while the call has its responder.
            pub fn client_extensions(&self) -> ClientExtensions {
                self.responder.as_ref().map(Responder::client_extensions).unwrap_or_default()
            }

            /// [`Responder::extension`], while the call has its responder.
            pub fn extension(&self, id: &str) -> Option<String> {
                self.client_extensions().get(id).map(str::to_owned)
            }

            /// [`Responder::client_supports_apps`], while the call has its responder.
            pub fn client_supports_apps(&self) -> bool {
                self.client_extensions().supports_apps()
            }

            /// [`Responder::progress`], while the call has its responder.
            pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool {
                self.responder.as_ref().is_some_and(|responder| responder.progress(progress, total, message))
            }

            /// [`Responder::on_cancel`], while the call has its responder.
            pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) {
                if let Some(responder) = &self.responder {
                    responder.on_cancel(hook);
                }
            }

            /// [`Responder::close_event_stream`], while the call has its responder.
            pub fn close_event_stream(&self, retry_ms: u64) -> bool {
                self.responder.as_ref().is_some_and(|responder| responder.close_event_stream(retry_ms))
            }

            /// The protocol revision of the request, its date.
            pub fn revision(&self) -> &'static str {
                self.context.revision.as_str()
            }
        }
    )*};
}

with_caller!(Call, ListCall, CompleteCall, MethodCall, AuthorizeCall, AroundCall);

macro_rules! observed {
    ($($call:ident),*) => {$(
        impl $call {
            fn observe(&mut self, running: &Arc<RunningCalls>, context: Option<RequestContext>) {
                self.attached = context;
                if let Some(responder) = &mut self.responder {
                    responder.observe(running.clone());
                }
            }
        }
    )*};
}

observed!(Call, ListCall, CompleteCall, MethodCall, AuthorizeCall);

macro_rules! surrounded {
    ($($call:ident),*) => {$(
        impl $call {
            /// An around callback gets the answer before the client.
            fn then(&mut self, then: around::AfterCallback) {
                if let Some(responder) = &mut self.responder {
                    responder.then(then);
                }
            }
        }
    )*};
}

surrounded!(Call, MethodCall);
