//! Runs the application's callables for the events of one connection, or of all connections of an HTTP service.

use crate::access::Caller;
use crate::answer::FromCallback;
use crate::call::{About, Call as PyCall, loads};
use crate::context::Context;
use crate::convert::type_of;
use crate::errors::{Meaning, ends, meaning};
use crate::exit::{Inside, detach};
use crate::fork::Process;
use crate::hook::raising;
use crate::imported::Imported;
use crate::late_answers::{Later, Pending};
use crate::lock::lock;
use crate::log;
use crate::request::Requests;
use crate::responder::{Notifies, Slot, Way};
use crate::server::Server;
use crate::table::{Answerer, Positional, Reader};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use pyo3::{PyTraverseError, PyVisit};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use wellhead::{Answer, Call, CallId, Completion, Event, Page, Responder};

/// The runner of a server's callables, with the tasks of those that are `async def`.
pub(crate) struct Callbacks {
    pub(crate) server: Py<Server>,
    pub(crate) process: Process,
    /// The caller of the connection. The core gets only its id: the value stays here, where garbage collection sees it.
    caller: Option<Py<Caller>>,
    /// The `verify` function, which judges bearer tokens; `None` if the service takes none.
    verifier: Option<Arc<Positional>>,
    pub(crate) requests: Requests,
    /// The tasks of coroutines by their calls, so that they can be cancelled. asyncio itself keeps only weak references
    /// to tasks.
    tasks: Mutex<HashMap<CallId, Py<PyAny>>>,
    /// The event loop for coroutines that are made on threads without a loop.
    event_loop: Mutex<Option<Py<PyAny>>>,
    /// The value of the lifespan of the service; `None` without a lifespan.
    lifespan: Mutex<Option<Py<PyAny>>>,
}

impl Callbacks {
    pub(crate) fn new(server: Py<Server>, caller: Option<Py<Caller>>) -> Arc<Self> {
        Callbacks::for_clients(server, caller, None)
    }

    /// Makes the runner of an HTTP service. `verifier` judges the bearer tokens of its clients.
    pub(crate) fn verifying(server: Py<Server>, verifier: Option<Positional>) -> Arc<Self> {
        Callbacks::for_clients(server, None, verifier.map(Arc::new))
    }

    fn for_clients(
        server: Py<Server>,
        caller: Option<Py<Caller>>,
        verifier: Option<Arc<Positional>>,
    ) -> Arc<Self> {
        Arc::new(Callbacks {
            server,
            caller,
            verifier,
            process: Process::current(),
            requests: Requests::default(),
            tasks: Mutex::default(),
            event_loop: Mutex::default(),
            lifespan: Mutex::default(),
        })
    }

    /// Runs the callback of an event. Returns false if there is none to run.
    ///
    /// # Errors
    /// Only `KeyboardInterrupt` and `SystemExit`. The call is answered all the same.
    pub(crate) fn run(self: &Arc<Self>, py: Python<'_>, event: Event) -> PyResult<bool> {
        let Some(_inside) = Inside::enter() else {
            std::mem::forget(event); // the process ends, and no callback hears of that
            return Ok(false);
        };
        raising(|| {
            if !event.begin() {
                return Ok(false); // the client no longer waits for the answer
            }
            match self.dispatch(py, event) {
                // What a callback left goes wrong in ways that are its own, and ends nothing but its call.
                Err(e) if !ends(py, &e) && !self.process.is_parent() => {
                    log::exception(py, "a callback left something that cannot be used", e);
                    Ok(true)
                }
                ran => ran,
            }
        })?
    }

    fn dispatch(self: &Arc<Self>, py: Python<'_>, event: Event) -> PyResult<bool> {
        if let Event::Cancel(call) = event {
            let task = lock(&self.tasks).remove(&call);
            if let Some(task) = task {
                cancel(task.bind(py))?;
            }
            return Ok(false);
        }
        let context = match self.server.get().base.for_event(py, &event) {
            Ok(context) => context,
            Err(e) => {
                log::of_callback(py, Some(e), None, || drop(event)); // there is no memory
                return Ok(true);
            }
        };
        match (self.answerer(&event), event) {
            (_, Event::Response(call)) => self.requests.answered(py, &call, &context)?,
            (Answerer::Provider, event) => detach(py, || event.run()),
            (Answerer::Reader(reader), Event::Read(call)) => self.read(py, &reader, call, context)?,
            (Answerer::Positional(positional), event) => self.call(py, &positional, event, context)?,
            (_, event) => removed(event),
        }
        Ok(true)
    }

