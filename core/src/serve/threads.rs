//! The reader, the writer, and the queue of the threads that run callbacks.
//!
//! The reader parses and answers what needs no host. Whoever runs callbacks also runs every continuation. Both write
//! what they produced themselves as far as the pipe takes it without waiting; the rest, and every large body, is the
//! writer's. Nothing ever waits for the reader, and only the writer waits in a write.
//!
//! Where callbacks run inline, the thread that serves is the reader, and runs everything.

use super::batch::Batch;
use super::platform::{Input, Output, Signal, Woken};
use super::queue::Queue;
use super::stdio::Stdio;
use crate::access::Caller;
use crate::connection::Connection;
use crate::drain::{Drain, DrainStart};
use crate::event::Event;
use crate::group::Group;
use crate::protocol::Route;
use crate::server::Server;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Fault, Lock, is_planted};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Events that are handed over at once, so that one write carries the answers of many.
const BATCH: usize = 64;
/// Bytes that are encoded and written at once.
const CHUNK: usize = 256 << 10;
const READ: usize = 64 << 10;

/// Something for a thread that runs callbacks.
pub(super) enum Job {
    Events(Vec<Event>),
    /// Something may be polled or drained.
    Poll,
    Interrupt,
    End,
}

/// What wakes the callback threads, and the reader when it waits for room.
struct Bell {
    jobs: Queue<Job>,
    on_ready: Option<Box<dyn Fn() + Send + Sync>>,
    /// The reader waits for room, or for the end.
    reader_waits: AtomicBool,
    nudge: Signal,
    inline: bool,
    /// How many threads run callbacks, and how many of them are busy with that.
    pool: usize,
    busy: AtomicUsize,
    /// The group has woken us, and nobody has seen to it yet.
    woken: AtomicBool,
    /// A thread went to run callbacks before it had polled everything: the reader goes on for it.
    left: AtomicBool,
}

impl Bell {
    fn all_are_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst) >= self.pool
    }

    fn push(&self, job: Job) {
        if self.inline {
            return self.nudge.raise();
        }
        self.jobs.push(job);
        if let Some(on_ready) = &self.on_ready {
            on_ready();
        }
    }

    /// The reader goes on polling: it is never busy with a callback.
    fn leave(&self) {
        self.left.store(true, Ordering::SeqCst);
        self.nudge.raise();
    }

    fn nudge_reader(&self) {
        if self.reader_waits.load(Ordering::SeqCst) {
            self.nudge.raise();
        }
    }
}

/// What the writer is left with.
struct Outgoing {
    queue: Queue<Write>,
    /// [`Write::Whatever`] is in the queue.
    hurried: AtomicBool,
}

enum Write {
    /// Output that the pipe did not take.
    Rest(Drain),
    /// Output that must not wait until a callback returns.
    Whatever,
}

impl Outgoing {
    fn hurry(&self) {
        if !self.hurried.swap(true, Ordering::SeqCst) {
            self.queue.push(Write::Whatever);
        }
    }
}

pub(super) struct Shared {
    pub(super) connection: Connection,
    group: Group,
    bell: Arc<Bell>,
    outgoing: Arc<Outgoing>,
    output: Output,
    /// Raised once, at the end; never lowered.
    stop: Signal,
    ended: AtomicBool,
    /// No more input shall be read.
    terminating: AtomicBool,
    /// All input was read, and what it asks was handed out.
    read_all: AtomicBool,
    options: Stdio,
    call_ms: u64,
    started: Instant,
    threads: Lock<Vec<JoinHandle<()>>>,
}

