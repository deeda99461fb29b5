//! Measures finding the template of a URI: among more and more templates, and with URIs made to be expensive. Every
//! read runs a callback that answers at once, so that a read of the only template is the floor.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a report for people is what this prints"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};
use wellhead::{Caller, Connection, DrainStart, Limits, Route, Server, Template};

fn main() {
    println!("us for one read, by the number of templates (no bar but that they do not grow with it)");
    println!("{:<44} {:>9} {:>9} {:>9} {:>9}", "", 10, 100, 1_000, 10_000);
    by_number("each with a prefix of its own", |n| format!("t{n}:x/{{id}}"), |n| format!("t{n}:x/1"));
    by_number("all below one prefix", |n| format!("t:{{id}}/kind{n}"), |n| format!("t:1/kind{n}"));
    by_number(
        "apart between two variables",
        |n| format!("t:{{id}}/kind{n}/{{v}}"),
        |n| format!("t:1/kind{n}/2"),
    );
    by_number(
        "apart behind a value that may go on",
        |n| format!("t:{{id}}-kind{n}"),
        |n| format!("t:1-kind{n}"),
    );
    by_number("apart in two places", two_places, |n| two_places(n).replace("{id}", "1").replace("{v}", "2"));
    by_number(
        "only the greedy one matches",
        |n| if n == 0 { "t:{+all}".to_owned() } else { format!("t:{{id}}/kind{n}/{{v}}") },
        |n| format!("t:1/kind{n}/2/3"),
    );
    by_number(
        "apart behind a parameter's name",
        |n| format!("t:{{;p{n}}}/k{n}"),
        |n| format!("t:;p{n}=1/k{n}"),
    );
    by_number("each prefix a beginning of the next", |n| nested(n, "{id}"), |n| nested(n, "1"));
    by_number("none matches", |n| format!("t{n}:x/{{id}}"), |_| "u:x/1".to_owned());

    println!();
    println!("us to register one, by the number of templates (no bar but that they hardly grow with it)");
    println!("{:<44} {:>9} {:>9} {:>9} {:>9}", "", 10, 100, 1_000, 10_000);
    registering("each with a prefix of its own", |n| format!("t{n}:x/{{id}}"));
    registering("all below one prefix", |n| format!("t:{{id}}/kind{n}"));
    registering("apart between two variables", |n| format!("t:{{id}}/kind{n}/{{v}}"));
    registering("apart behind a value that may go on", |n| format!("t:{{id}}-kind{n}"));
    registering("apart behind a greedy value", |n| format!("t:{{+all}}/kind{n}/{{v}}"));
    registering("apart in two places", two_places);

    println!();
    println!("us for one read, by the bytes of the URI (in proportion to them at most)");
    println!("{:<44} {:>9} {:>9} {:>9} {:>9}", "", 64, 512, 4_096, 32_768);
    by_length("{a}-{b}-{c}-{d}, all of it -", &["t:{a}-{b}-{c}-{d}".to_owned()], |bytes| {
        format!("t:{}", "-".repeat(bytes))
    });
    by_length("{+a}/x/{b}/y, all of it /x", &["t:{+a}/x/{b}/y".to_owned()], |bytes| {
        format!("t:{}", "/x".repeat(bytes / 2))
    });
    by_length("{?a*,b,c}, all of it a=&", &["t:{?a*,b,c}".to_owned()], |bytes| {
        format!("t:?{}", "a=&".repeat(bytes / 3))
    });
    by_length("{/a*}, all of it /%2e", &["t:{/a*}".to_owned()], |bytes| {
        format!("t:{}", "/%2e".repeat(bytes / 4))
    });
    let hundreds: Vec<_> = (0..300).map(|n| format!("t:{{+a}}/kind{n}/{{b}}")).collect();
    by_length("300 of {+a}/kind0/{b}, all of it /kind1", &hundreds, |bytes| {
        format!("t:{}", "/kind1".repeat(bytes / 6))
    });
}

fn two_places(n: usize) -> String {
    format!("t:{{id}}/kind{}/{{v}}/part{}", n % 100, n / 100)
}

/// Prefixes of eight bytes each, within each other.
fn nested(n: usize, last: &str) -> String {
    let mut text = "t:".to_owned();
    for level in 0..=n % 64 {
        write!(text, "level{level:02}/").expect("strings take everything");
    }
    format!("{text}{}/{last}", n / 64)
}

fn by_number(what: &str, template: impl Fn(usize) -> String, uri: impl Fn(usize) -> String) {
    print!("{what:<44}");
    for number in [10, 100, 1_000, 10_000] {
        let server = server();
        register(&server, number, &template);
        print!(" {:>9.2}", read(&server, &uri(number / 2)));
    }
    println!();
}

fn registering(what: &str, template: impl Fn(usize) -> String) {
    print!("{what:<44}");
    for number in [10, 100, 1_000, 10_000] {
        let round = |_| {
            let server = server();
            let began = Instant::now();
            register(&server, number, &template);
            began.elapsed()
        };
        let best = (0..5).map(round).min().expect("there are rounds"); // one may be disturbed
        print!(" {:>9.2}", best.as_secs_f64() * 1e6 / number as f64);
    }
    println!();
}

fn register(server: &Server, number: usize, template: impl Fn(usize) -> String) {
    for n in 0..number {
        server.template(Template::new(template(n)), |_| "").expect("the templates differ");
    }
}

fn by_length(what: &str, templates: &[String], uri: impl Fn(usize) -> String) {
    print!("{what:<44}");
    for bytes in [64, 512, 4_096, 32_768] {
        let server = server();
        for template in templates {
            server.template(Template::new(template), |_| "").expect("the templates differ");
        }
        print!(" {:>9.2}", read(&server, &uri(bytes)));
    }
    println!();
}

fn server() -> Server {
    let mut limits = Limits::default();
    limits.uri_bytes = 1 << 20;
    Server::builder("bench", "1").limits(limits).build().expect("there is randomness")
}

/// Microseconds of one read, at best.
fn read(server: &Server, uri: &str) -> f64 {
    let connection = server.connect(Caller::default());
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"{uri}","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    ) + "\n";
    let began = Instant::now();
    exchange(&connection, message.as_bytes());
    let calls = (2_000_000 / began.elapsed().as_nanos().max(1)).clamp(1, 1_000);
    let mut best = Duration::MAX;
    for _ in 0..100 {
        let began = Instant::now();
        for _ in 0..calls {
            exchange(&connection, message.as_bytes());
        }
        best = best.min(began.elapsed());
    }
    best.as_secs_f64() * 1e6 / calls as f64
}

fn exchange(connection: &Connection, message: &[u8]) {
    assert_eq!(connection.receive(message), message.len());
    while let Some(event) = connection.poll_event() {
        connection.run(|| event.run());
    }
    while let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) {
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let taken = transmit.bytes.len();
            drain.wrote(taken);
        }
    }
}
