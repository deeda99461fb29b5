//! Makes pages of lists, stretch by stretch (`Listing::stretches`), in the order of registration.
//!
//! A walk makes one page. It goes as far as it can without the application. Then it asks a list source for items, or
//! the authorizer for verdicts, and continues with the answer.

mod candidates;
mod items;
mod listed;
mod registered;

use super::cursor::{self, Position, Sealer};
use super::entries::{Handler, HandlerId};
use super::listing::{ListOf, Listing, Stretch};
use super::registry::Catalog;
use crate::access::{AccessCheck, Operation, Verdict};
use crate::limits::Limits;
use crate::log::LogLine;
use crate::model::Page;
use crate::revision::Revision;
use crate::sync::Lock;
use candidates::{Candidate, ListPosition};
use items::PageItems;
use std::sync::Arc;

/// A page is sent, even if it is short, once this many times `page_items` items were considered for it. A list source that
/// gives one item at a time is asked for each of them.
const PATIENCE: usize = 10;

/// The parts of its server that a walk needs, and the caller's id bytes that cursors are bound to.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) catalog: &'a Lock<Catalog>,
    pub(crate) sealer: &'a Sealer,
    pub(crate) limits: &'a Limits,
    pub(crate) caller: &'a [u8],
}

/// The readers for whom a client lists tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAudience {
    /// Every reader, since no tool is for some clients only.
    Anyone,
    /// The model alone: tools for apps only are left out.
    Model,
    /// The model and the client's apps.
    ModelAndApps,
}

/// A page that is being made.
pub(crate) struct Walk {
    listing: Listing,
    audience: ToolAudience,
    /// The stretch of the list that the walk has reached.
    stretch: Stretch,
    revision: Revision,
    /// The URI of the skill or directory that the client asks about; `None` for other lists.
    subject: Option<Arc<str>>,
    /// True while the authorizer has to judge the directory itself.
    judges_subject: bool,
    filter: Option<Box<str>>,
    check: AccessCheck,
    /// The current list source, by its registration and name; `None` for single registrations.
    source: Option<(HandlerId, Box<str>)>,
    /// The last item of the source that was considered, whether it is on the page or not.
    position: Option<ListPosition>,
    /// The last item before the source. The next page starts after it if this page has no room for the source.
    before: Option<Position>,
    /// Items that are not considered yet, and their JSON in one buffer.
    candidates: Vec<Candidate>,
    rendered: Vec<u8>,
    /// True if the source has items after the candidates.
    more: bool,
    /// True if the source says that there is nothing at the subject.
    missing: bool,
    scanned: usize,
    items: PageItems,
}

/// A page that is ready.
pub(crate) struct ListPage {
    pub(crate) listing: Listing,
    /// The elements of the list, as JSON.
    pub(crate) items: Vec<u8>,
    pub(crate) cursor: Option<String>,
    pub(crate) audience: ToolAudience,
}

