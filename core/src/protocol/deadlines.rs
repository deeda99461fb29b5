//! Time on one connection: the clock, and calls that are not answered in time.

use super::CallId;
use super::answer_form::AnswerForm;
use super::application_call::RequestState;
use super::faults::internal;
use super::machine::Machine;
use super::named_requests::CLIENT_MS;
use super::outbox::Route;
use crate::log::Severity;
use crate::sync::Trash;

impl Machine {
    pub(crate) fn on_timeout(&mut self, now: u64, trash: &mut Trash) {
        self.advance_clock(now);
        while let Some(call) = self.inflight.overdue(self.now) {
            let when = if self.inflight.is_paused(call) {
                "because its client did not answer within 10 minutes"
            } else {
                "within `call_ms`"
            };
            self.answer_overdue(call, when, trash);
        }
    }

    /// Answers "internal error" to a request whose call was not answered in time.
    pub(super) fn answer_overdue(&mut self, call: CallId, when: &str, trash: &mut Trash) {
        let Some(open) = self.drop_call(call) else { return };
        self.answer_open_failed(&open, &internal(open.context.revision));
        let why = format!("{} was not answered {when}", open.state.describe());
        self.causes.log(Severity::Error, why);
        trash.put(open);
    }

    /// Returns the next time at which [`Machine::on_timeout`] has something to do, in milliseconds of the application's
    /// clock.
    pub(crate) fn poll_timeout(&mut self) -> Option<u64> {
        self.inflight.deadline()
    }

    /// Returns the newest deadline of a route; `None` if it has passed or there is none.
    pub(crate) fn route_deadline(&mut self, route: Route) -> Option<u64> {
        self.outbox.deadline(route).filter(|at| *at > self.now)
    }

    /// Returns the time that the driver set last.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Advances the clock to `now`. An earlier `now` changes nothing.
    pub(crate) fn advance_clock(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    /// Returns whether a deadline has passed.
    pub(crate) fn is_overdue(&mut self) -> bool {
        self.poll_timeout().is_some_and(|deadline| deadline <= self.now)
    }

    /// Starts the deadline of a call: `call_ms` of its tool, or of the server, from now. Notes it for the driver of its
    /// route.
    pub(super) fn set_deadline(&mut self, call: CallId) {
        let Some(open) = self.inflight.get(call) else { return };
        let of_tool = match &open.state {
            RequestState::Method { handler, .. } => handler.limiter.call_ms(),
            _ => None,
        };
        let limit = of_tool.unwrap_or(self.settings.limits.call_ms);
        let deadline = self.deadline_in(limit);
        self.inflight.set_deadline(call, deadline);
        self.set_route_deadline(call, deadline);
    }

    /// Makes a call wait for its client, which has [`CLIENT_MS`] from now. Meanwhile `call_ms` does not run.
    pub(super) fn set_client_deadline(&mut self, call: CallId) {
        let deadline = self.deadline_in(CLIENT_MS);
        self.inflight.pause(call, deadline);
        self.set_route_deadline(call, deadline);
    }

    fn deadline_in(&self, limit: u64) -> Option<u64> {
        self.now.checked_add(limit).filter(|at| *at != u64::MAX)
    }

    /// Notes the deadline of a call for the driver of its route.
    fn set_route_deadline(&mut self, call: CallId, deadline: Option<u64>) {
        let Some(open) = self.inflight.get(call) else { return };
        match open.form {
            AnswerForm::None => self.outbox.add_deadline_of_no_route(),
            _ => self.outbox.set_deadline(open.route, deadline),
        }
    }
}
