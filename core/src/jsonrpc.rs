//! JSON-RPC 2.0: reading messages, writing messages, ids and errors.
//!
//! Knows nothing of MCP. It never builds a tree of values: params, results and errors stay raw text.

mod canonical;
mod error;
mod id;
mod members;
mod message;
mod parse;
mod raw;
mod scan;
mod syntax;
pub(crate) mod write;

pub(crate) use canonical::canonical;
pub(crate) use error::{Limit, RpcError};
pub(crate) use id::RequestId;
pub(crate) use members::{
    DuplicateMember, Picked, boolean, elements, for_each_member, is_array, is_null, is_object, members, pick,
    string, string_members, strings,
};
pub(crate) use message::{FaultKind, Params, ParseLimits, Parsed};
pub(crate) use parse::parse;
pub(crate) use raw::Raw;
#[cfg(feature = "schemars")]
pub(crate) use scan::string_end;
pub(crate) use syntax::trimmed;
