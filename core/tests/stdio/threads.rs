//! Where callbacks run, and what goes on while they do.

use crate::client::Client;
use serde_json::json;

crate::tests![
    a_slow_callback_delays_neither_ping_nor_fixed_reads_nor_refusals,
    a_slow_callback_sees_its_cancellation,
    progress_goes_out_while_the_callback_runs,
    answers_and_changes_of_other_threads_go_out_while_every_callback_thread_is_busy,
    callback_threads_that_all_become_busy_at_once_leave_nothing_unread,
    other_reads_run_during_slow_callbacks_if_there_are_threads_for_them,
    a_callback_that_panics_is_an_internal_error_and_the_next_one_runs,
    answers_from_many_threads_all_arrive,
    an_answer_held_too_long_becomes_an_internal_error,
    inline_callbacks_and_those_of_one_thread_all_run_on_one_thread,
    a_second_driver_is_refused_while_one_runs,
    a_closed_server_is_not_served,
    a_hundred_services_leave_neither_files_nor_threads_behind,
];

fn a_slow_callback_delays_neither_ping_nor_fixed_reads_nor_refusals() {
    for threads in ["threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let slow = client.send_read("host://gate/1");
        client.steer("entered 1");
        client.ping();
        assert_eq!(client.read("host://fixed"), "fixed");
        let missing = client.send_read("host://missing");
        assert_eq!(client.answer(missing)["error"]["code"], -32002);
        client.steer("open");
        assert_eq!(client.text(slow), "1");
    }
}

fn a_slow_callback_sees_its_cancellation() {
    for threads in ["threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let slow = client.send_read("host://gate/1");
        client.steer("entered 1");
        client.cancel(slow);
        client.ping(); // answered after the cancellation was read
        client.steer("open");
        assert_eq!(client.read("host://gate/2"), "2");
        assert_eq!(client.steer("cancelled"), "host://gate/1");
    }
}

fn progress_goes_out_while_the_callback_runs() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let params = json!({ "uri": "host://gate/1", "_meta": { "progressToken": "slow" } });
        let slow = client.request("resources/read", &params);
        let progress = client.message("the progress of the slow read");
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        assert_eq!(progress["params"], json!({ "progressToken": "slow", "progress": 1 }));
        client.steer("open");
        assert_eq!(client.text(slow), "1");
    }
}

fn answers_and_changes_of_other_threads_go_out_while_every_callback_thread_is_busy() {
    for (threads, gates) in [("threads=0", 1), ("threads=1", 1), ("threads=4", 4)] {
        let mut client = Client::connect(threads);
        let subscribed = client.request("resources/subscribe", &json!({ "uri": "host://watch/0" }));
        client.answer(subscribed);
        let held: Vec<u64> = (0..2).map(|n| client.send_read(&format!("host://held/{n}"))).collect();
        for n in 0..gates {
            client.send_read(&format!("host://gate/{n}"));
        }
        client.steer(&format!("entered {gates}"));
        // A pool may have come to them in any order.
        let mut answered = Vec::new();
        for _ in 0..held.len() {
            client.steer("answer 1 1");
            let answer = client.message("the answer of another thread");
            assert_eq!(answer["result"]["contents"][0]["text"], "later", "{answer}");
            answered.extend(answer["id"].as_u64());
            client.steer("update 1 1 1");
            assert_eq!(client.message("the change")["params"]["uri"], "host://watch/0");
        }
        answered.sort_unstable();
        assert_eq!(answered, held);
        client.steer("open");
    }
}

fn callback_threads_that_all_become_busy_at_once_leave_nothing_unread() {
    const ROUNDS: usize = 300;
    for (threads, gates) in [("threads=1", 1), ("threads=4", 4)] {
        let mut client = Client::connect(threads);
        let ping = |id: usize| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        for round in 0..ROUNDS {
            // The thread that takes a call of these lines from the input leaves the lines behind it to the others.
            let mut lines = String::new();
            for n in 0..gates {
                let params = json!({ "uri": format!("host://gate/{n}") });
                let read = json!({ "jsonrpc": "2.0", "id": n, "method": "resources/read", "params": params });
                lines.extend([read.to_string(), "\n".into(), ping(10 + n).to_string(), "\n".into()]);
            }
            client.steer("shut");
            let (first, rest) = lines.split_at(lines.len() * (round % 7) / 7);
            client.write(first.as_bytes());
            client.write(rest.as_bytes());
            let mut pinged: Vec<_> =
                (0..gates).map(|_| client.message("a ping's answer")["id"].as_u64()).collect();
            pinged.sort_unstable();
            assert_eq!(pinged, (10..10 + gates as u64).map(Some).collect::<Vec<_>>());
            client.steer(&format!("entered {gates}"));
            client.steer("open");
            for _ in 0..gates {
                client.message("the answer of a slow read");
            }
        }
    }
}

