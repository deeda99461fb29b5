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
    chosen: Option<ResponseHead>,
}

impl HeadChoice {
    /// Begins the choice for a POST whose client accepts these types. Only in the stateless era does an error have a
    /// status code of its own, such as 404 for an unknown method.
    pub(crate) fn new(accepts: Accepts, era: Era) -> Self {
        HeadChoice { accepts_json: accepts.json, era, chosen: None }
    }

    /// Returns whether the request belongs to the stateless era.
    #[cfg(feature = "http")]
    pub(crate) fn is_stateless(&self) -> bool {
        self.era == Era::Stateless
    }

    /// Makes the choice for a response that is an event stream from the start.
    pub(crate) fn stream() -> Self {
        HeadChoice { accepts_json: false, era: Era::Handshake, chosen: Some(ResponseHead::EventStream) }
    }

    /// Returns the head if this is the first transmit of the route; its bytes follow the head. `None` for later ones.
    pub(crate) fn choose(&mut self, transmit: &Transmit<'_>) -> Option<ResponseHead> {
        if self.chosen.is_some() {
            return None;
        }
        self.chosen = Some(match transmit.kind {
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
        });
        self.chosen
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

    /// Returns the heads that the messages lead to, and the number of bytes after each.
    fn steps(
        connection: &Connection,
        choice: &mut HeadChoice,
        route: Route,
    ) -> Vec<(Option<ResponseHead>, usize)> {
        let mut steps = Vec::new();
        let DrainStart::Ready(mut drain) = connection.drain(route) else { return steps };
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            steps.push((choice.choose(&transmit), length));
            drain.wrote(length);
        }
        steps
    }

    fn post(message: &str, accepts_json: bool) -> Vec<(Option<ResponseHead>, usize)> {
        let connection = connection();
        let (route, event) = connection.handle_on_route(message.as_bytes()).expect("the connection is open");
        assert!(event.is_none());
        steps(&connection, &mut HeadChoice::new(accepts(accepts_json), Era::Stateless), route)
    }

    #[test]
    fn the_status_depends_on_how_far_a_stateless_request_got() {
        let status = |message: &str| match post(message, true)[0].0 {
            Some(ResponseHead::Json { status, .. }) => status,
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
            let steps = steps(&connection, &mut HeadChoice::new(accepts(true), Era::Handshake), route);
            assert!(matches!(steps[0].0, Some(ResponseHead::Json { status: s, .. }) if s == status));
        }
    }

    #[test]
    fn a_json_answer_knows_its_length_before_it_is_encoded() {
        let steps = post(&request("resources/read", r#""uri":"test://text","#), true);
        let Some(ResponseHead::Json { status: 200, length }) = steps[0].0 else { panic!("{steps:?}") };
        assert_eq!(steps.iter().map(|(_, bytes)| *bytes as u64).sum::<u64>(), length);
        assert!(steps.len() > 1, "a large body comes in chunks");
        assert!(steps[1..].iter().all(|(step, _)| step.is_none()));
    }

    #[test]
    fn an_answer_is_a_stream_after_a_notification_or_if_the_client_accepts_only_that() {
        let message = request("subscriptions/listen", r#""notifications":{},"#);
        assert_eq!(post(&message, true)[0].0, Some(ResponseHead::EventStream));
        let discover = request("server/discover", "");
        assert_eq!(post(&discover, false)[0].0, Some(ResponseHead::EventStream));
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
            let steps = steps(&connection, &mut HeadChoice::new(accepts(true), Era::Handshake), route);
            assert_eq!(steps, [(Some(ResponseHead::Empty { status: 202 }), 0)]);
        }
        drop(event); // late, and not wanted
        assert!(matches!(connection.drain(route), DrainStart::Empty));
    }
}
