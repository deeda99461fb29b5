//! An open directory, and the lookup of its entries by name, which follows no link.

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, ReadDir};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct OpenDir {
    dir: Dir,
    #[cfg(test)]
    lookup: Option<NameLookup>,
}

/// Returns the name of the entry that a file system finds by `name`.
#[cfg(test)]
pub(super) type NameLookup = fn(&Dir, &str) -> String;

#[cfg(test)]
thread_local! {
    /// The lookup of the folders that this thread serves from now on; `None` is that of the real file system.
    pub(super) static LOOKUP: std::cell::Cell<Option<NameLookup>> = const { std::cell::Cell::new(None) };
}

impl OpenDir {
    pub(super) fn open(root: &Path) -> io::Result<OpenDir> {
        let dir = Dir::open_ambient_dir(root, ambient_authority())?;
        Ok(OpenDir {
            dir,
            #[cfg(test)]
            lookup: LOOKUP.get(),
        })
    }

    /// Opens a directory in this one.
    pub(super) fn open_dir(&self, name: &str) -> io::Result<OpenDir> {
        let dir = self.dir.open_dir_nofollow(&*self.asked(name))?;
        Ok(OpenDir {
            dir,
            #[cfg(test)]
            lookup: self.lookup,
        })
    }

    /// Opens a file for reading, without waiting: a named pipe would wait for a writer.
    pub(super) fn open_file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        self.dir.open_with(&*self.asked(name), &options)
    }

    pub(super) fn metadata_of(&self, name: &str) -> io::Result<Metadata> {
        self.dir.symlink_metadata(&*self.asked(name))
    }

    /// Returns the metadata of the directory itself.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.dir.dir_metadata()
    }

    pub(super) fn entries(&self) -> io::Result<ReadDir> {
        self.dir.entries()
    }

    /// Returns the path below this directory to which a path with links leads. It never leads outside.
    pub(super) fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        self.dir.canonicalize(path)
    }

    /// Returns the name that the system gets: in tests that of the entry that another file system would find.
    #[cfg_attr(not(test), allow(clippy::unused_self, reason = "only tests have a lookup of their own"))]
    fn asked<'a>(&self, name: &'a str) -> Cow<'a, str> {
        #[cfg(test)]
        if let Some(lookup) = self.lookup {
            return lookup(&self.dir, name).into();
        }
        Cow::Borrowed(name)
    }
}

#[cfg(target_os = "linux")]
impl std::os::fd::AsRawFd for OpenDir {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.dir.as_raw_fd()
    }
}
