//! The state of an exchange whose bearer token the application judges, before anything else is read.

use super::RequestHead;
use super::classify::PermitKind;
#[cfg(feature = "http")]
use super::classify::Version;
use super::exchange::{Exchange, ExchangeState, Progress};
use super::protection::{Protection, RequestToken};
use super::response::{ErrorResponse, invalid, refusal};
use crate::event::{Event, VerifyCall};
use crate::event::{Question, Verification, failed};
use crate::jsonrpc::RpcError;
use crate::log::Severity;
use crate::refusals::RefusalKind;
use crate::request_head::OwnedHead;
#[cfg(feature = "http")]
use crate::revision::Revisions;
use std::sync::Arc;

/// A question to the application about a token, and what arrived of the request since.
pub(super) struct Verifying {
    question: Arc<Question>,
    event: Option<Event>,
    head: Arc<OwnedHead>,
    has_token: bool,
    ended: bool,
}

impl Exchange {
    /// Asks the application about the token of a request. Returns the state that waits for the answer.
    pub(super) fn verify(
        &mut self,
        head: &RequestHead<'_>,
        protection: &Protection,
    ) -> Result<ExchangeState, ErrorResponse> {
        let token = match RequestToken::read(head) {
            RequestToken::Bearer(token) => token.to_owned(),
            RequestToken::None if self.endpoint.0.options.values.token_required => {
                return Err(token_missing(protection));
            }
            RequestToken::None => String::new(),
            RequestToken::Malformed => {
                let what = "Authorization is malformed; write it as: Bearer, a blank, the token";
                return Err(challenged(400, what, protection.malformed()));
            }
        };
        let permit = self.count(PermitKind::Call, 1, None)?;
        let inner = &self.endpoint.0;
        let head = Arc::new(OwnedHead::new(head));
        self.caller = self.caller.clone().with_head(Some(head.clone()));
        let question = Question::new(self.ready.clone(), inner.server.downgrade());
        let (verifier, context) = (inner.options.verifier.clone(), self.caller.context().cloned());
        let asker = Arc::downgrade(&question);
        let has_token = !token.is_empty();
        let call = VerifyCall::new(token, head.clone(), context, verifier, asker, permit);
        let event = Some(Event::Verify(call));
        Ok(ExchangeState::Verifying(Box::new(Verifying { question, event, head, has_token, ended: false })))
    }

    /// Continues the exchange once the application has judged the token, or has taken too long. Returns `None` if
    /// neither is so.
    pub(super) fn poll_verification(&mut self) -> Option<Progress> {
        let overdue = self.is_overdue();
        let ExchangeState::Verifying(verifying) = &mut self.state else { return None };
        if let Some(event) = verifying.event.take() {
            return Some(Progress::Event(event));
        }
        let verification = match verifying.question.take() {
            Some(verification) => verification,
            None if overdue => {
                let why = "it was held for too long; see `call_ms`";
                self.endpoint.0.server.log_line(Severity::Error, &failed(why));
                Verification::Failed(why.to_owned())
            }
            None => return Some(Progress::Wait(self.deadline)),
        };
        let ExchangeState::Verifying(verifying) = std::mem::replace(&mut self.state, ExchangeState::Done)
        else {
            return None;
        };
        let next = self
            .judge(verification, verifying.has_token)
            .and_then(|()| verifying.head.read(|head| self.head(head)));
        self.enter(next);
        if matches!(self.state, ExchangeState::Body(_)) {
            self.body(&[]); // what came of it may be too long
        }
        if verifying.ended {
            self.end(self.now);
        }
        None
    }

    fn judge(&mut self, verification: Verification, has_token: bool) -> Result<(), ErrorResponse> {
        let inner = self.endpoint.0.clone();
        let Some(protection) = &inner.options.protection else { return Ok(()) };
        match verification {
            Verification::Granted(grant) => {
                let is_meant = !has_token || protection.is_audience(&grant.audience);
                if grant.expires_in_ms == Some(0) || !is_meant {
                    return Err(token_invalid(protection));
                }
                if !protection.needed().iter().all(|scope| grant.scopes.contains(scope)) {
                    return Err(forbidden(protection, protection.needed()));
                }
                self.expires_at = grant.expires_in_ms.map(|ms| self.now.saturating_add(ms));
                let context = self.caller.context().cloned();
                self.caller = grant.caller.in_context(context).with_head(self.caller.head().cloned());
                self.is_known = true;
                Ok(())
            }
            Verification::Refused if !has_token => Err(token_missing(protection)),
            Verification::Refused => Err(token_invalid(protection)),
            Verification::InsufficientScope(scopes) => Err(forbidden(protection, &scopes)),
            Verification::Failed(_) => Err(refusal(500, None, None, &RpcError::internal())),
        }
    }
}

impl Verifying {
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns whether the request is still answered after its client has closed its side of the connection, as far as
    /// its head says. See [`Exchange::outlives_input`].
    #[cfg(feature = "http")]
    pub(super) fn outlives_input(&self, revisions: &Revisions) -> bool {
        let is_stateless =
            |head: &RequestHead<'_>| matches!(Version::read(head, revisions), Version::Stateless(_));
        self.head.read(|head| head.method != "GET" && !is_stateless(head))
    }
}

fn token_missing(protection: &Protection) -> ErrorResponse {
    let what = "this endpoint asks for a bearer token in Authorization";
    challenged(401, what, protection.token_missing())
        .hint(RefusalKind::Token, "it has no bearer token; see `verify`")
}

fn token_invalid(protection: &Protection) -> ErrorResponse {
    let what = "the token is not valid for this endpoint, or not any more";
    challenged(401, what, protection.token_invalid())
        .hint(RefusalKind::Token, "its token is not valid; see `verify`")
}

fn forbidden(protection: &Protection, scopes: &[String]) -> ErrorResponse {
    let what = "the token lacks a scope that WWW-Authenticate names";
    let why = format!("its token lacks a scope of '{}'; see `scopes`", scopes.join(" "));
    challenged(403, what, protection.forbidden(scopes)).hint(RefusalKind::Scope, &why)
}

fn challenged(status: u16, what: &str, challenge: String) -> ErrorResponse {
    invalid(status, what).header("www-authenticate", challenge)
}
