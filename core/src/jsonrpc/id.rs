use super::members::decode;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The id of a request. The answer repeats its text byte for byte; ids are compared by their values.
///
/// `1`, `1.0` and `10e-1` are one id, and `"a"` and `"\u0061"` are one id, but `1` and `"1"` are two. No number is
/// converted to a floating-point number, which would round it.
#[derive(Clone)]
pub(crate) struct RequestId {
    raw: Text,
    key: IdKey,
}

impl RequestId {
    /// Reads an id from its JSON text, without white space around it. `None` if it is neither a string of Unicode
    /// characters nor an integer.
    pub(crate) fn from_raw(raw: &str) -> Option<Self> {
        let key = if raw.starts_with('"') { IdKey::of_string(raw)? } else { IdKey::of_number(raw)? };
        Some(Self { raw: Text::new(raw), key })
    }

    /// Makes the value for a message without an id. It equals no id of a request.
    pub(crate) fn none() -> Self {
        Self { raw: Text::new("null"), key: IdKey::None }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self.key, IdKey::None)
    }

    /// The JSON text of the id, as received.
    pub(crate) fn raw(&self) -> &str {
        self.raw.as_str()
    }

    fn meaning(&self) -> Meaning<'_> {
        match &self.key {
            IdKey::None => Meaning::None,
            IdKey::Small(value) => Meaning::Small(*value),
            IdKey::Huge { digits, zeros } => Meaning::Huge { digits, zeros: *zeros },
            IdKey::Plain => {
                let raw = self.raw();
                Meaning::String(&raw[1..raw.len() - 1])
            }
            IdKey::Decoded(value) => Meaning::String(value),
        }
    }
}

impl PartialEq for RequestId {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.key, &other.key) {
            (IdKey::Small(one), IdKey::Small(other)) => one == other, // nearly all there are
            _ => self.meaning() == other.meaning(),
        }
    }
}

impl Eq for RequestId {}

impl PartialOrd for RequestId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders ids in some fixed order, for ordered collections. Huge integers are not in numeric order.
impl Ord for RequestId {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.key, &other.key) {
            (IdKey::Small(one), IdKey::Small(other)) => one.cmp(other), // nearly all there are
            _ => self.meaning().cmp(&other.meaning()),
        }
    }
}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RequestId({})", self.raw())
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Meaning<'a> {
    None,
    Small(i64),
    Huge { digits: &'a str, zeros: u64 },
    String(&'a str),
}

/// The facts about an id that [`Meaning`] needs in addition to its text.
#[derive(Clone)]
enum IdKey {
    /// There is no id.
    None,
    Small(i64),
    /// An integer beyond 64 bits. `zeros` is the number of zeros at its end, because `1e999999999` is short to send and
    /// long to write out. `digits` has the sign, and no zeros at either end.
    Huge {
        digits: Box<str>,
        zeros: u64,
    },
    /// A string without escapes: the text between its quotes.
    Plain,
    Decoded(Box<str>),
}

impl IdKey {
    fn of_string(raw: &str) -> Option<Self> {
        Some(match decode(raw)? {
            Cow::Borrowed(_) => Self::Plain,
            Cow::Owned(value) => Self::Decoded(value.into()),
        })
    }

    fn of_number(raw: &str) -> Option<Self> {
        let number = JsonNumber::split(raw)?;
        if number.fraction.is_empty()
            && number.exponent.is_empty()
            && let Ok(value) = raw.parse()
        {
            return Some(Self::Small(value));
        }
        let Some((digits, zeros)) = number.scaled()? else {
            return Some(Self::Small(0));
        };
        let zeros = u64::try_from(zeros).ok()?; // below zero it is a fraction
        Some(match small(&digits, zeros) {
            Some(value) => Self::Small(value),
            None => Self::Huge { digits: digits.into(), zeros },
        })
    }
}

/// Returns a text that all spellings of a number share. `None` if the text is no number, or if its exponent is beyond 64
/// bits.
pub(super) fn decimal(raw: &str) -> Option<String> {
    Some(match JsonNumber::split(raw)?.scaled()? {
        None => "0".to_owned(),
        Some((digits, 0)) => digits,
        Some((digits, zeros)) => format!("{digits}e{zeros}"),
    })
}

fn small(digits: &str, zeros: u64) -> Option<i64> {
    let power = 10i64.checked_pow(u32::try_from(zeros).ok()?)?;
    digits.parse::<i64>().ok()?.checked_mul(power)
}

/// The parts of a JSON number (RFC 8259 section 6).
struct JsonNumber<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    exponent: &'a str,
}

