//! The entries behind links that have subscribers, by their real paths.

use std::collections::{BTreeSet, HashMap};

/// Up to this many paths are kept without looking for their subscriptions.
const FEW: usize = 64;

/// The paths behind links that have subscribers, and some that no longer have: at most as many again, or a few.
#[derive(Debug, Default)]
pub(super) struct WatchedLinks {
    paths: HashMap<String, BTreeSet<String>>,
    count: usize,
    /// At this many paths, those without a subscription are removed. 0: there has never been a path behind a link.
    full_at: usize,
}

impl WatchedLinks {
    pub(super) fn were_used(&self) -> bool {
        self.full_at > 0
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds a path that leads through a link to a real path. From time to time it checks all paths, each time after
    /// as many were added.
    pub(super) fn add(&mut self, really: String, path: &str, is_subscribed: impl Fn(&str) -> bool) {
        if self.were_used() && self.count >= self.full_at {
            self.paths.retain(|_, paths| {
                paths.retain(|path| is_subscribed(path));
                !paths.is_empty()
            });
            self.count = self.paths.values().map(BTreeSet::len).sum();
            self.paths.shrink_to(self.count * 2);
            self.full_at = self.count * 2;
        }
        self.full_at = self.full_at.max(FEW);
        self.count += usize::from(self.paths.entry(really).or_default().insert(path.to_owned()));
    }

    /// Returns the paths that lead to a real path.
    pub(super) fn to(&self, really: &str) -> Vec<String> {
        self.paths.get(really).into_iter().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_without_a_subscription_are_forgotten_and_others_are_not() {
        let mut links = WatchedLinks::default();
        assert!(!links.were_used());
        let path = |n: usize| format!("a/{n}");
        for n in 0..60_000 {
            links.add("f".to_owned(), &path(n), |path| path == "a/7");
            assert!(links.len() <= FEW, "{n}: {}", links.len());
        }
        assert!(links.to("f").contains(&path(7)));
        let mut links = WatchedLinks::default();
        for n in 0..10_000 {
            links.add(format!("f{n}"), &path(n), |_| true);
        }
        assert_eq!(links.len(), 10_000);
        assert_eq!(links.to("f9"), [path(9)]);
        for n in 0..20_000 {
            links.add("f".to_owned(), &path(n), |_| false);
        }
        assert!(links.len() <= 20_000 && links.to("f9").is_empty());
    }
}
