//! What a read callback answers.

use super::{CacheHint, Json, check_meta};
use crate::error::{Error, ErrorKind};
use crate::uri::check_uri;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Text that the host keeps and we only borrow until it is sent. Dropped on any thread.
pub type SharedText = Arc<dyn AsRef<str> + Send + Sync>;

/// Bytes that the host keeps and we only borrow until they are sent. Dropped on any thread.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Text or bytes; never base64.
#[derive(Clone)]
#[non_exhaustive]
pub enum Body {
    /// UTF-8 text.
    Text(SharedText),
    /// Anything else.
    Blob(SharedBytes),
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Text(text) => write!(f, "Text({} bytes)", (**text).as_ref().len()),
            Body::Blob(bytes) => write!(f, "Blob({} bytes)", (**bytes).as_ref().len()),
        }
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Body::Text(Arc::new(text.to_owned()))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Body::Text(Arc::new(text))
    }
}

impl From<&[u8]> for Body {
    fn from(bytes: &[u8]) -> Self {
        Body::Blob(Arc::new(bytes.to_vec()))
    }
}

impl<const N: usize> From<&[u8; N]> for Body {
    fn from(bytes: &[u8; N]) -> Self {
        Body::from(&bytes[..])
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Body::Blob(Arc::new(bytes))
    }
}

impl From<SharedText> for Body {
    fn from(text: SharedText) -> Self {
        Body::Text(text)
    }
}

impl From<SharedBytes> for Body {
    fn from(bytes: SharedBytes) -> Self {
        Body::Blob(bytes)
    }
}

/// One element of a read's `contents`. What is not given here is taken from the registration.
#[derive(Debug, Clone)]
pub struct Contents {
    pub(crate) body: Body,
    pub(crate) uri: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) meta: Option<Json>,
    /// Boxed away: most contents are described by their registration alone.
    pub(crate) told: Option<Box<Told>>,
}

/// What an answer says of the resource beside its contents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<Box<str>>,
    pub(crate) version: Option<Box<str>>,
    pub(crate) metadata: Option<Json>,
    pub(crate) cache: CacheHint,
}

impl Contents {
    /// The bytes of its body.
    pub(crate) fn size(&self) -> u64 {
        let bytes = match &self.body {
            Body::Text(text) => (**text).as_ref().len(),
            Body::Blob(bytes) => (**bytes).as_ref().len(),
        };
        bytes as u64
    }

    /// The bytes of a body of at least so many that nobody else has, so that they are there as long as the answer is.
    pub(crate) fn own_size(&self, least: usize) -> usize {
        let own = match &self.body {
            Body::Text(text) => Arc::strong_count(text) == 1,
            Body::Blob(bytes) => Arc::strong_count(bytes) == 1,
        };
        let size = self.size() as usize;
        if own && size >= least { size } else { 0 }
    }

    /// Contents with a body of text or bytes.
    pub fn new(body: impl Into<Body>) -> Self {
        Contents { body: body.into(), uri: None, mime_type: None, meta: None, told: None }
    }

    /// The URI of a sub-resource; the requested URI if not given.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some((**text).as_ref()),
            Body::Blob(_) => None,
        }
    }

    /// The bytes, if it is no text.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Text(_) => None,
            Body::Blob(bytes) => Some((**bytes).as_ref()),
        }
    }

    /// The MIME type of this element.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Free-form `_meta` of this element; must not use reserved keys.
    #[must_use]
    pub fn meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }

    /// The resource's name. Only some clients are shown it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.told_mut().name = Some(name.into());
        self
    }

    /// The resource's name for people. Only some clients are shown it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.told_mut().title = Some(title.into());
        self
    }

    /// What sort of thing the resource is: see [`super::Resource::kind`].
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.told_mut().kind = Some(kind.into().into());
        self
    }

    /// The version of these contents: see [`super::Resource::version`]. If it is the one that the client has, the client
    /// is told so, and sent nothing.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.told_mut().version = Some(version.into().into());
        self
    }

    /// Free-form attributes of the resource: see [`super::Resource::metadata`].
    #[must_use]
    pub fn metadata(mut self, metadata: Json) -> Self {
        self.told_mut().metadata = Some(metadata);
        self
    }

    /// How long, and for whom, the client may keep this answer; of several contents, those of the resource itself count.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.told_mut().cache = hint;
        self
    }

    pub(crate) fn take_version(&mut self) -> Option<Box<str>> {
        self.told.as_mut()?.version.take()
    }

    pub(crate) fn told(&self) -> Option<&Told> {
        self.told.as_deref()
    }

    fn told_mut(&mut self) -> &mut Told {
        self.told.get_or_insert_default()
    }

    /// What a host put in is checked before any lock is taken.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Some(uri) = &self.uri {
            check_uri(uri).map_err(|e| {
                let message = format!("the contents' uri \"{uri}\": {e}");
                Error::new(ErrorKind::InvalidUri, message)
            })?;
        }
        self.meta.as_ref().map_or(Ok(()), check_meta)
    }
}

