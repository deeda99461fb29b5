//! Around callbacks: application code that runs around each callback of a read, a tool, a prompt or a method.

use super::{Call, MethodCall, guarded};
use crate::access::RequestContext;
use crate::catalog::{MethodFn, MethodHandler};
use crate::connection::{no_arguments, with_arguments};
use crate::error::Result;
use crate::model::{Answer, Json, MethodAnswer, MethodError, PromptResult, ToolError, ToolResult};
use crate::protocol::Context;
use crate::provider::Provider;
use crate::responder::Responder;
use crate::sync::Lock;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The call around which an around callback runs: see [`crate::Server::around`]. The callback may keep it.
pub struct AroundCall {
    subject: Subject,
    pub(super) context: Arc<Context>,
    pub(super) attached: Option<RequestContext>,
    /// Only asks for facts about the call. It never answers.
    pub(super) responder: Option<Responder<MethodAnswer>>,
}

enum Subject {
    Read(Arc<str>),
    Method(Arc<MethodHandler>, Arc<Json>),
}

impl AroundCall {
    /// Returns the method: `tools/call`, `prompts/get`, `resources/read` for every kind of read, or one of the
    /// application.
    pub fn method(&self) -> &str {
        match &self.subject {
            Subject::Read(_) => "resources/read",
            Subject::Method(handler, _) => &handler.name,
        }
    }

    /// The name of the tool or prompt. `None` for other calls.
    pub fn name(&self) -> Option<&str> {
        match &self.subject {
            Subject::Read(_) => None,
            Subject::Method(handler, _) => handler.item.as_deref(),
        }
    }

    /// The URI that is read, as the client spelled it. `None` for other calls.
    pub fn uri(&self) -> Option<&str> {
        match &self.subject {
            Subject::Read(uri) => Some(uri),
            Subject::Method(..) => None,
        }
    }

    /// The request's `params`, the text of a JSON object; `{}` if there were none, and for a read.
    pub fn params(&self) -> &str {
        match &self.subject {
            Subject::Read(_) => "{}",
            Subject::Method(_, params) => params.as_str(),
        }
    }

    /// The `arguments` among the parameters, the text of a JSON object; `{}` if there are none.
    pub fn arguments(&self) -> &str {
        match &self.subject {
            Subject::Read(_) => "{}",
            Subject::Method(_, params) => super::method::arguments_of(params),
        }
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"sampling":{}}`. `None` if it
    /// declared none.
    pub fn client_capabilities(&self) -> Option<String> {
        self.responder.as_ref()?.client_capabilities()
    }

    /// Returns whether the call was cancelled, so that no answer is wanted. Cheap.
    pub fn is_cancelled(&self) -> bool {
        self.responder.as_ref().is_some_and(Responder::is_cancelled)
    }
}

impl Drop for AroundCall {
    fn drop(&mut self) {
        if let Some(responder) = self.responder.take() {
            responder.disarm();
        }
    }
}

impl fmt::Debug for AroundCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AroundCall").field("method", &self.method()).finish_non_exhaustive()
    }
}

/// The answer of a callback, for an around callback.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The answer of a read.
    Read(Answer),
    /// The answer of a tool, a prompt or a method.
    Method(MethodAnswer),
}

impl Outcome {
    /// Returns a word for the kind of outcome, the same that an observer gets: see [`crate::Ended::outcome`].
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Read(answer) => answer.word(),
            Outcome::Method(answer) => answer.word(),
        }
    }

    fn failed_like(is_read: bool, why: &str) -> Outcome {
        if is_read {
            Outcome::Read(Answer::Failed(why.to_owned()))
        } else {
            Outcome::Method(MethodAnswer::failed(why))
        }
    }

    fn is_read(&self) -> bool {
        matches!(self, Outcome::Read(_))
    }

    /// Converts the outcome to the answer of a read. An around callback may have given the read the answer of a tool.
    pub(crate) fn into_answer(self) -> Answer {
        match self {
            Outcome::Read(answer) => answer,
            Outcome::Method(_) => Answer::Failed("an around callback answered a read like a tool".to_owned()),
        }
    }

    pub(crate) fn into_method_answer(self) -> MethodAnswer {
        match self {
            Outcome::Method(answer) => answer,
            Outcome::Read(_) => {
                MethodAnswer::failed("an around callback answered a tool, prompt or method like a read")
            }
        }
    }
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Outcome::Read(answer)
    }
}

impl From<MethodAnswer> for Outcome {
    fn from(answer: MethodAnswer) -> Self {
        Outcome::Method(answer)
    }
}

impl From<ToolError> for Outcome {
    fn from(error: ToolError) -> Self {
        Outcome::Method(error.into())
    }
}

impl From<ToolResult> for Outcome {
    fn from(result: ToolResult) -> Self {
        Outcome::Method(result.into())
    }
}

impl From<PromptResult> for Outcome {
    fn from(result: PromptResult) -> Self {
        Outcome::Method(result.into())
    }
}

impl From<MethodError> for Outcome {
    fn from(error: MethodError) -> Self {
        Outcome::Method(error.into())
    }
}

pub(crate) type AroundCallback = dyn Fn(AroundCall, Next) + Send + Sync;
/// All around callbacks of a server, the outermost first.
pub(crate) type AroundCallbacks = Arc<Vec<Arc<AroundCallback>>>;
/// A closure of an around callback that gets the answer of the call, and returns the answer to send.
pub(crate) type AfterCallback = Box<dyn FnOnce(Outcome) -> Outcome + Send>;

/// The rest of a call, which an around callback lets run: see [`crate::Server::around`]. Any thread may use it. If it
/// is dropped unused, the call fails.
#[must_use = "a call whose `Next` is dropped fails"]
pub struct Next {
    arounds: AroundCallbacks,
    at: usize,
    callback: Surrounded,
}

enum Surrounded {
    Read(Call, Arc<dyn Provider>),
    Method(MethodCall, Arc<MethodFn>),
}

impl Next {
    pub(super) fn read(arounds: AroundCallbacks, call: Call, provider: Arc<dyn Provider>) -> Self {
        Next { arounds, at: 0, callback: Surrounded::Read(call, provider) }
    }

    pub(super) fn method(arounds: AroundCallbacks, call: MethodCall, run: Arc<MethodFn>) -> Self {
        Next { arounds, at: 0, callback: Surrounded::Method(call, run) }
    }

    /// Runs the next around callback, or the callback itself. Then `then` gets the answer, on the thread that answers,
    /// and returns the answer to send. It runs once, also if the callback failed or the call was cancelled, though no
    /// client then sees the answer. If it panics, the call fails.
    pub fn run(mut self, then: impl FnOnce(Outcome) -> Outcome + Send + 'static) {
        match &mut self.callback {
            Surrounded::Read(call, _) => call.then(Box::new(then)),
            Surrounded::Method(call, _) => call.then(Box::new(then)),
        }
        self.run_next();
    }

    /// Replaces the arguments of a tool or a prompt, for the around callbacks within this one and for the callback.
    /// They are checked like those of the client, and defaults are filled in.
    ///
    /// ```
    /// use wellhead::{Json, Server};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// server.around(|call, mut next| {
    ///     if call.name() == Some("search") {
    ///         next.set_arguments(&Json::parse(r#"{"word":"milk","limit":10}"#).unwrap()).unwrap();
    ///     }
    ///     next.run(|outcome| outcome);
    /// })?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] if the arguments break the schema of the tool or lack what the prompt
    /// requires, and for a call of anything else. The arguments then stay as they were. [`crate::ErrorKind::Closed`]
    /// once the call is over.
    pub fn set_arguments(&mut self, arguments: &Json) -> Result<()> {
        let Surrounded::Method(call, _) = &mut self.callback else { return Err(no_arguments()) };
        let Some(responder) = &call.responder else { return Err(no_arguments()) };
        let checked = responder.check_arguments(arguments)?;
        call.params = Arc::new(with_arguments(&call.params, checked.as_str().as_bytes()));
        Ok(())
    }

