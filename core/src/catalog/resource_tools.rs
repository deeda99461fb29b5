//! The tools that show resources to clients that use tools only: `list_resources`, `read_resource`, and one for each
//! template.

use super::HandlerId;
use super::definition::{Promises, definition};
use super::methods::{MethodFn, MethodHandler};
use super::named::Named;
use super::registry::Catalog;
use super::template::Template;
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member, string, strings};
use crate::model::{Family, Json};
use crate::uri::{TemplateValue, expand};
use crate::wire;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tool that shows resources, by the question about them that its calls ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourceTool {
    /// A page of the list of resources and templates.
    List,
    /// The contents of a URI.
    Read,
    /// The contents of the URI that this template makes of the arguments.
    Template(Box<str>),
    /// The resources that a text search finds.
    Search,
    /// The text of a resource that a search found.
    Fetch,
}

/// The question about resources that one call asks.
#[derive(Debug)]
pub(crate) enum ResourceQuestion {
    List { cursor: Option<String> },
    Search { query: String },
    Read { uri: String },
}

/// The greatest number of templates that have tools. More would be no help to clients, which limit their tools.
pub(crate) const TEMPLATE_TOOLS: usize = 50;

/// The greatest number of characters of a tool's name that all large clients accept.
const NAME_LENGTH: usize = 64;

/// The id of handlers that belong to no registration.
const OF_NO_CALLBACK: HandlerId = HandlerId(0);

impl HandlerId {
    /// Returns whether the library answers, and no callback of the application.
    pub(crate) fn is_of_library(self) -> bool {
        self == OF_NO_CALLBACK
    }
}

const HINTS: &str = r#"{"readOnlyHint":true,"openWorldHint":false}"#;

const LIST: &str = r#"{"title":"List resources","description":"Lists the resources that read_resource can read, and the URI templates of others.","inputSchema":{"type":"object","properties":{"cursor":{"type":"string","description":"Continues a list: the cursor of the answer before."}},"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;

const READ: &str = r#"{"title":"Read a resource","description":"Reads the resource at a URI. list_resources names URIs and URI templates.","inputSchema":{"type":"object","properties":{"uri":{"type":"string","description":"The URI of the resource."}},"required":["uri"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;

const SEARCH: &str = r#"{"title":"Search resources","description":"Finds resources by a text. fetch reads what it finds.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to search for."}},"required":["query"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;

const FETCH: &str = r#"{"title":"Fetch a resource","description":"Reads the text of a resource that search has found.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"The id of a result of search."}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;

impl ResourceTool {
    /// Returns the question that a call with these arguments asks. Fails with a line about a missing argument, if
    /// arguments are not checked by the schema.
    pub(crate) fn question(&self, arguments: Raw<'_>) -> std::result::Result<ResourceQuestion, String> {
        Ok(match self {
            ResourceTool::List => ResourceQuestion::List { cursor: text_argument(arguments, "cursor")? },
            ResourceTool::Search => ResourceQuestion::Search { query: needed(arguments, "query")? },
            ResourceTool::Read => ResourceQuestion::Read { uri: needed(arguments, "uri")? },
            ResourceTool::Fetch => ResourceQuestion::Read { uri: needed(arguments, "id")? },
            ResourceTool::Template(text) => ResourceQuestion::Read { uri: expanded(text, arguments)? },
        })
    }
}

/// Returns an argument that is a text, or a line that says what is wrong with it.
fn needed(arguments: Raw<'_>, name: &str) -> std::result::Result<String, String> {
    text_argument(arguments, name)?.ok_or_else(|| format!("\n- {name}: is missing"))
}

/// Returns an argument that is a text, if it is there.
fn text_argument(arguments: Raw<'_>, name: &str) -> std::result::Result<Option<String>, String> {
    let mut found = Ok(None);
    for_each_member(arguments, |member, value| {
        if member == name {
            let text = string(value).map(|text| Some(text.into_owned()));
            found = text.ok_or_else(|| format!("\n- {name}: must be a string"));
        }
    });
    found
}

fn expanded(template: &str, arguments: Raw<'_>) -> std::result::Result<String, String> {
    let mut values = BTreeMap::new();
    for_each_member(arguments, |name, value| {
        let list = || strings(value).map(|list| list.into_iter().map(Into::into).collect());
        let value = string(value).map(|text| TemplateValue::Text(text.into_owned()));
        if let Some(value) = value.or_else(|| list().map(TemplateValue::List)) {
            values.insert(name.to_owned(), value);
        }
    });
    expand(template, |name| values.get(name)).map_err(|e| format!("\n- {e}"))
}

