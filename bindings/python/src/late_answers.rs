//! Answers that come after their callback has returned.

use crate::answer::FromCallback;
use crate::callbacks::{Callbacks, fail, raised, wrong_type};
use crate::context::Context;
use crate::hook::raising;
use crate::lock::lock;
use crate::responder::Way;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex, Weak};
use wellhead::CallId;

/// A value that a callback may return in place of an answer.
pub(crate) enum Later<'py> {
    /// A future: an object with `result` and `add_done_callback`.
    Future(Bound<'py, PyAny>),
    /// A coroutine, or another awaitable.
    Awaitable(Bound<'py, PyAny>),
}

impl<'py> Later<'py> {
    pub(crate) fn from_value(value: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let py = value.py();
        if value.hasattr(intern!(py, "add_done_callback"))? && value.hasattr(intern!(py, "result"))? {
            return Ok(Some(Later::Future(value.clone())));
        }
        if value.hasattr(intern!(py, "__await__"))? {
            return Ok(Some(Later::Awaitable(value.clone())));
        }
        Ok(None)
    }
}

/// A call of a callback that waits for a future: a [`Way`] of any kind.
pub(crate) trait Question: Send + Sync {
    /// Answers with the result of a future that is done.
    fn done(self: Box<Self>, future: &Bound<'_, PyAny>, context: &Context);
    /// Answers with the meaning of an exception that a callback raised.
    fn raised(self: Box<Self>, py: Python<'_>, e: PyErr, context: &Context) -> PyResult<()>;
    fn abandon(self: Box<Self>);
}

impl<A: FromCallback> Question for Way<A> {
    fn done(self: Box<Self>, future: &Bound<'_, PyAny>, context: &Context) {
        done(*self, future, context);
    }

    fn raised(self: Box<Self>, py: Python<'_>, e: PyErr, context: &Context) -> PyResult<()> {
        raised(py, *self, e, context)
    }

    fn abandon(self: Box<Self>) {
        (*self).abandon();
    }
}

/// The done callback of a future: answers with the future's result, on the thread that completes it. If it is dropped
/// before, as with a task of a loop that ended, it answers "internal error".
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Pending {
    question: Mutex<Option<Box<dyn Question>>>,
    callbacks: Weak<Callbacks>,
    call: Option<CallId>,
    context: Context,
}

impl Pending {
    pub(crate) fn new(
        question: Box<dyn Question>,
        callbacks: &Arc<Callbacks>,
        call: Option<CallId>,
        context: Context,
    ) -> Self {
        Pending { question: Mutex::new(Some(question)), callbacks: Arc::downgrade(callbacks), call, context }
    }

    /// Answers with a failure, since the future will not call this object.
    pub(crate) fn fail(&self, py: Python<'_>, e: PyErr) -> PyResult<()> {
        self.take().map_or(Ok(()), |question| question.raised(py, e, &self.context))
    }

    fn take(&self) -> Option<Box<dyn Question>> {
        lock(&self.question).take()
    }
}

#[pymethods]
impl Pending {
    #[pyo3(signature = (future, /))]
    fn __call__(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(question) = self.take() else { return Ok(()) };
        if let Some(callbacks) = self.callbacks.upgrade() {
            if let Some(call) = self.call {
                callbacks.forget_task(call);
            }
            if callbacks.process.is_parent() {
                question.abandon();
                return Ok(());
            }
        }
        raising(|| question.done(future, &self.context))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.context.traverse(&visit)
    }
}

fn done<A: FromCallback>(way: Way<A>, future: &Bound<'_, PyAny>, context: &Context) {
    let py = future.py();
    let cancelled = future.call_method0(intern!(py, "cancelled")).and_then(|is| is.is_truthy());
    if cancelled.unwrap_or(false) {
        return fail(py, way, "its future was cancelled".to_owned(), context);
    }
    let result = future.call_method0(intern!(py, "result"));
    match result.and_then(|value| Ok((A::from_value(&value, way.is_lenient())?, value))) {
        Ok((Some(answer), _)) => way.finish(answer),
        Ok((None, value)) => fail(py, way, wrong_type::<A>(&value), context),
        // KeyboardInterrupt and its like belong to the thread that completed the future, and have been raised there.
        Err(e) => drop(raised(py, way, e, context)),
    }
}
