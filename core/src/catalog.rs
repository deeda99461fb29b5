//! The catalog of a server: fixed resources, templates, list sources, and a fallback.

mod app;
mod capabilities;
mod changes;
mod completing;
mod cursor;
mod definition;
mod entries;
mod explain;
mod extensions;
mod listing;
mod members;
mod methods;
mod named;
mod names;
mod near_misses;
mod ordered;
mod output_schema;
mod pages;
mod param_headers;
mod registry;
mod resource_tools;
mod sources;
mod state;
mod template;
mod tool_limiter;

pub use entries::HandlerId;
pub use explain::{Explanation, PassedOver, TakenBy, Why};
#[cfg(feature = "directory")]
pub(crate) use template::FolderKind;
pub use template::Template;

pub(crate) use app::{app, doubtful};
pub(crate) use changes::Change;
pub(crate) use completing::Completer;
pub(crate) use cursor::Sealer;
pub(crate) use definition::{PromptArguments, definition};
pub(crate) use entries::{Content, Fixed, Handler, Vars};
pub(crate) use listing::{ListOf, Listing};
pub(crate) use methods::{MethodFn, MethodHandler, is_notification};
pub(crate) use named::Availability;
pub(crate) use names::check_name;
pub(crate) use pages::{ListPage, Surroundings, ToolAudience, Walk, Walked};
pub(crate) use param_headers::ParamHeader;
pub(crate) use registry::{Catalog, Found, Removed};
pub(crate) use resource_tools::{ResourceQuestion, ResourceTool, template_tool};
pub(crate) use tool_limiter::{ToolCall, ToolLimitReached};