    /// Returns whether the event's callback may run on an event loop, since it returns quickly.
    pub(crate) fn is_quick(&self, event: &Event) -> bool {
        match (event, self.server.get().table.arounds()) {
            (Event::Read(_) | Event::Method(_), Some(arounds)) => match self.answerer(event) {
                Answerer::Provider => false,
                _ => arounds.is_quick(),
            },
            _ => self.answerer(event).is_quick(),
        }
    }

    fn answerer(&self, event: &Event) -> Answerer {
        self.server.get().table.answerer(event, self.verifier.as_ref())
    }

    fn read(
        self: &Arc<Self>,
        py: Python<'_>,
        reader: &Reader,
        mut call: Call,
        context: Context,
    ) -> PyResult<()> {
        let id = call.call();
        let Some(responder) = call.take_responder() else { return Ok(()) };
        let function = reader.function.bind(py);
        let arounds = self.server.get().table.arounds();
        let (way, returned) = if arounds.is_some() || reader.parameters.want_call() {
            let slot = Arc::new(Slot::new(responder));
            let way = Way::shared(slot.clone()).lenient(reader.typed);
            let object = Bound::new(py, PyCall::new(py, About::Read(call), self, slot))?;
            let Some(call) = object.get().read() else { return Ok(()) };
            let surrounded = match arounds {
                Some(arounds) => arounds.around(py, &object, function, reader.quick),
                None => Ok(function.clone()),
            };
            let run = |function| reader.parameters.call(py, &context, &function, call, Some(&object));
            (way, surrounded.and_then(run))
        } else {
            let way = Way::own(responder).lenient(reader.typed);
            (way, reader.parameters.call(py, &context, function, &call, None))
        };
        let Some(returned) = returned.transpose() else {
            way.finish(Answer::NotFound);
            return Ok(());
        };
        self.settle(py, way, id, context, returned)
    }

    /// Calls a function that takes its arguments by position.
    fn call(
        self: &Arc<Self>,
        py: Python<'_>,
        positional: &Positional,
        event: Event,
        context: Context,
    ) -> PyResult<()> {
        match event {
            Event::List(mut call) => {
                let (id, responder) = (call.call(), call.take_responder());
                let arguments =
                    [call.after().into_pyobject(py)?.into_any(), call.limit().into_pyobject(py)?.into_any()];
                self.call_function(py, positional, id, responder, context, &arguments, About::List(call))
            }
            Event::Complete(mut call) => {
                let (id, responder) = (call.call(), call.take_responder());
                let mut arguments = vec![call.value().into_pyobject(py)?.into_any()];
                if positional.count > 1 {
                    let others = PyDict::new(py);
                    call.others().try_for_each(|(name, value)| others.set_item(name, value))?;
                    arguments.push(others.into_any());
                }
                self.call_function(py, positional, id, responder, context, &arguments, About::Complete(call))
            }
            Event::Method(mut call) => {
                let (id, responder) = (call.call(), call.take_responder());
                let of_tool_or_prompt = call.name().is_some();
                let params = match loads(py, if of_tool_or_prompt { call.arguments() } else { call.params() })
                {
                    Ok(params) => params,
                    Err(e) => {
                        let Some(responder) = responder else { return Ok(()) };
                        return raised(py, Way::own(responder), e, &context);
                    }
                };
                self.call_function(py, positional, id, responder, context, &[params], About::Method(call))
            }
            Event::Authorize(mut call) => {
                let (id, responder) = (call.call(), call.take_responder());
                let operation = PyString::new(py, &call.operation().to_string()).into_any();
                let arguments = [operation, PyList::new(py, call.targets())?.into_any()];
                self.call_function(py, positional, id, responder, context, &arguments, About::Authorize(call))
            }
            Event::Verify(mut call) => {
                let responder = call.take_responder();
                let token = PyString::new(py, call.token()).into_any();
                self.call_function(py, positional, None, responder, context, &[token], About::Verify(call))
            }
            Event::Interest(mut call) => {
                let Some(responder) = call.take_responder() else { return Ok(()) };
                let wanted = PyBool::new(py, call.wanted()).to_owned().into_any();
                let arguments = [PyString::new(py, call.uri()).into_any(), wanted];
                let returned = context.run(positional.function.bind(py), &arguments, None);
                self.settle(py, Way::own(responder), None, context, returned)
            }
            _ => Ok(()), // there are no others, and dropping one answers it
        }
    }

