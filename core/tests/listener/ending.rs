//! The end of the service while answers are under way.

use super::{Client, Service, asked, holding, is_ended};
use std::time::Duration;

fn stateless(service: &Service) -> Client {
    let mut client = service.client();
    client.ask("resources/read", r#""uri":"test://held","#, "Mcp-Name: test://held\r\n");
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
fn what_is_under_way_when_the_server_is_closed_is_still_answered() {
    for begin in [stateless, in_session] {
        let (server, held) = holding();
        let service = Service::start(server, |http| http);
        let mut client = begin(&service);
        let responder = asked(&held);
        service.server.close();
        responder.finish("at last");
        let (status, body) = client.whole();
        assert!(status == 200 && body.contains("at last"), "{status} {body}");
        assert!(is_ended(&mut client));
        service.ends();
    }
}

#[test]
fn the_service_ends_although_somebody_never_answers() {
    for begin in [stateless, in_session] {
        let (server, held) = holding();
        let service = Service::start(server, |http| http.drain(Duration::from_millis(50)));
        let mut client = begin(&service);
        let responder = asked(&held);
        service.ends();
        assert!(is_ended(&mut client));
        responder.finish("nobody waits for it any more");
    }
}
