//! Reads the parameters of a request. Nothing here depends on the state of the connection.

use super::header_check::ParamFields;
use super::list_topics::{ListTopics, TopicSet};
use super::{RequestHead, header_check};
use crate::jsonrpc::{
    DuplicateMember, Params, Picked, Raw, RequestId, RpcError, boolean, for_each_member, is_null, is_object,
    members, pick, string, string_members, strings,
};
use crate::model::Json;
use crate::revision::{
    Era, HEADER_MISMATCH, KnownMethod, Revision, Revisions, UNSUPPORTED_VERSION, may_need_input,
};
use std::borrow::Cow;
use std::sync::Arc;

pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The greatest length of what a client says about itself in `initialize`. A session keeps it, and no other limit counts
/// that.
const INTRODUCTION_BYTES: usize = 65_536;

/// A request whose members have been found but not checked.
pub(crate) struct Draft<'a> {
    pub(crate) id: RequestId,
    pub(crate) name: Cow<'a, str>,
    meta: Meta<'a>,
    raw_meta: Option<Raw<'a>>,
    /// The members of `params` that the method reads, in the order of [`names`], without `_meta`.
    fields: [Picked<'a>; 4],
    params: Option<Raw<'a>>,
}

/// The members of a request that the application can read in every call, whatever the method.
pub(crate) struct Details {
    /// The request's `_meta`, as the client sent it.
    pub(crate) meta: Option<Json>,
    /// The version of the resource that the client has already.
    pub(crate) if_version: Option<Box<str>>,
    /// The client's filter of a list request of the dialect: which resources it wants.
    pub(crate) filter: Option<Json>,
    /// The client's input, if it repeats a request whose earlier result asked for input; otherwise `None`.
    pub(crate) input: Option<RetryInput>,
    /// The header fields that repeat arguments of a tool, over HTTP.
    pub(crate) params: Option<ParamFields>,
    /// The progress token of the client, as it came; `None` if the client wants no progress.
    pub(crate) progress_token: Option<Box<str>>,
}

/// The input that a client sends when it repeats a request: its `inputResponses`, and the `requestState` of the earlier
/// result.
pub(crate) struct RetryInput {
    pub(crate) responses: Option<Json>,
    pub(crate) state: Option<Box<str>>,
}

/// An argument of `completion/complete`: the variable or argument whose value is to be completed.
pub(crate) struct Argument {
    /// True if the reference is to a prompt, false if it is to a template.
    pub(crate) of_prompt: bool,
    /// The client's reference: the text of a template, the name of a prompt, or anything else that it sent.
    pub(crate) reference: Arc<str>,
    pub(crate) name: Box<str>,
    /// The part of the value that the user has typed.
    pub(crate) value: String,
    /// The names and values of the other variables that are set already.
    pub(crate) others: Vec<(Box<str>, String)>,
}

enum Meta<'a> {
    Absent,
    /// The request belongs to a session: `_meta` does not name a revision. It may have a progress token.
    Plain(Option<Raw<'a>>),
    /// The request is stateless: `_meta` names its revision.
    Stateless(Box<StatelessMeta<'a>>),
}

struct StatelessMeta<'a> {
    version: Option<Raw<'a>>,
    capabilities: Option<Raw<'a>>,
    client: Option<Raw<'a>>,
    log_level: Option<Raw<'a>>,
    progress_token: Option<Raw<'a>>,
}

