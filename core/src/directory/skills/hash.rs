//! Hashes a file in one state: the digest, the size and the bytes belong together (`rows.tsv` SK-13).

use super::front_matter::Flaw;
use super::library::{SkillFile, UnreadFile};
use crate::directory::stamp::Stamp;
use crate::directory::tree::{Tree, join};
use crate::model::MAX_BYTES;
use cap_std::fs::File;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// A file that changes while it is read is read again. This is the maximum number of readings.
const TRIES: usize = 5;

/// Reads a file, and returns its digest and size, which belong to one state of the file.
pub(super) fn hash(tree: &Tree, file: &UnreadFile) -> Result<SkillFile, Flaw> {
    read(tree, file, false).map(|(file, _)| file)
}

/// Reads a file, and returns its digest, size and bytes, which belong to one state of the file. Unlike [`hash`],
/// this keeps the bytes.
pub(super) fn hash_and_keep(tree: &Tree, file: &UnreadFile) -> Result<(SkillFile, Vec<u8>), Flaw> {
    read(tree, file, true)
}

fn read(tree: &Tree, file: &UnreadFile, keep: bool) -> Result<(SkillFile, Vec<u8>), Flaw> {
    let path = || join(&file.folder.path, &file.name);
    let failed = |e: io::Error| Flaw::unreadable(path(), &e);
    let reading = || {
        let Some((mut file, metadata)) = tree.open_file(&file.folder, &file.name).map_err(failed)? else {
            return Err(Flaw::in_file(path(), "is gone"));
        };
        let before = Stamp::from_metadata(&metadata);
        let (digest, size, bytes) = digest(&mut file, keep).map_err(failed)?;
        let after = Stamp::from_metadata(&file.metadata().map_err(failed)?);
        Ok(Reading { before, after, digest, size, bytes, settled: before.is_settled() })
    };
    let Some(Reading { before, digest, size, bytes, settled, .. }) = steady(reading)? else {
        return Err(Flaw::in_file(path(), "changes all the time"));
    };
    Ok((SkillFile { stamp: before, digest, size, settled }, bytes))
}

/// The results of reading a file once.
struct Reading {
    /// The file's stamp before the read. `after` is its stamp after the read.
    before: Stamp,
    after: Stamp,
    digest: [u8; 32],
    size: u64,
    bytes: Vec<u8>,
    /// True if `before` differs from the stamp of every later state of the file.
    settled: bool,
}

/// Reads a file until a reading shows one state. Returns `None` if none does. The stamp of a file that was just written
/// may miss a change, since clocks of file systems are coarse. Such a file has to give the same digest twice in a row.
fn steady<E>(mut read: impl FnMut() -> Result<Reading, E>) -> Result<Option<Reading>, E> {
    let mut last = None;
    for _ in 0..TRIES {
        let reading = read()?;
        if reading.before != reading.after || reading.size != reading.before.size() {
            last = None;
        } else if reading.settled || last == Some(reading.digest) {
            return Ok(Some(reading));
        } else {
            last = Some(reading.digest);
        }
    }
    Ok(None)
}

/// Returns the digest, the number of bytes, and if `keep` is true the bytes of a file.
fn digest(file: &mut File, keep: bool) -> io::Result<([u8; 32], u64, Vec<u8>)> {
    let (mut sha, mut size, mut bytes) = (Sha256::new(), 0, Vec::new());
    let mut buffer = vec![0; 16 * 1024];
    let mut file = file.take(MAX_BYTES + 1);
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok((sha.finalize().into(), size, bytes)),
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        sha.update(&buffer[..read]);
        size += read as u64;
        if keep {
            bytes.extend_from_slice(&buffer[..read]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cap_std::ambient_authority;
    use cap_std::fs::Dir;

    /// The stamps of an empty file and of one with a byte.
    fn stamps() -> [Stamp; 2] {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        ["", "x"].map(|contents| {
            dir.write(contents.len().to_string(), contents).unwrap();
            Stamp::from_metadata(&dir.metadata(contents.len().to_string()).unwrap())
        })
    }

    fn reading([before, after]: [Stamp; 2], digest: u8, settled: bool) -> Reading {
        Reading { before, after, digest: [digest; 32], size: before.size(), bytes: vec![digest], settled }
    }

    /// Returns the digest that results from these readings, and how many of them were made.
    fn taken(readings: impl IntoIterator<Item = Reading>) -> (Option<u8>, usize) {
        let (mut readings, mut read) = (readings.into_iter(), 0);
        let found = steady(|| {
            read += 1;
            readings.next().ok_or(())
        });
        (found.unwrap().map(|found| found.bytes[0]), read)
    }

    // row: SK-13
    #[test]
    fn a_file_that_changes_while_it_is_hashed_is_hashed_again() {
        let [a, b] = stamps();
        assert_eq!(taken([reading([a, a], 1, true)]), (Some(1), 1));
        assert_eq!(taken([reading([a, b], 1, true), reading([b, b], 2, true)]), (Some(2), 2));
        let longer = Reading { size: 7, ..reading([a, a], 1, true) };
        assert_eq!(taken([longer, reading([a, a], 2, true)]), (Some(2), 2), "more bytes than it has");
    }

    // row: SK-13
    #[test]
    fn a_file_that_was_just_written_has_to_give_one_digest_twice() {
        let [a, b] = stamps();
        let young = |digest| reading([a, a], digest, false);
        assert_eq!(taken([young(1), young(1)]), (Some(1), 2));
        assert_eq!(taken([young(1), young(2), young(2)]), (Some(2), 3), "the stamp missed a change");
        assert_eq!(taken([young(1), reading([a, b], 1, false), young(1), young(1)]), (Some(1), 4));
        assert_eq!(taken([young(1), reading([a, a], 2, true)]), (Some(2), 2), "it became old meanwhile");
    }

    // row: SK-13
    #[test]
    fn a_file_that_changes_all_the_time_is_given_up() {
        let [a, b] = stamps();
        assert_eq!(taken((0..9).map(|n| reading([a, a], n, false))), (None, TRIES));
        assert_eq!(taken((0..9).map(|n| reading([a, b], n, true))), (None, TRIES));
    }
}
