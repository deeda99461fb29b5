//! The paths of links through which clients subscribed to an entry, by the entry's real path.

use std::collections::{BTreeSet, HashMap};

/// Up to this number of paths, those without a subscription are not looked for.
const FEW: usize = 64;

/// The paths through links that have subscribers. It also has some that no longer have one: at most as many again, or
/// [`FEW`].
#[derive(Debug, Default)]
pub(super) struct WatchedLinks {
    paths: HashMap<String, BTreeSet<String>>,
    count: usize,
    /// The number of paths at which those without a subscription are removed. 0 if there has never been a path through
    /// a link.
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

    /// Adds a path that leads through a link to a real path. When as many were added as there were, it checks all
    /// paths, and removes those without a subscription.
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

    /// Returns the paths through links that lead to a real path.
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
