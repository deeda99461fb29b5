//! A folder as resources.

use crate::boundary::Promise;
use crate::fields::{set_numbers, set_switches, set_words};
use crate::server::{wellhead_server, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_str};
use wellhead::{Directory, Result};

/// Do not notify clients of changes in the folder.
pub const WELLHEAD_NO_WATCH: u32 = 1;

/// A folder to serve. Patterns have the form of lines of .gitignore: *.md anywhere, /docs at the top, docs/ for everything in
/// such directories. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_directory {
    pub struct_size: usize,
    /// The path of the folder; required. A relative path is taken from the current directory.
    pub path: wellhead_str,
    /// Serve only files that one of these patterns matches. Default: all files.
    pub include: *const wellhead_str,
    pub include_count: usize,
    /// Do not serve files that one of these patterns matches.
    pub exclude: *const wellhead_str,
    pub exclude_count: usize,
    /// The greatest size of a file that is served, in bytes; files are read whole. Default: 64 MiB.
    pub max_file_bytes: u64,
    /// The time for which changes are gathered, in milliseconds; at most 60,000. Clients are notified once there was no
    /// change for this time, and after ten times this time at the latest. Default: 50.
    pub settle_ms: u64,
    /// WELLHEAD_NO_WATCH or 0.
    pub flags: u32,
}

growing!(wellhead_directory);

/// Registers a folder with all its files and directories, under file: URIs (RFC 8089). Files are read as text or bytes,
/// directories as a text/uri-list (RFC 2483). Hidden entries and those that .gitignore and .ignore files name are not
/// served. Links are served only if they lead to a file that is served. Paths are completed while they are typed.
/// directory: may not be NULL. Fails with IO if the folder cannot be read, with DUPLICATE also for a folder inside or
/// around a registered one, and with INVALID_UTF8, INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if a template matches
/// the same URIs and neither is more specific.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_directory(
    server: *mut wellhead_server,
    directory: *const wellhead_directory,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.directory(promise.fields(directory, "directory")?.directory(promise)?).map(drop)
        })
    }
}

impl wellhead_directory {
    fn directory(&self, promise: &Promise) -> Result<Directory> {
        let mut directory = Directory::new(promise.text(self.path, "path")?);
        for pattern in promise.texts(self.include, self.include_count, "include")? {
            directory = directory.include(pattern);
        }
        for pattern in promise.texts(self.exclude, self.exclude_count, "exclude")? {
            directory = directory.exclude(pattern);
        }
        set_switches!(directory, self.flags;
            WELLHEAD_NO_WATCH => watch = false,
        );
        set_words!(directory, promise, self;
        );
        set_numbers!(directory, self;
            max_file_bytes,
            settle_ms,
        );
        Ok(directory)
    }
}
