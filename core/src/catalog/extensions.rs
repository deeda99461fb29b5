//! The extensions that a server declares.

use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member};
use crate::model::Json;
use crate::revision::SKILLS;
use std::collections::{BTreeMap, BTreeSet};

/// The setting of the extension for skills which says that directories can be listed.
const DIRECTORY_READ: &str = "directoryRead";

/// The extensions of a server by their identifiers, with their settings.
#[derive(Default)]
pub(crate) struct Extensions {
    /// The extensions that the application declared.
    declared: BTreeMap<String, Json>,
    /// The extensions that Wellhead implements, from their first use on.
    used: BTreeSet<&'static str>,
}

impl Extensions {
    pub(super) fn declare(&mut self, declared: BTreeMap<String, Json>) {
        self.declared = declared;
    }

    /// Declares an extension that Wellhead implements.
    pub(crate) fn begin_use(&mut self, id: &'static str) {
        self.used.insert(id);
    }

    pub(super) fn is_used(&self, id: &str) -> bool {
        self.used.contains(id)
    }

    /// Returns the capability `extensions` with these settings for skills; `None` if no extension is declared. The
    /// application may add settings to an extension that Wellhead implements, but not change ours.
    pub(super) fn capability(&self, skills: Raw<'_>) -> Option<Json> {
        let mut ids: Vec<&str> = self.declared.keys().map(String::as_str).collect();
        ids.extend(self.used.iter().filter(|id| !self.declared.contains_key(**id)));
        if ids.is_empty() {
            return None;
        }
        ids.sort_unstable();
        let mut written = Vec::new();
        let mut all = Object::begin(&mut written);
        for id in ids {
            let mut settings = Object::begin(all.any_member(id));
            let is_skills = id == SKILLS && self.is_used(SKILLS);
            if is_skills {
                for_each_member(skills, |name, value| {
                    settings.any_member(name).extend_from_slice(value.get().as_bytes());
                });
            }
            if let Some(declared) = self.declared.get(id) {
                for_each_member(declared.raw(), |name, value| {
                    if !is_skills || name != DIRECTORY_READ {
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
