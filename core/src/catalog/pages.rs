//! Paging: what is registered one by one, then each list source, both in the order of registration.
//!
//! A walk makes one page. It goes as far as it can without the host, then asks for a source's next items or for
//! verdicts, and goes on from the answer.

use super::cursor::{self, Position, Sealer};
use super::entries::{Handler, HandlerId};
use super::named::Family;
use super::registry::Catalog;
use crate::access::{Operation, Verdict};
use crate::limits::Limits;
use crate::log::{Level, Line};
use crate::model::{Page, PageItem};
use crate::policy::Cacheable;
use crate::revision::Revision;
use crate::sync::Lock;
use crate::wire::{same_in_all, write_resource, write_template};
use std::ops::Range;
use std::sync::Arc;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    Resources,
    Templates,
    Tools,
    Prompts,
}

impl Listing {
    /// The member of the result that holds the items.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Listing::Resources => "resources",
            Listing::Templates => "resourceTemplates",
            Listing::Tools => "tools",
            Listing::Prompts => "prompts",
        }
    }

    pub(crate) fn cacheable(self) -> Cacheable {
        match self {
            Listing::Resources => Cacheable::Resources,
            Listing::Templates => Cacheable::Templates,
            Listing::Tools => Cacheable::Tools,
            Listing::Prompts => Cacheable::Prompts,
        }
    }

    /// The number of what is registered under that name.
    fn number_of(self, catalog: &Catalog, name: &str) -> Option<u64> {
        match self {
            Listing::Resources => catalog.fixed.number_of(name),
            Listing::Templates => catalog.listed_templates.number_of(name),
            Listing::Tools => catalog.named(Family::Tools)?.0.number_of(name),
            Listing::Prompts => catalog.named(Family::Prompts)?.0.number_of(name),
        }
    }

    fn method(self) -> &'static str {
        match self {
            Listing::Resources => "resources/list",
            Listing::Templates => "resources/templates/list",
            Listing::Tools => "tools/list",
            Listing::Prompts => "prompts/list",
        }
    }

    fn operation(self) -> Operation {
        match self {
            Listing::Resources | Listing::Templates => Operation::List,
            Listing::Tools => Operation::ListTools,
            Listing::Prompts => Operation::ListPrompts,
        }
    }
}

/// After this many times a page's items have been looked at, a short page goes out.
const PATIENCE: usize = 10;

/// What a walk needs of its server, and the caller's id bytes that cursors are bound to.
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
    revision: Revision,
    filter: Option<Box<str>>,
    authorise: bool,
    /// The list source, by its registration and name; none for what is registered one by one.
    source: Option<(HandlerId, Box<str>)>,
    /// The last item of the source that was consumed, in the page or not.
    position: Option<Mark>,
    /// The last item that was consumed before the source: where the next page starts if this one is full already.
    before: Option<Position>,
    /// Items not consumed yet, and their JSON in one buffer.
    candidates: Vec<Candidate>,
    rendered: Vec<u8>,
    /// The source has items behind the candidates.
    more: bool,
    scanned: usize,
    items: Items,
}

/// What a list goes on behind.
#[derive(Clone)]
enum Mark {
    /// What was registered under that number and name.
    Registered(u64, Arc<str>),
    /// A list source's item with that key.
    Key(String),
}

/// An item that may become part of the page; not, if nothing was rendered.
struct Candidate {
    uri: Arc<str>,
    /// Of an item of a list source: its URI.
    mark: Option<Mark>,
    rendered: Option<Range<usize>>,
}

impl Candidate {
    fn into_mark(self) -> Mark {
        self.mark.unwrap_or_else(|| Mark::Key(self.uri.to_string()))
    }
}

/// Behind which number a list goes on that ended with `number`, where its last item has the number `here`, if it is here.
///
/// Replicas number otherwise, and so does this instance once it was started again: there the item's own number counts. A
/// greater number here is that of an item which was removed meanwhile and registered again: what stood behind it is yet to
/// be listed.
fn resumed(number: u64, by_us: bool, here: Option<u64>) -> u64 {
    match here {
        Some(here) if !by_us || here < number => here,
        _ => number,
    }
}

/// How far a walk came.
pub(crate) enum Walked {
    /// The source's next items are needed.
    Ask { walk: Box<Walk>, handler: Arc<Handler>, after: Option<String>, limit: usize },
    /// Verdicts about the candidates are needed.
    Authorize { walk: Box<Walk>, uris: Vec<Arc<str>> },
    /// The page is made.
    Page { listing: Listing, items: Vec<u8>, cursor: Option<String> },
    /// The host's answer was of no use.
    Failed(String),
}

