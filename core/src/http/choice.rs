//! The head of the answer to one POST, chosen from what its route has to say first.

use crate::drain::Transmit;
use crate::protocol::{Kind, Stage};

/// The head of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// One JSON body of this many bytes.
    Json {
        /// The status code (RFC 9110 section 15).
        status: u16,
        /// `Content-Length`, in bytes.
        length: u64,
    },
    /// A stream of server-sent events, status 200; the answer is its last.
    EventStream,
    /// No body.
    Empty {
        /// The status code.
        status: u16,
    },
}

/// What to do with a transmit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Send this head, then the bytes.
    Begin(Head),
    /// The head has gone: send the bytes.
    Continue,
}

/// One POST on its way to an answer. Pure: no clock, no I/O.
///
/// Starts as JSON; becomes a stream as soon as something precedes the answer, which the exchange of a client that accepts
/// no stream has no room for, and with the answer if the client accepts nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    accepts_json: bool,
    status_by_stage: bool,
    begun: Option<Head>,
}

impl Choice {
    /// `accepts_json`: the request's `Accept` allows `application/json`. `status_by_stage`: the request belongs to the
    /// stateless era, whose statuses tell how far it got.
    pub(crate) fn new(accepts_json: bool, status_by_stage: bool) -> Self {
        Choice { accepts_json, status_by_stage, begun: None }
    }

    /// Whether the request belongs to the stateless era.
    #[cfg(feature = "http")]
    pub(crate) fn is_stateless(&self) -> bool {
        self.status_by_stage
    }

    /// A response that is a stream from the start.
    pub(crate) fn stream() -> Self {
        Choice { accepts_json: false, status_by_stage: false, begun: Some(Head::EventStream) }
    }

    /// What to do with the next transmit of the exchange's route.
    pub(crate) fn step(&mut self, transmit: &Transmit<'_>) -> Step {
        if self.begun.is_some() {
            return Step::Continue;
        }
        let head = match transmit.kind {
            Kind::Message | Kind::Progress | Kind::Paused(_) => Head::EventStream,
            Kind::Ended => Head::Empty { status: 202 },
            // Another status than 200 is said by the head, which a stream has with 200 only.
            Kind::Final(stage) if !self.accepts_json && self.status(stage) == 200 => Head::EventStream,
            Kind::Final(stage) => {
                let length = transmit.total.unwrap_or(transmit.bytes.len() as u64);
                Head::Json { status: self.status(stage), length }
            }
        };
        self.begun = Some(head);
        Step::Begin(head)
    }

    fn status(&self, stage: Stage) -> u16 {
        match stage {
            Stage::Refused => 400,
            Stage::NoMethod if self.status_by_stage => 404,
            Stage::NoMethod | Stage::Dispatched => 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Caller, Connection, DrainStart, Route, Server};

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    fn connection() -> Connection {
        let server = Server::new("s", "1");
        server.text("test://text", "x".repeat(100_000)).expect("a valid URI");
        server.resource("test://slow", |call| call.defer().0).expect("a valid URI");
        server.connect(Caller::default())
    }

    fn request(method: &str, members: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#)
    }

    /// The steps that a message leads to, and the bytes after each.
    fn steps(connection: &Connection, choice: &mut Choice, route: Route) -> Vec<(Step, usize)> {
        let mut steps = Vec::new();
        let DrainStart::Ready(mut drain) = connection.drain(route) else { return steps };
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            steps.push((choice.step(&transmit), length));
            drain.wrote(length);
        }
        steps
    }

    fn post(message: &str, accepts_json: bool) -> Vec<(Step, usize)> {
        let connection = connection();
        let (route, event) = connection.exchange(message.as_bytes()).expect("the connection is open");
        assert!(event.is_none());
        steps(&connection, &mut Choice::new(accepts_json, true), route)
    }

    #[test]
    fn the_status_tells_how_far_a_stateless_request_got() {
        let status = |message: &str| match post(message, true)[0].0 {
            Step::Begin(Head::Json { status, .. }) => status,
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
            let (route, _) = connection.exchange(message.as_bytes()).expect("the connection is open");
            let steps = steps(&connection, &mut Choice::new(true, false), route);
            assert!(matches!(steps[0].0, Step::Begin(Head::Json { status: s, .. }) if s == status));
        }
    }

    #[test]
    fn a_json_answer_knows_its_length_before_it_is_encoded() {
        let steps = post(&request("resources/read", r#""uri":"test://text","#), true);
        let Step::Begin(Head::Json { status: 200, length }) = steps[0].0 else { panic!("{steps:?}") };
        assert_eq!(steps.iter().map(|(_, bytes)| *bytes as u64).sum::<u64>(), length);
        assert!(steps.len() > 1, "a large body comes in chunks");
        assert!(steps[1..].iter().all(|(step, _)| *step == Step::Continue));
    }

    #[test]
    fn something_before_the_answer_makes_it_a_stream_and_so_does_a_client_that_accepts_nothing_else() {
        let message = request("subscriptions/listen", r#""notifications":{},"#);
        assert_eq!(post(&message, true)[0].0, Step::Begin(Head::EventStream));
        let discover = request("server/discover", "");
        assert_eq!(post(&discover, false)[0].0, Step::Begin(Head::EventStream));
    }

    #[test]
    fn a_cancelled_post_ends_empty() {
        let connection = connection();
        let read = request("resources/read", r#""uri":"test://slow","#);
        let (route, event) = connection.exchange(read.as_bytes()).expect("the connection is open");
        let event = event.expect("the host is asked");
        let cancel = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let (cancelling, _) = connection.exchange(cancel).expect("the connection is open");
        for route in [route, cancelling] {
            let steps = steps(&connection, &mut Choice::new(true, false), route);
            assert_eq!(steps, [(Step::Begin(Head::Empty { status: 202 }), 0)]);
        }
        drop(event); // late, and nobody minds
        assert!(matches!(connection.drain(route), DrainStart::Empty));
    }
}
