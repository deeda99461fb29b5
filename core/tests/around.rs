//! Around callbacks, where a vector cannot look: threads, panics and what is dropped.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use wellhead::{Json, MethodAnswer, Next, Outcome, Server, TestClient, ToolError};

fn served() -> Server {
    let server = Server::builder("s", "1").on_log(|_, _| ()).build().expect("the options are valid");
    server.resource("notes://a", |_| "A").expect("registers");
    let result = || Json::parse(r#"{"content":[{"type":"text","text":"x"}]}"#).expect("JSON");
    server.tool("t", &Json::parse("{}").expect("JSON"), move |_| result()).expect("registers");
    server
}

fn client(server: &Server) -> TestClient {
    server.test_client().expect("connects")
}

fn text_of(client: &mut TestClient) -> String {
    client.call_tool("t", "{}").unwrap_or_else(|e| e.to_string())
}

#[test]
fn a_seam_may_continue_on_another_thread() {
    let server = served();
    server
        .around(|call, next| {
            let asked = (call.method().to_owned(), call.name().map(str::to_owned));
            std::thread::spawn(move || {
                assert_eq!(asked, ("tools/call".to_owned(), Some("t".to_owned())));
                next.run(|outcome| outcome);
            })
            .join()
            .expect("it goes on");
        })
        .expect("the server is open");
    assert!(text_of(&mut client(&server)).contains('x'));
}

#[test]
fn a_call_fails_if_a_seam_drops_its_continuation_and_the_outer_seam_may_answer() {
    let server = served();
    server
        .around(|_, next| {
            next.run(|outcome| {
                assert_eq!(outcome.name(), "failed");
                ToolError::new("Try again.").into()
            });
        })
        .expect("the server is open");
    server.around(|_, next| drop(next)).expect("the server is open");
    assert!(text_of(&mut client(&server)).contains("Try again."));
}

#[test]
fn a_panic_in_a_callback_is_a_failure_for_the_seams() {
    let server = served();
    let json = Json::parse("{}").expect("JSON");
    server
        .tool("panics", &json, |_| -> Json { std::panic::resume_unwind(Box::new("the callback")) })
        .expect("registers");
    let words = Arc::new(Mutex::new(Vec::new()));
    let seen = words.clone();
    server
        .around(move |_, next| {
            let seen = seen.clone();
            next.run(move |outcome| {
                seen.lock().expect("no panic").push(outcome.name());
                outcome
            });
        })
        .expect("the server is open");
    let result = client(&server).call_tool("panics", "{}").expect("a result");
    assert!(result.contains("The tool failed"), "{result}");
    assert_eq!(*words.lock().expect("no panic"), ["failed"]);
}

#[test]
fn an_answer_of_another_kind_is_a_failure() {
    let server = served();
    server
        .around(|_, next: Next| next.answer_instead(wellhead::Answer::from("A")))
        .expect("the server is open");
    assert!(text_of(&mut client(&server)).contains("The tool failed"));
    let server = served();
    server
        .around(|_, next| next.run(|_| Outcome::Method(MethodAnswer::failed("no"))))
        .expect("the server is open");
    assert!(client(&server).read("notes://a").is_err());
}

#[test]
fn a_kept_call_keeps_no_connection_open() {
    let server = served();
    let (send, receive) = channel();
    let send = Mutex::new(send);
    server
        .around(move |call, next| {
            next.run(|outcome| outcome);
            send.lock().expect("no panic").send(call).expect("the test waits");
        })
        .expect("the server is open");
    let mut client = client(&server);
    assert!(text_of(&mut client).contains('x'));
    let kept = receive.recv().expect("a seam ran");
    assert!(text_of(&mut client).contains('x'));
    drop(client);
    assert!(kept.is_cancelled() && kept.client().is_none());
    drop((server, kept));
}