/// The tools for resources that belong to no template.
pub(super) struct ResourceTools(Vec<(u64, Arc<Named>)>);

/// Makes the handler of a search, as that of a tool that takes any arguments.
pub(crate) fn search_handler(id: HandlerId, run: Option<Arc<MethodFn>>) -> Arc<MethodHandler> {
    Arc::new(MethodHandler::named(id, Family::Tools, "search".into(), Promises::default(), run))
}

/// Makes the tool of a template. Takes no lock: it compiles a schema.
pub(crate) fn template_tool(template: &Template) -> Result<Arc<Named>> {
    let text = &template.uri_template;
    let described = template.descriptor.view();
    let name = tool_name(described.name.unwrap_or(text));
    let variables = template.variables()?;
    let (mut properties, mut required) = (Vec::new(), Vec::new());
    let mut schemas = Object::begin(&mut properties);
    for variable in &variables {
        let schema: &[u8] = if variable.list {
            br#"{"type":"array","items":{"type":"string"}}"#
        } else {
            br#"{"type":"string"}"#
        };
        schemas.any_member(&variable.name).extend_from_slice(schema);
        if !variable.optional {
            required.extend_from_slice(if required.is_empty() { b"[" } else { b"," });
            quote_into(&variable.name, &mut required);
        }
    }
    schemas.end();
    let mut members = Vec::new();
    let mut object = Object::begin(&mut members);
    if let Some(title) = described.title {
        object.string("title", title);
    }
    match described.description {
        Some(description) => object.string("description", description),
        None => object.string("description", &format!("Reads a resource {text}.")),
    };
    let mut schema = Object::begin(object.member("inputSchema"));
    schema.string("type", "object").raw("properties", &properties);
    if !required.is_empty() {
        required.push(b']');
        schema.raw("required", &required);
    }
    schema.boolean("additionalProperties", false);
    schema.end();
    object.raw("annotations", HINTS);
    object.end();
    named(&name, &Json::written(members), ResourceTool::Template(text.as_str().into()))
}

/// Returns the name of the tool for a template of that name.
fn tool_name(template: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    "read_".chars().chain(template.chars().map(kept)).take(NAME_LENGTH).collect()
}

fn named(name: &str, members: &Json, tool: ResourceTool) -> Result<Arc<Named>> {
    definition(Family::Tools, name, members).map(|definition| {
        Arc::new(Named::new(OF_NO_CALLBACK, Family::Tools, name.into(), definition, None, Some(tool)))
    })
}

impl Catalog {
    /// Offers resources as tools from now on.
    pub(crate) fn offer_resource_tools(&mut self) -> Result<()> {
        let tools = [
            ("list_resources", LIST, ResourceTool::List),
            ("read_resource", READ, ResourceTool::Read),
            ("search", SEARCH, ResourceTool::Search),
            ("fetch", FETCH, ResourceTool::Fetch),
        ];
        let mut own = Vec::new();
        for (name, members, tool) in tools {
            own.push((self.mint().0, named(name, &Json::parse(members)?, tool)?));
        }
        self.resource_tools = Some(ResourceTools(own));
        Ok(())
    }

    /// Sets the callback of the application that searches resources.
    pub(crate) fn add_resource_search(&mut self, run: Option<Arc<MethodFn>>) -> Result<HandlerId> {
        if self.search.is_some() {
            return Err(Error::new(ErrorKind::Duplicate, "a search is registered already"));
        }
        let id = self.mint();
        self.search = Some(search_handler(id, run));
        Ok(id)
    }

    /// Sets the function that searches folders, for an application without a search. Returns the former one.
    #[cfg(feature = "directory")]
    pub(crate) fn set_folder_search(&mut self, run: Arc<MethodFn>) -> Option<Arc<MethodHandler>> {
        self.folder_search.replace(search_handler(OF_NO_CALLBACK, Some(run)))
    }

    /// Returns the search of the application, or else that of its folders.
    pub(crate) fn search(&self) -> Option<&Arc<MethodHandler>> {
        self.search.as_ref().or(self.folder_search.as_ref().filter(|_| self.sources.has_folders()))
    }

    /// Returns the title, or else the name, and the URL of a registered resource. `None` if there is no resource at the
    /// URI.
    pub(crate) fn described(&self, uri: &str) -> Option<(Option<String>, Option<String>)> {
        let descriptor = self.fixed.get(uri)?.descriptor();
        let title = descriptor.title.as_ref().or(descriptor.name.as_ref()).cloned();
        Some((title, descriptor.meta().and_then(wire::own_url)))
    }

