//! The bytes on standard input and output, and those that must not be there.

use crate::client::{Client, Wires, enlarged_pipe, initialize};
use serde_json::json;

crate::tests![
    a_client_over_pipes_shakes_hands_reads_and_leaves,
    a_client_over_sockets_shakes_hands_reads_and_leaves,
    a_file_as_input_is_answered_to_its_end,
    only_messages_reach_the_client_when_the_program_and_its_children_print,
    the_descriptors_are_restored_after_serving,
    descriptors_that_other_processes_share_stay_blocking_during_a_service,
    pipes_are_enlarged_as_far_as_the_system_lets_them,
    a_last_line_without_a_newline_is_answered,
    carriage_returns_and_blank_lines_are_ignored,
    a_bad_line_is_answered_and_the_next_is_read,
    a_line_over_the_limit_is_refused_and_skipped,
    lines_stay_whole_when_many_threads_notify_and_answer,
    a_terminal_as_input_shows_what_the_service_waits_for,
];

fn shakes_hands_reads_and_leaves(wires: Wires) {
    let mut client = Client::connect_on(wires, "");
    client.ping();
    assert_eq!(client.read("host://fixed"), "fixed");
    assert_eq!(client.read("host://echo/7"), "7");
    // row: S-08
    assert_eq!(client.read("host://caller"), format!("{:?}", wellhead::Caller::default()));
    let missing = client.send_read("host://missing");
    assert_eq!(client.answer(missing)["error"]["code"], -32002);
    client.close_input();
    assert_eq!(client.rest(), [] as [serde_json::Value; 0]);
    client.ends_well();
}

fn a_client_over_pipes_shakes_hands_reads_and_leaves() {
    shakes_hands_reads_and_leaves(Wires::Pipes);
}

// row: S-09
fn a_client_over_sockets_shakes_hands_reads_and_leaves() {
    shakes_hands_reads_and_leaves(Wires::Sockets);
}

fn a_file_as_input_is_answered_to_its_end() {
    let lines = concat!(
        r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"host://echo/1"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"host://fixed"}}"#,
    );
    let mut client = Client::start_on(Wires::File(lines), "");
    let mut ids: Vec<_> = client.rest().into_iter().map(|message| message["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"init\"", "1", "2"]);
    client.ends_well();
}

// row: S-02
fn only_messages_reach_the_client_when_the_program_and_its_children_print() {
    for wires in [Wires::Pipes, Wires::Sockets] {
        let mut client = Client::connect_on(wires, "");
        // The ping is there for the child process to swallow, if it could.
        let noise = client.send_read("host://noise");
        let ping = client.request("ping", &json!({}));
        let mut answers = [client.message("an answer"), client.message("the other answer")];
        answers.sort_by_key(|answer| answer["id"].as_u64());
        assert_eq!(answers[0]["result"]["contents"][0]["text"], "the child ended with exit status: 0");
        assert_eq!([&answers[0]["id"], &answers[1]["id"]], [noise, ping]);
        client.close_input();
        assert_eq!(client.rest(), [] as [serde_json::Value; 0]);
        assert!(client.said().contains("a stray print of the application\n"), "{}", client.said());
        assert!(client.said().contains("a stray print of its child\n"), "{}", client.said());
        client.ends_well();
    }
}

// row: S-02
fn the_descriptors_are_restored_after_serving() {
    let mut client = Client::connect("");
    client.close_input();
    let served = client.served();
    assert!(served.restored);
    client.exits();
}

fn descriptors_that_other_processes_share_stay_blocking_during_a_service() {
    for wires in [Wires::Pipes, Wires::Sockets] {
        for threads in ["threads=0", "threads=1"] {
            let mut client = Client::connect_on(wires, threads);
            let body = client.send_read("host://blob/8");
            while client.receive("the body to begin") == 0 {} // the pipe is full, so a thread waits in a write
            assert_eq!(client.steer("blocking"), "true true", "{wires:?} {threads}");
            client.answer(body);
            client.close_input();
            assert!(client.served().restored, "the flags are as before");
            client.exits();
        }
    }
}

fn pipes_are_enlarged_as_far_as_the_system_lets_them() {
    let mut client = Client::connect("");
    let size = enlarged_pipe(1 << 20);
    assert_eq!(client.pipe_sizes(), [size, size]);
    client.close_input();
    client.ends_well();
}

// row: S-05
fn a_last_line_without_a_newline_is_answered() {
    let mut client = Client::connect("");
    client.write(br#"{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"host://echo/8"}}"#);
    client.close_input();
    assert_eq!(client.text(8), "8");
    client.ends_well();
}

// row: S-01
fn carriage_returns_and_blank_lines_are_ignored() {
    let mut client = Client::connect("");
    client.write(b"\r\n\n   \n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\r\n\r\n");
    assert_eq!(client.answer(9)["result"], json!({}));
    client.ping();
}

// row: S-03
fn a_bad_line_is_answered_and_the_next_is_read() {
    let mut client = Client::connect("");
    for line in [&b"{\"jsonrpc\":\n"[..], b"\"\xff\"\n", b"nonsense\n"] {
        client.write(line);
        assert_eq!(client.message("an error")["error"]["code"], -32700);
    }
    client.ping();
}

// row: S-06
fn a_line_over_the_limit_is_refused_and_skipped() {
    let mut client = Client::connect("message_bytes=100000");
    let mut line = vec![b' '; 1_000_000];
    line.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    client.write(&line);
    let refusal = client.message("the refusal");
    assert_eq!(refusal["error"]["code"], -32600);
    assert_eq!(refusal["error"]["data"], json!({ "limit": "message_bytes", "max": 100_000 }));
    assert!(refusal["id"].is_null(), "{refusal}");
    client.ping();
}

// row: S-07
fn lines_stay_whole_when_many_threads_notify_and_answer() {
    const READS: u64 = 500;
    const WATCHED: u64 = 50;
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        for n in 0..WATCHED {
            let id = client.request("resources/subscribe", &json!({ "uri": format!("host://watch/{n}") }));
            client.answer(id);
        }
        let ids: Vec<u64> = (0..READS)
            .map(|n| {
                client.send_read(&format!("host://held/{n}"));
                client.send_read(&format!("host://echo/{n}"))
            })
            .collect();
        client.steer(&format!("answer {READS} 8"));
        client.steer(&format!("update {WATCHED} 3 8"));
        let last = *ids.last().expect("there are some");
        let mut seen = std::collections::BTreeSet::new();
        while seen.len() < 2 * READS as usize {
            let message = client.message("the answers of many threads");
            match message["id"].as_u64() {
                Some(id) => assert!(seen.insert(id) && id <= last, "{message}"),
                None => assert_eq!(message["method"], "notifications/resources/updated", "{message}"),
            }
        }
        client.close_input();
        assert!(client.rest().iter().all(|message| message["method"] == "notifications/resources/updated"));
        client.ends_well();
    }
}

fn a_terminal_as_input_shows_what_the_service_waits_for() {
    let mut client = Client::start_on(Wires::Terminal, "");
    client.send(&initialize());
    assert_eq!(client.message("the answer to initialize")["id"], "init");
    let said = client.said();
    assert!(said.contains("waiting for an MCP client on standard input"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
