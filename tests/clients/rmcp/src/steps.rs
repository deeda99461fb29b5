//! The steps with a wide host. Each step asserts one thing, and says what it found.

use crate::world::{News, Result, World, answer};
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams};
use serde_json::{Value, json};

/// In this order.
pub const NAMES: [&str; 11] = [
    "connect",
    "list",
    "several contents",
    "permission denied",
    "progress",
    "subscribe",
    "tools",
    "prompts",
    "ask the client",
    "input for a read",
    "close",
];
const DENIED: i32 = 403;
const INTERNAL_ERROR: i32 = -32603;

pub async fn take(name: &str, world: &mut World) -> Result<String> {
    match name {
        "connect" => connect(world).await,
        "list" => list(world).await,
        "several contents" => read(world).await,
        "permission denied" => refusal(DENIED, world.text("wide://denied").await),
        "progress" => progress(world).await,
        "subscribe" => subscribe(world).await,
        "tools" => tools(world).await,
        "prompts" => prompts(world).await,
        "ask the client" => check_client_request(world).await,
        "input for a read" => input_for_a_read(world).await,
        "close" => world.close().await,
        other => Err(format!("there is no step {other}").into()),
    }
}

async fn connect(world: &mut World) -> Result<String> {
    world.connect().await?;
    let told = serde_json::to_value(world.client().peer_info())?;
    same(&told["instructions"], &json!("Ask for anything."), "the instructions")?;
    let resources = json!({ "subscribe": true, "listChanged": true });
    same(&told["capabilities"]["resources"], &resources, "the capability")?;
    Ok(format!("{}, subscribe, listChanged", told["protocolVersion"].as_str().unwrap_or_default()))
}

async fn list(world: &mut World) -> Result<String> {
    let listed = serde_json::to_value(world.client().list_all_resources().await?)?;
    let listed = listed.as_array().ok_or("no array")?;
    same(&json!(listed.len()), &json!(8), "the number of resources")?;
    let described = listed.iter().find(|each| each["uri"] == "wide://described").ok_or("it is not listed")?;
    let wanted = json!({
        "uri": "wide://described",
        "name": "described",
        "title": "All there is to say",
        "description": "A resource of which everything is said.",
        "mimeType": "text/plain",
        "size": 10,
        "annotations": { "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z" },
        "icons": [{ "src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark" }],
        "_meta": { "example.com/colour": "green" },
    });
    same(described, &wanted, "it is listed")?;
    let templates = world.client().list_all_resource_templates().await?;
    same(&json!(templates[0].uri_template), &json!("wide://{city}/{street}"), "the template")?;
    Ok("8 resources, a template, all fields".to_owned())
}

async fn read(world: &mut World) -> Result<String> {
    let parts = serde_json::to_value(world.read("wide://parts").await?)?;
    let wanted = json!([
        { "uri": "wide://parts/1", "mimeType": "text/plain", "text": "one" },
        { "uri": "wide://parts/2", "mimeType": "application/octet-stream", "blob": "AP8=", "_meta": { "example.com/part": 2 } },
    ]);
    same(&parts, &wanted, "the parts")?;
    Ok("two parts, with _meta of their own".to_owned())
}

async fn progress(world: &mut World) -> Result<String> {
    let reading = world.begin("wide://steps").await?;
    let mut heard = Vec::new();
    while heard.len() < 3 {
        heard.push(world.progress().await?);
    }
    same(&json!(heard), &json!(["one", "two", "three"]), "the progress")?;
    world.read("wide://enough").await?;
    same(&json!(answer(reading).await?), &json!("done"), "wide://steps")?;
    Ok("3 of 3, while the host still reads".to_owned())
}

async fn subscribe(world: &mut World) -> Result<String> {
    world.listen("wide://cancelled").await?;
    let reading = world.begin("wide://endless").await?;
    world.progress().await?;
    reading.cancel(None).await?;
    match world.change().await? {
        News::Updated(uri) if uri == "wide://cancelled" => {}
        other => return Err(format!("instead of the update came {other:?}").into()),
    }
    same(&json!(world.text("wide://cancelled").await?), &json!("yes"), "wide://cancelled")?;
    Ok("the host hears of a cancellation, the client of the change".to_owned())
}

async fn tools(world: &mut World) -> Result<String> {
    let mut names = names_of_tools(world).await?;
    names.sort();
    same(&json!(names), &json!(["add", "ask", "grow", "log"]), "the tools")?;
    let result = serde_json::to_value(world.client().call_tool(CallToolRequestParams::new("grow")).await?)?;
    same(&result["content"][0]["text"], &json!("there is a further tool"), "the result")?;
    match world.change().await? {
        News::Tools => {}
        other => return Err(format!("instead of word of the further tool came {other:?}").into()),
    }
    if !names_of_tools(world).await?.iter().any(|name| name == "grown") {
        return Err("the further tool is not listed".into());
    }
    Ok("listed, called; a further one is told".to_owned())
}

async fn names_of_tools(world: &World) -> Result<Vec<String>> {
    Ok(world.client().list_all_tools().await?.into_iter().map(|tool| tool.name.into_owned()).collect())
}

async fn prompts(world: &mut World) -> Result<String> {
    let mut params = GetPromptRequestParams::new("greet");
    params.arguments = json!({ "name": "Ada" }).as_object().cloned();
    let got = serde_json::to_value(world.client().get_prompt(params).await?)?;
    same(&got["messages"][0]["content"]["text"], &json!("Greet Ada."), "the prompt")?;
    Ok("got".to_owned())
}

async fn check_client_request(world: &mut World) -> Result<String> {
    let mut params = CallToolRequestParams::new("ask");
    params.arguments = json!({ "method": "elicitation/create" }).as_object().cloned();
    let result = serde_json::to_value(world.client().call_tool(params).await?)?;
    let wanted = json!({ "action": "accept", "content": { "name": "Ada" } });
    same(&result["structuredContent"], &wanted, "the answer")?;
    Ok("elicitation/create".to_owned())
}

async fn input_for_a_read(world: &mut World) -> Result<String> {
    if !world.is_stateless() {
        return refusal(INTERNAL_ERROR, world.text("wide://asks").await);
    }
    let text = world.text("wide://asks").await?;
    same(&json!(text), &json!("Hello, Ada."), "it is read")?;
    Ok(text)
}

fn refusal(wanted: i32, given: std::result::Result<String, ServiceError>) -> Result<String> {
    match given {
        Err(ServiceError::McpError(refused)) if refused.code.0 == wanted => Ok(wanted.to_string()),
        other => Err(format!("not refused with {wanted}: {other:?}").into()),
    }
}

fn same(found: &Value, wanted: &Value, what: &str) -> Result<()> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found} instead of {wanted}").into()) }
}
