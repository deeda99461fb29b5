//! The stdio driver: its reader, its writer, and the queue of the threads that run callbacks.
//!
//! The reader parses, and answers requests that need no callback. A thread that runs callbacks also continues their
//! requests. Both write their own output as far as the pipe takes it without waiting. The writer writes the rest, and
//! every large body. No thread ever waits for the reader, and only the writer blocks in a write.
//!
//! If callbacks run inline, the thread that serves is the reader, and runs everything.

use super::batch::Batch;
use super::platform::{Input, Output, Signal, Woken};
use super::queue::Queue;
use super::stdio::Stdio;
use crate::access::Caller;
use crate::connection::{Connection, Drain, DrainStart};
use crate::event::Event;
use crate::group::{Group, GroupClient};
use crate::protocol::{Route, UnfinishedLine};
use crate::server::Server;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Fault, Lock, is_planted};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The greatest number of events that a thread takes at once, so that one write has the answers of many.
const BATCH: usize = 64;
/// The greatest number of bytes that are encoded and written at once.
const CHUNK: usize = 256 << 10;
const READ: usize = 64 << 10;

/// A job for a thread that runs callbacks.
pub(super) enum Job {
    Events(Vec<Event>),
    /// Look for something to poll or to drain.
    Poll,
    Interrupt,
    End,
}

/// Wakes the callback threads, and the reader when it waits for room.
struct Bell {
    jobs: Queue<Job>,
    on_ready: Option<Box<dyn Fn() + Send + Sync>>,
    /// True if the reader waits for room in the input, or for the end.
    reader_waits: AtomicBool,
    nudge: Signal,
    inline: bool,
    /// The number of threads that run callbacks; `busy` is the number of those that are running one.
    pool: usize,
    busy: AtomicUsize,
    /// True if the group has called `wake`, and no thread has handled that yet.
    woken: AtomicBool,
    /// True if a thread went to run callbacks before it had polled everything. The reader then polls the rest.
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
            // A panic there has been printed on standard error; this thread still has to read.
            let _ = catch_unwind(AssertUnwindSafe(on_ready));
        }
    }

    /// Lets the reader poll the rest, since it is never busy with a callback.
    fn let_reader_poll(&self) {
        self.left.store(true, Ordering::SeqCst);
        self.nudge.raise();
    }

    fn nudge_reader(&self) {
        if self.reader_waits.load(Ordering::SeqCst) {
            self.nudge.raise();
        }
    }
}

/// The queue of the writer.
struct Outgoing {
    queue: Queue<Write>,
    /// True if [`Write::Whatever`] is in the queue.
    hurried: AtomicBool,
}

enum Write {
    /// The rest of the output, which the pipe did not take.
    Rest(Drain),
    /// Output of a callback that must be written before the callback returns.
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
    /// The signal of the end. It is raised once and never lowered.
    stop: Signal,
    ended: AtomicBool,
    /// True if the reader is to read no more input.
    terminating: AtomicBool,
    /// True if all input was read, and its events were queued.
    read_all: AtomicBool,
    options: Stdio,
    started: Instant,
    threads: Lock<Vec<JoinHandle<()>>>,
}

