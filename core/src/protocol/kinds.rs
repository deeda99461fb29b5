//! Kinds of lists: what a listen stream may ask to be told of beside URIs.

use crate::error::{Error, ErrorKind, Result};

/// The kinds of one server, fixed when it is made. A kind is named as in the filter of `subscriptions/listen`.
pub(crate) struct Kinds(Vec<Kind>);

pub(crate) struct Kind {
    pub(crate) name: Box<str>,
    /// The method that announces a change.
    pub(crate) notification: Box<str>,
    /// The capability whose `listChanged` offers it; none: it is always offered.
    pub(crate) capability: Option<&'static str>,
}

/// Some kinds of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KindSet(u32);

/// The lists of resources and templates.
pub(crate) const RESOURCES: usize = 0;

impl Kinds {
    /// The protocol's own, and those of the host: names with notifications.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a name that is taken, what is no notification, or too many.
    pub(crate) fn new(further: Vec<(String, String)>) -> Result<Kinds> {
        let own = ["resources", "tools", "prompts"].map(|capability| Kind {
            name: format!("{capability}ListChanged").into(),
            notification: format!("notifications/{capability}/list_changed").into(),
            capability: Some(capability),
        });
        let mut kinds = Kinds(own.into());
        for (name, notification) in further {
            let taken = name == "resourceSubscriptions" || kinds.find(&name).is_some();
            if taken || name.is_empty() || !notification.starts_with("notifications/") || kinds.0.len() == 32
            {
                let message = format!(
                    "\"{name}\" with \"{notification}\" cannot be announced: give a name that is not taken and a \
                     notification, and at most 29"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            let kind = Kind { name: name.into(), notification: notification.into(), capability: None };
            kinds.0.push(kind);
        }
        Ok(kinds)
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|kind| *kind.name == *name)
    }

    /// The kind that a capability of the protocol offers.
    pub(crate) fn of_capability(&self, capability: &str) -> usize {
        self.0.iter().position(|kind| kind.capability == Some(capability)).unwrap_or(RESOURCES)
    }

    pub(crate) fn get(&self, kind: usize) -> Option<&Kind> {
        self.0.get(kind)
    }

    /// Those of a set, with their numbers.
    pub(crate) fn of(&self, set: KindSet) -> impl Iterator<Item = (usize, &Kind)> {
        self.0.iter().enumerate().filter(move |(kind, _)| set.has(*kind))
    }
}

impl KindSet {
    pub(crate) fn add(&mut self, kind: usize) {
        self.0 |= 1 << kind;
    }

    pub(crate) fn has(self, kind: usize) -> bool {
        self.0 >> kind & 1 == 1
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}
