//! A client: what it sent, what it was told, and what it may rightly expect.

use crate::bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use wellhead::{Connection, Drain, DrainStart, Route};

/// The answers that a request may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Exactly once.
    Once,
    /// Once or not at all: it was cancelled, or its id was used twice.
    AtMostOnce,
    /// None: the application was told that the request was cancelled or timed out.
    Never,
    /// As often as may be.
    Any,
}

#[allow(clippy::struct_excessive_bools, reason = "independent facts about one client")]
pub(crate) struct Client {
    pub(crate) connection: Connection,
    number: usize,
    requests: BTreeMap<String, Expected>,
    /// The requests of each batch that are answered together if the batch is taken at all.
    batches: Vec<Vec<String>>,
    /// Requests of batches that need not be answered: cancelled, or of an id that was used twice.
    given_up: BTreeSet<String>,
    next: usize,
    /// Bytes that were not accepted yet.
    unsent: Vec<u8>,
    pub(crate) refused: bool,
    /// The last byte that was accepted ended a line.
    pub(crate) ended_a_line: bool,
    pub(crate) ended: bool,
    pub(crate) closed: bool,
    /// A half-taken drain.
    drain: Option<Drain>,
    pub(crate) output: Vec<u8>,
    pub(crate) cursor: Option<String>,
    read_to: usize,
}

const STATELESS: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// URIs that clients watch and read.
pub(crate) const FIXED: [&str; 4] = ["f://0", "f://1", "f://2", "f://large"];

impl Client {
    pub(crate) fn new(number: usize, connection: Connection) -> Client {
        Client {
            connection,
            number,
            requests: BTreeMap::new(),
            batches: Vec::new(),
            given_up: BTreeSet::new(),
            next: 0,
            unsent: Vec::new(),
            refused: false,
            ended_a_line: true,
            ended: false,
            closed: false,
            drain: None,
            output: Vec::new(),
            cursor: None,
            read_to: 0,
        }
    }

    fn new_id(&mut self, expected: Expected) -> String {
        self.next += 1;
        let id = format!("q{}-{}", self.number, self.next);
        self.requests.insert(id.clone(), expected);
        id
    }

    fn old_id(&self, choices: &mut Bytes<'_>) -> Option<String> {
        let back = choices.below(self.requests.len().min(8));
        self.requests.keys().nth_back(back).cloned()
    }

    /// A message of the client's choice, or an array of some.
    pub(crate) fn message(&mut self, choices: &mut Bytes<'_>) -> String {
        if choices.below(8) > 0 {
            return self.single(choices);
        }
        let first = self.next + 1;
        let elements: Vec<_> = (0..choices.below(6))
            .map(|_| match choices.below(8) {
                0 => ["1", "{}", "[]", "[1]"][choices.below(4)].to_owned(),
                _ => self.single(choices),
            })
            .filter(|element| !element.is_empty())
            .collect();
        let ids = (first..=self.next).map(|n| format!("q{}-{n}", self.number));
        let ids: Vec<_> = ids.filter(|id| self.requests[id] == Expected::Once).collect();
        for id in &ids {
            self.requests.insert(id.clone(), Expected::AtMostOnce); // not every session has batches
        }
        self.batches.push(ids);
        format!("[{}]", elements.join(","))
    }

