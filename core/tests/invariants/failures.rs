//! A callback that panics harms no other request.

use crate::support::{answers, connect, feed, on_uri, request, send_request, serve, server};
use wellhead::{Completion, Json, MethodAnswer, Page, Resource, Template};

fn silently<R>(f: impl FnOnce() -> R) -> R {
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = f();
    std::panic::set_hook(hook);
    result
}

/// Invariant 7.
#[test]
fn a_callback_that_panics_fails_only_its_own_request() {
    let server = server();
    server.text("m://fine", "fine").unwrap();
    server.template("m://bad/{id}", |_| -> &str { panic!("a read") }).unwrap();
    server.list("rows", |_| -> Page { panic!("a list") }).unwrap();
    let connections = [connect(&server), connect(&server)];
    silently(|| {
        for connection in &connections {
            let read = send_request(connection, &on_uri(1, "read", "m://bad/1"));
            assert!(read.contains("Internal error") && !read.contains("a read"), "{read}");
            assert!(send_request(connection, &request(2, "resources/list", "{}")).contains("Internal error"));
            assert!(send_request(connection, &on_uri(3, "read", "m://fine")).contains("fine"));
        }
    });
    server.remove_list("rows").unwrap();
    server.list("better", |_| Page::new([Resource::new("m://fine/too")])).unwrap();
    for connection in &connections {
        assert!(send_request(connection, &request(4, "resources/list", "{}")).contains("m://fine/too"));
    }
}

/// Invariant 7.
#[test]
fn an_authoriser_and_an_interest_handler_that_panic_refuse() {
    let server = server();
    server.text("m://fine", "fine").unwrap();
    let connection = connect(&server);
    silently(|| {
        server.on_interest(|_| -> wellhead::InterestAnswer { panic!("an interest") }).unwrap();
        let refused = send_request(&connection, &on_uri(1, "subscribe", "m://fine"));
        assert!(refused.contains("Internal error"), "{refused}");
        server.on_interest(|_| ()).unwrap();
        assert!(send_request(&connection, &on_uri(2, "subscribe", "m://fine")).contains("result"));
        server.authorize(|_| -> Vec<wellhead::Verdict> { panic!("a verdict") }).unwrap();
        let refused = send_request(&connection, &on_uri(3, "read", "m://fine"));
        assert!(refused.contains("Internal error") && !refused.contains("a verdict"), "{refused}");
    });
    assert_eq!(answers(&send_request(&connection, &request(4, "ping", "{}")), 4), 1);
}

/// Invariant 7.
#[test]
fn methods_tools_prompts_completers_template_lists_and_publishers_that_panic_fail_alone() {
    let server = server();
    let none = Json::parse("{}").unwrap();
    server.text("m://fine", "fine").unwrap();
    let template = Template::new("m://rows/{id}")
        .list(|_| -> Page { panic!("a secret") })
        .complete("id", |_| -> Completion { panic!("a secret") });
    server.template(template, |_| "row").unwrap();
    server.method("x/y", |_| -> MethodAnswer { panic!("a secret") }).unwrap();
    server.tool("t", &none, |_| -> MethodAnswer { panic!("a secret") }).unwrap();
    server.prompt("p", &none, |_| -> MethodAnswer { panic!("a secret") }).unwrap();
    server.complete_prompt("p", "a", |_| -> Completion { panic!("a secret") }).unwrap();
    server.on_publish(|_| panic!("a secret")).unwrap();
    let connection = connect(&server);
    let argument = r#""argument":{"name":"id","value":""}"#;
    silently(|| {
        for (id, (method, params)) in [
            ("resources/list", "{}".to_owned()),
            (
                "completion/complete",
                format!(r#"{{"ref":{{"type":"ref/resource","uri":"m://rows/{{id}}"}},{argument}}}"#),
            ),
            (
                "completion/complete",
                r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#.to_owned(),
            ),
            ("x/y", "{}".to_owned()),
            ("tools/call", r#"{"name":"t"}"#.to_owned()),
            ("prompts/get", r#"{"name":"p"}"#.to_owned()),
        ]
        .into_iter()
        .enumerate()
        {
            let failed = send_request(&connection, &request(id, method, &params));
            assert_eq!(answers(&failed, id), 1, "{failed}");
            let told = if method == "tools/call" { "\"isError\":true" } else { "Internal error" };
            assert!(failed.contains(told) && !failed.contains("secret"), "{failed}");
        }
        assert!(send_request(&connection, &on_uri(20, "subscribe", "m://fine")).contains("result"));
        server.notify_updated("m://fine").unwrap();
    });
    assert!(send_request(&connection, &on_uri(21, "read", "m://rows/1")).contains("row"));
    assert!(!connection.is_closed());
}

struct Explosive(String);

impl AsRef<str> for Explosive {
    fn as_ref(&self) -> &str {
        panic!("{}", self.0)
    }
}

/// Invariant 7.
#[test]
fn a_body_that_panics_when_it_is_looked_at_fails_its_own_request() {
    let server = server();
    server
        .template("m://{id}", |_| wellhead::Body::Text(std::sync::Arc::new(Explosive("boom".into()))))
        .unwrap();
    server.text("m://fine/text", "fine").unwrap();
    let connection = connect(&server);
    silently(|| {
        feed(&connection, &on_uri(1, "read", "m://x"));
        serve(&connection);
    });
    let output = send_request(&connection, &on_uri(2, "read", "m://fine/text"));
    assert_eq!((answers(&output, 1), answers(&output, 2)), (1, 1), "{output}");
}