/// Returns the names of the members of `params` that a method reads. Names that are not used are empty.
fn names(method: &str) -> [&'static str; 5] {
    match KnownMethod::named(method) {
        Some(KnownMethod::Initialize) => ["_meta", "protocolVersion", "capabilities", "clientInfo", ""],
        Some(KnownMethod::ListResources) => ["_meta", "cursor", "filter", "", ""],
        Some(KnownMethod::ListTemplates) => ["_meta", "cursor", "", "", ""],
        Some(KnownMethod::Read | KnownMethod::Get) => {
            ["_meta", "uri", "version", "inputResponses", "requestState"]
        }
        Some(KnownMethod::Subscribe | KnownMethod::Unsubscribe) => ["_meta", "uri", "uris", "", ""],
        Some(KnownMethod::Listen) => ["_meta", "notifications", "", "", ""],
        Some(KnownMethod::Complete) => ["_meta", "ref", "argument", "context", ""],
        None if may_need_input(method) => ["_meta", "", "", "inputResponses", "requestState"],
        Some(KnownMethod::Ping | KnownMethod::Discover | KnownMethod::Further) | None => {
            ["_meta", "", "", "", ""]
        }
    }
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        id: RequestId,
        name: Cow<'a, str>,
        params: Params<'a>,
    ) -> Result<Self, (RequestId, RpcError)> {
        let params = match params {
            Params::Absent => None,
            Params::Object(object) => Some(object),
            Params::Array => return Err((id, RpcError::invalid_params("params is an array, not an object"))),
            Params::Other => return Err((id, RpcError::invalid_request("params is not an object"))),
        };
        let none = [const { Ok(None) }; 5];
        let [meta, a, b, c, d] = params.map_or(none, |object| pick(object, &names(&name)));
        let meta = meta
            .map_err(|duplicate| twice(&duplicate))
            .and_then(|raw| Ok((raw, raw.map(Meta::read).transpose()?)));
        let (raw_meta, meta) = match meta {
            Ok((raw, meta)) => (raw, meta.unwrap_or(Meta::Absent)),
            Err(error) => return Err((id, error)),
        };
        Ok(Draft { id, name, meta, raw_meta, fields: [a, b, c, d], params })
    }

    /// Collects the members that calls of the application may read into [`Details`].
    pub(crate) fn details(
        &self,
        if_version: Option<Box<str>>,
        filter: Option<Json>,
        input: Option<RetryInput>,
        params: Option<ParamFields>,
        progress_token: Option<Box<str>>,
    ) -> Option<Arc<Details>> {
        let meta = self.raw_meta.map(Json::received);
        let any =
            meta.is_some() || if_version.is_some() || filter.is_some() || input.is_some() || params.is_some();
        any.then(|| Arc::new(Details { meta, if_version, filter, input, params, progress_token }))
    }

    /// Returns the progress token of the client, as it came; `None` if the client wants no progress. A long one is an
    /// error, since each report repeats it.
    pub(crate) fn progress_token(&self, max: usize) -> Result<Option<&'a str>, RpcError> {
        let token = match &self.meta {
            Meta::Absent => None,
            Meta::Plain(token) => *token,
            Meta::Stateless(meta) => meta.progress_token,
        };
        match token.map(Raw::get) {
            Some(token) if token.len() > max => {
                let what = format!("progressToken in _meta has more than {max} bytes");
                Err(RpcError::invalid_params(&what).exceeds("id_bytes", max))
            }
            Some(token) if RequestId::from_raw(token).is_some() => Ok(Some(token)),
            _ => Ok(None),
        }
    }

    /// Reads the input that a client sends when it repeats a request. Returns `None` if the request has none.
    pub(crate) fn input(&self) -> Result<Option<RetryInput>, RpcError> {
        let (responses, state) = (self.field(2)?, self.field(3)?);
        if responses.or(state).is_none() {
            return Ok(None);
        }
        if let Some(responses) = responses {
            let mut objects = is_object(responses);
            if objects {
                for_each_member(responses, |_, response| objects &= is_object(response));
            }
            if !objects {
                return Err(RpcError::invalid_params("inputResponses is not an object of objects"));
            }
        }
        let state = match state {
            Some(state) => {
                Some(string(state).ok_or_else(|| RpcError::invalid_params("requestState is not a string"))?)
            }
            None => None,
        };
        Ok(Some(RetryInput { responses: responses.map(Json::received), state: state.map(Into::into) }))
    }

    /// Returns whether the client sent the member at this index of [`Draft::fields`].
    pub(super) fn has_field(&self, at: usize) -> bool {
        !matches!(self.fields[at], Ok(None))
    }

    pub(super) fn field(&self, at: usize) -> Result<Option<Raw<'a>>, RpcError> {
        self.fields[at].as_ref().copied().map_err(twice)
    }

    /// Returns whether the request is stateless, so that nothing earlier on the connection matters. False if the server
    /// serves no stateless revision.
    pub(crate) fn stands_alone(&self, revisions: &Revisions) -> bool {
        matches!(self.meta, Meta::Stateless(_)) && revisions.newest(Era::Stateless).is_some()
    }

    /// Returns the revision that a stateless request names. If it came by POST, the header field must name the same
    /// one.
    pub(crate) fn stateless_revision(
        &self,
        head: Option<&RequestHead<'_>>,
        revisions: &Revisions,
    ) -> Result<Revision, RpcError> {
        let Meta::Stateless(meta) = &self.meta else { return Err(missing(PROTOCOL_VERSION)) };
        let version = meta.version.ok_or_else(|| missing(PROTOCOL_VERSION))?;
        let version = string(version).ok_or_else(|| bad_meta(PROTOCOL_VERSION, "is not a string"))?;
        if let Some(head) = head {
            compare(head, "MCP-Protocol-Version", &version)?;
        }
        revisions.find(Era::Stateless, &version).ok_or_else(|| unsupported(&version, revisions))
    }

    /// Checks the other members of `_meta` that a stateless request must have.
    pub(crate) fn check_stateless(&self) -> Result<(), RpcError> {
        let Meta::Stateless(meta) = &self.meta else { return Ok(()) };
        let capabilities = meta.capabilities.ok_or_else(|| missing(CLIENT_CAPABILITIES))?;
        if !is_object(capabilities) {
            return Err(bad_meta(CLIENT_CAPABILITIES, "is not an object"));
        }
        if meta.client.is_some_and(|client| !is_implementation(client)) {
            return Err(bad_meta(CLIENT_INFO, "is not an object with a name and a version"));
        }
        if let Some(level) = meta.log_level
            && !string(level).is_some_and(|level| LOG_LEVELS.contains(&&*level))
        {
            return Err(bad_meta(LOG_LEVEL, "is not a log level"));
        }
        if meta.progress_token.is_some_and(|token| RequestId::from_raw(token.get()).is_none()) {
            return Err(bad_meta("progressToken", "is neither a string nor an integer"));
        }
        Ok(())
    }

    /// Checks that the header fields of a POST agree with the members of the request that they repeat.
    pub(crate) fn check_head(&self, head: &RequestHead<'_>) -> Result<(), RpcError> {
        compare(head, "Mcp-Method", &self.name)?;
        // A name that is missing or not a string is a fault of the parameters, and judged with them.
        let name = match KnownMethod::named(&self.name) {
            Some(KnownMethod::Read) => self.field(0).ok().flatten().and_then(string),
            None if may_need_input(&self.name) => {
                let params = self.params.map(|params| members(params, &["name"])).transpose();
                let [name] = params.map_err(|duplicate| twice(&duplicate))?.unwrap_or_default();
                name.and_then(string)
            }
            _ => None,
        };
        name.map_or(Ok(()), |name| compare(head, "Mcp-Name", &name))
    }

    /// Returns the revision that `initialize` asks for, after a check that the required members are there.
    pub(crate) fn initialize(&self) -> Result<Cow<'a, str>, RpcError> {
        let (version, capabilities, client) = (self.field(0)?, self.field(1)?, self.field(2)?);
        let version = version
            .and_then(string)
            .ok_or_else(|| bad_param("protocolVersion", "is missing or not a string"))?;
        if !capabilities.is_some_and(is_object) {
            return Err(bad_param("capabilities", "is missing or not an object"));
        }
        if !client.is_some_and(is_implementation) {
            return Err(bad_param("clientInfo", "is missing or lacks a name or a version"));
        }
        let kept = [capabilities, client].into_iter().flatten().map(|raw| raw.get().len()).sum::<usize>();
        if kept > INTRODUCTION_BYTES {
            let why = format!("and clientInfo have more than {INTRODUCTION_BYTES} bytes together");
            return Err(bad_param("capabilities", &why));
        }
        Ok(version)
    }

    /// The client's capabilities in an `initialize` request.
    pub(crate) fn capabilities(&self) -> Option<Json> {
        self.field(1).ok().flatten().map(Json::received)
    }

    /// Returns the `clientInfo` of an `initialize` request: the client's name and version.
    pub(crate) fn client_info(&self) -> Option<Json> {
        self.field(2).ok().flatten().map(Json::received)
    }

    /// All parameters as JSON, for a method of the application.
    pub(crate) fn params(&self) -> Json {
        self.params.map_or_else(Json::empty, Json::received)
    }

    /// The URI of a read, subscribe or unsubscribe, as the client spelled it.
    pub(crate) fn uri(&self) -> Result<Cow<'a, str>, RpcError> {
        self.field(0)?
            .and_then(string)
            .filter(|uri| !uri.is_empty())
            .ok_or_else(|| bad_param("uri", "is missing, empty or not a string"))
    }

    /// Reads the argument to complete.
    pub(crate) fn argument(&self, revision: Revision) -> Result<Argument, RpcError> {
        let (reference, argument, context) = (self.field(0)?, self.field(1)?, self.field(2)?);
        let reference = reference
            .filter(|reference| is_object(*reference))
            .ok_or_else(|| bad_param("ref", "is missing or not an object"))?;
        let [kind, uri, name] = members(reference, &["type", "uri", "name"]).map_err(|d| twice(&d))?;
        let (is_prompt, reference) = match kind.and_then(string).as_deref() {
            Some("ref/resource") => (false, uri),
            Some("ref/prompt") => (true, name),
            _ => return Err(bad_param("ref", "has no type that is known")),
        };
        let reference = reference
            .and_then(string)
            .ok_or_else(|| bad_param("ref", "lacks what it refers to, or that is not a string"))?;
        let argument = argument
            .filter(|argument| is_object(*argument))
            .ok_or_else(|| bad_param("argument", "is missing or not an object"))?;
        let [name, value] = members(argument, &["name", "value"]).map_err(|d| twice(&d))?;
        let (Some(name), Some(value)) = (name.and_then(string), value.and_then(string)) else {
            return Err(bad_param("argument", "lacks a name or a value, or they are not strings"));
        };
        let mut others = Vec::new();
        if let (true, Some(context)) = (revision.completion_context, context) {
            if !is_object(context) {
                return Err(bad_param("context", "is not an object"));
            }
            let [arguments] = members(context, &["arguments"]).map_err(|d| twice(&d))?;
            if let Some(arguments) = arguments {
                others = string_members(arguments)
                    .map_err(|d| twice(&d))?
                    .ok_or_else(|| bad_param("context", "has arguments that are not an object of strings"))?;
            }
        }
        Ok(Argument {
            of_prompt: is_prompt,
            reference: reference.into(),
            name: name.into(),
            value: value.into_owned(),
            others: others.into_iter().map(|(name, value)| (name.into(), value.into_owned())).collect(),
        })
    }

    pub(crate) fn cursor(&self) -> Result<Option<Cow<'a, str>>, RpcError> {
        match self.field(0)? {
            Some(cursor) if !is_null(cursor) => {
                string(cursor).map(Some).ok_or_else(|| bad_param("cursor", "is not a string"))
            }
            _ => Ok(None),
        }
    }

    /// Reads which lists and which URIs a listen stream asks for.
    pub(crate) fn notifications(
        &self,
        kinds: &ListTopics,
    ) -> Result<(TopicSet, Vec<Cow<'a, str>>), RpcError> {
        const URIS: &str = "resourceSubscriptions";
        let filter = self
            .field(0)?
            .filter(|filter| is_object(*filter))
            .ok_or_else(|| bad_param("notifications", "is missing or not an object"))?;
        let (mut seen, mut lists, mut uris, mut wrong) =
            (TopicSet::default(), TopicSet::default(), None, None);
        for_each_member(filter, |name, value| {
            if name == URIS {
                if uris.replace(value).is_some() {
                    wrong.get_or_insert(twice(&DuplicateMember { name: name.into() }));
                }
            } else if let Some(kind) = kinds.by_filter(name) {
                match boolean(value) {
                    _ if seen.has(kind) => {
                        wrong.get_or_insert(twice(&DuplicateMember { name: name.into() }));
                    }
                    Some(true) => lists.add(kind),
                    Some(false) => {}
                    None => {
                        let what = format!("{name} is not a boolean");
                        wrong.get_or_insert(RpcError::invalid_params(&what).with_member("param", name));
                    }
                }
                seen.add(kind);
            }
        });
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        let uris = match uris {
            Some(uris) => strings(uris).ok_or_else(|| bad_param(URIS, "is not an array of strings"))?,
            None => Vec::new(),
        };
        Ok((lists, uris))
    }
}

