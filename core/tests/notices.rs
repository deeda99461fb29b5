//! Warnings that are logged once, however often clients ask.

use std::sync::{Arc, Mutex};
use wellhead::{Answer, Server, Severity};

type Lines = Arc<Mutex<Vec<String>>>;

fn server() -> (Server, Lines) {
    let lines = Lines::default();
    let told = lines.clone();
    let log = move |severity: Severity, line: &str| told.lock().unwrap().push(format!("{severity}: {line}"));
    (Server::builder("s", "1").on_log(log).build().unwrap(), lines)
}

#[test]
fn a_fixed_uri_that_its_callback_does_not_find_is_logged_once() {
    let (server, lines) = server();
    server.resource("n://a", |_| Answer::NotFound).unwrap();
    let mut client = server.test_client().unwrap();
    for _ in 0..3 {
        assert!(client.read("n://a").is_err());
        server.notify_updated("n://a").unwrap();
    }
    let expected = "warning: the callback of \"n://a\" answers \"not found\", though it is listed; return contents, or remove it";
    assert_eq!(*lines.lock().unwrap(), [expected]);
}

/// row: AP-13
#[test]
fn a_callback_is_logged_once_if_clients_may_refuse_its_page() {
    let (server, lines) = server();
    let html = |call: wellhead::Call| if call.uri() == "ui://good" { "<!doctype html>" } else { "<p>" };
    for app in ["ui://good", "ui://bad"] {
        server.app_with_reader(app, &wellhead::Json::parse("{}").unwrap(), html).unwrap();
    }
    let mut client = server.test_client().unwrap();
    for _ in 0..3 {
        assert!(client.read("ui://good").is_ok() && client.read("ui://bad").is_ok());
        server.notify_updated("ui://bad").unwrap();
    }
    let expected = "warning: the app \"ui://bad\" is no HTML5 document; begin it with <!doctype html>";
    assert_eq!(*lines.lock().unwrap(), [expected]);
}

#[test]
fn a_fixed_uri_with_a_variable_of_a_web_framework_is_logged_when_it_is_registered() {
    let (server, lines) = server();
    server.resource("n://rows/:id/cells", |_| "").unwrap();
    server.resource("n://rows/:row_2", |_| "").unwrap();
    for fixed in ["n://rows/id", "n://rows/a:b", "n://rows/:", "n://rows/:5", "n://rows/:a-b", "urn:id"] {
        server.resource(fixed, |_| "").unwrap();
    }
    server.text("n://texts/:id", "one text has no variable").unwrap();
    let expected = [
        "warning: \"n://rows/:id/cells\" is a fixed URI; a variable is written {id} and not :id",
        "warning: \"n://rows/:row_2\" is a fixed URI; a variable is written {row_2} and not :row_2",
    ];
    assert_eq!(*lines.lock().unwrap(), expected);
}

#[test]
fn a_uri_that_differs_by_a_slash_is_logged_once_and_their_number_is_limited() {
    let (server, lines) = server();
    server.text("n://a", "A").unwrap();
    server.template("n://x/{id}", |_| "").unwrap();
    let mut client = server.test_client().unwrap();
    for _ in 0..2 {
        assert!(client.read("n://a/").is_err());
        assert!(client.read("n://b").is_err());
    }
    let expected = "warning: \"n://a/\" is not found, but \"n://a\" is registered: URIs are compared byte by byte; register this one, too";
    assert_eq!(*lines.lock().unwrap(), [expected]);
    for n in 0..500 {
        assert!(client.read(&format!("n://x/{n}/")).is_err());
    }
    assert_eq!(lines.lock().unwrap().len(), 100);
}

/// row: TX-02
#[cfg(not(feature = "schema"))]
#[test]
fn a_build_without_schema_logs_once_that_it_checks_no_arguments() {
    let (server, lines) = server();
    let takes_a_number = r#"{"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#;
    let definition = wellhead::Json::parse(takes_a_number).unwrap();
    for name in ["a", "b"] {
        server.tool(name, &definition, |_| wellhead::ToolResult::from("called")).unwrap();
    }
    let said = "warning: arguments of tools are not checked: this build has no feature `schema`";
    assert_eq!(*lines.lock().unwrap(), [said]);
    let mut client = server.test_client().unwrap();
    assert!(client.call_tool("a", r#"{"n":"text"}"#).unwrap().contains("called"));
}
