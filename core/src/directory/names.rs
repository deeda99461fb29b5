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
                if remembered.len() == REMEMBERED {
                    remembered.remove(0);
                }
                remembered.push((stamp, names.clone()));
            });
        }
        Ok(names)
    }
}
