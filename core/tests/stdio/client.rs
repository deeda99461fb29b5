//! A client that has the application as its child process. Every wait has an end, and says what it waited for.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Names the application's side of its control socket; its presence makes this program the host.
pub(crate) const CONTROL: &str = "WELLHEAD_TEST_CONTROL";

/// The kinds of standard input and output that the application gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wires {
    Pipes,
    /// One end of a socket pair for each, as Node's clients give.
    Sockets,
    /// Input from a file with these lines.
    File(&'static str),
    Terminal,
}

pub(crate) struct Client {
    child: Child,
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    received: Vec<u8>,
    control: BufReader<UnixStream>,
    served: VecDeque<String>,
    /// The text that the application wrote to standard error.
    errors: File,
    next_id: u64,
}

impl Client {
    pub(crate) fn start(options: &str) -> Client {
        Client::start_on(Wires::Pipes, options)
    }

    /// Starts the application with `name=number` options, and shakes hands.
    pub(crate) fn connect(options: &str) -> Client {
        Client::connect_on(Wires::Pipes, options)
    }

    pub(crate) fn connect_on(wires: Wires, options: &str) -> Client {
        let mut client = Client::start_on(wires, options);
        client.shake_hands();
        client
    }

    pub(crate) fn start_on(wires: Wires, options: &str) -> Client {
        let (stdin, input) = match wires {
            Wires::Pipes => pipe(),
            Wires::Sockets => sockets(),
            Wires::File(lines) => (file_with(lines).into(), None),
            Wires::Terminal => terminal(),
        };
        let (output, stdout) = if let Wires::Sockets = wires { sockets() } else { pipe() };
        let (output, stdout) = (Some(output), stdout.expect("both ends are there"));
        for fd in input.iter().chain(&output) {
            rustix::io::ioctl_fionbio(fd, true).expect("it is a pipe or a socket");
        }
        let errors = file_with("");
        let (listener, path) = listen();
        let child = Command::new(std::env::current_exe().expect("the program has a path"))
            .args(options.split_ascii_whitespace())
            .env(CONTROL, &path)
            .stdin(Stdio::from(stdin))
            .stdout(Stdio::from(stdout))
            .stderr(errors.try_clone().expect("a file can be duplicated"))
            .spawn()
            .expect("the application starts");
        await_fd(listener.as_fd(), PollFlags::IN, "the application to connect");
        let (control, _) = listener.accept().expect("the application connects");
        control.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
        let _ = std::fs::remove_file(&path);
        let control = BufReader::new(control);
        let served = VecDeque::new();
        Client { child, input, output, received: Vec::new(), control, served, errors, next_id: 1 }
    }

    fn shake_hands(&mut self) {
        self.send(&initialize());
        let answer = self.message("the answer to initialize");
        assert_eq!(answer["result"]["serverInfo"]["name"], "host");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    // ---- to the application

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Writes as a client does that does not read meanwhile.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let left = self.write_until_full(bytes, Some("the application to read"));
        assert_eq!(left, 0);
    }

    /// Writes until the application takes no more, or fails after a while if that must not happen. How much was left.
    pub(crate) fn write_until_full(&mut self, mut bytes: &[u8], awaited: Option<&str>) -> usize {
        let input = self.input.as_ref().expect("the input is open");
        while !bytes.is_empty() {
            match (rustix::io::write(input, bytes), awaited) {
                (Ok(written), _) => bytes = &bytes[written..],
                (Err(Errno::INTR), _) => {}
                (Err(Errno::AGAIN), Some(awaited)) => await_fd(input.as_fd(), PollFlags::OUT, awaited),
                (Err(Errno::AGAIN), None) => break,
                (Err(e), _) => panic!("writing to the application failed: {e}; it said: {}", self.said()),
            }
        }
        bytes.len()
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn send_read(&mut self, uri: &str) -> u64 {
        self.request("resources/read", &json!({ "uri": uri }))
    }

    /// Opens a listen stream and waits until it is acknowledged.
    pub(crate) fn listen(&mut self, uri: &str) -> u64 {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let filter = json!({ "resourceSubscriptions": [uri] });
        let id = self.request("subscriptions/listen", &json!({ "notifications": filter, "_meta": meta }));
        let acknowledged = self.message("the acknowledgement of the listen stream");
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
        id
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }

    // ---- from the application

    pub(crate) fn message(&mut self, awaited: &str) -> Value {
        let line = self.line(awaited).unwrap_or_else(|| panic!("the output ended before {awaited}"));
        let message: Value = serde_json::from_slice(&line)
            .unwrap_or_else(|e| panic!("{e} in a line of the output: {}", String::from_utf8_lossy(&line)));
        assert_eq!(message["jsonrpc"], "2.0", "a line that is no message: {message}");
        message
    }

    /// The answer to that request, which has to be the next message.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let message = self.message(&format!("the answer to request {id}"));
        assert_eq!(message["id"], id, "{message}");
        message
    }

