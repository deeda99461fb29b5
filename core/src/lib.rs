//! Serves an application's resources to MCP clients.
#![forbid(unsafe_code)]

mod encode;
mod jsonrpc;
mod uri;
