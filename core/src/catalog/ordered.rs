//! Registrations by name, and in the order in which they were made.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Entries by name and by number. Numbers grow and are never reused, so that a list continues in the right place
/// after the last item that it showed was removed.
pub(crate) struct Ordered<T> {
    by_name: BTreeMap<Arc<str>, (u64, Arc<T>)>,
    by_number: BTreeMap<u64, Arc<T>>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { by_name: BTreeMap::new(), by_number: BTreeMap::new() }
    }
}

impl<T> Ordered<T> {
    /// Adds an entry under a name that no entry has, with a number above all others.
    pub(super) fn add(&mut self, name: Arc<str>, number: u64, value: Arc<T>) {
        self.by_name.insert(name, (number, value.clone()));
        self.by_number.insert(number, value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<T>> {
        self.by_name.get(name).map(|(_, value)| value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn number_of(&self, name: &str) -> Option<u64> {
        self.by_name.get(name).map(|(number, _)| *number)
    }

    /// Replaces an entry and returns the former one; `None` if there is no entry of this name.
    pub(super) fn replace(&mut self, name: &str, next: Arc<T>) -> Option<Arc<T>> {
        let (number, value) = self.by_name.get_mut(name)?;
        self.by_number.insert(*number, next.clone());
        Some(std::mem::replace(value, next))
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<T>> {
        let (number, value) = self.by_name.remove(name)?;
        self.by_number.remove(&number);
        Some(value)
    }

    /// Returns the entries after a number, in the order of registration.
    pub(crate) fn after(&self, number: Option<u64>) -> impl Iterator<Item = (u64, &Arc<T>)> {
        let from = number.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_number.range((from, Bound::Unbounded)).map(|(number, value)| (*number, value))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(all: &Ordered<u8>, after: Option<u64>) -> Vec<u8> {
        all.after(after).map(|(_, value)| **value).collect()
    }

    #[test]
    fn values_stay_in_the_order_of_their_numbers_when_others_change() {
        let mut all = Ordered::default();
        for (number, name) in [(1, "c"), (2, "a"), (5, "b")] {
            all.add(name.into(), number, Arc::new(name.as_bytes()[0]));
        }
        assert_eq!(shown(&all, None), *b"cab");
        assert_eq!(all.replace("a", Arc::new(b'A')).as_deref(), Some(&b'a'));
        assert_eq!(shown(&all, Some(1)), *b"Ab");
        assert_eq!(all.remove("a").as_deref(), Some(&b'A'));
        assert_eq!((all.number_of("a"), all.number_of("b")), (None, Some(5)));
        assert_eq!(shown(&all, Some(2)), *b"b", "a list goes on behind what was removed");
        all.add("a".into(), 6, Arc::new(b'a'));
        assert_eq!(shown(&all, Some(1)), *b"ba");
    }
}
