//! Who calls, and what the host lets them do.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Who a connection speaks for, as the host that accepted it knows them. The default is "nobody in particular".
///
/// `value` is the host's own (the claims of a verified token, say); `id` are stable bytes that cursors are bound to.
#[derive(Clone, Default)]
pub struct Caller {
    value: Option<Arc<dyn Any + Send + Sync>>,
    id: Arc<[u8]>,
    /// Of the request that it makes. Travels here because whoever keeps a caller also takes care of where it is dropped.
    context: Option<RequestContext>,
}

/// A value of the host's that belongs to one request, such as a tracing span or the request that it came with. Every
/// callback that the request causes finds it: `request_context` of the calls. The value of [`Caller::with`] is the
/// client's, and this one is the request's.
pub type RequestContext = Arc<dyn Any + Send + Sync>;

impl Caller {
    /// A caller with a stable id.
    pub fn new(id: impl Into<Arc<[u8]>>) -> Self {
        Caller { value: None, id: id.into(), context: None }
    }

    /// The same caller with a value for the host's callbacks.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.value = Some(Arc::new(value));
        self
    }

    /// The host's value, if it is a `T`.
    pub fn value<T: Any>(&self) -> Option<&T> {
        self.value.as_deref()?.downcast_ref()
    }

    /// The same caller, making a request of that context.
    pub(crate) fn in_context(mut self, context: Option<RequestContext>) -> Self {
        self.context = context;
        self
    }

    /// The context of the request that it makes.
    pub(crate) fn context(&self) -> Option<&RequestContext> {
        self.context.as_ref()
    }

    /// The id bytes; empty for nobody in particular.
    pub fn id(&self) -> &[u8] {
        &self.id
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a caller wants to do with the URIs of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// See them in a list, or among the paths that a folder proposes.
    List,
    /// Read them.
    Read,
    /// Be told of their changes.
    Subscribe,
    /// Be proposed values for the variables of a template, which is named in place of a URI.
    Complete,
    /// See tools in a list; their names stand in place of URIs.
    ListTools,
    /// Call a tool, which is named in place of a URI.
    CallTool,
    /// See prompts in a list; their names stand in place of URIs.
    ListPrompts,
    /// Get a prompt, which is named in place of a URI.
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

/// The host's answer for one URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Answer "permission denied"; leave it out of lists.
    Deny,
    /// Answer exactly as if it did not exist.
    Hide,
}
