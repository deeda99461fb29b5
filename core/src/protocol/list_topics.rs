//! The kinds of lists whose changes are announced. A listen stream names them next to URIs.

use crate::error::{Error, ErrorKind, Result};

/// The kinds of lists that one server announces. They do not change after it is built.
pub(crate) struct ListTopics(Vec<ListTopic>);

/// One kind of list whose changes are announced.
pub(crate) struct ListTopic {
    /// Its name for the application, such as `tools`.
    pub(crate) kind: Box<str>,
    /// Its name in the filter of `subscriptions/listen`, such as `toolsListChanged`.
    pub(crate) filter: Box<str>,
    /// The method of the notification that announces a change, such as `notifications/tools/list_changed`.
    pub(crate) notification: Box<str>,
    /// The capability whose member `listChanged` says that changes are announced. `None` if they always are.
    pub(crate) capability: Option<&'static str>,
}

/// A set of kinds of lists. Each is one bit, at its index in [`ListTopics`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TopicSet(u32);

/// The index of the lists of resources and templates in [`ListTopics`].
pub(crate) const RESOURCES: usize = 0;

impl ListTopics {
    /// Makes the kinds of lists: those of the protocol, and those of the application, each with the method of its
    /// notification.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a name that exists already, a method that is no notification, or too many
    /// kinds.
    pub(crate) fn new(further: Vec<(String, String)>) -> Result<ListTopics> {
        let own = ["resources", "tools", "prompts"].map(|capability| ListTopic {
            kind: capability.into(),
            filter: format!("{capability}ListChanged").into(),
            notification: format!("notifications/{capability}/list_changed").into(),
            capability: Some(capability),
        });
        let mut topics = ListTopics(own.into());
        for (name, notification) in further {
            let taken = name == "resourceSubscriptions"
                || topics.by_filter(&name).or(topics.by_kind(&name)).is_some();
            if taken || name.is_empty() || !notification.starts_with("notifications/") || topics.0.len() == 32
            {
                let message = format!(
                    "\"{name}\" with \"{notification}\" cannot be announced: give a name that is not taken and a \
                     notification, and at most 29"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            let (kind, filter) = (name.as_str().into(), name.into());
            let topic = ListTopic { kind, filter, notification: notification.into(), capability: None };
            topics.0.push(topic);
        }
        Ok(topics)
    }

    /// Returns the index of the kind of list that clients call by this name in a filter; `None` if there is none.
    pub(crate) fn by_filter(&self, filter: &str) -> Option<usize> {
        self.0.iter().position(|topic| *topic.filter == *filter)
    }

    /// Returns the index of the kind of list that the application calls by this name; `None` if there is none.
    pub(crate) fn by_kind(&self, kind: &str) -> Option<usize> {
        self.0.iter().position(|topic| *topic.kind == *kind)
    }

    pub(crate) fn get(&self, topic: usize) -> Option<&ListTopic> {
        self.0.get(topic)
    }

    /// Returns the kinds of lists in a set, with their indexes.
    pub(crate) fn in_set(&self, set: TopicSet) -> impl Iterator<Item = (usize, &ListTopic)> {
        self.0.iter().enumerate().filter(move |(topic, _)| set.has(*topic))
    }
}

impl TopicSet {
    pub(crate) fn add(&mut self, topic: usize) {
        self.0 |= 1 << topic;
    }

    pub(crate) fn has(self, topic: usize) -> bool {
        self.0 >> topic & 1 == 1
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}
