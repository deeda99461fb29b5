//! How a service ends.

use crate::client::{Client, Wires};
use serde_json::{Value, json};

crate::tests![
    input_before_the_end_is_answered,
    the_interest_handler_is_called_even_if_the_input_ends_at_once,
    an_answer_that_never_comes_delays_the_end_by_the_shutdown_time_only,
    a_service_with_a_shutdown_time_without_end_ends,
    a_cancelled_call_does_not_delay_the_end,
    a_client_that_never_reads_delays_the_end_by_the_shutdown_time_only,
    sigterm_ends_listen_streams_answers_what_is_in_flight_and_exits_with_0,
    sigterm_drops_a_line_that_is_not_finished,
    sigterm_ends_a_service_whose_client_neither_reads_nor_stops_writing,
    after_the_service_sigterm_ends_the_process_again,
    closing_the_server_ends_streams_and_the_service,
    closing_the_server_from_a_callback_ends_the_service,
    closing_the_server_while_the_client_does_not_read_ends_the_service_within_the_shutdown_time,
];

fn sorted_ids(messages: &[Value]) -> Vec<u64> {
    let mut ids: Vec<u64> = messages.iter().filter_map(|message| message["id"].as_u64()).collect();
    ids.sort_unstable();
    ids
}

fn the_interest_handler_is_called_even_if_the_input_ends_at_once() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} interest=1"));
        let uris: Vec<String> = (0..20).map(|n| format!("host://watch/{n}")).collect();
        for uri in &uris {
            client.request("resources/subscribe", &json!({ "uri": uri }));
        }
        client.close_input();
        assert_eq!(client.rest().len(), uris.len());
        client.served().well();
        client.exits();
        let said = client.said();
        for uri in &uris {
            assert!(said.contains(&format!("interest in {uri}: true")), "{threads}, {uri}: {said}");
        }
        assert!(!said.contains("was dropped"), "{threads}: {said}");
    }
}

// row: S-04
fn input_before_the_end_is_answered() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let stream = client.listen("host://fixed"); // an open stream does not delay the end
        let mut ids: Vec<u64> = (0..50).map(|n| client.send_read(&format!("host://echo/{n}"))).collect();
        ids.push(client.send_read("host://held/1"));
        client.close_input();
        client.steer("answer 1 1");
        let messages = client.rest();
        assert_eq!(sorted_ids(&messages), ids, "and nothing about stream {stream}");
        assert!(messages.iter().all(|message| message["result"]["contents"].is_array()));
        client.ends_well();
    }
}

// row: S-04
fn an_answer_that_never_comes_delays_the_end_by_the_shutdown_time_only() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} shutdown=300"));
        client.send_read("host://held/1");
        let echo = client.send_read("host://echo/1");
        client.close_input();
        assert_eq!(sorted_ids(&client.rest()), [echo]);
        client.ends_well();
    }
}

fn a_service_with_a_shutdown_time_without_end_ends() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} shutdown={}", u64::MAX));
        let echo = client.send_read("host://echo/1");
        client.close_input();
        assert_eq!(sorted_ids(&client.rest()), [echo]);
        client.ends_well();
    }
}

fn a_cancelled_call_does_not_delay_the_end() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} shutdown=86400000"));
        let held = client.send_read("host://held/1");
        let kept = client.send_read("host://held/2");
        client.ping(); // both are held
        client.cancel(held);
        client.cancel(kept);
        let echo = client.send_read("host://echo/1");
        client.close_input();
        assert_eq!(sorted_ids(&client.rest()), [echo]);
        client.ends_well();
    }
}

fn a_client_that_never_reads_delays_the_end_by_the_shutdown_time_only() {
    for wires in [Wires::Pipes, Wires::Sockets] {
        let mut client = Client::connect_on(wires, "shutdown=300");
        client.send_read("host://blob/8");
        client.close_input();
        client.ends_well();
    }
}

// row: S-10
fn sigterm_ends_listen_streams_answers_what_is_in_flight_and_exits_with_0() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} sigterm=1"));
        let stream = client.listen("host://fixed");
        let held = client.send_read("host://held/1");
        client.ping(); // what came before it was read
        client.terminate();
        let ended = client.answer(stream);
        assert_eq!(ended["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], stream, "{ended}");
        let cancelled = client.message("the cancellation of the stream");
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], stream);
        client.steer("answer 1 1");
        assert_eq!(client.text(held), "later");
        assert_eq!(client.rest(), [] as [Value; 0]);
        client.ends_well();
    }
}

// row: S-10
fn sigterm_drops_a_line_that_is_not_finished() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} sigterm=1"));
        let ping = json!({ "jsonrpc": "2.0", "id": 77, "method": "ping" }).to_string();
        client.write(format!("{ping}\n{}", &ping[..20]).as_bytes());
        assert_eq!(client.answer(77)["result"], json!({})); // what was written with it was read
        client.terminate();
        assert_eq!(client.rest(), [] as [Value; 0], "{threads}");
        client.ends_well();
    }
}

// row: S-10
fn sigterm_ends_a_service_whose_client_neither_reads_nor_stops_writing() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!(
            "{threads} sigterm=1 shutdown=300 message_bytes=100000 output_bytes=100000"
        ));
        client.send_read("host://blob/32");
        client.receive("the body to begin");
        // More than the driver accepts while its output is stuck, so that the reader waits for room.
        let long = "x".repeat(8000);
        let mut line = Vec::new();
        let mut refused = 0;
        for n in 0.. {
            if line.is_empty() {
                let read = json!({ "uri": format!("host://echo/{long}") });
                let request =
                    json!({ "jsonrpc": "2.0", "id": n, "method": "resources/read", "params": read });
                line = format!("{request}\n").into_bytes();
            }
            let left = client.write_until_full(&line, None);
            refused = if left < line.len() { 0 } else { refused + 1 };
            line.drain(..line.len() - left);
            if refused == 3 {
                break;
            }
            if left > 0 {
                client.steer("update 100 100 1"); // time for the reader
            }
        }
        client.terminate();
        client.ends_well();
    }
}

fn after_the_service_sigterm_ends_the_process_again() {
    let mut client = Client::connect("sigterm=1 linger=1 cycles=2");
    client.close_input();
    client.served().well();
    client.served().well();
    client.terminate();
    client.dies_of(rustix::process::Signal::TERM);
}

fn closing_the_server_ends_streams_and_the_service() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let stream = client.listen("host://fixed");
        client.steer("close");
        let messages = client.rest();
        assert_eq!(sorted_ids(&messages), [stream]);
        assert_eq!(messages[1]["method"], "notifications/cancelled");
        client.ends_well();
    }
}

fn closing_the_server_from_a_callback_ends_the_service() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        client.send_read("host://close");
        assert_eq!(client.rest(), [] as [Value; 0]);
        client.ends_well();
    }
}

fn closing_the_server_while_the_client_does_not_read_ends_the_service_within_the_shutdown_time() {
    for wires in [Wires::Pipes, Wires::Sockets] {
        let mut client = Client::connect_on(wires, "shutdown=300");
        client.send_read("host://blob/8");
        client.receive("the body to begin");
        client.request("resources/subscribe", &json!({ "uri": "host://fixed" }));
        client.steer("close");
        client.ends_well();
    }
}
