//! Progress of a request that the application works on.

use super::CallId;
use super::call_context::Context;
use super::inflight::OpenRequest;
use super::machine::Machine;
use super::outbox::{MessageKind, Route};
use crate::model::Report;
use crate::wire;

/// The progress of a request that was sent to its client, and the progress that is held back.
#[derive(Default)]
pub(crate) struct ProgressState {
    /// The value that was sent last. A smaller one is not sent, since progress only grows.
    last: Option<f64>,
    /// The newest report, held back while the client does not read its output. It is dropped with the request, since
    /// nothing follows an answer.
    held: Option<Box<Report>>,
}

/// If this number of output bytes is unread, only the newest report of each request is kept.
const ENOUGH: usize = 64 << 10;

impl Machine {
    /// Sends the client the progress of its request. Returns false if the request is answered, or if its route takes an
    /// answer only.
    pub(crate) fn send_progress(&mut self, call: CallId, report: Report) -> bool {
        let enough = self.outbox.len() >= ENOUGH;
        let Some(open) = self.inflight.get(call) else { return false };
        if self.outbox.takes_answer_only(open.route) {
            return false;
        }
        let grows =
            report.progress.is_finite() && open.progress.last.is_none_or(|last| report.progress > last);
        if !grows {
            return true;
        }
        open.progress.last = Some(report.progress);
        if open.progress.held.is_some() {
            open.progress.held = Some(Box::new(report));
        } else if enough {
            open.progress.held = Some(Box::new(report));
            self.outbox.hold(open.route, call.slot());
        } else {
            write(&mut self.outbox, open, &report);
        }
        true
    }

    /// Writes the reports that were held back, until enough output is queued.
    pub(super) fn write_progress(&mut self, route: Route) {
        while let Some(slot) = self.outbox.next_held(route) {
            if let Some((_, open)) = self.inflight.in_slot(slot)
                && let Some(report) = open.progress.held.take()
            {
                write(&mut self.outbox, open, &report);
            }
        }
    }
}

fn write(outbox: &mut super::outbox::Outbox, open: &OpenRequest, report: &Report) {
    let Some(token) = open.context.progress_token() else { return };
    let revision = open.context.revision;
    outbox.write(open.route, MessageKind::Progress, |p| wire::progress(p.out, revision, token, report));
}

impl Context {
    /// Returns the progress token of the client, as it came. `None` if the client wants no progress.
    pub(crate) fn progress_token(&self) -> Option<&str> {
        self.details.as_ref()?.progress_token.as_deref()
    }
}
