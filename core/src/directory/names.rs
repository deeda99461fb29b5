//! Reads the names in a directory. Those of a large directory are kept as long as it does not change.

use super::stamp::Stamp;
use super::tree::Folder;
use crate::sync::Lock;
use std::io;
use std::sync::Arc;

/// The number of names from which a directory counts as large. Smaller ones are read again each time, which costs
/// little.
const LARGE: usize = 1_000;

/// At most this many large directories are cached.
const REMEMBERED: usize = 4;

/// The names in a directory, in the order of their bytes.
pub(super) type Sorted = Arc<[Box<str>]>;

/// The names in large directories, as they were last read.
#[derive(Debug, Default)]
pub(super) struct Names(Lock<Vec<(Stamp, Sorted)>>);

impl Names {
    /// Returns the names in a directory. Leaves out names that are not UTF-8, because URIs cannot have them.
    pub(super) fn read(&self, folder: &Folder) -> io::Result<Sorted> {
        let stamp = Stamp::from_metadata(&folder.dir.metadata()?);
        let known = self.0.with(|remembered, _| {
            remembered.iter().find(|(known, _)| *known == stamp).map(|(_, names)| names.clone())
        });
        if let Some(names) = known {
            return Ok(names);
        }
        let mut names = Vec::new();
        for entry in folder.dir.entries()? {
            names.extend(entry?.file_name().into_string().ok().map(String::into_boxed_str));
        }
        names.sort_unstable();
        let names: Sorted = names.into();
        if names.len() >= LARGE && stamp.is_settled() {
            self.0.with(|remembered, _| {
                // Another thread may have read the directory, too, and former states of it do not come back.
                remembered.retain(|(known, _)| !known.is_of_same_file(&stamp));
                if remembered.len() == REMEMBERED {
                    remembered.remove(0);
                }
                remembered.push((stamp, names.clone()));
            });
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::open_dir::OpenDir;
    use crate::directory::rules::Rules;
    use crate::directory::stamp::AHEAD;
    use crate::directory::tree::Tree;
    use crate::log::Log;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn a_large_directory_is_read_again_after_a_change_and_its_last_state_is_cached() {
        let around = tempfile::tempdir().unwrap();
        for n in 0..LARGE {
            fs::write(around.path().join(n.to_string()), "").unwrap();
        }
        let rules = Rules::new(around.path(), &[], &[], Log::default()).unwrap();
        let folder = Tree::new(OpenDir::open(around.path()).unwrap(), rules, u64::MAX).root();
        let names = Names::default();
        AHEAD.set(Duration::from_secs(60));
        let cached = || names.0.with(|remembered, _| remembered.clone());
        for n in LARGE..LARGE + 3 {
            let before = names.read(&folder).unwrap();
            assert!(Arc::ptr_eq(&before, &names.read(&folder).unwrap()), "it is cached");
            let stamp = cached()[0].0;
            // The clock of the file system may stand still for some milliseconds.
            while Stamp::from_metadata(&folder.dir.metadata().unwrap()) == stamp {
                fs::write(around.path().join(n.to_string()), "").unwrap();
                fs::remove_file(around.path().join(n.to_string())).unwrap();
            }
            fs::write(around.path().join(n.to_string()), "").unwrap();
            assert_eq!(names.read(&folder).unwrap().len(), n + 1);
            assert_eq!(cached().len(), 1, "its former states are not");
        }
        AHEAD.set(Duration::ZERO);
    }
}
