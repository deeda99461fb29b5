//! Tells the states of a file from each other, and formats the time of its last change.

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use std::fmt;
use std::time::{Duration, SystemTime};

/// A state of a file or directory: its size, times of change and inode (`rows.tsv` U-28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    /// The time of the last change of the contents. Programs may set it to any time.
    modified: Option<SystemTime>,
    /// The time of the last change of any kind, which only the clock of the file system sets. `None` where no such time
    /// is known.
    changed: Option<SystemTime>,
    device: u64,
    inode: u64,
}

#[cfg(test)]
thread_local! {
    /// How far the clock is ahead by which this thread tells the age of files, so that new ones are old.
    pub(super) static AHEAD: std::cell::Cell<Duration> = const { std::cell::Cell::new(Duration::ZERO) };
}

impl Stamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Stamp {
        Stamp {
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            changed: changed(metadata),
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
        let now = SystemTime::now();
        #[cfg(test)]
        let now = now + AHEAD.get();
        self.is_settled_at(now)
    }

    fn is_settled_at(&self, now: SystemTime) -> bool {
        const COARSEST: Duration = Duration::from_secs(3);
        let is_old = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > COARSEST);
        match (self.changed, self.modified) {
            // A program may date a file in the future.
            (Some(changed), Some(modified)) => is_old(changed) && (is_old(modified) || modified > now),
            (Some(time), None) | (None, Some(time)) => is_old(time),
            (None, None) => false,
        }
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
        let [modified, changed] = [self.modified, self.changed].map(|time| {
            let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.unwrap_or_default().as_nanos()
        });
        write!(f, "{:x}-{modified:x}-{changed:x}-{:x}", self.size, self.inode)
    }
}

/// Returns the time of the last change of any kind. It differs after a change that sets the time of the contents back, as
/// `cp -p` and `tar` do.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use cap_std::fs::MetadataExt;
    let (seconds, nanoseconds) = (MetadataExt::ctime(metadata), MetadataExt::ctime_nsec(metadata));
    let since = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
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

    #[test]
    fn a_stamp_is_settled_after_its_file_did_not_change_for_a_while() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for (modified, changed, settled) in [
            (Some(50), None, true),
            (Some(99), None, false),
            (Some(101), None, false),
            (Some(50), Some(50), true),
            (Some(99), Some(99), false),
            (Some(50), Some(99), false), // dated back
            (Some(999), Some(50), true), // dated in the future
            (Some(999), Some(99), false),
            (Some(50), Some(101), false), // another clock, which is ahead
            (Some(99), Some(0), false),   // a file system that does not keep the time of changes
            (None, None, false),
        ] {
            let stamp =
                Stamp { size: 0, modified: modified.map(at), changed: changed.map(at), device: 0, inode: 0 };
            assert_eq!(stamp.is_settled_at(at(100)), settled, "{modified:?} {changed:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_change_that_sets_the_time_of_the_contents_back_is_seen() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let write = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            file.metadata().unwrap()
        };
        let before = write("a");
        // The clock of the file system may stand still for some milliseconds.
        let is_later = |after: &std::fs::Metadata| {
            (after.ctime(), after.ctime_nsec()) != (before.ctime(), before.ctime_nsec())
        };
        let after = std::iter::repeat_with(|| write("b")).find(is_later).unwrap();
        let [before, after] =
            [before, after].map(|metadata| Stamp::from_metadata(&Metadata::from_just_metadata(metadata)));
        assert_ne!(before, after);
        assert_ne!(before.to_string(), after.to_string());
    }
}
