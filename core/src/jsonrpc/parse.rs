use super::members::{decoded_members, elements, is_array, is_null, string};
use super::scan::nesting_exceeds;
use super::{FaultKind, Params, ParseLimits, Parsed, Raw, RequestId};
use crate::encode::check_utf8;

/// Finds out what one message is without building a tree of it, in time linear in its length.
///
/// It checks the nesting limit first, then the encoding and the syntax, then the members of the message itself.
pub(crate) fn parse<'a>(line: &'a [u8], limits: &ParseLimits) -> Parsed<'a> {
    if nesting_exceeds(line, limits.nesting) {
        return Parsed::Bad { id: None, fault: FaultKind::Nesting };
    }
    let Some(text) = check_utf8(line) else {
        return Parsed::Bad { id: None, fault: FaultKind::Parse };
    };
    if text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{') {
        let mut envelope = Envelope::default();
        return match decoded_members(text, |name, value| envelope.take(name, value)) {
            Some(()) => envelope.classify(limits),
            None => Parsed::Bad { id: None, fault: FaultKind::Parse },
        };
    }
    match Raw::check(text) {
        Some(raw) if is_array(raw) => Parsed::Array(elements(raw, limits.batch_length)),
        Some(_) => Parsed::Bad { id: None, fault: FaultKind::Invalid("a message is an object") },
        None => Parsed::Bad { id: None, fault: FaultKind::Parse },
    }
}

/// The members of a message that JSON-RPC defines, and what is doubtful about their names.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<Raw<'a>>,
    id: Option<Raw<'a>>,
    method: Option<Raw<'a>>,
    params: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    error: Option<Raw<'a>>,
    doubt: Option<&'static str>,
    id_in_doubt: bool,
}

impl<'a> Envelope<'a> {
    fn take(&mut self, name: &str, value: Raw<'a>) {
        let member = match name {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => {
                if let Some(meant) = MEMBERS.iter().find(|member| folds_to(name, member.name)) {
                    self.doubt = Some(meant.recased);
                    self.id_in_doubt |= meant.name == "id";
                }
                return;
            }
        };
        if member.replace(value).is_some() {
            self.doubt = MEMBERS.iter().find(|member| member.name == name).map(|member| member.twice);
            self.id_in_doubt |= name == "id";
        }
    }

    fn classify(self, limits: &ParseLimits) -> Parsed<'a> {
        if self.id.is_some_and(|id| id.get().len() > limits.id_bytes) {
            // Too long to be echoed whatever else is wrong.
            let fault = self.doubt.map_or(FaultKind::IdTooLong, FaultKind::Invalid);
            return Parsed::Bad { id: None, fault };
        }
        if let Some(doubt) = self.doubt {
            return self.invalid(doubt);
        }
        let Some(kind) = self.kind() else {
            return self.invalid("neither a request, a notification nor a response");
        };
        if self.jsonrpc.and_then(string).as_deref() != Some("2.0") {
            return self.invalid("jsonrpc must be \"2.0\"");
        }
        let id = self.id.and_then(|id| RequestId::from_raw(id.get()));
        match kind {
            CallOrResponse::Call(method) => {
                let Some(method) = string(method) else {
                    return self.invalid("method must be a string");
                };
                let params = params(self.params);
                match (self.id, id) {
                    (_, Some(id)) => Parsed::Request { id, method, params },
                    (None, None) => Parsed::Notification { method, params },
                    (Some(_), None) => self.invalid("id must be a string or an integer"),
                }
            }
            CallOrResponse::Response(result) => Parsed::Response { id, result },
        }
    }

    fn kind(&self) -> Option<CallOrResponse<'a>> {
        match (self.method, self.result, self.error) {
            (Some(method), _, _) => Some(CallOrResponse::Call(method)),
            (None, Some(result), None) => Some(CallOrResponse::Response(Ok(result))),
            (None, Some(result), Some(error)) if is_null(error) => Some(CallOrResponse::Response(Ok(result))),
            (None, _, Some(error)) => Some(CallOrResponse::Response(Err(error))),
            (None, None, None) => None,
        }
    }

    /// Makes the value for an invalid message. It keeps the id if that is certain. With `result` or `error` it would be
    /// the id of a request of the server, and a client could mistake the error for an answer to that.
    fn invalid(&self, what: &'static str) -> Parsed<'a> {
        let certain = !self.id_in_doubt && self.result.is_none() && self.error.is_none();
        let id = self.id.filter(|_| certain).and_then(|id| RequestId::from_raw(id.get()));
        Parsed::Bad { id, fault: FaultKind::Invalid(what) }
    }
}

enum CallOrResponse<'a> {
    Call(Raw<'a>),
    Response(Result<Raw<'a>, Raw<'a>>),
}

fn params(raw: Option<Raw<'_>>) -> Params<'_> {
    let Some(raw) = raw else {
        return Params::Absent;
    };
    match raw.get().as_bytes() {
        [b'{', ..] => Params::Object(raw),
        [b'[', ..] => Params::Array,
        [b'n', ..] => Params::Absent,
        _ => Params::Other,
    }
}

/// Returns whether Unicode case folding turns `name` into this lower-case ASCII word without a `k`. So U+017F, the long
/// s, is the only character beyond ASCII that matters.
fn folds_to(name: &str, word: &str) -> bool {
    let folded = name.chars().map(|char| if char == '\u{17f}' { 's' } else { char.to_ascii_lowercase() });
    folded.eq(word.chars())
}

/// A member that JSON-RPC defines, and the error if a name could be mistaken for it.
struct Member {
    name: &'static str,
    twice: &'static str,
    recased: &'static str,
}

macro_rules! members {
    ($($name:literal)+) => {
        [$(Member {
            name: $name,
            twice: concat!($name, " occurs twice"),
            recased: concat!($name, " is written in another case"),
        }),+]
    };
}

const MEMBERS: [Member; 6] = members!["jsonrpc" "id" "method" "params" "result" "error"];

#[cfg(test)]
mod tests;
