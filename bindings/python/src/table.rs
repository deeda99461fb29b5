//! The table of callables, by the number under which the core knows them. It belongs to the Python server, so that
//! garbage collection sees them.

use crate::arguments::Parameters;
use crate::call::Call as PyCall;
use crate::hook::Hook;
use crate::imported::Imported;
use crate::lock::lock;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use wellhead::{Event, HandlerId};

/// The callables of one registration.
#[derive(Default)]
pub(crate) struct Handler {
    pub(crate) read: Option<Arc<Reader>>,
    pub(crate) list: Option<Arc<Positional>>,
    /// The completers by the variable of the template.
    pub(crate) completers: Vec<(String, Arc<Positional>)>,
    pub(crate) method: Option<Arc<Positional>>,
    /// The number of the completers of a prompt's arguments, which are removed with the prompt.
    pub(crate) completing: Option<HandlerId>,
    /// The function that says whether a URI may exist.
    pub(crate) exists: Option<Hook>,
}

/// A callable that takes its arguments by position.
#[derive(FromPyObject)]
pub(crate) struct Positional {
    #[pyo3(item(0))]
    pub(crate) function: Py<PyAny>,
    #[pyo3(item(1))]
    pub(crate) is_async: bool,
    /// True if an event loop may run the callable itself: it is an `async def`, or its registration says with `thread`
    /// where it runs.
    #[pyo3(item(1))]
    pub(crate) quick: bool,
    /// The name of the parameter that gets the `Call`, if there is one.
    #[pyo3(item(2))]
    pub(crate) call: Option<Py<PyString>>,
    /// The number of arguments that the callable takes.
    #[pyo3(item(3))]
    pub(crate) count: usize,
}

/// A callable that answers a read.
pub(crate) struct Reader {
    pub(crate) function: Py<PyAny>,
    pub(crate) parameters: Parameters,
    /// True if an event loop may run the callable itself, since it returns quickly.
    pub(crate) quick: bool,
    /// True if the registration has a MIME type.
    pub(crate) typed: bool,
}

/// The part that answers an event, as it was registered when the event came.
pub(crate) enum Answerer {
    Reader(Arc<Reader>),
    Positional(Arc<Positional>),
    /// A provider of the core, such as a folder, which needs no Python.
    Provider,
    /// A registration that is removed, or an event that no callable answers.
    Nothing,
}

impl Answerer {
    /// Returns whether an event loop may run it itself: an `async def`, a callable whose registration has `thread`, or
    /// no callable.
    pub(crate) fn is_quick(&self) -> bool {
        match self {
            Answerer::Reader(reader) => reader.quick,
            Answerer::Positional(positional) => positional.quick,
            Answerer::Provider => false,
            Answerer::Nothing => true,
        }
    }

    fn from_callable(positional: Option<Arc<Positional>>) -> Self {
        positional.map_or(Answerer::Nothing, Answerer::Positional)
    }
}

impl Handler {
    fn completer(&self, variable: &str) -> Option<Arc<Positional>> {
        let mut completers = self.completers.iter();
        completers.find(|(known, _)| known == variable).map(|(_, completer)| completer.clone())
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(read) = &self.read {
            visit.call(&read.function)?;
            read.parameters.traverse(visit)?;
        }
        let completers = self.completers.iter().map(|(_, completer)| completer);
        let mut others = self.list.iter().chain(&self.method).chain(completers);
        others.try_for_each(|other| visit.call(&other.function))?;
        self.exists.as_ref().map_or(Ok(()), |exists| exists.traverse(visit))
    }
}

/// All around callbacks of a server, the outermost first: functions and whether they are an `async def`, as `_around.py`
/// takes them.
pub(crate) struct AroundCallbacks {
    all: Py<PyTuple>,
    /// True if the outermost function is an `async def`.
    quick: bool,
}

impl AroundCallbacks {
    /// Returns whether an event loop may call the around callbacks on its own thread.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    /// A function that takes the arguments of `function` and runs the around callbacks around it. `quick`: an event loop may run
    /// `function`.
    pub(crate) fn around<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyCall>,
        function: &Bound<'py, PyAny>,
        quick: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static PARTIAL: Imported = Imported::new("functools", "partial");
        static SURROUNDED: Imported = Imported::new("wellhead._around", "surrounded");
        PARTIAL.get(py)?.call1((SURROUNDED.get(py)?, self.all.bind(py), call, function, quick))
    }
}

#[derive(Default)]
pub(crate) struct Table {
    state: Mutex<State>,
    has_arounds: AtomicBool,
}

#[derive(Default)]
struct State {
    handlers: HashMap<HandlerId, Handler>,
    /// The number of the fallback, which a later fallback replaces.
    fallback: Option<HandlerId>,
    /// The function of `authorize`; `None` if there is none.
    gatekeeper: Option<Arc<Positional>>,
    /// The function of `on_interest`; `None` if there is none.
    interest: Option<Arc<Positional>>,
    /// The functions of `around`; `None` if there are none.
    arounds: Option<Arc<AroundCallbacks>>,
    /// True if an `async def` is registered.
    needs_loop: bool,
}

