//! The caller of a request, and the operations that the application lets it do.

use crate::request_head::OwnedHead;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The client of a connection or request, as the application knows it. The default is an anonymous caller.
///
/// `value` belongs to the application: for instance the claims of a verified token. `id` are stable bytes. The server
/// binds cursors to them.
#[derive(Clone, Default)]
pub struct Caller {
    value: Option<Arc<dyn Any + Send + Sync>>,
    id: Arc<[u8]>,
    /// The context of the request that the caller makes. It stands here so that it is dropped where the caller is.
    context: Option<RequestContext>,
    /// The head of that request, over HTTP.
    head: Option<Arc<OwnedHead>>,
}

/// A value of the application that belongs to one request, such as a tracing span or the HTTP request it came with.
/// Every callback that the request causes can get it as `request_context`. The value of [`Caller::with_value`] belongs to
/// the client; this one belongs to the request.
pub type RequestContext = Arc<dyn Any + Send + Sync>;

/// The setting whether the application's authorizer decides on requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessCheck {
    Required,
    NotRequired,
}

impl Caller {
    /// Makes a caller with a stable id.
    pub fn new(id: impl Into<Arc<[u8]>>) -> Self {
        Caller { value: None, id: id.into(), context: None, head: None }
    }

    /// Adds a value for the application's callbacks.
    #[must_use]
    pub fn with_value<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.value = Some(Arc::new(value));
        self
    }

    /// Returns the value of [`Caller::with_value`], if it is a `T`.
    pub fn value<T: Any>(&self) -> Option<&T> {
        self.value.as_deref()?.downcast_ref()
    }

    /// Sets the value that the driver gave with the request, such as the context variables of Python.
    pub(crate) fn in_context(mut self, context: Option<RequestContext>) -> Self {
        self.context = context;
        self
    }

    /// Returns the context of the request that the caller makes.
    pub(crate) fn context(&self) -> Option<&RequestContext> {
        self.context.as_ref()
    }

    /// Sets the head of the HTTP request that the caller makes.
    pub(crate) fn with_head(mut self, head: Option<Arc<OwnedHead>>) -> Self {
        self.head = head;
        self
    }

    /// Returns the head of the HTTP request that the caller makes.
    pub(crate) fn head(&self) -> Option<&Arc<OwnedHead>> {
        self.head.as_ref()
    }

    /// Returns the caller without what belongs to its request, to be kept after the request.
    pub(crate) fn without_request(self) -> Self {
        self.in_context(None).with_head(None)
    }

    /// Returns the id bytes; they are empty for an anonymous caller.
    pub fn id(&self) -> &[u8] {
        &self.id
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An operation that a caller asks for, on the URIs of one question to the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// List them, or propose them as paths of a folder.
    List,
    /// Read them.
    Read,
    /// Subscribe to their changes.
    Subscribe,
    /// Complete the variables of a template. The template stands in place of a URI.
    Complete,
    /// List tools; their names stand in place of URIs.
    ListTools,
    /// Call a tool; its name stands in place of a URI.
    CallTool,
    /// List prompts; their names stand in place of URIs.
    ListPrompts,
    /// Get a prompt; its name stands in place of a URI.
    GetPrompt,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::List => "list",
            Operation::Read => "read",
            Operation::Subscribe => "subscribe",
            Operation::Complete => "complete",
            Operation::ListTools => "list_tools",
            Operation::CallTool => "call_tool",
            Operation::ListPrompts => "list_prompts",
            Operation::GetPrompt => "get_prompt",
        })
    }
}

/// The application's decision for one URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Allows the operation.
    Allow,
    /// Denies it: the client gets "permission denied". Lists leave the URI out.
    Deny,
    /// Hides the URI: the client gets the answer for a URI that does not exist.
    Hide,
}
