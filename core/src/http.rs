//! Streamable HTTP without a socket: an [`Endpoint`] takes heads, bodies and the time, and returns what to send.
//!
//! ```text
//!  head ──▶ Endpoint::begin ──▶ Exchange::body, end ──▶ Connection::handle_on_route ──▶ Event ──▶ the application's callback
//!  head, data ◀── Exchange::poll ◀───────────────────── Drain::poll_transmit ◀── Responder::finish
//! ```
//!
//! All revisions that have this transport are served together. Each POST of the stateless era is a connection of its
//! own; the POSTs of a session are exchanges of the session's connection.
//!
//! Source: the transport pages of 2025-03-26 to 2026-07-28.

mod answering;
mod classify;
mod cors;
mod delete;
mod endpoint;
mod endpoint_builder;
mod exchange;
mod get;
#[cfg(feature = "http")]
mod idle_timeout;
mod limits;
mod listeners;
mod media;
mod origin;
mod post;
mod protection;
mod replay;
mod request_body;
mod response;
mod response_head;
mod routing;
mod sessions;
mod sse;
mod streams;
mod verifying;

pub use crate::event::{Grant, Verification};
pub use crate::request_head::RequestHead;
pub use endpoint::Endpoint;
pub use endpoint_builder::EndpointBuilder;
pub use exchange::{Exchange, Progress};
#[cfg(feature = "http")]
pub(crate) use idle_timeout::{IdleTimeout, Silence};
pub use protection::Protection;
pub use response::Response;
