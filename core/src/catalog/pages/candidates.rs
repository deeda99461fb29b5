//! Items that may become part of a page.

use std::ops::Range;
use std::sync::Arc;

/// An item that may become part of the page. If its JSON is empty, it is left out.
pub(super) struct Candidate {
    pub(super) uri: Arc<str>,
    /// The files of a skill. The skill is listed only if the caller may see all of them. `None` for other items.
    pub(super) files: Option<Arc<[Arc<str>]>>,
    pub(super) place: CandidatePlace,
    pub(super) rendered: Option<Range<usize>>,
    /// True if every caller may see the item.
    pub(super) for_all: bool,
}

/// The place of a candidate in its list.
pub(super) enum CandidatePlace {
    /// That of the single registration with this number.
    Registered(u64),
    /// That of an item of a list source with this key.
    Key(String),
    /// That of an item of a list source whose key is its URI.
    Uri,
}

/// The item that a list continues after.
#[derive(Clone)]
pub(super) enum ListPosition {
    /// The single registration with that number and name.
    Registered(u64, Arc<str>),
    /// The item of a list source with that key.
    Key(String),
}

impl Candidate {
    /// Returns the URIs that the authorizer judges.
    pub(super) fn judged(&self) -> impl Iterator<Item = &Arc<str>> {
        let uri = self.is_judged().then_some(&self.uri);
        uri.into_iter().chain(self.judged_files())
    }

    /// Returns the number of URIs that the authorizer judges.
    pub(super) fn judged_count(&self) -> usize {
        usize::from(self.is_judged()) + self.judged_files().count()
    }

    /// Returns the files that the authorizer judges in addition to the item itself.
    fn judged_files(&self) -> impl Iterator<Item = &Arc<str>> {
        let files = self.files.as_deref().filter(|_| self.is_judged()).unwrap_or_default();
        files.iter().filter(|file| **file != self.uri)
    }

    fn is_judged(&self) -> bool {
        self.rendered.is_some() && !self.for_all
    }

    pub(super) fn into_position(self) -> ListPosition {
        match self.place {
            CandidatePlace::Registered(number) => ListPosition::Registered(number, self.uri),
            CandidatePlace::Key(key) => ListPosition::Key(key),
            CandidatePlace::Uri => ListPosition::Key(self.uri.to_string()),
        }
    }
}
