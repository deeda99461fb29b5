//! The end of the service while answers are under way.

use super::{Client, Service, holding, is_ended, next_call, server};
use wellhead::Server;
use wellhead::serve::Http;

fn stateless(service: &Service) -> Client {
    let mut client = service.client();
    client.send_request("resources/read", r#""uri":"test://held","#, "Mcp-Name: test://held\r\n");
    client
}

fn in_session(service: &Service) -> Client {
    let mut client = service.client();
    let session = client.session();
    let read = r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://held"}}"#;
    client.send("POST", &session, read);
    client
}

#[test]
fn calls_in_flight_when_the_server_is_closed_are_still_answered() {
    for begin in [stateless, in_session] {
        let (server, held) = holding();
        let service = Service::start(server, |http| http);
        let mut client = begin(&service);
        let responder = next_call(&held);
        service.server.close();
        responder.finish("at last");
        let (status, body) = client.whole();
        assert!(status == 200 && body.contains("at last"), "{status} {body}");
        assert!(is_ended(&mut client));
        service.ends();
    }
}

#[test]
fn a_listener_ends_in_async_code() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let http = Http::new(Server::new("s", "1").endpoint());
        let listening = http.bind("127.0.0.1:0").unwrap().start(None).unwrap();
        drop(listening);
    });
}

#[test]
fn the_service_ends_although_a_callback_never_answers() {
    for begin in [stateless, in_session] {
        let (server, held) = holding();
        let service = Service::start(server, |http| http.shutdown_ms(50));
        let mut client = begin(&service);
        let responder = next_call(&held);
        service.ends();
        assert!(is_ended(&mut client));
        responder.finish("no client waits for it any more");
    }
}

#[test]
fn a_callback_that_outlasts_the_shutdown_time_is_cancelled() {
    for begin in [stateless, in_session] {
        let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
        let (sender, begun) = std::sync::mpsc::channel();
        server
            .resource("test://held", move |call: wellhead::Call| {
                sender.send(()).unwrap();
                while !call.is_cancelled() {
                    std::thread::yield_now();
                }
                "no client waits for it any more"
            })
            .unwrap();
        let service = Service::start(server, |http| http.shutdown_ms(1));
        let mut client = begin(&service);
        begun.recv().unwrap();
        service.ends();
        assert!(is_ended(&mut client));
    }
}

#[cfg(unix)]
#[test]
fn sigterm_counts_from_the_moment_on_at_which_the_address_is_known() {
    let server = server();
    let http = Http::new(server.endpoint()).handle_sigterm(true);
    let listener = http.bind("127.0.0.1:0").expect("a free port");
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
    listener.serve().expect("it ends in order");
    assert!(server.is_closed());
}

#[test]
fn a_server_that_was_closed_before_its_listener_serves_ends_at_once() {
    let server = server();
    let listener = Http::new(server.endpoint()).bind("127.0.0.1:0").expect("a free port");
    server.close();
    listener.serve().expect("it ends in order");
}
