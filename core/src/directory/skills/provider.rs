//! Answers the requests of clients for the skills of a folder.

use super::library::{Compared, Library, SKILL_MD, Skill, inside};
use crate::catalog::Listing;
use crate::directory::media;
use crate::directory::provider::{contents, text_or_bytes};
use crate::directory::stamp::Stamp;
use crate::directory::tree::{Entry, EntryKind, Folder, join};
use crate::directory::watch::Watch;
use crate::error::said_by_system;
use crate::event::{Call, ListCall};
use crate::model::{Answer, MAX_BYTES, Page, Resource};
use crate::provider::Provider;
use crate::search::{Pace, SearchedFolder, TextSearch};
use crate::server::SubscriptionHook;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

/// The callbacks of a folder of skills.
#[derive(Debug)]
pub(super) struct SkillFiles(pub(super) Library);

impl SkillFiles {
    fn answer(&self, call: &Call) -> io::Result<Answer> {
        let Library { base, .. } = &self.0;
        let Some(target) = base.address.parse(call.uri()).filter(|target| !target.slash) else {
            return Ok(Answer::NotFound);
        };
        let Some((skill, Entry::File(folder, name, _))) = self.0.find_file(&target.path)? else {
            return Ok(Answer::NotFound);
        };
        let Some((file, metadata)) = base.tree.open_file(&folder, &name)? else {
            return Ok(Answer::NotFound);
        };
        let stamp = Stamp::from_metadata(&metadata);
        if call.if_version() == Some(&*stamp.to_string()) {
            return Ok(Answer::NotModified);
        }
        let Some(bytes) = contents(file, &metadata, MAX_BYTES)? else { return Ok(Answer::NotFound) };
        let found = text_or_bytes(bytes, media::guess(base.name(&target.path)));
        Ok(found.name(self.name(&skill, &target.path)).version(stamp.to_string()).into())
    }

    /// Lists each `SKILL.md`. Other files are not listed, since the entry of a skill names them.
    fn resources(&self, call: &ListCall) -> io::Result<Page> {
        let (mut items, mut more) = (Vec::new(), false);
        self.for_each(call, |skill, path| {
            more = items.len() == call.limit();
            if !more {
                items.extend(self.described(&skill, &join(path, SKILL_MD)));
            }
            !more
        })?;
        Ok(Page::new(items).more(more))
    }

    fn skills(&self, call: &ListCall) -> io::Result<Page> {
        let (mut page, mut more) = (Page::default(), false);
        self.for_each(call, |skill, _| {
            more = page.len() == call.limit();
            if !more {
                page.push_checked_skill(&skill.uri, &skill.json, skill.uris.clone());
            }
            !more
        })?;
        Ok(page.more(more))
    }

    /// Calls `take` with each skill after the key of the list call, and with the path of its directory, until `take`
    /// returns false.
    fn for_each(&self, call: &ListCall, mut take: impl FnMut(Arc<Skill>, &str) -> bool) -> io::Result<()> {
        let directories = self.0.directories()?;
        let from = directories.partition_point(|(uri, _)| call.after().is_some_and(|after| **uri <= *after));
        for (_, path) in &directories[from..] {
            if call.is_cancelled() {
                break;
            }
            if let Ok(skill) = self.0.skill(path, Compared::AfterChanges)
                && !take(skill, path)
            {
                break;
            }
        }
        Ok(())
    }

    fn skill(&self, uri: &str) -> Page {
        let target = self.0.base.address.parse(uri).filter(|target| !target.slash);
        let path = target.as_ref().and_then(|target| target.path.strip_suffix(SKILL_MD));
        let directory = path.and_then(|path| if path.is_empty() { Some("") } else { path.strip_suffix('/') });
        // Clients choose the names, and must not fill the log with directories that are no skills.
        let directory = directory.filter(|directory| self.0.has_skill_md(directory));
        let skill = directory.and_then(|directory| self.0.skill(directory, Compared::Always).ok());
        // The walk compares the URI: another spelling of it is another URI.
        let Some(skill) = skill.filter(|skill| skill.uri == uri) else { return Page::missing() };
        let mut page = Page::default();
        page.push_checked_skill(&skill.uri, &skill.json, skill.uris.clone());
        page
    }

    /// Lists the children of a directory: files of skills, and directories that are skills or contain some.
    fn directory(&self, call: &ListCall, uri: &str) -> io::Result<Page> {
        let missing = Ok(Page::missing());
        let base = &self.0.base;
        let target = base.address.parse(uri).filter(|target| !target.slash);
        let Some(folder) = target.and_then(|target| self.0.folder(&target.path)) else { return missing };
        if folder.path.is_empty() && base.address.last().is_empty() {
            return missing; // it has no URI
        }
        self.0.see(&folder);
        let skills: Vec<_> = self.0.skills_around(&folder.path, Compared::Always).collect();
        let directories = if skills.is_empty() { self.leading(&folder)? } else { BTreeSet::new() };
        if skills.is_empty() && directories.is_empty() {
            return missing;
        }
        let mut children = Vec::new();
        let list = base.tree.list(&folder)?;
        // Without a skill, links are no children.
        if let Some((_, e)) = list.unresolved.into_iter().next().filter(|_| !skills.is_empty()) {
            return Err(e);
        }
        for (name, kind) in list.entries {
            let path = join(&folder.path, &name);
            let child = match kind {
                EntryKind::Folder if skills.is_empty() && !directories.contains(&name) => None,
                EntryKind::Folder => base.tree.child(&folder, &name)?.and_then(|entry| match entry {
                    Entry::Folder(_, metadata) => Some(base.describe(&path, EntryKind::Folder, &metadata)),
                    Entry::File(..) => None,
                }),
                EntryKind::File => skills.iter().find_map(|skill| self.described(skill, &path)),
            };
            children.extend(child);
        }
        children.sort_unstable_by(|a, b| a.uri().cmp(b.uri()));
        children.retain(|child| call.after().is_none_or(|after| child.uri() > after));
        let more = children.len() > call.limit();
        children.truncate(call.limit());
        Ok(Page::new(children).more(more))
    }