/// Contents whose body has been borrowed: that runs the host's code, so it is done before a lock is taken.
pub(crate) struct Borrowed<'a> {
    pub(crate) contents: &'a Contents,
    pub(crate) source: Source<'a>,
}

/// What is in a body.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Text(&'a str),
    Blob(&'a [u8]),
}

impl<'a> Borrowed<'a> {
    /// What an answer says of the resource at `uri`, beside its contents.
    pub(crate) fn told(all: &'a [Borrowed<'a>], uri: &str) -> Option<&'a Told> {
        Borrowed::main(all, uri)?.contents.told()
    }

    pub(crate) fn new(contents: &'a Contents) -> Self {
        let source = match &contents.body {
            Body::Text(text) => Source::Text((**text).as_ref()),
            Body::Blob(bytes) => Source::Blob((**bytes).as_ref()),
        };
        Borrowed { contents, source }
    }

    /// The element that is the resource itself rather than a part of it: the first if none is.
    pub(crate) fn main<'b>(all: &'b [Borrowed<'a>], uri: &str) -> Option<&'b Borrowed<'a>> {
        all.iter().find(|each| each.contents.uri.as_deref().is_none_or(|own| own == uri)).or(all.first())
    }

    /// Hands over all elements. One, as usual, costs no allocation.
    pub(crate) fn all<R>(contents: &[Contents], take: impl FnOnce(&[Borrowed<'_>]) -> R) -> R {
        match contents {
            [one] => take(&[Borrowed::new(one)]),
            some => take(&some.iter().map(Borrowed::new).collect::<Vec<_>>()),
        }
    }
}

impl<T: Into<Body>> From<T> for Contents {
    fn from(body: T) -> Self {
        Contents::new(body)
    }
}

/// The outcome of a read. The error code, where there is one, is chosen for the request's revision.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Answer {
    /// The resource's contents: usually one element.
    Found(Vec<Contents>),
    /// There is no such resource.
    NotFound,
    /// There is, but not for this caller.
    Denied,
    /// The client has the contents already. Only where the call said which version that is; otherwise it is a failure.
    NotModified,
    /// Not now; perhaps after so long.
    Busy(Option<Duration>),
    /// The client has to answer something first: an object with `inputRequests`, `requestState` or both, as the result of
    /// the protocol has them. It repeats the read with what [`crate::Call::input_responses`] and
    /// [`crate::Call::request_state`] then show. Clients that cannot do what is asked for are told what that takes.
    NeedsInput(Json),
    /// The read came with a `requestState` that is not the host's: see [`crate::Call::open_state`].
    InvalidState,
    /// It could not be read: an internal error for the client, the text for the log.
    Failed(String),
}

impl<T: Into<Body>> From<T> for Answer {
    fn from(body: T) -> Self {
        Answer::Found(vec![Contents::new(body)])
    }
}

impl From<Contents> for Answer {
    fn from(contents: Contents) -> Self {
        Answer::Found(vec![contents])
    }
}

impl From<Vec<Contents>> for Answer {
    fn from(contents: Vec<Contents>) -> Self {
        Answer::Found(contents)
    }
}

impl<T: Into<Answer>> From<Option<T>> for Answer {
    fn from(answer: Option<T>) -> Self {
        answer.map_or(Answer::NotFound, Into::into)
    }
}

impl<T: Into<Answer>, E: fmt::Display> From<Result<T, E>> for Answer {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(|e| Answer::Failed(e.to_string()), Into::into)
    }
}
