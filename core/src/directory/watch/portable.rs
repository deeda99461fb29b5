//! Events of directories on systems other than Linux, through the crate `notify`.
//!
//! These systems watch a whole tree at once. Events of entries that are not served are ignored, since their directories
//! were never read.

use super::FileEvent;
use crate::directory::tree::Folder;
use crate::sync::Lock;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use notify::event::{EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Identifies a watched directory: its path.
pub(super) type Mark = String;

#[derive(Debug)]
pub(super) struct Notifier {
    _watcher: Lock<RecommendedWatcher>,
    send: Sender<Option<FileEvent>>,
}

/// The receiving end of a [`Notifier`], for one thread.
#[derive(Debug)]
pub(super) struct Events(Receiver<Option<FileEvent>>);

impl Notifier {
    pub(super) fn new(root: &Path) -> io::Result<(Notifier, Events)> {
        let (send, events) = unbounded();
        let (sink, top) = (send.clone(), root.to_owned());
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(move |happened| understood(happened, &top, &sink), config);
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(root, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        let watcher = Lock::new(watcher.map_err(io::Error::other)?);
        Ok((Notifier { _watcher: watcher, send }, Events(events)))
    }

    #[allow(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "on Linux it takes the system, which may refuse"
    )]
    pub(super) fn add(&self, folder: &Folder) -> io::Result<Mark> {
        Ok(folder.path.clone())
    }

    #[allow(clippy::unused_self, reason = "on Linux it takes the system")]
    pub(super) fn remove(&self, _mark: &Mark) {}

    /// Returns whether an error says that no more directories can be watched.
    pub(super) fn is_full(_: &io::Error) -> bool {
        false
    }

    /// The advice for the error that [`Notifier::is_full`] recognizes.
    pub(super) const MORE: &str = "serve fewer folders";

    /// The advice if not even one directory can be watched.
    pub(super) const MORE_FOLDERS: &str = "serve it without `watch` if clients need no notifications";

    pub(super) fn stop(&self) {
        let _ = self.send.send(None); // its thread may have ended
    }
}

impl Events {
    /// Appends new events to `out`. Blocks until there is one, for at most `time`, or without end if that is `None`.
    /// Returns false if the watch was stopped.
    pub(super) fn wait(&mut self, time: Option<Duration>, out: &mut Vec<FileEvent>) -> bool {
        let first = match time {
            Some(time) => self.0.recv_timeout(time),
            None => self.0.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(Some(event)) => out.push(event),
            Err(RecvTimeoutError::Timeout) => {}
            Ok(None) | Err(RecvTimeoutError::Disconnected) => return false,
        }
        for event in self.0.try_iter() {
            match event {
                Some(event) => out.push(event),
                None => return false,
            }
        }
        true
    }
}

fn understood(happened: notify::Result<notify::Event>, root: &Path, sink: &Sender<Option<FileEvent>>) {
    let Ok(event) = happened else {
        let _ = sink.send(Some(FileEvent::Lost));
        return;
    };
    if event.need_rescan() {
        let _ = sink.send(Some(FileEvent::Lost));
    }
    if matches!(event.kind, EventKind::Access(access) if !is_end_of_writing(access)) {
        return;
    }
    let moved = matches!(
        event.kind,
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    for path in &event.paths {
        if let Some((mark, name)) = below(root, path) {
            let _ = sink.send(Some(FileEvent::Entry { mark, name, moved }));
        }
    }
}

fn is_end_of_writing(access: notify::event::AccessKind) -> bool {
    use notify::event::{AccessKind, AccessMode};
    access == AccessKind::Close(AccessMode::Write)
}

/// Returns the path of a directory below the root, and the name of an entry in it.
fn below(root: &Path, path: &Path) -> Option<(String, String)> {
    let path = path.strip_prefix(root).ok()?;
    let name = path.file_name()?.to_str()?.to_owned();
    let names: Option<Vec<&str>> = path.parent()?.iter().map(|name| name.to_str()).collect();
    Some((names?.join("/"), name))
}
