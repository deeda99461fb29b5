//! Tells the states of a file from each other, and formats the time of its last change.

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use std::fmt;
use std::time::{Duration, SystemTime};

/// A state of a file or directory: its size, time of change and inode (`rows.tsv` U-28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    device: u64,
    inode: u64,
}

impl Stamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Stamp {
        Stamp {
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// Returns the size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns whether both are states of one file, perhaps under two names.
    pub(super) fn is_of_same_file(&self, other: &Stamp) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Returns whether every later change of the file will change the stamp. File systems have coarse clocks, so a
    /// change right after the last one may not.
    pub(super) fn is_settled(&self) -> bool {
        const COARSEST: Duration = Duration::from_secs(3);
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age > COARSEST)
    }

    /// Returns the time of the last change as ISO 8601 with a year of four digits.
    pub(super) fn last_modified(&self) -> Option<String> {
        const YEAR_10000: u64 = 253_402_300_800;
        let since = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        (since.as_secs() < YEAR_10000).then(|| date_time(since.as_secs()))
    }
}

/// Writes the stamp as the opaque version of a resource.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.modified.and_then(|modified| modified.duration_since(SystemTime::UNIX_EPOCH).ok());
        write!(f, "{:x}-{:x}-{:x}", self.size, since.unwrap_or_default().as_nanos(), self.inode)
    }
}

/// Returns seconds since 1970 as a date and time of UTC, by the proleptic Gregorian calendar.
fn date_time(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, so that the leap day ends a year; eras are the calendar's 400 years.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_736_694_058, "2025-01-12T15:00:58Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(date_time(seconds), text);
        }
    }
}
