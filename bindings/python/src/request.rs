//! Requests of the server to its client, and the futures that wait for the answers.

use crate::context::Context;
use crate::imported::Imported;
use crate::lock::lock;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use wellhead::{ClientAnswer, ResponseCall};

/// The key of a request to a client: the number of its connection, and its own number there.
pub(crate) type Key = (u64, u64);

/// The requests of a service to its clients that wait for an answer.
#[derive(Default)]
pub(crate) struct Requests(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<Key, State>,
    /// True once the service has ended. A request that was sent before, and gets its future only now, is cancelled.
    ended: bool,
}

enum State {
    Waits(Py<PyAny>),
    /// The answer came before [`Requests::wait_for`] was called.
    Came(ClientAnswer),
}

impl Requests {
    fn state(&self) -> MutexGuard<'_, Table> {
        lock(&self.0)
    }

    /// Sets the future that gets the answer of a request. If the answer has come already, the future gets it at once.
    pub(crate) fn wait_for(&self, future: &Bound<'_, PyAny>, key: Key) -> PyResult<()> {
        let mut state = self.state();
        let answer = match state.open.remove(&key) {
            Some(State::Came(answer)) => answer,
            _ if state.ended => ClientAnswer::GivenUp,
            _ => {
                state.open.insert(key, State::Waits(future.clone().unbind()));
                return Ok(());
            }
        };
        drop(state);
        settle(future, &answer, None)
    }

    /// Gives an answer to its future. `context`: the one in which the future's callbacks run if no event loop calls
    /// them.
    pub(crate) fn answered(&self, py: Python<'_>, call: &ResponseCall, context: &Context) -> PyResult<()> {
        let key = (call.connection(), call.number());
        let mut state = self.state();
        let Some(State::Waits(future)) = state.open.remove(&key) else {
            state.open.insert(key, State::Came(call.answer().clone()));
            return Ok(());
        };
        drop(state);
        settle(future.bind(py), call.answer(), Some(context))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.0.try_lock() else { return Ok(()) };
        state.open.values().try_for_each(|one| match one {
            State::Waits(future) => visit.call(future),
            State::Came(_) => Ok(()),
        })
    }

    /// Cancels all futures, because the service has ended.
    pub(crate) fn give_up(&self, py: Python<'_>) {
        let mut state = self.state();
        state.ended = true;
        let open = std::mem::take(&mut state.open);
        drop(state);
        for one in open.into_values() {
            if let State::Waits(future) = one
                && let Err(e) = settle(future.bind(py), &ClientAnswer::GivenUp, None)
            {
                e.write_unraisable(py, Some(future.bind(py)));
            }
        }
    }

    pub(crate) fn clear(&self) {
        let open = std::mem::take(&mut self.state().open);
        drop(open);
    }
}

fn settle(future: &Bound<'_, PyAny>, answer: &ClientAnswer, context: Option<&Context>) -> PyResult<()> {
    static SETTLE: Imported = Imported::new("wellhead._requests", "settle");
    let (result, error) = match answer {
        ClientAnswer::Result(result) => (Some(result), None),
        ClientAnswer::Error(error) => (None, Some(error)),
        _ => (None, None),
    };
    let py = future.py();
    let settle = SETTLE.get(py)?;
    match context {
        Some(context) => {
            let (result, error) = (result.into_pyobject(py)?, error.into_pyobject(py)?);
            context.run(settle, &[future.clone(), result, error], None).map(drop)
        }
        None => settle.call1((future, result, error)).map(drop),
    }
}
