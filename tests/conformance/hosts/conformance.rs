//! A server with everything that the official conformance suite asks for, over Streamable HTTP. Prints its URL, and serves until SIGTERM.
use serde_json::{Value, json};
use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;
use wellhead::serve::Http;
use wellhead::{
    ClientAnswer, Deferred, Json, MethodAnswer, MethodCall, MethodError, Resource, Result, Server, Template,
};

/// A PNG of one pixel, and a WAV of no length, in base64.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const STATE_LIVES: u64 = 600_000; // milliseconds

fn main() -> Result<()> {
    let server = Server::builder("conformance", "1.0.0")
        .capability("tools", object(&json!({"listChanged": true})))
        .capability("prompts", object(&json!({"listChanged": true})))
        .capability("logging", Json::default())
        .build()?;
    resources(&server)?;
    prompts(&server)?;
    plain_tools(&server)?;
    tools_that_tell(&server)?;
    tools_that_ask(&server)?;
    tools_that_need_input(&server)?;
    tools_that_change_lists(&server)?;
    let listener =
        Http::new(server.endpoint()).callback_threads(4).handle_sigterm(true).bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.address()).expect("the script reads the URL");
    listener.serve()
}

fn resources(server: &Server) -> Result<()> {
    let text =
        Resource::new("test://static-text").name("static-text").description("A text").mime_type("text/plain");
    server.text(text, "This is the content of the static text resource.")?;
    let blob = Resource::new("test://static-binary").name("static-binary").description("An image");
    server.blob(blob.mime_type("image/png"), &b"\x89PNG\r\n\x1a\n"[..])?;
    let watched =
        Resource::new("test://watched-resource").name("watched-resource").description("To be watched");
    server.text(watched.mime_type("text/plain"), "Watched.")?;
    let data = Template::new("test://template/{id}/data").name("data").description("By its id");
    server.template(data.mime_type("application/json").complete("id", |_| vec!["123"]), |call| {
        let id = call.var("id")?;
        Some(json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string())
    })?;
    Ok(())
}

fn prompts(server: &Server) -> Result<()> {
    let said = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    server.prompt("test_simple_prompt", &object(&json!({"description": "Simple"})), move |_| {
        object(&json!({"messages": [said("This is a simple prompt for testing.")]}))
    })?;

    let both = json!([{"name": "arg1", "description": "First", "required": true}, {"name": "arg2", "description": "Second", "required": true}]);
    let members = object(&json!({"description": "With arguments", "arguments": both}));
    server.prompt("test_prompt_with_arguments", &members, move |call| {
        let given = parsed(call.arguments());
        let text = format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            given["arg1"].as_str().unwrap_or_default(),
            given["arg2"].as_str().unwrap_or_default()
        );
        object(&json!({"messages": [said(&text)]}))
    })?;
    server.complete_prompt("test_prompt_with_arguments", "arg1", |call| {
        ["paris", "park", "party"]
            .into_iter()
            .filter(|city| city.starts_with(call.value()))
            .collect::<Vec<_>>()
    })?;

    let uri = json!([{"name": "resourceUri", "description": "What to embed", "required": true}]);
    let members = object(&json!({"description": "With a resource", "arguments": uri}));
    server.prompt("test_prompt_with_embedded_resource", &members, move |call| {
        let uri = parsed(call.arguments())["resourceUri"].take();
        let resource =
            json!({"uri": uri, "mimeType": "text/plain", "text": "Embedded resource content for testing."});
        let embedded = json!({"role": "user", "content": {"type": "resource", "resource": resource}});
        object(&json!({"messages": [embedded, said("Please process the embedded resource above.")]}))
    })?;
    server.prompt(
        "test_prompt_with_image",
        &object(&json!({"description": "With an image"})),
        move |_| {
            let image = json!({"role": "user", "content": image()});
            object(&json!({"messages": [image, said("Please analyze the image above.")]}))
        },
    )?;

    server.prompt(
        "test_input_required_result_prompt",
        &object(&json!({"description": "Needs input"})),
        move |call| match input(&call, "user_context")["content"]["context"].as_str() {
            Some(context) => MethodAnswer::Result(object(&json!({"messages": [said(context)]}))),
            None => needs(
                &json!({"user_context": elicits("What context should the prompt use?", "context")}),
                None,
            ),
        },
    )?;
    Ok(())
}

fn plain_tools(server: &Server) -> Result<()> {
    let resource = |uri: &str, mime_type: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}});
    let mixed =
        resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#);
    for (name, content) in [
        ("test_simple_text", json!([text("This is a simple text response for testing.")])),
        ("test_image_content", json!([image()])),
        ("test_audio_content", json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])),
        (
            "test_embedded_resource",
            json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )]),
        ),
        ("test_multiple_content_types", json!([text("Multiple content types test:"), image(), mixed])),
    ] {
        server.tool(name, &members(&json!({})), move |_| object(&json!({"content": content})))?;
    }
    server.tool("test_error_handling", &members(&json!({})), |_| {
        let content = [text("This tool intentionally returns an error for testing")];
        object(&json!({"isError": true, "content": content}))
    })?;

    let region = json!({"region": {"type": "string", "x-mcp-header": "Region"}});
    server.tool("test_custom_header", &members(&region), |_| says("The field and the argument agree."))?;

    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
    });
    let members = object(&json!({"description": "JSON Schema 2020-12", "inputSchema": schema}));
    server.tool("json_schema_2020_12_tool", &members, |_| says("not validated"))?;
    Ok(())
}

