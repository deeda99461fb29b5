//! Methods of the host's own: what it says while it works on one, and its answer.

use super::Shared;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::jsonrpc::{members, string};
use crate::model::{Json, MethodAnswer};
use crate::protocol::{CallId, Context, LOG_LEVELS, Outcome, Request};
use crate::revision::Era;
use std::sync::Arc;

impl Shared {
    pub(super) fn introduce(&self, request: &Request) {
        let capabilities = self.server.catalog.with(|c, _| c.capabilities());
        self.machine.with(|m, _| m.introduce(request, &capabilities));
    }

    pub(super) fn further(self: &Arc<Self>, request: Request, name: &str, params: Json) -> Option<Event> {
        let Some(handler) = self.server.catalog.with(|c, _| c.method(name, request.revision)) else {
            self.machine.with(|m, _| m.answer_no_method(&request, name));
            return None;
        };
        let asked =
            self.machine.with(|m, trash| m.call_method(request, &self.caller, handler, params, trash));
        let (ask, context) = asked?;
        self.event(ask, context)
    }

    pub(crate) fn finish_method(self: &Arc<Self>, call: CallId, answer: MethodAnswer) -> bool {
        let Some((handler, revision, client)) = self.machine.with(|m, _| m.method_of(call)) else {
            return self.step(|m, _| m.late(call));
        };
        let identity = &self.server.settings.identity;
        let outcome = Outcome::of(answer, &handler, revision, client.as_ref(), identity);
        self.step(|m, trash| m.finish_method(call, outcome, trash))
    }

    pub(crate) fn client_capabilities(&self, context: &Context) -> Option<String> {
        let capabilities = self.machine.with(|m, _| m.client_capabilities(context));
        capabilities.map(|capabilities| capabilities.as_str().to_owned())
    }

    pub(crate) fn notify(
        self: &Arc<Self>,
        call: CallId,
        context: &Context,
        method: &str,
        params: Option<&Json>,
    ) -> Result<bool> {
        if let Some(why) = cannot_be_sent(method) {
            let message = format!("\"{method}\" {why}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if method == "notifications/message" && !self.wants_message(context, params)? {
            return Ok(false);
        }
        Ok(self.step(|m, _| m.notify(call, method, params)))
    }

    /// Whether a log message may be sent about a request, and the request wants it.
    fn wants_message(&self, context: &Context, params: Option<&Json>) -> Result<bool> {
        let invalid = |what: &str| {
            let message = format!("\"notifications/message\" {what}");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        };
        let level = params.and_then(|params| members(params.raw(), &["level"]).ok()?[0].and_then(string));
        let rank = |level: &str| LOG_LEVELS.iter().position(|known| *known == level);
        let Some(rank_of_message) = level.as_deref().and_then(rank) else {
            return invalid("needs a level from debug to emergency");
        };
        if !self.server.catalog.with(|c, _| c.capabilities()).iter().any(|(name, _)| name == "logging") {
            return invalid("needs the capability \"logging\"; declare it on the builder");
        }
        Ok(match context.revision.era {
            Era::Handshake => true, // the host's setLevel decides
            Era::Stateless => {
                context.log_level().as_deref().and_then(rank).is_some_and(|wanted| rank_of_message >= wanted)
            }
        })
    }
}

/// Why a notification is not the host's to send about a call.
fn cannot_be_sent(method: &str) -> Option<&'static str> {
    let Some(name) = method.strip_prefix("notifications/") else {
        return Some("is no notification; its name begins with \"notifications/\"");
    };
    let ours = ["progress", "cancelled", "initialized"].contains(&name)
        || ["resources/", "subscriptions/"].iter().any(|family| name.starts_with(family))
        || name.ends_with("/list_changed");
    ours.then_some("is sent by the server itself")
}
