//! A folder as `file:` resources: listed, read, watched.

mod address;
mod base;
mod ignore_file;
mod listing;
mod media;
mod names;
mod open_dir;
mod provider;
mod rules;
mod search;
#[cfg(feature = "skills")]
mod skills;
mod spelling;
mod stamp;
mod tree;
mod watch;
mod windows_name;

use crate::catalog::{FolderKind, Template};
use crate::error::{Error, ErrorKind, Result, said_by_system};
use crate::log::Severity;
use crate::options::{FolderOptions, OptionEntry, OptionValue, SetOption};
use crate::search::SearchedFolder;
use crate::server::{Handle, Server, SubscriptionHook};
use address::Address;
use base::Base;
use open_dir::OpenDir;
pub(crate) use provider::Files;
use rules::Rules;
#[cfg(feature = "skills")]
pub use skills::{SkillFlaw, Skills};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tree::Tree;
use watch::Watch;

/// A folder to serve, and its settings. Entries whose names begin with a dot are never served, nor are those that
/// `.gitignore` and `.ignore` files name. Links are served only if they lead to a served entry. An ignore file is
/// unusable if it cannot be read, is a link, or is longer than 1 MiB. Then nothing in or below its directory is served,
/// and the log says so. If the folder is in a repository of Git, the ignore files above it and `.git/info/exclude` are
/// read once, when it is registered.
///
/// ```no_run
/// use wellhead::{Directory, Server};
///
/// let server = Server::new("notes", "1.0.0");
/// server.directory(Directory::new("/home/ann/notes").include("*.md").exclude("drafts/"))?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
    include: Vec<String>,
    exclude: Vec<String>,
    options: FolderOptions,
}

/// The greatest value of `settle_ms`.
const MAX_SETTLE_MS: u64 = 60_000;

impl Directory {
    /// Describes the folder at a path, for [`Server::directory`](crate::Server::directory). A relative path starts at
    /// the current directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory {
            path: path.into(),
            include: Vec::new(),
            exclude: Vec::new(),
            options: FolderOptions::DEFAULT,
        }
    }

    /// Serves only files that match this pattern or another one set by this method. Patterns have the form of lines
    /// of `.gitignore`: `*.md` anywhere, `/docs` at the top, `docs/` for everything in such directories.
    /// Default: all files.
    #[must_use]
    pub fn include(mut self, pattern: impl Into<String>) -> Self {
        self.include.push(pattern.into());
        self
    }

    /// Hides entries that match this pattern, as if `.gitignore` had it. Wins over [`Directory::include`].
    #[must_use]
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.exclude.push(pattern.into());
        self
    }

    /// Sets the greatest size of a file that is served, in bytes. Default: 64 MiB. Files are read whole, so this also
    /// bounds memory.
    #[must_use]
    pub fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.options.max_file_bytes = bytes;
        self
    }

    /// Sets whether clients are notified of changes. Default: true. It takes a thread, which ends when the folder
    /// is removed or the server is dropped. A forked process serves the folder without notifications.
    #[must_use]
    pub fn watch(mut self, enabled: bool) -> Self {
        self.options.watch = enabled;
        self
    }

    /// Sets for how many milliseconds changes are collected before clients are notified; at most 60,000. Default: 50.
    /// Clients are notified once no change has come for this time. If changes keep coming, they are notified after ten
    /// times as long. With 0 they are notified of each change at once.
    #[must_use]
    pub fn settle_ms(mut self, ms: u64) -> Self {
        self.options.settle_ms = ms;
        self
    }
}

impl SetOption for Directory {
    const OPTIONS: &'static [OptionEntry] = FolderOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        match (name, value) {
            ("include", OptionValue::List(patterns)) => {
                Ok(patterns.into_iter().fold(self, Directory::include))
            }
            ("exclude", OptionValue::List(patterns)) => {
                Ok(patterns.into_iter().fold(self, Directory::exclude))
            }
            (_, value) => self.options.put(name, &value).map(|()| self),
        }
    }
}