/// Log messages and progress.
fn tools_that_tell(server: &Server) -> Result<()> {
    for name in ["test_tool_with_logging", "test_logging_tool"] {
        server.tool(name, &members(&json!({})), |call| -> Result<_> {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                call.log("info", line, Some("conformance"))?;
                std::thread::sleep(Duration::from_millis(50));
            }
            Ok(says("logged"))
        })?;
    }
    server.tool("test_reconnection", &members(&json!({})), |call| {
        call.close_event_stream(500);
        std::thread::sleep(Duration::from_millis(100)); // the client is away
        says("Reconnection test completed successfully.")
    })?;
    server.tool("test_tool_with_progress", &members(&json!({})), |call| {
        for done in [0.0, 50.0, 100.0] {
            call.progress(done, Some(100.0), None);
            std::thread::sleep(Duration::from_millis(50));
        }
        says("done")
    })?;
    Ok(())
}

/// Requests to the client of a session.
fn tools_that_ask(server: &Server) -> Result<()> {
    let prompt = members(&json!({"prompt": {"type": "string"}}));
    server.tool("test_sampling", &prompt, |call| {
        let params =
            samples(parsed(call.arguments())["prompt"].as_str().unwrap_or_default(), 100)["params"].take();
        send_client_request(&call, "sampling/createMessage", &params, |result| {
            format!("LLM response: {}", result["content"]["text"].as_str().unwrap_or_default())
        })
    })?;
    let message = members(&json!({"message": {"type": "string"}}));
    server.tool("test_elicitation", &message, |call| {
        let properties = json!({
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"}
        });
        let schema = json!({"type": "object", "properties": properties, "required": ["username", "email"]});
        let params =
            json!({"message": parsed(call.arguments())["message"].take(), "requestedSchema": schema});
        send_client_request(&call, "elicitation/create", &params, |result| format!("User response: {result}"))
    })?;

    let defaults = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}
    });
    let titled = |of: &str| json!([{"const": "value1", "title": format!("First {of}")}, {"const": "value2", "title": format!("Second {of}")}]);
    let options = json!(["option1", "option2", "option3"]);
    let enums = json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}}
    });
    for (name, properties) in
        [("test_elicitation_sep1034_defaults", defaults), ("test_elicitation_sep1330_enums", enums)]
    {
        server.tool(name, &members(&json!({})), move |call| {
            let schema = json!({"type": "object", "properties": properties, "required": []});
            let params = json!({"message": "Please fill in", "requestedSchema": schema});
            send_client_request(&call, "elicitation/create", &params, |result| {
                format!("Elicitation completed: action={}, content={}", result["action"], result["content"])
            })
        })?;
    }
    Ok(())
}

/// Asks the client, and answers with a text made of what it says.
fn send_client_request(
    call: &MethodCall,
    method: &'static str,
    params: &Value,
    describe: fn(&Value) -> String,
) -> Deferred {
    let params = object(params);
    let (later, responder) = call.defer();
    std::thread::spawn(move || {
        let (answer, answers) = mpsc::channel();
        let asked = responder.send_request(method, Some(&params), move |said| drop(answer.send(said)));
        match (asked, answers.recv()) {
            (Ok(_), Ok(ClientAnswer::Result(result))) => responder.finish(says(&describe(&parsed(&result)))),
            (Ok(_), answer) => responder.finish(MethodAnswer::failed(format!("{answer:?}"))),
            (Err(e), _) => responder.finish(MethodAnswer::failed(e)),
        }
    });
    later
}