    /// Calls a function with these arguments, and with the `Call` if it has a parameter for it.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call, which differ by their types")]
    fn call_function<A: FromCallback + Notifies>(
        self: &Arc<Self>,
        py: Python<'_>,
        positional: &Positional,
        id: Option<CallId>,
        responder: Option<Responder<A>>,
        context: Context,
        arguments: &[Bound<'_, PyAny>],
        about: About,
    ) -> PyResult<()> {
        let Some(responder) = responder else { return Ok(()) };
        let function = positional.function.bind(py);
        let (arounds, lenient) = match &about {
            About::Method(call) => (self.server.get().table.arounds(), call.name().is_none()),
            _ => (None, false),
        };
        if positional.call.is_none() && arounds.is_none() {
            let returned = context.run(function, arguments, None);
            return self.settle(py, Way::own(responder).lenient(lenient), id, context, returned);
        }
        let slot = Arc::new(Slot::new(responder));
        let way = Way::shared(slot.clone()).lenient(lenient);
        let run = || {
            let call = Bound::new(py, PyCall::new(py, about, self, slot))?;
            let keywords = PyDict::new(py);
            if let Some(name) = &positional.call {
                keywords.set_item(name, &call)?;
            }
            match arounds {
                Some(arounds) => {
                    let surrounded = arounds.around(py, &call, function, positional.quick)?;
                    context.run(&surrounded, arguments, Some(&keywords))
                }
                None => context.run(function, arguments, Some(&keywords)),
            }
        };
        let returned = run();
        self.settle(py, way, id, context, returned)
    }

    /// Answers with the value that a callback returned or raised. If that is a future or a coroutine, its result is the
    /// answer later.
    fn settle<A>(
        self: &Arc<Self>,
        py: Python<'_>,
        way: Way<A>,
        call: Option<CallId>,
        context: Context,
        returned: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<()>
    where
        A: FromCallback,
    {
        if self.process.is_parent() {
            way.abandon();
            return self.process.check(py, "connection"); // the callback forked, and this is the child
        }
        let value = match returned {
            Ok(value) => value,
            Err(e) => return raised(py, way, e, &context),
        };
        match A::from_value(&value, way.is_lenient()) {
            Ok(Some(answer)) => way.finish(answer),
            Ok(None) => {
                match Later::from_value(&value) {
                    Ok(Some(later)) => return self.wait(py, way, call, context, later),
                    Ok(None) => {}
                    Err(e) => return raised(py, way, e, &context),
                }
                fail(py, way, wrong_type::<A>(&value), &context);
            }
            Err(e) => return raised(py, way, e, &context),
        }
        Ok(())
    }

    /// Answers with the result of `later`, a future or a coroutine, when it is done.
    fn wait<A>(
        self: &Arc<Self>,
        py: Python<'_>,
        way: Way<A>,
        call: Option<CallId>,
        context: Context,
        later: Later<'_>,
    ) -> PyResult<()>
    where
        A: FromCallback,
    {
        let future = match later {
            Later::Future(future) => future,
            Later::Awaitable(awaitable) => {
                let event_loop = lock(&self.event_loop).as_ref().map(|l| l.clone_ref(py));
                let task = match start(&awaitable, event_loop, &context) {
                    Ok(task) => task,
                    Err(e) => return raised(py, way, e, &context),
                };
                if let Some(call) = call {
                    lock(&self.tasks).insert(call, task.clone().unbind());
                    // If another thread took up the cancellation before, it has found no task.
                    let cancelled = if way.is_cancelled() { lock(&self.tasks).remove(&call) } else { None };
                    if let Some(task) = cancelled {
                        cancel(task.bind(py))?;
                    }
                }
                task
            }
        };
        let pending = Bound::new(py, Pending::new(Box::new(way), self, call, context))?;
        match future.call_method1(intern!(py, "add_done_callback"), (&pending,)) {
            Ok(_) => Ok(()),
            Err(e) => pending.get().fail(py, e),
        }
    }

    pub(crate) fn caller(&self, py: Python<'_>) -> Option<Py<Caller>> {
        self.caller.as_ref().map(|caller| caller.clone_ref(py))
    }

    pub(crate) fn lifespan(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        lock(&self.lifespan).as_ref().map(|value| value.clone_ref(py))
    }

    pub(crate) fn use_lifespan(&self, value: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *lock(&self.lifespan), value);
        drop(before); // after the lock: it may run Python
    }

    /// Forgets the task of a call, which is done.
    pub(crate) fn forget_task(&self, call: CallId) {
        let task = lock(&self.tasks).remove(&call);
        drop(task);
    }

    /// Sets the event loop that runs coroutines as tasks, whichever thread makes them.
    pub(crate) fn use_loop(&self, event_loop: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *lock(&self.event_loop), event_loop);
        drop(before);
    }

