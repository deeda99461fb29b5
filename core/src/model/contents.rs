//! The answer of a read callback.

use super::{CacheHint, ClientRequestError, Json, check_meta};
use crate::error::{Error, ErrorKind};
use crate::uri::check_uri;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Text that the application keeps; the server borrows it until it is sent. May be dropped on any thread.
pub type SharedText = Arc<dyn AsRef<str> + Send + Sync>;

/// Bytes that the application keeps; the server borrows them until they are sent. May be dropped on any thread.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Text or bytes. Bytes are sent as base64.
#[derive(Clone)]
#[non_exhaustive]
pub enum Body {
    /// UTF-8 text.
    Text(SharedText),
    /// Bytes.
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

/// One element of the `contents` of a read. Members that are not set have the values of the registration.
#[derive(Debug, Clone)]
pub struct Contents {
    pub(crate) body: Body,
    pub(crate) uri: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) meta: Option<Json>,
    /// The description of the resource. Boxed, because most contents are described by their registration alone.
    pub(crate) description: Option<Box<AnswerDescription>>,
}

/// The description of the resource that an answer gives together with its contents.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerDescription {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<Box<str>>,
    pub(crate) version: Option<Box<str>>,
    pub(crate) metadata: Option<Json>,
    pub(crate) cache: CacheHint,
    /// The URIs of a directory's entries, of which the text has one a line.
    pub(crate) entries: Vec<Arc<str>>,
}

impl Contents {
    /// Returns the number of bytes of the body.
    pub(crate) fn size(&self) -> u64 {
        let bytes = match &self.body {
            Body::Text(text) => (**text).as_ref().len(),
            Body::Blob(bytes) => (**bytes).as_ref().len(),
        };
        bytes as u64
    }

    /// Returns the size of a body that only this answer owns, if it has at least `least` bytes; otherwise 0. Such
    /// memory is in use as long as the answer is.
    pub(crate) fn own_size(&self, least: usize) -> usize {
        let size = self.size() as usize;
        if self.is_own() && size >= least { size } else { 0 }
    }

    /// Returns whether nothing else shares the body.
    fn is_own(&self) -> bool {
        match &self.body {
            Body::Text(text) => Arc::strong_count(text) == 1,
            Body::Blob(bytes) => Arc::strong_count(bytes) == 1,
        }
    }

    /// Makes contents of a text or of bytes.
    pub fn new(body: impl Into<Body>) -> Self {
        Contents { body: body.into(), uri: None, mime_type: None, meta: None, description: None }
    }

    /// Replaces the body. The other members stay, such as the MIME type.
    #[must_use]
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the URI of this element, if it is a part of the resource. Default: the requested URI.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    /// Returns the text; `None` if the body is bytes.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some((**text).as_ref()),
            Body::Blob(_) => None,
        }
    }

    /// Returns the bytes; `None` if the body is text.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Text(_) => None,
            Body::Blob(bytes) => Some((**bytes).as_ref()),
        }
    }

    /// Sets the MIME type of this element.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the free-form `_meta` of this element. Keys that the protocol reserves make the read fail.
    #[must_use]
    pub fn meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }

    /// Sets the name of the resource. Clients get it as [`crate::TitlesInContents`] says.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.description_mut().name = Some(name.into());
        self
    }

    /// Sets the title of the resource, for people. Clients get it as [`crate::TitlesInContents`] says.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.description_mut().title = Some(title.into());
        self
    }

    /// Sets the application's kind of the resource: see [`super::Resource::kind`].
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.description_mut().kind = Some(kind.into().into());
        self
    }

    /// Sets the version of these contents: see [`super::Resource::version`]. A client that has this version already
    /// gets "not modified" in place of the contents.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.description_mut().version = Some(version.into().into());
        self
    }

    /// Sets free-form attributes of the resource: see [`super::Resource::metadata`].
    #[must_use]
    pub fn metadata(mut self, metadata: Json) -> Self {
        self.description_mut().metadata = Some(metadata);
        self
    }

    /// Sets the caching hint of this answer. If an answer has several contents, the hint of the resource itself counts.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.description_mut().cache = hint;
        self
    }

    /// Makes the contents of a directory: the URIs of its entries, one a line (RFC 2483).
    #[cfg(feature = "directory")]
    pub(crate) fn of_directory(entries: Vec<Arc<str>>) -> Self {
        let mut contents = Contents::new("").mime_type("text/uri-list");
        contents.set_entries(entries);
        contents
    }

    pub(crate) fn set_entries(&mut self, entries: Vec<Arc<str>>) {
        let lines: String = entries.iter().flat_map(|uri| [&**uri, "\r\n"]).collect();
        self.body = lines.into();
        self.description_mut().entries = entries;
    }

    pub(crate) fn entries(&self) -> &[Arc<str>] {
        self.description().map_or(&[], |description| &description.entries)
    }

    pub(crate) fn described_version(&self) -> Option<&str> {
        self.description()?.version.as_deref()
    }

    pub(crate) fn take_version(&mut self) -> Option<Box<str>> {
        self.description.as_mut()?.version.take()
    }

    pub(crate) fn description(&self) -> Option<&AnswerDescription> {
        self.description.as_deref()
    }

    fn description_mut(&mut self) -> &mut AnswerDescription {
        self.description.get_or_insert_default()
    }

    /// Checks the values that the application set. Called before a lock is taken.
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