impl Shared {
    /// Starts the driver's threads. Without `input`, the caller [reads](Shared::read) and runs callbacks inline.
    /// `before` is called when everything is prepared, before the first read or write.
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
            pool: options.options.callback_threads.max(1),
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
                hurrying.hurry(); // answers of other threads do not wait for a callback to return
            }
        };
        let hurrying = outgoing.clone();
        let group = server.group_of(
            Box::new(wake),
            Some(Box::new(move || hurrying.hurry())),
            GroupClient::ParentProcess,
        );
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

    /// Blocks until there is something to do, and returns it.
    pub(super) fn next(&self) -> Batch {
        self.next_batch(true)
    }

    pub(super) fn try_next(&self) -> Batch {
        self.next_batch(false)
    }

    fn next_batch(&self, blocking: bool) -> Batch {
        loop {
            if self.ended.load(Ordering::SeqCst) {
                return Batch::Ended;
            }
            self.flush();
            self.advance_clock(); // so that calls asked now have their whole time
            let events = self.poll();
            self.flush(); // answers that needed no callback do not wait for a slow one
            self.bell.nudge_reader();
            if !events.is_empty() {
                if events.len() == self.most() && !is_planted(Fault::LeftInput) {
                    self.bell.let_reader_poll();
                }
                return Batch::Events(events);
            }
            if self.is_finished() {
                return self.last_events();
            }
            if self.connection.is_closed() {
                self.bell.nudge.raise(); // from now on the reader counts the time that is left for writing
            }
            let job = if blocking {
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

    /// Lets the group call `wake` again. Afterwards the caller polls, or another thread does.
    fn rearm(&self) {
        self.bell.woken.store(false, Ordering::SeqCst); // first: what comes now wakes again
        while self.group.next().is_some() {}
    }

    /// Returns whether no more events will come. The reader may still have events to queue.
    fn is_finished(&self) -> bool {
        let read = self.read_all.load(Ordering::SeqCst) || self.connection.is_closed();
        read && self.connection.is_finished()
    }

    /// Returns events that are still in the queue at the end. An interest event belongs to no request, so the
    /// connection does not wait for it.
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

    /// Runs callbacks. Their output does not wake the writer.
    pub(super) fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        struct Busy<'a>(&'a AtomicUsize);
        impl Drop for Busy<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.bell.busy.fetch_add(1, Ordering::SeqCst);
        let _busy = Busy(&self.bell.busy);
        // A wake that came after this thread polled and before it was busy.
        let woken = self.bell.woken.load(Ordering::SeqCst) && !is_planted(Fault::UnseenWake);
        if woken && self.bell.all_are_busy() {
            self.outgoing.hurry();
        }
        self.connection.run(callbacks)
    }

    /// Returns the greatest number of events that a thread takes at once. With several threads it is small: a thread
    /// must not keep calls that another thread could run.
    fn most(&self) -> usize {
        if self.options.options.callback_threads > 1 { 1 } else { BATCH }
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

    /// Ends the threads that still run, and waits for them.
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
            drop(job); // events that will not run
        }
        self.push(Job::End); // a dropped job may have been the one to end a thread that still waits
    }

    pub(super) fn terminate(&self) {
        self.terminating.store(true, Ordering::SeqCst);
        self.bell.nudge.raise();
    }

    // ---- the reader, which also keeps the time

    /// Reads and handles the input to its end. Then waits for the answers to all of it, at most for the shutdown time.
    pub(super) fn read(&self, mut input: Input) {
        let unfinished = self.read_input(&mut input);
        if self.terminating.load(Ordering::SeqCst) {
            self.connection.end_streams();
        }
        self.connection.end_with(unfinished);
        self.work();
        self.wait_for_answers();
    }

    /// Reads and handles the input to its end, or until no more is to be read. Returns whether a last line without a
    /// newline is a message.
    fn read_input(&self, input: &mut Input) -> UnfinishedLine {
        let mut buffer = vec![0; READ];
        while !self.is_over() {
            let woken = input.wait(&self.bell.nudge, Some(self.patience()));
            self.advance_clock();
            match woken {
                Woken::Signal => self.attend(),
                Woken::Timeout => {}
                Woken::Ready => {
                    match input.read(&mut buffer) {
                        Ok(0) => return UnfinishedLine::Counts,
                        Ok(read) => self.feed(&buffer[..read]),
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => return UnfinishedLine::Counts, // no more events will come
                    }
                }
            }
        }
        UnfinishedLine::Dropped
    }

    fn wait_for_answers(&self) {
        self.bell.reader_waits.store(true, Ordering::SeqCst);
        self.read_all.store(true, Ordering::SeqCst);
        self.push(Job::Poll);
        let deadline = Instant::now() + self.options.shutdown_time();
        while !self.ended.load(Ordering::SeqCst) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.connection.close();
                self.stop.raise(); // the writer may be waiting for a client that does not read
                self.push(Job::Poll);
                return;
            }
            self.bell.nudge.wait(left.min(self.patience()));
            self.advance_clock();
            if self.bell.left.load(Ordering::SeqCst) {
                // Events that this thread polled and has not handed out yet keep the service from ending.
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

    /// Returns whether no more input is to be read.
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
            || self.terminating.load(Ordering::SeqCst)
            || self.connection.is_closed()
    }

    /// Runs the events that are ready, if callbacks run inline, after it lets the group call `wake` again. Otherwise
    /// polls and queues those that the callback threads left.
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
            // Set before asking again, so that room made in between is not missed.
            self.bell.reader_waits.store(true, Ordering::SeqCst);
            let accepted = self.connection.receive(bytes);
            bytes = &bytes[accepted..];
            if accepted == 0 && !self.is_over() {
                self.bell.nudge.wait(self.patience());
                self.advance_clock();
                self.attend();
            }
            self.bell.reader_waits.store(false, Ordering::SeqCst);
            if self.is_over() {
                return;
            }
        }
    }

    /// Polls for the events of received input, and queues them.
    fn work(&self) {
        loop {
            let events = self.poll();
            if events.is_empty() {
                break;
            }
            if self.bell.inline {
                self.flush(); // answers that needed no callback do not wait for a slow one
                self.run(|| events.into_iter().for_each(Event::run));
                self.flush();
            } else {
                let full = events.len() == BATCH;
                self.push(Job::Events(events));
                if full {
                    // On a busy processor the other threads would get their turn only when the limit of calls in
                    // flight is reached, and then the messages that wait are parsed twice.
                    thread::yield_now();
                }
            }
        }
        self.flush();
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn advance_clock(&self) {
        self.connection.tick(self.now());
    }

    /// Returns for how long the connection's clock need not be advanced, because no deadline can pass.
    fn patience(&self) -> Duration {
        // A call that begins while this thread waits is due no earlier than the shortest deadline.
        let shortest = self.connection.shortest_call_ms();
        let next = self.connection.poll_timeout().map_or(shortest, |at| at.saturating_sub(self.now()));
        let next = next.min(shortest);
        // A callback may ask its client, whose time begins at the time set last.
        let most = if self.connection.is_answering() { 10_000 } else { 3_600_000 };
        Duration::from_millis(next.clamp(1, most))
    }

    // ---- output

    /// Writes as much as the pipe takes without waiting, and leaves the rest to the writer.
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
                    self.outgoing.hurried.store(false, Ordering::SeqCst); // first: what comes now is queued again
                    self.rearm();
                    if self.connection.has_input() {
                        self.bell.let_reader_poll();
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
