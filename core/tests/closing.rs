//! Closing a connection while somebody is busy with it.

use wellhead::{Caller, DrainStart, Route, Server};

#[test]
fn a_connection_closed_while_it_is_drained_is_finished_when_the_drain_ends() {
    let server = Server::new("s", "1");
    let connection = server.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unknown\"}\n");
    assert!(connection.poll_event().is_none());
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else {
        panic!("nothing to drain")
    };
    assert!(drain.poll_transmit(1).is_some());
    connection.close();
    assert!(!connection.is_finished());
    drop(drain);
    assert!(connection.is_finished());
    assert!(matches!(connection.drain(Route::Connection), DrainStart::Empty));
}