    /// Answers the call with `outcome` in place of the callback, which does not run.
    pub fn answer_instead(self, outcome: impl Into<Outcome>) {
        let outcome = outcome.into();
        // Whether the client still wants it is no concern of an around callback.
        let _wanted = match self.callback {
            Surrounded::Read(call, _) => call.into_responder().finish(outcome.into_answer()),
            Surrounded::Method(call, _) => call.into_responder().finish(outcome.into_method_answer()),
        };
    }

    pub(super) fn run_next(mut self) {
        if let Some(around) = self.arounds.get(self.at).cloned() {
            self.at += 1;
            let call = self.callback.shown();
            return guarded(self, move |next| around(call, next));
        }
        match self.callback {
            // The around callbacks may have waited.
            Surrounded::Read(call, _) if call.is_cancelled() => drop(call),
            Surrounded::Method(call, _) if call.is_cancelled() => drop(call),
            Surrounded::Read(call, provider) => guarded(call, move |call| provider.read(call)),
            Surrounded::Method(call, run) => guarded(call, move |call| run(call)),
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Surrounded {
    fn shown(&self) -> AroundCall {
        match self {
            Surrounded::Read(call, _) => AroundCall {
                subject: Subject::Read(call.uri.clone()),
                context: call.context.clone(),
                attached: call.attached.clone(),
                responder: call.responder.as_ref().map(Responder::onlooker),
            },
            Surrounded::Method(call, _) => AroundCall {
                subject: Subject::Method(call.handler.clone(), call.params.clone()),
                context: call.context.clone(),
                attached: call.attached.clone(),
                responder: call.responder.as_ref().map(Responder::onlooker),
            },
        }
    }
}

/// The closures that get the answer of a call. All responders of the call share it.
#[derive(Default)]
#[allow(unnameable_types, reason = "a sealed trait names it")]
pub struct Afterwards(Lock<Vec<AfterCallback>>);

impl Afterwards {
    pub(crate) fn push(&self, then: AfterCallback) {
        self.0.with(|all, _| all.push(then));
    }

    /// Passes the answer through the closures, that of the innermost around callback first, and returns the last
    /// outcome. The closures run once: a second answer comes back unchanged.
    pub(crate) fn apply(&self, outcome: Outcome) -> Outcome {
        let is_read = outcome.is_read();
        let all = self.0.with(|all, _| std::mem::take(all));
        all.into_iter().rev().fold(outcome, |outcome, then| {
            let caught = catch_unwind(AssertUnwindSafe(|| then(outcome)));
            caught.unwrap_or_else(|_| {
                Outcome::failed_like(is_read, "an around callback panicked after the call")
            })
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.with(|all, _| all.is_empty())
    }
}
