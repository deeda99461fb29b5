//! Events of directories on Linux: inotify.
//!
//! Directories are watched one by one, so that those that are not served cost nothing. Each is watched through the
//! handle by which it was found, so that no other directory can take its place.

use super::FileEvent;
use crate::directory::tree::Folder;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Identifies a watched directory. It is not a plain number, because other systems identify it by its path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Mark(i32);

#[derive(Debug)]
pub(super) struct Notifier {
    root: PathBuf,
    files: Arc<Descriptors>,
}

/// The receiving end of a [`Notifier`], for one thread.
#[derive(Debug)]
pub(super) struct Events {
    files: Arc<Descriptors>,
    buffer: Box<[MaybeUninit<u8>]>,
}

#[derive(Debug)]
struct Descriptors {
    inotify: OwnedFd,
    stop: OwnedFd,
}

#[cfg(test)]
thread_local! {
    /// True if the system watches no more directories for this thread.
    pub(super) static IS_FULL: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Room for at least this number of events is given to each reading.
const BATCH: usize = 4096;

impl Notifier {
    pub(super) fn new(root: &Path) -> io::Result<(Notifier, Events)> {
        let inotify = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let files = Arc::new(Descriptors { inotify, stop });
        let buffer = vec![MaybeUninit::uninit(); 16 << 10].into();
        Ok((Notifier { root: root.to_owned(), files: files.clone() }, Events { files, buffer }))
    }

    pub(super) fn add(&self, folder: &Folder) -> io::Result<Mark> {
        #[cfg(test)]
        if IS_FULL.get() {
            return Err(Errno::NOSPC.into());
        }
        let mut flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::EXCL_UNLINK
            | WatchFlags::ONLYDIR;
        flags.set(WatchFlags::MOVE_SELF, folder.path.is_empty()); // the directories around others tell it
        let handle = format!("/proc/self/fd/{}", folder.dir.as_raw_fd());
        match inotify::add_watch(&self.files.inotify, handle, flags) {
            Err(Errno::NOENT) => {
                let path = self.root.join(&folder.path); // this system has no /proc
                Ok(Mark(inotify::add_watch(&self.files.inotify, path, flags | WatchFlags::DONT_FOLLOW)?))
            }
            other => Ok(Mark(other?)),
        }
    }

    pub(super) fn remove(&self, mark: &Mark) {
        let _ = inotify::remove_watch(&self.files.inotify, mark.0); // the system may have removed it already
    }

    /// Returns whether an error says that no more directories can be watched.
    pub(super) fn is_full(e: &io::Error) -> bool {
        e.raw_os_error() == Some(Errno::NOSPC.raw_os_error())
    }

    /// The advice for the error that [`Notifier::is_full`] recognizes.
    pub(super) const MORE: &str = "raise fs.inotify.max_user_watches";

    /// The advice if not even one directory can be watched.
    pub(super) const MORE_FOLDERS: &str = "raise fs.inotify.max_user_instances, or the limit of open files";

    pub(super) fn stop(&self) {
        let _ = rustix::io::write(&self.files.stop, &1_u64.to_ne_bytes());
    }
}

impl Events {
    /// Appends new events to `out`. Blocks until there is one, for at most `time`, or without end if that is `None`.
    /// Returns false if the watch was stopped.
    pub(super) fn wait(&mut self, time: Option<Duration>, out: &mut Vec<FileEvent>) -> bool {
        let Descriptors { inotify, stop } = &*self.files;
        let mut ready = [PollFd::new(inotify, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        // A time beyond the system's maximum means without end.
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        match poll(&mut ready, time.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
        if !ready[1].revents().is_empty() {
            return false;
        }
        let mut reader = inotify::Reader::new(inotify, &mut self.buffer);
        while out.len() < BATCH || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => out.extend(understood(&event)),
                Err(Errno::INTR) => {}
                Err(_) => break, // no more events for now
            }
        }
        true
    }
}

fn understood(event: &inotify::Event<'_>) -> Option<FileEvent> {
    let happened = event.events();
    if happened.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(FileEvent::Lost);
    }
    if happened.contains(ReadFlags::IGNORED) {
        return Some(FileEvent::Gone(Mark(event.wd())));
    }
    if happened.contains(ReadFlags::MOVE_SELF) {
        return Some(FileEvent::RootMoved);
    }
    let name = event.file_name()?.to_str().ok()?.to_owned();
    let moved = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
    Some(FileEvent::Entry { mark: Mark(event.wd()), name, moved: happened.intersects(moved) })
}
