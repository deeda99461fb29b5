//! List sources, in the order of their registration.

use super::entries::{Handler, HandlerId};
use super::listing::Stretch;
use super::registry::{Catalog, Found};
use super::template::FolderKind;
use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The list sources of a server.
#[derive(Default)]
pub(crate) struct Sources {
    of_resources: Vec<Arc<Handler>>,
    of_skills: Vec<Arc<Handler>>,
    /// Templates of folders, whose directories can be listed.
    directories: Vec<Arc<Handler>>,
    unnamed: usize,
}

impl Sources {
    /// Returns the list sources of a stretch of a list.
    pub(super) fn all(&self, stretch: Stretch) -> &[Arc<Handler>] {
        match stretch {
            Stretch::SkillSources => &self.of_skills,
            Stretch::Directory => &self.directories,
            _ => &self.of_resources,
        }
    }

    /// Returns the name for a new source: the one that the application gave, or else a number.
    pub(super) fn name(&mut self, name: Option<String>) -> Result<Box<str>> {
        let name = match name {
            Some(name) if name.is_empty() => {
                let message = "a list source needs a name, or none to be numbered";
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            Some(name) => name,
            None => {
                self.unnamed += 1;
                self.unnamed.to_string()
            }
        };
        self.check_new(&name)?;
        Ok(name.into())
    }

    /// Refuses a name that another source has.
    pub(super) fn check_new(&self, name: &str) -> Result<()> {
        if self.of_resources.iter().chain(&self.of_skills).any(|source| *source.name == *name) {
            let message = format!("a list source named \"{name}\" is registered already");
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, source: Arc<Handler>) {
        self.of_resources.push(source);
    }

    pub(super) fn add_skills(&mut self, source: Arc<Handler>) {
        self.of_skills.push(source);
    }

    /// Adds the template of a folder, whose directories can be listed.
    pub(super) fn add_folder(&mut self, template: Arc<Handler>, kind: FolderKind) {
        if kind == FolderKind::Skills {
            self.of_skills.push(template.clone());
        }
        self.directories.push(template);
    }

    /// Removes the sources of a template that was removed. Returns that of its resources.
    pub(super) fn remove_template(&mut self, id: HandlerId) -> Option<Arc<Handler>> {
        self.directories.retain(|other| other.id != id);
        self.of_skills.retain(|other| other.id != id);
        let at = self.of_resources.iter().position(|source| source.id == id)?;
        Some(self.of_resources.remove(at))
    }

    /// Removes the source of that name, of resources or of skills, unless it is that of a template.
    pub(super) fn remove(&mut self, name: &str, template: Option<HandlerId>) -> Option<Arc<Handler>> {
        let is_removed = |source: &Arc<Handler>| *source.name == *name && Some(source.id) != template;
        [&mut self.of_resources, &mut self.of_skills].into_iter().find_map(|sources| {
            let at = sources.iter().position(is_removed)?;
            Some(sources.remove(at))
        })
    }

    pub(super) fn has_folders(&self) -> bool {
        !self.directories.is_empty()
    }

    fn is_directory(&self, id: HandlerId) -> bool {
        self.directories.iter().any(|other| other.id == id)
    }

    /// Returns whether there are directories, and every directory of skills can be listed. Those of skills that callbacks
    /// list cannot.
    pub(crate) fn reads_directories(&self) -> bool {
        self.has_folders() && self.of_skills.iter().all(|source| self.is_directory(source.id))
    }
}

impl Catalog {
    /// Returns the registration that lists the directory at `uri`.
    pub(super) fn directory(&self, uri: &str) -> Option<Arc<Handler>> {
        match self.find(uri) {
            Found::Call { handler, .. } => {
                Some(handler).filter(|handler| self.sources.is_directory(handler.id))
            }
            Found::Value(_) | Found::Nothing | Found::Invalid => None,
        }
    }
}
