//! Exchanges of one session whose drivers poll only when they are rung for. Every exchange that has news is rung for,
//! even if another one is polled or answered.

use crate::models::resuming::{Got, Polled, begin_session, drive};
use crate::models::support::{Bell, explore, request, server};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Event, Verdict};

pub(crate) fn each_hears_of_its_answer() {
    let server = server();
    server.resource("a://later", |call| call.defer().0).expect("a new URI");
    server.text("a://now", "at once").expect("a new URI");
    let wake = Arc::new(Bell::default());
    let rings = wake.clone();
    let endpoint = server.endpoint().build(move || rings.ring()).unwrap();
    let session = begin_session(&endpoint);
    let read = |id: usize, uri: &str| {
        let within = [("mcp-session-id", session.as_str())];
        Polled::begin(
            &endpoint,
            "POST",
            &within,
            &request(id, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#)),
        )
    };
    let mut held = Vec::new();
    let mut begun = Vec::new();
    for id in [1, 2] {
        let (mut exchange, mut got) = (read(id, "a://later"), Got::default());
        exchange.proceed(&mut got, |event| match event {
            Event::Read(call) => held.push(call.into_responder()),
            event => event.run(),
        });
        begun.push((exchange, got));
    }

    let over = Arc::new(AtomicBool::new(false));
    let drivers = [0, 1].map(|_| drive(&endpoint, &wake, &over));
    let hosts = held.into_iter().map(|held| {
        thread::spawn(move || {
            assert!(held.finish("found"));
        })
    });
    let hosts: Vec<_> = hosts.collect();
    let clients = begun.into_iter().map(|(exchange, mut got)| {
        thread::spawn(move || {
            exchange.finish(&mut got);
            assert!(String::from_utf8_lossy(&got.body).contains("found"));
        })
    });
    let clients: Vec<_> = clients.collect();
    let mut got = Got::default();
    read(3, "a://now").finish(&mut got);
    assert!(String::from_utf8_lossy(&got.body).contains("at once"));
    for thread in hosts.into_iter().chain(clients) {
        thread.join().expect("it ends");
    }
    over.store(true, Ordering::SeqCst);
    wake.ring();
    for driver in drivers {
        driver.join().expect("it ends");
    }
}

/// The driver of an exchange knows the deadline of a question that another thread caused.
pub(crate) fn each_hears_of_its_questions() {
    let server = server();
    server.resource("a://asked", |_| "found").expect("a new URI");
    server.authorize(|_| Vec::new()).expect("the first");
    let wake = Arc::new(Bell::default());
    let rings = wake.clone();
    let endpoint = server.endpoint().build(move || rings.ring()).unwrap();
    let session = begin_session(&endpoint);
    let mut verdicts = Vec::new();
    let mut begun = Vec::new();
    for id in [1, 2] {
        let within = [("mcp-session-id", session.as_str())];
        let read = request(id, "resources/read", r#"{"uri":"a://asked"}"#);
        let (mut exchange, mut got) = (Polled::begin(&endpoint, "POST", &within, &read), Got::default());
        exchange.proceed(&mut got, |event| match event {
            Event::Authorize(call) => verdicts.push(call.into_responder()),
            event => event.run(),
        });
        begun.push((exchange, got));
    }
    let over = Arc::new(AtomicBool::new(false));
    let driver = drive(&endpoint, &wake, &over);
    let hosts: Vec<_> = verdicts
        .into_iter()
        .map(|verdict| thread::spawn(move || assert!(verdict.finish(vec![Verdict::Allow]))))
        .collect();
    for (exchange, mut got) in begun {
        exchange.finish(&mut got);
        assert!(String::from_utf8_lossy(&got.body).contains("found"));
    }
    for host in hosts {
        host.join().expect("it ends");
    }
    over.store(true, Ordering::SeqCst);
    wake.ring();
    driver.join().expect("it ends");
}

#[test]
fn each_exchange_of_a_session_is_woken_for_its_answer_on_any_polling_thread() {
    explore(3_000, each_hears_of_its_answer);
}

#[test]
fn each_exchange_of_a_session_is_woken_for_the_steps_after_a_verdict() {
    explore(3_000, each_hears_of_its_questions);
}
