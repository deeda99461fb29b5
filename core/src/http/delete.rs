//! DELETE: a client ends its session.

use super::RequestHead;
use super::classify::Version;
use super::exchange::{Exchange, ExchangeState};
use super::response::{ErrorResponse, Response};
use super::routing::{not_offered, session_id, unknown_session};

impl Exchange {
    pub(super) fn delete(&mut self, head: &RequestHead<'_>) -> Result<ExchangeState, ErrorResponse> {
        let options = &self.endpoint.0.options;
        let version = Version::read(head, self.revisions());
        if matches!(version, Version::Stateless(_)) {
            return Err(not_offered(options, head, None));
        }
        if !options.values.delete || !options.values.sessions {
            let setting = if options.values.sessions { "delete" } else { "sessions" };
            return Err(not_offered(options, head, Some(setting)));
        }
        self.check_version(&version)?;
        let id = session_id(head, None)?;
        let session = self.endpoint.0.state.with(|s, _| {
            s.sessions.find(&id, self.caller.id())?;
            s.sessions.remove(&id)
        });
        match session {
            Some(session) => self.endpoint.0.close(&session.connection),
            None => return Err(unknown_session(None)),
        }
        Ok(ExchangeState::whole(Response::empty(204), Vec::new()))
    }
}
