//! Continues requests that were looked up in the catalog: answers them at once, or begins a call of the application.

use super::CallId;
use super::answer_form::AnswerForm;
use super::application_call::{ApplicationCall, RequestState};
use super::call_context::Context;
use super::dispatch::Request;
use super::inflight::OpenRequest;
use super::machine::Machine;
use super::outbox::{MessageKind, Stage};
use crate::catalog::{Handler, ListPage, Listing, ToolAudience, Vars, Walked};
use crate::jsonrpc::RpcError;
use crate::model::{Borrowed, Cache, CacheHint, CacheScope};
use crate::policy::Cacheable;
use crate::revision::Shape;
use crate::sync::Trash;
use crate::wire::{self, Defaults, Payload, ResultWriter};
use std::sync::Arc;

impl Machine {
    /// Begins the first question of a request that was looked up. Returns the context of the call, for the poller that
    /// did the lookup. Returns `None` if the request was cancelled in the meantime.
    pub(super) fn begin_call(
        &mut self,
        call: CallId,
        state: RequestState,
        trash: &mut Trash,
    ) -> Option<Arc<Context>> {
        if let Err(state) = self.inflight.begin(call, state) {
            trash.put(state);
            return None;
        }
        self.begin_application_call(call, trash)
    }

    pub(crate) fn begin_read(
        &mut self,
        request: &Request,
        uri: Arc<str>,
        handler: Arc<Handler>,
        vars: Vars,
        trash: &mut Trash,
    ) -> Option<(ApplicationCall, Arc<Context>)> {
        let state = RequestState::Read { uri: uri.clone(), handler: handler.clone() };
        let context = self.begin_call(request.call, state, trash)?;
        Some((ApplicationCall::Read { call: request.call, uri, handler, vars }, context))
    }

    /// Begins the calls of a list whose items a list source supplies or the authorizer judges.
    pub(crate) fn begin_walk(&mut self, request: &Request, walked: Walked, trash: &mut Trash) {
        match self.inflight.begin(request.call, RequestState::Taken) {
            Ok(()) => self.finish_walk(request.call, walked, trash),
            Err(_) => trash.put(walked),
        }
    }

    /// Answers a read of a fixed value.
    pub(crate) fn answer_read(
        &mut self,
        request: &Request,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        if let Some(open) = self.inflight.close(request.call) {
            self.write_read(&open, defaults, contents);
        }
    }

    pub(crate) fn answer_list(&mut self, request: &Request, page: &ListPage) {
        if let Some(open) = self.inflight.close(request.call) {
            self.write_list(&open, page);
        }
    }

    pub(crate) fn answer_error(&mut self, request: &Request, fault: &RpcError) {
        if let Some(open) = self.inflight.close(request.call) {
            self.answer_open_failed(&open, fault);
        }
    }

    /// Writes the answer to a read whose slot is closed already.
    pub(super) fn write_read(
        &mut self,
        open: &OpenRequest,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        let revision = open.context.revision;
        if open.form == AnswerForm::Document {
            let identity = &self.settings.identity;
            return self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
                wire::tool_document(payload.out, revision, &open.id, identity, contents, defaults);
            });
        }
        if open.is_tool() {
            return self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
                wire::tool_contents(payload, revision, &open.id, &self.settings.identity, contents, defaults);
            });
        }
        if revision.shape == Shape::Dialect {
            return self.write_get(open, defaults, contents);
        }
        let identity = &self.settings.identity;
        let said = Borrowed::description(contents, defaults.uri)
            .map_or_else(CacheHint::default, |given| given.cache);
        let cache = if open.context.input().is_none() {
            self.settings.cache(Cacheable::Reads, said.or(defaults.descriptor.cache()))
        } else {
            Cache::NO_REUSE // it answers this client's input
        };
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
            wire::reserve(payload, identity, contents, defaults);
            let mut result = ResultWriter::begin(payload.out, revision, &open.id);
            result.member("contents");
            wire::write_contents(payload, revision, contents, defaults);
            ResultWriter::resume(payload.out, revision).end(identity, cache);
        });
    }

    pub(super) fn write_list(&mut self, open: &OpenRequest, page: &ListPage) {
        let ListPage { listing, items, cursor, audience } = page;
        let (listing, cursor) = (*listing, cursor.as_deref());
        let identity = &self.settings.identity;
        // A cache may give a list to other clients only if it does not depend on the client's capabilities (rows.tsv AP-07).
        let shared = *audience == ToolAudience::Anyone;
        let said = CacheHint { scope: (!shared).then_some(CacheScope::Private), ..CacheHint::default() };
        let cache = self.settings.cache(listing.cacheable(), said);
        let revision = open.context.revision;
        if open.is_tool() {
            return self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
                wire::tool_list(payload.out, revision, &open.id, identity, items, cursor);
            });
        }
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload: &mut Payload<'_>| {
            let mut result = ResultWriter::begin(payload.out, revision, &open.id);
            let list = result.member(listing.member());
            if listing == Listing::Skill {
                list.extend_from_slice(items);
            } else {
                list.push(b'[');
                list.extend_from_slice(items);
                list.push(b']');
            }
            if let Some(cursor) = cursor.filter(|_| listing != Listing::Skill) {
                crate::encode::quote_into(cursor, result.member("nextCursor"));
            }
            result.end(identity, cache);
        });
    }
}
