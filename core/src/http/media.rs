//! Reads the header fields about the types of bodies: `Content-Type` and `Accept` (RFC 9110 sections 8.3 and 12.5.1),
//! and `Transfer-Encoding` (RFC 9112 section 6.1).

use super::RequestHead;
use super::origin::Refused;
use crate::protocol::{Repeated, RouteOutput};

/// The types that a client accepts as a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) json: bool,
    pub(crate) stream: bool,
}

impl Accepts {
    pub(super) fn route_output(self) -> RouteOutput {
        if self.stream { RouteOutput::Stream } else { RouteOutput::AnswerOnly }
    }

    /// Reads the `Accept` fields of a request. Without one, the client accepts everything. Wildcards count; a weight
    /// counts only if it is zero.
    pub(crate) fn read(head: &RequestHead<'_>) -> Accepts {
        let mut lines = head.all("accept").peekable();
        if lines.peek().is_none() {
            return Accepts { json: true, stream: true };
        }
        // The most specific range decides, whatever stands elsewhere (RFC 9110 section 12.5.1).
        let mut json = Best::default();
        let mut stream = Best::default();
        for range in lines.flat_map(|line| line.split(|byte| *byte == b',')) {
            let Some((range, takes)) = media_range(range) else { continue };
            for (best, kind, whole) in [
                (&mut json, "application/*", "application/json"),
                (&mut stream, "text/*", "text/event-stream"),
            ] {
                let is = |named: &str| range.eq_ignore_ascii_case(named.as_bytes());
                let specificity = if is(whole) {
                    3
                } else if is(kind) {
                    2
                } else if is("*/*") {
                    1
                } else {
                    continue;
                };
                best.hear(specificity, takes);
            }
        }
        Accepts { json: json.takes, stream: stream.takes }
    }
}

#[derive(Default)]
struct Best {
    specificity: u8,
    takes: bool,
}

impl Best {
    fn hear(&mut self, specificity: u8, takes: bool) {
        if specificity > self.specificity {
            *self = Best { specificity, takes };
        } else if specificity == self.specificity {
            self.takes |= takes;
        }
    }
}

/// Returns a media range without its parameters, and false if its weight is zero. `None` if it is malformed.
fn media_range(range: &[u8]) -> Option<(&[u8], bool)> {
    let Some(end) = range.iter().position(|byte| *byte == b';') else {
        return Some((range.trim_ascii(), true)); // as nearly every client says it
    };
    let (name, parameters) = range.split_at(end);
    let refused = std::str::from_utf8(parameters).ok()?.split(';').any(|parameter| {
        let weight = parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        weight.is_some_and(|(_, weight)| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0))
    });
    Some((name.trim_ascii(), !refused))
}

/// Returns whether `Content-Type` says that the body is JSON; parameters are allowed. Fails if the field occurs several
/// times.
pub(crate) fn is_json(head: &RequestHead<'_>) -> Result<bool, Repeated<'static>> {
    let value = head.one("content-type")?.unwrap_or_default();
    let name = value.split(|byte| *byte == b';').next().unwrap_or_default();
    Ok(name.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

/// Refuses a body in another transfer coding than `chunked`, which may be applied once. If two programs disagree about
/// where a body ends, a second request can be smuggled in it.
pub(crate) fn check_transfer_codings(head: &RequestHead<'_>) -> Result<(), Refused> {
    let lines = head.all("transfer-encoding");
    let codings = lines.flat_map(|line| line.split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let mut chunked = false;
    for coding in codings.filter(|coding| !coding.is_empty()) {
        if !coding.eq_ignore_ascii_case(b"chunked") {
            let coding = String::from_utf8_lossy(coding);
            return Err(Refused {
                status: 501,
                why: format!("the transfer coding '{coding}' is not understood"),
                hint: None,
            });
        }
        if std::mem::replace(&mut chunked, true) {
            return Err(Refused {
                status: 400,
                why: "the transfer coding 'chunked' came more than once".to_owned(),
                hint: None,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(values: &[&str]) -> (bool, bool) {
        let headers: Vec<(&str, &[u8])> = values.iter().map(|value| ("Accept", value.as_bytes())).collect();
        let Accepts { json, stream } =
            Accepts::read(&RequestHead { method: "POST", target: "/", headers: &headers, peer: &[] });
        (json, stream)
    }

    #[test]
    fn the_accept_field_may_have_wildcards_and_weights() {
        // row: H-02
        assert_eq!(accepts(&[]), (true, true));
        assert_eq!(accepts(&["application/json, text/event-stream"]), (true, true));
        assert_eq!(accepts(&["application/json", "text/event-stream"]), (true, true));
        assert_eq!(accepts(&["*/*"]), (true, true));
        assert_eq!(accepts(&["Application/JSON;charset=utf-8"]), (true, false));
        assert_eq!(accepts(&["text/*"]), (false, true));
        assert_eq!(accepts(&["text/event-stream;q=0, */*"]), (true, false));
        assert_eq!(accepts(&["*/*;q=0, application/json;q=0.1"]), (true, false));
        assert_eq!(accepts(&["text/html"]), (false, false));
        assert_eq!(accepts(&[""]), (false, false));
    }

    #[test]
    fn chunked_once_is_the_only_transfer_coding() {
        let status = |values: &[&str]| {
            let headers: Vec<(&str, &[u8])> =
                values.iter().map(|value| ("Transfer-Encoding", value.as_bytes())).collect();
            let head = RequestHead { method: "POST", target: "/", headers: &headers, peer: &[] };
            check_transfer_codings(&head).map_or_else(|refused| refused.status, |()| 200)
        };
        assert_eq!([status(&[]), status(&["chunked"]), status(&["Chunked", ","])], [200; 3]);
        assert_eq!([status(&["chunked, chunked"]), status(&["chunked", "chunked"])], [400; 2]);
        for unknown in ["gzip, chunked", "identity", "chunked;q=1", "\u{b}chunked"] {
            assert_eq!(status(&[unknown]), 501, "{unknown}");
        }
    }

    #[test]
    fn a_body_is_json_with_any_parameters_of_its_type() {
        // row: H-01, X-32
        let is = |value: &str| {
            let headers: [(&str, &[u8]); 1] = [("content-type", value.as_bytes())];
            is_json(&RequestHead { method: "POST", target: "/", headers: &headers, peer: &[] })
        };
        assert_eq!(is("application/json"), Ok(true));
        assert_eq!(is("Application/Json ; charset=utf-8"), Ok(true));
        assert_eq!(is("application/json-seq"), Ok(false));
        assert_eq!(is("text/plain"), Ok(false));
        assert_eq!(is_json(&RequestHead { method: "POST", target: "/", headers: &[], peer: &[] }), Ok(false));
    }
}
