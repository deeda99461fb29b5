//! The kinds of lists, and the stretches that each consists of.

use super::cursor::ListPart;
use crate::access::Operation;
use crate::model::Family;
use crate::policy::Cacheable;
use std::sync::Arc;

/// The kind of list that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    Resources,
    Templates,
    Tools,
    Prompts,
    /// Resources, then templates: for the tool that lists both.
    Everything,
    /// The skills that are served.
    Skills,
    /// One skill, by its URI (`skills/get`).
    Skill,
    /// The direct children of one directory.
    Directory,
}

/// A stretch of a list. It consists of registrations that are one item each, or of list sources, which are callbacks
/// that return many items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stretch {
    Fixed,
    Templates,
    Named(Family),
    /// The tools that stand for resources.
    ResourceTools,
    /// Sources of resources.
    Sources,
    /// Sources of skills.
    SkillSources,
    /// The entries of one directory (`resources/directory/read`).
    Directory,
}

/// The list that a list source is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ListOf {
    pub(crate) listing: Listing,
    /// The URI of the skill or directory that the client asks for; `None` for other lists.
    pub(crate) subject: Option<Arc<str>>,
}

impl Listing {
    /// Returns the kind of list that a method of the extension for skills asks for.
    pub(crate) fn of_skills(method: &str) -> Option<Listing> {
        [Listing::Skills, Listing::Skill, Listing::Directory].into_iter().find(|l| l.method() == method)
    }

    pub(crate) fn method(self) -> &'static str {
        match self {
            Listing::Resources => "resources/list",
            Listing::Templates => "resources/templates/list",
            Listing::Tools => "tools/list",
            Listing::Prompts => "prompts/list",
            Listing::Everything => "list_resources",
            Listing::Skills => "skills/list",
            Listing::Skill => "skills/get",
            Listing::Directory => "resources/directory/read",
        }
    }

    /// Returns the member of the result that holds the items.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Listing::Resources | Listing::Everything | Listing::Directory => "resources",
            Listing::Templates => "resourceTemplates",
            Listing::Tools => "tools",
            Listing::Prompts => "prompts",
            Listing::Skills => "skills",
            Listing::Skill => "skill",
        }
    }

    /// Returns the kind of answer for caching hints.
    pub(crate) fn cacheable(self) -> Cacheable {
        match self {
            // The extension's schema asks for no hints of a directory. Clients take its result for a list of resources, which has them.
            Listing::Resources
            | Listing::Everything
            | Listing::Skills
            | Listing::Skill
            | Listing::Directory => Cacheable::Resources,
            Listing::Templates => Cacheable::Templates,
            Listing::Tools => Cacheable::Tools,
            Listing::Prompts => Cacheable::Prompts,
        }
    }

    /// Returns the stretches of the list, in order.
    pub(super) fn stretches(self) -> &'static [Stretch] {
        match self {
            Listing::Resources => &[Stretch::Fixed, Stretch::Sources],
            Listing::Templates => &[Stretch::Templates],
            Listing::Tools => &[Stretch::Named(Family::Tools), Stretch::ResourceTools],
            Listing::Prompts => &[Stretch::Named(Family::Prompts)],
            Listing::Everything => &[Stretch::Fixed, Stretch::Sources, Stretch::Templates],
            Listing::Skills | Listing::Skill => &[Stretch::SkillSources],
            Listing::Directory => &[Stretch::Directory],
        }
    }

    /// Returns the stretch that a part in a cursor stands for; `None` if the list has no such stretch.
    pub(super) fn stretch(self, part: ListPart) -> Option<Stretch> {
        let mut registered = self.stretches().iter().filter(|stretch| !stretch.has_sources());
        match part {
            ListPart::First => registered.next(),
            ListPart::Second => registered.nth(1),
        }
        .copied()
    }

    /// Returns the part that stands for a stretch in a cursor.
    pub(super) fn part(self, stretch: Stretch) -> ListPart {
        if self.stretch(ListPart::Second) == Some(stretch) { ListPart::Second } else { ListPart::First }
    }

    pub(super) fn lists_skills(self) -> bool {
        matches!(self, Listing::Skills | Listing::Skill)
    }

    /// Returns the operation to authorize for the items of a stretch.
    pub(super) fn operation(self, stretch: Stretch) -> Operation {
        match (self, stretch) {
            (Listing::Skill, _) => Operation::Read,
            (_, Stretch::Named(Family::Tools)) => Operation::ListTools,
            (_, Stretch::Named(Family::Prompts)) => Operation::ListPrompts,
            // A tool for resources stands for a template.
            _ => Operation::List,
        }
    }
}

impl Stretch {
    /// Returns whether sources give the items, rather than single registrations.
    pub(super) fn has_sources(self) -> bool {
        matches!(self, Stretch::Sources | Stretch::SkillSources | Stretch::Directory)
    }
}
