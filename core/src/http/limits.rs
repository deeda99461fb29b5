//! Refuses requests that exceed a limit: of calls, listen streams, sessions or bytes.

use super::classify::PermitKind;
use super::endpoint::Inner;
use super::exchange::Exchange;
use super::response::{ErrorResponse, refusal};
use super::routing::closing;
use crate::account::StreamOwner;
use crate::account::{Counted, Full, Permit, share};
use crate::jsonrpc::{RequestId, RpcError};
use crate::refusals::RefusalKind;
use std::sync::Arc;

impl Exchange {
    /// Counts `number` more calls, or a listen stream. Refuses them if the endpoint or the caller has as many as it may
    /// have, or if the server is closed. A message without a call may come then, because it may end one.
    pub(super) fn count(
        &mut self,
        kind: PermitKind,
        number: usize,
        id: Option<&RequestId>,
    ) -> Result<Arc<Permit>, ErrorResponse> {
        if number > 0 && self.endpoint.0.server.is_closed() {
            return Err(closing(id));
        }
        let body = self.body_cost.take();
        let counted = match kind {
            PermitKind::Call if number == 0 => Ok(Counted::Body),
            PermitKind::Call => {
                let caller = self.has_name().then(|| self.caller.id());
                self.holder.count_calls(number, caller)
            }
            PermitKind::Listen => self.count_listen_stream(),
        };
        let counted = counted.map_err(|full| busy(id, full))?;
        Ok(self.holder.permit(counted, body))
    }

    /// Counts a listen stream. If the limit is reached, another stream ends when this one is open; a client without a
    /// name is refused instead.
    fn count_listen_stream(&self) -> Result<Counted, Full> {
        let inner = &self.endpoint.0;
        let most = inner.server.limits().listen_streams;
        let (owner, share) = if self.has_name() {
            (StreamOwner::Caller(self.caller.id().into()), Some(self.share(most)))
        } else {
            (self.holder.stream_owner(), None)
        };
        inner.account.listen(owner, share, self.ready.clone()).map(Counted::Listen)
    }

    /// Checks that one more session may begin: for this caller, and in the whole endpoint.
    pub(super) fn room_for_session(&self, request: &RequestId) -> Result<(), ErrorResponse> {
        let most = self.endpoint.0.options.values.session_limit;
        let (unused, share) = (self.unused(), self.has_name().then(|| self.share(most)));
        let full = self.endpoint.0.state.with(|s, _| match share {
            Some(share) if s.sessions.of_caller(self.caller.id()) >= share.most => Some(share),
            _ if s.sessions.len() < most || s.sessions.dispensable(unused).is_some() => None,
            _ => Some(Full { limit: "session_limit", most }),
        });
        full.map_or(Ok(()), |full| Err(busy(Some(request), full)))
    }

    /// Returns a time. A session that was not used since then may end if another one needs its place.
    pub(super) fn unused(&self) -> Option<u64> {
        self.now.checked_sub(self.endpoint.0.options.values.idle_ms)
    }

    /// Returns whether the application has named the caller.
    fn has_name(&self) -> bool {
        !self.caller.id().is_empty()
    }

    /// Returns the share of one caller in a limit of `all`.
    fn share(&self, all: usize) -> Full {
        share(all, self.endpoint.0.server.limits().caller_percent)
    }
}

impl Inner {
    /// Opens the listen stream of a permit, if it is for one. Another stream ends if there are too many.
    pub(super) fn open_listen_stream(&self, permit: &Permit, now: u64) {
        if let Some(ready) = permit.open_listen_stream() {
            let most = self.server.limits().listen_streams;
            let why = format!(
                "a listen stream ended for a new one: the limit `listen_streams` is reached ({most})"
            );
            self.refusals.report(&self.server.log_sink(), RefusalKind::Busy, now, &why);
            self.notify(&ready);
        }
    }
}

pub(super) fn busy(id: Option<&RequestId>, full: Full) -> ErrorResponse {
    let why = format!("the limit `{}` is reached ({})", full.limit, full.most);
    refusal(503, id, None, &full.fault()).header("retry-after", "1").hint(RefusalKind::Busy, &why)
}

/// Makes the response for a session that has as many requests and event streams in progress as it may have.
pub(super) fn crowded(id: Option<&RequestId>, most: usize) -> ErrorResponse {
    busy(id, Full { limit: "session_streams", most })
}

pub(super) fn too_large(inner: &Inner) -> ErrorResponse {
    refusal(413, None, None, &RpcError::limit_exceeded("message_bytes", inner.server.limits().message_bytes))
}
