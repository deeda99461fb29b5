//! What a call tells of its request.

use std::sync::mpsc;
use wellhead::{Caller, Handled, Server};

fn handle(connection: &wellhead::Connection, message: &str) {
    let handled = connection.handle(message.as_bytes()).unwrap();
    assert!(matches!(handled, Handled::Answer(_) | Handled::Nothing), "{handled:?}");
}

/// row: L-32
#[test]
fn a_call_knows_its_client_in_both_eras() {
    let (sender, calls) = mpsc::channel();
    let server = Server::new("s", "1");
    server
        .template("notes://{id}", move |call| {
            sender.send((call.client(), call.client_capabilities(), call.meta().map(str::to_owned))).unwrap();
            "found"
        })
        .unwrap();
    let connection = server.connect(Caller::default());

    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"2"},"traceparent":"00-1-2-01","com.example/own":[1, "\u00e9"]}"#;
    let read = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"notes://a","_meta":{meta}}}}}"#
    );
    handle(&connection, &read);
    let (client, capabilities, seen) = calls.recv().unwrap();
    assert_eq!(client.as_deref(), Some(r#"{"name":"m","version":"2"}"#));
    assert_eq!(capabilities.as_deref(), Some(r#"{"roots":{}}"#));
    assert_eq!(seen.as_deref(), Some(meta));

    handle(
        &connection,
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    handle(&connection, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    handle(&connection, r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"notes://a"}}"#);
    let (client, capabilities, seen) = calls.recv().unwrap();
    assert_eq!(client.as_deref(), Some(r#"{"name":"c","version":"1"}"#));
    assert_eq!(capabilities.as_deref(), Some(r#"{"sampling":{}}"#));
    assert_eq!(seen, None);
}
