//! Events of a stream, as they come (WHATWG HTML, "Server-sent events").

/// A block of a stream: an event, or a comment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) comment: bool,
}

/// Takes the first block from what has come, if it is there whole.
///
/// # Errors
/// What no event of ours has.
pub(crate) fn take(body: &mut Vec<u8>) -> Result<Option<Event>, String> {
    let Some(end) = body.windows(2).position(|two| two == b"\n\n") else { return Ok(None) };
    let block: Vec<u8> = body.drain(..end + 2).collect();
    let block = String::from_utf8(block).map_err(|e| format!("an event is not UTF-8: {e}"))?;
    let mut event = Event::default();
    let fields = block.trim_end_matches('\n');
    let message = fields.strip_prefix("event: message\n");
    for line in message.unwrap_or(fields).split('\n') {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        let field = match name {
            "id" => &mut event.id,
            "retry" => &mut event.retry,
            "data" => &mut event.data,
            "" => {
                event.comment = true;
                continue;
            }
            _ => return Err(format!("an event has the field {name:?}: {block:?}")),
        };
        if field.replace(value).is_some() {
            return Err(format!("an event has the field {name:?} twice: {block:?}"));
        }
    }
    // What carries a message begins with its type; a priming event has none.
    if message.is_some() != event.data.as_ref().is_some_and(|data| !data.is_empty()) {
        return Err(format!("`event: message` begins what carries a message, and nothing else: {block:?}"));
    }
    Ok(Some(event))
}

impl std::fmt::Display for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in [("id", &self.id), ("retry", &self.retry), ("data", &self.data)] {
            if let Some(value) = value {
                write!(f, "{name}: {value} ")?;
            }
        }
        f.write_str(if self.comment { "a comment" } else { "" })
    }
}