/// `input_required` results, in the revision that has them.
fn tools_that_need_input(server: &Server) -> Result<()> {
    let none = members(&json!({}));
    let name = || json!({"user_name": elicits("What is your name?", "name")});
    server.tool("test_input_required_result_elicitation", &none, move |call| {
        match input(&call, "user_name")["content"]["name"].as_str() {
            Some(name) => MethodAnswer::Result(says(&format!("Hello, {name}!"))),
            None => needs(&name(), None),
        }
    })?;
    server.tool("test_streaming_elicitation", &none, move |_| needs(&name(), None))?;
    server.tool("test_input_required_result_sampling", &none, |call| {
        match input(&call, "capital_question")["content"]["text"].as_str() {
            Some(text) => MethodAnswer::Result(says(text)),
            None => needs(&json!({"capital_question": samples("What is the capital of France?", 100)}), None),
        }
    })?;
    server.tool("test_input_required_result_list_roots", &none, |call| {
        match input(&call, "client_roots")["roots"].as_array() {
            Some(roots) => {
                MethodAnswer::Result(says(&format!("The roots are {}", Value::from(roots.clone()))))
            }
            None => needs(&json!({"client_roots": lists_roots()}), None),
        }
    })?;

    let confirm = || json!({"confirm": elicits("Please confirm", "ok")});
    for name in ["test_input_required_result_request_state", "test_input_required_result_tampered_state"] {
        let sealing = server.clone();
        server.tool(name, &none, move |call| match state(&sealing, &call) {
            Ok(None) => needs(&confirm(), Some(seal(&sealing, &call, "confirm"))),
            Ok(Some(_)) => MethodAnswer::Result(says("state-ok")),
            Err(e) => e.into(),
        })?;
    }
    let sealing = server.clone();
    server.tool("test_input_required_result_multiple_inputs", &none, move |call| {
        match state(&sealing, &call) {
            Ok(None) => {
                let requests = json!({
                    "user_name": elicits("What is your name?", "name"),
                    "greeting": samples("Generate a greeting", 50),
                    "client_roots": lists_roots(),
                });
                needs(&requests, Some(seal(&sealing, &call, "all")))
            }
            Ok(Some(_)) => MethodAnswer::Result(says("all answered")),
            Err(e) => e.into(),
        }
    })?;
    let sealing = server.clone();
    server.tool("test_input_required_result_multi_round", &none, move |call| {
        match state(&sealing, &call) {
            Ok(None) => needs(
                &json!({"step1": elicits("Step 1: What is your name?", "name")}),
                Some(seal(&sealing, &call, "1")),
            ),
            Ok(Some(step)) if step == "1" => needs(
                &json!({"step2": elicits("Step 2: What is your favorite color?", "color")}),
                Some(seal(&sealing, &call, "2")),
            ),
            Ok(Some(_)) => MethodAnswer::Result(says("both answered")),
            Err(e) => e.into(),
        }
    })?;
    server.tool("test_input_required_result_capabilities", &none, |call| {
        let can = parsed(&call.client_capabilities().unwrap_or_default());
        let all = [
            ("elicitation", elicits("What is your name?", "name")),
            ("sampling", samples("Generate a greeting", 50)),
        ];
        let able: serde_json::Map<_, _> = all
            .into_iter()
            .filter(|(capability, _)| !can[capability].is_null())
            .map(|(capability, request)| (capability.to_owned(), request))
            .collect();
        needs(&Value::from(able), None)
    })?;
    server.tool("test_missing_capability", &none, |call| {
        if parsed(&call.client_capabilities().unwrap_or_default())["sampling"].is_null() {
            return MethodAnswer::MissingCapability(object(&json!({"sampling": {}})));
        }
        MethodAnswer::Result(says("The client can sample."))
    })?;
    Ok(())
}

fn tools_that_change_lists(server: &Server) -> Result<()> {
    let changing = server.clone();
    server.tool("test_trigger_tool_change", &members(&json!({})), move |_| -> Result<_> {
        changing.tool("test_passing", &members(&json!({})), |_| says("gone soon"))?;
        changing.remove_tool("test_passing")?;
        Ok(says("changed"))
    })?;
    let changing = server.clone();
    server.tool("test_trigger_prompt_change", &members(&json!({})), move |_| -> Result<_> {
        changing.prompt("test_passing", &Json::default(), |_| object(&json!({"messages": []})))?;
        changing.remove_prompt("test_passing")?;
        Ok(says("changed"))
    })?;
    Ok(())
}

/// The answer of the client to the request of that name.
fn input(call: &MethodCall, name: &str) -> Value {
    parsed(call.params())["inputResponses"][name].take()
}

/// A `requestState` for this tool and caller.
fn seal(server: &Server, call: &MethodCall, state: &str) -> String {
    server.seal_state(call.caller(), call.name().unwrap_or_default(), state, now() + STATE_LIVES)
}

/// The state that the client sent back; none if it sent none.
fn state(server: &Server, call: &MethodCall) -> std::result::Result<Option<String>, MethodError> {
    let params = parsed(call.params());
    let Some(sealed) = params["requestState"].as_str() else { return Ok(None) };
    let opened = server.open_state(call.caller(), call.name().unwrap_or_default(), sealed, now());
    opened.map(Some).ok_or_else(|| MethodError::invalid_params("requestState"))
}

/// Unix time in milliseconds.
fn now() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn needs(requests: &Value, state: Option<String>) -> MethodAnswer {
    let mut input = json!({"inputRequests": requests});
    if let Some(state) = state {
        input["requestState"] = state.into();
    }
    MethodAnswer::InputRequired(object(&input))
}

fn elicits(message: &str, name: &str) -> Value {
    let of = if name == "ok" { "boolean" } else { "string" };
    let schema = json!({"type": "object", "properties": {name: {"type": of}}, "required": [name]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

fn samples(prompt: &str, most: u32) -> Value {
    let messages = [json!({"role": "user", "content": text(prompt)})];
    json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}})
}

fn lists_roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

fn members(properties: &Value) -> Json {
    let required: Vec<_> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    object(&json!({"description": "For the conformance suite", "inputSchema": schema}))
}

fn says(said: &str) -> Json {
    object(&json!({"content": [text(said)]}))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn object(value: &Value) -> Json {
    Json::parse(value.to_string()).expect("an object")
}