impl Server {
    /// Serves a folder and everything below it as resources under `file:` (RFC 8089), listed depth first. Files are
    /// read as text or bytes, by their names and contents. A directory is read as a `text/uri-list` of its entries (RFC
    /// 2483). [`Handle::registered_as`] is the template `file:///…/{+path}`. The server completes `path` with the names in
    /// the directory that the user has typed so far.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] for a folder that cannot be opened. [`ErrorKind::InvalidArgument`] for a path that is not
    /// a folder or has no `file:` URI, for a bad pattern, a `max_file_bytes` of 0, and a `settle_ms` over 60,000.
    /// [`ErrorKind::Ambiguous`] if another template matches the same URIs.
    /// [`ErrorKind::Duplicate`] for a folder that is served already, is inside a served one or contains one,
    /// because files would be listed twice. [`ErrorKind::Closed`].
    pub fn directory(&self, directory: impl Into<Directory>) -> Result<Handle> {
        let Directory { path, include, exclude, options } = directory.into();
        options.check_zeros()?;
        let FolderOptions { max_file_bytes, watch, settle_ms } = options;
        check_settle(settle_ms)?;
        let root = root(&path)?;
        let address = Address::new(&root)?;
        let rules = Rules::new(&root, &include, &exclude, self.log_sink())?;
        let open = OpenDir::open(&root).map_err(|e| unusable(&path, e))?;
        let tree = Tree::new(open, rules, max_file_bytes);

        let name = root.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
        let template = address.template();
        let mut described = Template::new(&*template)
            .name(&name)
            .description(format!("The files and directories in {}", root.display()))
            .raw_values()
            .completes(address::VARIABLE);
        described.also = address.other_templates();
        described.whole = true;
        described.folder = Some(FolderKind::Files);
        let base = Arc::new(Base { name, address, tree, lists: None });
        let settle = Duration::from_millis(settle_ms);
        let watch = if watch { self.watch_folder(&base, &root, settle) } else { None };
        let files = Arc::new(Files::new(base, self.limits().uri_bytes, watch));
        let hook: Arc<dyn SubscriptionHook> = files.clone();
        self.add_folder(Arc::downgrade(&hook));
        let twice = |e: Error| match e.kind() {
            ErrorKind::Duplicate => {
                let message = format!("the folder \"{}\" is served once only: {e}", root.display());
                Error::new(ErrorKind::Duplicate, message)
            }
            _ => e,
        };
        self.add_template(described, Some(files.clone()), true).map_err(twice)?;
        self.search_in(&files);
        Ok(Handle::resource(self, &template))
    }

    /// Adds this folder to those that are searched.
    fn search_in(&self, folder: &Arc<impl SearchedFolder + 'static>) {
        let (folder, server) = (Arc::downgrade(folder), self.downgrade());
        self.add_searched(folder, Arc::new(move |call| search::answer(call, &server)));
    }

    /// Watches the folder for changes. If the system cannot watch more directories, the folder is served without that.
    /// Returns `None` if it is not watched at all.
    fn watch_folder(&self, base: &Arc<Base>, root: &Path, settle: Duration) -> Option<Watch> {
        let watch = Watch::start(base.clone(), self, root, settle);
        let refused = |e| {
            let (root, why) = (root.display(), said_by_system(&e));
            format!(
                "clients are not notified of changes in \"{root}\", which cannot be watched ({why}); {}",
                watch::MORE_FOLDERS
            )
        };
        watch.map_err(|e| self.log_line(Severity::Warning, &refused(e))).ok()
    }
}

fn check_settle(ms: u64) -> Result<()> {
    if ms <= MAX_SETTLE_MS {
        return Ok(());
    }
    let message = format!("`settle_ms` must be at most 60,000 (got {ms})");
    Err(Error::new(ErrorKind::InvalidArgument, message))
}

/// Returns the path of a folder without links.
fn root(path: &Path) -> Result<PathBuf> {
    let root = path.canonicalize().map_err(|e| unusable(path, e))?;
    if root.is_dir() {
        return Ok(root);
    }
    let message = format!("\"{}\" is not a folder; give the folder that it is in", path.display());
    Err(Error::new(ErrorKind::InvalidArgument, message))
}

fn unusable(path: &Path, e: std::io::Error) -> Error {
    let path = path.display();
    let message = format!("the folder \"{path}\", which must exist and be readable, cannot be opened");
    Error::new(ErrorKind::Io, message).because(e)
}

impl From<&str> for Directory {
    fn from(path: &str) -> Self {
        Directory::new(path)
    }
}

impl From<PathBuf> for Directory {
    fn from(path: PathBuf) -> Self {
        Directory::new(path)
    }
}

impl From<&Path> for Directory {
    fn from(path: &Path) -> Self {
        Directory::new(path)
    }
}

#[cfg(test)]
mod tests;