fn other_reads_run_during_slow_callbacks_if_there_are_threads_for_them() {
    let mut client = Client::connect("threads=4");
    let slow: Vec<u64> = (0..3).map(|n| client.send_read(&format!("host://gate/{n}"))).collect();
    client.steer("entered 3");
    // Many at once: none of them may be given to a thread that is busy. A pool answers in any order.
    let quick: Vec<u64> = (0..200).map(|n| client.send_read(&format!("host://echo/{n}"))).collect();
    let answered = |client: &mut Client, ids: Vec<u64>, what: &str| {
        let mut answered: Vec<_> = ids.iter().map(|_| client.message(what)["id"].as_u64()).collect();
        answered.sort_unstable();
        assert_eq!(answered, ids.into_iter().map(Some).collect::<Vec<_>>());
    };
    answered(&mut client, quick, "the quick answers");
    client.steer("open");
    answered(&mut client, slow, "the slow answers");
}

fn a_callback_that_panics_is_an_internal_error_and_the_next_one_runs() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        for _ in 0..3 {
            let id = client.send_read("host://panic");
            let answer = client.answer(id);
            assert_eq!(answer["error"], json!({ "code": -32603, "message": "Internal error" }));
        }
        assert_eq!(client.read("host://echo/1"), "1");
        client.close_input();
        client.ends_well();
    }
}

fn answers_from_many_threads_all_arrive() {
    const READS: usize = 800;
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(threads);
        let mut wanted: Vec<u64> =
            (0..READS).map(|n| client.send_read(&format!("host://held/{n}"))).collect();
        client.steer(&format!("answer {READS} 16"));
        while !wanted.is_empty() {
            let answer = client.message("a deferred answer");
            assert_eq!(answer["result"]["contents"][0]["text"], "later");
            wanted.retain(|id| answer["id"] != *id);
        }
        client.close_input();
        client.ends_well();
    }
}

fn an_answer_held_too_long_becomes_an_internal_error() {
    for threads in ["threads=0", "threads=1", "threads=4"] {
        let mut client = Client::connect(&format!("{threads} call_ms=50"));
        let held = client.send_read("host://held/1");
        assert_eq!(client.answer(held)["error"]["code"], -32603);
        client.steer("answer 1 1"); // too late, and no matter
        client.ping();
        assert!(client.said().contains("host://held/1 was not answered"), "{}", client.said());
    }
}

fn inline_callbacks_and_those_of_one_thread_all_run_on_one_thread() {
    for threads in ["threads=0", "threads=1"] {
        let mut client = Client::connect(threads);
        let thread = client.read("host://thread/0");
        // More than may be in flight: the others are taken up when an answer comes from another thread.
        for n in 0..1024 {
            client.send_read(&format!("host://held/{n}"));
        }
        let first = client.send_read("host://thread/1");
        for n in 2..100 {
            client.send_read(&format!("host://thread/{n}"));
        }
        client.steer("answer 1024 4");
        for _ in 0..1024 + 99 {
            let answer = client.message("an answer");
            if answer["id"].as_u64() >= Some(first) {
                assert_eq!(answer["result"]["contents"][0]["text"], thread);
            }
        }
    }
}

fn a_second_driver_is_refused_while_one_runs() {
    let mut client = Client::connect("");
    let refusal = client.read("host://serve-again");
    assert!(refusal.contains("served already"), "{refusal}");
    client.ping();
}

fn a_closed_server_is_not_served() {
    let mut client = Client::start("closed=1");
    let served = client.served();
    assert!(served.result.contains("closed") && served.restored, "{served:?}");
    client.exits();
}

fn a_hundred_services_leave_neither_files_nor_threads_behind() {
    let mut client = Client::start("cycles=100 threads=4 sigterm=1");
    client.close_input();
    let served: Vec<_> = (0..100).map(|_| client.served()).collect();
    for served in &served {
        served.well();
    }
    // The first one may open what stays for good.
    let (second, last) = (&served[1], &served[99]);
    assert_eq!((second.files, second.threads), (last.files, last.threads));
    client.exits();
}