/// The result of a step of a walk: what the walk needs next, or the page.
pub(crate) enum Walked {
    /// The walk needs the source's next items.
    CallSource { walk: Box<Walk>, handler: Arc<Handler>, of: ListOf, after: Option<String>, limit: usize },
    /// The walk needs verdicts about the candidates.
    Authorize { walk: Box<Walk>, uris: Vec<Arc<str>> },
    /// The page is ready.
    Page(ListPage),
    /// The caller may not read the directory that the client asks about.
    Denied(Arc<str>),
    /// There is no skill or directory at the URI that the client asks about.
    Missing(Arc<str>),
    /// The answer of the list source is invalid; says why.
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
            audience: ToolAudience::Anyone,
            stretch: listing.stretches()[0],
            revision,
            // A cursor is good for the directory that it came with.
            filter: subject.as_deref().or(filter).map(Into::into),
            judges_subject: listing == Listing::Directory && check == AccessCheck::Required,
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
                    walk.stretch = listing.stretch(part)?;
                    let here = around.catalog.with(|c, _| c.number_of(walk.stretch, &name));
                    let number = resumed(number, instance == around.sealer.instance, here);
                    walk.position = Some(ListPosition::Registered(number, name.into()));
                }
                Position::Listed { source, key } => {
                    walk.stretch = *listing.stretches().iter().find(|stretch| stretch.has_sources())?;
                    let id = around.catalog.with(|c, _| {
                        let mut sources = c.sources.all(walk.stretch).iter();
                        sources.find(|other| *other.name == *source).map(|found| found.id)
                    })?;
                    walk.source = Some((id, source.into()));
                    walk.position = Some(ListPosition::Key(key));
                }
            }
        }
        Some(walk)
    }

    /// Sets the readers for whom tools are listed.
    pub(crate) fn set_audience(&mut self, audience: ToolAudience) {
        self.audience = audience;
    }

    /// Returns the request that cursors of this list are bound to.
    fn bound<'a>(&'a self, around: &Surroundings<'a>) -> cursor::Bound<'a> {
        let filter = self.filter.as_deref();
        cursor::Bound { method: self.listing.method(), caller: around.caller, filter }
    }

    /// Returns how many candidates need a verdict; 1 if it is about the directory.
    pub(crate) fn judged_count(&self) -> usize {
        if self.judges_subject {
            return 1;
        }
        self.candidates.iter().map(Candidate::judged_count).sum()
    }

    /// Returns the operation to authorize.
    pub(crate) fn operation(&self) -> Operation {
        if self.judges_subject { Operation::Read } else { self.listing.operation(self.stretch) }
    }

    pub(crate) fn source_name(&self) -> &str {
        self.source.as_ref().map_or("", |(_, name)| name)
    }

    /// Continues from the start or from a cursor.
    pub(crate) fn start(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        if let Some(uri) = self.subject.clone().filter(|_| self.judges_subject) {
            return Walked::Authorize { walk: self, uris: vec![uri] };
        }
        if self.source.is_some() {
            return self.continue_source(around);
        }
        around.catalog.with(|catalog, _| self.take_registrations(catalog));
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

    /// Continues with the verdicts about the candidates, or about the directory.
    pub(crate) fn judge(mut self: Box<Self>, verdicts: &[Verdict], around: &Surroundings<'_>) -> Walked {
        if let Some(uri) = self.subject.clone().filter(|_| self.judges_subject) {
            self.judges_subject = false;
            return match verdicts.first() {
                Some(Verdict::Allow) => self.start(around),
                Some(Verdict::Hide) => Walked::Missing(uri),
                _ => Walked::Denied(uri),
            };
        }
        let mut rest = verdicts;
        for candidate in &mut self.candidates {
            let (own, others) = rest.split_at(candidate.judged_count().min(rest.len()));
            if own.iter().any(|verdict| *verdict != Verdict::Allow) {
                candidate.rendered = None;
            }
            rest = others;
        }
        self.consume(around)
    }

    /// Returns the number of items to consider next.
    fn wanted(&self) -> usize {
        if self.check == AccessCheck::Required {
            self.items.max
        } else {
            (self.items.max - self.items.count).max(1)
        }
    }

    /// Returns the key of the item after which the source continues; `None` for its start.
    fn key(&self) -> Option<&str> {
        match &self.position {
            Some(ListPosition::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// Returns the last considered item in the form that a cursor has.
    fn place(&self, around: &Surroundings<'_>) -> Option<Position> {
        Some(match self.position.clone()? {
            ListPosition::Registered(number, name) => {
                let (part, instance) = (self.listing.part(self.stretch), around.sealer.instance);
                Position::Registered { part, instance, number, name: name.to_string() }
            }
            ListPosition::Key(key) => Position::Listed { source: self.source_name().to_owned(), key },
        })
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
            self.position = Some(candidate.into_position());
        }
        if self.listing == Listing::Skill {
            if self.items.count > 0 {
                return self.page(around);
            }
        } else if self.items.is_full() || self.scanned >= PATIENCE.saturating_mul(self.items.max) {
            return self.page(around);
        }
        if !self.more {
            let Some((stretch, source)) = self.following(around) else { return self.page(around) };
            if let Some(position) = self.place(around) {
                self.before = Some(position);
                self.position = None;
            }
            self.stretch = stretch;
            self.source = source.map(|source| (source.id, source.name.clone()));
        }
        if self.source.is_none() {
            return self.start(around);
        }
        self.continue_source(around)
    }

    fn continue_source(mut self: Box<Self>, around: &Surroundings<'_>) -> Walked {
        let (after, limit) = (self.key().map(str::to_owned), self.wanted());
        let source = self.source.as_ref().map(|(id, _)| *id);
        let handler = around
            .catalog
            .with(|c, _| c.sources.all(self.stretch).iter().find(|other| Some(other.id) == source).cloned());
        if let Some(handler) = handler {
            let of = ListOf { listing: self.listing, subject: self.subject.clone() };
            return Walked::CallSource { walk: self, handler, of, after, limit };
        }
        self.more = false; // the source was removed while this page was made
        self.consume(around)
    }

    /// Returns the next stretch, after the current source or registrations, with its list source if it has one.
    fn following(&self, around: &Surroundings<'_>) -> Option<(Stretch, Option<Arc<Handler>>)> {
        let mut rest =
            self.listing.stretches().iter().copied().skip_while(|stretch| *stretch != self.stretch);
        around.catalog.with(|catalog, _| {
            rest.find_map(|stretch| {
                if stretch.has_sources() {
                    return self.next_source(catalog, stretch).map(|source| (stretch, Some(source)));
                }
                (stretch != self.stretch && catalog.follows(stretch)).then_some((stretch, None))
            })
        })
    }

    /// Returns the next list source; `None` if there is none. Registrations are numbered in their order, so it is found
    /// even if the current one was removed.
    fn next_source(&self, catalog: &Catalog, stretch: Stretch) -> Option<Arc<Handler>> {
        let last = self.source.as_ref().map(|(id, _)| *id);
        match (stretch, &self.subject) {
            (Stretch::Directory, Some(uri)) => catalog.directory(uri).filter(|_| last.is_none()),
            _ => catalog.sources.all(stretch).iter().find(|other| Some(other.id) > last).cloned(),
        }
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
        let more = self.more || self.following(around).is_some();
        let bound = self.bound(around);
        let cursor = self
            .place(around)
            .or_else(|| self.before.clone())
            .filter(|_| more)
            .map(|position| around.sealer.seal(bound, &position));
        let (listing, audience) = (self.listing, self.audience);
        Walked::Page(ListPage { listing, items: self.items.written, cursor, audience })
    }
}

/// Returns the number after which a list continues. `number` is that of the page's last item in the cursor, `here` that
/// of the entry with its name in this catalog.
///
/// Other instances number differently, and so does this instance after a restart: there `here` counts. If `here` is greater in
/// the same instance, the item was removed and registered again. The entries that followed it before are still to be
/// listed.
fn resumed(number: u64, by_us: bool, here: Option<u64>) -> u64 {
    match here {
        Some(here) if !by_us || here < number => here,
        _ => number,
    }
}
