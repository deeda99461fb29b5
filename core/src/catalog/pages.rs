//! Makes pages of lists: first single registrations, then each list source, both in the order of registration.
//!
//! A walk makes one page. It goes as far as it can without the application, then asks for a source's next items or
//! for verdicts, and continues with the answer.

use super::cursor::{self, ListPart, Position, Sealer};
use super::entries::{Handler, HandlerId};
use super::named::Named;
use super::registry::Catalog;
use super::resource_tools::ResourceTool;
use crate::access::{AccessCheck, Operation, Verdict};
use crate::jsonrpc::Raw;
use crate::limits::Limits;
use crate::log::{Level, LogLine};
use crate::model::{Family, Page, PageItem};
use crate::policy::Cacheable;
use crate::revision::Revision;
use crate::sync::Lock;
use crate::wire::{same_in_all, write_definition, write_resource, write_template};
use std::ops::Range;
use std::sync::Arc;

/// The kind of list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    Resources,
    Templates,
    Tools,
    Prompts,
    /// Resources, then templates: for the tool that lists both.
    Everything,
    /// The skills that are served.
    Skills,
    /// The skill at one URI.
    Skill,
    /// The direct children of one directory.
    Directory,
}

impl Listing {
    /// Returns the kind of list that a method of the extension for skills asks for.
    pub(crate) fn of_skills(method: &str) -> Option<Listing> {
        [Listing::Skills, Listing::Skill, Listing::Directory].into_iter().find(|l| l.method() == method)
    }

    /// Returns the member of the result that holds the items.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Listing::Resources | Listing::Everything | Listing::Directory => "resources",
            Listing::Templates => "resourceTemplates",
            Listing::Tools => "tools",
            Listing::Prompts => "prompts",
            Listing::Skills => "skills",
            Listing::Skill => "skill",
        }
    }

    /// Returns the kind of answer for caching hints; `None` for an answer that has none.
    pub(crate) fn cacheable(self) -> Option<Cacheable> {
        Some(match self {
            Listing::Resources | Listing::Everything | Listing::Skills | Listing::Skill => {
                Cacheable::Resources
            }
            Listing::Templates => Cacheable::Templates,
            Listing::Tools => Cacheable::Tools,
            Listing::Prompts => Cacheable::Prompts,
            Listing::Directory => return None,
        })
    }

    /// Returns the number of the entry with that name.
    fn number_of(self, part: ListPart, catalog: &Catalog, name: &str) -> Option<u64> {
        match (self, part) {
            (Listing::Templates, _) | (Listing::Everything, ListPart::Second) => {
                catalog.listed_templates.number_of(name)
            }
            (Listing::Resources | Listing::Everything, _) => catalog.fixed.number_of(name),
            (Listing::Tools, ListPart::Second) => {
                let mut tools = catalog.resource_tools().into_iter();
                tools.find(|(_, tool)| *tool.name == *name).map(|(number, _)| number)
            }
            (Listing::Tools, ListPart::First) => catalog.named(Family::Tools)?.0.number_of(name),
            (Listing::Prompts, _) => catalog.named(Family::Prompts)?.0.number_of(name),
            (Listing::Skills | Listing::Skill | Listing::Directory, _) => None,
        }
    }

    /// Returns whether list sources give the items.
    fn has_sources(self) -> bool {
        matches!(
            self,
            Listing::Resources | Listing::Everything | Listing::Skills | Listing::Skill | Listing::Directory
        )
    }

    pub(crate) fn method(self) -> &'static str {
        match self {
            Listing::Resources => "resources/list",
            Listing::Templates => "resources/templates/list",
            Listing::Tools => "tools/list",
            Listing::Prompts => "prompts/list",
            Listing::Everything => "list_resources",
            Listing::Skills => "skills/list",
            Listing::Skill => "skills/get",
            Listing::Directory => "resources/directory/read",
        }
    }

    fn operation(self, part: ListPart) -> Operation {
        match (self, part) {
            // A tool of the second part stands for a template.
            (
                Listing::Resources
                | Listing::Templates
                | Listing::Everything
                | Listing::Skills
                | Listing::Directory,
                _,
            )
            | (Listing::Tools, ListPart::Second) => Operation::List,
            (Listing::Skill, _) => Operation::Read,
            (Listing::Tools, ListPart::First) => Operation::ListTools,
            (Listing::Prompts, _) => Operation::ListPrompts,
        }
    }
}

