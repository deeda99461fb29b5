//! A tool `add(a, b)` and the listed items on rmcp, over stdio.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use std::sync::Arc;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Clone)]
struct Rival {
    tool_router: ToolRouter<Self>,
    items: Arc<[Resource]>,
}

#[tool_router]
impl Rival {
    #[tool(description = "Adds two whole numbers.")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> String {
        (a + b).to_string()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Rival {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.items.to_vec()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let number = request.uri.strip_prefix("bench://item/").and_then(|n| n.parse::<usize>().ok());
        match number.filter(|n| *n < self.items.len()) {
            Some(n) => Ok(ReadResourceResult::new(vec![ResourceContents::text(text(n), request.uri)]).into()),
            None => Err(ErrorData::resource_not_found("unknown", None)),
        }
    }
}

fn text(n: usize) -> String {
    let sentence = "The quick brown fox jumps over the lazy dog. ";
    let mut text = format!("item {n}: {}", sentence.repeat(23));
    text.truncate(1024);
    text
}

fn item(n: usize) -> Resource {
    Resource::new(format!("bench://item/{n}"), format!("item-{n}"))
        .with_title(format!("Item {n}"))
        .with_description(format!("Benchmark item number {n}"))
        .with_mime_type("text/plain")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rival = Rival { tool_router: Rival::tool_router(), items: (0..1000).map(item).collect() };
    let service = rival.serve(stdio()).await?;
    service.waiting().await?;
    Ok(())
}
