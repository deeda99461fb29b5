//! The wide host in a web server of axum's, on the service of tower.

mod wide_server;

use axum::Router;
use std::error::Error;
use std::io::Write;
use tokio::net::TcpListener;
use wellhead::serve::HttpService;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = wide_server::server()?;
    let app = Router::new().route_service("/mcp", HttpService::new(server.endpoint(), 1)?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            let _ = ending().await;
            server.close();
        })
        .await?;
    Ok(())
}

#[cfg(unix)]
async fn ending() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}

#[cfg(not(unix))]
async fn ending() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
