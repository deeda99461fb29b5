//! Decides when a driver ends the connection of a client that sends nothing or reads nothing, by the driver's clock.

/// The timeouts of one transport connection: between its requests, and while the client does not read its responses.
#[derive(Debug)]
pub(crate) struct IdleTimeout {
    head_ms: u64,
    idle_ms: u64,
    /// True if several requests share the connection at once (HTTP/2). Input is then not the beginning of the next
    /// request.
    shared: bool,
    requests: usize,
    /// The time since when no request is in progress, in milliseconds.
    idle: u64,
    /// The time since when the head of a request is arriving; `None` if none is.
    head: Option<u64>,
    /// The time since when the client reads none of its response; `None` if it reads, or if there is nothing to read.
    stuck: Option<u64>,
    shutting_down: bool,
}

/// The way to end the connection of a client that was silent for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// No request is in progress: end the connection in good order.
    Idle,
    /// The client does not finish a request, or does not read a response: break the connection off.
    Broken,
}

impl IdleTimeout {
    pub(crate) fn new(head_ms: u64, idle_ms: u64, now: u64) -> IdleTimeout {
        IdleTimeout {
            head_ms,
            idle_ms,
            shared: false,
            requests: 0,
            idle: now,
            head: None,
            stuck: None,
            shutting_down: false,
        }
    }

    /// Notes that the connection carries several requests at once.
    pub(crate) fn mark_shared(&mut self) {
        self.shared = true;
        self.head = None;
    }

    /// Returns whether a request is in progress or its answer not yet sent as a whole, on a connection that carries one
    /// request at a time.
    pub(crate) fn is_answering(&self) -> bool {
        !self.shared && (self.requests > 0 || self.stuck.is_some())
    }

    /// Notes that bytes of the client arrived.
    pub(crate) fn handle_input(&mut self, now: u64) {
        if self.requests == 0 && !self.shared {
            self.head.get_or_insert(now);
        }
    }

    /// Notes that the head of a request has arrived completely.
    pub(crate) fn begin_request(&mut self) {
        self.requests += 1;
        self.head = None;
    }

    /// Notes that a request is over.
    pub(crate) fn end_request(&mut self, now: u64) {
        self.requests = self.requests.saturating_sub(1);
        self.idle = now;
    }

    /// Notes that the client read some output.
    pub(crate) fn handle_output(&mut self) {
        self.stuck = None;
    }

    /// Notes that the buffer for output is full, because the client does not read.
    pub(crate) fn handle_full_buffer(&mut self, now: u64) {
        self.stuck.get_or_insert(now);
    }

    /// Returns the time at which the connection ends if nothing happens until then; `None` if it does not end.
    pub(crate) fn deadline(&self) -> Option<u64> {
        let waits = self.requests == 0 && self.head.is_none();
        let idle = waits.then(|| self.idle.saturating_add(self.idle_ms));
        let head = self.head.map(|since| since.saturating_add(self.head_ms));
        let stuck = self.stuck.map(|since| since.saturating_add(self.idle_ms));
        [idle, head, stuck].into_iter().flatten().min()
    }

    /// Returns how to end the connection if its time has come. If it was to end in good order and has not, it is broken
    /// off.
    pub(crate) fn on_timeout(&mut self, now: u64) -> Option<Silence> {
        self.deadline().filter(|deadline| *deadline <= now)?;
        if self.head.is_some() || self.stuck.is_some() || self.shutting_down {
            return Some(Silence::Broken);
        }
        self.shutting_down = true;
        self.idle = now;
        Some(Silence::Idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle_timeout() -> IdleTimeout {
        IdleTimeout::new(10, 60, 100)
    }

    #[test]
    fn a_head_that_comes_drop_by_drop_is_broken_off() {
        let mut client = idle_timeout();
        assert_eq!(client.deadline(), Some(160));
        client.handle_input(120);
        client.handle_input(129);
        assert_eq!((client.deadline(), client.on_timeout(129)), (Some(130), None));
        assert_eq!(client.on_timeout(130), Some(Silence::Broken));
        let mut client = idle_timeout();
        client.handle_input(120);
        client.begin_request();
        assert_eq!(client.deadline(), None, "an answer may take its time");
        client.handle_input(200);
        assert_eq!(client.deadline(), None, "a body has a limit of its own");
    }

    #[test]
    fn a_head_that_begins_when_the_client_was_idle_for_long_has_its_whole_time() {
        let mut client = idle_timeout();
        client.handle_input(159);
        assert_eq!(client.on_timeout(168), None);
        client.begin_request();
        client.end_request(170);
        assert_eq!(client.deadline(), Some(230));
    }

    #[test]
    fn a_silent_client_is_idle_first_and_broken_a_minute_later() {
        let mut client = idle_timeout();
        client.begin_request();
        client.end_request(300);
        assert_eq!((client.on_timeout(359), client.on_timeout(360)), (None, Some(Silence::Idle)));
        assert_eq!((client.on_timeout(419), client.on_timeout(420)), (None, Some(Silence::Broken)));
    }

    #[test]
    fn on_a_shared_connection_pieces_are_no_heads() {
        let mut client = idle_timeout();
        client.handle_input(101);
        client.mark_shared();
        client.handle_input(102);
        assert_eq!(client.on_timeout(159), None);
        client.begin_request();
        client.begin_request();
        client.end_request(159);
        assert_eq!(client.deadline(), None);
        client.end_request(170);
        assert_eq!(client.on_timeout(230), Some(Silence::Idle));
    }

    #[test]
    fn a_client_that_does_not_read_its_answer_loses_its_connection() {
        let mut client = idle_timeout();
        client.begin_request();
        client.handle_full_buffer(200);
        client.handle_full_buffer(250);
        assert_eq!(client.on_timeout(259), None);
        client.handle_output();
        assert_eq!(client.on_timeout(400), None);
        client.handle_full_buffer(400);
        assert_eq!(client.on_timeout(460), Some(Silence::Broken));
    }
}
