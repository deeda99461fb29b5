//! Writes an event stream: server-sent events (WHATWG HTML, "Server-sent events").

/// A comment, which keeps proxies from closing a stream without events.
pub(crate) const KEEP_ALIVE: &[u8] = b":\n\n";

/// The bytes that end an event that [`begin`] began.
pub(crate) const END: &[u8] = b"\n\n";

/// Begins an event that carries a message. Its data is one line and may come in pieces. The event names the type
/// `message`, which is the default, because some clients ignore events without it.
pub(crate) fn begin(id: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"event: message\n");
    if let Some(id) = id {
        write_id(id, out);
    }
    out.extend_from_slice(b"data: ");
}

/// Writes an event without data, whose id tells a client from where to resume before the first message.
pub(crate) fn priming(id: &str, out: &mut Vec<u8>) {
    write_id(id, out);
    out.extend_from_slice(b"data:\n\n");
}

/// Tells a client after how many milliseconds to come back, if its stream is closed before the end.
pub(crate) fn retry(ms: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("retry: {ms}\n\n").as_bytes());
}

fn write_id(id: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(id.as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("only text was written")
    }

    #[test]
    fn events_are_framed_as_in_the_living_standard() {
        // row: H-06, H-48, H-49
        let event = |id| {
            written(|out| {
                begin(id, out);
                out.extend_from_slice(b"{}");
                out.extend_from_slice(END);
            })
        };
        assert_eq!(event(None), "event: message\ndata: {}\n\n");
        assert_eq!(event(Some("3-7")), "event: message\nid: 3-7\ndata: {}\n\n");
        assert_eq!(written(|out| priming("3-0", out)), "id: 3-0\ndata:\n\n");
        assert_eq!(written(|out| retry(250, out)), "retry: 250\n\n");
    }
}
