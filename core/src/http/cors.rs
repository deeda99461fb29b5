//! Tells browsers what pages of other origins may do, if the application allows them (WHATWG Fetch, "CORS protocol").

use super::RequestHead;
use super::response::Response;

/// The header fields that allowed pages may send, in addition to those that every page may send.
const HEADERS: &str = "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name";
/// The header fields of a response that allowed pages may read.
const EXPOSED: &str = "Mcp-Session-Id, WWW-Authenticate";

/// Returns the origin of the page that sent a request, whose origin was checked already; `None` if the request is not
/// from a page.
pub(super) fn origin(head: &RequestHead<'_>) -> Option<String> {
    let origin = head.one("origin").ok().flatten()?;
    std::str::from_utf8(origin).ok().map(str::to_owned)
}

/// Returns whether a request is a preflight: a browser's question what a page may do.
pub(super) fn is_preflight(head: &RequestHead<'_>) -> bool {
    let has = |name| head.all(name).next().is_some();
    head.method == "OPTIONS" && has("origin") && has("access-control-request-method")
}

pub(super) fn preflight(head: &RequestHead<'_>, methods: &str) -> Response {
    let mut headers = HEADERS.to_owned();
    for name in requested_param_fields(head) {
        headers.push_str(", ");
        headers.push_str(name);
    }
    Response::empty(204)
        .header("access-control-allow-methods", methods)
        .header("access-control-allow-headers", headers)
        .header("access-control-max-age", "7200")
}

/// Returns the header fields that repeat arguments of a tool and that a preflight asks for. A response cannot list all
/// such fields, since each tool has its own.
fn requested_param_fields<'a>(head: &RequestHead<'a>) -> impl Iterator<Item = &'a str> {
    let requested =
        head.all("access-control-request-headers").filter_map(|value| std::str::from_utf8(value).ok());
    requested.flat_map(|names| names.split(',')).map(str::trim_ascii).filter(|name| {
        let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        name.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("mcp-param-"))
            && name.bytes().all(|byte| is_token(&byte))
    })
}

/// Adds the fields to a response that let a page read it. Caches then keep the responses for different pages apart.
pub(super) fn expose(response: Response, origin: Option<&str>) -> Response {
    let response = response.header("vary", "Origin");
    match origin {
        Some(origin) => response
            .header("access-control-allow-origin", origin)
            .header("access-control-expose-headers", EXPOSED),
        None => response,
    }
}
