//! Where callbacks run.

use super::{Service, server};
use std::sync::Barrier;

#[test]
fn as_many_callbacks_run_at_once_as_there_are_threads_for_them() {
    const THREADS: usize = 4;
    let server = server();
    let all = Barrier::new(THREADS);
    let together = move |_| {
        all.wait();
        Some("all are here")
    };
    server.resource("test://together", together).unwrap();
    let service = Service::start(server, |http| http.callback_threads(THREADS));
    let mut clients: Vec<_> = (0..THREADS).map(|_| service.client()).collect();
    for _ in 0..50 {
        for client in &mut clients {
            client.send_request(
                "resources/read",
                r#""uri":"test://together","#,
                "Mcp-Name: test://together\r\n",
            );
        }
        for client in &mut clients {
            let (status, body) = client.whole();
            assert!(status == 200 && body.contains("all are here"), "{status} {body}");
        }
    }
    service.ends();
}
