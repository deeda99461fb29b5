use super::write::Object;
use std::borrow::Cow;

/// The bytes are not JSON (JSON-RPC 2.0 section 5.1, as the codes below).
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;

/// The error object of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: Cow<'static, str>,
    /// Raw JSON.
    pub(crate) data: Option<Box<str>>,
    /// Boxed, since errors are moved often, and few have it.
    aside: Option<Box<Aside>>,
}

/// The properties of an error that are not sent with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Aside {
    sentence: Option<Box<str>>,
    limit: Option<Limit>,
}

/// A limit of the server: the name of its setting, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    pub(crate) max: usize,
}

impl Limit {
    /// Says for the log why a message was refused.
    pub(crate) fn reason(self) -> String {
        format!("it exceeds `{}`, which is {}", self.name, self.max)
    }
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, aside: None }
    }

    pub(crate) fn parse_error() -> Self {
        Self::new(PARSE_ERROR, "Parse error")
    }

    /// Makes an "Invalid Request" error. `what` is the detail; it may be empty.
    pub(crate) fn invalid_request(what: &str) -> Self {
        Self::new(INVALID_REQUEST, explained("Invalid Request", what))
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, "Method not found").with_member("method", method)
    }

    /// Makes an "Invalid params" error. `what` is the detail; it may be empty.
    pub(crate) fn invalid_params(what: &str) -> Self {
        Self::new(INVALID_PARAMS, explained("Invalid params", what))
    }

    pub(crate) fn internal() -> Self {
        Self::new(INTERNAL_ERROR, "Internal error")
    }

    /// Makes the error for a message that exceeds a limit. Unlike "busy", it does not tell the client to try again.
    pub(crate) fn limit_exceeded(name: &'static str, max: usize) -> Self {
        Self::new(INVALID_REQUEST, format!("Limit exceeded: {name}")).exceeds(name, max)
    }

    /// Says that the message exceeds a limit.
    pub(crate) fn exceeds(self, name: &'static str, max: usize) -> Self {
        let mut error = self.with_limit(name, max);
        error.aside.get_or_insert_default().limit = Some(Limit { name, max });
        error
    }

    /// Returns the limit that the message exceeds.
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.aside.as_ref()?.limit
    }

    /// Returns the error in one text, for an answer that has a text in place of code and data.
    pub(crate) fn sentence(&self) -> Option<&str> {
        self.aside.as_ref()?.sentence.as_deref()
    }

    /// Sets `data` to the name and the value of a limit.
    pub(crate) fn with_limit(self, name: &str, max: usize) -> Self {
        self.with_data(format!("{{\"limit\":\"{name}\",\"max\":{max}}}"))
    }

    /// Sets `data` to this JSON text.
    pub(crate) fn with_data(mut self, raw: impl Into<Box<str>>) -> Self {
        self.data = Some(raw.into());
        self
    }

    /// Sets the text that says the whole error.
    pub(crate) fn with_sentence(mut self, sentence: impl Into<Box<str>>) -> Self {
        self.aside.get_or_insert_default().sentence = Some(sentence.into());
        self
    }

    /// Sets `data` to an object with this one string.
    pub(crate) fn with_member(self, name: &'static str, value: &str) -> Self {
        let mut data = Vec::new();
        let mut object = Object::begin(&mut data);
        object.string(name, value);
        object.end();
        self.with_data(String::from_utf8(data).expect("escaped text stays text"))
    }
}

fn explained(message: &'static str, what: &str) -> Cow<'static, str> {
    if what.is_empty() { message.into() } else { format!("{message}: {what}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_carry_the_codes_of_json_rpc() {
        for (error, code, message) in [
            (RpcError::parse_error(), -32700, "Parse error"),
            (RpcError::invalid_request(""), -32600, "Invalid Request"),
            (RpcError::invalid_request("no `method`"), -32600, "Invalid Request: no `method`"),
            (RpcError::method_not_found("x"), -32601, "Method not found"),
            (RpcError::invalid_params("`uri` is missing"), -32602, "Invalid params: `uri` is missing"),
            (RpcError::internal(), -32603, "Internal error"),
        ] {
            assert_eq!((error.code, &*error.message), (code, message));
        }
    }

    #[test]
    fn an_unknown_method_is_named_in_the_data() {
        let error = RpcError::method_not_found("a\"b");
        assert_eq!(error.data.as_deref(), Some(r#"{"method":"a\"b"}"#));
    }
}
