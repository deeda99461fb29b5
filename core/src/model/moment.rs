//! Checks points in time as the protocol writes them.

/// Returns whether `text` is a date, a time to the second and its offset from UTC, in the profile of ISO 8601 that RFC
/// 3339 defines. Examples: `2025-01-12T15:00:58Z`, `2025-01-12T16:00:58.25+01:00`. Clients refuse lists with any other
/// form.
pub(super) fn is_moment(text: &str) -> bool {
    text.split_once('T').is_some_and(|(date, rest)| {
        let (time, offset) = rest.split_at(rest.find(['Z', '+', '-']).unwrap_or(rest.len()));
        is_date(date) && is_time(time) && is_offset(offset)
    })
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let time = numbers(text, ':', [2, 2, 2]);
    let second = |[hour, minute, second]: [u32; 3]| hour < 24 && minute < 60 && second <= 60; // a leap second
    time.is_some_and(second) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_offset(text: &str) -> bool {
    text == "Z"
        || text.strip_prefix(['+', '-']).is_some_and(|offset| {
            numbers(offset, ':', [2, 2]).is_some_and(|[hours, minutes]| hours < 24 && minutes < 60)
        })
}

/// Reads numbers between `separator`s, each with the number of digits in `digits`. `None` if the text has another form.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_a_time_and_an_offset_are_moments() {
        for text in [
            "2025-01-12T15:00:58Z",
            "2025-01-12T15:00:58.123456Z",
            "2025-01-12T16:00:58+01:00",
            "2024-02-29T23:59:59-11:30",
            "2000-02-29T00:00:00Z",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(is_moment(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_moments() {
        for text in [
            "",
            "T",
            "yesterday",
            "1736694058",
            "2025-01-12",
            "2025-01-12T15:00:58",
            "2025-01-12T15:00Z",
            "2025-01-12 15:00:58Z",
            "2025-01-12T15:00:58z",
            "2025-1-12T15:00:58Z",
            "2025-02-29T15:00:58Z",
            "1900-02-29T15:00:58Z",
            "2025-13-01T15:00:58Z",
            "2025-04-31T15:00:58Z",
            "2025-01-00T15:00:58Z",
            "2025-01-12T24:00:00Z",
            "2025-01-12T15:60:58Z",
            "2025-01-12T15:00:58.Z",
            "2025-01-12T15:00:58+1:00",
            "2025-01-12T15:00:58+24:00",
            "2025-01-12T15:00:58Z ",
            "2025-01-12T15:00:58ZT",
            "+025-01-12T15:00:58Z",
            "12025-01-12T15:00:58Z",
            "2025-01-12T\u{661}5:00:58Z",
        ] {
            assert!(!is_moment(text), "{text}");
        }
    }
}
