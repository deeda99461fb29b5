//! A driver that acts only when woken, and how a model is explored.

use super::messages;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::{Condvar, Mutex};
use shuttle::{Config, Runner};
use std::sync::Arc;
use wellhead::{Caller, Connection, Event, Group, Limits, Server};

pub(crate) use messages::{answers, cancel, drain, limited, note, on_uri, request};

/// Runs a model under `schedules` schedules, half of them at random and half by PCT.
pub(crate) fn explore(schedules: usize, model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let half = schedules / 2;
    run(RandomScheduler::new_from_seed(0x57_45_4c_4c, half), model.clone());
    run(PctScheduler::new_from_seed(0x48_45_41_44, 3, half), model);
}

fn run<F: Fn() + Send + Sync + 'static>(scheduler: impl Scheduler + 'static, model: Arc<F>) {
    let mut config = Config::new();
    config.stack_size = 512 << 10;
    Runner::new(scheduler, config).run(move || model());
}

/// Wakes one waiting thread; remembers that it rang.
#[derive(Default)]
pub(crate) struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    pub(crate) fn ring(&self) {
        *self.rung.lock().expect("no thread panics with it") = true;
        self.changed.notify_one();
    }

    pub(crate) fn wait(&self) {
        let rung = self.rung.lock().expect("no thread panics with it");
        let mut rung = self.changed.wait_while(rung, |rung| !*rung).expect("no thread panics with it");
        *rung = false;
    }
}

/// An application that acts only when woken.
pub(crate) struct Driver {
    pub(crate) server: Server,
    pub(crate) group: Group,
    bell: Arc<Bell>,
}

impl Driver {
    pub(crate) fn new(server: &Server) -> Driver {
        let bell = Arc::new(Bell::default());
        let rings = bell.clone();
        Driver { server: server.clone(), group: server.group(move || rings.ring()), bell }
    }

    pub(crate) fn connect(&self) -> Connection {
        self.group.connect(Caller::default())
    }

    /// Serves the group, from wake to wake, until `done`. What is drained goes to `sink`.
    pub(crate) fn serve(
        &self,
        mut run: impl FnMut(Event),
        mut sink: impl FnMut(&Connection),
        mut done: impl FnMut() -> bool,
    ) {
        loop {
            while let Some(connection) = self.group.next() {
                while let Some(event) = connection.poll_event() {
                    run(event);
                }
                sink(&connection);
            }
            // What belongs to no connection may have come without one.
            while let Some(event) = self.server.poll_event() {
                run(event);
            }
            if done() {
                return;
            }
            self.bell.wait();
        }
    }
}

/// A server whose log is silent, with room for what the models need.
pub(crate) fn server() -> Server {
    limited(Limits::default())
}

/// A connection through its handshake, with nothing left to drain.
pub(crate) fn greet(connection: &Connection) {
    feed(connection, &[INITIALIZE.to_owned(), note("initialized", "{}")]);
    while connection.poll_event().is_some() {}
    drain(connection);
}

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"m","version":"1"}}}"#;

pub(crate) fn feed(connection: &Connection, all: &[String]) {
    for message in all {
        messages::feed(connection, message);
    }
}

pub(crate) fn ping(id: usize) -> String {
    request(id, "ping", "{}")
}

/// The ids that are answered, in order.
pub(crate) fn answered(output: &str) -> Vec<usize> {
    let id_of = |line: &str| {
        let rest = line.split_once(r#""id":"#)?.1;
        rest.split([',', '}']).next()?.parse().ok()
    };
    output.lines().filter_map(id_of).collect()
}

/// Returns how many changes of that URI are told.
pub(crate) fn updates(output: &str, uri: &str) -> usize {
    let uri = format!(r#""uri":"{uri}""#);
    output.lines().filter(|line| line.contains("resources/updated") && line.contains(&uri)).count()
}
