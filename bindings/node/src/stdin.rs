//! Descriptor 0 of the process, while the server alone reads standard input.
//!
//! The core's guard points it at the null device. An event loop cannot wait for that. If JavaScript has made
//! `process.stdin` of the pipe that was there before, and reads it, libuv hands descriptor 0 to `epoll_ctl`. The system refuses
//! that with EPERM, and libuv aborts the process. So the descriptor becomes a pipe that stays silent instead.
//!
//! The kernel knows what an epoll waits for by descriptor *and* file, so another file under the descriptor leaves the old one
//! behind: libuv would be woken for the client's bytes without end, and never for the end of its input. So what waits for
//! descriptor 0 is moved to the file that is there now, in both directions.

use crate::error::{Result, thrown};
use crate::raw::descriptor;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::{dup2_stdin, stdin};
use std::fs;
use wellhead::{Error, ErrorKind};

/// The other end of the silent pipe. If it were closed, readers of the pipe would get the end of the input.
pub(crate) struct Quiet(#[allow(dead_code, reason = "held open")] OwnedFd);

/// Runs `start`, which takes standard input and points descriptor 0 at the null device. `touched` then says whether an
/// event loop may still wait for descriptor 0.
pub(crate) fn occupy<T>(
    start: impl FnOnce() -> Result<T>,
    touched: impl FnOnce() -> bool,
) -> Result<(T, Option<Quiet>)> {
    if !may_wait() {
        return Ok((start()?, None));
    }
    let (read, silent) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).map_err(failed)?;
    let waiting = unwatch();
    let occupied = start().and_then(|started| {
        let quiet = touched().then_some(Quiet(silent));
        if quiet.is_some() {
            dup2_stdin(&read).map_err(failed)?;
        }
        Ok((started, quiet))
    });
    watch(waiting);
    occupied
}

/// Ends the driver's use of standard input, which gives descriptor 0 back.
pub(crate) fn release(quiet: Option<Quiet>, stop: impl FnOnce()) {
    if quiet.is_none() {
        return stop();
    }
    let waiting = unwatch();
    stop();
    watch(waiting);
}

fn may_wait() -> bool {
    let kind = fstat(stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// The waits for descriptor 0, each an epoll, the events that it waits for, and its data.
type Waiting = Vec<(i32, EventFlags, u64)>;

/// Removes descriptor 0 from each epoll that waits for it, while the file under it changes. Returns these waits.
fn unwatch() -> Waiting {
    let found = epolls().filter_map(|epoll| {
        let (events, data) = registration(&fs::read_to_string(format!("/proc/self/fdinfo/{epoll}")).ok()?)?;
        epoll::delete(descriptor(epoll), stdin()).ok()?;
        Some((epoll, events, data))
    });
    found.collect()
}

/// Adds descriptor 0, with the file that is under it now, to the epolls again.
fn watch(waiting: Waiting) {
    for (epoll, events, data) in waiting {
        let _ = epoll::add(descriptor(epoll), stdin(), EventData::new_u64(data), events); // closed meanwhile: then not
    }
}

/// Returns the descriptors of this process that are epolls.
fn epolls() -> impl Iterator<Item = i32> {
    let all = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    all.filter(|entry| {
        fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == "anon_inode:[eventpoll]")
    })
    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The entry of an epoll for descriptor 0, by proc(5): `tfd:        0 events:       19 data:                0 …`.
fn registration(info: &str) -> Option<(EventFlags, u64)> {
    info.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let mut after = |name| words.find(|word| *word == name).and_then(|_| words.next());
        if after("tfd:")? != "0" {
            return None;
        }
        let events = u32::from_str_radix(after("events:")?, 16).ok()?;
        let data = u64::from_str_radix(after("data:")?, 16).ok()?;
        Some((EventFlags::from_bits_retain(events), data))
    })
}

fn failed(e: Errno) -> napi::Error<crate::error::Code> {
    thrown(Error::new(ErrorKind::Io, format!("standard input cannot be taken over: {e}")))
}