impl<'a> Meta<'a> {
    fn read(meta: Raw<'a>) -> Result<Meta<'a>, RpcError> {
        if is_null(meta) || !is_object(meta) {
            return Err(bad_param("_meta", "is not an object"));
        }
        let [version, capabilities, client, log_level, progress_token] =
            members(meta, &[PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, "progressToken"])
                .map_err(|duplicate| twice(&duplicate))?;
        if version.or(capabilities).or(client).or(log_level).is_none() {
            return Ok(Meta::Plain(progress_token));
        }
        let meta = StatelessMeta { version, capabilities, client, log_level, progress_token };
        Ok(Meta::Stateless(Box::new(meta)))
    }
}

/// Returns whether `_meta` makes its request stateless, because it names a revision.
pub(crate) fn is_stateless_meta(meta: Raw<'_>) -> bool {
    matches!(Meta::read(meta), Ok(Meta::Stateless(_)))
}

fn compare(head: &RequestHead<'_>, name: &'static str, body: &str) -> Result<(), RpcError> {
    header_check::check(head, name, body).map_err(|mismatch| RpcError::new(HEADER_MISMATCH, mismatch.0))
}

/// The id of the request that `notifications/cancelled` cancels; `None` if that is no id.
pub(crate) fn cancelled_id(params: Params<'_>) -> Option<RequestId> {
    let Params::Object(params) = params else { return None };
    let [id] = members(params, &["requestId"]).ok()?;
    RequestId::from_raw(id?.get())
}

/// Returns the error for a request that has no session and names no revision. Its text says how a client can begin.
pub(crate) fn no_session(revisions: &Revisions) -> RpcError {
    let ways = (revisions.newest(Era::Handshake).is_some(), revisions.newest(Era::Stateless).is_some());
    match ways {
        (true, false) => RpcError::invalid_params("begin with initialize"),
        (true, true) => {
            RpcError::invalid_params("begin with initialize, or name the protocol version in _meta")
                .with_data(missing_data(PROTOCOL_VERSION))
        }
        (false, _) => missing(PROTOCOL_VERSION),
    }
}

fn is_implementation(raw: Raw<'_>) -> bool {
    if !is_object(raw) {
        return false;
    }
    match members(raw, &["name", "version"]) {
        Ok([name, version]) => name.and_then(string).is_some() && version.and_then(string).is_some(),
        Err(_) => false,
    }
}

fn missing_data(key: &str) -> String {
    format!("{{\"missing\":[\"{key}\"]}}")
}

fn missing(key: &str) -> RpcError {
    RpcError::invalid_params(&format!("_meta lacks {key}")).with_data(missing_data(key))
}

fn bad_meta(key: &'static str, what: &str) -> RpcError {
    RpcError::invalid_params(&format!("{key} in _meta {what}")).with_member("param", key)
}

pub(super) fn bad_param(name: &'static str, what: &str) -> RpcError {
    RpcError::invalid_params(&format!("{name} {what}")).with_member("param", name)
}

fn twice(duplicate: &DuplicateMember) -> RpcError {
    RpcError::invalid_params(&duplicate.to_string()).with_member("param", &duplicate.name)
}

/// Returns the error for a revision that the server does not serve, with the revisions that it serves. If `requested`
/// is one of the handshake era, it lists stateless ones only, so that the client does not name it again.
pub(crate) fn unsupported(requested: &str, revisions: &Revisions) -> RpcError {
    use crate::encode::quote_into;
    let stateless_only = revisions.find(Era::Handshake, requested).is_some();
    let mut data = b"{\"supported\":[".to_vec();
    let offered = revisions.all().iter().filter(|revision| !stateless_only || revision.era == Era::Stateless);
    for (i, revision) in offered.enumerate() {
        if i > 0 {
            data.push(b',');
        }
        quote_into(revision.as_str(), &mut data);
    }
    data.extend_from_slice(b"],\"requested\":");
    quote_into(requested, &mut data);
    data.push(b'}');
    RpcError::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with_data(String::from_utf8(data).expect("escaped text stays text"))
}
