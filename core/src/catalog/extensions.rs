//! The extensions that a server declares.

use crate::jsonrpc::for_each_member;
use crate::jsonrpc::write::Object;
use crate::model::Json;
use std::collections::BTreeMap;

/// The extensions of a server by their identifiers, with their settings.
#[derive(Default)]
pub(crate) struct Extensions {
    /// The extensions that the application declared.
    declared: BTreeMap<String, Json>,
    /// The extensions that Wellhead implements, from their first use on.
    used: BTreeMap<&'static str, Json>,
}

impl Extensions {
    pub(super) fn declare(&mut self, declared: BTreeMap<String, Json>) {
        self.declared = declared;
    }

    /// Declares an extension that Wellhead implements. The application may add settings, but not change these.
    pub(crate) fn begin_use(&mut self, id: &'static str, settings: Json) {
        self.used.insert(id, settings);
    }

    /// Returns the capability `extensions`; `None` if no extension is declared.
    pub(crate) fn capability(&self) -> Option<Json> {
        let mut ids: Vec<&str> = self.declared.keys().map(String::as_str).collect();
        ids.extend(self.used.keys().filter(|id| !self.declared.contains_key(**id)));
        if ids.is_empty() {
            return None;
        }
        ids.sort_unstable();
        let mut written = Vec::new();
        let mut all = Object::begin(&mut written);
        for id in ids {
            let mut settings = Object::begin(all.any_member(id));
            let ours = self.used.get(id);
            let mut names = Vec::new();
            if let Some(ours) = ours {
                for_each_member(ours.raw(), |name, value| {
                    names.push(name.to_owned());
                    settings.any_member(name).extend_from_slice(value.get().as_bytes());
                });
            }
            if let Some(declared) = self.declared.get(id) {
                for_each_member(declared.raw(), |name, value| {
                    if !names.iter().any(|ours| ours == name) {
                        settings.any_member(name).extend_from_slice(value.get().as_bytes());
                    }
                });
            }
            settings.end();
        }
        all.end();
        Some(Json::written(written))
    }
}
