//! The driver for stdio, over pipes in memory: what one of its threads leaves is seen to by another.

use crate::models::support::{INITIALIZE, answers, explore, note, on_uri, ping, server, updates};
use shuttle::sync::{Condvar, Mutex};
use shuttle::thread;
use std::sync::Arc;
use wellhead::serve::{Batch, Driver, Input, Output, Stdio};
use wellhead::{Event, Server};

/// Callbacks wait here until it is opened.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.open.lock().expect("no thread panics with it") = true;
        self.changed.notify_all();
    }

    fn wait_until_open(&self) {
        let open = self.open.lock().expect("no thread panics with it");
        drop(self.changed.wait_while(open, |open| !*open).expect("no thread panics with it"));
    }
}

/// An application whose callbacks run on this many threads.
struct Host {
    driver: Arc<Driver>,
    threads: Vec<thread::JoinHandle<()>>,
    output: Output,
}

impl Host {
    /// The client says this after its handshake. Of the output, the first `room` bytes go in without waiting.
    fn start(server: &Server, threads: usize, room: usize, said: &[String]) -> Host {
        let hello = [INITIALIZE.to_owned(), note("initialized", "{}")];
        let said: String = hello.iter().chain(said).map(|line| format!("{line}\n")).collect();
        let output = Output::new(room);
        let how = Stdio::new().callback_threads(threads);
        let driver = Arc::new(how.start_on(server, Input::new(said), output.clone()));
        let work = |driver: Arc<Driver>| loop {
            match driver.next() {
                Batch::Events(events) => driver.run(|| events.into_iter().for_each(Event::run)),
                Batch::Ended => return,
                _ => {}
            }
        };
        let spawn = |driver: &Arc<Driver>| {
            let driver = driver.clone();
            thread::spawn(move || work(driver))
        };
        let threads = (0..threads).map(|_| spawn(&driver)).collect();
        Host { driver, threads, output }
    }

    fn is_answered(&self, id: usize) {
        self.output.wait_until(|output| answers(output, id) == 1);
    }

    fn end(self) {
        self.driver.stop();
        for thread in self.threads {
            thread.join().expect("it ends");
        }
    }
}

/// A server with callbacks that wait.
fn slow_server() -> (Server, Arc<Gate>) {
    let (server, gate) = (server(), Arc::new(Gate::default()));
    let waits = gate.clone();
    let slow = move |_| {
        waits.wait_until_open();
        "x"
    };
    server.template("slow://{n}", slow).expect("a template");
    (server, gate)
}

pub(crate) fn requests_behind_slow_calls_are_answered() {
    let (server, gate) = slow_server();
    let said = [on_uri(1, "read", "slow://1"), on_uri(2, "read", "slow://2"), ping(3)];
    let host = Host::start(&server, 2, 400, &said);
    host.is_answered(3);
    gate.open();
    host.is_answered(1);
    host.is_answered(2);
    host.end();
}

pub(crate) fn a_change_goes_out_while_every_thread_runs_a_callback() {
    let (server, gate) = slow_server();
    server.text("a://b", "x").expect("a new URI");
    let said = [on_uri(1, "subscribe", "a://b"), on_uri(2, "read", "slow://1")];
    let host = Host::start(&server, 1, 10_000, &said);
    host.is_answered(1);
    server.notify_updated("a://b").expect("the server is open");
    host.output.wait_until(|output| updates(output, "a://b") == 1);
    gate.open();
    host.is_answered(2);
    host.end();
}

#[test]
fn lines_that_a_thread_leaves_for_a_callback_are_not_lost() {
    explore(4_000, requests_behind_slow_calls_are_answered);
}

#[test]
fn a_change_during_callbacks_is_announced_at_once() {
    explore(4_000, a_change_goes_out_while_every_thread_runs_a_callback);
}
