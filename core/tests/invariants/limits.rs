//! A client costs at most its limits.

use crate::support::{
    answers, connect, connect_as, drain, feed, limited, on_uri, request, send_request, serve, server,
};
use std::sync::{Arc, Mutex, mpsc};
use wellhead::{Handled, Provider};

/// Invariant 6.
#[test]
fn ten_million_changes_cost_a_client_that_never_reads_one_update_for_each_uri() {
    let server = server();
    for n in 0..10 {
        server.text(format!("m://{n}").as_str(), "x").unwrap();
    }
    let connection = connect(&server);
    for n in 0..10 {
        assert_eq!(answers(&send_request(&connection, &on_uri(n, "subscribe", &format!("m://{n}"))), n), 1);
    }
    let uris: Vec<_> = (0..10).map(|n| format!("m://{n}")).collect();
    // Debug builds count to a hundredth of it: what is kept either grows with each change or not at all.
    let changes = if cfg!(debug_assertions) { 100_000 } else { 10_000_000 };
    for n in 0..changes {
        server.notify_updated(&uris[n % 10]).unwrap();
        if n % 1_000 == 0 {
            server.notify_resource_list_changed().unwrap();
        }
    }
    let output = drain(&connection);
    assert_eq!(output.matches("resources/updated").count(), 10);
    assert_eq!(output.matches("list_changed").count(), 1);
    assert_eq!(output.lines().count(), 11);
}

/// Invariant 6.
#[test]
fn a_client_that_floods_without_reading_is_not_read_any_further() {
    for line in [r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "x", "[]", r#"{"jsonrpc":"1","id":2}"#] {
        let server = limited(|limits| {
            limits.message_bytes = 1 << 10;
            limits.output_bytes = 10_000;
        });
        let connection = connect(&server);
        let block = format!("{line}\n").repeat(1_000);
        let mut accepted = 0;
        for _ in 0..1_000 {
            let took = connection.receive(block.as_bytes());
            serve(&connection);
            accepted += took;
            if took == 0 {
                break;
            }
        }
        assert_eq!(connection.receive(b"x"), 0, "{line}: {accepted} bytes and no end");
        let output = drain(&connection);
        // The output cap, the input budget, and one answer that went over.
        assert!(output.len() <= 10_000 + (64 << 10) + 1_000, "{line}: {} bytes", output.len());
        serve(&connection);
        assert!(connection.receive(b"\n") == 1, "{line}: it reads again");
    }
}

/// Invariant 6.
#[test]
fn batches_with_calls_that_are_never_answered_stay_within_the_limits() {
    let server = limited(|limits| {
        limits.message_bytes = 4 << 10;
        limits.output_bytes = 10_000;
    });
    server.fallback(|_| "").unwrap();
    let connection = connect_as(&server, "2025-03-26");
    let mut held = Vec::new();
    let mut accepted = 0;
    for n in 0..1_000 {
        let batch = format!("[{}{}]\n", "0,".repeat(99), on_uri(n, "read", "m://x"));
        accepted += connection.receive(batch.as_bytes());
        while let Some(event) = connection.poll_event() {
            held.push(event);
        }
    }
    assert_eq!(connection.receive(b"x"), 0, "{accepted} bytes and no end");
    assert_eq!(drain(&connection), "", "no batch is complete");
    drop(held);
    serve(&connection);
    // The output cap, the input budget, and one batch that went over.
    let output = drain(&connection);
    assert!(output.len() <= 10_000 + (64 << 10) + 20_000, "{} bytes", output.len());
}

/// Invariant 6.
#[test]
fn a_batch_that_has_gathered_more_than_the_output_cap_can_still_be_cancelled() {
    let server = limited(|limits| {
        limits.message_bytes = 4 << 10;
        limits.output_bytes = 1_000;
    });
    server.text("m://large", "x".repeat(200_000)).unwrap();
    server.fallback(|_| "").unwrap();
    let connection = connect_as(&server, "2025-03-26");
    let (large, held) = (on_uri(1, "read", "m://large"), on_uri(2, "read", "m://held"));
    feed(&connection, &format!("[{large},{held}]"));
    let call = crate::support::next_read(&connection);
    assert!(connection.poll_event().is_none());
    feed(&connection, &crate::support::cancel(2));
    serve(&connection);
    assert!(call.is_cancelled());
    assert_eq!(answers(&drain(&connection), 1), 1);
}

/// Invariant 6.
#[test]
fn a_line_that_fills_half_of_the_input_budget_does_not_stop_the_reader_for_good() {
    let server = limited(|limits| limits.message_bytes = 32 << 10);
    let group = server.group(|| {});
    let connection = group.connect(wellhead::Caller::default());
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut line = "\n".repeat(32 << 10);
    line += &" ".repeat((32 << 10) - ping.len());
    line += ping;
    assert_eq!(connection.receive(line.as_bytes()), line.len());
    assert_eq!(connection.receive(b"\n"), 0, "the budget is used up");
    serve(&connection);
    assert!(group.next().is_some(), "the reader is woken");
    assert_eq!(connection.receive(b"\n"), 1);
    serve(&connection);
    assert_eq!(answers(&drain(&connection), 1), 1);
}

/// Invariant 6.
#[test]
fn cancelling_costs_the_same_among_a_hundred_thousand_waiting_requests() {
    let server = limited(|limits| limits.calls_in_flight = 1);
    server.fallback(|_| "").unwrap();
    let connection = connect(&server);
    feed(&connection, &on_uri(0, "read", "m://x"));
    let held = crate::support::next_read(&connection);
    // Backwards, so that a search from the front would look at all of them.
    let many = 20_000;
    for id in 1..=many {
        feed(&connection, &on_uri(id, "read", "m://x"));
        serve(&connection);
    }
    for id in (1..=many).rev() {
        feed(&connection, &crate::support::cancel(id));
        serve(&connection);
    }
    drop(held);
    serve(&connection);
    assert_eq!(drain(&connection).lines().count(), 1, "only the one that was dropped");
}

