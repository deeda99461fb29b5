//! Serves an application's resources, tools and prompts to MCP (Model Context Protocol) clients.
//!
//! ```text
//!  bytes ──▶ Connection::receive ──▶ poll_event ──▶ Event ──▶ the application's callback
//!                                        │                          │ now or later,
//!                                        ▼                          ▼ on any thread
//!  bytes ◀── Drain::poll_transmit ◀── protocol ◀──────────── Responder::finish
//! ```
//!
//! The core is synchronous and does no I/O: a driver, such as `serve::stdio`, moves the bytes.
//!
//! A server with a fixed text and a template, over standard input and output:
//!
//! ```no_run
//! use wellhead::Server;
//!
//! fn main() -> wellhead::Result<()> {
//!     let server = Server::new("hello", "1.0.0");
//!     server.text("hello://world", "Hello, world!")?;
//!     server.template("hello://people/{name}", |call| Some(format!("Hello, {}!", call.var("name")?)))?;
//! #   #[cfg(feature = "stdio")]
//!     wellhead::serve::stdio(&server)?;
//!     Ok(())
//! }
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `simd` (default) | faster escaping, base64 and UTF-8 checks |
//! | `stdio` | `serve::stdio`, the driver for standard input and output |
//! | `http` | `serve::http`, a listener for Streamable HTTP |
//! | `tower` | `serve::HttpService`, Streamable HTTP as a tower service, for axum and the like |
//! | `schema` | checks the arguments of tools against their JSON Schemas |
//! | `schemars` | `Server::typed_tool`, whose arguments are a Rust type |
//! | `directory` | `Server::directory`, a folder as resources |
//! | `skills` | `Server::skills`, a folder of Agent Skills |
//! | `cli` | the command `wellhead` |
#![cfg_attr(not(windows), forbid(unsafe_code))]
#![cfg_attr(windows, deny(unsafe_code))] // serve/platform/windows/raw.rs says why
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(test, shuttle))]
extern crate self as wellhead;

mod access;
mod account;
mod cancellation;
mod catalog;
mod client;
#[cfg(feature = "cli")]
mod command;
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
// The models are tests of the library itself, so that shuttle stays out of the dependencies of those who use it.
#[cfg(all(test, shuttle))]
#[path = "../tests/models/mod.rs"]
mod models;
mod nearest;
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
mod session;
mod spelling;
mod sync;
mod uri;
mod wall_clock;
mod wire;

pub use access::{Caller, Operation, RequestContext, Verdict};
pub use catalog::{Explanation, HandlerId, PassedOver, TakenBy, Template, Why};
pub use client::{TestClient, TestOptions};
// For the programs that are this command in each language.
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use command::run_command;
pub use connection::{Connection, Drain, DrainStart, Handled, Transmit};
pub use counters::Counters;
#[cfg(feature = "directory")]
pub use directory::Directory;
#[cfg(feature = "skills")]
pub use directory::{SkillFlaw, Skills};
pub use error::{Error, ErrorKind, Result};
pub use event::{
    Arguments, AroundCall, AuthorizeCall, Call, CompleteCall, Event, InterestCall, ListCall, MethodCall,
    Next, Outcome, ResponseCall, VerifyCall,
};
pub use group::Group;
pub use limits::Limits;
pub use log::Severity;
#[cfg(feature = "schemars")]
pub use model::Tool;
#[doc(hidden)] // for bindings that check a value where it is made
pub use model::check_mime_type;
pub use model::{
    Annotations, Answer, Body, CacheHint, CacheScope, ClientAnswer, ClientExtensions, ClientRequestError,
    Completion, ContentBlock, Contents, Icon, Json, Listed, Method, MethodAnswer, MethodError, Page,
    PromptResult, Resource, Role, SharedBytes, SharedText, ToolError, ToolLimits, ToolResult,
};
pub use observer::{Ended, Observed};
// For bindings, and the test that compares the languages.
#[doc(hidden)]
pub use options::{
    OPTIONS, OptionEntry, OptionKind, OptionSet, OptionValue, SetOption, WORD_LISTS, WordList,
};
pub use policy::{
    AppOnlyTools, Cacheable, CheckOutput, DeniedResources, Dialect, ErrorCondition, ErrorProfile,
    InvalidArguments, SubscribeUnknown, TitlesInContents, ToolErrors, UndeclaredLists, UnknownTool,
};
pub use protocol::{CallId, MessageKind, Route, Stage};
pub use provider::{Async, Deferred, IntoReply, Later, Now, Provider};
pub use responder::{InterestAnswer, Reply, Responder};
#[doc(hidden)] // for C, whose applications own what a callback refers to
pub use revocable::Revocable;
pub use server::{Builder, Handle, NamedHandle, Server};
pub use session::Session;
pub use spelling::Spelling;
pub use uri::{TemplateValue, Variable};
