//! Warnings that are logged once, however often clients ask.

use std::sync::{Arc, Mutex};
use wellhead::{Answer, Level, Server};

type Lines = Arc<Mutex<Vec<String>>>;

fn server() -> (Server, Lines) {
    let lines = Lines::default();
    let told = lines.clone();
    let log = move |level: Level, line: &str| told.lock().unwrap().push(format!("{level}: {line}"));
    (Server::builder("s", "1").on_log(log).build().unwrap(), lines)
}

#[test]
fn a_fixed_uri_that_its_callback_does_not_find_is_logged_once() {
    let (server, lines) = server();
    server.resource("n://a", |_| Answer::NotFound).unwrap();
    let mut client = server.test_client().unwrap();
    for _ in 0..3 {
        assert!(client.read("n://a").is_err());
        server.updated("n://a").unwrap();
    }
    let expected = "warning: the callback of \"n://a\" answers \"not found\", though it is listed; return contents, or remove it";
    assert_eq!(*lines.lock().unwrap(), [expected]);
}

#[test]
fn a_uri_that_differs_by_a_slash_is_logged_once_and_only_so_many_are() {
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
