//! The JSON Schema of a tool's arguments: compiled when the tool is registered, checked at each call.
//!
//! The crate `jsonschema` decides whether a value fits. The words of a refusal, its paths and the defaults are ours.
//! Nothing is fetched: a reference leads to a place in the same schema, or the schema is refused.

#[cfg(feature = "schema")]
mod bounds;
#[cfg(feature = "schema")]
mod compiled;
#[cfg(feature = "schema")]
mod cost;
#[cfg(feature = "schema")]
mod defaults;
mod form;
#[cfg(feature = "schema")]
mod problems;
mod size;
#[cfg(feature = "schema")]
mod subschema;
#[cfg(not(feature = "schema"))]
mod unchecked;

#[cfg(feature = "schema")]
pub(crate) use compiled::Schema;
pub(crate) use form::{check_elicitation, check_elicited};
pub(crate) use size::check_nesting;
#[cfg(not(feature = "schema"))]
pub(crate) use unchecked::Schema;
