//! Logs refused requests, at most one line a minute for each kind.

use crate::log::{Log, Severity, printable};
use crate::sync::Lock;
use std::collections::BTreeMap;

/// The kind of a refusal, by which log lines are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RefusalKind {
    Path,
    Host,
    Origin,
    Token,
    Scope,
    Session,
    Busy,
    ToolLimit,
    Cursor,
    Extension,
    /// A limit of the server, by its name.
    Limit(&'static str),
}

/// The time of the last logged line of each kind of refusal.
#[derive(Default)]
pub(crate) struct Refusals(Lock<BTreeMap<RefusalKind, LastLine>>);

struct LastLine {
    at: u64,
    /// The number of refusals of this kind since the last line.
    more: u64,
}

/// The least number of milliseconds between two lines of one kind.
const PAUSE: u64 = 60_000;
/// The maximum length of a line in characters; some of it comes from a client.
const LONGEST: usize = 400;

impl Refusals {
    /// Logs a refusal if it is the first of its kind in a minute. `now` is in milliseconds.
    pub(crate) fn report(&self, log: &Log, kind: RefusalKind, now: u64, why: &str) {
        let Some(more) = self.note(kind, now) else { return };
        let mut line = printable(why, LONGEST);
        if more > 0 {
            line.push_str(" (");
            line.push_str(&more.to_string());
            line.push_str(" more since the last such line)");
        }
        log.write(Severity::Warning, &line);
    }

    /// Counts a refusal. If it is to be logged, returns the number of refusals that were not logged before it;
    /// otherwise `None`.
    fn note(&self, kind: RefusalKind, now: u64) -> Option<u64> {
        self.0.with(|lines, _| match lines.get_mut(&kind) {
            Some(line) if now.abs_diff(line.at) < PAUSE => {
                line.more += 1;
                None
            }
            _ => Some(lines.insert(kind, LastLine { at: now, more: 0 }).map_or(0, |before| before.more)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_is_logged_at_once_and_others_once_a_minute() {
        let refusals = Refusals::default();
        assert_eq!(refusals.note(RefusalKind::Host, 5), Some(0));
        assert_eq!(refusals.note(RefusalKind::Host, 60_004), None);
        assert_eq!(refusals.note(RefusalKind::Path, 60_004), Some(0));
        assert_eq!(refusals.note(RefusalKind::Host, 60_005), Some(1));
        assert_eq!(refusals.note(RefusalKind::Host, 60_006), None);
    }

    #[test]
    fn text_of_a_client_is_escaped_and_cut() {
        let lines = std::sync::Arc::new(Lock::new(Vec::new()));
        let logged = lines.clone();
        let log = Log::to(move |_, line| logged.with(|logged, _| logged.push(line.to_owned())));
        let refusals = Refusals::default();
        refusals.report(&log, RefusalKind::Host, 0, "the host 'a\nb'");
        refusals.report(&log, RefusalKind::Path, 0, &"x".repeat(1_000));
        lines.with(|lines, _| assert_eq!(*lines, ["the host 'a\\u{a}b'".to_owned(), "x".repeat(400) + "…"]));
    }
}
