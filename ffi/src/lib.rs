//! The C ABI. `include/wellhead.h` and, from `http`, `include/wellhead_http.h` are made from these modules: their doc
//! comments are written for C.
#![allow(non_camel_case_types, reason = "the names of the header")]
#![allow(missing_docs, reason = "the comments are the header's, where a name can say enough")]
#![allow(clippy::doc_markdown, clippy::doc_link_with_quotes, reason = "the comments are written for C")]
#![allow(clippy::missing_safety_doc, reason = "the header's comments are the contract with C")]

pub mod version;

pub mod types;

pub mod status;

pub mod cache;

pub mod text;

pub mod observe;

pub mod server;

pub mod resource;

pub mod catalog;

#[cfg(feature = "directory")]
pub mod directory;
#[cfg(feature = "skills")]
pub mod skills;

pub mod call;

pub mod arguments;

pub mod read;

pub mod list;

pub mod complete;

pub mod authorize;

pub mod around;
pub mod interest;

pub mod method;

pub mod tool;

pub mod prompt;

pub mod require_input;

pub mod session;

pub mod tool_result;

pub mod updates;

pub mod instances;

pub mod uri;

pub mod connection;

pub mod stdio;

pub mod test_request;

pub mod test_client;

#[cfg(feature = "http")]
pub mod http;

mod boundary;
mod fields;
mod foreign;
pub mod held_call;
mod named;
mod notification;
pub mod pending;
