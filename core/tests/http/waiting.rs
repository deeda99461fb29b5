//! Drivers are woken exactly for the exchanges that something new concerns.

use crate::client::{Got, World, hold, request, server};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use wellhead::http::{Endpoint, Progress, RequestHead};
use wellhead::{Event, Json, Limits, Provider, Server, Verdict};

const LATER: &str = r#""uri":"test://later""#;

fn world() -> World {
    World::new(&server())
}

#[test]
fn only_the_exchange_with_new_output_is_polled_again() {
    let world = world();
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (mut first, _) = hold(&world, &session, 1, &mut held);
    let (mut second, mut got) = hold(&world, &session, 2, &mut held);
    assert!(held.remove(1).finish("found"));
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!((first.is_ready(), second.is_ready()), (false, true));
    world.proceed(&mut second, &mut got, |_| {});
    assert!(got.done);
    assert_eq!(world.send("DELETE", &[("Mcp-Session-Id", &session)], "").1.status(), 204);
    assert!(world.endpoint.poll_event().is_none_or(|event| matches!(event, Event::Cancel(_))));
    while world.endpoint.poll_event().is_some() {}
    assert!(first.is_ready(), "it is over for everybody");
}

#[test]
fn an_exchange_is_woken_once_for_one_answer() {
    let world = world();
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (mut slow, mut got) = hold(&world, &session, 1, &mut held);
    assert!(held.remove(0).finish("to be taken in a while"));
    assert!(world.endpoint.poll_event().is_none());
    assert!(slow.is_ready());
    let (mut other, _) = hold(&world, &session, 2, &mut held);
    assert!(held.remove(0).finish("found"));
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!((slow.is_ready(), other.is_ready()), (false, true));
    world.proceed(&mut slow, &mut got, |_| {});
    assert!(got.done && got.body.contains("to be taken in a while"));
}

#[test]
fn the_deadline_of_a_question_wakes_the_exchange_of_its_request() {
    let server = server();
    server.authorize(|_| Vec::new()).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let mut questions = Vec::new();
    let mut send_request = |id| {
        let mut exchange = world.begin_within(&session, &request(id, "resources/read", LATER));
        world.proceed(&mut exchange, &mut Got::default(), |event| match event {
            Event::Authorize(call) => questions.push(call.into_responder()),
            event => panic!("{event:?}"),
        });
        exchange
    };
    let (mut first, mut second) = (send_request(1), send_request(2));
    world.advance_clock(1_000);
    assert!(questions.remove(1).finish(vec![Verdict::Allow]));
    let read = world.endpoint.poll_event().expect("the application is asked to read");
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!((first.is_ready(), second.is_ready()), (false, true));
    assert!(matches!(second.poll(world.now(), &mut Vec::new()), Progress::Wait(Some(61_000))));
    assert!(matches!(first.poll(world.now(), &mut Vec::new()), Progress::Wait(Some(60_000))));
    drop(read);
}