impl Walk {
    /// Begins at a cursor, or at the beginning. Nothing if the cursor is not valid.
    pub(crate) fn new(
        listing: Listing,
        revision: Revision,
        filter: Option<&str>,
        authorise: bool,
        cursor: Option<&str>,
        around: &Surroundings<'_>,
    ) -> Option<Box<Walk>> {
        let mut walk = Box::new(Walk {
            listing,
            revision,
            filter: filter.map(Into::into),
            authorise,
            source: None,
            position: None,
            before: None,
            candidates: Vec::new(),
            rendered: Vec::new(),
            more: false,
            scanned: 0,
            items: Items::new(around.limits),
        });
        if let Some(cursor) = cursor {
            match around.sealer.open(walk.bound(around), cursor)? {
                Position::Registered { instance, number, name } => {
                    let here = around.catalog.with(|c, _| listing.number_of(c, &name));
                    let number = resumed(number, instance == around.sealer.instance, here);
                    walk.position = Some(Mark::Registered(number, name.into()));
                }
                Position::Listed { source, key } => {
                    let id = around.catalog.with(|c, _| {
                        c.sources.iter().find(|other| *other.name == *source).map(|found| found.id)
                    })?;
                    walk.source = Some((id, source.into()));
                    walk.position = Some(Mark::Key(key));
                }
            }
        }
        Some(walk)
    }

    /// What cursors of this list are good for.
    fn bound<'a>(&'a self, around: &Surroundings<'a>) -> cursor::Bound<'a> {
        let filter = self.filter.as_deref();
        cursor::Bound { method: self.listing.method(), caller: around.caller, filter }
    }

    /// How many candidates there are verdicts wanted about.
    pub(crate) fn asked(&self) -> usize {
        self.candidates.iter().filter(|candidate| candidate.rendered.is_some()).count()
    }

    /// What the caller wants to do with the candidates.
    pub(crate) fn operation(&self) -> Operation {
        self.listing.operation()
    }

    pub(crate) fn source_name(&self) -> &str {
        self.source.as_ref().map_or("", |(_, name)| name)
    }

    /// Goes on from the beginning or from a cursor.
    pub(crate) fn start(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        if self.source.is_some() {
            return self.ask(around);
        }
        around.catalog.with(|catalog, _| match self.listing {
            Listing::Resources => self.take_fixed(catalog),
            Listing::Templates => self.take_templates(catalog),
            Listing::Tools => self.take_named(catalog, Family::Tools),
            Listing::Prompts => self.take_named(catalog, Family::Prompts),
        });
        self.authorise(around)
    }

    /// Goes on from what the source answered.
    pub(crate) fn feed(
        mut self: Box<Self>,
        page: Page,
        around: &Surroundings<'_>,
        lines: &mut Vec<Line>,
    ) -> Walked {
        match self.take_page(page, around.catalog, lines) {
            Ok(()) => self.authorise(around),
            Err(why) => Walked::Failed(format!("the list source \"{}\" {why}", self.source_name())),
        }
    }

    /// Goes on from the verdicts about the candidates.
    pub(crate) fn judge(mut self: Box<Self>, verdicts: &[Verdict], around: &Surroundings<'_>) -> Walked {
        let asked = self.candidates.iter_mut().filter(|candidate| candidate.rendered.is_some());
        for (candidate, verdict) in asked.zip(verdicts) {
            if *verdict != Verdict::Allow {
                candidate.rendered = None;
            }
        }
        self.consume(around)
    }

    /// How many items to look at next.
    fn wanted(&self) -> usize {
        if self.authorise { self.items.max } else { (self.items.max - self.items.count).max(1) }
    }