impl Table {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns the around callbacks of a call of a read, a tool, a prompt or a method that begins now, if there are any.
    pub(crate) fn arounds(&self) -> Option<Arc<AroundCallbacks>> {
        self.has_arounds.load(Ordering::Acquire).then(|| self.state().arounds.clone())?
    }

    /// Adds an around callback, as `_around.py` makes it. It runs inside of those that were added before.
    pub(crate) fn add_around(&self, py: Python<'_>, around: &Bound<'_, PyAny>) -> PyResult<()> {
        let is_async = around.get_item(1)?.extract()?;
        loop {
            let before = self.state().arounds.clone();
            let mut all: Vec<_> =
                before.as_ref().map(|arounds| arounds.all.bind(py).iter().collect()).unwrap_or_default();
            all.push(around.clone());
            let quick = before.as_ref().map_or(is_async, |arounds| arounds.quick);
            let arounds = Arc::new(AroundCallbacks { all: PyTuple::new(py, all)?.unbind(), quick });
            let mut state = self.state();
            let unchanged = match (&before, &state.arounds) {
                (Some(before), Some(now)) => Arc::ptr_eq(before, now),
                (before, now) => before.is_none() && now.is_none(),
            };
            if unchanged {
                state.needs_loop |= is_async;
                state.arounds = Some(arounds);
                drop(state);
                self.has_arounds.store(true, Ordering::Release);
                return Ok(());
            }
        }
    }

    /// Returns the answerer of an event. `verifier` judges the tokens of its service.
    pub(crate) fn answerer(&self, event: &Event, verifier: Option<&Arc<Positional>>) -> Answerer {
        let state = self.state();
        let handler = |id| state.handlers.get(&id);
        match event {
            Event::Read(call) if call.has_provider() => Answerer::Provider,
            Event::List(call) if call.has_provider() => Answerer::Provider,
            Event::Complete(call) if call.has_provider() => Answerer::Provider,
            Event::Read(call) => {
                let reader = handler(call.handler()).and_then(|handler| handler.read.clone());
                reader.map_or(Answerer::Nothing, Answerer::Reader)
            }
            Event::List(call) => {
                Answerer::from_callable(handler(call.handler()).and_then(|handler| handler.list.clone()))
            }
            Event::Complete(call) => Answerer::from_callable(
                handler(call.handler()).and_then(|handler| handler.completer(call.variable())),
            ),
            Event::Method(call) if call.has_provider() => Answerer::Provider,
            Event::Method(call) => {
                Answerer::from_callable(handler(call.handler()).and_then(|handler| handler.method.clone()))
            }
            Event::Authorize(_) => Answerer::from_callable(state.gatekeeper.clone()),
            Event::Interest(_) => Answerer::from_callable(state.interest.clone()),
            Event::Verify(_) => Answerer::from_callable(verifier.cloned()),
            _ => Answerer::Nothing,
        }
    }

    pub(crate) fn remove(&self, id: HandlerId) {
        let mut state = self.state();
        let removed = state.handlers.remove(&id);
        let completing = removed.as_ref().and_then(|removed| removed.completing);
        let completing = completing.and_then(|completing| state.handlers.remove(&completing));
        drop(state);
        drop((removed, completing)); // after the lock: it may run Python
    }

    pub(crate) fn needs_loop(&self) -> bool {
        self.state().needs_loop
    }

    pub(crate) fn put(&self, id: HandlerId, handler: Handler, needs_loop: bool) {
        let mut state = self.state();
        state.needs_loop |= needs_loop;
        state.handlers.insert(id, handler);
    }

    pub(crate) fn put_fallback(&self, id: HandlerId, handler: Handler, needs_loop: bool) {
        self.put(id, handler, needs_loop);
        let replaced = self.state().fallback.replace(id);
        if let Some(replaced) = replaced {
            self.remove(replaced);
        }
    }

    pub(crate) fn put_gatekeeper(&self, gatekeeper: Positional) {
        self.put_one(gatekeeper, |state| &mut state.gatekeeper);
    }

    pub(crate) fn put_interest(&self, interest: Positional) {
        self.put_one(interest, |state| &mut state.interest);
    }

    fn put_one(&self, positional: Positional, place: fn(&mut State) -> &mut Option<Arc<Positional>>) {
        let mut state = self.state();
        state.needs_loop |= positional.is_async;
        let replaced = place(&mut state).replace(Arc::new(positional));
        drop((state, replaced)); // in this order: it may run Python
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A collection that finds the table in use leaves it for the next one.
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        state.handlers.values().try_for_each(|handler| handler.traverse(visit))?;
        visit.call(state.arounds.as_ref().map(|arounds| &arounds.all))?;
        let mut others = [&state.gatekeeper, &state.interest].into_iter().flatten();
        others.try_for_each(|other| visit.call(&other.function))
    }

    pub(crate) fn clear(&self) {
        let state = std::mem::take(&mut *self.state());
        state
            .handlers
            .values()
            .filter_map(|handler| handler.exists.as_ref())
            .for_each(|exists| exists.set(None));
        drop(state);
    }
}
