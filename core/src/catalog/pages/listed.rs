//! Takes the items that a list source returned.

use super::Walk;
use super::candidates::{Candidate, CandidatePlace, ListPosition};
use crate::access::AccessCheck;
use crate::catalog::listing::Listing;
use crate::catalog::registry::Catalog;
use crate::log::{LogLine, Severity};
use crate::model::{Page, PageItem};
use crate::sync::Lock;

impl Walk {
    /// Takes as many items of a page as are wanted. Fails with what is wrong if the source's answer is invalid.
    pub(super) fn take_page(
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
        let shadowed = self.shadowed(&page, taken, catalog);
        if taken == page.len() && !shadowed.contains(&true) && self.take_whole(&mut page) {
            return Ok(());
        }
        self.items.reserve(taken);
        let revision = self.revision;
        let mut consumed = None;
        let mut is_found = false;
        for (at, item) in page.items().take(taken).enumerate() {
            lines.extend(self.fault(item).map(|fault| LogLine(Severity::Error, fault)));
            let is_shown = self.lists(item) && shadowed.get(at) != Some(&true) && !is_found;
            is_found |= is_shown && self.listing == Listing::Skill; // a callback may list one skill twice
            if self.check == AccessCheck::Required {
                let from = self.rendered.len();
                if is_shown {
                    item.write(&mut self.rendered, revision);
                }
                self.candidates.push(Candidate {
                    uri: item.uri().into(),
                    files: item.files(),
                    place: if item.uri() == item.key() {
                        CandidatePlace::Uri
                    } else {
                        CandidatePlace::Key(item.key().to_owned())
                    },
                    rendered: is_shown.then_some(from..self.rendered.len()),
                    for_all: false,
                });
            } else if is_shown && !self.items.add(|out| item.write(out, revision)) {
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

    /// Takes all items of a page at once, if none of them needs a check or a change. Returns false if it did not.
    fn take_whole(&mut self, page: &mut Page) -> bool {
        let unchanged = self.listing != Listing::Skill
            && self.check == AccessCheck::NotRequired
            && self.items.count == 0
            && page.items().all(|item| self.lists(item));
        if !unchanged {
            return false;
        }
        let (count, key) = (page.len(), page.items().next_back().map(|item| item.key().to_owned()));
        let Some(json) = page.take_ready(self.revision, self.items.max_bytes) else { return false };
        (self.items.written, self.items.count) = (json, count);
        self.position = key.map(ListPosition::Key).or(self.position.take());
        true
    }

    /// Returns for each item whether a fixed resource has its URI, which is listed in its place. Empty if no item is
    /// such a one.
    fn shadowed(&self, page: &Page, taken: usize, catalog: &Lock<Catalog>) -> Vec<bool> {
        let lists_resources = matches!(self.listing, Listing::Resources | Listing::Everything);
        // One critical section for all.
        catalog.with(|c, _| {
            if c.fixed.is_empty() || !lists_resources {
                return Vec::new();
            }
            page.items().take(taken).map(|item| c.fixed.has(item.uri())).collect()
        })
    }

    /// Returns whether the item is of the kind that this list has.
    fn lists(&self, item: PageItem<'_>) -> bool {
        let is_sought = self.listing != Listing::Skill || self.subject.as_deref() == Some(item.uri());
        is_sought && item.fault().is_none() && item.is_skill() == self.listing.lists_skills()
    }

    /// Returns a line for the log about an item that cannot be listed; `None` if it can be.
    fn fault(&self, item: PageItem<'_>) -> Option<String> {
        let (source, uri) = (self.source_name(), item.uri());
        if let Some(fault) = item.fault() {
            return Some(format!("the list source \"{source}\" {fault}"));
        }
        let what = match (item.is_skill(), self.listing.lists_skills()) {
            (false, true) => "is no skill; add it as one",
            (true, false) => "is a skill; list it as one",
            _ => return None,
        };
        Some(format!("the list source \"{source}\" gave \"{uri}\", which {what}"))
    }
}
