//! Bytes that an endpoint holds for its clients, and that they stay under `buffer_bytes`.

use crate::client::{BOTH, Got, META, Polled, World, initialize, request};
use std::sync::Arc;
use wellhead::http::{Grant, Progress, RequestHead, Response};
use wellhead::{Answer, Caller, Contents, Event, Limits, Responder, Server, SharedText};

/// The bytes that each request itself counts for.
const REQUEST: usize = 4 << 10;

fn world(buffer_bytes: usize) -> World {
    let mut limits = Limits::default();
    limits.buffer_bytes = buffer_bytes;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.text("test://small", "found").unwrap();
    server.template("test://own/{size}", |call| Some("x".repeat(call.var("size")?.parse().ok()?))).unwrap();
    server.method("x/long", |call| wellhead::Json::parse(call.params())).unwrap();
    World::new(&server)
}

fn is_full(got: &Got, max: usize) {
    assert_eq!((got.status(), got.header("retry-after")), (503, Some("1")), "{got:?}");
    let data = serde_json::json!({"limit": "buffer_bytes", "max": max});
    assert_eq!(got.json()["error"]["data"], data);
}

/// A POST whose body has not come.
fn begin(world: &World, method: &str, name: &str) -> Polled {
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", BOTH),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    headers.extend((!name.is_empty()).then_some(("Mcp-Name", name)));
    world.begin("POST", "/mcp", &headers)
}

fn poll(world: &World, exchange: &mut Polled) -> Got {
    let mut got = Got::default();
    world.proceed(exchange, &mut got, Event::run);
    got
}

