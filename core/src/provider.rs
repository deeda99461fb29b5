//! The callbacks of an application, and the closures that implement them.

use crate::event::{
    Answerable, AuthorizeCall, Call, CompleteCall, InterestCall, ListCall, MethodCall, VerifyCall,
};
use crate::log::Severity;
use crate::responder::{QuestionId, Reply, Responder};
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

/// The callbacks of one registration. The default of each method drops its call, so that the client gets an internal
/// error.
///
/// They run on the thread that runs the event, [`Provider::exists`] on the one that polls, with no lock held. Several
/// threads may call them at once.
pub trait Provider: Send + Sync {
    /// Reads a resource. Answers at once, or keeps the responder of the call for later.
    fn read(&self, call: Call) {
        drop(call);
    }

    /// Lists at most `call.limit()` items that follow `call.after()` in an order that the application chooses.
    fn list(&self, call: ListCall) {
        drop(call);
    }

    /// Completes a variable of a template that declares it with [`crate::Template::completes`].
    fn complete(&self, call: CompleteCall) {
        drop(call);
    }

    /// Returns false if there is certainly no resource at `uri`, so that a subscription is refused without a read.
    /// Must not block. A panic counts as true.
    fn exists(&self, uri: &str) -> bool {
        let _ = uri;
        true
    }

    /// Returns whether [`crate::Event::run`] calls the callbacks above. If false, the application runs events
    /// itself, and the library calls only [`Provider::exists`].
    fn answers(&self) -> bool {
        true
    }

    /// Returns the URI that lists have for what is at `uri`, if the provider knows several spellings of it. The
    /// authorizer judges that one.
    #[doc(hidden)]
    fn listed_uri(&self, uri: &str) -> Option<String> {
        let _ = uri;
        None
    }

    /// Returns whether the library answers by itself, so that no around callback runs around it.
    #[doc(hidden)]
    fn is_library(&self) -> bool {
        false
    }
}

/// The return value of a closure that answers later, through the responder from [`Call::defer`].
#[derive(Debug)]
#[must_use = "return it from the callback"]
pub struct Deferred(QuestionId);

impl Deferred {
    pub(crate) fn new(question: QuestionId) -> Self {
        Deferred(question)
    }
}

/// A marker type for closures that return their answer.
#[derive(Debug)]
pub struct Now(());

/// A marker type for closures that answer later.
#[derive(Debug)]
pub struct Later(());

/// A marker type for closures that return a future of their answer.
#[derive(Debug)]
pub struct Async(());

/// Runs futures: see [`crate::Server::spawn_with`].
pub(crate) type Spawner = dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync;

/// A return value of a closure: the answer, [`Deferred`], or a future of the answer.
///
/// The marker `M` tells the three apart; it is always inferred.
pub trait IntoReply<A: Reply, M> {
    #[doc(hidden)]
    fn reply(self, responder: Responder<A>);
}

impl<A: Reply, T: Into<A>> IntoReply<A, Now> for T {
    fn reply(self, responder: Responder<A>) {
        responder.finish(self);
    }
}

impl<A: Reply> IntoReply<A, Later> for Deferred {
    fn reply(self, responder: Responder<A>) {
        // A `Deferred` of another call does not answer this one: then the drop answers.
        if self.0 == responder.question() {
            responder.disarm();
        }
    }
}

impl<A, F> IntoReply<A, Async> for F
where
    A: Reply,
    F: Future<Output: Into<A>> + Send + 'static,
{
    fn reply(self, responder: Responder<A>) {
        let Some(server) = responder.server() else { return };
        let Some(spawn) = server.spawner() else {
            let line = "a callback returned a future, and nothing runs it; see `Server::spawn_with`";
            return server.log.write(Severity::Error, line);
        };
        // A task that is dropped before its end drops the responder, and that answers.
        spawn(Box::pin(async move {
            responder.finish(self.await);
        }));
    }
}

/// Runs a closure on a call and answers with its return value. If the closure panics, the drop of the responder
/// answers.
fn run<C: Answerable, R: IntoReply<C::Answer, M>, M>(mut call: C, f: impl FnOnce(C) -> R) {
    let responder = call.hand_over();
    f(call).reply(responder);
}

/// A closure that reads a resource.
pub(crate) struct Reader<F, M>(F, PhantomData<fn() -> M>);

/// A closure that lists resources.
pub(crate) struct Lister<F, M>(F, PhantomData<fn() -> M>);

impl<F, M> Reader<F, M> {
    pub(crate) fn new(f: F) -> Self {
        Reader(f, PhantomData)
    }
}

