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
#[cfg(feature = "schemars")]
pub(crate) use arguments::whole_number;
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

/// A question to the application, or a message for it. Each event is returned once.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Read a resource.
    Read(Call),
    /// List the next items of a list source.
    List(ListCall),
    /// Propose values for a template's variable or a prompt's argument.
    Complete(CompleteCall),
    /// Answer a tool, a prompt or a method of the application.
    Method(MethodCall),
    /// The client answered a request of [`crate::Responder::send_request`], or will not answer it.
    Response(ResponseCall),
    /// The answer to that call is not wanted any more. Still answer or drop its responder.
    Cancel(CallId),
    /// Say whether the caller may do something.
    Authorize(AuthorizeCall),
    /// A URI has got its first subscriber, or has lost its last one.
    Interest(InterestCall),
    /// Judge a bearer token, for an HTTP endpoint that requires one.
    Verify(VerifyCall),
}

impl Event {
    /// Notes that the event's callback begins, for an application that runs events by itself; [`Event::run`] does it by
    /// itself. Call it before each callback, not when the event is polled. Returns false if the request is over: then
    /// drop the event.
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

    /// Returns whether the request is over, so that no answer is wanted.
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

    /// Runs the callback that was registered for the event, on this thread. Without one, the call fails.
    ///
    /// A panic in the callback is caught, after the process's panic hook, and answered like a dropped
    /// [`crate::Responder`]. The callback of a call whose request is over does not run.
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

    /// The context of the request that the event belongs to, or that an observer put in its place. `None` if there is
    /// none, or if it is no `T`: see [`crate::RequestContext`].
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

    /// Sets the around callbacks that [`Event::run`] runs around the callback.
    pub(crate) fn surround(&mut self, arounds: AroundCallbacks) {
        match self {
            Event::Read(call) => call.arounds = Some(arounds),
            Event::Method(call) => call.arounds = Some(arounds),
            _ => {}
        }
    }

    /// Has the observer notified when the call ends. `context` is what the observer attached in place of the request's
    /// context.
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

/// Runs a callback and catches its panic. The responder inside the call is dropped then, which answers the call.
fn guarded<C>(call: C, run: impl FnOnce(C)) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(call)));
}

