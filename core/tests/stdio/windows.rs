//! The driver on Windows, where no read or write of it can be interrupted. The application is this program, as on Unix.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio as Pipe};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use wellhead::Server;
use wellhead::serve::Stdio;

/// Tells this program to be the application: its callback threads.
pub(crate) const THREADS: &str = "WELLHEAD_TEST_THREADS";
/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

crate::tests![
    a_client_shakes_hands_reads_and_leaves,
    a_last_line_without_a_newline_is_answered,
    only_messages_reach_the_client_when_the_program_and_its_children_print,
    an_answer_of_another_thread_does_not_wait_for_input,
    a_server_that_closes_itself_ends_before_its_input_and_the_next_one_reads_on,
    a_client_that_does_not_read_is_waited_for_within_the_shutdown_time,
    a_large_body_arrives_whole,
];

/// The application: serves two servers, one after the other.
#[allow(clippy::print_stdout, reason = "it is what a guard is for")]
pub(crate) fn host(threads: &str) {
    let threads: usize = threads.parse().expect("it is a number");
    let stdio = Stdio::new().callback_threads(threads).shutdown_ms(500);
    for name in ["first", "second"] {
        let server = Server::new(name, "1");
        register(&server).expect("what is registered is valid");
        stdio.clone().serve(&server).expect("it ends in order");
        eprintln!("the {name} server has ended");
        println!("after the {name} server");
    }
}

fn register(server: &Server) -> wellhead::Result<()> {
    server.text("host://fixed", "fixed")?;
    server.template("host://echo/{n}", |call| Some(call.var("n")?.to_owned()))?;
    server.template("host://blob/{mib}", |call| {
        Some(vec![7_u8; call.var("mib")?.parse::<usize>().ok()? << 20])
    })?;
    server.resource("host://later", |call| {
        let (later, responder) = call.defer();
        std::thread::spawn(move || responder.finish("later"));
        later
    })?;
    server.resource("host://noise", |_| {
        io::stdout()
            .write_all(b"a stray print of the application\n{\"jsonrpc\":")
            .expect("it goes somewhere");
        // `more` prints what it reads, which is nothing.
        let child = Command::new("cmd").args(["/c", "echo a stray print of its child& more"]).status();
        format!("the child ended with {}", child.expect("there is a shell"))
    })?;
    let closing = server.clone();
    server.resource("host://close", move |_| {
        closing.close();
        "closed"
    })?;
    Ok(())
}

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    fn start(threads: usize) -> Client {
        let mut client = Client::unread(threads);
        let output = client.child.stdout.take().expect("it is a pipe");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).all(|line| send.send(line).is_ok())
        });
        client.lines = lines;
        client
    }

    /// A client that reads nothing.
    fn unread(threads: usize) -> Client {
        let mut child = Command::new(std::env::current_exe().expect("the program has a path"))
            .env(THREADS, threads.to_string())
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .spawn()
            .expect("the application starts");
        Client { input: child.stdin.take(), child, lines: channel().1 }
    }

    fn write(&mut self, text: &str) {
        self.input.as_mut().expect("it is open").write_all(text.as_bytes()).expect("the application reads");
    }

    fn send(&mut self, id: u64, method: &str, params: &Value) {
        self.write(&format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})));
    }

    /// Shakes hands, and returns the name of the server.
    fn shake_hands(&mut self) -> String {
        let client = json!({"name": "test", "version": "1"});
        self.send(
            0,
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        let name = self.message()["result"]["serverInfo"]["name"].as_str().expect("a name").to_owned();
        self.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        name
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the application says something")
    }

    fn message(&self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} in {line}"))
    }

    fn send_read(&mut self, id: u64, uri: &str) {
        self.send(id, "resources/read", &json!({"uri": uri}));
    }

    fn read(&mut self, uri: &str) -> String {
        self.send_read(1, uri);
        let answer = self.message();
        let content = &answer["result"]["contents"][0];
        content["text"].as_str().or(content["blob"].as_str()).unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Closes the input; returns what else it writes to standard output and to standard error, until it ends well.
    fn close(mut self) -> (Vec<String>, String) {
        self.input = None;
        let mut said = String::new();
        let mut errors = self.child.stderr.take().expect("it is a pipe");
        let (send, ended) = channel();
        std::thread::spawn(move || send.send(errors.read_to_string(&mut said).map(|_| said)));
        let said = ended.recv_timeout(PATIENCE).expect("the application ends").expect("text");
        assert!(self.child.wait().expect("it has ended").success(), "{said}");
        (self.lines.iter().collect(), said)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn a_client_shakes_hands_reads_and_leaves() {
    for threads in [0, 1, 3] {
        let mut client = Client::start(threads);
        assert_eq!(client.shake_hands(), "first");
        for n in 0..50 {
            assert_eq!(client.read("host://fixed"), "fixed");
            assert_eq!(client.read(&format!("host://echo/{n}")), n.to_string());
        }
        // Standard output is the application's again after each service.
        let (rest, said) = client.close();
        assert_eq!(rest, ["after the first server", "after the second server"]);
        assert_eq!(said, "the first server has ended\nthe second server has ended\n");
    }
}

fn a_last_line_without_a_newline_is_answered() {
    let mut client = Client::start(1);
    client.shake_hands();
    client.write(r#"{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"host://echo/8"}}"#);
    client.input = None;
    assert_eq!(client.message()["result"]["contents"][0]["text"], "8");
    client.close();
}

fn only_messages_reach_the_client_when_the_program_and_its_children_print() {
    let mut client = Client::start(1);
    client.shake_hands();
    // The ping is there for the child process to swallow, if it could.
    client.send_read(1, "host://noise");
    client.send(2, "ping", &json!({}));
    let mut answers = [client.message(), client.message()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[0]["result"]["contents"][0]["text"], "the child ended with exit code: 0");
    assert_eq!(answers[1]["id"], 2);
    let (rest, said) = client.close();
    assert_eq!(rest, ["after the first server", "after the second server"]);
    assert!(said.contains("a stray print of the application\n"), "{said}");
    assert!(said.contains("a stray print of its child"), "{said}");
}

fn an_answer_of_another_thread_does_not_wait_for_input() {
    for threads in [0, 1, 3] {
        let mut client = Client::start(threads);
        client.shake_hands();
        for _ in 0..20 {
            assert_eq!(client.read("host://later"), "later");
        }
    }
}

fn a_server_that_closes_itself_ends_before_its_input_and_the_next_one_reads_on() {
    for threads in [0, 1] {
        let mut client = Client::start(threads);
        client.shake_hands();
        client.send_read(1, "host://close");
        while client.line() != "after the first server" {} // its input is still open
        assert_eq!(client.shake_hands(), "second");
        assert_eq!(client.read("host://fixed"), "fixed");
        assert_eq!(client.close().0, ["after the second server"]);
    }
}

fn a_client_that_does_not_read_is_waited_for_within_the_shutdown_time() {
    let mut client = Client::unread(1);
    client.send_read(1, "host://blob/8");
    client.input = None;
    let errors = client.child.stderr.take().expect("it is a pipe");
    let (send, said) = channel();
    std::thread::spawn(move || send.send(BufReader::new(errors).lines().next()));
    let said = said.recv_timeout(PATIENCE).expect("the service ends, and standard output is full");
    assert_eq!(said.expect("a line").expect("text"), "the first server has ended");
}

fn a_large_body_arrives_whole() {
    let mut client = Client::start(1);
    client.shake_hands();
    assert_eq!(client.read("host://blob/8").len(), (8_usize << 20).div_ceil(3) * 4);
    client.close();
}
