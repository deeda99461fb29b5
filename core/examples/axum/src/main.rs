//! Notes for people and for MCP clients, served by one axum server: `axum-notes ADDRESS`.
//!
//! People read and write `/notes/ID`; clients speak MCP at `/mcp`, and are notified of what people change.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use wellhead::serve::HttpService;
use wellhead::{Page, Resource, Server, Template};

/// A note's URI.
const NOTE: &str = "notes://{id}";

#[derive(Clone)]
struct Notes {
    by_id: Arc<Mutex<BTreeMap<String, String>>>,
    server: Server,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let notes = Notes { by_id: Arc::default(), server: Server::new("notes", "1.0.0") };
    publish(&notes)?;

    // One thread runs the callbacks, so that a slow one holds up no other request of the program.
    let mcp = HttpService::new(notes.server.endpoint(), 1)?;
    let app = Router::new()
        .route_service("/mcp", mcp)
        .route("/notes/{id}", get(read).put(write))
        .with_state(notes.clone());

    let listener = TcpListener::bind(address).await?;
    writeln!(std::io::stdout(), "listening on http://{}", listener.local_addr()?)?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            let _ = tokio::signal::ctrl_c().await;
            notes.server.close(); // its streams end, and axum goes when all have
        })
        .await?;
    Ok(())
}

/// Registers the notes for MCP clients.
fn publish(notes: &Notes) -> wellhead::Result<()> {
    let by_id = notes.by_id.clone();
    notes.server.template(Template::new(NOTE).mime_type("text/markdown"), move |call| {
        by_id.lock().unwrap().get(call.var("id")?).cloned()
    })?;
    let by_id = notes.by_id.clone();
    notes.server.list("notes", move |call| {
        let by_id = by_id.lock().unwrap();
        let after = by_id.keys().filter(|id| call.after().is_none_or(|after| id.as_str() > after));
        match after
            .map(|id| Ok(Resource::new(uri(id)?).name(id).key(id)))
            .collect::<wellhead::Result<Vec<_>>>()
        {
            Ok(listed) => Page::new(listed),
            Err(e) => Page::failed(e.to_string()),
        }
    })?;
    Ok(())
}

/// Ids may have any characters: what a URI may not have is escaped.
fn uri(id: &str) -> wellhead::Result<String> {
    Template::new(NOTE).expand([("id", id)])
}

async fn read(State(notes): State<Notes>, Path(id): Path<String>) -> Result<String, StatusCode> {
    notes.by_id.lock().unwrap().get(&id).cloned().ok_or(StatusCode::NOT_FOUND)
}

async fn write(State(notes): State<Notes>, Path(id): Path<String>, text: String) -> StatusCode {
    let is_new = notes.by_id.lock().unwrap().insert(id.clone(), text).is_none();
    let told = if is_new {
        notes.server.notify_resource_list_changed()
    } else {
        uri(&id).and_then(|uri| notes.server.notify_updated(&uri))
    };
    // Fails once the server is closed, when the program is about to end.
    if told.is_ok() { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }
}
