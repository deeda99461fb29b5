//! Pages of other origins that a host lets in: what their browsers want to hear (WHATWG Fetch, "CORS protocol").

use super::RequestHead;
use super::response::Response;

/// The fields that allowed pages may send, other than those that every page may send.
const HEADERS: &str = "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name";
/// The fields that they may read.
const EXPOSED: &str = "Mcp-Session-Id, WWW-Authenticate";

/// The page's origin, once it is known to be allowed.
pub(super) fn origin(head: &RequestHead<'_>) -> Option<String> {
    let origin = head.one("origin").ok().flatten()?;
    std::str::from_utf8(origin).ok().map(str::to_owned)
}

/// Whether a browser asks what a page may do.
pub(super) fn is_preflight(head: &RequestHead<'_>) -> bool {
    let asks = |name| head.all(name).next().is_some();
    head.method == "OPTIONS" && asks("origin") && asks("access-control-request-method")
}

pub(super) fn preflight(methods: &str) -> Response {
    Response::empty(204)
        .header("access-control-allow-methods", methods)
        .header("access-control-allow-headers", HEADERS)
        .header("access-control-max-age", "7200")
}

/// Lets a page read the answer; caches keep the answers to different pages apart.
pub(super) fn expose(response: Response, origin: Option<&str>) -> Response {
    let response = response.header("vary", "Origin");
    match origin {
        Some(origin) => response
            .header("access-control-allow-origin", origin)
            .header("access-control-expose-headers", EXPOSED),
        None => response,
    }
}
