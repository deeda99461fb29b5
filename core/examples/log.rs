//! A log file's lines as resources, as they arrive.
//!
//! `log FILE`: the file grows, and is never rewritten. `log:///latest` is its last hundred lines, to subscribe to;
//! `log:///lines/FROM` is a block of a hundred, listed and open to subscribers too; a template takes any block.
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wellhead::{Page, Resource, Server, Template};

const BLOCK: usize = 100;

fn main() -> wellhead::Result<()> {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: log FILE");
        std::process::exit(2);
    };
    let log = Arc::new(Log::new(path));
    log.read_on()?;
    let server = Server::new("log", "1.0.0");

    let l = Arc::clone(&log);
    let latest = Resource::new("log:///latest").title("The last lines").mime_type("text/plain");
    server.resource(latest, move |_| l.lines(|count| count.saturating_sub(BLOCK)))?;

    let l = Arc::clone(&log);
    let block = Template::new("log:///lines/{from}").name("block").mime_type("text/plain");
    server.template(block, move |call| {
        let from: usize = call.var("from")?.parse().ok().filter(|from| from % BLOCK == 0)?;
        l.block(from)
    })?;

    // Keys are the numbers of blocks, padded so that they have the order of their text.
    let l = Arc::clone(&log);
    server.list("blocks", move |call| {
        let first = call.after().and_then(|key| key.parse::<usize>().ok()).map_or(0, |last| last + 1);
        let blocks = l.count().div_ceil(BLOCK);
        let items = (first..blocks).take(call.limit()).map(|number| {
            let from = number * BLOCK;
            Resource::new(format!("log:///lines/{from}")).key(format!("{number:012}")).mime_type("text/plain")
        });
        Page::new(items.collect::<Vec<_>>()).more(first + call.limit() < blocks)
    })?;

    let follower = server.clone();
    std::thread::spawn(move || notify_of_lines(&log, &follower));
    wellhead::serve::stdio(&server)
}

/// Tells of new lines until the server is closed.
fn notify_of_lines(log: &Log, server: &Server) {
    while !server.is_closed() {
        std::thread::sleep(Duration::from_millis(50));
        let before = log.count();
        if let Err(e) = log.read_on() {
            server.log_line(wellhead::Severity::Error, &format!("{}: {e}", log.path.display()));
        }
        let after = log.count();
        if before == after {
            continue;
        }
        let blocks = before / BLOCK..after.div_ceil(BLOCK);
        let told = server.notify_updated("log:///latest").and_then(|()| {
            blocks.clone().try_for_each(|n| server.notify_updated(&format!("log:///lines/{}", n * BLOCK)))
        });
        if told.is_err()
            || after.div_ceil(BLOCK) > before.div_ceil(BLOCK)
                && server.notify_resource_list_changed().is_err()
        {
            return;
        }
    }
}

/// The part of the file that has been read: whole lines only.
struct Log {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    text: String,
    /// Where each line begins, and the end.
    starts: Vec<usize>,
    /// Bytes after the last newline.
    rest: Vec<u8>,
    read: u64,
}

impl Log {
    fn new(path: PathBuf) -> Self {
        Log { path, state: Mutex::new(State { starts: vec![0], ..State::default() }) }
    }

    fn count(&self) -> usize {
        self.state().starts.len() - 1
    }

    /// The block of lines that begins there; none: it has no line.
    fn block(&self, from: usize) -> Option<String> {
        (from < self.count()).then(|| self.lines(|_| from))
    }

    /// At most a block of lines, from where `from` says when it is told their number.
    fn lines(&self, from: impl FnOnce(usize) -> usize) -> String {
        let state = self.state();
        let count = state.starts.len() - 1;
        let from = from(count).min(count);
        state.text[state.starts[from]..state.starts[(from + BLOCK).min(count)]].to_owned()
    }

    fn read_on(&self) -> wellhead::Result<()> {
        let because = |e: std::io::Error| {
            wellhead::Error::new(wellhead::ErrorKind::Io, "the log cannot be read").because(e)
        };
        let mut state = self.state();
        let mut file = File::open(&self.path).map_err(because)?;
        file.seek(SeekFrom::Start(state.read)).map_err(because)?;
        let mut news = Vec::new();
        state.read += file.read_to_end(&mut news).map_err(because)? as u64;
        let mut rest = std::mem::take(&mut state.rest);
        rest.append(&mut news);
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in String::from_utf8_lossy(&rest[..whole]).split_inclusive('\n') {
            state.text.push_str(line);
            let end = state.text.len();
            state.starts.push(end);
        }
        state.rest = rest.split_off(whole);
        Ok(())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
