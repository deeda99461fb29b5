//! The protocol on one connection, as plain data and `&mut self`: no lock, no clock, no callback, no I/O, and only
//! ordered collections, so that the same steps give the same bytes.

mod access_review;
mod answer_form;
mod application_answers;
mod application_call;
mod application_methods;
mod batch;
mod call_context;
mod callers;
mod client_requests;
mod completion;
mod deadlines;
mod dialect;
mod dispatch;
mod draft;
mod effects;
mod faults;
mod header_check;
mod inflight;
mod input;
mod input_required;
mod judged;
mod lifecycle;
mod list_topics;
mod lookup_results;
mod machine;
mod message_routes;
mod named_requests;
mod outbox;
mod partial_message;
mod pending_routes;
mod progress;
mod request_ids;
mod search;
mod subscribing;
mod subscriptions;

pub use inflight::CallId;
pub use outbox::{MessageKind, Route, Stage};
pub(crate) use pending_routes::Routes;

pub(crate) use crate::request_head::{Repeated, RequestHead};
pub(crate) use answer_form::AnswerForm;
pub(crate) use application_call::{ApplicationCall, ResolvedRead};
pub(crate) use application_methods::MethodOutcome;
pub(crate) use call_context::Context;
pub(crate) use client_requests::NotSent;
pub(crate) use completion::Completing;
pub(crate) use dispatch::{
    Admitted, Arrival, CANCELLED, INITIALIZED, Lookup, MessageOrigin, Request, invalid_uri,
};
pub(crate) use draft::{
    Argument, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVELS, PROTOCOL_VERSION, is_stateless_meta,
    unsupported as unsupported_version,
};
pub(crate) use effects::Effects;
pub(crate) use faults::{not_found, not_modified, nothing_at, unknown_argument, unknown_name};
pub(crate) use header_check::param_fields;
pub(crate) use input::{Chunk, InputLine, UnfinishedLine};
pub(crate) use judged::Judged;
pub(crate) use list_topics::{ListTopics, RESOURCES, TopicSet};
pub(crate) use machine::{Machine, NextWork, Settings};
pub(crate) use named_requests::{
    CLIENT_MS, ForgedState, NamedAnswer, NamedRequests, NotAnswered, ROUNDS, WaitingCall, WaitingCallback,
};
pub(crate) use outbox::{RouteOutput, Start};
pub(crate) use partial_message::{NextBytes, PartialMessage};
pub(crate) use search::{RESULTS, SearchResult};
pub(crate) use subscriptions::HubOp;