impl<'a> JsonNumber<'a> {
    fn split(raw: &'a str) -> Option<Self> {
        let (negative, rest) = raw.strip_prefix('-').map_or((false, raw), |rest| (true, rest));
        let (integer, rest) = digits(rest)?;
        if integer.len() > 1 && integer.starts_with('0') {
            return None;
        }
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => digits(rest)?,
            None => ("", rest),
        };
        let (exponent, rest) = match rest.strip_prefix(['e', 'E']) {
            Some(exponent) => {
                let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                (exponent, digits(unsigned)?.1)
            }
            None => ("", rest),
        };
        rest.is_empty().then_some(Self { negative, integer, fraction, exponent })
    }

    /// Returns its significant digits, with the sign, and the power of ten that they are multiplied by; `Some(None)` for
    /// zero. `None` for an exponent beyond 64 bits: no client counts that far.
    #[allow(clippy::option_option, reason = "zero is a number")]
    fn scaled(&self) -> Option<Option<(String, i64)>> {
        let digits = [self.integer, self.fraction].concat();
        let Some(first) = digits.find(|digit| digit != '0') else { return Some(None) };
        let significant = digits[first..].trim_end_matches('0');
        let trimmed = i64::try_from(digits.len() - first - significant.len()).ok()?;
        let fraction = i64::try_from(self.fraction.len()).ok()?;
        let exponent = if self.exponent.is_empty() { 0 } else { self.exponent.parse::<i64>().ok()? };
        let zeros = exponent.checked_add(trimmed)?.checked_sub(fraction)?;
        let digits = if self.negative { format!("-{significant}") } else { significant.to_owned() };
        Some(Some((digits, zeros)))
    }
}

/// Splits a text after its first digits. `None` if it does not begin with one.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

