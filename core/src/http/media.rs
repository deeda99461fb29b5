//! What a client sends and takes: `Content-Type` and `Accept` (RFC 9110 sections 8.3 and 12.5.1).

use super::RequestHead;
use super::head::Repeated;

/// What a client takes as an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) json: bool,
    pub(crate) stream: bool,
}

impl Accepts {
    /// Nothing said is everything; wildcards count, weights only if they are zero.
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
            for (best, kind, subtype) in
                [(&mut json, "application", "json"), (&mut stream, "text", "event-stream")]
            {
                let specificity = match range.split_once('/') {
                    Some(("*", "*")) => 1,
                    Some((k, "*")) if k.eq_ignore_ascii_case(kind) => 2,
                    Some((k, s)) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => 3,
                    _ => continue,
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

/// A media range without its parameters, and whether its weight lets it count.
fn media_range(range: &[u8]) -> Option<(&str, bool)> {
    let range = std::str::from_utf8(range).ok()?;
    let mut parts = range.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let refused = parts.any(|parameter| {
        let weight = parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        weight.is_some_and(|(_, weight)| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0))
    });
    Some((name, !refused))
}

/// Whether the body is said to be JSON; parameters are allowed.
pub(crate) fn is_json(head: &RequestHead<'_>) -> Result<bool, Repeated> {
    let value = head.one("content-type")?.unwrap_or_default();
    let name = value.split(|byte| *byte == b';').next().unwrap_or_default();
    Ok(name.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(values: &[&str]) -> (bool, bool) {
        let headers: Vec<(&str, &[u8])> = values.iter().map(|value| ("Accept", value.as_bytes())).collect();
        let Accepts { json, stream } =
            Accepts::read(&RequestHead { method: "POST", target: "/", headers: &headers });
        (json, stream)
    }

    #[test]
    fn what_a_client_accepts_is_read_with_wildcards_and_weights() {
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
    fn a_body_is_json_whatever_its_parameters() {
        // row: H-01, X-32
        let is = |value: &str| {
            let headers: [(&str, &[u8]); 1] = [("content-type", value.as_bytes())];
            is_json(&RequestHead { method: "POST", target: "/", headers: &headers })
        };
        assert_eq!(is("application/json"), Ok(true));
        assert_eq!(is("Application/Json ; charset=utf-8"), Ok(true));
        assert_eq!(is("application/json-seq"), Ok(false));
        assert_eq!(is("text/plain"), Ok(false));
        assert_eq!(is_json(&RequestHead { method: "POST", target: "/", headers: &[] }), Ok(false));
    }
}