    fn single(&mut self, choices: &mut Bytes<'_>) -> String {
        let stateless = choices.flag();
        let kind = choices.below(21);
        let uri = FIXED[choices.below(FIXED.len())];
        let (method, params) = match kind {
            0 => ("ping", String::new()),
            1 => ("resources/read", format!(r#""uri":"{uri}""#)),
            2..=4 => {
                let id = self.next + 1; // so that the read names its request
                ("resources/read", format!(r#""uri":"t://q{}-{id}""#, self.number))
            }
            5 => ("resources/list", String::new()),
            6 => match &self.cursor {
                Some(cursor) => ("resources/list", format!(r#""cursor":"{cursor}""#)),
                None => ("resources/templates/list", String::new()),
            },
            7 | 8 => ("resources/subscribe", format!(r#""uri":"{uri}""#)),
            9 => ("resources/unsubscribe", format!(r#""uri":"{uri}""#)),
            10 => {
                let params = format!(
                    r#""notifications":{{"resourcesListChanged":{},"resourceSubscriptions":["{uri}","f://0"]}}"#,
                    choices.flag()
                );
                return self.request("subscriptions/listen", &params, true, Expected::AtMostOnce);
            }
            11 | 12 => {
                let Some(id) = self.old_id(choices) else { return String::new() };
                if let Some(expected @ Expected::Once) = self.requests.get_mut(&id) {
                    *expected = Expected::AtMostOnce;
                }
                self.given_up.insert(id.clone());
                return format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{id}"}}}}"#
                );
            }
            13 => {
                let Some(id) = self.old_id(choices) else { return String::new() };
                self.requests.insert(id.clone(), Expected::Any);
                self.given_up.insert(id.clone());
                return format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#);
            }
            14 => {
                let version = ["2025-06-18", "2025-03-26", "2024-11-05", "2025-11-25"][choices.below(4)];
                let params = format!(
                    r#""protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"f","version":"1"}}"#
                );
                return self.request("initialize", &params, false, Expected::Once);
            }
            15 => ("resources/get", format!(r#""uri":"{uri}","version":"v""#)),
            16 => {
                let id = self.next + 1;
                ("resources/get", format!(r#""uri":"t://q{}-{id}""#, self.number))
            }
            17 => ("resources/subscribe", format!(r#""uris":["{uri}","f://0","{uri}"]"#)),
            18 => ("resources/unsubscribe", format!(r#""uris":["{uri}"]"#)),
            19 => ("resources/list", format!(r#""filter":{{"k":{}}}"#, choices.below(2))),
            _ => return r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        };
        self.request(method, &params, stateless, Expected::Once)
    }

    fn request(&mut self, method: &str, params: &str, stateless: bool, expected: Expected) -> String {
        let id = self.new_id(expected);
        let meta = if stateless { STATELESS } else { "" };
        let comma = if stateless && !params.is_empty() { "," } else { "" };
        format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{{{params}{comma}{meta}}}}}"#)
    }

    /// Expects nothing more of that request.
    pub(crate) fn never(&mut self, id: &str) {
        if let Some(expected @ (Expected::Once | Expected::AtMostOnce)) = self.requests.get_mut(id) {
            *expected = Expected::Never;
            self.given_up.insert(id.to_owned());
        }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
        self.unsent.push(b'\n');
    }

    pub(crate) fn has_sent_all(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Offers what was not accepted, at most `piece` bytes. Tells whether any was taken.
    pub(crate) fn offer(&mut self, piece: usize) -> bool {
        let offered = self.unsent.len().min(piece);
        if offered == 0 {
            return false;
        }
        let accepted = self.connection.receive(&self.unsent[..offered]);
        assert!(accepted <= offered);
        self.ended_a_line = accepted > 0 && self.unsent[accepted - 1] == b'\n';
        self.unsent.drain(..accepted);
        self.refused |= accepted < offered;
        accepted > 0
    }

    /// Takes some output, and perhaps keeps the drain.
    pub(crate) fn take(&mut self, choices: &mut Bytes<'_>) {
        let mut drain = match self.drain.take() {
            Some(drain) => drain,
            None => match self.connection.drain(Route::Connection) {
                DrainStart::Ready(drain) => drain,
                DrainStart::Empty => return,
                DrainStart::Busy => panic!("only this thread drains"),
            },
        };
        assert!(matches!(self.connection.drain(Route::Connection), DrainStart::Busy | DrainStart::Empty));
        for _ in 0..=choices.below(4) {
            let most = [1, 7, 100, 5_000, usize::MAX][choices.below(5)];
            let Some(transmit) = drain.poll_transmit(most) else { return };
            let written =
                if choices.flag() { transmit.bytes.len() } else { transmit.bytes.len().div_ceil(2) };
            self.output.extend_from_slice(&transmit.bytes[..written]);
            drain.wrote(written);
        }
        self.drain = choices.flag().then_some(drain);
    }

    /// Takes all output; tells how much it was.
    pub(crate) fn take_all(&mut self) -> usize {
        let before = self.output.len();
        let drain = self.drain.take().or_else(|| match self.connection.drain(Route::Connection) {
            DrainStart::Ready(drain) => Some(drain),
            DrainStart::Empty => None,
            DrainStart::Busy => panic!("only this thread drains"),
        });
        if let Some(mut drain) = drain {
            while let Some(transmit) = drain.poll_transmit(usize::MAX) {
                let written = transmit.bytes.len();
                self.output.extend_from_slice(transmit.bytes);
                drain.wrote(written);
            }
        }
        self.look();
        self.output.len() - before
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.drain.is_some()
    }

    /// Reads the messages that are complete.
    fn look(&mut self) {
        while let Some(length) = self.output[self.read_to..].iter().position(|byte| *byte == b'\n') {
            let line = &self.output[self.read_to..self.read_to + length];
            self.read_to += length + 1;
            let message: serde_json::Value = serde_json::from_slice(line)
                .unwrap_or_else(|e| panic!("not JSON ({e}): {}", String::from_utf8_lossy(line)));
            match message.as_array() {
                Some(answers) => self.look_at_batch(answers),
                None => self.look_at(&message),
            }
        }
    }

    fn look_at(&mut self, message: &serde_json::Value) {
        assert_eq!(message["jsonrpc"], "2.0");
        if let Some(cursor) = message["result"]["nextCursor"].as_str() {
            self.cursor = Some(cursor.to_owned());
        }
        let Some(id) = message["id"].as_str() else { return };
        let expected = self.requests.get_mut(id).unwrap_or_else(|| panic!("{id} was never asked"));
        *expected = match expected {
            Expected::Once | Expected::AtMostOnce => Expected::Never,
            Expected::Never => panic!("{id} is answered, though it was cancelled, or again: {message}"),
            Expected::Any => Expected::Any,
        };
    }

    /// A batch is answered whole, in the order of its requests.
    fn look_at_batch(&mut self, answers: &[serde_json::Value]) {
        assert!(!answers.is_empty(), "a batch of nothing was answered");
        for answer in answers {
            self.look_at(answer);
        }
        let ids: Vec<_> = answers.iter().filter_map(|answer| answer["id"].as_str()).collect();
        for batch in &self.batches {
            let wanted: Vec<_> = batch.iter().filter(|id| !self.given_up.contains(*id)).collect();
            let answered: Vec<_> =
                ids.iter().filter(|id| wanted.iter().any(|wanted| wanted == *id)).collect();
            let whole = answered.is_empty() || answered.iter().eq(wanted.iter());
            assert!(whole, "a batch of {batch:?} is answered for {ids:?}");
        }
    }

    /// Nothing more will come. Every request that was neither cancelled nor lost with its connection was answered.
    pub(crate) fn check_end(&mut self) {
        self.look();
        assert!(self.closed || self.read_to == self.output.len(), "half a message is left");
        if !self.closed {
            let waits: Vec<_> = self.requests.iter().filter(|(_, e)| **e == Expected::Once).collect();
            assert!(waits.is_empty(), "connection {} still waits: {waits:?}", self.number);
        }
    }
}
