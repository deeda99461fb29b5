//! Stores what changed in a resource, and numbers the changes.

use super::entries::{Content, Fixed};
use super::registry::{Catalog, unknown};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Contents, Descriptor};
use std::sync::Arc;

/// A change of a resource, for notifications of its subscribers.
pub(crate) struct Change {
    /// Its place in the order of changes.
    pub(crate) sequence: u64,
    /// The application's description of the resource after the change. Without one, it is that of the registration.
    pub(crate) descriptor: Option<Arc<Descriptor>>,
}

impl Catalog {
    /// Replaces a fixed value. Its version becomes that of `contents`, or none. Also returns the old value, which the caller drops
    /// after it has released the lock, because its destructor may be the application's.
    pub(crate) fn set_value(&mut self, uri: &str, mut contents: Contents) -> Result<(Change, Arc<Fixed>)> {
        let Some(fixed) = self.fixed.get(uri) else { return Err(unknown(uri)) };
        let Content::Value { descriptor, .. } = &fixed.content else {
            let message = format!("\"{uri}\" is answered by a callback and has no value to set");
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        let mut descriptor = descriptor.clone();
        descriptor.set_version(contents.take_version());
        let shown = Arc::new(descriptor.clone());
        let next = fixed.changed(Content::Value { descriptor, contents: [contents] });
        let old = self.fixed.replace(uri, Arc::new(next)).ok_or_else(|| unknown(uri))?;
        self.changes += 1;
        Ok((Change { sequence: self.changes, descriptor: Some(shown) }, old))
    }

    /// Notes that a resource changed: its registration has the version of `said` from now on, or none. Also returns the
    /// replaced registration, which the caller drops without a lock.
    pub(crate) fn changed(&mut self, uri: &str, said: Option<Descriptor>) -> (Change, Option<Arc<Fixed>>) {
        self.changes += 1;
        let mut old = None;
        let mut registered = None;
        if let Some(fixed) = self.fixed.get(uri) {
            let version = said.as_ref().and_then(Descriptor::version);
            if version != fixed.descriptor().version() {
                let content = match &fixed.content {
                    Content::Value { descriptor, contents } => {
                        let mut descriptor = descriptor.clone();
                        descriptor.set_version(version.map(Into::into));
                        Content::Value { descriptor, contents: contents.clone() }
                    }
                    Content::Call(handler) => {
                        Content::Call(Arc::new(handler.changed(version.map(Into::into))))
                    }
                };
                let next = fixed.changed(content);
                old = self.fixed.replace(uri, Arc::new(next));
            }
        }
        if said.is_none() {
            registered = self.fixed.get(uri).map(|fixed| fixed.descriptor().clone());
        }
        let descriptor = said.or(registered).map(Arc::new);
        (Change { sequence: self.changes, descriptor }, old)
    }

    /// Numbers a change of an entry below a URI. The version of the URI itself stays.
    pub(crate) fn changed_below(&mut self, uri: &str) -> Change {
        self.changes += 1;
        let registered = self.fixed.get(uri).map(|fixed| Arc::new(fixed.descriptor().clone()));
        Change { sequence: self.changes, descriptor: registered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Found;
    use crate::model::{Body, Resource};

    const URI: &str = "notes://a";

    fn said(version: &str) -> Descriptor {
        Resource::new(URI).version(version).descriptor
    }

    fn version(catalog: &Catalog) -> Option<String> {
        match catalog.find(URI) {
            Found::Value(fixed) => fixed.descriptor().version().map(str::to_owned),
            Found::Call { handler, .. } => handler.version().map(str::to_owned),
            Found::Nothing | Found::Invalid => None,
        }
    }

    #[test]
    fn a_fixed_value_has_the_version_that_the_application_set_last() {
        let mut catalog = Catalog::default();
        catalog.add_value(Resource::new(URI).version("1"), Body::from("a")).unwrap();
        assert_eq!(version(&catalog).as_deref(), Some("1"));
        catalog.changed(URI, None);
        assert_eq!(version(&catalog), None);
        catalog.changed(URI, Some(said("2")));
        assert_eq!(version(&catalog).as_deref(), Some("2"));
        assert!(catalog.set_value(URI, Contents::new("b").version("3")).is_ok());
        assert_eq!(version(&catalog).as_deref(), Some("3"));
        catalog.changed(URI, None);
        assert_eq!(version(&catalog), None);
        catalog.changed(URI, Some(said("4")));
        assert!(catalog.set_value(URI, Contents::new("c")).is_ok());
        assert_eq!(version(&catalog), None);
    }

    #[test]
    fn a_change_voids_the_version_for_reads_that_began_before_it() {
        let mut catalog = Catalog::default();
        let id = catalog.add_resource(Resource::new(URI).version("1"), None).unwrap();
        let Found::Call { handler: reading, .. } = catalog.find(URI) else { panic!("a callback serves it") };
        assert_eq!(reading.version(), Some("1"));
        catalog.changed(URI, Some(said("2")));
        assert_eq!(reading.version(), None);
        assert_eq!(version(&catalog).as_deref(), Some("2"));
        let Found::Call { handler, .. } = catalog.find(URI) else { panic!("a callback serves it") };
        assert_eq!(handler.id, id);
    }

    #[test]
    fn subscribers_get_the_metadata_of_the_update_or_the_registered_one_without_its_version() {
        let mut catalog = Catalog::default();
        let registered = Resource::new(URI).title("A").version("1");
        catalog.add_value(registered, Body::from("a")).unwrap();
        let shown = |change: &Change| {
            let descriptor = change.descriptor.as_deref();
            descriptor.map(|d| (d.title.clone(), d.version().map(str::to_owned)))
        };
        let (first, _) = catalog.changed(URI, None);
        assert_eq!(shown(&first), Some((Some("A".to_owned()), None)));
        let (second, _) = catalog.changed(URI, Some(said("2")));
        assert_eq!(shown(&second), Some((None, Some("2".to_owned()))));
        let (third, _) = catalog.changed("notes://other", None);
        assert_eq!(shown(&third), None);
        assert!(first.sequence < second.sequence && second.sequence < third.sequence);
    }
}
