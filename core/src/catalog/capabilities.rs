//! The capabilities that the server declares to clients.

use super::listing::Listing;
use super::registry::Catalog;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member};
use crate::model::{APPS, Family, Json};
use crate::revision::{COMPLETIONS, EXTENSIONS, Era, Revision, SKILLS};
use std::collections::BTreeMap;

/// Capabilities that the application declared, or whose methods it registered.
#[derive(Default)]
pub(super) struct Declared {
    /// Capabilities other than those for resources.
    capabilities: BTreeMap<String, Json>,
    /// The default settings of the capabilities `tools` and `prompts`.
    of_named: Json,
}

impl Catalog {
    pub(crate) fn declare(&mut self, capabilities: BTreeMap<String, Json>) {
        self.declared.capabilities = capabilities;
    }

    /// Returns whether the application declared a capability.
    pub(crate) fn declares(&self, capability: &str) -> bool {
        self.declared.capabilities.contains_key(capability)
    }

    pub(crate) fn declare_extensions(&mut self, extensions: BTreeMap<String, Json>) {
        self.extensions.declare(extensions);
    }

    /// Declares that clients are notified when tools or prompts are added or removed.
    pub(crate) fn declare_list_changes(&mut self) {
        self.declared.of_named = Json::list_changed();
    }

    pub(super) fn declare_skills(&mut self) {
        self.extensions.begin_use(SKILLS);
    }

    /// Returns whether skills were ever offered: they stay declared.
    pub(crate) fn has_skills(&self) -> bool {
        self.extensions.is_used(SKILLS)
    }

    /// Returns whether apps declare these, though none is registered. A method of the application declares them itself if
    /// each revision has it.
    pub(super) fn declares_for_apps(&self, family: Family) -> bool {
        let methods = [family.lists(), family.calls()];
        family == Family::Tools
            && self.extensions.is_used(APPS)
            && !methods.into_iter().any(|method| self.methods.is_for_all_revisions(method))
    }

    /// Returns the capabilities other than those for resources and extensions.
    pub(crate) fn capabilities(&self) -> Vec<(String, Json)> {
        let mut declared = self.declared.capabilities.clone();
        let is_declared = |family: &Family| self.offers(*family) || self.declares_for_apps(*family);
        for family in Family::ALL.into_iter().filter(is_declared) {
            declared.entry(family.capability().to_owned()).or_insert_with(|| self.declared.of_named.clone());
        }
        let mut all = self.methods.capabilities(declared);
        if self.completes() && !all.iter().any(|(name, _)| name == COMPLETIONS) {
            all.insert(0, (COMPLETIONS.to_owned(), Json::empty()));
        }
        all
    }

    /// Returns the capabilities other than those for resources for a client of this revision. Schemas of the handshake
    /// era have no `extensions`, so the extension for skills is also under `experimental`, where such clients may look.
    pub(crate) fn introduced_capabilities(&self, revision: Revision) -> Vec<(String, Json)> {
        let mut all = self.capabilities();
        let skills = self.skill_settings(revision);
        if self.has_skills() && revision.era == Era::Handshake {
            extend(&mut all, "experimental", SKILLS, skills);
        }
        let extensions = self.extensions.capability(Raw::kept(skills));
        all.extend(extensions.map(|extensions| (EXTENSIONS.to_owned(), extensions)));
        all
    }

    /// Returns the settings of the extension for skills. Clients can list directories also by a method of the
    /// application, if their revision has it.
    fn skill_settings(&self, revision: Revision) -> &'static str {
        let has_method = || self.methods.find(Listing::Directory.method(), revision).is_some();
        if self.sources.reads_directories() || has_method() { r#"{"directoryRead":true}"# } else { "{}" }
    }
}

/// Adds a member to a capability, which the application may have declared as well.
fn extend(all: &mut Vec<(String, Json)>, capability: &str, name: &str, settings: &str) {
    let at = all.iter().position(|(other, _)| other == capability);
    let declared = at.map_or_else(Json::empty, |at| all.remove(at).1);
    let mut out = Vec::new();
    let mut members = Object::begin(&mut out);
    for_each_member(declared.raw(), |other, value| {
        if other != name {
            members.any_member(other).extend_from_slice(value.get().as_bytes());
        }
    });
    members.any_member(name).extend_from_slice(settings.as_bytes());
    members.end();
    let at = all.partition_point(|(other, _)| &**other < capability);
    all.insert(at, (capability.to_owned(), Json::written(out)));
}