/// Contents whose body was borrowed from the application. Borrowing runs the application's code, so it happens before a
/// lock is taken.
pub(crate) struct Borrowed<'a> {
    pub(crate) contents: &'a Contents,
    pub(crate) source: Source<'a>,
    /// True if the body exists for one answer only.
    pub(crate) is_own: bool,
}

/// The borrowed body.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Text(&'a str),
    Blob(&'a [u8]),
}

impl<'a> Source<'a> {
    pub(crate) fn as_bytes(self) -> &'a [u8] {
        match self {
            Source::Text(text) => text.as_bytes(),
            Source::Blob(bytes) => bytes,
        }
    }
}

impl<'a> Borrowed<'a> {
    /// Returns the description of the resource at `uri` in an answer; `None` if it has none.
    pub(crate) fn description(all: &'a [Borrowed<'a>], uri: &str) -> Option<&'a AnswerDescription> {
        Borrowed::main(all, uri)?.contents.description()
    }

    /// Borrows contents that a callback made.
    pub(crate) fn of_answer(contents: &'a Contents) -> Self {
        Borrowed { is_own: contents.is_own(), ..Borrowed::new(contents) }
    }

    /// Borrows contents that more than one answer may have.
    pub(crate) fn new(contents: &'a Contents) -> Self {
        let source = match &contents.body {
            Body::Text(text) => Source::Text((**text).as_ref()),
            Body::Blob(bytes) => Source::Blob((**bytes).as_ref()),
        };
        Borrowed { contents, source, is_own: false }
    }

    /// The number of bytes of the body, if it exists for one answer only and has at least `least` bytes; otherwise 0.
    pub(crate) fn own_size(&self, least: usize) -> usize {
        let size = self.source.as_bytes().len();
        if self.is_own && size >= least { size } else { 0 }
    }

    /// Returns the element that is the resource itself, or else the first; `None` if there is none.
    pub(crate) fn main<'b>(all: &'b [Borrowed<'a>], uri: &str) -> Option<&'b Borrowed<'a>> {
        all.iter().find(|each| each.contents.uri.as_deref().is_none_or(|own| own == uri)).or(all.first())
    }

    /// Borrows the bodies of all elements with `borrow` and passes them to `take`. The usual single element costs no
    /// allocation.
    pub(crate) fn all<R>(
        contents: &'a [Contents],
        borrow: impl Fn(&'a Contents) -> Borrowed<'a>,
        take: impl FnOnce(&[Borrowed<'a>]) -> R,
    ) -> R {
        match contents {
            [one] => take(&[borrow(one)]),
            some => take(&some.iter().map(borrow).collect::<Vec<_>>()),
        }
    }
}

impl<T: Into<Body>> From<T> for Contents {
    fn from(body: T) -> Self {
        Contents::new(body)
    }
}

/// The outcome of a read. The client's revision decides the code of an error.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Answer {
    /// The contents of the resource, usually one element.
    Found(Vec<Contents>),
    /// The resource does not exist.
    NotFound,
    /// The resource exists, but this caller may not read it.
    Denied,
    /// The client has the current contents already. Counts as a failure unless [`crate::Call::if_version`] named the
    /// client's version.
    NotModified,
    /// The application is busy. The client may try again after this time.
    Busy(Option<Duration>),
    /// The application needs input from the client: an object with `inputRequests`, `requestState` or both, as the
    /// protocol defines them. The client repeats the read with its answer, which [`crate::Call::input_responses`] and
    /// [`crate::Call::request_state`] then return. A client without the needed capabilities gets an error that names
    /// them.
    InputRequired(Json),
    /// The read needs these capabilities, which the client did not declare: an object such as `{"sampling":{}}`.
    MissingCapability(Json),
    /// The callback waits for the client. It runs again from its start when the client has answered the requests of
    /// [`crate::Call::require_input`].
    Waiting,
    /// The `requestState` of the read is not one that this application made: see [`crate::Call::open_state`].
    InvalidState,
    /// The read failed: the client gets an internal error, and the text goes to the log.
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

/// Turns a [`ClientRequestError`] into its answer, also one in a `Box<dyn Error + Send + Sync>`. Other errors are
/// failures.
impl<T: Into<Answer>, E: fmt::Display + 'static> From<Result<T, E>> for Answer {
    fn from(result: Result<T, E>) -> Self {
        let error = match result {
            Ok(answer) => return answer.into(),
            Err(error) => error,
        };
        let any: &dyn Any = &error;
        let boxed = any.downcast_ref::<Box<dyn std::error::Error + Send + Sync>>();
        let waits = any.downcast_ref().or_else(|| boxed?.downcast_ref::<ClientRequestError>());
        waits.map_or_else(|| Answer::Failed(error.to_string()), Answer::from)
    }
}

impl From<ClientRequestError> for Answer {
    fn from(error: ClientRequestError) -> Self {
        Answer::from(&error)
    }
}

impl From<&ClientRequestError> for Answer {
    fn from(error: &ClientRequestError) -> Self {
        match error {
            ClientRequestError::Waiting => Answer::Waiting,
            ClientRequestError::MissingCapability(needed) => Answer::MissingCapability(needed.clone()),
            ClientRequestError::InvalidState => Answer::InvalidState,
            ClientRequestError::InvalidAnswer(_)
            | ClientRequestError::Refused(_)
            | ClientRequestError::Failed(_) => Answer::Failed(error.to_string()),
        }
    }
}
