//! Serves an application's resources to MCP (Model Context Protocol) clients.
//!
//! ```text
//!  bytes ──▶ Connection::receive ──▶ poll_event ──▶ Event ──▶ the application's callback
//!                                        │                          │ now or later,
//!                                        ▼                          ▼ on any thread
//!  bytes ◀── Drain::poll_transmit ◀── protocol ◀──────────── Responder::finish
//! ```
//!
//! The core is synchronous and does no I/O: a driver, such as [`serve::stdio`], moves the bytes.
#![forbid(unsafe_code)]

mod access;
mod account;
mod catalog;
mod client;
mod connection;
mod counters;
#[cfg(feature = "directory")]
mod directory;
mod encode;
mod error;
mod event;
#[cfg(not(shuttle))]
pub mod fork;
mod group;
pub mod http;
mod hub;
mod jsonrpc;
mod keys;
mod limits;
mod log;
mod model;
mod observer;
mod options;
mod policy;
mod protocol;
mod provider;
mod refusals;
mod request_head;
mod responder;
mod revision;
mod revocable;
mod schema;
#[cfg(feature = "directory")]
mod search;
#[cfg(any(feature = "stdio", feature = "http"))]
pub mod serve;
mod server;
mod spelling;
mod sync;
mod uri;
mod wire;

pub use access::{Caller, Operation, RequestContext, Verdict};
pub use catalog::{Explanation, HandlerId, PassedOver, TakenBy, Template, Why};
pub use client::{TestClient, TestOptions};
pub use connection::{Connection, Drain, DrainStart, Handled, Transmit};
pub use counters::Counters;
#[cfg(feature = "directory")]
pub use directory::Directory;
#[cfg(feature = "skills")]
pub use directory::{SkillFlaw, Skills};
pub use error::{Error, ErrorKind, Result};
pub use event::{
    Arguments, AuthorizeCall, Call, CompleteCall, Event, InterestCall, ListCall, MethodCall, ResponseCall,
    VerifyCall,
};
pub use group::Group;
pub use limits::Limits;
pub use log::Level;
#[cfg(feature = "schemars")]
pub use model::Tool;
#[doc(hidden)] // for bindings that check a value where it is made
pub use model::check_mime_type;
pub use model::{
    Annotations, Answer, Body, CacheHint, CacheScope, ClientAnswer, ClientExtensions, ClientRequestError,
    Completion, ContentBlock, Contents, Icon, Json, Listed, Method, MethodAnswer, MethodError, Page,
    Resource, Role, SharedBytes, SharedText, ToolError, ToolResult,
};
pub use observer::{Ended, Observed};
// For bindings, and the test that compares the languages.
#[doc(hidden)]
pub use options::{
    OPTIONS, OptionEntry, OptionKind, OptionSet, OptionValue, SetOption, WORD_LISTS, WordList,
};
pub use policy::{
    Cacheable, CheckOutput, Dialect, ErrorCondition, ErrorProfile, InvalidArguments, PermissionDenied,
    SubscribeUnknown, TitlesInContents, UndeclaredLists, UnknownTool,
};
pub use protocol::{CallId, MessageKind, Route, Stage};
pub use provider::{Async, Deferred, IntoReply, Later, Now, Provider};
pub use responder::{InterestAnswer, Reply, Responder};
#[doc(hidden)] // for C, whose applications own what a callback refers to
pub use revocable::Revocable;
pub use server::{Builder, Handle, NamedHandle, Server};
pub use spelling::Spelling;
#[cfg(shuttle)]
#[doc(hidden)]
pub use sync::{Fault, planted};
pub use uri::{TemplateValue, Variable};
