//! The ids of open requests, and who owns each.

use super::inflight::IdOwner;
use crate::jsonrpc::RequestId;
use std::collections::BTreeMap;

/// A map from request ids to their owners. Nearly all connections have few requests open, so the first ids are in a
/// short list, which is searched faster than a tree, and costs an idle connection less.
#[derive(Default)]
pub(super) struct RequestIds {
    first: Vec<(RequestId, IdOwner)>,
    /// The ids for which `first` had no room. No id is in both.
    others: BTreeMap<RequestId, IdOwner>,
}

/// The greatest number of ids in the list `first`. Most connections have fewer requests open at once.
const FIRST: usize = 8;

impl RequestIds {
    pub(super) fn get(&self, id: &RequestId) -> Option<IdOwner> {
        match self.position(id) {
            Some(at) => Some(self.first[at].1),
            None => self.others.get(id).copied(),
        }
    }

    /// Sets the owner of an id. It replaces the owner that the id had.
    pub(super) fn insert(&mut self, id: RequestId, owner: IdOwner) {
        if let Some(at) = self.position(&id) {
            self.first[at].1 = owner;
        } else if self.first.len() < FIRST && !self.others.contains_key(&id) {
            if self.first.capacity() == 0 {
                self.first.reserve_exact(1); // an idle connection keeps the room of its handshake
            }
            self.first.push((id, owner));
        } else {
            self.others.insert(id, owner);
        }
    }

    pub(super) fn remove(&mut self, id: &RequestId) {
        match self.position(id) {
            Some(at) => drop(self.first.swap_remove(at)),
            None => drop(self.others.remove(id)),
        }
    }

    fn position(&self, id: &RequestId) -> Option<usize> {
        self.first.iter().position(|(other, _)| other == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> RequestId {
        RequestId::from_raw(&number.to_string()).unwrap()
    }

    #[test]
    fn each_id_has_the_last_owner_it_was_given_until_it_is_removed() {
        let mut ids = RequestIds::default();
        let mut expected = BTreeMap::new();
        let mut seed = 1_u32;
        for step in 0..20_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (seed >> 16) % 24; // three times what the list holds
            if seed & 256 == 0 {
                ids.insert(id(number), IdOwner::Slot(step));
                expected.insert(number, step);
            } else {
                ids.remove(&id(number));
                expected.remove(&number);
            }
            for number in 0..24 {
                let owner = expected.get(&number).map(|step| IdOwner::Slot(*step));
                assert!(ids.get(&id(number)) == owner, "step {step}, id {number}");
            }
            assert!(ids.first.len() <= FIRST);
        }
    }
}
