//! The program under test: serves standard input and output, and is steered over a socket of its own.

use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, fcntl_getfl, fstat};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};
use wellhead::serve::Stdio;
use wellhead::{Answer, Call, Limits, Resource, Responder, Server, Template};

/// The settings with which a test starts the host: `name=number` arguments.
struct Options(BTreeMap<String, u64>);

impl Options {
    fn from_args() -> Options {
        let named = |arg: String| {
            let (name, value) = arg.split_once('=')?;
            Some((name.to_owned(), value.parse().expect("options are numbers")))
        };
        Options(std::env::args().skip(1).filter_map(named).collect())
    }

    fn get(&self, name: &str, default: u64) -> u64 {
        self.0.get(name).copied().unwrap_or(default)
    }
}

/// Callbacks wait here until the test lets them go on.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    entered: usize,
    open: bool,
    cancelled: Vec<String>,
}

impl Gate {
    fn wait_until_open(&self, call: &Call) {
        let mut state = self.state.lock().unwrap();
        state.entered += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| !state.open).unwrap();
        if call.is_cancelled() {
            state.cancelled.push(call.uri().to_owned());
            self.changed.notify_all();
        }
    }

    /// The calls that found themselves cancelled, at least one.
    fn cancelled(&self) -> Vec<String> {
        let state = self.changed.wait_while(self.state.lock().unwrap(), |state| state.cancelled.is_empty());
        state.unwrap().cancelled.clone()
    }

    fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    fn shut(&self) {
        *self.state.lock().unwrap() = GateState::default();
    }

    fn entered(&self, count: usize) {
        drop(self.changed.wait_while(self.state.lock().unwrap(), |state| state.entered < count));
    }
}

/// Answers that are given later.
#[derive(Default)]
struct Held {
    responders: Mutex<Vec<Responder<Answer>>>,
    changed: Condvar,
}

impl Held {
    fn keep(&self, responder: Responder<Answer>) {
        self.responders.lock().unwrap().push(responder);
        self.changed.notify_all();
    }

    fn take(&self, count: usize) -> Vec<Responder<Answer>> {
        let responders = self.responders.lock().unwrap();
        let mut responders = self.changed.wait_while(responders, |held| held.len() < count).unwrap();
        responders.drain(..count).collect()
    }
}

#[derive(Default)]
struct State {
    gate: Gate,
    held: Held,
    /// The application's own hold on what were descriptors 0 and 1 when it started.
    wires: OnceLock<[OwnedFd; 2]>,
    /// Held while a command of the test is carried out: the process must not end before the reply.
    obeying: Mutex<()>,
}

pub(crate) fn main(control: &str) {
    let options = Options::from_args();
    let control = UnixStream::connect(control).expect("the test listens");
    let mut report = control.try_clone().expect("a socket can be duplicated");
    let state = Arc::new(State::default());
    state.wires.get_or_init(|| {
        let (input, output) = (rustix::stdio::stdin(), rustix::stdio::stdout());
        [input, output].map(|fd| rustix::io::fcntl_dupfd_cloexec(fd, 3).expect("it is open"))
    });
    let server = server(&options, &state).expect("what is registered is valid");
    if options.get("closed", 0) == 1 {
        server.close();
    }
    let obeyed = (server.clone(), state.clone());
    std::thread::spawn(move || obey(&obeyed.0, &obeyed.1, control));

    let before = standard_files();
    let mut settled = (usize::MAX, threads());
    for cycle in 0..options.get("cycles", 1) {
        let result = match stdio(&options).serve(&server) {
            Ok(()) => "ok".to_owned(),
            Err(e) => e.to_string(),
        };
        let restored = before == standard_files();
        let (files, threads) = resources(settled);
        // The first service may open what stays for good.
        settled = (if cycle == 0 { usize::MAX } else { files.min(settled.0) }, settled.1);
        send(
            &mut report,
            &format!("served: {result}; restored: {restored}; files: {files}; threads: {threads}"),
        );
    }
    while options.get("linger", 0) == 1 {
        std::thread::park();
    }
    drop(state.obeying.lock());
}

fn stdio(options: &Options) -> Stdio {
    Stdio::new()
        .callback_threads(options.get("threads", 1) as usize)
        .shutdown_ms(options.get("shutdown", 120_000))
        .handle_sigterm(options.get("sigterm", 0) == 1)
}

/// Returns the targets of descriptors 0 and 1, and their flags.
fn standard_files() -> [(u64, u64, OFlags); 2] {
    [rustix::stdio::stdin(), rustix::stdio::stdout()].map(|fd| {
        let stat = fstat(fd).expect("it is open");
        (stat.st_dev, stat.st_ino, fcntl_getfl(fd).expect("it is open"))
    })
}

/// Returns the process's open descriptors and threads, once they are back to what they `was`, or after a while. The
/// kernel lists a thread for a moment after it was joined, and its descriptors with it.
fn resources(was: (usize, usize)) -> (usize, usize) {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let now = (entries("/dev/fd"), threads());
        if now.0 <= was.0 && now.1 <= was.1 || Instant::now() > until {
            return now;
        }
        std::thread::yield_now();
    }
}

