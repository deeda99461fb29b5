//! Log lines for the people who run the application: failures of its callbacks. No byte of them reaches a client.

use crate::spelling::Spelling;
use crate::sync::outside_gates;
use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Severity {
    /// A warning: the program works, but probably not as the application meant.
    Warning = 1,
    /// An error that a client got.
    Error = 2,
}

impl Severity {
    /// The words, in the order of their numbers.
    pub(crate) const NAMES: &[&str] = &[Severity::Warning.word(), Severity::Error.word()];

    const fn word(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

type LogSink = dyn Fn(Severity, &str) + Send + Sync;

/// The destination of log lines: standard error by default. It is called with no lock and no gate held.
#[derive(Clone, Default)]
pub(crate) struct Log {
    sink: Option<Arc<LogSink>>,
    /// The spelling of the names of settings in log lines.
    spelling: Spelling,
}

impl Log {
    pub(crate) fn to(sink: impl Fn(Severity, &str) + Send + Sync + 'static) -> Log {
        Log { sink: Some(Arc::new(sink)), spelling: Spelling::default() }
    }

    pub(crate) fn spelled(self, spelling: Spelling) -> Log {
        Log { spelling, ..self }
    }

    /// Writes a line. Never panics, because lines are also written while a panic unwinds.
    pub(crate) fn write(&self, severity: Severity, line: &str) {
        let (sink, line) = (self.sink.clone(), self.spelling.apply(line).into_owned());
        outside_gates(move || match sink {
            Some(sink) => drop(catch_unwind(AssertUnwindSafe(|| sink(severity, &line)))),
            None => drop(writeln!(std::io::stderr(), "wellhead: {severity}: {line}")), // it may be closed
        });
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").finish_non_exhaustive()
    }
}

/// A line noted while a lock is held, and written after.
pub(crate) struct LogLine(pub(crate) Severity, pub(crate) String);

/// Returns the first `most` characters of a text from a client, with those escaped that a terminal obeys.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == most {
            shown.push('…');
            break;
        }
        if character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}