impl Shared {
    /// With no input, the caller [reads](Shared::read), and runs callbacks inline. `before` is called when everything is
    /// there, and nothing has been read or written.
    pub(super) fn start<T>(
        server: &Server,
        options: Stdio,
        input: Option<Input>,
        output: Output,
        on_ready: Option<Box<dyn Fn() + Send + Sync>>,
        before: impl FnOnce(&Arc<Shared>) -> io::Result<T>,
    ) -> io::Result<(Arc<Shared>, T)> {
        let bell = Arc::new(Bell {
            jobs: Queue::new(),
            on_ready,
            reader_waits: AtomicBool::new(false),
            nudge: Signal::new()?,
            inline: input.is_none(),
            pool: options.callback_threads.max(1),
            busy: AtomicUsize::new(0),
            woken: AtomicBool::new(false),
            left: AtomicBool::new(false),
        });
        let outgoing = Arc::new(Outgoing { queue: Queue::new(), hurried: AtomicBool::new(false) });
        let (ringing, hurrying) = (bell.clone(), outgoing.clone());
        let wake = move || {
            ringing.woken.store(true, Ordering::SeqCst);
            ringing.push(Job::Poll);
            ringing.nudge_reader();
            if ringing.all_are_busy() {
                hurrying.hurry(); // what other threads answer or report does not wait for a callback to return
            }
        };
        let hurrying = outgoing.clone();
        let group = server.group_of(Box::new(wake), Some(Box::new(move || hurrying.hurry())), true);
        let shared = Arc::new(Shared {
            connection: group.connect(Caller::default()),
            group,
            bell,
            outgoing,
            output,
            stop: Signal::new()?,
            ended: AtomicBool::new(false),
            terminating: AtomicBool::new(false),
            read_all: AtomicBool::new(false),
            call_ms: server.limits().call_ms,
            options,
            started: Instant::now(),
            threads: Lock::default(),
        });
        let prepared = before(&shared)?;
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
            shared.threads.with(|threads, _| threads.push(thread));
            Ok(())
        };
        let writing = shared.clone();
        let mut spawned = spawn("wellhead-write", Box::new(move || writing.write()));
        if let (Ok(()), Some(input)) = (&spawned, input) {
            let reading = shared.clone();
            spawned = spawn("wellhead-read", Box::new(move || reading.read(input)));
        }
        if let Err(e) = spawned {
            shared.stop();
            return Err(e);
        }
        Ok((shared, prepared))
    }

    pub(super) fn push(&self, job: Job) {
        self.bell.push(job);
    }

    // ---- for the threads that run callbacks

    pub(super) fn next(&self, wait: bool) -> Batch {
        loop {
            if self.ended.load(Ordering::SeqCst) {
                return Batch::Ended;
            }
            self.flush();
            self.tell_time(); // so that what is asked now has its whole time
            let events = self.poll();
            self.flush(); // what was answered without the host does not wait for a slow callback
            self.bell.nudge_reader();
            if !events.is_empty() {
                if events.len() == self.most() && !is_planted(Fault::LeftInput) {
                    self.bell.leave();
                }
                return Batch::Events(events);
            }
            if self.is_finished() {
                return self.last_events();
            }
            if self.connection.is_closed() {
                self.bell.nudge.raise(); // from now on the reader counts the time that is left for writing
            }
            let job = if wait {
                self.bell.jobs.pop()
            } else {
                match self.bell.jobs.try_pop() {
                    Some(job) => Some(job),
                    None => return Batch::Idle,
                }
            };
            match job {
                Some(Job::Events(events)) => return Batch::Events(events),
                Some(Job::Interrupt) => return Batch::Interrupted,
                Some(Job::Poll) => self.rearm(),
                Some(Job::End) | None => {
                    self.push(Job::End); // for the next thread of the pool
                    return Batch::Ended;
                }
            }
        }
    }

    /// Lets the group wake us again. Who calls this polls afterwards, or was told that somebody does.
    fn rearm(&self) {
        self.bell.woken.store(false, Ordering::SeqCst); // first: what comes now wakes again
        while self.group.next().is_some() {}
    }

    /// Nothing will be asked any more that has not been handed out. The reader may still have to hand out what it polled,
    /// unless that is of no use.
    fn is_finished(&self) -> bool {
        let read = self.read_all.load(Ordering::SeqCst) || self.connection.is_closed();
        read && self.connection.is_finished()
    }

    /// What was handed out and not begun: an interest belongs to no request, so the connection does not wait for it.
    fn last_events(&self) -> Batch {
        while let Some(job) = self.bell.jobs.try_pop() {
            match job {
                Job::Events(events) => return Batch::Events(events),
                Job::Interrupt => return Batch::Interrupted,
                Job::Poll | Job::End => {}
            }
        }
        self.end();
        Batch::Ended
    }

    /// Runs callbacks.
    pub(super) fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        struct Busy<'a>(&'a AtomicUsize);
        impl Drop for Busy<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.bell.busy.fetch_add(1, Ordering::SeqCst);
        let _busy = Busy(&self.bell.busy);
        // A wake that came after we polled and before we were busy.
        let woken = self.bell.woken.load(Ordering::SeqCst) && !is_planted(Fault::UnseenWake);
        if woken && self.bell.all_are_busy() {
            self.outgoing.hurry();
        }
        self.connection.run(callbacks)
    }

    /// How many events are handed over at once: one thread of a pool must not sit on calls that another has time for.
    fn most(&self) -> usize {
        if self.options.callback_threads > 1 { 1 } else { BATCH }
    }

    fn poll(&self) -> Vec<Event> {
        let mut events = Vec::new();
        while events.len() < self.most()
            && let Some(event) = self.connection.poll_event()
        {
            events.push(event);
        }
        events
    }

    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.push(Job::End);
        self.bell.nudge.raise();
    }

    /// Ends whatever still runs and waits for the threads.
    pub(super) fn stop(&self) {
        self.connection.close();
        self.ended.store(true, Ordering::SeqCst);
        self.stop.raise();
        self.bell.nudge.raise();
        self.push(Job::End);
        self.outgoing.queue.close();
        let threads = self.threads.with(|threads, _| std::mem::take(threads));
        let this = thread::current().id();
        for thread in threads {
            if thread.thread().id() != this {
                let _ = thread.join(); // a thread that panicked has said so on standard error
            }
        }
        while let Some(job) = self.bell.jobs.try_pop() {
            drop(job); // events that nobody runs any more
        }
        self.push(Job::End); // what was dropped may have been the word to a thread that still waits
    }

    pub(super) fn terminate(&self) {
        self.terminating.store(true, Ordering::SeqCst);
        self.bell.nudge.raise();
    }

    // ---- the reader, which also keeps the time

    pub(super) fn read(&self, mut input: Input) {
        let mut buffer = vec![0; READ];
        while !self.is_over() {
            let woken = input.wait(&self.bell.nudge, Some(self.patience()));
            self.tell_time();
            match woken {
                Woken::Signal => self.attend(),
                Woken::Timeout => {}
                Woken::Ready => {
                    match input.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(read) => self.feed(&buffer[..read]),
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => break, // nothing more will come
                    }
                }
            }
        }
        if self.terminating.load(Ordering::SeqCst) {
            self.connection.end_streams();
        }
        self.connection.end();
        self.work();
        self.bell.reader_waits.store(true, Ordering::SeqCst);
        self.read_all.store(true, Ordering::SeqCst);
        self.push(Job::Poll);
        let deadline = Instant::now() + self.options.drain;
        while !self.ended.load(Ordering::SeqCst) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.connection.close();
                self.stop.raise(); // the writer may be waiting for a client that does not read
                self.push(Job::Poll);
                return;
            }
            self.bell.nudge.wait(left.min(self.patience()));
            self.tell_time();
            if self.bell.left.load(Ordering::SeqCst) {
                // What we poll now and have not handed out yet keeps the service from ending.
                self.read_all.store(false, Ordering::SeqCst);
                self.attend();
                self.read_all.store(true, Ordering::SeqCst);
                self.push(Job::Poll);
            } else {
                self.attend();
            }
            if self.bell.inline && self.connection.is_finished() {
                self.end();
            }
        }
    }

    /// No more input shall be read.
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
            || self.terminating.load(Ordering::SeqCst)
            || self.connection.is_closed()
    }

    /// Does what the threads that run callbacks do when they are woken, and what they left.
    fn attend(&self) {
        if self.bell.inline {
            self.rearm();
            self.work();
        } else if self.bell.left.swap(false, Ordering::SeqCst) {
            self.work();
        }
    }

    fn feed(&self, mut bytes: &[u8]) {
        loop {
            bytes = &bytes[self.connection.receive(bytes)..];
            self.work();
            if bytes.is_empty() {
                return;
            }
            // Said before asking again, so that room made in between is not missed.
            self.bell.reader_waits.store(true, Ordering::SeqCst);
            let accepted = self.connection.receive(bytes);
            bytes = &bytes[accepted..];
            if accepted == 0 && !self.is_over() {
                self.bell.nudge.wait(self.patience());
                self.tell_time();
                self.attend();
            }
            self.bell.reader_waits.store(false, Ordering::SeqCst);
            if self.is_over() {
                return;
            }
        }
    }

    /// Deals with what was received.
    fn work(&self) {
        loop {
            let events = self.poll();
            if events.is_empty() {
                break;
            }
            if self.bell.inline {
                self.flush(); // what was answered without the host does not wait for a slow callback
                self.run(|| events.into_iter().for_each(Event::run));
                self.flush();
            } else {
                let full = events.len() == BATCH;
                self.push(Job::Events(events));
                if full {
                    // On a busy processor the others would get their turn only when as much is in flight as may be,
                    // and what waits then is parsed twice.
                    thread::yield_now();
                }
            }
        }
        self.flush();
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn tell_time(&self) {
        self.connection.tick(self.now());
    }

    /// How long the time that was told will do.
    fn patience(&self) -> Duration {
        let next = self.connection.poll_timeout().map_or(self.call_ms, |at| at.saturating_sub(self.now()));
        Duration::from_millis(next.clamp(1, 3_600_000))
    }

    // ---- output

    /// Writes what the pipe takes without waiting, and leaves the rest to the writer.
    pub(super) fn flush(&self) {
        let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) else { return };
        while let Some(transmit) = drain.poll_transmit(CHUNK) {
            let length = transmit.bytes.len();
            match self.output.try_write(transmit.bytes) {
                Ok(written) => {
                    drain.wrote(written);
                    if written < length || drain.is_large() {
                        self.outgoing.queue.push(Write::Rest(drain));
                        return;
                    }
                }
                Err(_) => return self.broken(drain),
            }
        }
    }

    fn broken(&self, drain: Drain) {
        self.connection.close();
        drop(drain);
        self.push(Job::Poll);
        self.bell.nudge.raise();
    }

    fn write(&self) {
        while let Some(job) = self.outgoing.queue.pop() {
            let (mut drain, in_a_hurry) = match job {
                Write::Rest(drain) => (drain, false),
                Write::Whatever => {
                    self.outgoing.hurried.store(false, Ordering::SeqCst); // first: what comes now rings again
                    self.rearm();
                    if self.connection.has_input() {
                        self.bell.leave();
                    }
                    let DrainStart::Ready(drain) = self.connection.drain(Route::Connection) else { continue };
                    (drain, true)
                }
            };
            match self.write_all(&mut drain) {
                Ok(()) if in_a_hurry && !self.connection.is_finished() => {}
                Ok(()) => self.push(Job::Poll), // the end of the service may have waited for this
                Err(_) => self.broken(drain),
            }
        }
    }

    fn write_all(&self, drain: &mut Drain) -> io::Result<()> {
        while let Some(transmit) = drain.poll_transmit(CHUNK) {
            let written = self.output.write(transmit.bytes, &self.stop)?;
            drain.wrote(written);
        }
        Ok(())
    }
}