fn threads() -> usize {
    entries("/proc/self/task")
}

fn entries(path: &str) -> usize {
    std::fs::read_dir(path).map_or(0, Iterator::count)
}

fn server(options: &Options, state: &Arc<State>) -> wellhead::Result<Server> {
    let mut limits = Limits::default();
    limits.call_ms = options.get("call_ms", limits.call_ms);
    limits.message_bytes = options.get("message_bytes", limits.message_bytes as u64) as usize;
    limits.output_bytes = options.get("output_bytes", limits.output_bytes as u64) as usize;
    let server = Server::builder("host", "1.0.0").limits(limits).build()?;

    server.text("host://fixed", "fixed")?;
    server.text("host://edited", "0")?;
    server.template("host://echo/{n}", |call| Some(call.var("n")?.to_owned()))?;
    server.template("host://watch/{n}", |call| Some(call.var("n")?.to_owned()))?;
    server.template("host://thread/{n}", |_| Some(format!("{:?}", std::thread::current().id())))?;
    if options.get("interest", 0) == 1 {
        server.on_interest(|call| eprintln!("interest in {}: {}", call.uri(), call.wanted()))?;
    }
    server.resource("host://caller", |call| format!("{:?}", call.caller()))?;
    server.resource("host://panic", |_| -> &str { panic!("as the test wants") })?;
    server.resource("host://noise", |_| noise())?;
    server.template(Template::new("host://blob/{mib}").mime_type("application/octet-stream"), |call| {
        let mib: usize = call.var("mib")?.parse().ok()?;
        Some(vec![7_u8; mib << 20])
    })?;
    let held = state.clone();
    server.template("host://held/{n}", move |call| {
        let (later, responder) = call.defer();
        held.held.keep(responder);
        later
    })?;
    let gate = state.clone();
    server.template("host://gate/{n}", move |call| {
        call.progress(1.0, None, None);
        gate.gate.wait_until_open(&call);
        Some(call.var("n")?.to_owned())
    })?;
    let closing = server.clone();
    server.resource(Resource::new("host://close"), move |_| {
        closing.close();
        "closed"
    })?;
    let again = server.clone();
    server.resource("host://serve-again", move |_| match Stdio::new().serve(&again) {
        Ok(()) => "served".to_owned(),
        Err(e) => e.to_string(),
    })?;
    Ok(server)
}

/// Prints, and has a child process print and read; what the child could read.
fn noise() -> String {
    let mut out = io::stdout();
    out.write_all(b"a stray print of the application\n{\"jsonrpc\":").expect("it goes somewhere");
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", "echo a stray print of its child; cat >&2; cat | wc -c >&2"]);
    let done = shell.status().expect("there is a shell");
    format!("the child ended with {done}")
}

/// Carries out the commands of the test, and answers when each is done.
fn obey(server: &Server, state: &Arc<State>, control: UnixStream) {
    let mut reply = control.try_clone().expect("a socket can be duplicated");
    for line in BufReader::new(control).lines().map_while(Result::ok) {
        let _obeying = state.obeying.lock().unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().expect("it is a number");
        let done = match words[0] {
            "open" => {
                state.gate.open();
                String::new()
            }
            "shut" => {
                state.gate.shut();
                String::new()
            }
            "entered" => {
                state.gate.entered(number(1));
                String::new()
            }
            "cancelled" => state.gate.cancelled().join(" "),
            // answer COUNT THREADS
            "answer" => {
                answer(state.held.take(number(1)), number(2));
                String::new()
            }
            // update URIS ROUNDS THREADS: each thread ROUNDS times host://watch/0, /1, ...
            "update" => {
                std::thread::scope(|scope| {
                    for _ in 0..number(3) {
                        scope.spawn(|| update(server, number(1), number(2)));
                    }
                });
                String::new()
            }
            "blocking" => {
                let wires = state.wires.get().expect("set at the start").iter();
                let blocks = |fd| !fcntl_getfl(fd).expect("it is open").contains(OFlags::NONBLOCK);
                wires.map(blocks).map(|blocks| blocks.to_string()).collect::<Vec<_>>().join(" ")
            }
            "edit" => {
                server.set("host://edited", words[1]).expect("it is registered");
                String::new()
            }
            "close" => {
                server.close();
                String::new()
            }
            other => panic!("the application does not know {other}"),
        };
        send(&mut reply, &format!("done: {done}"));
    }
}

/// In one write: the service's thread and the one that obeys share the socket.
fn send(socket: &mut UnixStream, line: &str) {
    socket.write_all(format!("{line}\n").as_bytes()).expect("the test reads");
}

fn update(server: &Server, uris: usize, rounds: usize) {
    for _ in 0..rounds {
        for n in 0..uris {
            server.notify_updated(&format!("host://watch/{n}")).expect("the URI is valid");
        }
    }
}

/// Answers from several threads at once.
fn answer(mut responders: Vec<Responder<Answer>>, threads: usize) {
    let share = responders.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        while !responders.is_empty() {
            let mine = responders.split_off(responders.len().saturating_sub(share));
            scope.spawn(move || {
                for responder in mine {
                    responder.finish("later");
                }
            });
        }
    });
}
