//! Chooses the head of the response to a POST by the first message of its route.

use super::media::Accepts;
use crate::connection::Transmit;
use crate::protocol::{MessageKind, Stage};
use crate::revision::Era;

/// The head of a response, by the kind of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseHead {
    /// One JSON body of `length` bytes.
    Json {
        /// The status code (RFC 9110 section 15).
        status: u16,
        /// `Content-Length`, in bytes.
        length: u64,
    },
    /// An event stream, status 200. Its last event is the answer.
    EventStream,
    /// No body, with a status code.
    Empty {
        /// The status code.
        status: u16,
    },
}

/// The choice of the head for one POST. It has no clock and does no I/O.
///
/// The response is JSON if the answer is the first message. It is an event stream if other messages precede the answer,
/// or if the client accepts nothing else. If the client accepts no event stream, the connection sends the answer only.
#[derive(Debug, Clone)]
pub(crate) struct HeadChoice {
    accepts_json: bool,
    era: Era,
}

impl HeadChoice {
    /// Begins the choice for a POST whose client accepts these types. Only in the stateless era does an error have a
    /// status code of its own, such as 404 for an unknown method.
    pub(crate) fn new(accepts: Accepts, era: Era) -> Self {
        HeadChoice { accepts_json: accepts.json, era }
    }

    /// Returns whether the request belongs to the stateless era.
    #[cfg(feature = "http")]
    pub(crate) fn is_stateless(&self) -> bool {
        self.era == Era::Stateless
    }

    /// Chooses the head by the first transmit of the route. Its bytes follow the head.
    pub(crate) fn choose(&self, transmit: &Transmit<'_>) -> ResponseHead {
        match transmit.kind {
            MessageKind::Message | MessageKind::Progress | MessageKind::Paused(_) => {
                ResponseHead::EventStream
            }
            MessageKind::Ended => ResponseHead::Empty { status: 202 },
            // A status other than 200 needs a head of its own: an event stream always has 200.
            MessageKind::Final(stage) if !self.accepts_json && self.status(stage) == 200 => {
                ResponseHead::EventStream
            }
            MessageKind::Final(stage) => {
                let length = transmit.total.unwrap_or(transmit.bytes.len() as u64);
                ResponseHead::Json { status: self.status(stage), length }
            }
        }
    }

    fn status(&self, stage: Stage) -> u16 {
        match stage {
            Stage::Refused => 400,
            Stage::NoMethod if self.era == Era::Stateless => 404,
            Stage::NoMethod | Stage::Dispatched => 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Caller, Connection, DrainStart, Route, Server};

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    fn accepts(json: bool) -> Accepts {
        Accepts { json, stream: true }
    }

    fn connection() -> Connection {
        let server = Server::new("s", "1");
        server.text("test://text", "x".repeat(100_000)).expect("a valid URI");
        server.resource("test://slow", |call| call.defer().0).expect("a valid URI");
        server.connect(Caller::default())
    }

    fn request(method: &str, members: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#)
    }

    /// Returns the head by the first transmit, and the number of bytes of each.
    fn answer(connection: &Connection, choice: &HeadChoice, route: Route) -> (ResponseHead, Vec<usize>) {
        let (mut head, mut lengths) = (None, Vec::new());
        let DrainStart::Ready(mut drain) = connection.drain(route) else { panic!("the route has output") };
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            head.get_or_insert_with(|| choice.choose(&transmit));
            let length = transmit.bytes.len();
            lengths.push(length);
            drain.wrote(length);
        }
        (head.expect("the route has output"), lengths)
    }

    fn post(message: &str, accepts_json: bool) -> (ResponseHead, Vec<usize>) {
        let connection = connection();
        let (route, event) = connection.handle_on_route(message.as_bytes()).expect("the connection is open");
        assert!(event.is_none());
        answer(&connection, &HeadChoice::new(accepts(accepts_json), Era::Stateless), route)
    }

    #[test]
    fn the_status_depends_on_how_far_a_stateless_request_got() {
        let status = |message: &str| match post(message, true).0 {
            ResponseHead::Json { status, .. } => status,
            other => panic!("{other:?}"),
        };
        assert_eq!(status("no json"), 400);
        assert_eq!(status(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#), 400);
        assert_eq!(status(&request("unknown/method", "")), 404);
        assert_eq!(status(&request("ping", "")), 404);
        assert_eq!(status(&request("resources/read", r#""uri":"test://none","#)), 200);
        assert_eq!(status(&request("server/discover", "")), 200);
    }

    #[test]
    fn an_unknown_method_of_the_handshake_era_is_an_ordinary_answer() {
        let connection = connection();
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
        for (message, status) in
            [(initialize, 200), (r#"{"jsonrpc":"2.0","id":2,"method":"unknown/method"}"#, 200)]
        {
            let (route, _) = connection.handle_on_route(message.as_bytes()).expect("the connection is open");
            let (head, _) = answer(&connection, &HeadChoice::new(accepts(true), Era::Handshake), route);
            assert!(matches!(head, ResponseHead::Json { status: s, .. } if s == status));
        }
    }

    #[test]
    fn a_json_answer_knows_its_length_before_it_is_encoded() {
        let (head, lengths) = post(&request("resources/read", r#""uri":"test://text","#), true);
        let ResponseHead::Json { status: 200, length } = head else { panic!("{head:?}") };
        assert_eq!(lengths.iter().sum::<usize>() as u64, length);
        assert!(lengths.len() > 1, "a large body comes in chunks");
    }

    #[test]
    fn an_answer_is_a_stream_after_a_notification_or_if_the_client_accepts_only_that() {
        let message = request("subscriptions/listen", r#""notifications":{},"#);
        assert_eq!(post(&message, true).0, ResponseHead::EventStream);
        let discover = request("server/discover", "");
        assert_eq!(post(&discover, false).0, ResponseHead::EventStream);
    }

    #[test]
    fn a_cancelled_post_ends_empty() {
        let connection = connection();
        let read = request("resources/read", r#""uri":"test://slow","#);
        let (route, event) = connection.handle_on_route(read.as_bytes()).expect("the connection is open");
        let event = event.expect("the application is asked");
        let cancel = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let (cancelling, _) = connection.handle_on_route(cancel).expect("the connection is open");
        for route in [route, cancelling] {
            let answer = answer(&connection, &HeadChoice::new(accepts(true), Era::Handshake), route);
            assert_eq!(answer, (ResponseHead::Empty { status: 202 }, vec![0]));
        }
        drop(event); // late, and not wanted
        assert!(matches!(connection.drain(route), DrainStart::Empty));
    }
}
