//! The `resources/get` dialect: an older resource protocol with other methods and members. It has no handshake. A
//! client of the dialect is recognized by messages and members that only the dialect has; a stateless request is never
//! one of them.

use super::RequestHead;
use super::draft::{Details, Draft, bad_param};
use super::faults::not_found;
use super::header_check::ParamFields;
use super::inflight::OpenRequest;
use super::machine::Machine;
use super::outbox::{MessageKind, Stage};
use super::subscriptions::Subscriber;
use crate::jsonrpc::{RpcError, is_object, string, strings};
use crate::model::{Borrowed, Family, Json};
use crate::policy::Dialect;
use crate::revision::{Era, KnownMethod, Revision, Shape, may_need_input};
use crate::wire::{self, Defaults};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Machine {
    /// Reads the details of a request: the members that only the dialect has, and the input that an earlier read asked
    /// for.
    pub(super) fn details(
        &self,
        draft: &Draft<'_>,
        revision: Revision,
        method: KnownMethod,
        head: Option<&RequestHead<'_>>,
    ) -> Result<Option<Arc<Details>>, RpcError> {
        let version = if revision.shape == Shape::Dialect { draft.version()? } else { None };
        let listed = method == KnownMethod::ListResources && self.serves_dialect(revision);
        let filter = if listed { draft.filter()? } else { None };
        let repeats = revision.result_envelope && may_need_input(&draft.name);
        let input = if repeats { draft.input()? } else { None };
        let calls_tool = revision.era == Era::Stateless && draft.name == Family::Tools.calls();
        let params = head.filter(|_| calls_tool).map(ParamFields::new);
        let progress_token = draft.progress_token(self.settings.limits.id_bytes)?.map(Into::into);
        Ok(draft.details(version.map(Into::into), filter, input, params, progress_token))
    }

    /// Reads the URIs to subscribe to, or to unsubscribe from: one URI, or in the dialect several, each returned once.
    pub(super) fn uris_to_subscribe<'a>(
        &self,
        draft: &Draft<'a>,
    ) -> Result<(Subscriber, Vec<Cow<'a, str>>), RpcError> {
        let several = match self.settings.policy.options.dialect {
            Dialect::Never => None,
            _ => draft.uris()?,
        };
        let Some(mut uris) = several else { return Ok((Subscriber::Session, vec![self.uri(draft)?])) };
        let mut seen = BTreeSet::new();
        uris.retain(|uri| seen.insert(uri.clone()));
        for uri in &uris {
            self.check_length(uri)?;
        }
        Ok((Subscriber::Dialect, uris))
    }

    /// Writes the answer to a read of the dialect, which has room for one element of the contents.
    pub(super) fn write_get(
        &mut self,
        open: &OpenRequest,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        let Some(element) = Borrowed::main(contents, defaults.uri) else {
            let fault = not_found(open.context.revision, defaults.uri);
            return self.answer_failed(open.route, Stage::Dispatched, &open.id, &fault);
        };
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
            wire::resource_and_contents(payload, &open.id, element, defaults);
        });
    }

    fn serves_dialect(&self, revision: Revision) -> bool {
        revision.era == Era::Handshake && self.settings.policy.options.dialect != Dialect::Never
    }
}

impl<'a> Draft<'a> {
    /// Returns whether only a client of the dialect would send this.
    pub(crate) fn is_of_dialect(&self) -> bool {
        let second = || self.field(1).ok().flatten();
        match KnownMethod::named(&self.name) {
            Some(KnownMethod::Get) => true,
            Some(KnownMethod::Subscribe | KnownMethod::Unsubscribe) => {
                self.has_field(1) && !self.has_field(0)
            }
            Some(KnownMethod::ListResources) => second().is_some_and(is_object),
            Some(KnownMethod::Read) => second().and_then(string).is_some(),
            _ => false,
        }
    }

    /// The version of the resource that the client has; `None` if it names none.
    pub(crate) fn version(&self) -> Result<Option<Cow<'a, str>>, RpcError> {
        let Some(version) = self.field(1)? else { return Ok(None) };
        string(version).map(Some).ok_or_else(|| bad_param("version", "is not a string"))
    }

    /// Returns the client's filter of a list: a JSON object whose meaning the application defines.
    pub(crate) fn filter(&self) -> Result<Option<Json>, RpcError> {
        match self.field(1)? {
            Some(filter) if is_object(filter) => Ok(Some(Json::received(filter))),
            Some(_) => Err(bad_param("filter", "is not an object")),
            None => Ok(None),
        }
    }

    /// The URIs of a request to subscribe or unsubscribe; `None` if it has no list of URIs.
    pub(crate) fn uris(&self) -> Result<Option<Vec<Cow<'a, str>>>, RpcError> {
        let Some(uris) = self.field(1)? else { return Ok(None) };
        if self.has_field(0) {
            return Err(bad_param("uris", "stands next to uri; give one of them"));
        }
        strings(uris).map(Some).ok_or_else(|| bad_param("uris", "is not an array of strings"))
    }
}
