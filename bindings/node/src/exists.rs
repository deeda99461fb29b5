//! Decides whether a URI may exist: JavaScript is asked at once, by whichever thread is to know.

use crate::bell::Bell;
use crossbeam_channel::{Sender, bounded};
use napi::bindgen_prelude::{Env, FnArgs, Function, FunctionRef};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use wellhead::Provider;

/// A registration whose URIs JavaScript knows, which is asked by its number.
pub(crate) struct Exists {
    pub(crate) bell: Arc<Bell>,
    pub(crate) number: Number,
}

/// Set once the registration has it, which is before JavaScript can be asked.
pub(crate) type Number = Arc<OnceLock<u64>>;

impl Provider for Exists {
    fn exists(&self, uri: &str) -> bool {
        self.bell.exists(&self.number, uri)
    }

    fn answers(&self) -> bool {
        false
    }
}

/// `exists(number, uri)`.
pub(crate) type ExistsFn<'a> = Function<'a, FnArgs<(f64, String)>, bool>;

/// Asks JavaScript. Where it cannot answer, a URI may exist.
pub(crate) struct ExistsInJs {
    function: FunctionRef<FnArgs<(f64, String)>, bool>,
    waiting: Mutex<Waiting>,
}

/// The other threads that wait for a turn of the JS thread.
#[derive(Default)]
struct Waiting {
    questions: VecDeque<Question>,
    /// The way of the answer to the thread whose question JavaScript has.
    under_way: Option<Sender<bool>>,
    /// The number of times the JS thread is not to be waited for, since it waits for these threads, or is gone.
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

    /// Asks the callback; on the JavaScript thread only.
    pub(crate) fn here(&self, env: Env, number: &Number, uri: &str) -> bool {
        let Some(&number) = number.get() else { return true };
        // JavaScript's side of it catches what the application's function throws.
        let known = self
            .function
            .borrow_back(&env)
            .and_then(|function| function.call((number as f64, uri.to_owned()).into()));
        known.unwrap_or(true)
    }

    /// On another thread, which waits; `ring` asks for a turn.
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

    /// On the JS thread: answers those who wait.
    pub(crate) fn answer(&self, env: Env) {
        while let Some(Question { number, uri, answer }) = self.next() {
            let _ = answer.send(self.here(env, &number, &uri)); // it may have been let go
        }
    }

    fn next(&self) -> Option<Question> {
        let mut waiting = self.waiting.lock();
        let question = waiting.questions.pop_front();
        waiting.under_way = question.as_ref().map(|question| question.answer.clone());
        question
    }

    /// No thread waits for JavaScript until [`Asking::resume`], nor does one whose question is running.
    pub(crate) fn let_go(&self) {
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
