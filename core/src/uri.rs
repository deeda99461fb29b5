//! Resource URIs: the RFC 3986 check, and RFC 6570 templates that are parsed once, expanded and matched back.
//!
//! A URI is a byte string here. Only the values of template variables are decoded, and only the authorizer gets URIs in
//! another spelling than that of the client.
//!
//! ```text
//! text -> syntax -> expand                       every RFC 6570 template
//!            \-> refusal -> program -> matching  the templates whose expansion can be undone
//!                               \-> specificity -> siblings -> router -> search
//! ```

mod captures;
mod check;
mod expand;
mod matching;
mod normal;
mod program;
mod refusal;
mod router;
mod safety;
mod search;
mod siblings;
mod specificity;
mod syntax;
mod template;

#[cfg(test)]
mod properties;

pub(crate) use captures::{Captures, Value};
pub(crate) use check::check_uri;
pub use expand::TemplateValue;
pub(crate) use expand::{ExpandError, expand};
pub(crate) use normal::normalized;
pub(crate) use router::{Conflict, Router};
pub(crate) use syntax::TemplateError;
pub use template::Variable;
pub(crate) use template::{Miss, UriTemplate};
