//! Begins and ends routes for one message each.

use super::ApplicationCall;
use super::CallId;
use super::faults::internal;
use super::inflight::OpenRequest;
use super::machine::{Machine, Waiting};
use super::outbox::{Route, RouteOutput, Stage};
use crate::access::Caller;
use crate::account::Permit;
use crate::jsonrpc::RpcError;
use crate::sync::Trash;
use std::sync::Arc;

impl Machine {
    /// Opens a route for one message. `caller` is `None` if the caller is that of the connection. `permit` counts the
    /// requests of the message over HTTP.
    pub(crate) fn handle_new_route(
        &mut self,
        output: RouteOutput,
        caller: Option<Arc<Caller>>,
        permit: Option<Arc<Permit>>,
        trash: &mut Trash,
    ) -> Option<u64> {
        self.drop_unused_callers(trash);
        if self.closed {
            trash.put(caller); // with the application's values, which may not be dropped here
            return None;
        }
        let number = self.next_route;
        self.next_route += 1;
        self.outbox.open(number, output, caller, permit);
        Some(number)
    }

    /// Drops callers of routes that have ended, once no call refers to them.
    pub(crate) fn drop_unused_callers(&mut self, trash: &mut Trash) {
        let unused = self.outbox.callers.take_unused();
        if !unused.is_empty() {
            trash.put(unused);
        }
    }

    /// Sets the caller for application calls that no request caused, such as an access review.
    pub(crate) fn set_caller(&mut self, caller: Arc<Caller>, trash: &mut Trash) {
        if self.closed {
            return trash.put(caller);
        }
        self.outbox.callers.renew(caller);
    }

    /// Cancels the request of a route, or ends its listen stream. Its output is discarded.
    pub(crate) fn cancel_route(&mut self, number: u64, trash: &mut Trash) {
        let route = Route::Message(number);
        let routes = self.routes_of(route);
        trash.put(self.outbox.forget(number));
        self.elements.remove(&routes);
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
            }
            for call in self.inflight.on(route) {
                if let Some(open) = self.drop_call(call) {
                    trash.put(open);
                }
            }
        }
        for key in self.subscriptions.streams_on(route) {
            if let Some(stream) = self.subscriptions.close_stream(key) {
                self.inflight.disown(&stream.id);
            }
        }
    }

    /// Ends the requests of a route whose callbacks have not begun, since the client has gone. A callback that has
    /// begun goes on, because a client that goes has not cancelled (2025-11-25, Transports, Sending Messages to the
    /// Server). After it no other callback begins: see [`Machine::begin_application_call`].
    pub(crate) fn handle_lost_client(&mut self, number: u64, trash: &mut Trash) {
        let routes = self.routes_of(Route::Message(number));
        for route in self.elements.remove(&routes) {
            self.outbox.end(route);
        }
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
                self.outbox.end(route);
            }
            for call in self.inflight.lose_client(route) {
                self.end_request(call, trash);
            }
        }
    }

    /// Removes the request of a route from those that wait for room, and returns it.
    fn take_waiting(&mut self, route: Route) -> Option<Waiting> {
        let (number, _) = self.waiting.iter().find(|(_, waiting)| waiting.route == route)?;
        let number = *number;
        let waiting = self.waiting.remove(&number)?;
        self.waiting_bytes -= waiting.line.len();
        Some(waiting)
    }

    /// Ends a request without an answer, and ends its route.
    pub(super) fn end_request(&mut self, call: CallId, trash: &mut Trash) {
        if let Some(open) = self.drop_call(call) {
            self.outbox.end(open.route);
            trash.put(open);
        }
    }

    /// Ends a request without an answer, and cancels its requests to the client. If the application has the call, it
    /// gets an event that the call is cancelled.
    pub(super) fn drop_call(&mut self, call: CallId) -> Option<OpenRequest> {
        let handed_out = self.inflight.is_handed_out(call);
        let open = self.inflight.abandon(call)?;
        self.causes.cancelled(&open.context);
        self.cancel_wanted(call.slot(), &open.state);
        self.cancel_dropped_requests(); // before the end or the answer: nothing may follow that
        if handed_out {
            self.queue_application_call(ApplicationCall::Cancel { call });
        }
        Some(open)
    }

    /// Answers "internal error" to each request of a route that is not answered yet.
    pub(crate) fn on_route_timeout(&mut self, number: u64, trash: &mut Trash) {
        let route = Route::Message(number);
        let unseen = self.lifecycle.last().map_or_else(RpcError::internal, internal);
        let routes = self.routes_of(route);
        for route in self.elements.remove(&routes) {
            self.answer_refused(route, None, &unseen);
        }
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
                if waiting.id.is_none() {
                    self.outbox.end(route);
                } else {
                    self.answer_failed(route, Stage::Refused, &waiting.id, &unseen);
                }
            }
            for call in self.inflight.on(route) {
                self.answer_overdue(call, "in time", trash);
            }
        }
    }
}