/// The list that a source is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ListOf {
    pub(crate) listing: Listing,
    /// The skill or directory that the client asks about.
    pub(crate) subject: Option<Arc<str>>,
}

/// The maximum number of rounds for one page; after them a short page goes out.
const PATIENCE: usize = 10;

/// The parts of its server that a walk needs, and the caller's id bytes that cursors are bound to.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) catalog: &'a Lock<Catalog>,
    pub(crate) sealer: &'a Sealer,
    pub(crate) limits: &'a Limits,
    pub(crate) caller: &'a [u8],
}

/// One page in the making.
pub(crate) struct Walk {
    listing: Listing,
    part: ListPart,
    revision: Revision,
    /// The URI that the client asks about: of a skill or of a directory.
    subject: Option<Arc<str>>,
    filter: Option<Box<str>>,
    check: AccessCheck,
    /// The current list source, by its registration and name; `None` for single registrations.
    source: Option<(HandlerId, Box<str>)>,
    /// The last item of the source that was consumed, on the page or not.
    position: Option<ListPosition>,
    /// The last item before the source: the next page starts there if this one is full already.
    before: Option<Position>,
    /// Items that are not consumed yet, and their JSON in one buffer.
    candidates: Vec<Candidate>,
    rendered: Vec<u8>,
    /// The source has items after the candidates.
    more: bool,
    /// The source says that nothing is at the subject.
    missing: bool,
    scanned: usize,
    items: PageItems,
}

/// The item that a list continues after.
#[derive(Clone)]
enum ListPosition {
    /// The single registration with that number and name.
    Registered(u64, Arc<str>),
    /// The item of a list source with that key.
    Key(String),
}

/// An item that may become part of the page. It is left out if its JSON is empty.
struct Candidate {
    uri: Arc<str>,
    /// The files of a skill, all of which the caller must be allowed to see.
    files: Arc<[Arc<str>]>,
    /// The URI, for an item of a list source.
    mark: Option<ListPosition>,
    rendered: Option<Range<usize>>,
    /// Every caller sees it.
    for_all: bool,
}

impl Candidate {
    /// Returns the URIs that the application judges.
    fn judged(&self) -> impl Iterator<Item = &Arc<str>> {
        let files = self.files.iter().filter(|file| **file != self.uri);
        let judged = std::iter::once(&self.uri).chain(files);
        judged.filter(|_| self.rendered.is_some() && !self.for_all)
    }

    fn into_mark(self) -> ListPosition {
        self.mark.unwrap_or_else(|| ListPosition::Key(self.uri.to_string()))
    }
}

/// Returns the number after which a list continues. `number` is that of its last item in the cursor, `here` that of
/// the entry with its name in this catalog.
///
/// Replicas number differently, and so does this instance after a restart: there `here` counts. A greater number in
/// the same instance belongs to an item that was removed and registered again. The entries that followed it are still
/// to be listed.
fn resumed(number: u64, by_us: bool, here: Option<u64>) -> u64 {
    match here {
        Some(here) if !by_us || here < number => here,
        _ => number,
    }
}

/// A stretch of a list that follows another one.
enum Stretch {
    Source(Arc<Handler>),
    SecondPart,
}

/// The progress of a walk.
pub(crate) enum Walked {
    /// It needs the source's next items.
    Ask { walk: Box<Walk>, handler: Arc<Handler>, of: ListOf, after: Option<String>, limit: usize },
    /// It needs verdicts about the candidates.
    Authorize { walk: Box<Walk>, uris: Vec<Arc<str>> },
    /// The page is ready.
    Page { listing: Listing, items: Vec<u8>, cursor: Option<String> },
    /// No skill or directory is at the URI that the client asks about.
    Missing(Arc<str>),
    /// The application's answer cannot be used.
    Failed(String),
}