#[test]
fn a_subscription_times_out_if_the_interest_handler_never_answers() {
    let server = server();
    server.authorize(|_| Vec::new()).unwrap();
    server.on_interest(|_| Ok::<_, wellhead::Error>(())).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let mut exchange =
        world.begin_within(&session, &request(1, "resources/subscribe", r#""uri":"test://text""#));
    let (mut got, mut question) = (Got::default(), None);
    world.proceed(&mut exchange, &mut got, |event| match event {
        Event::Authorize(call) => question = Some(call.into_responder()),
        event => panic!("{event:?}"),
    });
    world.advance_clock(59_000);
    assert!(question.expect("the application is asked").finish(vec![Verdict::Allow]));
    let mut interest = None;
    while let Some(event) = world.endpoint.poll_event() {
        interest = Some(event);
    }
    assert!(matches!(interest, Some(Event::Interest(_))));
    assert!(exchange.is_ready(), "there is a deadline now");
    let waits = exchange.poll(world.now(), &mut Vec::new());
    assert!(matches!(waits, Progress::Wait(Some(119_000))), "{waits:?}");
    world.advance_clock(60_000);
    world.proceed(&mut exchange, &mut got, |_| {});
    assert_eq!(got.json()["error"]["code"], -32603, "{got:?}");
}

#[test]
fn the_deadline_that_a_client_response_starts_wakes_the_exchange_of_the_call() {
    let server = server();
    server.method("x/ask", |_| Json::parse("{}")).unwrap();
    let world = World::new(&server);
    let session = world.session_with_roots();
    let (mut asking, mut got) = (world.begin_within(&session, &request(1, "x/ask", "")), Got::default());
    let mut asked = None;
    world.proceed(&mut asking, &mut got, |event| match event {
        Event::Method(call) => {
            let responder = call.into_responder();
            responder.send_request("roots/list", None, |_| {}).unwrap();
            asked = Some(responder);
        }
        event => panic!("{event:?}"),
    });
    assert!(got.body.contains(r#""method":"roots/list""#), "{got:?}");
    let mut held = Vec::new();
    let (mut other, _) = hold(&world, &session, 2, &mut held);
    world.advance_clock(1_000);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    let mut post =
        world.begin("POST", "/mcp", &[("Content-Type", "application/json"), ("Mcp-Session-Id", &session)]);
    post.body(answer.as_bytes());
    post.end(world.now());
    let response = world.endpoint.poll_event().expect("the application hears of it");
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!((asking.is_ready(), other.is_ready()), (true, false));
    drop(response);
}

#[test]
fn the_former_holder_of_a_resumed_stream_is_notified() {
    let world = world();
    let session = world.session("2025-11-25");
    let (mut stream, mut got) = world.get(&session, &[]);
    let mut held = Vec::new();
    let (mut exchange, _) = hold(&world, &session, 1, &mut held);
    let (_newer, _) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert_eq!((stream.is_ready(), exchange.is_ready()), (true, false));
    world.proceed(&mut stream, &mut got, |_| {});
    assert!(got.done);
}

#[test]
fn a_request_of_a_client_that_left_times_out() {
    let world = world();
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (exchange, _) = hold(&world, &session, 1, &mut held);
    drop(exchange);
    assert_eq!(world.endpoint.poll_timeout(), Some(60_000), "call_ms");
    world.advance_clock(59_999);
    assert!(!held[0].is_cancelled());
    world.advance_clock(1);
    assert!(held[0].is_cancelled());
    held.clear();
    world.advance_clock(60_000);
    assert_eq!(world.endpoint.poll_timeout(), Some(3_600_000), "session_ms, since it was used");
}

/// The endpoint of an application that polls as soon as it is woken, in the middle of whatever woke it.
fn hasty(server: &Server) -> Endpoint {
    let made: Arc<OnceLock<Endpoint>> = Arc::default();
    let woken = made.clone();
    let endpoint = server
        .endpoint()
        .build(move || while woken.get().is_some_and(|endpoint| endpoint.poll_event().is_some()) {})
        .unwrap();
    made.set(endpoint.clone()).unwrap_or_default();
    endpoint
}

#[test]
fn of_two_requests_that_were_left_each_is_given_up_in_time_during_polls() {
    let server = server();
    let world = World::on(&server, hasty(&server));
    let session = world.session("2025-11-25");
    let mut held = Vec::new();
    let (first, _) = hold(&world, &session, 1, &mut held);
    world.advance_clock(30_000);
    let params = format!(r#"{LATER},"_meta":{{"progressToken":1}}"#);
    let (mut second, mut got) = world.hold(&session, 2, &params, |call| held.push(call.into_responder()));
    assert!(held[1].progress(1.0, None, None));
    world.proceed(&mut second, &mut got, |_| {});
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    drop((first, second));
    world.advance_clock(30_000);
    assert_eq!((held[0].is_cancelled(), held[1].is_cancelled()), (true, false));
    assert_eq!(world.endpoint.poll_timeout(), Some(90_000));
    world.advance_clock(30_000);
    assert!(held[1].is_cancelled());
}

type Meanwhile = Box<dyn FnOnce() + Send>;

/// Says that it knows everything, but something happens first.
struct Slow(Arc<Mutex<Option<Meanwhile>>>);

impl Provider for Slow {
    fn exists(&self, _: &str) -> bool {
        if let Some(meanwhile) = self.0.lock().unwrap().take() {
            meanwhile();
        }
        true
    }
}

#[test]
fn a_request_of_a_client_that_leaves_during_the_lookup_calls_no_callback() {
    let (server, slow) = slow_server();
    server.authorize(|_| Vec::new()).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-03-26");
    let batch = format!("[{}]", request(1, SUBSCRIBE.0, SUBSCRIBE.1));
    for looked_at_meanwhile in [false, true] {
        let mut exchange = world.begin_within(&session, &batch);
        assert!(matches!(exchange.poll(world.now(), &mut Vec::new()), Progress::Wait(_)));
        let (endpoint, at) = (world.endpoint.clone(), world.now() + 60_000);
        *slow.lock().unwrap() = Some(Box::new(move || {
            drop(exchange);
            if looked_at_meanwhile {
                endpoint.tick(at);
            }
        }));
        let event = world.endpoint.poll_event();
        assert!(event.is_none(), "{looked_at_meanwhile}: {event:?}");
        assert!(slow.lock().unwrap().is_none(), "it was looked up");
        world.advance_clock(120_000);
        assert_eq!(world.endpoint.poll_timeout(), Some(world.now() + 3_480_000), "nothing is under way");
    }
}

/// A server with something to subscribe to, and what happens during its next lookup.
fn slow_server() -> (Server, Arc<Mutex<Option<Meanwhile>>>) {
    let (server, slow) = (server(), Arc::new(Mutex::new(None)));
    server.add_resource("test://known", Some(Arc::new(Slow(slow.clone())))).unwrap();
    (server, slow)
}

const SUBSCRIBE: (&str, &str) = ("resources/subscribe", r#""uri":"test://known""#);

#[test]
fn a_request_that_is_looked_up_while_the_server_closes_is_answered_before_its_session_ends() {
    let single = request(1, SUBSCRIBE.0, SUBSCRIBE.1);
    for (body, polls_meanwhile) in
        [(single.clone(), false), (single.clone(), true), (format!("[{single}]"), false)]
    {
        let (server, slow) = slow_server();
        let wakes = Arc::new(AtomicUsize::new(0));
        let counted = wakes.clone();
        let count = move || {
            counted.fetch_add(1, Ordering::SeqCst);
        };
        let world = World::on(&server, server.endpoint().build(count).unwrap());
        let session = world.session("2025-03-26");
        let (mut stream, mut told) = world.get(&session, &[]);
        let (endpoint, since) = (world.endpoint.clone(), wakes.clone());
        *slow.lock().unwrap() = Some(Box::new(move || {
            server.close();
            if polls_meanwhile {
                while endpoint.poll_event().is_some() {}
                since.store(0, Ordering::SeqCst);
            }
        }));
        let mut exchange = world.begin_within(&session, &body);
        while slow.lock().unwrap().is_some() {
            assert!(world.endpoint.poll_event().is_none(), "the lookup is the poller's");
        }
        assert!(wakes.load(Ordering::SeqCst) > 0, "{body}: the driver polls, and finds the end");
        let mut got = Got::default();
        world.proceed(&mut exchange, &mut got, |event| panic!("{event:?}"));
        assert!(got.done && got.body.contains(r#""result":{}"#), "{body}: {got:?}");
        assert!(world.endpoint.poll_event().is_none());
        world.proceed(&mut stream, &mut told, |_| {});
        assert!(told.done, "{body}: the session has ended");
    }
}

#[test]
fn a_request_that_is_cancelled_while_it_is_looked_up_keeps_no_session_of_a_closed_server() {
    let (server, slow) = slow_server();
    let world = Arc::new(World::new(&server));
    let session = world.session("2025-06-18");
    let (mut stream, mut told) = world.get(&session, &[]);
    let (client, within) = (world.clone(), session.clone());
    *slow.lock().unwrap() = Some(Box::new(move || {
        server.close();
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        client.post(&[("Mcp-Session-Id", &within)], cancel);
    }));
    let mut exchange = world.begin_within(&session, &request(1, SUBSCRIBE.0, SUBSCRIBE.1));
    let mut got = Got::default();
    world.proceed(&mut exchange, &mut got, |event| panic!("{event:?}"));
    assert!(got.done && got.body.is_empty(), "{got:?}");
    world.proceed(&mut stream, &mut told, |_| {});
    assert!(told.done, "the session has ended");
}

#[test]
fn a_deadline_that_no_exchange_waits_for_is_kept_all_the_same() {
    let server = server();
    server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let world = World::on(&server, server.endpoint().keep_alive_ms(600_000).build(|| {}).unwrap());
    let session = world.session("2025-06-18");
    let (_, got) = world.within(&session, 1, "resources/subscribe", r#""uri":"test://text""#);
    assert!(got.body.contains("result"), "{got:?}");
    let (_stream, _) = world.get(&session, &[]);
    world.advance_clock(70_000);
    server.access_changed(b"").unwrap();
    let Some(Event::Authorize(call)) = world.endpoint.poll_event() else { panic!("it is asked again") };
    while world.endpoint.poll_event().is_some() {}
    for _ in 0..4 {
        world.advance_clock(15_000);
    }
    assert!(call.is_cancelled(), "no verdict is no permission");
}

#[test]
fn a_review_of_the_subscriptions_of_an_idle_session_has_a_deadline() {
    let server = server();
    server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    drop(world.within(&session, 1, "resources/subscribe", r#""uri":"test://text""#));
    world.advance_clock(60_000);
    assert_eq!(world.endpoint.poll_timeout(), Some(3_600_000), "nothing is under way");
    world.advance_clock(60_000);
    server.access_changed(b"").unwrap();
    let Some(Event::Authorize(call)) = world.endpoint.poll_event() else { panic!("it is asked again") };
    while world.endpoint.poll_event().is_some() {}
    assert_eq!(world.endpoint.poll_timeout(), Some(180_000));
    world.advance_clock(60_000);
    assert!(call.is_cancelled());
}

#[test]
fn the_callback_of_a_notification_has_a_deadline_in_an_idle_session() {
    let server = server();
    server.method("notifications/x", |_| Json::parse("{}")).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    world.advance_clock(60_000);
    let mut held = None;
    let message = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let (mut exchange, mut got) = (world.begin_within(&session, message), Got::default());
    world.proceed(&mut exchange, &mut got, |event| match event {
        Event::Method(call) => held = Some(call),
        event => panic!("{event:?}"),
    });
    while let Some(event) = world.endpoint.poll_event() {
        let Event::Method(call) = event else { panic!("{event:?}") };
        held = Some(call);
    }
    assert_eq!((got.status(), world.endpoint.poll_timeout()), (202, Some(120_000)));
    world.advance_clock(60_000);
    assert!(held.expect("the application gets the notification").is_cancelled());
}

#[test]
fn a_call_has_its_whole_time_after_its_last_request_to_the_client() {
    let server = server();
    server.method("x/ask", |_| Json::parse("{}")).unwrap();
    let world = World::on(&server, server.endpoint().keep_alive_ms(600_000).build(|| {}).unwrap());
    let session = world.session_with_roots();
    let (mut asking, mut got) = (world.begin_within(&session, &request(1, "x/ask", "")), Got::default());
    let mut asked = None;
    world.proceed(&mut asking, &mut got, |event| {
        let Event::Method(call) = event else { return event.run() };
        let responder = call.into_responder();
        let number = responder.send_request("roots/list", None, |_| {}).unwrap();
        asked = Some((responder, number));
    });
    let (responder, number) = asked.expect("the application is asked");
    world.advance_clock(59_000);
    assert!(responder.cancel_request(number));
    world.proceed(&mut asking, &mut got, Event::run);
    world.advance_clock(59_999);
    assert!(!responder.is_cancelled());
    world.advance_clock(1);
    assert!(responder.is_cancelled());
}

#[test]
fn a_call_has_its_whole_time_after_its_client_answered_though_an_older_call_is_under_way() {
    let server = server();
    server.method("x/ask", |_| Json::parse("{}")).unwrap();
    let world = World::new(&server);
    let session = world.session_with_roots();
    let mut held = Vec::new();
    let (_older, _) = hold(&world, &session, 1, &mut held);
    world.advance_clock(1_000);
    let mut asking = world.begin_within(&session, &request(2, "x/ask", ""));
    let mut asked = None;
    world.proceed(&mut asking, &mut Got::default(), |event| {
        let Event::Method(call) = event else { return event.run() };
        let responder = call.into_responder();
        responder.send_request("roots/list", None, |_| {}).unwrap();
        asked = Some(responder);
    });
    let responder = asked.expect("the application is asked");
    world.advance_clock(29_000);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], answer).status(), 202);
    world.advance_clock(31_000);
    assert!(held[0].is_cancelled(), "the older call had a minute");
    assert!(!responder.is_cancelled(), "its minute began with the client's answer");
    world.advance_clock(28_999);
    assert!(!responder.is_cancelled());
    world.advance_clock(1);
    assert!(responder.is_cancelled());
}

#[test]
fn a_tiny_limit_of_time_does_not_advance_the_clock_endlessly() {
    let mut limits = Limits::default();
    limits.call_ms = 1;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let (_stream, _) = world.get(&session, &[]);
    world.advance_clock(0);
    assert!(world.endpoint.poll_timeout().is_some_and(|at| at > world.now()));
}

#[test]
fn the_deadline_of_a_review_wakes_the_stream_of_its_subscriptions() {
    let server = server();
    server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let world = World::on(&server, server.endpoint().keep_alive_ms(600_000).build(|| {}).unwrap());
    let listen = r#""notifications":{"resourceSubscriptions":["test://text"]},"#;
    let (mut stream, mut got) = world.send_request("subscriptions/listen", listen, &[]);
    assert_eq!(got.events().len(), 1, "{got:?}");
    stream.is_ready();
    server.access_changed(b"").unwrap();
    let Some(Event::Authorize(call)) = world.endpoint.poll_event() else { panic!("it is asked again") };
    while world.endpoint.poll_event().is_some() {}
    assert!(stream.is_ready());
    assert!(matches!(stream.poll(world.now(), &mut Vec::new()), Progress::Wait(Some(60_000))));
    world.advance_clock(60_000);
    world.proceed(&mut stream, &mut got, |_| {});
    assert!(call.is_cancelled());
}

#[test]
fn a_ready_callback_that_panics_does_not_keep_others_from_waking() {
    let world = world();
    let session = world.session("2025-06-18");
    let panics = Arc::new(AtomicBool::new(false));
    let panic = panics.clone();
    let mut held = Vec::new();
    let fields = [("host", "localhost"), ("content-type", "application/json"), ("mcp-session-id", &*session)];
    let headers = fields.map(|(name, value)| (name, value.as_bytes()));
    let request_head = RequestHead { method: "POST", target: "/mcp", headers: &headers, peer: &[] };
    let rings = move || assert!(!panic.load(Ordering::SeqCst), "an application's bug");
    let mut bad = world.endpoint.begin(&request_head, world.now(), rings);
    bad.body(request(1, "resources/read", LATER).as_bytes());
    bad.end(world.now());
    let Progress::Event(Event::Read(call)) = bad.poll(world.now(), &mut Vec::new()) else {
        panic!("no read")
    };
    held.push(call.into_responder());
    let (mut good, _) = hold(&world, &session, 2, &mut held);
    panics.store(true, Ordering::SeqCst);
    for held in held {
        assert!(held.finish("found"));
    }
    let polled = catch_unwind(AssertUnwindSafe(|| world.endpoint.poll_event().is_none()));
    assert_eq!(polled.ok(), Some(true));
    assert!(good.is_ready());
}
