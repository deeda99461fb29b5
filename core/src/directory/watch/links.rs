//! The paths through which clients subscribed to an entry behind a link, and where they lead.

use std::collections::BTreeMap;

/// Up to this number of paths, those without a subscription are not looked for.
const FEW: usize = 64;

/// The paths through links that have subscribers. It also has some that no longer have one: at most as many again, or
/// [`FEW`].
#[derive(Debug, Default)]
pub(super) struct WatchedLinks {
    targets: Targets,
    /// The number of paths at which those without a subscription are removed. 0 if there has never been a path through
    /// a link.
    full_at: usize,
}

/// The real path that each path leads to; `None` if it leads nowhere at the moment.
pub(super) type Targets = BTreeMap<String, Option<String>>;

impl WatchedLinks {
    pub(super) fn were_used(&self) -> bool {
        self.full_at > 0
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(super) fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Notes where a path leads now. Adds it only if a link is on the path. When as many were added as there were, it
    /// checks all paths, and removes those without a subscription.
    pub(super) fn set(
        &mut self,
        path: &str,
        new_target: Option<String>,
        is_subscribed: impl Fn(&str) -> bool,
    ) {
        if let Some(target) = self.targets.get_mut(path) {
            *target = new_target;
            return;
        }
        if new_target.as_deref().is_none_or(|target| target == path) {
            return;
        }
        if self.were_used() && self.targets.len() >= self.full_at {
            self.targets.retain(|path, _| is_subscribed(path));
            self.full_at = self.targets.len() * 2;
        }
        self.full_at = self.full_at.max(FEW);
        self.targets.insert(path.to_owned(), new_target);
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
        let target = || Some("f".to_owned());
        for n in 0..60_000 {
            links.set(&path(n), target(), |path| path == "a/7");
            assert!(links.len() <= FEW, "{n}: {}", links.len());
        }
        assert_eq!(links.targets()["a/7"], target());
        let mut links = WatchedLinks::default();
        for n in 0..10_000 {
            links.set(&path(n), target(), |_| true);
        }
        assert_eq!(links.len(), 10_000);
        for n in 0..20_000 {
            links.set(&format!("b/{n}"), target(), |_| false);
        }
        assert!(links.len() <= 20_000 && !links.targets().contains_key("a/9"));
    }

    #[test]
    fn a_path_leads_to_one_place_at_a_time() {
        let mut links = WatchedLinks::default();
        for really in [Some("ln"), None] {
            links.set("ln", really.map(str::to_owned), |_| true);
            assert_eq!(links.len(), 0, "no link is on the path");
        }
        for really in [Some("a"), Some("b"), None, Some("ln")] {
            let really = really.map(str::to_owned);
            links.set("ln", really.clone(), |_| true);
            assert_eq!(*links.targets(), Targets::from([("ln".to_owned(), really)]));
        }
    }
}
