//! Clients that ask for a large directory and leave.

use super::Service;
use super::attacks::{another_is_answered, repeat_during};
use super::paths::uri_of;
use wellhead::Server;
use wellhead::serve::Http;

/// The attack had 60,000 files. Without optimisation each costs about ten times as much, and under Wine again.
const FILES: usize = match (cfg!(debug_assertions), cfg!(windows)) {
    (true, true) => 300,
    (true, false) => 6_000,
    (false, _) => 60_000,
};

#[test]
fn reads_and_lists_of_a_large_directory_for_clients_that_left_keep_no_client_waiting() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    for n in 0..FILES {
        std::fs::write(root.join(format!("{n:05}.txt")), "x").unwrap();
    }
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.directory(wellhead::Directory::new(&root).watch(false)).unwrap();
    let http = Http::new(server.endpoint()).callback_threads(4);
    let service = Service::bind(server, http);
    let folder = uri_of(&root);
    let attack = || {
        let mut client = service.client();
        client.send_request(
            "resources/read",
            &format!(r#""uri":"{folder}","#),
            &format!("Mcp-Name: {folder}\r\n"),
        );
        let mut client = service.client();
        client.send_request("resources/list", "", "");
    };
    repeat_during(100, attack, || another_is_answered(&service, &format!("{folder}/00000.txt")));
    service.ends();
}
