//! What happens on one connection, as plain data and `&mut self`: no lock, no clock, no callback, no I/O, and only
//! ordered collections, so that the same steps give the same bytes.

mod answers;
mod asking;
mod batch;
mod callers;
mod completing;
mod dialect;
mod dispatch;
mod effects;
mod faults;
mod half;
mod inflight;
mod input;
mod kinds;
mod lifecycle;
mod machine;
mod methods;
mod needs_input;
mod news;
mod outbox;
mod progress;
mod request;
mod requests;
mod review;
mod subscriptions;
mod watching;

pub use inflight::CallId;
pub use outbox::{Kind, Route, Stage};

pub(crate) use asking::Unasked;
pub(crate) use completing::Completing;
pub(crate) use dispatch::{Admitted, Request, Work, invalid_uri, limit, limit_data};
pub(crate) use effects::Effects;
pub(crate) use faults::{none_found, not_found, not_modified, unknown_argument, unknown_name};
pub(crate) use half::Half;
pub(crate) use inflight::{Ask, Context, Read, State};
pub(crate) use input::{Chunk, Line};
pub(crate) use kinds::{KindSet, Kinds, RESOURCES};
pub(crate) use machine::{Machine, Next, Settings};
pub(crate) use methods::Outcome;
pub(crate) use outbox::Start;
pub(crate) use progress::Report;
pub(crate) use request::{
    Argument, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVELS, PROTOCOL_VERSION, is_stateless_meta,
    unsupported as unsupported_version,
};
pub(crate) use subscriptions::{HubOp, Watcher};
