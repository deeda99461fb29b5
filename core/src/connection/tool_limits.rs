//! Counts calls for the limits of tools, after their arguments were checked.

use super::ConnectionState;
use crate::catalog::ToolCall;
use crate::protocol::{ApplicationCall, Context, MethodOutcome};
use crate::refusals::RefusalKind;
use std::sync::Arc;

/// The error for a call that exceeds a limit of its tool. The call was answered.
pub(super) struct NoRoom;

impl ConnectionState {
    /// Counts a call of a tool that has limits; `None` if it has none. If the call exceeds one, answers the call and
    /// fails.
    pub(super) fn count_call(
        self: &Arc<Self>,
        application_call: &ApplicationCall,
        context: &Context,
    ) -> Result<Option<ToolCall>, NoRoom> {
        let ApplicationCall::Method { call, handler, .. } = application_call else { return Ok(None) };
        if !handler.is_tool() {
            return Ok(None);
        }
        let now = self.now();
        if context.begin_tool() {
            return Ok(Some(handler.limiter.begin_again(&context.caller, now)));
        }
        let reached = match handler.limiter.begin(&context.caller, now) {
            Ok(counted) => return Ok(counted),
            Err(reached) => reached,
        };
        let name = handler.item.as_deref().unwrap_or_default();
        let (limit, most) = (reached.limit, reached.most);
        let why = format!("a call of the tool \"{name}\" was refused: its limit `{limit}` is {most}");
        self.server.refusals.report(&self.server.log, RefusalKind::ToolLimit, now, &why);
        let busy = MethodOutcome::busy(context.revision, &reached);
        self.step(|m, trash| m.finish_method(*call, Some(busy), trash));
        Err(NoRoom)
    }

    /// Returns the time that the driver set last, for the connection or its group.
    pub(super) fn now(&self) -> u64 {
        let of_group = self.group.as_ref().map_or(0, |group| group.now());
        self.machine.with(|m, _| m.now()).max(of_group)
    }
}
