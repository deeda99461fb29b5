//! What a host implements, and the closures that do it for them.

use crate::event::{Answerable, AuthorizeCall, Call, InterestCall, ListCall, MethodCall};
use crate::responder::{Question, Reply, Responder};
use std::marker::PhantomData;

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

    /// Whether there may be a resource at `uri`, to answer a subscription without a read. Must not block.
    fn knows(&self, uri: &str) -> bool {
        let _ = uri;
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

/// What a closure may return: a value that makes an answer, or [`Deferred`].
///
/// The marker `M` keeps the two apart; it is always inferred.
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