fn read(world: &World, uri: &str) -> (Polled, Got) {
    let mut exchange = begin(world, "resources/read", uri);
    exchange.body(request(1, "resources/read", &format!(r#""uri":"{uri}",{META}"#)).as_bytes());
    exchange.end(world.now());
    let got = poll(world, &mut exchange);
    (exchange, got)
}

/// The head of a response of which nothing more is taken.
fn head(world: &World, exchange: &mut Polled) -> Response {
    loop {
        match exchange.poll(world.now(), &mut Vec::new()) {
            Progress::Event(event) => event.run(),
            Progress::Respond(head) => return head,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_body_has_at_most_its_part() {
    let (small, middle, large) =
        (4 * (REQUEST + 3_000), 24 * (REQUEST + 10_000) / 5, 6 * (REQUEST + 100_000));
    for (most, length, fits) in [
        (small, 2_999, true),
        (small, 3_000, true),
        (small, 3_001, false),
        (middle, 9_999, true),
        (middle, 10_001, false),
        (large, 99_999, true),
        (large, 100_000, true),
        (large, 100_001, false),
    ] {
        let world = world(most);
        let mut exchange = begin(&world, "resources/read", "test://small");
        exchange.body(&vec![b'x'; length]);
        exchange.end(world.now());
        let got = poll(&world, &mut exchange);
        if fits {
            assert_eq!(got.status(), 400, "{length}: it is no JSON: {got:?}");
        } else {
            is_full(&got, most);
        }
        drop(exchange);
        assert_eq!(read(&world, "test://small").1.status(), 200, "what it held is free");
    }
}

#[test]
fn bodies_under_way_leave_room_for_small_requests_of_others() {
    let world = world(8 << 20);
    let (piece, mut refused, mut bodies) = (vec![b'x'; 64 << 10], 0, Vec::new());
    for _ in 0..300 {
        let mut exchange = begin(&world, "resources/read", "test://small");
        for _ in 0..64 {
            exchange.body(&piece);
        }
        let mut out = Vec::new();
        refused += usize::from(matches!(exchange.poll(world.now(), &mut out), Progress::Respond(_)));
        bodies.push(exchange);
        let (_, got) = read(&world, "test://small");
        assert_eq!(got.status(), 200, "{got:?}");
    }
    assert_eq!(refused, 300, "each is larger than its part");
}

#[test]
fn the_body_of_a_call_counts_until_the_call_is_over() {
    let most = 6 * (REQUEST + 200_000);
    let world = world(most);
    let mut first = begin(&world, "x/long", "");
    let long = |more: usize| request(1, "x/long", &format!(r#""x":"{}",{META}"#, "x".repeat(more)));
    first.body(long(190_000).as_bytes());
    first.end(world.now());
    let (mut got, mut held) = (Got::default(), Vec::new());
    world.proceed(&mut first, &mut got, |event| held.push(event));
    assert_eq!(held.len(), 1);
    let mut second = begin(&world, "x/long", "");
    second.body(long(190_000).as_bytes());
    is_full(&poll(&world, &mut second), most);
    drop(second);
    held.clear();
    world.proceed(&mut first, &mut got, Event::run);
    drop(first);
    let mut third = begin(&world, "x/long", "");
    third.body(long(190_000).as_bytes());
    third.end(world.now());
    assert_eq!(poll(&world, &mut third).status(), 200);
}

#[test]
fn the_body_of_a_notification_that_the_application_hears_counts_until_its_callback_is_over() {
    let most = 6 * (REQUEST + 200_000);
    let world = world(most);
    world.server.method("notifications/x", |_| ()).unwrap();
    let session = world.session("2025-11-25");
    let send = |run: &mut dyn FnMut(Event)| {
        let headers = [("Content-Type", "application/json"), ("Accept", BOTH), ("Mcp-Session-Id", &*session)];
        let mut exchange = world.begin("POST", "/mcp", &headers);
        let text = "x".repeat(190_000);
        exchange.body(
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":"{text}"}}}}"#).as_bytes(),
        );
        exchange.end(world.now());
        let mut got = Got::default();
        world.proceed(&mut exchange, &mut got, &mut *run);
        while let Some(event) = world.endpoint.poll_event() {
            run(event);
        }
        got
    };
    let mut held = Vec::new();
    assert_eq!(send(&mut |event| held.push(event)).status(), 202);
    assert_eq!(held.len(), 1);
    is_full(&send(&mut |_| panic!("it has no room")), most);
    held.into_iter().for_each(Event::run);
    assert_eq!(send(&mut Event::run).status(), 202);
}

#[test]
fn untaken_answers_count_and_one_that_has_no_room_is_busy() {
    let most = 4 << 20;
    let world = world(most);
    let mut unread = Vec::new();
    let busy = loop {
        let mut exchange = begin(&world, "resources/read", "test://own/600000");
        let body = request(1, "resources/read", &format!(r#""uri":"test://own/600000",{META}"#));
        exchange.body(body.as_bytes());
        exchange.end(world.now());
        let head = head(&world, &mut exchange);
        let length = head.headers.iter().find(|(name, _)| *name == "content-length").unwrap().1.len();
        unread.push(exchange);
        if length < 6 {
            break unread.pop().unwrap();
        }
        assert!(unread.len() < 10, "so many do not fit");
    };
    let (mut busy, mut got) = (busy, Got::default());
    world.proceed(&mut busy, &mut got, |_| {});
    assert_eq!(got.json()["error"]["data"], serde_json::json!({"limit": "buffer_bytes", "max": most}));
    assert_eq!(read(&world, "test://small").1.status(), 200);
    unread.clear();
    assert!(read(&world, "test://own/600000").1.body.contains("result"));
}

#[test]
fn answers_that_a_batch_gathers_count_until_the_client_has_read_the_batch() {
    let world = world(4 << 20);
    world.server.resource("test://later", |call| call.defer().0).unwrap();
    let session = world.post(&[], &initialize("2025-03-26")).header("mcp-session-id").unwrap().to_owned();
    let post = |body: &str, keep: &mut Vec<Responder<Answer>>| {
        let headers = [("Content-Type", "application/json"), ("Accept", BOTH), ("Mcp-Session-Id", &*session)];
        let (mut exchange, mut got) =
            (world.begin_as(b"ann", "POST", "/mcp", &headers, None), Got::default());
        exchange.body(body.as_bytes());
        exchange.end(world.now());
        world.proceed(&mut exchange, &mut got, |event| match event {
            Event::Read(call) if call.uri() == "test://later" => keep.push(call.into_responder()),
            event => event.run(),
        });
        (exchange, got)
    };
    let read = |id, uri| request(id, "resources/read", &format!(r#""uri":"{uri}""#));
    for (large, fit) in [("test://own/200000", 3), ("test://own/60000", 12)] {
        let mut held = Vec::new();
        let reads: Vec<_> = (2..32).map(|id| read(id, large)).collect();
        let (mut exchange, mut got) =
            post(&format!("[{},{}]", read(1, "test://later"), reads.join(",")), &mut held);
        assert!(got.head.is_none());
        let busy = |uri| post(&read(99, uri), &mut Vec::new()).1.body.contains("buffer_bytes");
        assert!(busy(large), "what the batch has gathered counts");
        assert!(held.remove(0).finish("found"));
        assert!(world.endpoint.poll_event().is_none());
        assert!(busy(large), "the client has not read it");
        world.proceed(&mut exchange, &mut got, Event::run);
        drop(exchange);
        assert_eq!(got.body.matches(r#""text":"xxx"#).count(), fit, "{large}");
        assert!(!busy(large), "all of it is free again");
    }
}

#[test]
fn memory_that_the_application_shares_does_not_count() {
    let world = world(4 << 20);
    let text: SharedText = Arc::new("x".repeat(1 << 20));
    world.server.resource("test://shared", move |_| Contents::new(text.clone())).unwrap();
    world.server.text("test://fixed", "x".repeat(1 << 20)).unwrap();
    let mut unread = Vec::new();
    for uri in ["test://shared", "test://fixed"].into_iter().cycle().take(40) {
        let mut exchange = begin(&world, "resources/read", uri);
        exchange.body(request(1, "resources/read", &format!(r#""uri":"{uri}",{META}"#)).as_bytes());
        exchange.end(world.now());
        assert_eq!(head(&world, &mut exchange).status, 200);
        unread.push(exchange);
    }
}

#[test]
fn requests_themselves_are_counted() {
    let most = 64 * REQUEST;
    let world = world(most);
    let mut idle = Vec::new();
    let refused = loop {
        let mut exchange = begin(&world, "resources/read", "test://small");
        let mut out = Vec::new();
        if let Progress::Respond(head) = exchange.poll(world.now(), &mut out) {
            break head;
        }
        idle.push(exchange);
    };
    assert_eq!((refused.status, idle.len()), (503, 61), "the last has a quarter of what is left");
    idle.clear();
    assert_eq!(read(&world, "test://small").1.status(), 200);
}

/// Reads something that is kept as an event, and returns the event's id.
fn kept(world: &World, session: &str, size: usize) -> String {
    answer_in_stream(world, session, size).events()[0].0.clone()
}

fn answer_in_stream(world: &World, session: &str, size: usize) -> Got {
    let headers =
        [("Content-Type", "application/json"), ("Accept", "text/event-stream"), ("Mcp-Session-Id", session)];
    let read = request(7, "resources/read", &format!(r#""uri":"test://own/{size}""#));
    let (_, got) = world.send("POST", &headers, &read);
    assert_eq!(got.status(), 200, "{got:?}");
    got
}

#[test]
fn the_replay_of_all_sessions_stays_under_the_budget_and_the_oldest_goes_first() {
    let world = world(1 << 20);
    let sessions: Vec<String> = (0..20).map(|_| world.session("2025-11-25")).collect();
    let ids: Vec<String> = sessions.iter().map(|session| kept(&world, session, 100_000)).collect();
    let again = |at: usize| {
        let place = ids[at].replace("-1", "-0");
        world.get(&sessions[at], &[("Last-Event-ID", &place)]).1.status()
    };
    assert_eq!((again(0), again(9)), (400, 400), "they were kept first");
    assert_eq!((again(11), again(19)), (200, 200));
    let mut large = begin(&world, "x/long", "");
    large.body(&vec![b'x'; 150_000]);
    assert_eq!((again(11), again(19)), (400, 200), "a body makes the oldest go");
    assert_eq!(kept(&world, &sessions[0], 1_000).len(), 3);
}

#[test]
fn small_events_that_are_kept_count_with_what_they_cost() {
    let world = world(256 << 10);
    let sessions: Vec<String> = (0..20).map(|_| world.session("2025-11-25")).collect();
    let mut bytes = 0;
    for _ in 0..50 {
        for session in &sessions {
            bytes += answer_in_stream(&world, session, 1).events()[0].1.len();
        }
    }
    assert!(bytes < 200 << 10, "{bytes}");
    let again = |place| world.get(&sessions[0], &[("Last-Event-ID", place)]).1.status();
    assert_eq!((again("1-0"), again("50-0")), (400, 200), "the first ones made room for the last ones");
}

/// Sends pieces of a body until the endpoint refuses one, or the body is as long as may be but for its end.
fn send_slowly(world: &World, exchange: &mut Polled) {
    for _ in 0..63 {
        exchange.body(&vec![b'x'; 64 << 10]);
        if !matches!(exchange.poll(world.now(), &mut Vec::new()), Progress::Body(_)) {
            return;
        }
    }
}

#[test]
fn bodies_that_arrive_slowly_keep_no_large_request_or_answer_out() {
    let world = world(64 << 20);
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut exchange = begin(&world, "x/long", "");
        send_slowly(&world, &mut exchange);
        slow.push(exchange);
        world.advance_clock(10);
    }
    let mut large = begin(&world, "x/long", "");
    let body = request(1, "x/long", &format!(r#""x":"{}",{META}"#, "x".repeat(256 << 10)));
    for piece in body.as_bytes().chunks(16 << 10) {
        large.body(piece);
    }
    large.end(world.now());
    let got = poll(&world, &mut large);
    assert_eq!(got.status(), 200, "{}", &got.body[..got.body.len().min(300)]);
    assert!(read(&world, "test://own/300000").1.body.contains("result"), "an answer finds room, too");
    let refused = slow.iter_mut().filter_map(|exchange| {
        let got = poll(&world, exchange);
        got.head.is_some().then(|| is_full(&got, 64 << 20))
    });
    assert!(refused.count() > 50, "those that hold most for longest are let go");
}

#[test]
fn the_body_that_costs_most_is_refused_though_it_is_the_newest() {
    let most = 1 << 20;
    let world = world(most);
    let mut small: Vec<_> = (0..6).map(|_| begin(&world, "x/long", "")).collect();
    for exchange in &mut small {
        exchange.body(&vec![b'x'; 60 << 10]);
    }
    let mut large = begin(&world, "x/long", "");
    for _ in 0..4 {
        large.body(&vec![b'x'; 60 << 10]);
    }
    is_full(&poll(&world, &mut large), most);
    for exchange in &mut small {
        assert!(poll(&world, exchange).head.is_none(), "it still may send the rest");
    }
}

#[test]
fn a_body_that_was_dropped_is_refused_with_its_next_piece_or_its_end() {
    let most = 1 << 20;
    let world = world(most);
    let mut slow: Vec<_> = (0..4).map(|_| begin(&world, "x/long", "")).collect();
    for exchange in &mut slow {
        exchange.body(&vec![b'x'; 120 << 10]);
    }
    world.advance_clock(1_000);
    let mut others: Vec<_> = (0..3).map(|_| begin(&world, "x/long", "")).collect();
    for exchange in &mut others {
        exchange.body(&vec![b'x'; 100 << 10]);
        assert!(poll(&world, exchange).head.is_none());
    }
    let [first, second, ..] = &mut slow[..] else { unreachable!() };
    first.body(b"x");
    is_full(&poll(&world, first), most);
    second.end(world.now());
    is_full(&poll(&world, second), most);
}

/// Returns how many of 20 bodies that lack their end are not refused, if their requests come with that peer and field.
fn bodies_kept(world: &World, peer: impl Fn(u8) -> Vec<u8>, token: Option<&str>) -> usize {
    let mut kept = Vec::new();
    for at in 0..20 {
        let (peer, token) = (peer(at), token.unwrap_or_default().as_bytes());
        let mut headers: Vec<(&str, &[u8])> =
            vec![("host", b"localhost"), ("content-type", b"application/json")];
        headers.extend((!token.is_empty()).then_some(("authorization", token)));
        let head = RequestHead { method: "POST", target: "/mcp", headers: &headers, peer: &peer };
        let mut exchange = world.endpoint.begin(&head, world.now(), || {});
        while let Progress::Event(event) = exchange.poll(world.now(), &mut Vec::new()) {
            event.run();
        }
        exchange.body(&vec![b'x'; 60 << 10]);
        if let Progress::Body(_) = exchange.poll(world.now(), &mut Vec::new()) {
            kept.push(exchange);
        }
    }
    kept.len()
}

#[test]
fn requests_of_one_peer_or_of_one_token_share_a_part() {
    let open = world(2 << 20);
    assert_eq!(bodies_kept(&open, |_| b"127.0.0.1 5".to_vec(), None), 5, "a quarter of five sixths");
    assert!(bodies_kept(&open, |at| vec![at + 1], None) > 10, "each peer has a part of its own");
    assert!(bodies_kept(&open, |_| Vec::new(), None) > 10, "each request is a peer of its own");
    assert!(bodies_kept(&open, |_| Vec::new(), Some("Bearer t")) > 10, "no callback judges the token");
    let endpoint =
        open.server.endpoint().verify(|call| Some(Grant::new(Caller::new(call.token().as_bytes()))));
    let protected = World::on(&open.server, endpoint.build(|| {}).unwrap());
    assert_eq!(bodies_kept(&protected, |_| Vec::new(), Some("Bearer t")), 5);
    assert!(bodies_kept(&protected, |at| vec![at + 1], Some("Bearer t")) > 10, "the peer is what counts");
}
