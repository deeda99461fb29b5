//! Searches the names and texts of folders, for a bounded time.

use super::base::Base;
use super::listing::{Sink, walk};
use super::media;
use super::provider::Files;
use super::tree::{Entry, EntryKind, Folder};
use crate::event::MethodCall;
use crate::jsonrpc::{Raw, members, string};
use crate::model::{MethodAnswer, ToolError};
use crate::search::{Pace, SearchedFolder, TextSearch};
use crate::server::ServerState;
use std::cell::Cell;
use std::io::Read;
use std::sync::Weak;
use std::time::{Duration, Instant};

/// The greatest duration of a search.
const LONGEST: Duration = Duration::from_secs(2);

/// The number of bytes of a file that are searched, from its start.
const SEARCHED: u64 = 1 << 20;

/// Answers a search with the results from all folders of the server.
pub(super) fn answer(mut call: MethodCall, server: &Weak<ServerState>) {
    let answer = found(&call, server);
    if let Some(responder) = call.take_responder() {
        responder.finish(answer);
    }
}

fn found(call: &MethodCall, server: &Weak<ServerState>) -> MethodAnswer {
    let Some(server) = server.upgrade() else { return ToolError::new("The server is closed.").into() };
    let arguments = Raw::kept(call.arguments());
    let [query, limit] = members(arguments, &["query", "limit"]).unwrap_or_default();
    let query = query.and_then(string).unwrap_or_default();
    let limit = limit.and_then(|limit| limit.get().parse().ok()).unwrap_or_default();
    let started = Instant::now();
    let now = || server.metrics.clock.as_ref().map_or_else(|| started.elapsed(), |clock| clock());
    let (until, is_late) = (Cell::new(Duration::ZERO), Cell::new(false));
    let pace = || {
        let left = until.get().saturating_sub(now());
        is_late.set(is_late.get() || left.is_zero());
        match left {
            _ if call.is_cancelled() || server.is_closed() => Pace::Over,
            Duration::ZERO => Pace::Over,
            // Little time is left: only names are compared, so that the last entries of a large folder are searched,
            // too.
            left if left < LONGEST / 8 => Pace::Names,
            _ => Pace::Texts,
        }
    };
    let mut search = match TextSearch::new(&query, limit, &pace) {
        Ok(search) => search,
        Err(why) => return ToolError::new(why).into(),
    };
    let folders = server.searched_folders();
    let end = now().saturating_add(LONGEST);
    for (at, folder) in folders.iter().enumerate() {
        let others = u32::try_from(folders.len() - at).unwrap_or(u32::MAX);
        let now = now();
        until.set(now.saturating_add(end.saturating_sub(now) / others));
        folder.search(&mut search);
    }
    if is_late.get() && !call.is_cancelled() {
        server.notice("search", || {
            let why = "the folders are large, and a search takes at most 2 seconds";
            format!("a search did not see all files: {why}; an application can register a faster one")
        });
    }
    search.results().into()
}

impl Base {
    /// Returns the text at the start of a served file; `None` if it has none.
    pub(super) fn searched_text(&self, path: &str, entry: &Entry) -> Option<String> {
        if media::guess(self.name(path)).is_some_and(|mime| !media::is_text(mime)) {
            return None;
        }
        let Entry::File(folder, name, _) = entry else { return None };
        let (file, _) = self.tree.open_file(folder, name).ok()??;
        text(file)
    }
}

/// Returns the start of a file as text; `None` if it is not UTF-8, or has a NUL byte, which other files have early.
fn text(mut file: impl Read) -> Option<String> {
    const FIRST: u64 = 8 << 10;
    let mut bytes = Vec::new();
    for upto in [FIRST, SEARCHED] {
        file.by_ref().take(upto - bytes.len() as u64).read_to_end(&mut bytes).ok()?;
        if bytes.contains(&0) {
            return None;
        }
        if (bytes.len() as u64) < upto {
            return String::from_utf8(bytes).ok();
        }
    }
    let whole = match std::str::from_utf8(&bytes) {
        Ok(_) => bytes.len(),
        Err(e) if e.error_len().is_none() => e.valid_up_to(), // a character is cut
        Err(_) => return None,
    };
    bytes.truncate(whole);
    String::from_utf8(bytes).ok()
}

impl SearchedFolder for Files {
    fn search(&self, search: &mut TextSearch<'_>) {
        // A directory that cannot be read has nothing to find.
        let _ = walk(&self.base.tree, None, &mut Searching { search, files: self });
    }
}

/// A search of one folder.
struct Searching<'a, 'b> {
    search: &'a mut TextSearch<'b>,
    files: &'a Files,
}

impl Sink for Searching<'_, '_> {
    fn enter(&mut self, _: &Folder) -> bool {
        self.continues()
    }

    fn take(&mut self, path: &str, entry: &Entry) -> bool {
        let base = &self.files.base;
        if entry.kind() == EntryKind::File {
            let described = || {
                let uri = base.address.uri(path);
                (uri.len() <= self.files.max_uri_bytes).then(|| (uri, base.name(path).to_owned()))
            };
            self.search.compare(path, || base.searched_text(path, entry), described);
        }
        true
    }

    fn continues(&self) -> bool {
        self.search.pace() != Pace::Over
    }
}