    /// The text of that read, which has to be the next message.
    pub(crate) fn text(&mut self, id: u64) -> String {
        let answer = self.answer(id);
        let text = answer["result"]["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text in {answer}")).to_owned()
    }

    pub(crate) fn read(&mut self, uri: &str) -> String {
        let id = self.send_read(uri);
        self.text(id)
    }

    pub(crate) fn ping(&mut self) {
        let id = self.request("ping", &json!({}));
        assert_eq!(self.answer(id)["result"], json!({}));
    }

    /// The next line; none at the end of the output.
    pub(crate) fn line(&mut self, awaited: &str) -> Option<Vec<u8>> {
        let mut searched = 0;
        loop {
            if let Some(at) = self.received[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.received.split_off(searched + at + 1);
                return Some(std::mem::replace(&mut self.received, rest));
            }
            searched = self.received.len();
            if self.receive(awaited) == 0 {
                assert!(self.received.is_empty(), "half a line at the end of the output");
                return None;
            }
        }
    }

    /// Reads some bytes; 0 at the end.
    pub(crate) fn receive(&mut self, awaited: &str) -> usize {
        let output = self.output.as_ref().expect("the output is open");
        let mut buffer = vec![0; 1 << 20];
        loop {
            match rustix::io::read(output, &mut buffer[..]) {
                Ok(read) => {
                    self.received.extend_from_slice(&buffer[..read]);
                    return read;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => await_fd(output.as_fd(), PollFlags::IN, awaited),
                Err(Errno::CONNRESET) => return 0, // a socket whose other end left input unread
                Err(e) => panic!("reading from the application failed: {e}"),
            }
        }
    }

    /// Everything up to the end of the output.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(line) = self.line("the end of the output") {
            messages.push(serde_json::from_slice(&line).expect("each line is a message"));
        }
        messages
    }

    // ---- the wires

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn close_output(&mut self) {
        self.output = None;
    }

    /// Returns how much the pipes to and from the application hold, in bytes.
    pub(crate) fn pipe_sizes(&self) -> [usize; 2] {
        [&self.input, &self.output].map(|wire| pipe_size(wire.as_ref().expect("it is open")))
    }

    /// Gives both wires to another process.
    pub(crate) fn hand_wires_to(&mut self, command: &mut Command) -> Child {
        let (input, output) = (self.input.take().expect("open"), self.output.take().expect("open"));
        command.stdin(Stdio::from(output)).stdout(Stdio::from(input)).spawn().expect("it starts")
    }

    // ---- the application

    /// Has the application do something in a thread of its own, and waits until it has.
    pub(crate) fn steer(&mut self, command: &str) -> String {
        writeln!(self.control.get_mut(), "{command}").expect("the application obeys");
        loop {
            let reply = self.report(command);
            match reply.strip_prefix("done:") {
                Some(reply) => return reply.trim().to_owned(),
                None => self.served.push_back(reply), // what was done may have ended the service
            }
        }
    }

    fn report(&mut self, awaited: &str) -> String {
        let mut line = String::new();
        match self.control.read_line(&mut line) {
            Ok(0) => panic!("the application ended before {awaited}; it said: {}", self.said()),
            Ok(_) => line.trim_end().to_owned(),
            Err(e) => panic!("waited in vain for {awaited}: {e}; it said: {}", self.said()),
        }
    }

    /// Returns the application's report after its `serve` has returned.
    pub(crate) fn served(&mut self) -> Served {
        let line = self.served.pop_front().unwrap_or_else(|| self.report("serve to return"));
        let field = |name: &str| {
            let found = line.split("; ").find_map(|field| field.strip_prefix(name)?.strip_prefix(": "));
            found.unwrap_or_else(|| panic!("no {name} in {line}")).to_owned()
        };
        Served {
            result: field("served"),
            restored: field("restored") == "true",
            files: field("files").parse().expect("a number"),
            threads: field("threads").parse().expect("a number"),
        }
    }

    /// Expects the application to return from `serve` without an error, and to end with status 0.
    pub(crate) fn ends_well(mut self) {
        self.served().well();
        self.exits();
    }

    pub(crate) fn exits(&mut self) {
        assert_eq!(self.ended().code(), Some(0), "it said: {}", self.said());
    }

    pub(crate) fn dies_of(&mut self, signal: Signal) {
        assert_eq!(self.ended().signal(), Some(signal.as_raw()), "it said: {}", self.said());
    }

    fn ended(&mut self) -> ExitStatus {
        let mut line = String::new();
        let ended = self.control.read_line(&mut line);
        assert!(matches!(ended, Ok(0)), "waited for the application to end: {ended:?} {line}");
        self.child.wait().expect("it is our child")
    }

    pub(crate) fn terminate(&self) {
        let host = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(host, Signal::TERM).expect("it is our child");
    }

    /// A line of the application's `/proc/PID/status` that counts kibibytes.
    pub(crate) fn memory(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("this test needs /proc, as Linux has it");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kib = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<usize>().ok());
        kib.expect("the line is there") << 10
    }

    /// Returns the text that the application wrote to standard error so far.
    pub(crate) fn said(&self) -> String {
        let mut file = self.errors.try_clone().expect("a file can be duplicated");
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| std::io::read_to_string(&mut file));
        read.expect("it is text")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How `serve` ended, and what the process had open then.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) result: String,
    /// Descriptors 0 and 1 are what they were before.
    pub(crate) restored: bool,
    pub(crate) files: usize,
    pub(crate) threads: usize,
}

