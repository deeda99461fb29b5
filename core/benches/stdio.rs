//! The round trip of the stdio driver, against a program that answers canned bytes.
//!
//! ```text
//! taskset -c 0 cargo bench -p wellhead --features stdio --bench stdio [ROUNDS]
//! ```
//! Pinned to one CPU, because otherwise most of the time is the wake-up of an idle CPU. Prints one line for each kind
//! of wire, request and server. It has p50 and p99 of a round trip in microseconds. It also has the ratio of p50 to
//! that of the canned answerer (`floor`) in one round, as the median over the rounds. `inline` is `callback_threads`
//! 0.

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};
    use wellhead::Server;
    use wellhead::serve::Stdio;

    const ROLE: &str = "WELLHEAD_BENCH_ROLE";
    const SERVERS: [&str; 4] = ["floor", "inline", "1", "4"];
    const REQUESTS: [(&str, &str); 3] = [
        ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        (
            "fixed 1 KB",
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"bench://fixed"}}"#,
        ),
        (
            "callback 1 KB",
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"bench://item/17"}}"#,
        ),
    ];
    const HANDSHAKE: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    );
    const SAMPLE: Duration = Duration::from_millis(100);

    pub(super) fn main() {
        match std::env::var(ROLE).as_deref() {
            Err(_) => measure(std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(5)),
            Ok("floor") => floor(),
            Ok(threads) => serve(threads.parse().unwrap_or(0)),
        }
    }

    // ---- the servers

    fn text() -> String {
        "The quick brown fox jumps over the lazy dog. ".repeat(23)[..1024].to_owned()
    }

    fn serve(threads: usize) {
        let server = Server::new("bench", "1.0.0");
        server.text("bench://fixed", text()).expect("the URI is valid");
        server.template("bench://item/{n}", |_| Some(text())).expect("the template is valid");
        Stdio::new().callback_threads(threads).serve(&server).expect("the wires are there");
    }

    /// Answers without looking: a line of the length of a request gets an answer of the length of that request's.
    fn floor() {
        let result = |text: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{text}}}}}"#) + "\n";
        let read = |uri: &str| {
            let text = text();
            result(&format!(r#""contents":[{{"uri":"{uri}","text":"{text}"}}]"#))
        };
        let answers = [result(""), read("bench://fixed"), read("bench://item/17")];
        let mut input = std::fs::File::from(rustix::io::dup(rustix::stdio::stdin()).expect("it is open"));
        let mut output = std::fs::File::from(rustix::io::dup(rustix::stdio::stdout()).expect("it is open"));
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = input.read(&mut buffer) {
            let asked = REQUESTS.iter().position(|(_, request)| request.len() + 1 == read);
            if output.write_all(asked.map_or(&answers[0], |at| &answers[at]).as_bytes()).is_err() {
                return;
            }
        }
    }

    // ---- the client

    struct Client {
        child: Child,
        input: std::fs::File,
        output: std::fs::File,
        buffer: Vec<u8>,
    }

    impl Client {
        fn start(server: &str, sockets: bool) -> Client {
            let pair = || -> (OwnedFd, OwnedFd) {
                if sockets {
                    let (one, other) = UnixStream::pair().expect("there are sockets");
                    (one.into(), other.into())
                } else {
                    let (reader, writer) = std::io::pipe().expect("there are pipes");
                    (reader.into(), writer.into())
                }
            };
            let ((stdin, input), (output, stdout)) = (pair(), pair());
            let child = Command::new(std::env::current_exe().expect("the program has a path"))
                .env(ROLE, server)
                .stdin(stdin)
                .stdout(stdout)
                .spawn()
                .expect("the server starts");
            let mut client =
                Client { child, input: input.into(), output: output.into(), buffer: vec![0; 64 << 10] };
            client.exchange(format!("{HANDSHAKE}\n").as_bytes());
            if server != "floor" {
                let ready = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
                client.input.write_all(ready).expect("the server reads");
            }
            client
        }

        fn exchange(&mut self, request: &[u8]) {
            self.input.write_all(request).expect("the server reads");
            loop {
                let read = self.output.read(&mut self.buffer).expect("the server answers");
                assert!(read > 0, "the server ended");
                if self.buffer[read - 1] == b'\n' {
                    return;
                }
            }
        }

        /// Round trips of one sample, sorted.
        fn sample(&mut self, request: &str) -> Vec<Duration> {
            let line = format!("{request}\n");
            let mut times = Vec::new();
            let start = Instant::now();
            while start.elapsed() < SAMPLE {
                let before = Instant::now();
                self.exchange(line.as_bytes());
                times.push(before.elapsed());
            }
            times.drain(..times.len() / 5); // warming up
            times.sort_unstable();
            times
        }
    }

    impl Drop for Client {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    fn measure(rounds: usize) {
        let mut out = std::io::stdout();
        for sockets in [false, true] {
            let mut clients = SERVERS.map(|server| Client::start(server, sockets));
            for (name, request) in REQUESTS {
                let mut figures = SERVERS.map(|_| [Vec::new(), Vec::new(), Vec::new()]);
                for _ in 0..rounds {
                    let mut floor = f64::NAN;
                    for (client, figures) in clients.iter_mut().zip(&mut figures) {
                        let times = client.sample(request);
                        let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e6;
                        if floor.is_nan() {
                            floor = at(50);
                        }
                        for (figures, figure) in figures.iter_mut().zip([at(50), at(99), at(50) / floor]) {
                            figures.push(figure);
                        }
                    }
                }
                let wires = if sockets { "sockets" } else { "pipes" };
                for (server, figures) in SERVERS.iter().zip(&mut figures) {
                    let [p50, p99, ratio] = figures.each_mut().map(|figures| median(figures));
                    let line = format!("{wires:8} {name:14} {server:7} {p50:8.1} {p99:8.1} {ratio:6.2}x");
                    writeln!(out, "{line}").expect("somebody reads");
                }
            }
        }
    }

    fn median(figures: &mut [f64]) -> f64 {
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }
}
