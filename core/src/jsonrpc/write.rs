//! Writes messages into a buffer.

use super::{RequestId, RpcError};
use crate::encode::quote_into;

/// The id in an error response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReplyId<'a> {
    Id(&'a RequestId),
    /// `"id":null`, as JSON-RPC 2.0 defines if the id of the request could not be read.
    Null,
    /// No member `id`.
    Omitted,
}

/// Begins a response. The caller appends the result and then calls [`end`].
pub(crate) fn begin_result(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.raw().as_bytes());
    out.extend_from_slice(br#","result":"#);
}

/// Ends what [`begin_result`] began.
pub(crate) fn end(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// Writes an error response.
pub(crate) fn error(out: &mut Vec<u8>, id: ReplyId<'_>, error: &RpcError) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        ReplyId::Id(id) => {
            out.extend_from_slice(br#","id":"#);
            out.extend_from_slice(id.raw().as_bytes());
        }
        ReplyId::Null => out.extend_from_slice(br#","id":null"#),
        ReplyId::Omitted => {}
    }
    out.extend_from_slice(br#","error":{"code":"#);
    out.extend_from_slice(itoa::Buffer::new().format(error.code).as_bytes());
    out.extend_from_slice(br#","message":"#);
    quote_into(&error.message, out);
    if let Some(data) = &error.data {
        out.extend_from_slice(br#","data":"#);
        out.extend_from_slice(data.as_bytes());
    }
    out.extend_from_slice(b"}}");
}

/// Writes a request. `params` is the JSON text of that member.
pub(crate) fn request(out: &mut Vec<u8>, id: &RequestId, method: &str, params: Option<&str>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.raw().as_bytes());
    out.extend_from_slice(br#","method":"#);
    quote_into(method, out);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        out.extend_from_slice(params.as_bytes());
    }
    out.push(b'}');
}

/// Writes a notification. `params` appends the value of that member.
pub(crate) fn notification(out: &mut Vec<u8>, method: &str, params: Option<impl FnOnce(&mut Vec<u8>)>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    quote_into(method, out);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        params(out);
    }
    out.push(b'}');
}

/// Writes an object member by member. Names are literals that need no escaping.
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Writes the name of a member; the caller appends the value.
    pub(crate) fn member(&mut self, name: &'static str) -> &mut Vec<u8> {
        self.out.extend_from_slice(if self.empty { b"\"" } else { b",\"" });
        self.empty = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// Writes a member whose name may need escaping.
    pub(crate) fn any_member(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        quote_into(name, self.out);
        self.out.push(b':');
        self.out
    }

    pub(crate) fn string(&mut self, name: &'static str, value: &str) -> &mut Self {
        quote_into(value, self.member(name));
        self
    }

    /// Writes a member whose value is JSON text already.
    pub(crate) fn raw(&mut self, name: &'static str, json: impl AsRef<[u8]>) -> &mut Self {
        self.member(name).extend_from_slice(json.as_ref());
        self
    }

    pub(crate) fn boolean(&mut self, name: &'static str, value: bool) -> &mut Self {
        self.raw(name, if value { "true" } else { "false" })
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_result_echoes_the_raw_id() {
        let id = RequestId::from_raw(r#""\u0061""#).unwrap();
        let text = written(|out| {
            begin_result(out, &id);
            Object::begin(out).end();
            end(out);
        });
        assert_eq!(text, r#"{"jsonrpc":"2.0","id":"\u0061","result":{}}"#);
    }

    #[test]
    fn an_error_has_its_id_or_null_or_no_id() {
        let id = RequestId::from_raw("1.0").unwrap();
        let fault = RpcError::new(-1, "say \"why\"").with_data("[1]");
        let rest = r#""error":{"code":-1,"message":"say \"why\"","data":[1]}}"#;
        for (reply, expected) in [
            (ReplyId::Id(&id), format!(r#"{{"jsonrpc":"2.0","id":1.0,{rest}"#)),
            (ReplyId::Null, format!(r#"{{"jsonrpc":"2.0","id":null,{rest}"#)),
            (ReplyId::Omitted, format!(r#"{{"jsonrpc":"2.0",{rest}"#)),
        ] {
            assert_eq!(written(|out| error(out, reply, &fault)), expected);
        }
    }

    #[test]
    fn an_error_without_data_has_no_such_member() {
        assert_eq!(
            written(|out| error(out, ReplyId::Omitted, &RpcError::parse_error())),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
        );
    }

    #[test]
    fn notifications_carry_params_only_if_given() {
        assert_eq!(
            written(|out| notification(out, "a/b", None::<fn(&mut Vec<u8>)>)),
            r#"{"jsonrpc":"2.0","method":"a/b"}"#
        );
        assert_eq!(
            written(|out| notification(out, "a/b", Some(|out: &mut Vec<u8>| out.extend_from_slice(b"{}")))),
            r#"{"jsonrpc":"2.0","method":"a/b","params":{}}"#
        );
    }

    #[test]
    fn members_are_separated_by_commas() {
        let text = written(|out| {
            let mut object = Object::begin(out);
            object.string("s", "\n").raw("r", "[1]").raw("b", b"2").boolean("t", true);
            Object::begin(object.member("o")).end();
            object.boolean("f", false);
            object.end();
        });
        assert_eq!(text, r#"{"s":"\n","r":[1],"b":2,"t":true,"o":{},"f":false}"#);
    }
}