macro_rules! answerable {
    ($($call:ident: $answer:ty),*) => {$(
        impl $call {
            /// Separates the answer from the callback: return the first value, and answer through the second, on any
            /// thread, even before the callback returns. If the responder was taken before, this one has no effect.
            pub fn defer(&self) -> (Deferred, Responder<$answer>) {
                self.begin();
                let twin = self.responder.as_ref().map(Responder::twin);
                let twin = twin.unwrap_or_else(Responder::spent);
                (Deferred::new(twin.question()), twin)
            }

            /// Returns the responder, for an application that answers by itself. If it was taken before, this one has
            /// no effect.
            pub fn into_responder(mut self) -> Responder<$answer> {
                self.begin();
                self.responder.take().unwrap_or_else(Responder::spent)
            }

            /// Returns the responder, for an application that answers by itself and still uses the call. `None` if it
            /// was taken before.
            pub fn take_responder(&mut self) -> Option<Responder<$answer>> {
                self.begin();
                self.responder.take()
            }

            /// Returns whether the answer is not wanted any more. Cheap; a slow callback checks it now and then. Once
            /// the responder was taken, ask [`Responder::is_cancelled`].
            pub fn is_cancelled(&self) -> bool {
                self.responder.as_ref().is_some_and(Responder::is_cancelled)
            }

            /// Notes that the callback begins: see [`Event::begin`]. To take the responder begins it, too.
            fn begin(&self) -> bool {
                self.responder.as_ref().is_none_or(Responder::begin)
            }

            /// The id of the call, which [`Event::Cancel`] names; `None` if the responder was taken.
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

/// A call of any kind, for the conversions of closures.
pub(crate) trait Answerable {
    type Answer: Reply;

    /// Returns the responder that answers from now on. Dropping the call then does not answer.
    fn hand_over(&mut self) -> Responder<Self::Answer>;
}

macro_rules! with_caller {
    ($($call:ident),*) => {$(
        impl $call {
            /// Returns the caller on whose behalf the request is made.
            pub fn caller(&self) -> &Caller {
                &self.context.caller
            }

            /// The context that the application gave to the call's request, or that an observer put in its place
            /// ([`crate::Observed::attach`]). `None` if there is none, or if it is no `T`: see
            /// [`crate::RequestContext`].
            pub fn request_context<T: Any>(&self) -> Option<&T> {
                self.attached.as_deref().or(self.context.caller.context().map(AsRef::as_ref))?.downcast_ref()
            }

            /// Drops the call's share of its request context. An application that keeps the call uses it, since a
            /// context that refers to the call would keep both for ever. Take the responder first.
            pub fn forget_request_context(&mut self) {
                self.attached = None;
                if self.responder.is_none() && self.context.caller.context().is_some() {
                    self.context = self.context.without_request_context();
                }
            }

            /// The request's `_meta` as the client sent it, the text of a JSON object, with `traceparent` and the like;
            /// `None` if it has none. Its members are not checked.
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

            /// Returns the name and version that the client gives itself, the text of a JSON object. `None` if the
            /// client gives none, or if the call's responder was taken. See [`Responder::client`].
            pub fn client(&self) -> Option<String> {
                self.responder.as_ref()?.client()
            }

            /// Returns the session of the client, which may be kept beyond the call. `None` in the stateless era, and
            /// if the call's responder was taken. See [`Responder::session`].
            pub fn session(&self) -> Option<Session> {
                self.responder.as_ref()?.session()
            }

            /// Returns the extensions of the protocol that the client declared, with this request or when its session
            /// began. There are none if the call's responder was taken. See [`Responder::client_extensions`].
            pub fn client_extensions(&self) -> ClientExtensions {
                self.responder.as_ref().map(Responder::client_extensions).unwrap_or_default()
            }

            /// Returns the client's settings of an extension, the text of a JSON object. `None` if the client does not
            /// declare the extension, or if the call's responder was taken. See [`Responder::extension`].
            pub fn extension(&self, id: &str) -> Option<String> {
                self.client_extensions().get(id).map(str::to_owned)
            }

            /// Returns whether the client declares that it shows MCP Apps. The answer is false if the call's responder
            /// was taken. See [`Responder::client_supports_apps`].
            pub fn client_supports_apps(&self) -> bool {
                self.client_extensions().supports_apps()
            }

            /// Sends the client the progress of its request, if the client asked for that. Returns false if none can be
            /// sent, or if the call's responder was taken. See [`Responder::progress`].
            pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool {
                self.responder.as_ref().is_some_and(|responder| responder.progress(progress, total, message))
            }

            /// Runs `hook` when the answer is not wanted any more, such as when the client cancels the request. Drops
            /// `hook` if the call's responder was taken. See [`Responder::on_cancel`] for the thread and the time.
            pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) {
                if let Some(responder) = &self.responder {
                    responder.on_cancel(hook);
                }
            }

            /// Closes the event stream that carries the call's answer over HTTP, before the answer. Returns false if
            /// it closed none, also because the call's responder was taken. See [`Responder::close_event_stream`] for
            /// the reasons.
            pub fn close_event_stream(&self, retry_ms: u64) -> bool {
                self.responder.as_ref().is_some_and(|responder| responder.close_event_stream(retry_ms))
            }

            /// The date of the protocol revision of the request, such as `2025-11-25`.
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
            /// Adds a closure of an around callback, which gets the answer before the client.
            fn then(&mut self, then: around::AfterCallback) {
                if let Some(responder) = &mut self.responder {
                    responder.then(then);
                }
            }
        }
    )*};
}

surrounded!(Call, MethodCall);
