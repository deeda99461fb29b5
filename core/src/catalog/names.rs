//! Checks the names of tools and prompts.

use crate::error::{Error, ErrorKind, Result};
use crate::model::Family;

/// The greatest number of characters of a name that the protocol allows.
const MOST_NAMED: usize = 128;

/// Checks the name of a tool or prompt. Returns a line for the log if some clients refuse the name.
pub(crate) fn check_name(family: Family, name: &str) -> Result<Option<String>> {
    let word = family.word();
    let invalid = |what: String| Err(Error::new(ErrorKind::InvalidArgument, what));
    if name.is_empty() {
        return invalid(format!("a {word} needs a name"));
    }
    let length = name.chars().count();
    if length > MOST_NAMED {
        return invalid(format!("the name of a {word} has at most {MOST_NAMED} characters (got {length})"));
    }
    if name.chars().any(char::is_control) {
        return invalid(format!("the name of a {word} has no control characters (got {name:?})"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fits = match family {
        Family::Tools => length <= 64 && name.chars().all(plain),
        Family::Prompts => name.chars().all(|c| plain(c) || c == '.'),
    };
    let advice = match family {
        Family::Tools => "name it with 1 to 64 of A-Z a-z 0-9 _ -",
        Family::Prompts => "name it with A-Z a-z 0-9 _ - .",
    };
    Ok((!fits).then(|| format!("some clients refuse the {word} \"{name}\" because of its name; {advice}")))
}
