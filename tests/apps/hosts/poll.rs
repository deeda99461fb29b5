//! A poll about lunch with a page of MCP Apps, over stdio: what the examples in Python and Node do. The argument is the page.

use std::sync::Mutex;
use wellhead::{Json, MethodCall, Server, ToolResult, serve};

const PAGE: &str = "ui://poll/page";
static VOTES: Mutex<[u32; 2]> = Mutex::new([0; 2]);

fn count() -> ToolResult {
    let [noodles, pizza] = *VOTES.lock().unwrap();
    format!("Noodles: {noodles}, Pizza: {pizza}").into()
}

fn vote(call: &MethodCall) -> ToolResult {
    let is_pizza = call.arguments().contains("Pizza");
    VOTES.lock().unwrap()[usize::from(is_pizza)] += 1;
    count()
}

fn main() -> wellhead::Result<()> {
    let html = std::fs::read_to_string(std::env::args().nth(1).expect("the page")).expect("the page is read");
    let server = Server::new("poll", "1.0.0");
    server.app(PAGE, &Json::parse(r#"{"prefersBorder":true}"#)?, html)?;
    let shown = r#"{"description":"Shows the poll about lunch, and the votes.","inputSchema":{"type":"object"},
        "app":"ui://poll/page","annotations":{"readOnlyHint":true}}"#;
    server.tool("poll", &Json::parse(shown)?, |_| count())?;
    let voted = r#"{"description":"Votes for a dish.","app":"ui://poll/page","visibility":["app"],"inputSchema":{"type":"object",
        "properties":{"dish":{"type":"string","enum":["Noodles","Pizza"]}},"required":["dish"]}}"#;
    server.tool("vote", &Json::parse(voted)?, |call| vote(&call))?;
    serve::stdio(&server)
}