impl<F, M> Lister<F, M> {
    pub(crate) fn new(f: F) -> Self {
        Lister(f, PhantomData)
    }
}

impl<F, R, M> Provider for Reader<F, M>
where
    F: Fn(Call) -> R + Send + Sync,
    R: IntoReply<crate::Answer, M>,
{
    fn read(&self, call: Call) {
        run(call, &self.0);
    }
}

impl<F, R, M> Provider for Lister<F, M>
where
    F: Fn(ListCall) -> R + Send + Sync,
    R: IntoReply<crate::Page, M>,
{
    fn list(&self, call: ListCall) {
        run(call, &self.0);
    }
}

pub(crate) fn gatekeeper<F, R, M>(f: F) -> impl Fn(AuthorizeCall) + Send + Sync
where
    F: Fn(AuthorizeCall) -> R + Send + Sync,
    R: IntoReply<Vec<crate::Verdict>, M>,
{
    move |call| run(call, &f)
}

pub(crate) fn completer<F, R, M>(f: F) -> impl Fn(CompleteCall) + Send + Sync
where
    F: Fn(CompleteCall) -> R + Send + Sync,
    R: IntoReply<crate::Completion, M>,
{
    move |call| run(call, &f)
}

pub(crate) fn method_handler<F, R, M>(f: F) -> impl Fn(MethodCall) + Send + Sync
where
    F: Fn(MethodCall) -> R + Send + Sync,
    R: IntoReply<crate::MethodAnswer, M>,
{
    move |call| run(call, &f)
}

pub(crate) fn interest_handler<F, R, M>(f: F) -> impl Fn(InterestCall) + Send + Sync
where
    F: Fn(InterestCall) -> R + Send + Sync,
    R: IntoReply<crate::InterestAnswer, M>,
{
    move |call| run(call, &f)
}

pub(crate) fn verifier<F, R, M>(f: F) -> impl Fn(VerifyCall) + Send + Sync
where
    F: Fn(VerifyCall) -> R + Send + Sync,
    R: IntoReply<crate::event::Verification, M>,
{
    move |call| run(call, &f)
}

/// The callbacks of a template in addition to the one that reads.
#[derive(Clone, Default)]
pub(crate) struct TemplateCallbacks {
    list: Option<Arc<dyn Fn(ListCall) + Send + Sync>>,
    /// The completers by variable; `None` if the provider completes the variable.
    completers: Vec<(Box<str>, Option<Arc<CompleteFn>>)>,
}

pub(crate) type CompleteFn = dyn Fn(CompleteCall) + Send + Sync;

impl TemplateCallbacks {
    pub(crate) fn set_list<F, R, M>(&mut self, f: F)
    where
        F: Fn(ListCall) -> R + Send + Sync + 'static,
        R: IntoReply<crate::Page, M>,
    {
        self.list = Some(Arc::new(move |call| run(call, &f)));
    }

    pub(crate) fn add_completer<F, R, M>(&mut self, variable: String, f: F)
    where
        F: Fn(CompleteCall) -> R + Send + Sync + 'static,
        R: IntoReply<crate::Completion, M>,
    {
        self.completers.push((variable.into(), Some(Arc::new(move |call| run(call, &f)))));
    }

    pub(crate) fn push_completer(&mut self, variable: &str, complete: Option<Arc<CompleteFn>>) {
        self.completers.push((variable.into(), complete));
    }

    pub(crate) fn completed_by_provider(&mut self, variable: String) {
        self.completers.push((variable.into(), None));
    }

    pub(crate) fn lists(&self) -> bool {
        self.list.is_some()
    }

    /// Returns the variables that can be completed.
    pub(crate) fn completed(&self) -> impl Iterator<Item = &str> {
        self.completers.iter().map(|(variable, _)| &**variable)
    }

    /// Returns the closure that lists; `None` if there is none, or if the provider lists.
    pub(crate) fn list(&self) -> Option<Arc<dyn Fn(ListCall) + Send + Sync>> {
        self.list.clone()
    }

    /// Returns the closure that completes a variable; `None` if there is none, or if the provider completes it.
    pub(crate) fn completer(&self, variable: &str) -> Option<Arc<CompleteFn>> {
        self.completers.iter().find(|(name, _)| **name == *variable)?.1.clone()
    }
}

impl fmt::Debug for TemplateCallbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let completed: Vec<_> = self.completed().collect();
        f.debug_struct("TemplateCallbacks")
            .field("lists", &self.lists())
            .field("completed", &completed)
            .finish()
    }
}
