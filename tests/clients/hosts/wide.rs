//! The wide host over stdio, or with `--http` by the native listener.

mod wide_server;

use std::io::Write;
use wellhead::serve;

fn main() -> wellhead::Result<()> {
    let server = wide_server::server()?;
    if std::env::args().nth(1).as_deref() != Some("--http") {
        return serve::stdio(&server);
    }
    let listener = serve::Http::new(server.endpoint()).handle_sigterm(true).bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.address()).expect("the script reads the URL");
    listener.serve()
}
