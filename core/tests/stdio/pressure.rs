//! A client that takes little or nothing of what it is sent.

use crate::client::Client;
use serde_json::json;
use std::process::Command;

crate::tests![
    twenty_thousand_requests_before_an_answer_is_read_are_all_answered,
    a_program_that_continues_is_not_blocked_by_a_client_that_does_not_read,
    a_large_body_is_written_in_little_memory_and_holds_nothing_up,
    a_client_that_vanishes_in_a_body_ends_the_service,
    a_client_that_is_killed_ends_the_service,
];

const MIB: usize = 1 << 20;

fn twenty_thousand_requests_before_an_answer_is_read_are_all_answered() {
    const REQUESTS: usize = 20_000;
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let first = client.send_read("host://fixed");
        for n in 1..REQUESTS {
            client.send_read(&format!("host://echo/{n}"));
        }
        let mut seen = vec![false; REQUESTS];
        for _ in 0..REQUESTS {
            let answer = client.message("one of 20,000 answers");
            assert!(answer["result"]["contents"][0]["text"].is_string(), "{answer}");
            let at = (answer["id"].as_u64().expect("an answer to a request") - first) as usize;
            assert!(!std::mem::replace(&mut seen[at], true), "answered twice: {answer}");
        }
        client.close_input();
        assert_eq!(client.rest(), [] as [serde_json::Value; 0]);
        client.ends_well();
    }
}

fn a_program_that_continues_is_not_blocked_by_a_client_that_does_not_read() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        for n in 0..100 {
            let id = client.request("resources/subscribe", &json!({ "uri": format!("host://watch/{n}") }));
            client.answer(id);
        }
        let id = client.request("resources/subscribe", &json!({ "uri": "host://edited" }));
        client.answer(id);
        let body = client.send_read("host://blob/8");
        while client.receive("the body to begin") == 0 {}
        let before = client.memory("VmRSS");
        // The writer is stuck now. The application is not.
        client.steer("update 100 200 2");
        for n in 1..=100 {
            client.steer(&format!("edit {n}"));
        }
        let more = client.memory("VmHWM").saturating_sub(before);
        assert!(more < 16 * MIB, "{more} bytes more for changes that the client does not take");

        let fixed = client.send_read("host://fixed");
        let edited = client.send_read("host://edited");
        assert_eq!(client.answer(body)["result"]["contents"][0]["uri"], "host://blob/8");
        let mut updated = Vec::new();
        let mut texts = Vec::new();
        while updated.len() < 101 || texts.len() < 2 {
            let message = client.message("all changes and both answers");
            match message["params"]["uri"].as_str() {
                Some(uri) => updated.push(uri.to_owned()),
                None => {
                    texts.push((message["id"].as_u64(), message["result"]["contents"][0]["text"].clone()));
                }
            }
        }
        texts.sort_by_key(|(id, _)| *id);
        assert_eq!(texts, [(Some(fixed), json!("fixed")), (Some(edited), json!("100"))]);
        updated.sort();
        updated.dedup();
        assert_eq!(updated.len(), 101, "each changed URI is named once");
        client.close_input();
        client.ends_well();
    }
}

fn a_large_body_is_written_in_little_memory_and_holds_nothing_up() {
    for threads in ["threads=0", "threads=1"] {
        let mut client = Client::connect(threads);
        client.ping();
        let before = client.memory("VmRSS");
        let body = client.send_read("host://blob/64");
        client.receive("the body to begin");
        // It is being written: these are read, answered, and wait behind it.
        let fixed = client.send_read("host://fixed");
        let echo = client.send_read("host://echo/1");
        let ping = client.request("ping", &json!({}));
        let line = client.line("the body").expect("the body");
        assert!(
            line.len() > 64 * MIB / 3 * 4
                && line.starts_with(format!("{{\"jsonrpc\":\"2.0\",\"id\":{body},").as_bytes())
        );
        let mut answered: Vec<_> =
            (0..3).map(|_| client.message("the answers behind the body")["id"].as_u64()).collect();
        answered.sort_unstable();
        assert_eq!(answered, [fixed, echo, ping].map(Some));
        let more = client.memory("VmHWM").saturating_sub(before);
        assert!(more < (64 + 3) * MIB, "{more} bytes more for a body of 64 MiB");
        client.close_input();
        client.ends_well();
    }
}

fn a_client_that_vanishes_in_a_body_ends_the_service() {
    for wires in [crate::client::Wires::Pipes, crate::client::Wires::Sockets] {
        let mut client = Client::connect_on(wires, "");
        client.send_read("host://blob/8");
        client.receive("the body to begin");
        client.close_output(); // the input stays open
        client.ends_well();
    }
}

fn a_client_that_is_killed_ends_the_service() {
    let mut client = Client::connect("");
    client.send_read("host://blob/8");
    client.receive("the body to begin");
    client.send_read("host://held/1");
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":");
    let mut other = client.hand_wires_to(Command::new("sleep").arg("1000"));
    other.kill().expect("it is our child");
    other.wait().expect("it is our child");
    client.ends_well();
}
