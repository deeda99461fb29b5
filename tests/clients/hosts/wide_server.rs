//! Everything that a client can ask for, on a small scale: see README.md one folder up.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wellhead::{Annotations, Answer, CacheHint, ClientRequestError, Completion, Contents, Icon, Json};
use wellhead::{MethodCall, Resource, Role, Server, Template, Tool, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

pub(crate) fn server() -> wellhead::Result<Server> {
    let server = Server::builder("wide", "1.0.0")
        .title("All there is")
        .instructions("Ask for anything.")
        .capability("tools", Json::parse(r#"{"listChanged":true}"#)?)
        .capability("logging", Json::default())
        .build()?;
    resources(&server)?;
    places(&server)?;
    tools(&server)?;
    Ok(server)
}

fn resources(server: &Server) -> wellhead::Result<()> {
    let annotations = Annotations::new()
        .audience([Role::User, Role::Assistant])
        .priority(0.5)
        .last_modified("2026-01-12T15:00:58Z");
    let described = Resource::new("wide://described")
        .name("described")
        .title("All there is to say")
        .description("A resource of which everything is said.")
        .mime_type("text/plain")
        .size(10)
        .annotations(annotations)
        .icon(Icon::new("https://example.com/icon.png").mime_type("image/png").size("48x48").theme("dark"))
        .meta(Json::parse(r#"{"example.com/colour":"green"}"#)?)
        .cache(CacheHint::new().ttl_ms(60_000));
    server.text(described, "Described.")?;

    server.resource("wide://parts", |_| -> wellhead::Result<_> {
        let bytes = Contents::new(b"\x00\xff").uri("wide://parts/2").mime_type("application/octet-stream");
        let meta = Json::parse(r#"{"example.com/part":2}"#)?;
        Ok(vec![Contents::new("one").uri("wide://parts/1").mime_type("text/plain"), bytes.meta(meta)])
    })?;

    // `wide://steps` is answered once a client reads `wide://enough`.
    let waiting = Arc::new(Mutex::new(Vec::new()));
    let answered = Arc::clone(&waiting);
    server.resource("wide://steps", move |call| {
        let mut waiting = waiting.lock().unwrap(); // a client reads `wide://enough` at the last progress
        for (done, message) in [(1.0, "one"), (2.0, "two"), (3.0, "three")] {
            call.progress(done, Some(3.0), Some(message));
        }
        let (later, responder) = call.defer();
        waiting.push(responder);
        later
    })?;
    server.resource("wide://enough", move |_| {
        for responder in std::mem::take(&mut *answered.lock().unwrap()) {
            responder.finish("done");
        }
        "enough"
    })?;

    // What becomes of `wide://endless` is told in `wide://cancelled`.
    let cancelled = server.text("wide://cancelled", "no")?;
    server.resource("wide://endless", move |call| {
        let cancelled = cancelled.clone();
        call.progress(1.0, None, None);
        let (later, responder) = call.defer();
        std::thread::spawn(move || {
            while !responder.is_cancelled() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = cancelled.set("yes");
        });
        later
    })?;

    server.resource("wide://denied", |_| Answer::Denied)?;

    server.resource("wide://asks", |call| {
        let responses = call.input_responses().map(json).unwrap_or_default();
        match responses["name"]["content"]["name"].as_str() {
            Some(name) => Answer::from(format!("Hello, {name}.")),
            None => needs("name", "elicitation/create")
                .map_or_else(|e| Answer::Failed(e.to_string()), Answer::InputRequired),
        }
    })?;
    Ok(())
}

fn places(server: &Server) -> wellhead::Result<()> {
    let place = Template::new("wide://{city}/{street}")
        .name("place")
        .title("A place")
        .description("A street of a city.")
        .mime_type("text/plain")
        .annotations(Annotations::new().priority(1.0))
        .icon(Icon::new("https://example.com/icon.png"))
        .meta(Json::parse(r#"{"example.com/colour":"red"}"#)?)
        .complete("city", |call| beginning(&["aarhus", "antwerpen", "bern"], call.value()))
        .complete("street", |call| {
            let streets: &[_] =
                if call.other("city") == Some("aarhus") { &["bredgade", "brogade"] } else { &["meir"] };
            Completion::new(beginning(streets, call.value())).total(12).more(true)
        });
    server.template(place, |call| Some(format!("{} in {}", call.var("street")?, call.var("city")?)))?;
    Ok(())
}

fn tools(server: &Server) -> wellhead::Result<()> {
    let members = |properties: &str| {
        Json::parse(format!(r#"{{"inputSchema":{{"type":"object","properties":{{{properties}}}}}}}"#))
    };
    server.tool("ask", &members(r#""method":{"type":"string"}"#)?, |call| send_client_request(&call))?;

    server.tool("log", &members("")?, |call| -> wellhead::Result<_> {
        call.log("debug", "what is going on", Some("wide"))?;
        call.log("error", "what went wrong", Some("wide"))?;
        text("logged")
    })?;

    let add = Tool::new("Adds two numbers.").output::<Sum>();
    server.typed_tool("add", add, |Numbers { a, b }, _| ToolResult::serialize(&Sum { sum: a + b }))?;

    let (growing, grown) = (server.clone(), members("")?);
    server.tool("grow", &members("")?, move |_| -> wellhead::Result<_> {
        growing.tool("grown", &grown, |_| text("grown"))?;
        text("there is a further tool")
    })?;

    let greet = r#"{"title":"A greeting","arguments":[{"name":"name","required":true}]}"#;
    server.prompt("greet", &Json::parse(greet)?, |call| {
        let arguments = json(call.arguments());
        let text = format!("Greet {}.", arguments["name"].as_str().unwrap_or("everybody"));
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        Json::parse(json!({"description": "A greeting", "messages": [message]}).to_string())
    })?;
    server.complete_prompt("greet", "name", |call| beginning(&["Ada", "Alan", "Grace"], call.value()))
}

/// Asks the client for the feature that the argument `method` names, and gives back what it answers.
fn send_client_request(call: &MethodCall) -> Result<Json, ClientRequestError> {
    let method = json(call.arguments())["method"].as_str().unwrap_or_default().to_owned();
    let params = Json::parse(question(&method)["params"].to_string()).ok();
    let answer = call.require_input("it", &method, params.as_ref())?;
    structured(answer.as_str()).map_err(ClientRequestError::Failed)
}

fn needs(key: &str, method: &str) -> wellhead::Result<Json> {
    Json::parse(json!({"inputRequests": {key: question(method)}}).to_string())
}

fn question(method: &str) -> Value {
    let params = match method {
        "elicitation/create" => json!({
            "mode": "form",
            "message": "Your name?",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        }),
        "sampling/createMessage" => json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": "Your name?"}}],
            "maxTokens": 16,
        }),
        _ => json!({}),
    };
    json!({"method": method, "params": params})
}

fn beginning<'a>(all: &[&'a str], with: &str) -> Vec<&'a str> {
    all.iter().copied().filter(|one| one.starts_with(with)).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn text(text: &str) -> wellhead::Result<Json> {
    Json::parse(json!({"content": [{"type": "text", "text": text}]}).to_string())
}

fn structured(object: &str) -> wellhead::Result<Json> {
    Json::parse(format!(r#"{{"content":[],"structuredContent":{object}}}"#))
}
