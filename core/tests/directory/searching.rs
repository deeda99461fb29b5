//! A folder is searched by the names and texts of its files, for clients that know tools.

use crate::support::Served;
use serde_json::{Value, json};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use wellhead::{Directory, Event};

fn call(served: &Served, name: &str, arguments: &Value) -> Value {
    served.send_request("tools/call", &json!({"name": name, "arguments": arguments}))["result"].clone()
}

/// The results of a search.
fn results(served: &Served, query: &str) -> Vec<Value> {
    let result = call(served, "search", &json!({"query": query}));
    assert_eq!(
        serde_json::from_str::<Value>(result["content"][0]["text"].as_str().unwrap()).unwrap(),
        result["structuredContent"]
    );
    result["structuredContent"]["results"].as_array().unwrap_or_else(|| panic!("{result}")).clone()
}

/// The paths that a search finds.
fn found(served: &Served, query: &str) -> Vec<String> {
    let root = served.uri("") + "/";
    let id = |result: &Value| result["id"].as_str().unwrap().strip_prefix(&root).unwrap().to_owned();
    results(served, query).iter().map(id).collect()
}

// row: RT-13, RT-15, RT-16
#[test]
fn files_are_found_by_name_and_text_and_fetched() {
    let files =
        [("tea.md", "# Green\nBuy tea."), ("notes/list.txt", "milk\n  Tea, black\n"), ("other", "milk")];
    let served = Served::tools(&files, |directory| directory);
    assert_eq!(
        results(&served, "tea"),
        [
            json!({"id": served.uri("tea.md"), "title": "tea.md", "url": "", "text": "Buy tea."}),
            json!({"id": served.uri("notes/list.txt"), "title": "list.txt", "url": "", "text": "Tea, black"})
        ]
    );
    let document = call(&served, "fetch", &json!({"id": served.uri("tea.md")}))["structuredContent"].clone();
    assert_eq!(document["text"], "# Green\nBuy tea.");
    assert_eq!(document["metadata"], json!({"mime_type": "text/markdown"}));
    assert_eq!(found(&served, "what is coffee"), [""; 0]);
}

// row: RT-16, U-27
#[test]
fn entries_that_are_not_served_are_not_found() {
    let files = [
        (".gitignore", "*.log\n"),
        ("a.log", "needle"),
        (".needle", "needle"),
        (".git/needle", "needle"),
        ("needle/.gitignore", "*\n"),
        ("needle/x", "needle"),
        ("drafts/needle.md", "needle"),
        ("big.txt", "needle and more than forty bytes of other text"),
        ("ok.md", "needle"),
    ];
    let served = Served::tools(&files, |directory| directory.exclude("drafts/").max_file_bytes(40));
    fs::write(served.outside().join("needle"), "needle").unwrap();
    #[cfg(unix)]
    served.link("out.md", served.outside().join("needle"));
    #[cfg(unix)]
    served.link("above", "..");
    #[cfg(unix)]
    served.link("loop", ".");
    #[cfg(unix)]
    served.link("self.md", "self.md");
    #[cfg(unix)]
    served.link("one.md", "two.md");
    #[cfg(unix)]
    served.link("two.md", "one.md");
    assert_eq!(found(&served, "needle"), ["ok.md"]);
}

// row: RT-16
#[test]
fn files_without_text_are_found_by_name_only() {
    let served = Served::tools(&[("plain", "needle")], |directory| directory);
    fs::write(served.root.join("needle.png"), b"\x89PNG\0").unwrap();
    fs::write(served.root.join("nul"), b"needle\0").unwrap();
    fs::write(served.root.join("late"), [&b"needle ".repeat(2_000)[..], b"\0"].concat()).unwrap();
    fs::write(served.root.join("latin"), b"needle \xe4").unwrap();
    fs::write(served.root.join("picture.png"), "needle").unwrap();
    assert_eq!(found(&served, "needle"), ["needle.png", "plain"]);
    assert_eq!(
        call(&served, "fetch", &json!({"id": served.uri("needle.png")}))["content"][0]["text"],
        format!("{} has no text", served.uri("needle.png"))
    );
}

// row: RT-16
#[test]
fn a_large_file_is_searched_at_its_start_and_a_character_may_be_cut() {
    let served = Served::tools(&[], |directory| directory.max_file_bytes(u64::MAX));
    let large = fs::File::create(served.root.join("needle-sparse")).unwrap();
    large.set_len(1 << 30).unwrap();
    fs::write(served.root.join("text"), format!("needle {}end", "€".repeat(400_000))).unwrap();
    fs::write(served.root.join("late"), format!("{}needle", "a".repeat(1 << 20))).unwrap();
    assert_eq!(found(&served, "needle"), ["needle-sparse", "text"]);
}

