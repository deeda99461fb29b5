//! Registers tools whose arguments have a Rust type.

use super::{NamedHandle, Server};
use crate::error::Result;
use crate::event::{MethodCall, whole_number};
use crate::jsonrpc::string_end;
use crate::model::{MethodAnswer, MethodError, Tool, ToolError};
use crate::policy::InvalidArguments;
use crate::provider::IntoReply;
use crate::responder::Responder;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

impl Server {
    /// Registers a tool whose arguments are a struct, or `()` for a tool without parameters. The `inputSchema` is derived
    /// from the struct and its doc comments. The handler gets the arguments of each call, and otherwise works like that
    /// of [`Server::tool`].
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use wellhead::{Server, Tool, ToolResult};
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Numbers {
    ///     a: i32,
    ///     b: i32,
    /// }
    ///
    /// let server = Server::new("adder", "1.0.0");
    /// server.typed_tool("add", Tool::new("Adds two numbers."), |Numbers { a, b }, _| {
    ///     ToolResult::from((i64::from(a) + i64::from(b)).to_string())
    /// })?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Server::tool`]. Also [`crate::ErrorKind::InvalidArgument`] if the type is no object in JSON.
    pub fn typed_tool<A, F, R, M>(&self, name: &str, tool: Tool, handler: F) -> Result<NamedHandle>
    where
        A: DeserializeOwned + JsonSchema,
        F: Fn(A, MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        let definition = tool.definition::<A>()?;
        let (tool, takes_nothing) = (name.to_owned(), Tool::takes_nothing::<A>());
        let invalid = self.0.settings.policy.options.invalid_arguments;
        self.tool(name, &definition, move |call: MethodCall| {
            let arguments = if takes_nothing { "null" } else { call.arguments() };
            match deserialize(arguments) {
                Ok(arguments) => Typed::Answer(handler(arguments, call)),
                // The schema says less than the type may ask for.
                Err(error) => {
                    let text = format!("Invalid arguments for tool {tool}:\n- {error}");
                    Typed::Refused(match invalid {
                        InvalidArguments::Result => ToolError::new(text).into(),
                        InvalidArguments::Error => {
                            MethodError { message: text, ..MethodError::invalid_params("") }.into()
                        }
                    })
                }
            }
        })
    }
}

/// Makes the value of a type from arguments. An integer may have any spelling that its schema takes for one.
fn deserialize<A: DeserializeOwned>(arguments: &str) -> serde_json::Result<A> {
    serde_json::from_str(arguments).or_else(|_| serde_json::from_str(&spell_integers(arguments)))
}

/// Returns JSON text in which each whole number is spelt as an integer: `1` for `1.0`, `1e0` and `10e-1`. JSON Schema
/// makes no difference between them, but serde reads none of the others as an integer.
fn spell_integers(json: &str) -> String {
    let mut spelt = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| matches!(c, '"' | '-' | '0'..='9')) {
        let (before, token) = rest.split_at(start);
        let (end, integer) = if token.starts_with('"') {
            (string_end(token.as_bytes(), 1), None)
        } else {
            let after = |c: char| !matches!(c, '+' | '-' | '.' | 'e' | 'E' | '0'..='9');
            let end = token.find(after).unwrap_or(token.len());
            (end, whole_number(&token[..end]))
        };
        spelt.push_str(before);
        match integer {
            Some(integer) => spelt.push_str(&integer.to_string()),
            None => spelt.push_str(&token[..end]),
        }
        rest = &token[end..];
    }
    spelt + rest
}

/// The return value of a typed handler, or the reason why it was not called.
enum Typed<R> {
    Answer(R),
    Refused(MethodAnswer),
}

/// A marker type, which distinguishes the conversion of [`Typed`] from others.
struct OfTyped<M>(std::marker::PhantomData<M>);

