//! Responses that clients have not read to the end, and which of them are dropped if another client needs the room.

use super::{Account, Holder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A response that an HTTP server, such as hyper, sends. It asks for the next part once the client has read the one
/// before.
pub(crate) trait UnreadResponse: Send + Sync {
    /// Returns the holder of its costs.
    fn holder(&self) -> &Arc<Holder>;

    /// Returns for how many milliseconds the HTTP server has had a part without asking for the next one. `None`: it
    /// waits for the next part.
    fn unread_ms(&self) -> Option<u64>;

    /// Drops the rest of the response. The HTTP server finds the end when it asks for more.
    fn drop_contents(&self);
}

/// The responses of one endpoint, by a number of their own.
#[derive(Default)]
pub(super) struct UnreadResponses {
    last: u64,
    open: BTreeMap<u64, Arc<dyn UnreadResponse>>,
}

impl UnreadResponses {
    /// Returns the responses that their clients do not read, each with the milliseconds since then.
    fn stuck(&self) -> Vec<(u64, Arc<dyn UnreadResponse>)> {
        let stuck = |response: &Arc<dyn UnreadResponse>| Some((response.unread_ms()?, response.clone()));
        self.open.values().filter_map(stuck).collect()
    }
}

impl Account {
    /// Adds a response, and returns its number.
    pub(crate) fn add_unread(&self, response: Arc<dyn UnreadResponse>) -> u64 {
        self.unread.with(|unread, _| {
            unread.last += 1;
            unread.open.insert(unread.last, response);
            unread.last
        })
    }

    pub(crate) fn remove_unread(&self, number: u64) {
        let removed = self.unread.with(|unread, _| unread.open.remove(&number));
        drop(removed); // not under the lock
    }

    /// Drops the responses of which the client has read nothing for `since_ms` milliseconds.
    pub(crate) fn drop_unread(&self, since_ms: u64) {
        let stuck = self.unread.with(|unread, _| unread.stuck());
        for (ms, response) in stuck {
            if ms >= since_ms {
                response.drop_contents();
            }
        }
    }
}

impl Holder {
    /// Drops unread responses of other holders until this one may have `bytes` more. It drops only responses of holders
    /// with at least as many bytes, and only those that cost more, the costliest first. So a holder that has used up
    /// its own part drops nothing of smaller ones. Must be called without a lock.
    pub(crate) fn make_room(self: &Arc<Self>, bytes: usize) {
        if bytes == 0 || self.fits(bytes).is_ok() {
            return;
        }
        let sum = self.bytes() + bytes;
        let own = cost(sum, 0);
        let stuck = self.account().unread.with(|unread, _| unread.stuck());
        // Each cost is computed once, because bytes change meanwhile.
        let costly = |(ms, response): (u64, Arc<dyn UnreadResponse>)| {
            let held = response.holder().bytes();
            let cost = cost(held, ms);
            let goes = !Arc::ptr_eq(response.holder(), self) && held >= sum && cost > own;
            goes.then_some((cost, response))
        };
        let mut stuck: Vec<_> = stuck.into_iter().filter_map(costly).collect();
        let others: BTreeMap<_, _> =
            stuck.iter().map(|(_, of)| (Arc::as_ptr(of.holder()), of.holder().bytes())).collect();
        if self.fits_without(bytes, others.values().sum()).is_err() {
            return;
        }
        stuck.sort_by_key(|(cost, _)| *cost);
        while let Some((_, response)) = stuck.pop()
            && self.fits(bytes).is_err()
        {
            response.drop_contents();
        }
    }
}

/// Returns the cost of an unread response to other clients: the bytes of its holder, times the milliseconds in which the
/// client has read nothing. So the response of a slow reader stays, and those of clients that read nothing go.
fn cost(bytes: usize, ms: u64) -> u128 {
    bytes as u128 * u128::from(ms.saturating_add(1))
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::super::Charge;
    use super::*;
    use crate::event::{Call, Event};
    use crate::http::{Endpoint, Exchange, Progress, RequestHead};
    use crate::limits::Limits;
    use crate::model::Contents;
    use crate::server::Server;
    use crate::sync::Lock;

    struct TestResponse(Arc<Holder>, Option<u64>, Lock<Option<Charge>>);

    impl UnreadResponse for TestResponse {
        fn holder(&self) -> &Arc<Holder> {
            &self.0
        }

        fn unread_ms(&self) -> Option<u64> {
            self.1
        }

        fn drop_contents(&self) {
            drop(self.2.with(|charge, _| charge.take()));
        }
    }

    fn response(account: &Arc<Account>, bytes: usize, unread_ms: Option<u64>) -> Arc<TestResponse> {
        let holder = account.holder();
        let mut charge = holder.charge();
        charge.force(bytes);
        let response = Arc::new(TestResponse(holder, unread_ms, Lock::new(Some(charge))));
        account.add_unread(response.clone());
        response
    }

    fn dropped<const N: usize>(responses: [&Arc<TestResponse>; N]) -> [bool; N] {
        responses.map(|response| response.2.with(|charge, _| charge.is_none()))
    }

    #[test]
    fn responses_that_are_unread_for_long_are_dropped_and_no_others() {
        let account = Account::new(&Limits::default());
        let [long, short, waits] = [Some(80), Some(79), None].map(|ms| response(&account, 1, ms));
        let removed =
            Arc::new(TestResponse(account.holder(), Some(100), Lock::new(Some(account.holder().charge()))));
        account.remove_unread(account.add_unread(removed.clone()));
        account.drop_unread(80);
        assert_eq!(dropped([&long, &short, &waits, &removed]), [true, false, false, false]);
        assert_eq!(Arc::strong_count(&removed), 1);
    }

    #[test]
    fn the_costliest_responses_are_dropped_until_there_is_room() {
        let account = Account::new(&Limits { buffer_bytes: 1_000, ..Limits::default() });
        let waits = response(&account, 100, None);
        let large = response(&account, 600, Some(9));
        let stuck = response(&account, 300, Some(99));
        let newcomer = account.holder();
        newcomer.make_room(50);
        assert_eq!(dropped([&waits, &large, &stuck]), [false, false, true]);
        newcomer.make_room(200);
        assert_eq!(dropped([&waits, &large, &stuck]), [false, true, true]);
        newcomer.make_room(300);
        assert_eq!(dropped([&waits]), [false], "the server waits for more of it");
    }

    /// Posts a message in a session, or for one. Returns its exchange, the session, and what is asked.
    fn post(endpoint: &Endpoint, session: &str, body: &str) -> (Exchange, String, Option<Call>) {
        let headers: [(&str, &[u8]); 4] = [
            ("Host", b"localhost"),
            ("Content-Type", b"application/json"),
            ("Accept", b"application/json, text/event-stream"),
            ("Mcp-Session-Id", session.as_bytes()),
        ];
        let headers = &headers[..if session.is_empty() { 3 } else { 4 }];
        let head = RequestHead { method: "POST", target: "/mcp", headers, peer: &[] };
        let mut exchange = endpoint.begin(&head, 0, || ());
        exchange.body(body.as_bytes());
        exchange.end(0);
        let (mut session, mut read) = (String::new(), None);
        loop {
            match exchange.poll(0, &mut Vec::new()) {
                Progress::Event(Event::Read(call)) => read = Some(call),
                Progress::Respond(response) => {
                    let id = response.headers.into_iter().find(|(name, _)| *name == "mcp-session-id");
                    session = id.map(|(_, id)| id).unwrap_or_default();
                }
                Progress::Wait(_) | Progress::Done => return (exchange, session, read),
                _ => {}
            }
        }
    }

    #[test]
    fn an_answer_to_a_cancelled_request_drops_no_other_answer() {
        let limits = Limits { buffer_bytes: 4 << 20, ..Limits::default() };
        let server = Server::builder("s", "1").limits(limits).build().expect("a server");
        server.resource("test://long", |_| Some("not run")).expect("a new URI");
        let endpoint = server.endpoint().build(|| ()).expect("an endpoint");
        // A revision that does not exist is answered with the newest one that has sessions.
        let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"newest",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
        let (_, session, _) = post(&endpoint, "", initialize);
        let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://long"}}"#;
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let unread = response(endpoint.holder().account(), 3 << 20, Some(99));
        for cancelled in [true, false] {
            let (exchange, _, call) = post(&endpoint, &session, read);
            let responder = call.expect("it is asked").into_responder();
            if cancelled {
                post(&endpoint, &session, cancel);
            }
            let answer = Contents::new("x".repeat(500_000));
            assert_eq!(responder.finish(answer), !cancelled);
            assert_eq!(dropped([&unread]), [!cancelled]);
            drop(exchange);
        }
    }

    #[test]
    fn answers_are_dropped_only_if_that_makes_room_and_not_for_a_dearer_one() {
        let account = Account::new(&Limits { buffer_bytes: 1_000, ..Limits::default() });
        let (one, other) = (response(&account, 400, Some(0)), response(&account, 500, Some(9)));
        account.holder().make_room(900);
        assert_eq!(dropped([&one, &other]), [false, false], "there is no room for so much");
        let (small, large) = (response(&account, 100, Some(0)), account.holder());
        large.make_room(120);
        assert_eq!(dropped([&one, &small, &other]), [false, false, true]);
        one.0.make_room(100);
        assert_eq!(dropped([&one, &small]), [false, false], "its own answers cost most");
    }

    #[test]
    fn a_holder_that_has_its_part_drops_no_answers_of_smaller_ones() {
        let account = Account::new(&Limits { buffer_bytes: 1_000, ..Limits::default() });
        let small = response(&account, 100, Some(9_999));
        let large = account.holder();
        let _charge = large.reserve(200).expect("there is room");
        assert!(large.fits(45).is_err() && large.fits_without(45, 100).is_ok());
        large.make_room(45);
        assert_eq!(dropped([&small]), [false]);
        account.holder().make_room(230);
        assert_eq!(dropped([&small]), [false], "a newcomer is not smaller, either");
    }
}
