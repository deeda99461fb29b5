//! Limits that refuse a request: calls, listen streams, sessions, bytes.

use super::account::{Counted, Full, Permit, share};
use super::endpoint::Inner;
use super::exchange::Exchange;
use super::response::{Whole, hinted, refusal};
use super::routing::closing;
use super::streams::MOST as MOST_STREAMS;
use crate::jsonrpc::RequestId;
use crate::protocol::limit;
use crate::refusals::RefusalKind;
use std::sync::Arc;

impl Exchange {
    /// So many more calls, or a listen stream, unless there are as many as may be, or the server is closed.
    pub(super) fn count(
        &mut self,
        counted: Counted,
        number: usize,
        id: Option<&RequestId>,
    ) -> Result<Arc<Permit>, Whole> {
        if self.endpoint.0.server.is_closed() {
            return Err(closing(id));
        }
        let body = self.body_cost.take();
        let most = self.endpoint.0.server.limits().listen_streams;
        let share = self.share(most).filter(|_| counted == Counted::Listen);
        let caller = share.map(|share| self.endpoint.0.account.caller(self.caller.id(), share)).transpose();
        let permit = caller.and_then(|caller| self.holder.permit(counted, number, body, caller));
        permit.map_err(|full| busy(id, full))
    }

    /// Whether one more session may begin, for this caller and at all.
    pub(super) fn room_for_session(&self, request: &RequestId) -> Result<(), Whole> {
        let most = self.endpoint.0.options.session_limit;
        let (unused, share) = (self.unused(), self.share(most));
        let full = self.endpoint.0.state.with(|s, _| match share {
            Some(share) if s.sessions.of_caller(self.caller.id()) >= share.most => Some(share),
            _ if s.sessions.len() < most || s.sessions.dispensable(unused).is_some() => None,
            _ => Some(Full { limit: "session_limit", most }),
        });
        full.map_or(Ok(()), |full| Err(busy(Some(request), full)))
    }

    /// Sessions that nobody has used since then may go if others need their places.
    pub(super) fn unused(&self) -> Option<u64> {
        self.now.checked_sub(self.endpoint.0.options.idle_ms)
    }

    /// What a caller may have of so many, if it is known by its token.
    fn share(&self, all: usize) -> Option<Full> {
        let inner = &self.endpoint.0;
        let known = inner.options.protection.is_some() && !self.caller.id().is_empty();
        known.then(|| share(all, inner.server.limits().caller_percent))
    }
}

pub(super) fn busy(id: Option<&RequestId>, full: Full) -> Whole {
    let (response, body) = refusal(503, id, None, &full.fault());
    let why = format!("the limit `{}` is reached ({})", full.limit, full.most);
    hinted((response.header("retry-after", "1"), body), RefusalKind::Busy, &why)
}

/// The session has as many requests and streams under way as may be.
pub(super) fn crowded(id: Option<&RequestId>) -> Whole {
    busy(id, Full { limit: "session_streams", most: MOST_STREAMS })
}

pub(super) fn too_large(inner: &Inner) -> Whole {
    refusal(413, None, None, &limit("message_bytes", inner.server.limits().message_bytes))
}
