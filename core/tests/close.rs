//! What is left of a connection that was closed.

use wellhead::{Caller, DrainStart, Route, Server};

#[test]
fn a_connection_closed_while_its_output_is_taken_is_finished() {
    let server = Server::new("s", "1");
    let connection = server.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    assert!(connection.poll_event().is_none());
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { panic!("no output") };
    assert!(drain.poll_transmit(1).is_some());
    connection.close();
    drop(drain);
    assert!(connection.is_finished());
}