impl Walk {
    /// Begins at a cursor, or at the start. Returns `None` for an invalid cursor.
    pub(crate) fn new(
        (listing, subject): (Listing, Option<Arc<str>>),
        revision: Revision,
        filter: Option<&str>,
        check: AccessCheck,
        cursor: Option<&str>,
        around: &Surroundings<'_>,
    ) -> Option<Box<Walk>> {
        let mut walk = Box::new(Walk {
            listing,
            part: ListPart::First,
            revision,
            // A cursor is good for the directory that it came with.
            filter: subject.as_deref().or(filter).map(Into::into),
            subject,
            check,
            source: None,
            position: None,
            before: None,
            candidates: Vec::new(),
            rendered: Vec::new(),
            more: false,
            missing: false,
            scanned: 0,
            items: PageItems::new(around.limits),
        });
        if let Some(cursor) = cursor {
            match around.sealer.open(walk.bound(around), cursor)? {
                Position::Registered { part, instance, number, name } => {
                    walk.part = part;
                    let here = around.catalog.with(|c, _| listing.number_of(part, c, &name));
                    let number = resumed(number, instance == around.sealer.instance, here);
                    walk.position = Some(ListPosition::Registered(number, name.into()));
                }
                Position::Listed { source, key } => {
                    let id = around.catalog.with(|c, _| {
                        c.sources(listing).iter().find(|other| *other.name == *source).map(|found| found.id)
                    })?;
                    walk.source = Some((id, source.into()));
                    walk.position = Some(ListPosition::Key(key));
                }
            }
        }
        Some(walk)
    }

    /// Returns the request that cursors of this list are bound to.
    fn bound<'a>(&'a self, around: &Surroundings<'a>) -> cursor::Bound<'a> {
        let filter = self.filter.as_deref();
        cursor::Bound { method: self.listing.method(), caller: around.caller, filter }
    }

    /// Returns how many candidates need a verdict.
    pub(crate) fn asked(&self) -> usize {
        self.candidates.iter().map(|candidate| candidate.judged().count()).sum()
    }

    /// Returns the operation to authorize for the candidates.
    pub(crate) fn operation(&self) -> Operation {
        self.listing.operation(self.part)
    }

    pub(crate) fn source_name(&self) -> &str {
        self.source.as_ref().map_or("", |(_, name)| name)
    }

    /// Continues from the start or from a cursor.
    pub(crate) fn start(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        if self.source.is_some() {
            return self.ask(around);
        }
        around.catalog.with(|catalog, _| match (self.listing, self.part) {
            (Listing::Templates, _) | (Listing::Everything, ListPart::Second) => self.take_templates(catalog),
            (Listing::Resources | Listing::Everything, _) => self.take_fixed(catalog),
            (Listing::Tools, ListPart::First) => self.take_named(catalog, Family::Tools),
            (Listing::Tools, ListPart::Second) => self.take_resource_tools(catalog),
            (Listing::Prompts, _) => self.take_named(catalog, Family::Prompts),
            (Listing::Skills | Listing::Skill | Listing::Directory, _) => {}
        });
        self.authorise(around)
    }

    /// Continues with the answer of the source.
    pub(crate) fn feed(
        mut self: Box<Self>,
        page: Page,
        around: &Surroundings<'_>,
        lines: &mut Vec<LogLine>,
    ) -> Walked {
        match self.take_page(page, around.catalog, lines) {
            Ok(()) => self.authorise(around),
            Err(why) => Walked::Failed(format!("the list source \"{}\" {why}", self.source_name())),
        }
    }

    /// Continues with the verdicts about the candidates.
    pub(crate) fn judge(mut self: Box<Self>, verdicts: &[Verdict], around: &Surroundings<'_>) -> Walked {
        let mut verdicts = verdicts.iter();
        for candidate in &mut self.candidates {
            let asked = candidate.judged().count();
            if verdicts.by_ref().take(asked).any(|verdict| *verdict != Verdict::Allow) {
                candidate.rendered = None;
            }
        }
        self.consume(around)
    }

    /// Returns how many items to consider next.
    fn wanted(&self) -> usize {
        if self.check == AccessCheck::Required {
            self.items.max
        } else {
            (self.items.max - self.items.count).max(1)
        }
    }

