//! Measures how long a client of `wellhead serve` waits with 100,000 files. It times the first page from the start of
//! the command (at most 2 s), the rest of the list, a read, and the notification of a change. Then it serves 1,000 skills
//! of 20 files, and times the first page of `skills/list` from the start of the command (at most 1 s) and again (at most
//! 20 ms). Run `make bench-directory`, or `make bench-directory BENCH=skills` for the skills only.
#![allow(clippy::print_stdout, reason = "a report for people is what this prints")]

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 100_000;

/// Path of the n-th file.
type Shape = fn(usize) -> String;

fn main() {
    if std::env::args().all(|argument| argument != "skills") {
        folders();
    }
    skills();
}

/// A file that was written a moment ago is hashed twice, and again for the next page.
const SETTLED: Duration = Duration::from_millis(3_500);

fn skills() {
    const SKILLS: usize = 1_000;
    let folder = tempfile::tempdir().expect("there is room for files");
    for n in 0..SKILLS {
        let skill = folder.path().join(format!("skill-{n}"));
        fs::create_dir_all(&skill).expect("there is room for directories");
        let front = format!("---\nname: skill-{n}\ndescription: Does one thing of many.\n---\n");
        fs::write(skill.join("SKILL.md"), front).expect("there is room for files");
        for file in 1..20 {
            fs::write(skill.join(format!("{file:02}.md")), "text ".repeat(400))
                .expect("there is room for files");
        }
    }
    std::thread::sleep(SETTLED);
    let folder = folder.path().canonicalize().expect("it was made");
    let arguments = [OsStr::new("--skills"), folder.as_os_str()];
    let (mut cold, mut warm, mut on_page) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..5 {
        let began = Instant::now();
        let mut client = Client::start(&arguments);
        let page = client.send_request("skills/list", &json!({}));
        cold = cold.min(began.elapsed());
        on_page = page["skills"].as_array().map_or(0, Vec::len);
        for _ in 0..20 {
            let began = Instant::now();
            client.send_request("skills/list", &json!({}));
            warm = warm.min(began.elapsed());
        }
    }
    println!("\n{SKILLS} skills of 20 files    first page of {on_page}: cold {cold:.1?}, warm {warm:.1?}");
}

fn folders() {
    let shapes: [(&str, Shape); 3] = [
        ("one directory", |n| format!("{n:05}.txt")),
        ("1,000 directories", |n| format!("{:03}/{n:05}.txt", n % 1_000)),
        ("11,110 directories, 4 deep", |n| {
            format!("{}/{}/{}/{}/{n:05}.txt", n % 10, n / 10 % 10, n / 100 % 10, n / 1_000 % 10)
        }),
    ];
    println!("{FILES} files in            first page   all {FILES}    one read      told of      memory");
    for (name, shape) in shapes {
        let folder = tempfile::tempdir().expect("there is room for files");
        for n in 0..FILES {
            let path = folder.path().join(shape(n));
            fs::create_dir_all(path.parent().expect("it is in the folder"))
                .expect("there is room for directories");
            fs::write(path, "text").expect("there is room for files");
        }
        measure(name, folder.path(), &shape(FILES / 2));
    }
}

fn measure(name: &str, folder: &Path, path: &str) {
    let folder = folder.canonicalize().expect("it was made");
    let uri = format!("file://{}/{path}", folder.display());
    let mut first = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        let mut client = Client::start(&[folder.as_os_str()]);
        let page = client.send_request("resources/list", &json!({}));
        first = first.min(began.elapsed());
        assert_eq!(page["resources"].as_array().map(Vec::len), Some(1_000));
    }

    let mut client = Client::start(&[folder.as_os_str()]);
    let began = Instant::now();
    let listed = client.list();
    let whole = began.elapsed();
    assert!(listed > FILES);

    let mut read = Duration::MAX;
    for _ in 0..100 {
        let began = Instant::now();
        client.send_request("resources/read", &json!({"uri": uri}));
        read = read.min(began.elapsed());
    }

    client.send_request("resources/subscribe", &json!({"uri": uri}));
    let mut told = Duration::MAX;
    for n in 0..20 {
        let began = Instant::now();
        fs::write(folder.join(path), n.to_string()).expect("there is room for it");
        client.notified();
        told = told.min(began.elapsed());
        client.send_request("ping", &json!({}));
    }
    let memory = client.peak_kib() / 1024;
    println!("{name:<28} {first:>9.1?} {whole:>12.1?} {read:>11.1?} {told:>12.1?} {memory:>7} MiB");
}

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(arguments: &[&OsStr]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wellhead"));
        let command = command.arg("serve").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it is built");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut client = Client { child, input, output: BufReader::new(output) };
        let info = json!({"name": "bench", "version": "1"});
        client.send_request(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes");
        serde_json::from_str(&line).expect("messages are JSON")
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        loop {
            let mut message = self.message();
            if message.get("id").is_some() {
                return message["result"].take();
            }
        }
    }

    fn notified(&mut self) {
        while self.message()["method"] != "notifications/resources/updated" {}
    }

    /// How many resources all pages have.
    fn list(&mut self) -> usize {
        let (mut listed, mut params) = (0, json!({}));
        loop {
            let page = self.send_request("resources/list", &params);
            listed += page["resources"].as_array().map_or(0, Vec::len);
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return listed,
            }
        }
    }

    /// Zero where the system does not tell it.
    fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
