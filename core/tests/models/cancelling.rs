//! A hook on cancellation meets the answer of its call: it runs at most once, and not at all once the answer has returned.

use crate::models::support::{cancel, explore, feed, greet, on_uri, server};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use wellhead::{Call, Caller, Connection, Event};

/// The data of a hook, which the application closes once the call is answered.
#[derive(Clone, Default)]
struct Owned {
    closed: Arc<AtomicBool>,
    /// The hook found it closed. A panic would end there.
    used_late: Arc<AtomicBool>,
    runs: Arc<AtomicUsize>,
}

impl Owned {
    fn touch(&self) {
        self.runs.fetch_add(1, Ordering::SeqCst);
        for _ in 0..2 {
            if self.closed.load(Ordering::SeqCst) {
                self.used_late.store(true, Ordering::SeqCst);
            }
            thread::yield_now();
        }
    }

    fn check(&self) {
        assert!(!self.used_late.load(Ordering::SeqCst), "the hook ran after the answer");
        assert!(self.runs.load(Ordering::SeqCst) <= 1);
    }
}

/// A connection with one pending read.
fn reading() -> (Connection, Call) {
    let server = server();
    server.fallback(|_| "").expect("the server is open");
    let connection = server.connect(Caller::default());
    greet(&connection);
    feed(&connection, &[on_uri(1, "read", "a://1")]);
    let Some(Event::Read(call)) = connection.poll_event() else { panic!("a read") };
    std::mem::forget(server); // as an application does that serves until its process ends
    (connection, call)
}

fn cancels(connection: &Connection) {
    feed(connection, &[cancel(1)]);
    while connection.poll_event().is_some() {}
}

/// The client cancels while the application gives the call a hook, answers it, and closes what the hook uses.
pub(crate) fn answer_while_the_client_cancels() {
    let (connection, call) = reading();
    let owned = Owned::default();
    let used = owned.clone();
    let client = thread::spawn(move || cancels(&connection));
    let responder = call.into_responder();
    responder.on_cancel(move || used.touch());
    responder.finish("text");
    owned.closed.store(true, Ordering::SeqCst);
    client.join().expect("it ends");
    owned.check();
}

#[test]
fn no_hook_runs_once_its_call_was_answered() {
    explore(4_000, answer_while_the_client_cancels);
}

#[test]
fn a_hook_of_a_cancelled_call_runs_once_whenever_it_comes() {
    explore(4_000, || {
        let (connection, call) = reading();
        let owned = Owned::default();
        let used = owned.clone();
        let others = [
            thread::spawn({
                let connection = connection.clone();
                move || cancels(&connection)
            }),
            thread::spawn(move || connection.close()),
        ];
        call.on_cancel(move || used.touch());
        for other in others {
            other.join().expect("it ends");
        }
        assert_eq!(owned.runs.load(Ordering::SeqCst), 1);
        drop(call);
    });
}

#[test]
fn a_hook_may_answer_its_call_itself() {
    explore(2_000, || {
        let (connection, call) = reading();
        let responder = call.into_responder();
        let twin = shuttle::sync::Mutex::new(Some(responder));
        let twin = Arc::new(twin);
        let hook = twin.clone();
        if let Some(responder) = twin.lock().expect("no thread panics with it").as_ref() {
            responder.on_cancel(move || {
                let taken = hook.lock().expect("no thread panics with it").take();
                let _ = taken.map(|responder| responder.finish("late"));
            });
        }
        let client = thread::spawn(move || cancels(&connection));
        let taken = twin.lock().expect("no thread panics with it").take();
        let _ = taken.map(|responder| responder.finish("early"));
        client.join().expect("it ends");
    });
}
