//! The definition of a tool with typed arguments.

use super::Json;
use crate::error::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The definition of a tool that [`crate::Server::typed_tool`] registers, without its name and its arguments.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    members: Map<String, Value>,
    annotations: Map<String, Value>,
}

impl Tool {
    /// Begins the definition of a tool. `description` tells the model what the tool does and when to call it.
    pub fn new(description: impl Into<String>) -> Self {
        Tool::default().member("description", description.into())
    }

    /// Sets the title, for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.member("title", title.into())
    }

    /// Sets the hint whether the tool changes nothing (`readOnlyHint`). Without it clients assume that it changes
    /// something.
    #[must_use]
    pub fn read_only(self, hint: bool) -> Self {
        self.annotation("readOnlyHint", hint)
    }

    /// Sets the hint whether the tool may destroy something and not only add (`destructiveHint`). Without it clients
    /// assume that it may.
    #[must_use]
    pub fn destructive(self, hint: bool) -> Self {
        self.annotation("destructiveHint", hint)
    }

    /// Sets the hint whether a second call with the same arguments changes nothing further (`idempotentHint`). Without
    /// it clients assume that it changes something.
    #[must_use]
    pub fn idempotent(self, hint: bool) -> Self {
        self.annotation("idempotentHint", hint)
    }

    /// Sets the hint whether the tool uses systems outside of the server's own, such as the web (`openWorldHint`).
    /// Without it clients assume that it does.
    #[must_use]
    pub fn open_world(self, hint: bool) -> Self {
        self.annotation("openWorldHint", hint)
    }

    /// Sets the `outputSchema` to the schema of a type. The tool returns [`crate::ToolResult::serialize`] of a value of
    /// the type.
    #[must_use]
    pub fn output<T: JsonSchema>(self) -> Self {
        let schema = schema_of::<T>(SchemaSettings::for_serialize);
        self.member("outputSchema", schema)
    }

    /// Sets the `_meta` of the definition.
    #[must_use]
    pub fn meta(self, meta: &Json) -> Self {
        let value = serde_json::from_str::<Value>(meta.as_str()).unwrap_or_default();
        self.member("_meta", value)
    }

    /// Returns the definition of a tool whose arguments are of a type. `()` stands for a tool without parameters.
    pub(crate) fn definition<A: JsonSchema>(mut self) -> Result<Json> {
        let schema = match schema_of::<A>(SchemaSettings::for_deserialize) {
            _ if Tool::takes_nothing::<A>() => json!({"type": "object", "additionalProperties": false}),
            schema if schema["type"] == "object" => schema,
            _ => {
                let name = A::schema_name();
                let what = format!(
                    "the arguments of a tool are an object, and {name} is none; use a struct with named fields"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, what));
            }
        };
        self.members.insert("inputSchema".into(), schema);
        if !self.annotations.is_empty() {
            self.members.insert("annotations".into(), self.annotations.into());
        }
        Json::parse(Value::Object(self.members).to_string())
    }

    /// Returns whether the arguments are `()`, or another type whose only value is null.
    pub(crate) fn takes_nothing<A: JsonSchema>() -> bool {
        schema_of::<A>(SchemaSettings::for_deserialize)["type"] == "null"
    }

    fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.into(), value.into());
        self
    }

    fn annotation(mut self, name: &str, hint: bool) -> Self {
        self.annotations.insert(name.into(), hint.into());
        self
    }
}

/// Returns the schema of a type in JSON Schema 2020-12, without the name of the type, which clients need not know.
fn schema_of<T: JsonSchema>(contract: fn(SchemaSettings) -> SchemaSettings) -> Value {
    let generator = contract(SchemaSettings::draft2020_12()).into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.remove("$schema"); // 2020-12 is the dialect of MCP
    if schema.get("title").and_then(Value::as_str) == Some(&*T::schema_name() as &str) {
        schema.remove("title");
    }
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only the schema is looked at")]
    struct Search {
        /// The text to look for.
        text: String,
        #[serde(default)]
        limit: Option<u32>,
    }

    #[test]
    fn a_struct_is_an_input_schema_with_its_comments_and_without_its_name() {
        let definition =
            Tool::new("Searches.").title("Search").read_only(true).definition::<Search>().unwrap();
        let definition: Value = serde_json::from_str(definition.as_str()).unwrap();
        assert_eq!(definition["description"], "Searches.");
        assert_eq!(definition["title"], "Search");
        assert_eq!(definition["annotations"], json!({"readOnlyHint": true}));
        let schema = &definition["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["text"]["description"], "The text to look for.");
        assert_eq!(schema["required"], json!(["text"]));
        assert_eq!((schema.get("title"), schema.get("$schema")), (None, None));
    }

    /// row: TS-01
    #[test]
    fn a_tool_without_parameters_takes_no_arguments() {
        let definition = Tool::default().definition::<()>().unwrap();
        assert_eq!(definition.as_str(), r#"{"inputSchema":{"type":"object","additionalProperties":false}}"#);
    }

    #[test]
    fn arguments_that_are_no_object_are_refused_with_advice() {
        let error = Tool::new("").definition::<u32>().unwrap_err();
        assert!(error.to_string().contains("use a struct with named fields"), "{error}");
    }
}
