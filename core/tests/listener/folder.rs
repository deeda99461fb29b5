//! Clients that ask for a large directory and leave.

use super::Service;
use super::attacks::another_is_answered;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wellhead::Server;
use wellhead::serve::Http;

/// The attack had 60,000 files. Without optimisation each costs about ten times as much.
const FILES: usize = if cfg!(debug_assertions) { 6_000 } else { 60_000 };

const ATTACKS: usize = 200;

#[test]
fn reads_and_lists_of_a_large_directory_whose_clients_leave_at_once_keep_nobody_waiting() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    for n in 0..FILES {
        std::fs::write(root.join(format!("{n:05}.txt")), "x").unwrap();
    }
    let answered = Arc::new(AtomicUsize::new(0));
    let count = answered.clone();
    let server = Server::builder("s", "1").on_log(|_, _| {}).observe(move |observed| {
        let ran = observed.end.is_some_and(|end| matches!(end.outcome, "found" | "page"));
        count.fetch_add(usize::from(ran), Ordering::SeqCst);
    });
    let server = server.build().unwrap();
    server.directory(wellhead::Directory::new(&root).watch(false)).unwrap();
    let http = Http::new(server.endpoint()).callback_threads(4);
    let service = Service::of(server, http);
    let folder = format!("file://{}", root.to_str().unwrap());
    let mut others = 0;
    for n in 1..=ATTACKS {
        let mut client = service.client();
        if n % 2 == 0 {
            client.ask("resources/list", "", "");
        } else {
            client.ask(
                "resources/read",
                &format!(r#""uri":"{folder}","#),
                &format!("Mcp-Name: {folder}\r\n"),
            );
        }
        drop(client);
        if n % 50 == 0 {
            another_is_answered(&service, &format!("{folder}/00000.txt"));
            others += 1;
        }
    }
    let ran = answered.load(Ordering::SeqCst);
    assert!((others..ATTACKS / 2).contains(&ran), "most were not begun: {ran}");
    service.ends();
}
