//! The application's judgement of a bearer token.

use crate::access::Caller;
use crate::log::Severity;
use crate::server::ServerState;
use crate::sync::Lock;
use std::fmt;
use std::sync::{Arc, Weak};

/// The application's answer to [`crate::Event::Verify`], the question whether a bearer token is valid.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Verification {
    /// The token is valid, and gives these rights.
    Granted(Grant),
    /// The token is not valid, or not any more. The client gets a 401 and may come back with another token.
    Refused,
    /// The token is valid, but not for this request, which needs all of these scopes. The client gets a 403 that names
    /// them.
    InsufficientScope(Vec<String>),
    /// The application cannot judge the token now. The client gets a 500. The text is for the log.
    Failed(String),
}

/// The rights that a valid token gives.
#[derive(Debug, Clone)]
#[must_use = "return it from the verifier"]
pub struct Grant {
    pub(crate) caller: Caller,
    pub(crate) audience: Vec<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) expires_in_ms: Option<u64>,
}

impl Grant {
    /// Makes the rights of a token that speaks for this caller. Sessions, cursors and streams belong to the caller's
    /// id, so give each user an id of their own. Callbacks see the caller of their request, whose `value` may differ
    /// with each token. Callbacks without a request, about the subscriptions of a session, see the caller of the
    /// session's newest request.
    pub fn new(caller: Caller) -> Grant {
        Grant { caller, audience: Vec::new(), scopes: Vec::new(), expires_in_ms: None }
    }

    /// Sets for whom the token was issued, such as its `aud`. An endpoint that has a URL for clients (see
    /// [`crate::http::Protection::new`]) refuses tokens that do not name it.
    pub fn audience(mut self, audience: impl IntoIterator<Item = impl Into<String>>) -> Grant {
        self.audience = audience.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the scopes of the token. Include the scopes that others imply, because the server compares them as they
    /// are.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Grant {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets in how many milliseconds the token expires; 0 means that it has expired. Event streams that it opened end
    /// then. Default: it never expires.
    pub fn expires_in_ms(mut self, ms: u64) -> Grant {
        self.expires_in_ms = Some(ms);
        self
    }
}

impl From<Grant> for Verification {
    fn from(grant: Grant) -> Self {
        Verification::Granted(grant)
    }
}

impl From<Option<Grant>> for Verification {
    fn from(grant: Option<Grant>) -> Self {
        grant.map_or(Verification::Refused, Verification::Granted)
    }
}

impl<T: Into<Verification>, E: fmt::Display> From<Result<T, E>> for Verification {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(|e| Verification::Failed(e.to_string()), Into::into)
    }
}

/// A question to the application about one token. It exists as long as an exchange waits for the answer.
pub(crate) struct Question {
    answer: Lock<VerificationState>,
    ready: Arc<dyn Fn() + Send + Sync>,
    server: Weak<ServerState>,
}

enum VerificationState {
    Open,
    Answered(Verification),
    Taken,
}

/// Returns the line of the log about a token that the application could not judge.
pub(crate) fn failed(why: &str) -> String {
    format!("the verification of a token failed: {why}")
}

impl Question {
    pub(crate) fn new(ready: Arc<dyn Fn() + Send + Sync>, server: Weak<ServerState>) -> Arc<Question> {
        Arc::new(Question { answer: Lock::new(VerificationState::Open), ready, server })
    }

    /// Stores the answer, if it is the first. Returns whether it was. Logs a failure here, because the application
    /// knows the reason here.
    pub(crate) fn answer(&self, verification: Verification) -> bool {
        let failure = match &verification {
            Verification::Failed(why) => Some(failed(why)),
            _ => None,
        };
        let first = self.answer.with(|state, trash| {
            let first = matches!(state, VerificationState::Open);
            if first {
                *state = VerificationState::Answered(verification);
            } else {
                trash.put(verification);
            }
            first
        });
        if first {
            if let (Some(line), Some(server)) = (failure, self.server.upgrade()) {
                server.log.write(Severity::Error, &line);
            }
            (self.ready)();
        }
        first
    }

    /// Takes the answer; `None` as long as there is none.
    pub(crate) fn take(&self) -> Option<Verification> {
        self.answer.with(|state, _| match std::mem::replace(state, VerificationState::Taken) {
            VerificationState::Answered(verification) => Some(verification),
            other => {
                *state = other;
                None
            }
        })
    }

    pub(crate) fn server(&self) -> Option<Arc<ServerState>> {
        self.server.upgrade()
    }
}
