//! Takes single registrations, in the order of their numbers.

use super::candidates::{Candidate, CandidatePlace, ListPosition};
use super::{ToolAudience, Walk};
use crate::access::AccessCheck;
use crate::catalog::listing::Stretch;
use crate::catalog::named::Named;
use crate::catalog::registry::Catalog;
use crate::catalog::resource_tools::ResourceTool;
use crate::jsonrpc::Raw;
use crate::model::Family;
use crate::wire::{same_in_all, write_definition, write_resource, write_template};
use std::sync::Arc;

impl Walk {
    /// Takes the registrations of the current stretch after the walk's position.
    pub(super) fn take_registrations(&mut self, catalog: &Catalog) {
        match self.stretch {
            Stretch::Fixed => self.take_fixed(catalog),
            Stretch::Templates => self.take_templates(catalog),
            Stretch::Named(family) => self.take_named(catalog, family),
            Stretch::ResourceTools => self.take_resource_tools(catalog),
            Stretch::Sources | Stretch::SkillSources | Stretch::Directory => {}
        }
    }

    fn take_fixed(&mut self, catalog: &Catalog) {
        let revision = self.revision;
        self.take(
            catalog.fixed.after(self.number()),
            |fixed| fixed.uri.clone(),
            |fixed, out| {
                let described = fixed.descriptor().view();
                if same_in_all(revision, &described) {
                    out.extend_from_slice(&fixed.rendered);
                } else {
                    write_resource(out, revision, &fixed.uri, &described);
                }
            },
        );
    }

    fn take_templates(&mut self, catalog: &Catalog) {
        let revision = self.revision;
        self.take(
            catalog.listed_templates.after(self.number()),
            |handler| (*handler.name).into(),
            |handler, out| write_template(out, revision, &handler.name, &handler.descriptor.view()),
        );
    }

    fn take_named(&mut self, catalog: &Catalog, family: Family) {
        let Some(named) = catalog.named(family) else { return };
        let (revision, audience) = (self.revision, self.audience);
        let is_shown = |named: &Named| {
            named.is_enabled()
                && (audience != ToolAudience::Model || !named.handler.promises.is_for_apps_only)
        };
        self.take(
            named.0.after(self.number()).filter(|(_, named)| is_shown(named)),
            |named| named.name.clone(),
            |named, out| write_definition(out, family, revision, Raw::kept(named.rendered(revision))),
        );
    }

    fn take_resource_tools(&mut self, catalog: &Catalog) {
        let (revision, after) = (self.revision, self.number());
        let tools = catalog.resource_tools().into_iter();
        let rest = tools.filter(|(number, _)| after.is_none_or(|after| *number > after));
        let name_of = |named: &Named| named.name.clone();
        self.take(rest, name_of, |named, out| {
            write_definition(out, Family::Tools, revision, Raw::kept(named.rendered(revision)));
        });
        // The authorizer judges the template, not the tool.
        for candidate in &mut self.candidates {
            let tool = catalog.called(Family::Tools, &candidate.uri);
            match tool.as_ref().and_then(|tool| tool.of_resources.as_ref()) {
                Some(ResourceTool::Template(text)) => candidate.uri = (**text).into(),
                _ => candidate.for_all = true,
            }
        }
    }

    /// Takes registrations: as candidates if the authorizer has to judge them, otherwise onto the page at once.
    fn take<'a, T: 'a>(
        &mut self,
        mut rest: impl Iterator<Item = (u64, &'a Arc<T>)>,
        name_of: impl Fn(&T) -> Arc<str>,
        write: impl Fn(&T, &mut Vec<u8>),
    ) {
        if self.check == AccessCheck::Required {
            for (number, registered) in rest.by_ref().take(self.items.max) {
                let from = self.rendered.len();
                write(registered, &mut self.rendered);
                let rendered = Some(from..self.rendered.len());
                let (uri, place) = (name_of(registered), CandidatePlace::Registered(number));
                self.candidates.push(Candidate { uri, files: None, place, rendered, for_all: false });
            }
            self.scanned += self.candidates.len();
            self.more = rest.next().is_some();
            return;
        }
        self.more = false;
        let mut last = None;
        for (number, registered) in rest {
            if !self.items.add(|out| write(registered, out)) {
                self.more = true;
                break;
            }
            last = Some((number, registered));
        }
        if let Some((number, registered)) = last {
            self.position = Some(ListPosition::Registered(number, name_of(registered)));
        }
    }

    /// Returns the number after which registrations are listed.
    fn number(&self) -> Option<u64> {
        match self.position {
            Some(ListPosition::Registered(number, _)) => Some(number),
            _ => None,
        }
    }
}

impl Catalog {
    /// Returns the number of the registration with that name; `None` if there is none.
    pub(super) fn number_of(&self, stretch: Stretch, name: &str) -> Option<u64> {
        match stretch {
            Stretch::Fixed => self.fixed.number_of(name),
            Stretch::Templates => self.listed_templates.number_of(name),
            Stretch::Named(family) => self.named(family)?.0.number_of(name),
            Stretch::ResourceTools => {
                let mut tools = self.resource_tools().into_iter();
                tools.find(|(_, tool)| *tool.name == *name).map(|(number, _)| number)
            }
            Stretch::Sources | Stretch::SkillSources | Stretch::Directory => None,
        }
    }

    /// Returns whether the list continues with a stretch of registrations.
    pub(super) fn follows(&self, stretch: Stretch) -> bool {
        match stretch {
            Stretch::Templates => !self.listed_templates.is_empty(),
            Stretch::ResourceTools => !self.resource_tools().is_empty(),
            _ => false,
        }
    }
}