    /// Takes the tasks of calls in flight, whose answers are dropped.
    pub(crate) fn take_tasks(&self) -> Vec<Py<PyAny>> {
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.into_values().collect()
    }

    pub(crate) fn cancel_tasks(&self, py: Python<'_>) -> PyResult<()> {
        self.take_tasks().iter().try_for_each(|task| cancel(task.bind(py)))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)?;
        visit.call(&self.caller)?;
        visit.call(self.verifier.as_ref().map(|verifier| &verifier.function))?;
        self.requests.traverse(visit)?;
        for held in [&self.event_loop, &self.lifespan] {
            if let Ok(held) = held.try_lock() {
                visit.call(&*held)?;
            }
        }
        match self.tasks.try_lock() {
            Ok(tasks) => tasks.values().try_for_each(|task| visit.call(task)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        drop(self.take_tasks());
        self.requests.clear();
        self.use_loop(None);
        self.use_lifespan(None);
    }
}

/// Answers an event whose registration was removed. To drop it would answer "internal error".
fn removed(event: Event) {
    let _wanted = match event {
        Event::Read(call) => call.into_responder().finish(Answer::NotFound),
        Event::List(call) => call.into_responder().finish(Page::default()),
        Event::Complete(call) => call.into_responder().finish(Completion::default()),
        _ => false,
    };
}

/// Answers with the meaning of an exception that a callback raised.
pub(crate) fn raised<A: FromCallback>(
    py: Python<'_>,
    way: Way<A>,
    e: PyErr,
    context: &Context,
) -> PyResult<()> {
    let (meaning, e) = meaning(py, e);
    if let Some(answer) = A::from_outcome(&meaning) {
        way.finish(answer);
        return Ok(());
    }
    let ending = matches!(meaning, Meaning::Ends).then(|| e.clone_ref(py));
    let why = e.to_string();
    // The `__str__` of an exception may fail.
    let text = e.value(py).str().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    log::of_callback(py, Some(e), Some(context), || A::raise(way, text, why));
    ending.map_or(Ok(()), Err)
}

/// Answers that the callback failed. `why` goes to the log only.
pub(crate) fn fail<A: FromCallback>(py: Python<'_>, way: Way<A>, why: String, context: &Context) {
    log::of_callback(py, None, Some(context), || A::fail(way, why));
}

pub(crate) fn wrong_type<A: FromCallback>(value: &Bound<'_, PyAny>) -> String {
    let given = A::fault(value).unwrap_or_else(|| type_of(value));
    format!("the callback returned {given}; return {}", A::EXPECTED)
}

fn start<'py>(
    awaitable: &Bound<'py, PyAny>,
    event_loop: Option<Py<PyAny>>,
    context: &Context,
) -> PyResult<Bound<'py, PyAny>> {
    static START: Imported = Imported::new("wellhead._asyncio", "start");
    START.get(awaitable.py())?.call1((awaitable, event_loop, context.bind(awaitable.py())))
}

fn cancel(task: &Bound<'_, PyAny>) -> PyResult<()> {
    static CANCEL: Imported = Imported::new("wellhead._asyncio", "cancel");
    CANCEL.get(task.py())?.call1((task,)).map(drop)
}
