//! What a host implements, and the closures that do it for them.

use crate::event::{
    Answerable, AuthorizeCall, Call, CompleteCall, InterestCall, ListCall, MethodCall, VerifyCall,
};
use crate::log::Level;
use crate::responder::{Question, Reply, Responder};
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

/// The callbacks of one registration. A method that is not implemented drops its call, which is an internal error.
///
/// Called without any lock held, on the thread that runs the event; several threads may call at once.
pub trait Provider: Send + Sync {
    /// Reads a resource: answers now, or keeps the responder of the call for later.
    fn read(&self, call: Call) {
        drop(call);
    }

    /// Lists the items behind `call.after()`, in an order of the host's own, at most `call.limit()`.
    fn list(&self, call: ListCall) {
        drop(call);
    }

    /// Proposes values for a variable of a template that said so: see [`crate::Template::completes`].
    fn complete(&self, call: CompleteCall) {
        drop(call);
    }

    /// Whether there may be a resource at `uri`, to answer a subscription without a read. Must not block. If it panics,
    /// there may be.
    fn exists(&self, uri: &str) -> bool {
        let _ = uri;
        true
    }

    /// Whether [`crate::Event::run`] finds the callbacks above here. False: the host runs events by itself, as if none had
    /// been registered, and only [`Provider::exists`] is asked.
    fn answers(&self) -> bool {
        true
    }
}

/// What a closure returns that answers later, through the responder that [`Call::defer`] gave.
#[derive(Debug)]
#[must_use = "return it from the callback"]
pub struct Deferred(Question);

impl Deferred {
    pub(crate) fn new(question: Question) -> Self {
        Deferred(question)
    }
}

/// Marks closures whose return value is the answer.
#[derive(Debug)]
pub struct Now(());

/// Marks closures that answer later.
#[derive(Debug)]
pub struct Later(());

/// Marks closures whose answer is that of a future.
#[derive(Debug)]
pub struct Async(());

/// What runs futures: see [`crate::Server::spawn_with`].
pub(crate) type Spawner = dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync;

/// What a closure may return: a value that makes an answer, [`Deferred`], or a future of such a value.
///
/// The marker `M` keeps them apart; it is always inferred.
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
        // Of another call, it says nothing about this one: then the drop answers.
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
            return server.log.write(Level::Error, line);
        };
        // If the task is dropped before its end, so is the responder, which answers.
        spawn(Box::pin(async move {
            responder.finish(self.await);
        }));
    }
}

/// Runs a closure on a call and answers with what it returns. If it panics, the drop of the responder answers.
fn run<C: Answerable, R: IntoReply<C::Answer, M>, M>(mut call: C, f: impl FnOnce(C) -> R) {
    let responder = call.hand_over();
    f(call).reply(responder);
}

/// A closure that reads.
pub(crate) struct Reader<F, M>(F, PhantomData<fn() -> M>);

/// A closure that lists.
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

pub(crate) fn watcher<F, R, M>(f: F) -> impl Fn(InterestCall) + Send + Sync
where
    F: Fn(InterestCall) -> R + Send + Sync,
    R: IntoReply<crate::Watched, M>,
{
    move |call| run(call, &f)
}

pub(crate) fn verifier<F, R, M>(f: F) -> impl Fn(VerifyCall) + Send + Sync
where
    F: Fn(VerifyCall) -> R + Send + Sync,
    R: IntoReply<crate::http::Verification, M>,
{
    move |call| run(call, &f)
}

/// The callbacks that come with a template, beside the one that reads.
#[derive(Clone, Default)]
pub(crate) struct TemplateCallbacks {
    list: Option<Arc<dyn Fn(ListCall) + Send + Sync>>,
    /// By variable; none where the provider completes.
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

    /// The variables that are completed.
    pub(crate) fn completed(&self) -> impl Iterator<Item = &str> {
        self.completers.iter().map(|(variable, _)| &**variable)
    }

    /// What lists, if it is not the provider.
    pub(crate) fn list(&self) -> Option<Arc<dyn Fn(ListCall) + Send + Sync>> {
        self.list.clone()
    }

    /// What completes a variable, if it is not the provider.
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