    /// Returns the key after which the source continues.
    fn key(&self) -> Option<&str> {
        match &self.position {
            Some(ListPosition::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// Returns the last consumed item, as a cursor holds it.
    fn place(&self, around: &Surroundings<'_>) -> Option<Position> {
        Some(match self.position.clone()? {
            ListPosition::Registered(number, name) => {
                let (part, instance) = (self.part, around.sealer.instance);
                Position::Registered { part, instance, number, name: name.to_string() }
            }
            ListPosition::Key(key) => Position::Listed { source: self.source_name().to_owned(), key },
        })
    }

    /// Returns the number after which single registrations are listed.
    fn number(&self) -> Option<u64> {
        match self.position {
            Some(ListPosition::Registered(number, _)) => Some(number),
            _ => None,
        }
    }

    fn take_fixed(&mut self, catalog: &Catalog) {
        let revision = self.revision;
        self.take_registered(
            catalog.fixed.after(self.number()),
            |fixed| fixed.uri.clone(),
            |fixed, out| {
                let described = fixed.descriptor().view();
                if same_in_all(revision, &described) {
                    out.extend_from_slice(&fixed.rendered);
                } else {
                    write_resource(out, revision, &fixed.uri, &described);
                }
            },
        );
    }

    fn take_templates(&mut self, catalog: &Catalog) {
        let revision = self.revision;
        self.take_registered(
            catalog.listed_templates.after(self.number()),
            |handler| (*handler.name).into(),
            |handler, out| write_template(out, revision, &handler.name, &handler.descriptor.view()),
        );
    }

    fn take_named(&mut self, catalog: &Catalog, family: Family) {
        let Some(named) = catalog.named(family) else { return };
        let revision = self.revision;
        self.take_registered(
            named.0.after(self.number()).filter(|(_, named)| named.is_enabled()),
            |named| named.name.clone(),
            |named, out| write_definition(out, family, revision, Raw::kept(named.rendered(revision))),
        );
    }

    fn take_resource_tools(&mut self, catalog: &Catalog) {
        let (revision, after) = (self.revision, self.number());
        let tools = catalog.resource_tools().into_iter();
        let rest = tools.filter(|(number, _)| after.is_none_or(|after| *number > after));
        let name_of = |named: &Named| named.name.clone();
        self.take_registered(rest, name_of, |named, out| {
            write_definition(out, Family::Tools, revision, Raw::kept(named.rendered(revision)));
        });
        // The authorizer judges the template, not the tool.
        for candidate in &mut self.candidates {
            let tool = catalog.called(Family::Tools, &candidate.uri);
            match tool.as_ref().and_then(|tool| tool.of_resources.as_ref()) {
                Some(ResourceTool::Template(text)) => candidate.uri = (**text).into(),
                _ => candidate.for_all = true,
            }
        }
    }

    /// Takes single registrations: as candidates if the authorizer has to decide, otherwise onto the page at once.
    fn take_registered<'a, T: 'a>(
        &mut self,
        mut rest: impl Iterator<Item = (u64, &'a Arc<T>)>,
        name_of: impl Fn(&T) -> Arc<str>,
        write: impl Fn(&T, &mut Vec<u8>),
    ) {
        if self.check == AccessCheck::Required {
            for (number, registered) in rest.by_ref().take(self.items.max) {
                let from = self.rendered.len();
                write(registered, &mut self.rendered);
                let rendered = Some(from..self.rendered.len());
                let uri = name_of(registered);
                let mark = Some(ListPosition::Registered(number, uri.clone()));
                self.candidates.push(Candidate {
                    uri,
                    files: Arc::default(),
                    mark,
                    rendered,
                    for_all: false,
                });
            }
            self.scanned += self.candidates.len();
            self.more = rest.next().is_some();
            return;
        }
        self.more = false;
        let mut last = None;
        for (number, registered) in rest {
            if !self.items.add(|out| write(registered, out)) {
                self.more = true;
                break;
            }
            last = Some((number, registered));
        }
        if let Some((number, registered)) = last {
            self.position = Some(ListPosition::Registered(number, name_of(registered)));
        }
    }

    fn take_page(
        &mut self,
        mut page: Page,
        catalog: &Lock<Catalog>,
        lines: &mut Vec<LogLine>,
    ) -> Result<(), String> {
        if let Some(why) = page.failed {
            return Err(format!("failed: {why}"));
        }
        self.missing = page.missing;
        if page.more && page.is_empty() {
            return Err("said that there is more but gave no item".to_owned());
        }
        let taken = page.len().min(self.wanted());
        self.more = page.more || page.len() > taken;
        let last = page.items().take(taken).next_back();
        if self.more && last.map(PageItem::key) == self.key() {
            return Err("gave the key that it was asked to go on from; keys must move on".to_owned());
        }
        self.scanned += taken;
        // One critical section for all. A fixed resource wins over a listed one of the same URI.
        let shadowed: Vec<bool> = catalog.with(|c, _| {
            let is_fixed = |item: PageItem<'_>| c.fixed.has(item.uri());
            let lists_resources = matches!(self.listing, Listing::Resources | Listing::Everything);
            if c.fixed.is_empty() || !lists_resources {
                Vec::new()
            } else {
                page.items().take(taken).map(is_fixed).collect()
            }
        });
        let is_skill = matches!(self.listing, Listing::Skills | Listing::Skill);
        let is_sought = |item: PageItem<'_>| {
            self.listing != Listing::Skill || self.subject.as_deref() == Some(item.uri())
        };
        let whole = self.check == AccessCheck::NotRequired
            && taken == page.len()
            && !shadowed.contains(&true)
            && self.listing != Listing::Skill
            && page.items().all(|item| item.is_skill() == is_skill);
        if whole && self.items.count == 0 {
            let key = last.map(|item| item.key().to_owned());
            if let Some(json) = page.take_ready(self.revision, self.items.max_bytes) {
                self.items.written = json;
                self.items.count = taken;
                self.position = key.map(ListPosition::Key).or(self.position.take());
                return Ok(());
            }
        }
        self.items.reserve(taken);
        let mut consumed = None;
        for (at, item) in page.items().take(taken).enumerate() {
            if let Some(fault) = item.fault() {
                let line = format!("the list source \"{}\" {fault}", self.source_name());
                lines.push(LogLine(Level::Error, line));
            }
            if item.is_skill() != is_skill && item.fault().is_none() {
                let what = if is_skill { "is no skill; add it as one" } else { "is a skill; list it as one" };
                let line = format!(
                    "the list source \"{}\" gave \"{}\", which {what}",
                    self.source_name(),
                    item.uri()
                );
                lines.push(LogLine(Level::Error, line));
            }
            let shown = item.fault().is_none()
                && item.is_skill() == is_skill
                && is_sought(item)
                && !shadowed.get(at).is_some_and(|shadowed| *shadowed);
            let revision = self.revision;
            if self.check == AccessCheck::Required {
                let rendered = shown.then(|| {
                    let from = self.rendered.len();
                    item.write(&mut self.rendered, revision);
                    from..self.rendered.len()
                });
                let (uri, key) = (item.uri(), item.key());
                let mark = (uri != key).then(|| ListPosition::Key(key.to_owned()));
                let files = item.files();
                self.candidates.push(Candidate { uri: uri.into(), files, mark, rendered, for_all: false });
            } else if shown && !self.items.add(|out| item.write(out, revision)) {
                self.more = true;
                break;
            } else {
                consumed = Some(item);
            }
        }
        if let Some(item) = consumed {
            self.position = Some(ListPosition::Key(item.key().to_owned()));
        }
        Ok(())
    }

    fn authorise(self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        if self.check == AccessCheck::Required {
            let uris: Vec<_> = self.candidates.iter().flat_map(Candidate::judged).cloned().collect();
            if !uris.is_empty() {
                return Walked::Authorize { walk: self, uris };
            }
        }
        self.consume(around)
    }

    /// Moves candidates onto the page, and decides how to continue.
    fn consume(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        let rendered = std::mem::take(&mut self.rendered);
        let mut consumed = None;
        for candidate in std::mem::take(&mut self.candidates) {
            if let Some(stretch) = candidate.rendered.clone()
                && !self.items.add(|out| out.extend_from_slice(&rendered[stretch]))
            {
                self.more = true;
                break;
            }
            consumed = Some(candidate);
        }
        if let Some(candidate) = consumed {
            self.position = Some(candidate.into_mark());
        }
        if self.listing == Listing::Skill {
            if self.items.count > 0 {
                return self.page(around);
            }
        } else if self.items.is_full() || self.scanned >= PATIENCE.saturating_mul(self.items.max) {
            return self.page(around);
        }
        if !self.more {
            let Some(next) = self.next_stretch(around) else { return self.page(around) };
            if let Some(position) = self.place(around) {
                self.before = Some(position);
                self.position = None;
            }
            match next {
                Stretch::Source(source) => self.source = Some((source.id, source.name.clone())),
                Stretch::SecondPart => (self.part, self.source) = (ListPart::Second, None),
            }
        }
        if self.source.is_none() {
            return self.start(around);
        }
        self.ask(around)
    }

    fn ask(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        let (after, limit) = (self.key().map(str::to_owned), self.wanted());
        let source = self.source.as_ref().map(|(id, _)| *id);
        let handler = around
            .catalog
            .with(|c, _| c.sources(self.listing).iter().find(|other| Some(other.id) == source).cloned());
        if let Some(handler) = handler {
            let of = ListOf { listing: self.listing, subject: self.subject.clone() };
            return Walked::Ask { walk: self, handler, of, after, limit };
        }
        self.more = false; // the source was removed while this page was made
        self.consume(around)
    }

    /// Returns what follows the source, or the single registrations.
    fn next_stretch(&self, around: &Surroundings<'_>) -> Option<Stretch> {
        if self.part == ListPart::Second {
            return None;
        }
        if self.listing.has_sources()
            && let Some(source) = self.next_source(around)
        {
            return Some(Stretch::Source(source));
        }
        let follows = around.catalog.with(|c, _| match self.listing {
            Listing::Everything => !c.listed_templates.is_empty(),
            Listing::Tools => !c.resource_tools().is_empty(),
            _ => false,
        });
        follows.then_some(Stretch::SecondPart)
    }

    /// Returns the next source. Registrations are numbered in their order, so it is found even if this one was
    /// removed.
    fn next_source(&self, around: &Surroundings<'_>) -> Option<Arc<Handler>> {
        let last = self.source.as_ref().map(|(id, _)| *id);
        around.catalog.with(|c, _| match (self.listing, &self.subject) {
            (Listing::Directory, Some(uri)) => c.directory(uri).filter(|_| last.is_none()),
            _ => c.sources(self.listing).iter().find(|other| Some(other.id) > last).cloned(),
        })
    }

    fn page(self, around: &Surroundings<'_>) -> Walked {
        let is_missing = match self.listing {
            Listing::Skill => self.items.count == 0,
            Listing::Directory => self.missing || self.source.is_none(),
            _ => false,
        };
        if let Some(uri) = self.subject.clone().filter(|_| is_missing) {
            return Walked::Missing(uri);
        }
        let more = self.more || self.next_stretch(around).is_some();
        let bound = self.bound(around);
        let cursor = self
            .place(around)
            .or_else(|| self.before.clone())
            .filter(|_| more)
            .map(|position| around.sealer.seal(bound, &position));
        Walked::Page { listing: self.listing, items: self.items.written, cursor }
    }
}

/// The items of a page, within its limits.
struct PageItems {
    max: usize,
    max_bytes: usize,
    count: usize,
    written: Vec<u8>,
    refused: bool,
}

impl PageItems {
    fn new(limits: &Limits) -> Self {
        PageItems {
            max: limits.page_items,
            max_bytes: limits.page_bytes,
            count: 0,
            written: Vec::new(),
            refused: false,
        }
    }

    /// Reserves room for this many items of ordinary size.
    fn reserve(&mut self, items: usize) {
        self.written.reserve(items.min(self.max).saturating_mul(160).min(self.max_bytes));
    }

    /// Adds an item. Returns false if the page is full; it then stays full.
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        if self.count >= self.max {
            self.refused = true;
            return false;
        }
        let before = self.written.len();
        if self.count > 0 {
            self.written.push(b',');
        }
        write(&mut self.written);
        if self.count > 0 && self.written.len() > self.max_bytes {
            self.written.truncate(before);
            self.refused = true;
            return false;
        }
        self.count += 1;
        true
    }

    fn is_full(&self) -> bool {
        self.refused || self.count >= self.max
    }
}
