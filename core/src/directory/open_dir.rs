//! An open directory, and the lookup of its entries by name, which follows no link.

use super::stamp::Stamp;
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, File, FileType, Metadata, OpenOptions, ReadDir};
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

    /// The name of the entries that this thread fails to open, as it does if file descriptors run out.
    pub(super) static UNOPENED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };

    /// True if the directories that this thread lists do not have the types of their entries.
    pub(super) static UNTYPED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };

    /// The names of the entries that this thread tried to open while [`UNOPENED`] was set.
    pub(super) static TRIED: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
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
        #[cfg(test)]
        check_opened(name)?;
        let dir = self.dir.open_dir_nofollow(&*self.name_in_system(name))?;
        Ok(OpenDir {
            dir,
            #[cfg(test)]
            lookup: self.lookup,
        })
    }

    /// Opens a file for reading, without waiting: a named pipe would wait for a writer.
    pub(super) fn open_file(&self, name: &str) -> io::Result<File> {
        #[cfg(test)]
        check_opened(name)?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        self.dir.open_with(&*self.name_in_system(name), &options)
    }

    pub(super) fn metadata_of(&self, name: &str) -> io::Result<Metadata> {
        self.dir.symlink_metadata(&*self.name_in_system(name))
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
        #[cfg(test)]
        check_opened(path.rsplit('/').next().unwrap_or(path))?;
        self.dir.canonicalize(path)
    }

    /// Returns whether the file system is known to find an entry of this directory only by the name that the directory
    /// has for it.
    #[cfg_attr(
        not(any(test, target_os = "linux")),
        allow(clippy::unused_self, reason = "only Linux says it")
    )]
    pub(super) fn has_exact_names(&self) -> bool {
        #[cfg(test)]
        if self.lookup.is_some() {
            return false;
        }
        #[cfg(target_os = "linux")]
        return exact_names::are_in(&self.dir);
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Returns whether an entry of this directory is found under its name in another case, too.
    pub(super) fn ignores_case_of(&self, name: &str) -> bool {
        let other: String = name.chars().map(in_other_case).collect();
        let stamp = |name| self.metadata_of(name).ok().map(|metadata| Stamp::from_metadata(&metadata));
        other != name
            && !self.has_exact_names()
            && matches!((stamp(name), stamp(&other)), (Some(own), Some(found)) if own.is_of_same_file(&found))
    }

    /// Returns whether the directory ignores the case of names, by a few of its entries.
    pub(super) fn ignores_case(&self) -> bool {
        const TRIED: usize = 16;
        let Ok(entries) = self.entries() else { return false };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.take(TRIED).any(|name| self.ignores_case_of(&name))
    }

    /// Returns the name to pass to the system. In tests that is the name of the entry that another file system would
    /// find.
    #[cfg_attr(not(test), allow(clippy::unused_self, reason = "only tests have a lookup of their own"))]
    fn name_in_system<'a>(&self, name: &'a str) -> Cow<'a, str> {
        #[cfg(test)]
        if let Some(lookup) = self.lookup {
            return lookup(&self.dir, name).into();
        }
        Cow::Borrowed(name)
    }
}

/// Returns the type of an entry itself, which may be a link. Not every file system lists the types of entries: some of
/// those of networks do not.
pub(super) fn type_of(entry: &DirEntry) -> io::Result<FileType> {
    let listed = entry.file_type()?;
    #[cfg(test)]
    let listed = if UNTYPED.get() { FileType::unknown() } else { listed };
    if listed == FileType::unknown() { Ok(entry.metadata()?.file_type()) } else { Ok(listed) }
}

#[cfg(test)]
fn check_opened(name: &str) -> io::Result<()> {
    let Some(unopened) = UNOPENED.get() else { return Ok(()) };
    TRIED.with_borrow_mut(|tried| tried.push(name.to_owned()));
    if name == unopened { Err(io::Error::other("too many open files")) } else { Ok(()) }
}

fn in_other_case(c: char) -> char {
    if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
}

#[cfg(target_os = "linux")]
mod exact_names {
    use super::Dir;
    use rustix::fs::{Mode, OFlags, fstatfs, ioctl_getflags, openat};
    use rustix::io::Errno;

    /// The file systems that tell names by their bytes, by their numbers in `statfs(2)`: ext2 to ext4, btrfs, tmpfs,
    /// overlayfs and F2FS.
    const SYSTEMS: [u32; 5] = [0xef53, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010];
    /// The flag of a directory that ignores the case of names (`FS_CASEFOLD_FL` of `ioctl_iflags(2)`).
    const CASEFOLD: u32 = 0x4000_0000;

    pub(super) fn are_in(dir: &Dir) -> bool {
        is_known(dir) && are_exact_with(flags(dir))
    }

    fn is_known(dir: &Dir) -> bool {
        let system = fstatfs(dir).ok().and_then(|found| u32::try_from(found.f_type).ok());
        system.is_some_and(|system| SYSTEMS.contains(&system))
    }

    /// Returns the flags of a directory. Opens it again, because a `Dir` is opened with `O_PATH`, and the system tells
    /// no flags by such a descriptor.
    fn flags(dir: &Dir) -> Result<u32, Errno> {
        let opened = openat(dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(ioctl_getflags(opened)?.bits())
    }

    /// Returns whether a directory with these flags, on a system that is known, tells names by their bytes.
    fn are_exact_with(flags: Result<u32, Errno>) -> bool {
        match flags {
            Ok(flags) => flags & CASEFOLD == 0,
            Err(why) => matches!(why, Errno::NOTTY | Errno::OPNOTSUPP), // such a system has no flags
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn names_are_exact_on_a_known_system_whose_directory_does_not_fold_them() {
            assert!(are_exact_with(Ok(0x0008_0000)));
            assert!(!are_exact_with(Ok(0x4008_0000)), "ext4 with casefold");
            assert!(are_exact_with(Err(Errno::NOTTY)), "a tmpfs without flags");
            assert!(!are_exact_with(Err(Errno::ACCESS)));
        }

        #[test]
        fn names_are_exact_in_a_new_directory_on_a_known_system() {
            let folder = tempfile::tempdir().unwrap();
            let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
            assert_eq!(are_in(&dir), is_known(&dir));
        }

        #[test]
        fn a_system_that_is_not_known_may_fold_names() {
            let processes = Dir::open_ambient_dir("/proc", cap_std::ambient_authority()).unwrap();
            assert!(!are_in(&processes));
        }
    }
}

#[cfg(target_os = "linux")]
impl std::os::fd::AsRawFd for OpenDir {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.dir.as_raw_fd()
    }
}
