//! Decides whether a URI may exist: any thread calls the function `exists` of JavaScript, and waits for its result.

use crate::bell::Bell;
use crossbeam_channel::{Sender, bounded};
use napi::bindgen_prelude::{Env, FnArgs, Function, FunctionRef};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use wellhead::Provider;

/// A registration with a function `exists` in JavaScript, which is called by the number of the registration.
pub(crate) struct Exists {
    pub(crate) bell: Arc<Bell>,
    pub(crate) number: Number,
}

/// The number of a registration. It is set once the core has assigned it, which is before the first call of `exists`.
pub(crate) type Number = Arc<OnceLock<u64>>;

impl Provider for Exists {
    fn exists(&self, uri: &str) -> bool {
        self.bell.exists(&self.number, uri)
    }

    fn answers(&self) -> bool {
        false
    }
}

/// The function `exists(number, uri)` of JavaScript.
pub(crate) type ExistsFn<'a> = Function<'a, FnArgs<(f64, String)>, bool>;

/// Calls `exists` of JavaScript, from any thread. If JavaScript cannot answer, the URI may exist.
pub(crate) struct ExistsInJs {
    function: FunctionRef<FnArgs<(f64, String)>, bool>,
    waiting: Mutex<Waiting>,
}

/// The questions of other threads, which wait for a turn of the JS thread.
#[derive(Default)]
struct Waiting {
    questions: VecDeque<Question>,
    /// The sender to the thread whose question JavaScript is answering now.
    under_way: Option<Sender<bool>>,
    /// The number of reasons why no thread may wait for the JS thread: it waits for these threads, or is gone.
    useless: usize,
}

struct Question {
    number: Number,
    uri: String,
    answer: Sender<bool>,
}

impl ExistsInJs {
    pub(crate) fn new(function: &ExistsFn<'_>) -> napi::Result<ExistsInJs> {
        Ok(ExistsInJs { function: function.create_ref()?, waiting: Mutex::default() })
    }

    /// Calls the callback. To be called on the JavaScript thread only.
    pub(crate) fn call(&self, env: Env, number: &Number, uri: &str) -> bool {
        let Some(&number) = number.get() else { return true };
        // JavaScript's side of it catches what the application's function throws.
        let known = self
            .function
            .borrow_back(&env)
            .and_then(|function| function.call((number as f64, uri.to_owned()).into()));
        known.unwrap_or(true)
    }

    /// Leaves the question for the JS thread, and waits for the answer. To be called on any other thread. `ring`
    /// schedules a turn.
    pub(crate) fn elsewhere(&self, number: &Number, uri: &str, ring: impl FnOnce()) -> bool {
        let (answer, known) = bounded(2); // JavaScript may answer someone who was let go
        {
            let mut waiting = self.waiting.lock();
            if waiting.useless > 0 {
                return true;
            }
            waiting.questions.push_back(Question { number: number.clone(), uri: uri.to_owned(), answer });
        }
        ring();
        known.recv().unwrap_or(true)
    }

    /// Answers the threads that wait. To be called on the JS thread.
    pub(crate) fn answer(&self, env: Env) {
        while let Some(Question { number, uri, answer }) = self.next() {
            let _ = answer.send(self.call(env, &number, &uri)); // it may have been let go
        }
    }

    fn next(&self) -> Option<Question> {
        let mut waiting = self.waiting.lock();
        let question = waiting.questions.pop_front();
        waiting.under_way = question.as_ref().map(|question| question.answer.clone());
        question
    }

    /// Ends all waits for JavaScript, and allows no new ones until [`ExistsInJs::resume`].
    pub(crate) fn end_waits(&self) {
        let mut waiting = self.waiting.lock();
        waiting.useless += 1;
        waiting.questions.clear();
        if let Some(under_way) = waiting.under_way.take() {
            let _ = under_way.send(true); // it may have its answer
        }
    }

    pub(crate) fn resume(&self) {
        self.waiting.lock().useless -= 1;
    }
}
