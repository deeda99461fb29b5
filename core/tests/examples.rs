//! The examples, as a client sees them that has started them.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// An example under way.
struct Example {
    child: Child,
    lines: Receiver<serde_json::Value>,
    /// The messages that came before a test asked for them.
    early: Vec<serde_json::Value>,
}

impl Example {
    fn start(name: &str, argument: &Path) -> Example {
        // Cargo builds the examples next to the tests.
        let here = std::env::current_exe().expect("a test has a path");
        let built = here.parent().and_then(Path::parent).expect("target/debug").join("examples").join(name);
        let mut child = Command::new(&built)
            .arg(argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| {
                panic!("{}: {e}; cargo test -p wellhead --features stdio builds it", built.display())
            });
        let lines = read(child.stdout.take().expect("a pipe"));
        let mut example = Example { child, lines, early: Vec::new() };
        example.send(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#);
        example.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        example.answer(0);
        example
    }

    fn send(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{line}").expect("the example reads");
    }

    fn send_request(&mut self, id: u64, method: &str, params: &str) -> serde_json::Value {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
        self.answer(id)
    }

    fn read(&mut self, id: u64, uri: &str) -> String {
        let answer = self.send_request(id, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
        answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn answer(&mut self, id: u64) -> serde_json::Value {
        self.until(|message| message["id"] == id)
    }

    fn until(&mut self, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        loop {
            let message = self.lines.recv_timeout(Duration::from_secs(60)).expect("the example answers");
            if wanted(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    fn ends(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("it is our child").success());
    }
}

fn read(stdout: ChildStdout) -> Receiver<serde_json::Value> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let message = serde_json::from_str(&line).expect("only messages");
            if send.send(message).is_err() {
                return;
            }
        }
    });
    lines
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("wellhead-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_log_is_listed_read_and_subscribed_as_its_lines_arrive() {
    let scratch = Scratch::new("log");
    let path = scratch.0.join("app.log");
    let mut log = File::create(&path).expect("a file can be made");
    let lines =
        |range: std::ops::Range<u32>| range.map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    write!(log, "{}", lines(0..250)).expect("it is written");
    let mut example = Example::start("log", &path);

    let listed = example.send_request(1, "resources/list", "{}");
    let uris: Vec<_> =
        listed["result"]["resources"].as_array().expect("a list").iter().map(|r| &r["uri"]).collect();
    assert_eq!(uris, ["log:///latest", "log:///lines/0", "log:///lines/100", "log:///lines/200"]);
    assert_eq!(example.read(2, "log:///lines/100"), lines(100..200));
    assert_eq!(example.read(3, "log:///lines/200"), lines(200..250));
    assert_eq!(example.read(4, "log:///latest"), lines(150..250));
    for unknown in ["log:///lines/300", "log:///lines/150", "log:///lines/x"] {
        let answer = example.send_request(5, "resources/read", &format!(r#"{{"uri":"{unknown}"}}"#));
        assert_eq!(answer["error"]["code"], -32002, "{unknown}");
    }

    example.send_request(6, "resources/subscribe", r#"{"uri":"log:///latest"}"#);
    write!(log, "half a ").expect("it is written");
    write!(log, "line\n{}", lines(251..301)).expect("it is written");
    example.until(|message| message["params"]["uri"] == "log:///latest");
    example.until(|message| message["method"] == "notifications/resources/list_changed");
    assert_eq!(example.read(7, "log:///lines/300"), "line 300\n");
    assert!(example.read(8, "log:///lines/200").contains("line 249\nhalf a line\nline 251\n"));
    example.ends();
}
