//! Requests that the catalog has looked up: they are answered at once, or begin a call of the application.

use super::CallId;
use super::call_context::Context;
use super::dispatch::Request;
use super::host_call::{HostCall, RequestState};
use super::inflight::Open;
use super::machine::Machine;
use super::outbox::{Kind, Route, Stage};
use super::progress::ProgressState;
use crate::access::Caller;
use crate::catalog::{Handler, Listing, Vars, Walked};
use crate::jsonrpc::{RequestId, RpcError};
use crate::model::{Borrowed, CacheHint};
use crate::policy::Cacheable;
use crate::revision::{Revision, Shape};
use crate::sync::Trash;
use crate::wire::{self, Cache, Defaults, Payload, ResultWriter};
use std::sync::{Arc, Weak};

impl Machine {
    /// Ends the lookup of a request. Returns false if the request was cancelled meanwhile.
    pub(super) fn claim(&mut self, request: &Request) -> bool {
        let claimed = match request.route {
            Route::Connection => true,
            Route::Exchange(exchange) => self.inflight.claim(&request.id, exchange),
        };
        claimed && !self.closed
    }

    /// Opens a slot for a request. `caller`: the connection's.
    pub(super) fn open(&mut self, request: Request, caller: &Arc<Caller>, state: RequestState) -> CallId {
        let caller = self.outbox.caller_of(request.route).unwrap_or(caller);
        let caller = caller.clone();
        let permit = self.outbox.permit_of(request.route);
        let weak = permit.as_ref().map_or_else(Weak::new, Arc::downgrade);
        self.inflight.open(Open {
            id: request.id,
            route: request.route,
            context: Context::new(caller, request.revision, request.details, weak),
            permit,
            progress: ProgressState::default(),
            state,
        })
    }

    /// Opens a slot and asks the application at once: the poller that did this takes the question with it.
    pub(super) fn open_and_hand_out(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        state: RequestState,
    ) -> Option<(CallId, Arc<Context>)> {
        let call = self.open(request, caller, state);
        let context = self.inflight.hand_out(call)?;
        self.set_deadline(call);
        Some((call, context))
    }

    pub(crate) fn begin_read(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        uri: Arc<str>,
        handler: Arc<Handler>,
        vars: Vars,
        trash: &mut Trash,
    ) -> Option<(HostCall, Arc<Context>)> {
        if !self.claim(&request) {
            trash.put(handler);
            return None;
        }
        let state = RequestState::Read { uri: uri.clone(), handler: handler.clone() };
        let (call, context) = self.open_and_hand_out(request, caller, state)?;
        Some((HostCall::Read { call, uri, handler, vars }, context))
    }

    /// Begins the calls of a list whose items the application has to give or to judge.
    pub(crate) fn begin_walk(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        walked: Walked,
        trash: &mut Trash,
    ) {
        if !self.claim(&request) {
            trash.put(walked);
            return;
        }
        let call = self.open(request, caller, RequestState::Taken);
        self.finish_walk(call, walked, trash);
    }

    /// Answers a read of a fixed value.
    pub(crate) fn answer_read(
        &mut self,
        request: &Request,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        if self.claim(request) {
            let reusable = !request.has_input();
            self.write_read(request.route, request.revision, &request.id, defaults, contents, reusable);
        }
    }

    pub(crate) fn answer_list(
        &mut self,
        request: &Request,
        listing: Listing,
        items: &[u8],
        cursor: Option<&str>,
    ) {
        if self.claim(request) {
            self.write_list(request.route, request.revision, &request.id, listing, items, cursor);
        }
    }

    pub(crate) fn answer_error(&mut self, request: &Request, fault: &RpcError) {
        if self.claim(request) {
            self.fail(request.route, Stage::Dispatched, &request.id, fault);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a request in its parts, since the request may be over")]
    pub(super) fn write_read(
        &mut self,
        route: Route,
        revision: Revision,
        id: &RequestId,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
        reusable: bool,
    ) {
        if revision.shape == Shape::Dialect {
            return self.write_get(route, revision, id, defaults, contents);
        }
        let identity = &self.settings.identity;
        let said = Borrowed::told(contents, defaults.uri).map_or_else(CacheHint::default, |told| told.cache);
        let cache = if reusable {
            self.settings.cache(Cacheable::Reads, said.or(defaults.descriptor.cache()))
        } else {
            Cache::NO_REUSE // it answers this client's input
        };
        self.outbox.write(route, Kind::Final(Stage::Dispatched), |payload| {
            wire::reserve(payload, identity, contents, defaults);
            let mut result = ResultWriter::begin(payload.out, revision, id);
            result.member("contents");
            wire::write_contents(payload, revision, contents, defaults);
            ResultWriter::resume(payload.out, revision).end(identity, cache);
        });
    }

    pub(super) fn write_list(
        &mut self,
        route: Route,
        revision: Revision,
        id: &RequestId,
        listing: Listing,
        items: &[u8],
        cursor: Option<&str>,
    ) {
        let identity = &self.settings.identity;
        let cache = self.settings.cache(listing.cacheable(), CacheHint::default());
        self.outbox.write(route, Kind::Final(Stage::Dispatched), |payload: &mut Payload<'_>| {
            let mut result = ResultWriter::begin(payload.out, revision, id);
            let list = result.member(listing.member());
            list.push(b'[');
            list.extend_from_slice(items);
            list.push(b']');
            if let Some(cursor) = cursor {
                crate::encode::quote_into(cursor, result.member("nextCursor"));
            }
            result.end(identity, cache);
        });
    }
}