/// A text that is mostly a few bytes long, and then needs no allocation.
#[derive(Clone)]
enum Text {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

const SHORT: usize = 22;

impl Text {
    fn new(text: &str) -> Self {
        if text.len() > SHORT {
            return Self::Long(text.into());
        }
        let mut bytes = [0; SHORT];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self::Short { length: text.len() as u8, bytes }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Short { length, bytes } => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).expect("copied from text")
            }
            Self::Long(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::hash::{BuildHasher, RandomState};

    fn id(raw: &str) -> RequestId {
        RequestId::from_raw(raw).unwrap_or_else(|| panic!("{raw} is an id"))
    }

    #[test]
    fn ids_that_mean_the_same_are_equal() {
        let hasher = RandomState::new();
        for group in [
            &["1", "1.0", "1e0", "10e-1", "1E+0", "0.1e1", "0.001e3", "1.000"][..],
            &["0", "-0", "0.0", "0e5", "-0.0e-99999999999999999999"],
            &["-7", "-7.0", "-70e-1"],
            &["100", "1e2", "10E1", "1.00e2"],
            &["9223372036854775807", "9223372036854775807.0"],
            &["-9223372036854775808", "-9223372036854775808.0"],
            &["9223372036854775808", "9223372036854775808.0", "922337203685477580.8e1"],
            &["10000000000000000000000", "1e22", "1000e19"],
            &["123456789012345678901234567890", "12345678901234567890123456789e1"],
            &["1e999999999999", "10e999999999998"],
            &[r#""a""#, r#""\u0061""#],
            &[r#""""#],
            &[r#""\n\"\\/""#, r#""\u000a\u0022\u005c\/""#],
            &[r#""𝄞""#, r#""\ud834\udd1e""#],
        ] {
            for (left, right) in group.iter().flat_map(|left| group.iter().map(move |right| (left, right))) {
                assert_eq!(id(left), id(right), "{left} and {right}");
                assert_eq!(id(left).cmp(&id(right)), Ordering::Equal);
                assert_eq!(hasher.hash_one(id(left)), hasher.hash_one(id(right)));
            }
        }
    }

    #[test]
    fn ids_that_mean_different_things_differ() {
        for (left, right) in [
            ("1", r#""1""#),
            ("1", "-1"),
            ("9007199254740992", "9007199254740993"),
            ("9223372036854775808", "9223372036854775809"),
            ("1e400", "1e401"),
            ("1e400", "-1e400"),
            ("1e400", "11e400"),
            (r#""a""#, r#""A""#),
            (r#""é""#, r#""e\u0301""#),
        ] {
            assert_ne!(id(left), id(right));
            assert_ne!(id(left).cmp(&id(right)), Ordering::Equal);
        }
    }

    #[test]
    fn the_raw_text_is_kept() {
        for raw in ["1.0", "-0", "10e-1", "12345678901234567890123", r#""\u0061""#, r#""""#] {
            assert_eq!(id(raw).raw(), raw);
        }
        let long = format!("\"{}\"", "x".repeat(100));
        assert_eq!(id(&long).clone().raw(), long);
        assert_eq!(format!("{:?}", id("1.0")), "RequestId(1.0)");
    }

    #[test]
    fn fractions_and_other_types_are_no_ids() {
        for raw in
            ["1.5", "1e-1", "15e-1", "0.1", "1e-99999999999999999999", "1e99999999999999999999", "null"]
        {
            assert!(RequestId::from_raw(raw).is_none(), "{raw}");
        }
        for raw in ["true", "[]", "{}", "", " 1", "1 ", r#" "a""#, r#""a" "#, r#""a"#, r#"""#, r#""\ud800""#]
        {
            assert!(RequestId::from_raw(raw).is_none(), "{raw}");
        }
        for raw in ["01", "+1", "-", "1.", ".1", "1e", "1e+", "0x1", "١", "NaN", "1_0", "--1"] {
            assert!(RequestId::from_raw(raw).is_none(), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic_and_kept(raw in r#"[-+"\\ue0-9.]{0,12}|.*"#) {
            if let Some(id) = RequestId::from_raw(&raw) {
                prop_assert_eq!(id.raw(), raw);
            }
        }

        #[test]
        fn strings_round_trip(text in any::<String>()) {
            let raw = serde_json::to_string(&text).unwrap();
            let escaped: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let plain = id(&raw);
            prop_assert_eq!(plain.raw(), &raw);
            prop_assert_eq!(plain, id(&format!("\"{}\"", escaped.concat())));
        }

        #[test]
        fn integers_equal_their_shifted_forms(value in any::<i128>(), zeros in 0..40usize) {
            let plain = id(&value.to_string());
            let zeroes = "0".repeat(zeros);
            prop_assert_eq!(&plain, &id(&format!("{value}{zeroes}e-{zeros}")));
            prop_assert_eq!(&plain, &id(&format!("{value}.{zeroes}0")));
            prop_assert_eq!(id(&format!("{value}{zeroes}")), id(&format!("{value}e{zeros}")));
        }

        #[test]
        fn integers_are_equal_only_if_they_are_one(left in any::<i128>(), difference in -3..4i128) {
            let right = left.saturating_add(difference);
            prop_assert_eq!(id(&left.to_string()) == id(&right.to_string()), left == right);
        }
    }
}