    /// The key behind which the source goes on.
    fn key(&self) -> Option<&str> {
        match &self.position {
            Some(Mark::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// The last item that was consumed, as a cursor holds it.
    fn place(&self, around: &Surroundings<'_>) -> Option<Position> {
        Some(match self.position.clone()? {
            Mark::Registered(number, name) => {
                Position::Registered { instance: around.sealer.instance, number, name: name.to_string() }
            }
            Mark::Key(key) => Position::Listed { source: self.source_name().to_owned(), key },
        })
    }

    /// The number behind which what is registered is listed.
    fn number(&self) -> Option<u64> {
        match self.position {
            Some(Mark::Registered(number, _)) => Some(number),
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
        self.take_registered(
            named.0.after(self.number()),
            |named| named.name.clone(),
            |named, out| out.extend_from_slice(&named.rendered),
        );
    }

    /// Takes what is registered one by one: as candidates if somebody has to be asked, otherwise into the page at once.
    fn take_registered<'a, T: 'a>(
        &mut self,
        mut rest: impl Iterator<Item = (u64, &'a Arc<T>)>,
        name_of: impl Fn(&T) -> Arc<str>,
        write: impl Fn(&T, &mut Vec<u8>),
    ) {
        if self.authorise {
            for (number, registered) in rest.by_ref().take(self.items.max) {
                let from = self.rendered.len();
                write(registered, &mut self.rendered);
                let rendered = Some(from..self.rendered.len());
                let uri = name_of(registered);
                let mark = Some(Mark::Registered(number, uri.clone()));
                self.candidates.push(Candidate { uri, mark, rendered });
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
            self.position = Some(Mark::Registered(number, name_of(registered)));
        }
    }

    fn take_page(
        &mut self,
        mut page: Page,
        catalog: &Lock<Catalog>,
        lines: &mut Vec<Line>,
    ) -> Result<(), String> {
        if let Some(why) = page.failed {
            return Err(format!("failed: {why}"));
        }
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
        // One lock for all: a fixed resource wins over a listed one of the same URI.
        let shadowed: Vec<bool> = catalog.with(|c, _| {
            let is_fixed = |item: PageItem<'_>| c.fixed.has(item.uri());
            if c.fixed.is_empty() { Vec::new() } else { page.items().take(taken).map(is_fixed).collect() }
        });
        let whole = !self.authorise && taken == page.len() && !shadowed.contains(&true);
        if whole && self.items.count == 0 {
            let key = last.map(|item| item.key().to_owned());
            if let Some(json) = page.take_ready(self.revision, self.items.max_bytes) {
                self.items.written = json;
                self.items.count = taken;
                self.position = key.map(Mark::Key).or(self.position.take());
                return Ok(());
            }
        }
        self.items.reserve(taken);
        let mut consumed = None;
        for (at, item) in page.items().take(taken).enumerate() {
            if let Some(fault) = item.fault() {
                let line = format!("the list source \"{}\" {fault}", self.source_name());
                lines.push(Line(Level::Error, line));
            }
            let shown = item.fault().is_none() && !shadowed.get(at).is_some_and(|shadowed| *shadowed);
            let revision = self.revision;
            if self.authorise {
                let rendered = shown.then(|| {
                    let from = self.rendered.len();
                    item.write(&mut self.rendered, revision);
                    from..self.rendered.len()
                });
                let (uri, key) = (item.uri(), item.key());
                let mark = (uri != key).then(|| Mark::Key(key.to_owned()));
                self.candidates.push(Candidate { uri: uri.into(), mark, rendered });
            } else if shown && !self.items.add(|out| item.write(out, revision)) {
                self.more = true;
                break;
            } else {
                consumed = Some(item);
            }
        }
        if let Some(item) = consumed {
            self.position = Some(Mark::Key(item.key().to_owned()));
        }
        Ok(())
    }

    fn authorise(self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        if self.authorise {
            let asked = self.candidates.iter().filter(|candidate| candidate.rendered.is_some());
            let uris: Vec<_> = asked.map(|candidate| candidate.uri.clone()).collect();
            if !uris.is_empty() {
                return Walked::Authorize { walk: self, uris };
            }
        }
        self.consume(around)
    }

    /// Moves candidates into the page, and decides how to go on.
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
        if self.items.is_full() || self.scanned >= PATIENCE.saturating_mul(self.items.max) {
            return self.page(around);
        }
        if !self.more {
            if self.listing != Listing::Resources {
                return self.page(around);
            }
            let Some(next) = self.next_source(around) else { return self.page(around) };
            if let Some(position) = self.place(around) {
                self.before = Some(position);
                self.position = None;
            }
            self.source = Some((next.id, next.name.clone()));
        }
        if self.source.is_none() {
            return self.start(around);
        }
        self.ask(around)
    }

    fn ask(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        let (after, limit) = (self.key().map(str::to_owned), self.wanted());
        let source = self.source.as_ref().map(|(id, _)| *id);
        let handler =
            around.catalog.with(|c, _| c.sources.iter().find(|other| Some(other.id) == source).cloned());
        if let Some(handler) = handler {
            return Walked::Ask { walk: self, handler, after, limit };
        }
        self.more = false; // removed while this page was made
        self.consume(around)
    }

    /// The source after this one. Registrations are numbered in their order, so it is found even if this one is gone.
    fn next_source(&self, around: &Surroundings<'_>) -> Option<Arc<Handler>> {
        let last = self.source.as_ref().map(|(id, _)| *id);
        around.catalog.with(|c, _| c.sources.iter().find(|other| Some(other.id) > last).cloned())
    }

    fn page(self, around: &Surroundings<'_>) -> Walked {
        let more = self.more || self.listing == Listing::Resources && self.next_source(around).is_some();
        let bound = self.bound(around);
        let cursor = self
            .place(around)
            .or_else(|| self.before.clone())
            .filter(|_| more)
            .map(|position| around.sealer.seal(bound, &position));
        Walked::Page { listing: self.listing, items: self.items.written, cursor }
    }
}

/// The items of a page, up to its limits.
struct Items {
    max: usize,
    max_bytes: usize,
    count: usize,
    written: Vec<u8>,
    refused: bool,
}

impl Items {
    fn new(limits: &Limits) -> Self {
        Items {
            max: limits.page_items,
            max_bytes: limits.page_bytes,
            count: 0,
            written: Vec::new(),
            refused: false,
        }
    }

    /// Makes room for so many items of ordinary size.
    fn reserve(&mut self, items: usize) {
        self.written.reserve(items.min(self.max).saturating_mul(160).min(self.max_bytes));
    }

    /// Adds an item, unless the page is full: then it says no, and is full from then on.
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
