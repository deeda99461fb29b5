//! A folder of Agent Skills as `skill:` resources: listed, read, watched.

mod check;
mod front_matter;
mod hash;
mod library;
mod provider;
mod yaml;

use super::address::Address;
use super::base::Base;
use super::open_dir::OpenDir;
use super::rules::Rules;
use super::tree::Tree;
use super::{check_settle, unusable};
use crate::catalog::{FolderKind, Template};
use crate::error::{Error, ErrorKind, Result};
use crate::log::Log;
use crate::options::{OptionEntry, OptionValue, SetOption, SkillOptions};
use crate::server::{Handle, Server, SubscriptionHook};
pub use check::SkillFlaw;
use library::{Library, SKILL_MD};
use provider::SkillFiles;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A folder of Agent Skills to serve, and its settings. A skill is a directory with a `SKILL.md` that begins with front
/// matter. The folder may be a skill itself.
///
/// ```no_run
/// use wellhead::{Server, Skills};
///
/// let server = Server::new("notes", "1.0.0");
/// server.skills(Skills::new("/home/ann/skills").prefix("acme"))?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Skills {
    path: PathBuf,
    options: SkillOptions,
}

impl Skills {
    /// Makes a folder of skills. A relative path starts at the current directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Skills { path: path.into(), options: SkillOptions::DEFAULT }
    }

    /// Sets the first segment of all URIs, such as `acme` in `skill://acme/pdf/SKILL.md`: letters, digits and `-._~`.
    /// Default: none; if the folder is a skill itself, its name.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.options.prefix.set(prefix);
        self
    }

    /// Sets whether clients are notified of changes. Default: true. See [`super::Directory::watch`].
    #[must_use]
    pub fn watch(mut self, enabled: bool) -> Self {
        self.options.watch = enabled;
        self
    }

    /// Sets for how many milliseconds changes are collected; at most 60,000. Default: 50. See
    /// [`super::Directory::settle_ms`].
    #[must_use]
    pub fn settle_ms(mut self, ms: u64) -> Self {
        self.options.settle_ms = ms;
        self
    }
}

impl SetOption for Skills {
    const OPTIONS: &'static [OptionEntry] = SkillOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        self.options.put(name, &value).map(|()| self)
    }
}

impl Server {
    /// Serves the skills in a folder and below it: `skills/list`, `skills/get` and `resources/directory/read` of the
    /// extension `io.modelcontextprotocol/skills`, and each file as a resource such as `skill://pdf/SKILL.md`. The path
    /// in the URI is that in the folder. A directory with a `SKILL.md` that breaks the format is not served, and the
    /// log says why. [`Server::directory`] says which hidden and ignored files are left out. Links are served only if
    /// they lead to a file of the same skill. [`Handle::registered_as`] is the template `skill://{+path}`, with the
    /// prefix if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] for a folder that cannot be opened. [`ErrorKind::InvalidArgument`] for a path that is not a
    /// folder, for a bad `prefix`, and for a `settle_ms` over 60,000. [`ErrorKind::Duplicate`] for a second folder
    /// with the same prefix, or if either has none. [`ErrorKind::Ambiguous`] if another template matches the same URIs.
    /// [`ErrorKind::Closed`].
    pub fn skills(&self, skills: impl Into<Skills>) -> Result<Handle> {
        let Skills { path, options } = skills.into();
        options.check_zeros()?;
        let SkillOptions { watch, settle_ms, prefix } = options;
        check_settle(settle_ms)?;
        let (root, base) = open(&path, prefix.if_given().map(str::to_owned), self.log_sink())?;
        let base = Arc::new(base);
        let template = base.address.template();
        let mut described = Template::new(&*template)
            .name(base.name.as_str())
            .description("The files of skills, which skills/list names")
            .raw_values();
        described.also = base.address.other_templates();
        described.whole = true;
        described.folder = Some(FolderKind::Skills);
        let settle = Duration::from_millis(settle_ms);
        let watch = if watch { self.watch_folder(&base, &root, settle) } else { None };
        let library = Library::new(base, watch, root.clone(), self.limits().uri_bytes, self.log_sink());
        let files = Arc::new(SkillFiles(library));
        let hook: Arc<dyn SubscriptionHook> = files.clone();
        self.add_folder(Arc::downgrade(&hook));
        let twice = |e: Error| match e.kind() {
            ErrorKind::Duplicate => {
                let message = format!("the skills in \"{}\" need another `prefix`: {e}", root.display());
                Error::new(ErrorKind::Duplicate, message)
            }
            _ => e,
        };
        self.add_template(described, Some(files.clone()), true).map_err(twice)?;
        self.search_in(&files);
        Ok(Handle::resource(self, &template))
    }
}

/// Opens a folder of skills. Also returns its path without links.
fn open(path: &Path, prefix: Option<String>, log: Log) -> Result<(PathBuf, Base)> {
    let root = super::root(path)?;
    if let Some(prefix) = &prefix {
        check_prefix(prefix)?;
    }
    let own_name = || Some(root.file_name()?.to_str()?.to_owned());
    let prefix = prefix.or_else(|| own_name().filter(|_| root.join(SKILL_MD).is_file()));
    let rules = Rules::new(&root, &[], &[], log)?;
    let open = OpenDir::open(&root).map_err(|e| unusable(&root, e))?;
    // A larger file would be missing from a manifest, so it is found, and its skill refused.
    let tree = Tree::new(open, rules, u64::MAX);
    let address = Address::of_skills(prefix.as_deref());
    Ok((root, Base { name: "skills".to_owned(), address, tree, lists: Some(SKILL_MD) }))
}

fn check_prefix(prefix: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if !prefix.is_empty() && prefix.bytes().all(allowed) && !matches!(prefix, "." | "..") {
        return Ok(());
    }
    let message = format!("`prefix` must have letters, digits and \"-._~\" only (got \"{prefix}\")");
    Err(Error::new(ErrorKind::InvalidArgument, message))
}

impl From<&str> for Skills {
    fn from(path: &str) -> Self {
        Skills::new(path)
    }
}

impl From<PathBuf> for Skills {
    fn from(path: PathBuf) -> Self {
        Skills::new(path)
    }
}

impl From<&Path> for Skills {
    fn from(path: &Path) -> Self {
        Skills::new(path)
    }
}

#[cfg(test)]
mod tests;