impl<R: IntoReply<MethodAnswer, M>, M> IntoReply<MethodAnswer, OfTyped<M>> for Typed<R> {
    fn reply(self, responder: Responder<MethodAnswer>) {
        match self {
            Typed::Answer(answer) => answer.reply(responder),
            Typed::Refused(error) => drop(responder.finish(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Server, Tool, ToolError, ToolResult};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Deserialize, JsonSchema)]
    struct Numbers {
        a: i32,
        b: i32,
    }

    #[derive(Serialize, JsonSchema)]
    struct Sum {
        sum: i64,
    }

    /// A type whose schema takes more than it does.
    #[derive(Deserialize, JsonSchema)]
    struct PingTarget {
        #[schemars(with = "String")]
        at: std::net::IpAddr,
    }

    fn server() -> Server {
        let server = Server::new("adder", "1");
        server
            .typed_tool("add", Tool::new("Adds.").output::<Sum>(), |Numbers { a, b }, _| {
                ToolResult::serialize(&Sum { sum: i64::from(a) + i64::from(b) })
            })
            .unwrap();
        let divide = |Numbers { a, b }: Numbers, _| match a.checked_div(b) {
            Some(quotient) => Ok(ToolResult::from(quotient.to_string())),
            None => Err(ToolError::new("b must not be 0")),
        };
        server.typed_tool("divide", Tool::new("Divides."), divide).unwrap();
        server
            .typed_tool("ping", Tool::new("Pings."), |PingTarget { at }, _| ToolResult::from(at.to_string()))
            .unwrap();
        server
            .typed_tool("later", Tool::new("Adds later."), |Numbers { a, b }, call: crate::MethodCall| {
                let (later, responder) = call.defer();
                std::thread::spawn(move || responder.finish(ToolResult::from((a + b).to_string())));
                later
            })
            .unwrap();
        server.typed_tool("now", Tool::new("Says the time."), |(), _| ToolResult::from("noon")).unwrap();
        server
    }

    fn call(name: &str, arguments: &str) -> serde_json::Value {
        let mut client = server().test_client().unwrap();
        serde_json::from_str(&client.call_tool(name, arguments).unwrap()).unwrap()
    }

    // row: TR-11
    #[test]
    fn a_handler_gets_its_struct_and_may_return_a_value_an_error_or_later() {
        let added = call("add", r#"{"a":2,"b":3}"#);
        assert_eq!(added["structuredContent"], serde_json::json!({"sum": 5}));
        assert_eq!(added["content"][0]["text"], r#"{"sum":5}"#);
        assert_eq!(call("divide", r#"{"a":7,"b":2}"#)["content"][0]["text"], "3");
        let refused = call("divide", r#"{"a":7,"b":0}"#);
        assert_eq!(
            (&refused["isError"], &refused["content"][0]["text"]),
            (&true.into(), &"b must not be 0".into())
        );
        assert_eq!(call("later", r#"{"a":1,"b":1}"#)["content"][0]["text"], "2");
        assert_eq!(call("now", "{}")["content"][0]["text"], "noon");
    }

    // row: TA-05
    #[test]
    fn arguments_that_the_type_does_not_take_are_an_error_if_the_application_chose_so() {
        let server =
            Server::builder("s", "1").invalid_arguments(crate::InvalidArguments::Error).build().unwrap();
        let ping = |PingTarget { at }, _| ToolResult::from(at.to_string());
        server.typed_tool("ping", Tool::new("Pings."), ping).unwrap();
        let refused = server.test_client().unwrap().call_tool("ping", r#"{"at":"here"}"#).unwrap_err();
        let error =
            std::error::Error::source(&refused).unwrap().downcast_ref::<crate::MethodError>().unwrap();
        assert_eq!(error.rpc_code(), -32602);
        assert!(error.message().starts_with("Invalid arguments for tool ping:\n- "), "{error:?}");
    }

    // row: TS-09
    #[test]
    fn an_integer_may_be_spelt_as_its_schema_takes_it() {
        for (arguments, sum) in
            [(r#"{"a":1.0,"b":2}"#, 3), (r#"{"a":-0,"b":-20e-1}"#, -2), (r#"{"a":1E2,"b":-0.0}"#, 100)]
        {
            assert_eq!(call("add", arguments)["structuredContent"]["sum"], sum, "{arguments}");
        }
        let spelt = r#"{"a\"1.0":[1,"1.0\\",2.5],"b":{"true":true,"c":1e400}}"#;
        assert_eq!(super::spell_integers(&spelt.replace("[1,", "[1.0,")), spelt);
    }

    // row: TA-15
    #[test]
    fn arguments_that_the_type_does_not_take_are_a_result_for_the_model() {
        for (name, arguments) in [
            ("add", r#"{"a":2}"#),
            ("add", r#"{"a":2,"b":3000000000}"#),
            ("add", r#"{"a":2,"b":123456789012345678901234567890}"#),
            ("add", r#"{"a":2,"b":1.0000000000000001}"#),
            ("ping", r#"{"at":"here"}"#),
            ("now", r#"{"a":2}"#),
        ] {
            let refused = call(name, arguments);
            let text = refused["content"][0]["text"].as_str().unwrap();
            assert!(
                refused["isError"] == true
                    && text.starts_with(&format!("Invalid arguments for tool {name}:\n- ")),
                "{text}"
            );
        }
    }
}
