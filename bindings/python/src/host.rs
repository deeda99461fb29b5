//! Runs the host's callables for the events of one connection.

use crate::answer::FromCallback;
use crate::call::{Call as PyCall, Slot, Way};
use crate::errors::{Meaning, meaning};
use crate::fork::Process;
use crate::later::{Later, Pending, Question};
use crate::log;
use crate::server::Server;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wellhead::{Answer, Call, CallId, Event, ListCall, Page};

/// Whose callables to run, and the tasks that they left.
pub(crate) struct Host {
    pub(crate) server: Py<Server>,
    pub(crate) process: Process,
    /// The tasks of coroutines, to be cancelled. asyncio itself holds them weakly.
    tasks: Mutex<HashMap<CallId, Py<PyAny>>>,
    /// The loop for coroutines that are made on threads without one.
    event_loop: Mutex<Option<Py<PyAny>>>,
}

impl Host {
    pub(crate) fn new(server: Py<Server>) -> Arc<Self> {
        Arc::new(Host {
            server,
            process: Process::current(),
            tasks: Mutex::default(),
            event_loop: Mutex::default(),
        })
    }

    /// Runs the callback that an event asks for. Tells whether there was one.
    ///
    /// # Errors
    /// Only what is not an `Exception`: `KeyboardInterrupt`, `SystemExit`. The call is answered all the same.
    pub(crate) fn run(self: &Arc<Self>, py: Python<'_>, event: Event) -> PyResult<bool> {
        match event {
            Event::Read(call) => self.read(py, call).map(|()| true),
            Event::List(call) => self.list(py, call).map(|()| true),
            Event::Cancel(call) => {
                let task = lock(&self.tasks).remove(&call);
                if let Some(task) = task {
                    cancel(task.bind(py))?;
                }
                Ok(false)
            }
            // Whatever only Rust reaches runs as it would there.
            other => {
                py.detach(|| other.run());
                Ok(true)
            }
        }
    }

    fn read(self: &Arc<Self>, py: Python<'_>, mut call: Call) -> PyResult<()> {
        let id = call.call();
        let Some(responder) = call.take_responder() else { return Ok(()) };
        let handler = self.server.get().table.get(call.handler());
        let Some(read) = handler.as_ref().and_then(|handler| handler.read.as_ref()) else {
            responder.finish(Answer::NotFound); // removed meanwhile
            return Ok(());
        };
        let function = read.function.bind(py);
        let (way, object) = if read.parameters.want_call() {
            let slot = Arc::new(Slot::new(responder));
            (Way::shared(slot.clone()), Some(Bound::new(py, PyCall::new(&call, slot))?))
        } else {
            (Way::own(responder), None)
        };
        let returned = read.parameters.call(py, function, &call, object.as_ref());
        let Some(returned) = returned.transpose() else {
            way.finish(Answer::NotFound);
            return Ok(());
        };
        self.settle(py, way, id, returned)
    }

    fn list(self: &Arc<Self>, py: Python<'_>, mut call: ListCall) -> PyResult<()> {
        let id = call.call();
        let Some(responder) = call.take_responder() else { return Ok(()) };
        let handler = self.server.get().table.get(call.handler());
        let Some(list) = handler.as_ref().and_then(|handler| handler.list.as_ref()) else {
            responder.finish(Page::default()); // removed meanwhile
            return Ok(());
        };
        let function = list.function.bind(py);
        let arguments = (call.after(), call.limit());
        let Some(name) = &list.call else {
            return self.settle(py, Way::own(responder), id, function.call1(arguments));
        };
        let slot = Arc::new(Slot::new(responder));
        let keywords = PyDict::new(py);
        keywords.set_item(name, PyCall::of_list(slot.clone()))?;
        self.settle(py, Way::shared(slot), id, function.call(arguments, Some(&keywords)))
    }

