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
        } else if let Some(other) = self.others.get_mut(&id) {
            *other = owner;
        } else {
            self.insert_new(id, owner);
        }
    }

    /// Sets the owner of an id that has none.
    pub(super) fn insert_new(&mut self, id: RequestId, owner: IdOwner) {
        debug_assert!(self.get(&id).is_none(), "the id {id:?} has an owner");
        if self.first.len() < FIRST {
            if self.first.capacity() == 0 {
                self.first.reserve_exact(1); // an idle connection keeps the room of its handshake
            }
            self.first.push((id, owner));
        } else {
            self.others.insert(id, owner);
        }
    }

    pub(super) fn remove(&mut self, id: &RequestId) {
        self.remove_if(id, |_| true);
    }

    /// Removes an id if it still has this owner.
    pub(super) fn remove_of(&mut self, owner: IdOwner, id: &RequestId) {
        self.remove_if(id, |other| other == owner);
    }

    fn remove_if(&mut self, id: &RequestId, is: impl FnOnce(IdOwner) -> bool) {
        if let Some(at) = self.position(id) {
            if is(self.first[at].1) {
                self.first.swap_remove(at);
            }
        } else if let Some((id, owner)) = self.others.remove_entry(id)
            && !is(owner)
        {
            self.others.insert(id, owner); // rare, so that the other ids are looked up once
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
            } else if seed & 512 == 0 {
                let right = expected.get(&number).copied().filter(|_| seed & 1024 == 0);
                ids.remove_of(IdOwner::Slot(right.unwrap_or(step)), &id(number));
                if right.is_some() {
                    expected.remove(&number);
                }
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
