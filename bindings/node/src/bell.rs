//! The bell, by which other threads reach the JS thread, and by which code on that thread schedules a turn.
//!
//! One thread-safe function carries everything: that a driver has events, that a connection woke, lines of the log,
//! observed calls, and memory to free. It is weak: it does not keep the process alive, unless a driver asks for that
//! while it runs.

use crate::descriptor;
use crate::exists::{self, ExistsInJs};
use crate::inbox::Inbox;
use crate::raw::{Js, Reference};
use napi::bindgen_prelude::{Env, FnArgs, Function, FunctionRef};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Status, sys};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, ThreadId};
use wellhead::{CallId, Observed, Severity};

type Turn = ThreadsafeFunction<(), (), (), Status, false, true, 0>;
/// The function `soon()` of JavaScript: it takes a turn once the running JavaScript is done.
pub(crate) type Soon<'a> = Function<'a, (), ()>;
/// The function `log(severity, line)` of JavaScript.
pub(crate) type Log<'a> = Function<'a, FnArgs<(String, String)>, ()>;

/// The functions `observe(json)` and `publish(json)` of JavaScript.
pub(crate) type Observe<'a> = Function<'a, String, ()>;

pub(crate) struct Bell {
    env: EnvNumber,
    js_thread: ThreadId,
    turn: Turn,
    soon: FunctionRef<(), ()>,
    log: Option<FunctionRef<FnArgs<(String, String)>, ()>>,
    observe: Option<FunctionRef<String, ()>>,
    publish: FunctionRef<String, ()>,
    exists: ExistsInJs,
    /// True while a turn is scheduled.
    rung: AtomicBool,
    /// True once no JavaScript is called any more: the environment is ending, or the application does not use the
    /// server.
    dead: AtomicBool,
    /// True once Node has ended the environment, with all that belonged to it.
    gone: AtomicBool,
    lines: Inbox<(Severity, String)>,
    /// The beginnings of calls that the observer does not know yet, as JSON: it is called right before the callback of
    /// each.
    begun: Mutex<HashMap<CallId, String>>,
    observed: Inbox<String>,
    published: Inbox<String>,
    woken: Inbox<u64>,
    /// True if an endpoint has something to do.
    endpoints: AtomicBool,
    /// The number of the endpoint of which the JS thread drives an exchange now; 0 for none.
    driven: AtomicU32,
    /// True once the exchange that the JS thread drives has something to do.
    driven_ready: AtomicBool,
    /// The numbers of exchanges that have output or another step to take.
    exchanges: Inbox<u32>,
    released: Inbox<Reference>,
}

/// The address of a Node-API environment. Only its own thread turns it back into an environment.
struct EnvNumber(usize);

impl Bell {
    /// Makes the bell from functions of JavaScript. `turn` is called for other threads, `soon` and `log` on the JS
    /// thread.
    pub(crate) fn new(
        env: Env,
        turn: &Soon<'_>,
        soon: &Soon<'_>,
        log: Option<Log<'_>>,
        observe: Option<Observe<'_>>,
        publish: &Observe<'_>,
        exists: &exists::ExistsFn<'_>,
    ) -> napi::Result<Bell> {
        Ok(Bell {
            env: EnvNumber(env.raw() as usize),
            js_thread: thread::current().id(),
            turn: turn.build_threadsafe_function::<()>().weak::<true>().build()?,
            soon: soon.create_ref()?,
            log: log.map(|log| log.create_ref()).transpose()?,
            observe: observe.map(|observe| observe.create_ref()).transpose()?,
            publish: publish.create_ref()?,
            exists: ExistsInJs::new(exists)?,
            rung: AtomicBool::new(false),
            dead: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            lines: Inbox::new(),
            begun: Mutex::default(),
            observed: Inbox::new(),
            published: Inbox::new(),
            woken: Inbox::new(),
            endpoints: AtomicBool::new(false),
            driven: AtomicU32::new(0),
            driven_ready: AtomicBool::new(false),
            exchanges: Inbox::new(),
            released: Inbox::new(),
        })
    }

