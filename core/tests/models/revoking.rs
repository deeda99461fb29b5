//! An application takes its wake back while other threads answer: once that has returned no wake runs, and what it refers to is
//! dropped.

use crate::models::support::{explore, feed, greet, on_uri, server};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use wellhead::{Caller, Event, Revocable};

/// The data of the application's loop: no thread touches it once it is closed.
struct Owned {
    closed: Arc<AtomicBool>,
    dropped: Arc<AtomicUsize>,
}

impl Owned {
    fn touch(&self) {
        assert!(!self.closed.load(Ordering::SeqCst), "woken after the wake was revoked");
        thread::yield_now();
        assert!(!self.closed.load(Ordering::SeqCst), "revoked in the middle of a wake");
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        assert!(!self.closed.load(Ordering::SeqCst), "dropped after the wake was revoked");
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Two threads answer kept reads, and one tells of a change, while the application closes the connection and revokes its wake.
pub(crate) fn answers_while_the_wake_is_revoked() {
    let server = server();
    server.resource("a://b", |_| "x").expect("a new URI");
    let (closed, dropped) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let owned = Owned { closed: closed.clone(), dropped: dropped.clone() };
    let wake = Arc::new(Revocable::new(move || owned.touch()));
    let ring = wake.clone();
    let group = server.group(move || ring.call());
    let connection = group.connect(Caller::default());
    greet(&connection);
    feed(&connection, &[on_uri(1, "read", "a://b"), on_uri(2, "read", "a://b")]);
    let mut kept = Vec::new();
    while let Some(event) = connection.poll_event() {
        if let Event::Read(call) = event {
            kept.push(call);
        }
    }
    while group.next().is_some() {} // from here on each answer is a wake
    let mut others: Vec<_> = kept
        .into_iter()
        .map(|call| {
            thread::spawn(move || {
                call.into_responder().finish("text");
            })
        })
        .collect();
    let telling = server.clone();
    others.push(thread::spawn(move || telling.notify_updated("a://b").expect("the server is open")));
    while group.next().is_some() {}
    wake.revoke();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    closed.store(true, Ordering::SeqCst);
    connection.close();
    for other in others {
        other.join().expect("it ends");
    }
}

#[test]
fn no_wake_runs_once_it_was_revoked() {
    explore(4_000, answers_while_the_wake_is_revoked);
}

#[test]
fn one_thread_revokes_inside_the_wake_while_another_is_inside_too() {
    explore(2_000, || {
        let dropped = Arc::new(AtomicUsize::new(0));
        let owned = Owned { closed: Arc::default(), dropped: dropped.clone() };
        let slot: Arc<shuttle::sync::Mutex<Option<Arc<Revocable<Box<dyn Fn() + Send + Sync>>>>>> =
            Arc::default();
        let (first, inside) = (slot.clone(), AtomicUsize::new(0));
        let wake: Arc<Revocable<Box<dyn Fn() + Send + Sync>>> =
            Arc::new(Revocable::new(Box::new(move || {
                inside.fetch_add(1, Ordering::SeqCst);
                let revokes = first.lock().expect("no thread panics with it").take();
                if let Some(wake) = revokes {
                    wake.revoke();
                    assert_eq!(inside.load(Ordering::SeqCst), 1, "another thread is inside");
                }
                owned.touch();
                inside.fetch_sub(1, Ordering::SeqCst);
            })));
        *slot.lock().expect("no thread panics with it") = Some(wake.clone());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let wake = wake.clone();
                thread::spawn(move || wake.call())
            })
            .collect();
        for thread in threads {
            thread.join().expect("it ends");
        }
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}