    /// Returns the names of the entries of a directory that are skills or contain some.
    fn leading(&self, folder: &Folder) -> io::Result<BTreeSet<String>> {
        let inside = inside(&folder.path);
        let mut names = BTreeSet::new();
        for (_, path) in self.0.directories()?.iter() {
            let Some(name) = path.strip_prefix(&*inside).and_then(|rest| rest.split('/').next()) else {
                continue;
            };
            if !names.contains(name) && self.0.skill(path, Compared::AfterChanges).is_ok() {
                names.insert(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns whether there is a file at this path. If a link leads to it, changes are announced for the link, too.
    fn see_file(&self, path: &str) -> bool {
        let Ok(Some((_, file))) = self.0.find_file(path) else { return false };
        if let Some(watch) = &self.0.watch
            && file.path() != path
        {
            watch.link(path);
        }
        true
    }

    /// Returns the name of a file of a skill. A skill's own `SKILL.md` has the name of the skill.
    fn name<'a>(&'a self, skill: &'a Skill, path: &'a str) -> &'a str {
        if skill.is_its_own(path) { &skill.front.name } else { self.0.base.name(path) }
    }

    /// Returns a file of a skill as lists show it; `None` if there is no such file. A `SKILL.md` has the name and
    /// description of its front matter.
    fn described(&self, skill: &Skill, path: &str) -> Option<Resource> {
        let file = skill.files.get(path)?;
        let resource = self.0.base.describe_stamp(path, EntryKind::File, &file.stamp);
        if !skill.is_its_own(path) {
            return Some(resource);
        }
        Some(resource.name(self.name(skill, path)).description(&*skill.front.description))
    }
}

impl SubscriptionHook for SkillFiles {
    /// Notes the target of a link again, since it may have been forgotten after [`Provider::exists`].
    fn subscribed(&self, uri: &str) {
        if self.0.watch.as_ref().is_some_and(Watch::has_links)
            && let Some(target) = self.0.base.address.parse(uri)
        {
            self.see_file(&target.path);
        }
    }

    #[cfg(all(test, unix))]
    fn links(&self) -> usize {
        self.0.watch.as_ref().unwrap().links()
    }
}

impl SearchedFolder for SkillFiles {
    fn search(&self, search: &mut TextSearch<'_>) {
        let Ok(directories) = self.0.directories() else { return };
        // An outer skill has the files of an inner one, too. The inner one comes first, since it names its own SKILL.md.
        let mut directories: Vec<&str> = directories.iter().map(|(_, directory)| &**directory).collect();
        directories.sort_by_key(|directory| Reverse(inside(directory).matches('/').count()));
        let mut seen = BTreeSet::new();
        for directory in directories {
            if search.pace() == Pace::Over {
                return;
            }
            let Ok(skill) = self.0.skill(directory, Compared::AfterChanges) else { continue };
            for path in skill.files.keys().filter(|path| seen.insert((*path).clone())) {
                let described = || Some((self.0.base.address.uri(path), self.name(&skill, path).to_owned()));
                let base = &self.0.base;
                let text = || base.searched_text(path, &self.0.file_of(&skill, path).ok()??);
                search.compare(path, text, described);
                if search.pace() == Pace::Over {
                    return;
                }
            }
        }
    }
}

impl Provider for SkillFiles {
    fn is_library(&self) -> bool {
        true
    }

    fn listed_uri(&self, uri: &str) -> Option<String> {
        self.0.base.address.parse(uri).map(|target| self.0.base.address.uri(&target.path))
    }

    fn read(&self, mut call: Call) {
        let answer = self.answer(&call);
        let Some(responder) = call.take_responder() else { return };
        responder.finish(answer.unwrap_or_else(|e| {
            Answer::Failed(format!("{} cannot be read: {}", call.uri(), said_by_system(&e)))
        }));
    }

    fn list(&self, mut call: ListCall) {
        let page = match (call.listing(), call.uri()) {
            (Listing::Skill, Some(uri)) => Ok(self.skill(uri)),
            (Listing::Directory, Some(uri)) => self.directory(&call, uri),
            (Listing::Skills, _) => self.skills(&call),
            _ => self.resources(&call),
        };
        let Some(responder) = call.take_responder() else { return };
        responder.finish(page.unwrap_or_else(|e| Page::failed(said_by_system(&e))));
    }

    fn exists(&self, uri: &str) -> bool {
        let Some(target) = self.0.base.address.parse(uri) else { return false };
        self.0.base.address.is_listed_spelling(uri, &target.path) && self.see_file(&target.path)
    }
}