    /// Answers with what a callback returned or raised, or sees to it that it is answered later.
    fn settle<A>(
        self: &Arc<Self>,
        py: Python<'_>,
        way: Way<A>,
        call: Option<CallId>,
        returned: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<()>
    where
        A: FromCallback,
        Question: From<Way<A>>,
    {
        if self.process.is_parent() {
            way.abandon();
            return self.process.check(py, "connection"); // the callback forked, and this is the child
        }
        let value = match returned {
            Ok(value) => value,
            Err(e) => return raised(py, way, e),
        };
        match A::from_value(&value) {
            Ok(Some(answer)) => way.finish(answer),
            Ok(None) => {
                if let Some(later) = Later::of(&value)? {
                    return self.wait(py, way, call, later);
                }
                way.finish(A::failed(wrong_type::<A>(&value)));
            }
            Err(e) => return raised(py, way, e),
        }
        Ok(())
    }

    /// The answer comes when `later` is done.
    fn wait<A>(
        self: &Arc<Self>,
        py: Python<'_>,
        way: Way<A>,
        call: Option<CallId>,
        later: Later<'_>,
    ) -> PyResult<()>
    where
        A: FromCallback,
        Question: From<Way<A>>,
    {
        let future = match later {
            Later::Future(future) => future,
            Later::Awaitable(awaitable) => {
                let event_loop = lock(&self.event_loop).as_ref().map(|l| l.clone_ref(py));
                let task = match start(&awaitable, event_loop) {
                    Ok(task) => task,
                    Err(e) => return raised(py, way, e),
                };
                if let Some(call) = call {
                    lock(&self.tasks).insert(call, task.clone().unbind());
                }
                task
            }
        };
        let pending = Bound::new(py, Pending::new(way, self, call))?;
        if let Err(e) = future.call_method1("add_done_callback", (&pending,)) {
            return match pending.get().take() {
                Some(Question::Read(way)) => raised(py, way, e),
                Some(Question::List(way)) => raised(py, way, e),
                None => Ok(()),
            };
        }
        Ok(())
    }

    /// The task of a call is done.
    pub(crate) fn forget_task(&self, call: CallId) {
        let task = lock(&self.tasks).remove(&call);
        drop(task);
    }

    /// Coroutines from now on become tasks of this loop, whatever thread makes them.
    pub(crate) fn use_loop(&self, event_loop: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *lock(&self.event_loop), event_loop);
        drop(before);
    }

    /// Takes the tasks of calls that nobody will hear of any more.
    pub(crate) fn take_tasks(&self) -> Vec<Py<PyAny>> {
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.into_values().collect()
    }

    pub(crate) fn cancel_tasks(&self, py: Python<'_>) -> PyResult<()> {
        self.take_tasks().iter().try_for_each(|task| cancel(task.bind(py)))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)?;
        if let Ok(event_loop) = self.event_loop.try_lock() {
            visit.call(&*event_loop)?;
        }
        match self.tasks.try_lock() {
            Ok(tasks) => tasks.values().try_for_each(|task| visit.call(task)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        drop(self.take_tasks());
        self.use_loop(None);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers with what an exception means.
pub(crate) fn raised<A: FromCallback>(py: Python<'_>, way: Way<A>, e: PyErr) -> PyResult<()> {
    let meaning = meaning(py, &e);
    if let Some(answer) = A::from_outcome(&meaning) {
        way.finish(answer);
        return Ok(());
    }
    let passes = matches!(meaning, Meaning::Passes).then(|| e.clone_ref(py));
    let why = e.to_string();
    log::with_traceback(py, e, || way.finish(A::failed(why)));
    passes.map_or(Ok(()), Err)
}

pub(crate) fn wrong_type<A: FromCallback>(value: &Bound<'_, PyAny>) -> String {
    let given = value.get_type();
    let given = given.name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    format!("the callback returned {given}; return {}", A::EXPECTED)
}

fn start<'py>(awaitable: &Bound<'py, PyAny>, event_loop: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    static START: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    START.import(awaitable.py(), "wellhead._asyncio", "start")?.call1((awaitable, event_loop))
}

fn cancel(task: &Bound<'_, PyAny>) -> PyResult<()> {
    static CANCEL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CANCEL.import(task.py(), "wellhead._asyncio", "cancel")?.call1((task,)).map(drop)
}
