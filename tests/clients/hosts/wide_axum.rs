//! The wide host in a web server of axum's, on the service of tower.

mod wide_server;

use axum::Router;
use std::error::Error;
use std::io::Write;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use wellhead::serve::HttpService;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = wide_server::server()?;
    let app = Router::new().route_service("/mcp", HttpService::new(server.endpoint(), 1)?);
    let mut ending = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            ending.recv().await;
            server.close();
        })
        .await?;
    Ok(())
}