    /// Schedules a turn. Several calls before the turn make one turn.
    pub(crate) fn ring(&self) {
        if self.dead.load(Ordering::Acquire) || self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let scheduled = match self.env_of_this_thread() {
            Some(env) => self.soon.borrow_back(&env).and_then(|soon| soon.call(())).is_ok(),
            None => self.turn.call((), ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok,
        };
        if !scheduled {
            self.rung.store(false, Ordering::Release);
        }
    }

    /// Schedules a turn after timers and I/O have run.
    pub(crate) fn ring_later(&self) {
        if !self.rung.swap(true, Ordering::AcqRel) {
            self.turn.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Called at the begin of a turn: a later ring schedules the next turn. Frees memory, and passes log lines and
    /// observed calls to JavaScript.
    pub(crate) fn answer(&self, js: Js<'_>) {
        self.rung.store(false, Ordering::Release);
        for reference in self.released.take() {
            js.release(reference);
        }
        for (severity, line) in self.lines.take() {
            self.log(severity, &line);
        }
        self.hand_over();
        if let Some(env) = self.env_of_this_thread() {
            self.exists.answer(env);
        }
        self.notify_observer();
    }

    /// Asks the function `exists` of the registration with this number whether there may be a resource at `uri`.
    /// Another thread than the JS thread waits for the next turn.
    pub(crate) fn exists(&self, number: &exists::Number, uri: &str) -> bool {
        match self.env_of_this_thread() {
            Some(_) if self.dead.load(Ordering::Acquire) => true,
            Some(env) => self.exists.call(env, number, uri),
            None => self.exists.elsewhere(number, uri, || self.ring()),
        }
    }

    /// Runs code that waits for other threads of this library. Meanwhile none of them waits for the JS thread.
    pub(crate) fn join<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.exists.end_waits();
        let done = wait();
        self.exists.resume();
        done
    }

    /// Passes a change to `publish`: at once on the JS thread, in the next turn from any other thread.
    pub(crate) fn publish(&self, event: &str) {
        if self.dead.load(Ordering::Acquire) {
            return;
        }
        self.published.push(event.to_owned());
        if self.env_of_this_thread().is_some() {
            self.hand_over();
        } else {
            self.ring();
        }
    }

    fn hand_over(&self) {
        let Some(env) = self.env_of_this_thread() else { return };
        for event in self.published.take() {
            // JavaScript's side of it catches what the application's function throws.
            let _ = self.publish.borrow_back(&env).and_then(|publish| publish.call(event));
        }
    }

    /// Passes the begin or end of a call to the observer. It gets a begin right before the callback, in the same
    /// context. It gets an end at once on the JS thread, and in the next turn from any other thread.
    pub(crate) fn observe(&self, observed: &Observed<'_>) {
        if self.dead.load(Ordering::Acquire) {
            return;
        }
        let json = descriptor::observed(observed);
        if observed.end.is_none() {
            self.begun.lock().insert(observed.id, json);
            return;
        }
        if let Some(begun) = self.take_begun(observed.id) {
            self.observed.push(begun); // its callback was never run
        }
        self.observed.push(json);
        if self.env_of_this_thread().is_some() {
            self.notify_observer();
        } else {
            self.ring();
        }
    }

    /// Takes the begin of a call for the observer, as JSON, if the observer has not got it yet.
    pub(crate) fn take_begun(&self, call: CallId) -> Option<String> {
        self.observe.as_ref()?;
        self.begun.lock().remove(&call)
    }

    fn notify_observer(&self) {
        if let (Some(env), Some(observe)) = (self.env_of_this_thread(), &self.observe) {
            for call in self.observed.take() {
                // JavaScript's side of it catches what the application's function throws.
                let _ = observe.borrow_back(&env).and_then(|observe| observe.call(call));
            }
        }
    }

    /// Passes a line to the log: at once on the JS thread, in the next turn from any other thread.
    pub(crate) fn log(&self, severity: Severity, line: &str) {
        if self.dead.load(Ordering::Acquire) {
            return;
        }
        if let (Some(env), Some(log)) = (self.env_of_this_thread(), &self.log) {
            // JavaScript's side of it catches what the application's function throws.
            let _ = log
                .borrow_back(&env)
                .and_then(|log| log.call((severity.to_string(), line.to_owned()).into()));
        } else {
            self.lines.push((severity, line.to_owned()));
            self.ring();
        }
    }

    pub(crate) fn wake(&self, connection: u64) {
        self.woken.push(connection);
        self.ring();
    }

    /// Runs `drive`, in which the JS thread drives an exchange of that endpoint. Meanwhile the endpoint needs no turn.
    /// The second value says whether the endpoint has something to do afterwards; a nested call leaves that to the
    /// outer one.
    pub(crate) fn drive<T>(&self, endpoint: u32, drive: impl FnOnce() -> T) -> (T, bool) {
        let outer = self.driven.swap(endpoint, Ordering::Relaxed);
        if outer == endpoint {
            return (drive(), false);
        }
        let before = self.driven_ready.swap(false, Ordering::Relaxed);
        let driven = drive();
        self.driven.store(outer, Ordering::Relaxed);
        (driven, self.driven_ready.swap(before, Ordering::Relaxed))
    }

    pub(crate) fn endpoint_ready(&self, endpoint: u32) {
        if self.driven.load(Ordering::Relaxed) == endpoint && self.env_of_this_thread().is_some() {
            self.driven_ready.store(true, Ordering::Relaxed);
            return;
        }
        self.endpoints.store(true, Ordering::Release);
        self.ring();
    }

    pub(crate) fn exchange_ready(&self, exchange: u32) {
        self.exchanges.push(exchange);
        self.ring();
    }

    /// Returns whether an endpoint or an exchange has something to do.
    pub(crate) fn has_http(&self) -> bool {
        self.endpoints.swap(false, Ordering::AcqRel) || !self.exchanges.is_empty()
    }

    pub(crate) fn take_exchanges(&self) -> impl Iterator<Item = u32> {
        self.exchanges.take()
    }

    pub(crate) fn has_woken(&self) -> bool {
        !self.woken.is_empty()
    }

    pub(crate) fn take_woken(&self) -> impl Iterator<Item = u64> {
        self.woken.take()
    }

    /// Deletes a reference: at once on the JS thread, in the next turn from any other thread.
    pub(crate) fn give_back(&self, reference: Reference) {
        match self.env_of_this_thread() {
            Some(_) if self.gone.load(Ordering::Acquire) => {} // it went with its environment
            Some(env) => Js::new(&env).release(reference),
            None => {
                self.released.push(reference);
                self.ring();
            }
        }
    }

    pub(crate) fn turn_function(&self) -> sys::napi_threadsafe_function {
        self.turn.raw()
    }

    /// Stops all calls of JavaScript, since the environment is ending or the server is not used any more.
    pub(crate) fn die(&self) {
        self.dead.store(true, Ordering::Release);
        self.exists.end_waits();
    }

    /// Called when the environment is gone, with all that belonged to it.
    pub(crate) fn lose(&self) {
        self.gone.store(true, Ordering::Release);
    }

    fn env_of_this_thread(&self) -> Option<Env> {
        (thread::current().id() == self.js_thread).then(|| Env::from_raw(self.env.0 as sys::napi_env))
    }
}