// row: RT-16
#[test]
fn a_query_of_any_length_is_answered() {
    let served = Served::tools(&[("a", "b")], |directory| directory);
    assert_eq!(found(&served, ""), [""; 0]);
    assert_eq!(found(&served, "\u{0}"), [""; 0]);
    let huge = call(&served, "search", &json!({"query": "x".repeat(100_000)}));
    assert_eq!(huge["isError"], true);
    assert_eq!(huge["content"][0]["text"], "The query has 100000 bytes. A search takes at most 1000.");
}

// row: RT-16
#[test]
fn the_tools_come_and_go_with_the_folder() {
    let served = Served::tools(&[("a", "b")], |directory| directory);
    let tools = || -> Vec<String> {
        let tools = served.send_request("tools/list", &json!({}))["result"]["tools"].clone();
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let with = ["list_resources", "read_resource", "search", "fetch", "read_root"];
    assert_eq!(tools(), with);
    served.handle.remove().unwrap();
    assert_eq!(tools(), ["list_resources", "read_resource"]);
    let gone = served.send_request("tools/call", &json!({"name": "search", "arguments": {"query": "a"}}));
    assert_eq!(gone["error"]["message"], "Unknown tool: search");
    served.server.directory(Directory::new(&served.root)).unwrap();
    assert_eq!(tools(), with);
    assert_eq!(found(&served, "b"), ["a"]);
}

// row: RT-16
#[test]
fn a_search_ends_in_time_and_compares_names_when_texts_take_too_long() {
    // Each time that the search asks, a millisecond has passed.
    let asked = AtomicU64::new(0);
    let clock = move || Duration::from_millis(asked.fetch_add(1, Ordering::Relaxed));
    let files: Vec<(String, &str)> = (0..3_000).map(|n| (format!("{n:04}.txt"), "hay")).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    files.extend([("0001-needle.txt", ""), ("2999-needle.txt", "")]);
    let served = Served::tools_in_time(&files, |directory| directory.watch(false), clock);
    assert_eq!(found(&served, "needle"), ["0001-needle.txt"], "the search does not reach the last files");
    let log = served.logged().join("\n");
    assert!(log.contains("a search did not see all files"), "{log}");
}

// row: RT-16
#[test]
fn a_client_that_cancels_ends_the_search() {
    let files: Vec<(String, &str)> = (0..2_000).map(|n| (format!("{n}.txt"), "hay")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let served = Served::tools(&files, |directory| directory);
    let search = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "hay"}}});
    let connection = &served.connection;
    connection.receive(format!("{search}\n").as_bytes());
    let event = connection.poll_event().unwrap();
    assert!(matches!(event, Event::Method(_)));
    let started = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            started.store(true, Ordering::Release);
            event.run();
        });
        while !started.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        connection.receive(format!("{cancel}\n").as_bytes());
        while connection.poll_event().is_some() {}
    });
    assert_eq!(found(&served, "hay").len(), 20, "the next search is not affected");
}

// row: RT-16
#[test]
fn two_searches_at_once_while_files_change() {
    let files: Vec<(String, String)> = (0..300).map(|n| (format!("{n}.txt"), format!("hay {n}"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let served = Served::tools(&files, |directory| directory);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for n in 0..300 {
                    let path = served.root.join(format!("{n}.txt"));
                    let _ = fs::remove_file(&path);
                    fs::write(&path, format!("hay {}", "ä".repeat(n))).unwrap();
                }
            }
        });
        let two = [0, 1].map(|_| {
            let other = served.server.connect(wellhead::Caller::default());
            scope.spawn(move || {
                let search = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "search", "arguments": {"query": "hay"},
                    "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                              "io.modelcontextprotocol/clientCapabilities": {}}}});
                for _ in 0..20 {
                    let answer = other.handle(search.to_string().as_bytes()).unwrap();
                    let wellhead::Handled::Answer(answer) = answer else { panic!("{answer:?}") };
                    let answer: Value = serde_json::from_slice(&answer).unwrap();
                    let results = answer["result"]["structuredContent"]["results"].as_array();
                    assert_eq!(results.unwrap_or_else(|| panic!("{answer}")).len(), 20);
                }
            })
        });
        for thread in two {
            thread.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}
