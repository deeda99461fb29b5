//! A server whose resources are read over HTTP: shared by the test programs that name this file.

use wellhead::Server;

pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A server whose log is silent, with a fixed text and one that another thread answers.
pub(crate) fn server() -> Server {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    server
        .resource("test://later", |call| {
            let (later, responder) = call.defer();
            std::thread::spawn(move || responder.finish("later"));
            later
        })
        .unwrap();
    server
}
