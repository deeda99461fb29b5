//! Tells the author of skills what is wrong with them, by the checks that decide what is served.

use super::library::Library;
use super::{Skills, open, unusable};
use crate::error::Result;
use crate::limits::Limits;
use crate::log::{Log, printable};
use crate::sync::Lock;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A fault of a skill, shown as `PATH:LINE: text`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SkillFlaw {
    /// The path of the file or directory. It begins with the path of the folder, in the application's spelling.
    pub path: PathBuf,
    /// The line in `SKILL.md`; 1 if the fault is not about a line.
    pub line: usize,
    /// A description of the fault, and often what to do.
    pub text: String,
}

impl fmt::Display for SkillFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        write!(f, "{}:{}: {}", printable(&path, usize::MAX), self.line, printable(&self.text, usize::MAX))
    }
}

impl Skills {
    /// Returns everything that is wrong with the skills in the folder, in the order of paths. A server with this folder
    /// does not serve these skills, and logs the same. A folder without a `SKILL.md` is a fault, too. A URI may have as
    /// many bytes as the default of [`Limits::uri_bytes`].
    ///
    /// # Errors
    /// As [`crate::Server::skills`], except for [`crate::ErrorKind::Duplicate`] and [`crate::ErrorKind::Closed`].
    pub fn check(&self) -> Result<Vec<SkillFlaw>> {
        let lines: Arc<Lock<Vec<String>>> = Arc::default();
        let sink = lines.clone();
        let log = Log::to(move |_, line| sink.with(|lines, _| lines.push(line.to_owned())));
        let (root, base) = open(&self.path, self.options.prefix.if_given().map(str::to_owned), log)?;
        let library =
            Library::new(Arc::new(base), None, root, Limits::default().uri_bytes, Log::to(|_, _| {}));
        let (found, flaws) = library.check().map_err(|e| unusable(&self.path, e))?;
        let mut flaws: Vec<SkillFlaw> = flaws
            .into_iter()
            .map(|flaw| SkillFlaw {
                path: flaw.path.map_or_else(|| self.path.clone(), |path| self.path.join(path)),
                line: flaw.line.max(1),
                text: flaw.what,
            })
            .collect();
        let about_the_folder = |text: String| SkillFlaw { path: self.path.clone(), line: 1, text };
        flaws.extend(lines.with(|lines, _| std::mem::take(lines)).into_iter().map(about_the_folder));
        if found == 0 {
            flaws.push(about_the_folder("no SKILL.md is in this folder or below it".to_owned()));
        }
        flaws.sort_unstable();
        flaws.dedup();
        Ok(flaws)
    }
}