/// Invariant 6.
#[test]
fn subscriptions_and_streams_end_at_their_limits() {
    let server = limited(|limits| {
        limits.subscriptions = 3;
        limits.subscriptions_total = 5;
    });
    server.fallback(|_| "").unwrap();
    let connections = [connect(&server), connect(&server)];
    let mut granted = 0;
    for connection in &connections {
        for n in 0..4 {
            let answer = send_request(connection, &on_uri(n, "subscribe", &format!("m://{n}")));
            assert_eq!(answers(&answer, n), 1);
            granted += usize::from(answer.contains("result"));
        }
    }
    assert_eq!(granted, 5, "three, and two of the next");
    connections[0].close();
    let answer = send_request(&connections[1], &on_uri(9, "subscribe", "m://9"));
    assert!(answer.contains("result"), "what is closed costs nothing: {answer}");
}

type Meanwhile = Box<dyn FnOnce() + Send>;

/// Says that it knows everything, but something happens first.
struct Slow(Mutex<Option<Meanwhile>>);

impl Provider for Slow {
    fn exists(&self, _: &str) -> bool {
        let meanwhile = self.0.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        true
    }
}

/// Invariant 6.
#[test]
fn subscriptions_that_are_looked_up_side_by_side_stay_within_the_limit() {
    let server = limited(|limits| limits.subscriptions = 1);
    let slow = Arc::new(Slow(Mutex::default()));
    server.add_resource("m://slow", Some(slow.clone())).unwrap();
    server.text("m://other", "x").unwrap();
    let connection = connect(&server);
    let (other, (answered, answers)) = (connection.clone(), mpsc::channel());
    *slow.0.lock().unwrap() = Some(Box::new(move || {
        answered.send(other.handle(on_uri(2, "subscribe", "m://other").as_bytes())).unwrap();
    }));
    let refused = send_request(&connection, &on_uri(1, "subscribe", "m://slow"));
    let Ok(Ok(Handled::Answer(allowed))) = answers.try_recv() else { panic!("it was not looked up") };
    assert!(String::from_utf8(allowed).unwrap().contains("result"));
    assert!(refused.contains(r#""limit":"subscriptions""#), "{refused}");
}

/// Invariant 6.
#[test]
fn messages_over_the_limits_are_refused_and_the_next_is_read() {
    let server = limited(|limits| limits.message_bytes = 1_000);
    let connection = connect(&server);
    let long = request(1, "ping", &format!(r#"{{"x":"{}"}}"#, "y".repeat(2_000)));
    assert!(send_request(&connection, &long).contains("message_bytes"));
    assert_eq!(answers(&send_request(&connection, &request(2, "ping", "{}")), 2), 1);
}

/// Invariant 6. A cost that grew with the square of their number would keep this test busy for many minutes.
#[test]
fn a_listen_request_with_refused_uris_costs_each_uri_the_same() {
    let server = limited(|limits| {
        limits.message_bytes = 64 << 20;
        limits.subscriptions = 100_000;
    });
    server.fallback(|_| "").unwrap();
    server.authorize(|call| vec![wellhead::Verdict::Deny; call.targets().len()]).unwrap();
    let connection = server.connect(wellhead::Caller::default());
    let base = format!("m://{}", "a".repeat(380));
    let uris: Vec<_> = (0..100_000).map(|n| format!(r#""{base}{n:06}""#)).collect();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let uris = uris.join(",");
    let params = format!(r#"{{"notifications":{{"resourceSubscriptions":[{uris}]}},{meta}}}"#);
    // With a cost that grows with the number, this would take hours: then the test fails instead of going on.
    let (answered, answers) = mpsc::channel();
    std::thread::spawn(move || {
        feed(&connection, &request(1, "subscriptions/listen", &params));
        serve(&connection);
        let _ = answered.send(drain(&connection));
    });
    let told = answers.recv_timeout(std::time::Duration::from_secs(60)).expect("an acknowledgement by now");
    assert!(told.contains("acknowledged") && !told.contains("m://"), "{}", &told[..told.len().min(300)]);
}

/// Invariant 6. A cost that grew with the square of their number would keep this test busy for many minutes.
#[test]
fn a_request_that_ends_many_subscriptions_with_unsent_changes_costs_each_the_same() {
    let server = limited(|limits| {
        limits.message_bytes = 64 << 20;
        limits.subscriptions = 100_000;
    });
    server.fallback(|_| "").unwrap();
    let connection = server.connect(wellhead::Caller::default());
    let base = format!("m://{}", "a".repeat(300));
    let mut uris: Vec<_> = (0..100_000).map(|n| format!("{base}{n:06}")).collect();
    let of_all = |id, method: &str, uris: &[String]| {
        request(id, &format!("resources/{method}"), &format!(r#"{{"uris":["{}"]}}"#, uris.join(r#"",""#)))
    };
    assert_eq!(answers(&send_request(&connection, &of_all(1, "subscribe", &uris)), 1), 1);
    for uri in &uris {
        server.notify_updated(uri).unwrap();
    }
    // Backwards, so that a search from the front would look at all of them. One stays.
    uris.reverse();
    let output = send_request(&connection, &of_all(2, "unsubscribe", &uris[1..]));
    assert_eq!((answers(&output, 2), output.lines().count()), (1, 2), "the answer, and one change");
    assert!(output.contains(&uris[0]), "{output}");
}