    /// Returns whether tools show resources.
    pub(crate) fn shows_resources(&self) -> bool {
        self.resource_tools.is_some()
    }

    /// Returns the tools for resources with their numbers, in the order of the list. A registered tool replaces one
    /// with its name, and an earlier template replaces a later one.
    pub(crate) fn resource_tools(&self) -> Vec<(u64, &Arc<Named>)> {
        let mut kept: Vec<(u64, &Arc<Named>)> = Vec::new();
        for (number, tool) in self.all_resource_tools() {
            let taken = self
                .named(Family::Tools)
                .is_some_and(|registered| registered.registered(&tool.name).is_some());
            if !taken && !kept.iter().any(|(_, other)| other.name == tool.name) {
                kept.push((number, tool));
            }
        }
        kept
    }

    /// Returns the tools for resources, those included that registered tools replace.
    fn all_resource_tools(&self) -> impl Iterator<Item = (u64, &Arc<Named>)> {
        let searched = self.search().is_some();
        let is_offered = move |tool: &Named| {
            searched || !matches!(tool.handler.of_resources, Some(ResourceTool::Search | ResourceTool::Fetch))
        };
        let own = self.resource_tools.iter().flat_map(|ResourceTools(own)| own);
        let own = own.filter(move |(_, tool)| is_offered(tool)).map(|(number, tool)| (*number, tool));
        own.chain(self.template_tools().filter(|_| self.resource_tools.is_some()))
    }

    fn template_tools(&self) -> impl Iterator<Item = (u64, &Arc<Named>)> {
        let all = || {
            let listed = self.listed_templates.after(None);
            listed.filter_map(|(number, handler)| Some((number, handler.tool.as_ref()?)))
        };
        all().filter(move |_| all().nth(TEMPLATE_TOOLS).is_none())
    }

    /// Returns the tool or prompt of that name, registered or for resources.
    pub(crate) fn called(&self, family: Family, name: &str) -> Option<Arc<MethodHandler>> {
        if let Some(named) = self.named(family).and_then(|named| named.get(name)) {
            return Some(named.handler.clone());
        }
        if family != Family::Tools || self.resource_tools.is_none() {
            return None;
        }
        self.resource_tools()
            .into_iter()
            .find(|(_, tool)| *tool.name == *name)
            .map(|(_, tool)| tool.handler.clone())
    }

    /// Returns whether tools or prompts are offered.
    pub(crate) fn offers(&self, family: Family) -> bool {
        self.named(family).is_some() || family == Family::Tools && self.resource_tools.is_some()
    }

    /// Returns whether tools or prompts are offered, or declared without any.
    pub(crate) fn serves(&self, family: Family) -> bool {
        self.offers(family) || self.declares(family.capability()) || self.declares_for_apps(family)
    }

    /// Returns a line for the log if the tool of a template that was just registered is left out.
    pub(crate) fn left_out(&self, template: &str) -> Option<String> {
        let (_, tool) = self.listed_templates.after(None).find_map(|(number, handler)| {
            (*handler.name == *template).then_some((number, handler.tool.as_ref()?))
        })?;
        let kept = self.resource_tools();
        if kept.iter().any(|(_, other)| Arc::ptr_eq(other, tool)) {
            return None;
        }
        let taken = kept.iter().any(|(_, other)| other.name == tool.name)
            || self
                .named(Family::Tools)
                .is_some_and(|registered| registered.registered(&tool.name).is_some());
        if taken {
            let advice = "name the template otherwise, or let clients use read_resource";
            return Some(format!("\"{template}\" has no tool: \"{}\" is taken; {advice}", tool.name));
        }
        let with_tool =
            self.listed_templates.after(None).filter(|(_, handler)| handler.tool.is_some()).count();
        (with_tool == TEMPLATE_TOOLS + 1).then(|| {
            format!("no template has a tool: there are more than {TEMPLATE_TOOLS}; clients use read_resource")
        })
    }

    /// Returns a line for the log if a tool that was just registered replaces one for resources.
    pub(crate) fn has_replaced(&self, name: &str) -> Option<String> {
        self.all_resource_tools()
            .any(|(_, tool)| *tool.name == *name)
            .then(|| format!("the tool \"{name}\" takes the place of the one for resources"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// row: RT-08
    #[test]
    fn the_name_of_a_tool_has_only_characters_that_all_clients_take() {
        assert_eq!(tool_name("note by id"), "read_note_by_id");
        assert_eq!(tool_name("notes://{id}"), "read_notes____id_");
        assert_eq!(tool_name("ä-1"), "read__-1");
        assert_eq!(tool_name(&"x".repeat(99)).len(), NAME_LENGTH);
    }
}
