//! The memory of a listener in a process of its own stays under its budget while clients attack it.

use super::attacks::{are_refused, others_are_answered, others_may_send_much, with_buffer};
use super::h2c::{self, run};
use super::{Service, server};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};

/// The budget of all clients, `buffer_bytes`.
const BUDGET: usize = 16 << 20;

/// The bytes that the process may need on top of its budget. Half of them are for what arrives: 128 KiB on each of at most 60
/// connections. The rest is for HTTP/2, threads and gaps in its heap.
const BESIDE: usize = 16 << 20;

/// The presence of this variable makes this program the listener under attack. Its value is the budget.
const BUDGET_OF_HOST: &str = "WELLHEAD_TEST_BUDGET";

/// A listener in a process of its own, which ends with it.
struct Host {
    child: Child,
    _errors: BufReader<ChildStderr>,
    service: Service,
}

impl Host {
    /// Starts this program again with this test only, which comes here, too, and serves.
    fn start(test: &str) -> Host {
        if let Ok(budget) = std::env::var(BUDGET_OF_HOST) {
            serve(budget.parse().expect("a number"));
        }
        let mut child = Command::new(std::env::current_exe().expect("the program has a path"))
            .args(["--exact", test])
            .env(BUDGET_OF_HOST, BUDGET.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the application starts");
        let mut errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let mut address = String::new();
        errors.read_line(&mut address).expect("text");
        let address = address.trim_end().parse().unwrap_or_else(|e| panic!("{e}: {address:?}"));
        // The server of this process is not asked for anything.
        Host { child, _errors: errors, service: Service { server: server(), address, thread: None } }
    }

    /// A number of bytes from the file `status` of the host.
    fn memory(&self, field: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("the field is there");
        let kib: usize = line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().expect("a number");
        kib << 10
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until standard input ends.
fn serve(budget: usize) -> ! {
    let service = with_buffer(budget);
    writeln!(std::io::stderr(), "{}", service.address).expect("the test reads");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0)
}

/// An attack with several times the budget presses the application to it, and no further. What it returns is held meanwhile.
fn stays_under_its_budget<T>(test: &str, attack: impl FnOnce(&Service) -> T) {
    let host = Host::start(test);
    others_are_answered(&host.service);
    let before = host.memory("VmRSS");
    let held = attack(&host.service);
    let more = host.memory("VmHWM").saturating_sub(before);
    assert!(more > BUDGET / 4, "the attack takes {more} bytes only");
    assert!(more < BUDGET + BESIDE, "the attack takes {more} bytes");
    others_are_answered(&host.service);
    others_may_send_much(&host.service);
    drop(held);
}

#[test]
fn bodies_that_lack_their_end() {
    stays_under_its_budget("memory::bodies_that_lack_their_end", |service| {
        let size = 2 << 20;
        let body = vec![b'x'; size - 10];
        let send = |_| {
            let mut client = service.client();
            let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
            write!(client.stream, "{head}Content-Length: {size}\r\n\r\n").expect("it reads");
            let _ = client.stream.write_all(&body); // it may be refused by then
            client
        };
        let clients: Vec<_> = (0..60).map(send).collect();
        are_refused(&clients, 40);
        clients
    });
}

#[test]
fn bodies_of_http_2() {
    stays_under_its_budget("memory::bodies_of_http_2", |service| {
        run(async {
            let mut clients = Vec::new();
            for _ in 0..6 {
                let mut client = h2c::Client::connect(service).await;
                let (mut tasks, mut senders) = (tokio::task::JoinSet::new(), Vec::new());
                for _ in 0..20 {
                    let fields = [("mcp-name", "test://small"), ("content-length", "1000000")];
                    let begun = client.begin("resources/read", &fields).await;
                    let (response, mut sender) = begun.expect("it is sent");
                    sender.send_data(vec![b'x'; 999_990].into(), false).expect("it is queued");
                    senders.push(sender);
                    tasks.spawn(response);
                }
                for _ in 0..15 {
                    let response = tasks.join_next().await.expect("another").expect("no panic");
                    assert_eq!(response.expect("a response").status(), 503, "the connection has its part");
                }
                clients.push((client, tasks, senders));
            }
        });
    });
}

#[test]
fn answers_that_are_kept_for_replay() {
    stays_under_its_budget("memory::answers_that_are_kept_for_replay", |service| {
        let mut client = service.client();
        for _ in 0..400 {
            client.keep_an_answer();
        }
    });
}

#[test]
fn answers_that_are_not_read() {
    stays_under_its_budget("memory::answers_that_are_not_read", |service| {
        run(async {
            let mut clients = Vec::new();
            for _ in 0..6 {
                let mut client = h2c::Client::connect_with_window(service, 0).await;
                let mut responses = Vec::new();
                for _ in 0..100 {
                    let fields = [("mcp-name", "test://large/1")];
                    let sent = client.send("resources/read", r#""uri":"test://large/1","#, &fields).await;
                    responses.push(sent.expect("it is sent"));
                }
                for response in &mut responses {
                    let status = response.await.expect("a response").status();
                    assert!(status == 200 || status == 503, "{status}");
                }
                clients.push((client, responses));
            }
        });
    });
}
