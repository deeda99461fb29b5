//! The caller of a request, and the operations that the application lets it do.

use crate::request_head::OwnedHead;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The client of a connection or request, as the application knows it. The default is an anonymous caller.
///
/// `value` belongs to the application: for instance the claims of a verified token. `id` is a text of bytes that stays
/// the same; the server binds cursors and sessions to it.
#[derive(Clone, Default)]
pub struct Caller {
    value: Option<Arc<dyn Any + Send + Sync>>,
    id: Arc<[u8]>,
    /// The context of the caller's request, which is dropped where the caller is.
    context: Option<RequestContext>,
    /// The head of the caller's request, over HTTP.
    head: Option<Arc<OwnedHead>>,
}

/// A value of the application that belongs to one request, such as a tracing span or the HTTP request. Callbacks that
/// the request causes get it by `request_context`. The value of [`Caller::with_value`] belongs to the client, this one
/// to the request.
pub type RequestContext = Arc<dyn Any + Send + Sync>;

/// Says whether the authorizer has to decide about requests.
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

    /// Adds a value of the application, which callbacks get by [`Caller::value`].
    #[must_use]
    pub fn with_value<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.value = Some(Arc::new(value));
        self
    }

    /// Returns the value of [`Caller::with_value`]; `None` if there is none, or if it is no `T`.
    pub fn value<T: Any>(&self) -> Option<&T> {
        self.value.as_deref()?.downcast_ref()
    }

    /// Sets the context of the request, such as the context variables of Python.
    pub(crate) fn in_context(mut self, context: Option<RequestContext>) -> Self {
        self.context = context;
        self
    }

    /// Returns the context of the caller's request; `None` if it has none.
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

    /// Returns the caller without the context and the head of its request, to keep it after the request.
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

/// The operation that a caller asks for. The application decides about it for each URI or name of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// List the URIs, or propose them as paths of a folder.
    List,
    /// Read the URIs.
    Read,
    /// Subscribe to changes of the URIs.
    Subscribe,
    /// Complete a variable of a template, or an argument of a prompt. In place of a URI, the question has the text of the
    /// template, or the name of the prompt.
    Complete,
    /// List tools. In place of URIs, the question has their names.
    ListTools,
    /// Call a tool. In place of a URI, the question has its name.
    CallTool,
    /// List prompts. In place of URIs, the question has their names.
    ListPrompts,
    /// Get a prompt. In place of a URI, the question has its name.
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

/// The authorizer's decision about one URI or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The caller may do it.
    Allow,
    /// The caller may not do it: the client gets "permission denied". Lists leave the URI out.
    Deny,
    /// The caller may not know the URI: the client gets the answer for a URI that does not exist.
    Hide,
}
