//! Plain values that applications pass in and get back. They know nothing of JSON, except that a page and the
//! result of a tool write their parts as they come. `wire` writes the others for a revision.

mod annotations;
mod cache;
mod completion;
mod contents;
mod descriptor;
mod extension;
mod family;
mod icon;
mod json;
mod meta_key;
mod method;
mod moment;
mod page;
mod prompt_result;
mod report;
mod resource;
mod skill;
#[cfg(feature = "schemars")]
mod tool;
mod tool_limits;
mod tool_result;

pub use annotations::{Annotations, Role};
pub(crate) use cache::Cache;
pub use cache::{CacheHint, CacheScope};
pub use completion::Completion;
pub use contents::{Answer, Body, Contents, SharedBytes, SharedText};
pub(crate) use contents::{AnswerDescription, Borrowed, Source};
pub use extension::ClientExtensions;
pub(crate) use extension::{APP_TYPE, APPS, check_extension};
pub(crate) use family::{Family, OutputSchema, ResultShape};
pub use icon::Icon;
pub use json::Json;
pub use method::{ClientAnswer, ClientRequestError, Method, MethodAnswer, MethodError, ToolError};
pub use page::{Listed, Page};
pub use prompt_result::PromptResult;
pub(crate) use report::Report;
pub use resource::Resource;
#[cfg(feature = "skills")]
pub(crate) use skill::{MAX_BYTES, MAX_FILES, wrong_skill_description, wrong_skill_name};
#[cfg(feature = "schemars")]
pub use tool::Tool;
pub use tool_limits::ToolLimits;
pub use tool_result::{ContentBlock, ToolResult};

#[doc(hidden)] // for bindings that check a value where it is made
pub use descriptor::check_mime_type;
pub(crate) use descriptor::{Described, Descriptor, Rare, check_meta, descriptor_setters};
pub(crate) use page::PageItem;
