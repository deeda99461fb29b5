//! Starts the command and speaks to it.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The `_meta` of a request of the stateless revision.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

pub(crate) fn wellhead() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wellhead"));
    command.env_remove("WELLHEAD_KEY").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with files, given by path and contents.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (path, contents) in files {
            folder.put(path, contents);
        }
        folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        let path = self.0.path().canonicalize().unwrap();
        let plain = path.to_str().unwrap().strip_prefix(r"\\?\").map(PathBuf::from); // the form that lists have on Windows
        plain.unwrap_or(path)
    }

    pub(crate) fn put(&self, path: &str, contents: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        uri(&self.path().join(path))
    }
}

/// Of a path that needs no escaping.
fn uri(path: &Path) -> String {
    let path = path.to_str().unwrap().replace('\\', "/");
    let root = if cfg!(windows) { "/" } else { "" }; // before a drive
    format!("file://{root}{}", path.trim_end_matches('/'))
}

/// The running command, and its messages that no test has asked for yet.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    notifications: VecDeque<Value>,
    id: u64,
}

impl Client {
    pub(crate) fn start(command: &mut Command) -> Client {
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.unwrap();
                let message = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} in {line}"));
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, messages, notifications: VecDeque::new(), id: 0 }
    }

    /// Serves a folder, with more arguments before it.
    pub(crate) fn serve(folder: &Folder, more: &[&str]) -> Client {
        Client::start(wellhead().arg("serve").args(more).arg(folder.path()))
    }

    /// The handshake of a revision that has one.
    pub(crate) fn shake_hands(mut self, revision: &str) -> Client {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let result = self.send_request("initialize", &params);
        assert_eq!(result["protocolVersion"], revision);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request that is answered in its own time; its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        loop {
            let message = self.message();
            if message.get("id").is_some() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
            self.notifications.push_back(message);
        }
    }

    /// The result of a request.
    pub(crate) fn send_request(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    }

    fn message(&self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the command says something")
    }

    /// Waits for a notification.
    pub(crate) fn notified(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let wanted = |message: &Value| message["method"] == method && fits(&message["params"]);
        if let Some(at) = self.notifications.iter().position(&wanted) {
            return self.notifications.remove(at).unwrap();
        }
        loop {
            let message = self.message();
            if wanted(&message) {
                return message;
            }
            self.notifications.push_back(message);
        }
    }

    /// All pages of a list: the items, and how many pages there were.
    pub(crate) fn list(&mut self) -> (Vec<Value>, usize) {
        let (mut items, mut pages, mut params) = (Vec::new(), 0, json!({}));
        loop {
            let result = self.send_request("resources/list", &params);
            items.extend(result["resources"].as_array().unwrap().clone());
            pages += 1;
            match result.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return (items, pages),
            }
        }
    }

    pub(crate) fn read(&mut self, uri: &str) -> Value {
        let result = self.send_request("resources/read", &json!({"uri": uri}));
        let contents = result["contents"].as_array().unwrap();
        assert_eq!(contents.len(), 1);
        contents[0].clone()
    }

    #[cfg(unix)]
    pub(crate) fn terminate(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end; returns the status, the messages that no test asked for, and the text on standard error.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<Value>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        self.notifications.extend(self.messages.iter());
        (status, self.notifications.drain(..).collect(), said)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
