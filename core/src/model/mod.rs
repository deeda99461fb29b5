//! Plain values that applications pass in and get back. They know nothing of JSON, except that a page writes its
//! items as they come. `wire` writes the others for a revision.

mod annotations;
mod cache;
mod completion;
mod contents;
mod descriptor;
mod icon;
mod json;
mod method;
mod moment;
mod page;
mod resource;
mod template;

pub use annotations::{Annotations, Role};
pub use cache::CacheHint;
pub use completion::Completion;
pub use contents::{Answer, Body, Contents, SharedBytes, SharedText};
pub(crate) use contents::{Borrowed, Source, Told};
pub use icon::Icon;
pub use json::Json;
pub use method::{ClientAnswer, Method, MethodAnswer, MethodError};
pub use page::{Listed, Page};
pub use resource::Resource;
pub use template::Template;

#[doc(hidden)] // for bindings that check a value where it is made
pub use descriptor::check_mime_type;
pub(crate) use descriptor::{Described, Descriptor, Rare, check_meta};
pub(crate) use page::PageItem;