impl Served {
    #[track_caller]
    pub(crate) fn well(&self) {
        assert_eq!((self.result.as_str(), self.restored), ("ok", true));
    }
}

pub(crate) fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } })
}

fn await_fd(fd: BorrowedFd<'_>, flags: PollFlags, awaited: &str) {
    let end = Instant::now() + PATIENCE;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).expect("it is short");
        match poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&left)) {
            Ok(0) => panic!("waited in vain for {awaited}"),
            Ok(_) => return,
            Err(Errno::INTR) => {}
            Err(e) => panic!("waiting for {awaited} failed: {e}"),
        }
    }
}

/// The reading and the writing end.
fn pipe() -> (OwnedFd, Option<OwnedFd>) {
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    (reader.into(), Some(writer.into()))
}

fn sockets() -> (OwnedFd, Option<OwnedFd>) {
    let (one, other) = UnixStream::pair().expect("there are sockets");
    (one.into(), Some(other.into()))
}

fn terminal() -> (OwnedFd, Option<OwnedFd>) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("the terminal is ours");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let theirs = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty());
    (theirs.expect("it can be opened"), Some(ours))
}

/// A file without a name, at its start.
fn file_with(text: &str) -> File {
    let path = scratch("file");
    let mut file = File::options().read(true).write(true).create_new(true).open(&path).expect("it is new");
    std::fs::remove_file(&path).expect("it was just made");
    file.write_all(text.as_bytes()).and_then(|()| file.rewind()).expect("there is room");
    file
}

fn listen() -> (UnixListener, std::path::PathBuf) {
    let path = scratch("control");
    (UnixListener::bind(&path).expect("the path is new"), path)
}

fn scratch(what: &str) -> std::path::PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("wellhead-{what}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

/// Returns the size of a pipe after a request for this many bytes, which the system may refuse.
pub(crate) fn enlarged_pipe(bytes: usize) -> usize {
    let (pipe, _other) = rustix::pipe::pipe().expect("a pipe");
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = rustix::pipe::fcntl_setpipe_size(&pipe, bytes);
    pipe_size(&pipe)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn pipe_size(pipe: &OwnedFd) -> usize {
    rustix::pipe::fcntl_getpipe_size(pipe).expect("it is a pipe")
}

/// Other systems do not tell, and cannot be asked for more.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn pipe_size(_: &OwnedFd) -> usize {
    0
}
