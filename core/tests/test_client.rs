//! The client in memory that applications test with.

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wellhead::{
    Caller, ErrorKind, Json, Limits, MethodAnswer, MethodError, Responder, Server, Template, TestOptions,
};

const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

fn object(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn server() -> Server {
    let server = Server::new("s", "1");
    server.text("n://a", "A").unwrap();
    let template = Template::new("n://{lang}/x").title("X").complete("lang", |_| vec!["de", "en"]);
    server.template(template, |call| call.var("lang").map(str::to_owned)).unwrap();
    server
        .tool("echo", &object("{}"), |call| {
            let text = call.arguments().replace('"', "'");
            Json::parse(format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))
        })
        .unwrap();
    server.prompt("p", &object(r#"{"arguments":[{"name":"a"}]}"#), |_| object(r#"{"messages":[]}"#)).unwrap();
    server.complete_prompt("p", "a", |_| vec!["one"]).unwrap();
    server
}

#[test]
fn a_capability_that_the_application_declares_is_there_once() {
    let server = Server::builder("s", "1").capability("completions", Json::default()).build().unwrap();
    server.template(Template::new("n://{x}").complete("x", |_| vec!["a"]), |_| "A").unwrap();
    let mut client = server.test_client_with(TestOptions::new().revision("2026-07-28")).unwrap();
    let discovered = client.request("server/discover", "{}").unwrap();
    assert_eq!(discovered.matches("\"completions\"").count(), 1, "{discovered}");
}

#[test]
fn a_client_of_every_revision_does_everything() {
    for revision in REVISIONS {
        let server = server();
        let mut client = server.test_client_with(TestOptions::new().revision(revision)).unwrap();
        assert_eq!(client.list().unwrap()[0].uri(), "n://a", "{revision}");
        assert_eq!(client.templates().unwrap()[0].uri_template(), "n://{lang}/x");
        assert_eq!(client.read("n://a").unwrap()[0].text(), Some("A"));
        let result = client.call_tool("echo", r#"{"b":1}"#).unwrap();
        assert!(result.contains(r#""text":"{'b':1}""#), "{result}");
        assert!(client.get_prompt("p", "{}").unwrap().contains(r#""messages":[]"#));
        assert_eq!(client.complete("n://{lang}/x", "lang", "").unwrap(), ["de", "en"]);
        assert_eq!(client.complete("p", "a", "").unwrap(), ["one"]);
        client.subscribe("n://a").unwrap();
        client.subscribe("n://a").unwrap();
        server.set("n://a", "B").unwrap();
        assert_eq!(client.next_update().unwrap(), "n://a");
        client.unsubscribe("n://a").unwrap();
        server.set("n://a", "C").unwrap();
        server.text("n://b", "B").unwrap();
        assert_eq!(client.list_changes().unwrap(), 1, "{revision}");
        assert_eq!(client.list_changes().unwrap(), 0);
        client.subscribe("n://b").unwrap();
        server.set("n://b", "C").unwrap();
        assert_eq!(client.next_update().unwrap(), "n://b", "nothing is told of what is not watched any more");
    }
}

#[test]
fn an_error_of_the_server_comes_with_its_code_message_and_data() {
    for revision in REVISIONS {
        let mut client = server().test_client_with(TestOptions::new().revision(revision)).unwrap();
        let error = client.call_tool("none", "{}").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Response);
        assert_eq!(error.to_string(), "the server answered -32602: Unknown tool: none");
        let told: &MethodError = error.source().unwrap().downcast_ref().unwrap();
        assert_eq!((told.rpc_code(), told.message()), (-32602, "Unknown tool: none"));
        assert!(client.subscribe("n://none").is_err(), "{revision}");
    }
}

#[test]
fn a_revision_that_is_not_served_is_refused_by_name() {
    let server = Server::builder("s", "1").revisions(["2026-07-28"]).build().unwrap();
    let error = server.test_client_with(TestOptions::new().revision("2025-06-18")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let text = "the server does not serve the revision \"2025-06-18\"; it serves 2026-07-28";
    assert_eq!(error.to_string(), text);
    server.text("n://a", "A").unwrap();
    assert_eq!(server.test_client().unwrap().list().unwrap().len(), 1, "it speaks what there is");
}

#[test]
fn the_client_answers_the_requests_of_a_call() {
    let server = Server::new("s", "1");
    server
        .tool("ask", &object("{}"), |call| {
            let (deferred, responder) = call.defer();
            send_client_request(responder);
            deferred
        })
        .unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seeing = seen.clone();
    let options =
        TestOptions::new().capabilities(object(r#"{"roots":{}}"#)).on_request(move |method, params| {
            seeing.lock().unwrap().push(format!("{method} {params}"));
            Json::parse(r#"{"roots":[]}"#)
        });
    let mut client = server.test_client_with(options).unwrap();
    let result = client.call_tool("ask", "{}").unwrap();
    assert!(result.contains("roots"), "{result}");
    assert_eq!(*seen.lock().unwrap(), ["roots/list {}"]);
    let without = TestOptions::new().capabilities(object(r#"{"roots":{}}"#));
    let result = server.test_client_with(without).unwrap().call_tool("ask", "{}").unwrap();
    assert!(result.contains("-32601"), "{result}");
    let result = server.test_client().unwrap().call_tool("ask", "{}").unwrap();
    assert!(result.contains(r#""isError":true"#), "{result}");
}

fn send_client_request(responder: Responder<MethodAnswer>) {
    let kept = Arc::new(Mutex::new(None));
    let taken = kept.clone();
    let asked = responder.send_request("roots/list", None, move |answer| {
        let responder: Responder<MethodAnswer> = taken.lock().unwrap().take().unwrap();
        let text = format!("{answer:?}").replace(['"', '\\'], "'");
        let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        responder.finish(MethodAnswer::Result(object(&result)));
    });
    match asked {
        Ok(_) => *kept.lock().unwrap() = Some(responder),
        Err(refused) => {
            responder.finish(MethodAnswer::failed(refused));
        }
    }
}

#[test]
fn the_client_gives_the_input_that_a_stateless_call_needs() {
    let server = Server::new("s", "1");
    let wanted = object(r#"{"inputRequests":{"who":{"method":"roots/list"}},"requestState":"s"}"#);
    server
        .tool("ask", &object("{}"), move |call| {
            if call.params().contains(r#""inputResponses":{"who":{"roots":[]}},"requestState":"s""#) {
                return MethodAnswer::Result(object(r#"{"content":[]}"#));
            }
            MethodAnswer::InputRequired(wanted.clone())
        })
        .unwrap();
    let options = || TestOptions::new().revision("2026-07-28").capabilities(object(r#"{"roots":{}}"#));
    let giving = options().on_request(|_, _| Json::parse(r#"{"roots":[]}"#));
    let result = server.test_client_with(giving).unwrap().call_tool("ask", "{}").unwrap();
    assert!(result.contains(r#""content":[]"#), "{result}");
    let error = server.test_client_with(options()).unwrap().call_tool("ask", "{}").unwrap_err();
    assert_eq!(error.to_string(), "the client refused the input \"who\"");
    let looping = options().on_request(|_, _| Json::parse(r#"{"roots":[1]}"#));
    let error = server.test_client_with(looping).unwrap().call_tool("ask", "{}").unwrap_err();
    assert_eq!(error.to_string(), "the server asked for input 16 times");
}

#[test]
fn callbacks_see_the_caller_that_the_client_speaks_for() {
    let server = Server::new("s", "1");
    server.resource("n://me", |call| format!("{:?}", call.caller().value::<String>())).unwrap();
    let ann = Caller::new(*b"ann").with_value("Ann".to_owned());
    let mut client = server.test_client_with(TestOptions::new().caller(ann)).unwrap();
    assert_eq!(client.read("n://me").unwrap()[0].text(), Some("Some(\"Ann\")"));
}

#[test]
fn an_answer_that_never_comes_is_an_error_after_call_ms() {
    let mut limits = Limits::default();
    limits.call_ms = 5;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeping = kept.clone();
    server
        .resource("n://later", move |call| {
            let (deferred, responder) = call.defer();
            keeping.lock().unwrap().push(responder);
            deferred
        })
        .unwrap();
    let error = server.test_client().unwrap().read("n://later").unwrap_err();
    assert!(error.to_string().contains("-32603"), "{error}");
}

#[test]
fn a_closed_client_returns_an_error_and_ends_its_subscriptions() {
    let server = server();
    let interests = Arc::new(AtomicUsize::new(0));
    let counting = interests.clone();
    server
        .on_interest(move |call| {
            if !call.wanted() {
                counting.fetch_add(1, Ordering::SeqCst);
            }
        })
        .unwrap();
    let mut client = server.test_client().unwrap();
    client.subscribe("n://a").unwrap();
    client.close();
    assert_eq!(client.list().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(client.next_update().unwrap_err().kind(), ErrorKind::Closed);
    server.test_client().unwrap().list().unwrap(); // polls for what belongs to no connection
    assert_eq!(interests.load(Ordering::SeqCst), 1);
}

#[test]
fn a_request_that_the_server_cannot_read_is_rejected() {
    let mut limits = Limits::default();
    limits.message_bytes = 1000;
    let server = Server::builder("s", "1").limits(limits).build().unwrap();
    let mut client = server.test_client().unwrap();
    let refused = client.call_tool("none", &format!(r#"{{"text":"{}"}}"#, "x".repeat(2000))).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Response);
    assert!(refused.to_string().contains("message_bytes"), "{refused}");
}
