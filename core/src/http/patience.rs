//! How long a driver puts up with one client that says nothing, or takes nothing, by the driver's clock.

/// One transport connection of a client, between its requests and while it does not take its answers.
#[derive(Debug)]
pub(crate) struct Patience {
    head_ms: u64,
    idle_ms: u64,
    /// Several requests share it (HTTP/2): a piece of one is not the beginning of the next.
    shared: bool,
    requests: usize,
    /// Since when no request is under way.
    idle: u64,
    /// Since when the head of a request is on its way.
    head: Option<u64>,
    /// Since when the client takes nothing of what it is sent.
    stuck: Option<u64>,
    asked_to_end: bool,
}

/// What to do with a client that was silent for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// Nothing is under way: end in good order.
    Idle,
    /// It began something that it does not finish: break off.
    Broken,
}

impl Patience {
    pub(crate) fn new(head_ms: u64, idle_ms: u64, now: u64) -> Patience {
        Patience {
            head_ms,
            idle_ms,
            shared: false,
            requests: 0,
            idle: now,
            head: None,
            stuck: None,
            asked_to_end: false,
        }
    }

    /// The connection turns out to carry several requests at once.
    pub(crate) fn share(&mut self) {
        self.shared = true;
        self.head = None;
    }

    /// Whether one request is under way, alone.
    pub(crate) fn is_alone(&self) -> bool {
        self.requests > 0 && !self.shared
    }

    /// Bytes came.
    pub(crate) fn heard(&mut self, now: u64) {
        if self.requests == 0 && !self.shared {
            self.head.get_or_insert(now);
        }
    }

    /// The head of a request is whole.
    pub(crate) fn request(&mut self) {
        self.requests += 1;
        self.head = None;
    }

    /// A request is over.
    pub(crate) fn answered(&mut self, now: u64) {
        self.requests = self.requests.saturating_sub(1);
        self.idle = now;
    }

    /// Whether the client took something, or there is no room for more.
    pub(crate) fn took(&mut self, some: bool, now: u64) {
        if some {
            self.stuck = None;
        } else {
            self.stuck.get_or_insert(now);
        }
    }

    /// When it is over at the latest, if nothing happens.
    pub(crate) fn deadline(&self) -> Option<u64> {
        let idle = (self.requests == 0).then(|| self.idle.saturating_add(self.idle_ms));
        let head = self.head.map(|since| since.saturating_add(self.head_ms));
        let stuck = self.stuck.map(|since| since.saturating_add(self.idle_ms));
        [idle, head, stuck].into_iter().flatten().min()
    }

    /// What to do now. A client that was asked to end and does not is broken off.
    pub(crate) fn over(&mut self, now: u64) -> Option<Over> {
        self.deadline().filter(|deadline| *deadline <= now)?;
        if self.head.is_some() || self.stuck.is_some() || self.asked_to_end {
            return Some(Over::Broken);
        }
        self.asked_to_end = true;
        self.idle = now;
        Some(Over::Idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience() -> Patience {
        Patience::new(10, 60, 100)
    }

    #[test]
    fn a_head_that_comes_drop_by_drop_is_broken_off() {
        let mut client = patience();
        assert_eq!(client.deadline(), Some(160));
        client.heard(120);
        client.heard(129);
        assert_eq!((client.deadline(), client.over(129)), (Some(130), None));
        assert_eq!(client.over(130), Some(Over::Broken));
        let mut client = patience();
        client.heard(120);
        client.request();
        assert_eq!(client.deadline(), None, "an answer may take its time");
        client.heard(200);
        assert_eq!(client.deadline(), None, "a body has a limit of its own");
    }

    #[test]
    fn a_client_that_asks_nothing_is_asked_to_end_and_then_broken_off() {
        let mut client = patience();
        client.request();
        client.answered(300);
        assert_eq!((client.over(359), client.over(360)), (None, Some(Over::Idle)));
        assert_eq!((client.over(419), client.over(420)), (None, Some(Over::Broken)));
    }

    #[test]
    fn on_a_shared_connection_pieces_are_no_heads() {
        let mut client = patience();
        client.heard(101);
        client.share();
        client.heard(102);
        assert_eq!(client.over(159), None);
        client.request();
        client.request();
        client.answered(159);
        assert_eq!(client.deadline(), None);
        client.answered(170);
        assert_eq!(client.over(230), Some(Over::Idle));
    }

    #[test]
    fn a_client_that_takes_nothing_of_its_answer_is_broken_off() {
        let mut client = patience();
        client.request();
        client.took(false, 200);
        client.took(false, 250);
        assert_eq!(client.over(259), None);
        client.took(true, 259);
        assert_eq!(client.over(400), None);
        client.took(false, 400);
        assert_eq!(client.over(460), Some(Over::Broken));
    }
}
