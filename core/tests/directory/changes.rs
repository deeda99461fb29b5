//! Notifications of changes in a folder.

use crate::paths::uri_of;
use crate::support::{Served, set_modified};
use serde_json::{Value, json};
use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use wellhead::{Caller, Connection, DrainStart, Group, Handled, Limits, Route, Server};

const PATIENCE: Duration = Duration::from_secs(60);

/// The kind of client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    /// Shakes hands, and subscribes to one URI after the other.
    Handshake,
    /// Opens one stream for all that it wants to be told of.
    Stateless,
}

/// A client that is told of changes.
struct Client {
    connection: Connection,
    group: Group,
    bell: Receiver<()>,
    told: Vec<String>,
}

/// The list changed; anything else is the URI of an update.
const LIST: &str = "list";

impl Client {
    /// Watches these paths, and the list.
    fn watching(served: &Served, era: Era, paths: &[&str]) -> Client {
        let uris: Vec<_> = paths.iter().map(|path| served.uri(path)).collect();
        Client::subscribed(&served.server, era, &uris)
    }

    fn subscribed(server: &Server, era: Era, uris: &[String]) -> Client {
        let (ring, bell) = channel();
        let group = server.group(move || ring.send(()).expect("the client listens"));
        let connection = group.connect(Caller::default());
        let mut client = Client { connection, group, bell, told: Vec::new() };
        match era {
            Era::Handshake => {
                let info = json!({"name": "test", "version": "1"});
                client.send_request(
                    "initialize",
                    &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}),
                );
                client
                    .connection
                    .handle(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
                    .unwrap();
                for uri in uris {
                    let answer = client.send_request("resources/subscribe", &json!({"uri": uri}));
                    assert_eq!(answer["result"], json!({}), "{uri}: {answer}");
                }
            }
            Era::Stateless => {
                let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
                let params = json!({"notifications": wanted, "_meta": meta});
                let listen =
                    json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
                client.connection.receive(format!("{listen}\n").as_bytes());
                let told = client.next(|told| told.starts_with('['));
                let honoured: Vec<String> = serde_json::from_str(told.last().unwrap()).unwrap();
                assert_eq!(honoured, uris);
            }
        }
        client
    }

    fn send_request(&self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        match self.connection.handle(message.to_string().as_bytes()).unwrap() {
            Handled::Answer(answer) => serde_json::from_slice(&answer).unwrap(),
            other => panic!("{method} was not answered at once: {other:?}"),
        }
    }

    /// Takes what has come.
    fn pump(&mut self) {
        while self.group.next().is_some() {}
        while let Some(event) = self.connection.poll_event() {
            event.run();
        }
        let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) else { return };
        let mut bytes = Vec::new();
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            bytes.extend_from_slice(transmit.bytes);
            drain.wrote(length);
        }
        for line in String::from_utf8(bytes).unwrap().lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            self.told.push(match message["method"].as_str().unwrap() {
                "notifications/resources/updated" => message["params"]["uri"].as_str().unwrap().to_owned(),
                "notifications/resources/list_changed" => LIST.to_owned(),
                _ => match &message["params"]["notifications"]["resourceSubscriptions"] {
                    Value::Null => "[]".to_owned(),
                    honoured => honoured.to_string(),
                },
            });
        }
    }

    /// Returns the notifications up to and with the first that fits.
    fn next(&mut self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.pump();
            if let Some(at) = self.told.iter().position(|told| fits(told)) {
                return self.told.drain(..=at).collect();
            }
            let left = until.saturating_duration_since(Instant::now());
            self.bell.recv_timeout(left).unwrap_or_else(|_| panic!("not told; only {:?}", self.told));
        }
    }

    /// Everything that comes of `change`: which paths were updated, and whether the list changed. `one` and `two` are
    /// files that are watched: changes come in the order of what was done, so nothing more comes behind theirs.
    fn announced(&mut self, served: &Served, change: impl FnOnce()) -> (Vec<String>, bool) {
        change();
        let mut all = Vec::new();
        for fence in FENCES {
            served.put(fence, "again");
            all.extend(self.next(|told| told == served.uri(fence)));
        }
        self.pump();
        all.append(&mut self.told);
        let list = all.contains(&LIST.to_owned());
        let mut updated: Vec<_> = all
            .iter()
            .filter_map(|told| served.path(&json!({"uri": format!("{told}/")})))
            .map(|path| path.trim_end_matches('/').to_owned())
            .filter(|path| !FENCES.contains(&path.as_str()))
            .collect();
        updated.sort();
        updated.dedup();
        (updated, list)
    }
}

const FENCES: [&str; 2] = ["fence/one", "fence/two"];

/// A folder with these files, and a client that watches these paths.
fn each_era(files: &[(&str, &str)], paths: &[&str], test: impl Fn(&Served, &mut Client)) {
    for era in [Era::Handshake, Era::Stateless] {
        let files: Vec<_> = files.iter().copied().chain(FENCES.map(|fence| (fence, ""))).collect();
        let served = Served::files(&files);
        let paths: Vec<_> = paths.iter().copied().chain(FENCES).collect();
        let mut client = Client::watching(&served, era, &paths);
        assert!(!served.listed().is_empty(), "a client that is told of the list has seen it");
        test(&served, &mut client);
    }
}

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|&path| path.to_owned()).collect()
}

// row: U-29
#[test]
fn an_edit_is_announced_for_its_uri_and_not_for_the_list() {
    each_era(&[("d/a", "1"), ("d/b", "1")], &["d", "d/a", "d/b"], |served, client| {
        let edits: [&dyn Fn(); 4] = [
            &|| served.put("d/a", "22"),
            &|| fs::File::options().append(true).open(served.root.join("d/a")).unwrap().set_len(0).unwrap(),
            &|| {
                // As editors save: a hidden file in the directory takes its place.
                served.put("d/.a.new", "333");
                fs::rename(served.root.join("d/.a.new"), served.root.join("d/a")).unwrap();
            },
            &|| {
                set_modified(&served.root.join("d/a"), std::time::UNIX_EPOCH);
            },
        ];
        for edit in edits {
            assert_eq!(client.announced(served, edit), (paths(&["d/a"]), false));
        }
    });
}

// row: U-29
#[test]
fn a_created_file_is_announced_for_its_directory_and_for_the_list() {
    each_era(&[("d/a", "1")], &["d", "d/a"], |served, client| {
        assert_eq!(client.announced(served, || served.put("d/b", "")), (paths(&["d"]), true));
        assert_eq!(
            served.text(&served.uri("d")),
            format!("{}\r\n{}\r\n", served.uri("d/a"), served.uri("d/b"))
        );
    });
}

// row: U-29
#[test]
fn a_deleted_file_is_announced_for_itself_its_directory_and_the_list() {
    each_era(&[("d/a", "1"), ("d/b", "1")], &["d", "d/a", "d/b"], |served, client| {
        let delete = || fs::remove_file(served.root.join("d/a")).unwrap();
        assert_eq!(client.announced(served, delete), (paths(&["d", "d/a"]), true));
        // Who watched it is told when it comes back.
        assert_eq!(client.announced(served, || served.put("d/a", "2")), (paths(&["d", "d/a"]), true));
    });
}

// row: U-29
#[test]
fn a_renamed_file_is_announced_under_both_names_and_for_the_list() {
    each_era(
        &[("d/a", "1"), ("e/b", "1"), ("e/c", "1")],
        &["d", "d/a", "e", "e/b", "e/c"],
        |served, client| {
            let rename =
                |from: &str, to: &str| fs::rename(served.root.join(from), served.root.join(to)).unwrap();
            let told = client.announced(served, || rename("d/a", "e/b"));
            assert_eq!(told.0, paths(&["d", "d/a", "e/b"]), "what it replaced is another one now");
            assert!(told.1);
            assert_eq!(
                client.announced(served, || rename("e/c", "d/a")),
                (paths(&["d", "d/a", "e", "e/c"]), true)
            );
        },
    );
}

// row: U-29
#[test]
fn a_renamed_directory_is_announced_with_its_entries() {
    each_era(&[("d/s/a", "1"), ("d/b", "1")], &["d", "d/s", "d/s/a", "d/b"], |served, client| {
        let there = || fs::rename(served.root.join("d/s"), served.root.join("d/t")).unwrap();
        assert_eq!(client.announced(served, there), (paths(&["d", "d/s", "d/s/a"]), true));
        let back = || fs::rename(served.root.join("d/t"), served.root.join("d/s")).unwrap();
        assert_eq!(client.announced(served, back), (paths(&["d", "d/s", "d/s/a"]), true));
        assert_eq!(client.announced(served, || served.put("d/s/a", "2")), (paths(&["d/s/a"]), false));
    });
}

// row: U-29
#[test]
fn directories_are_watched_from_their_creation_to_their_removal() {
    each_era(&[("d/a", "")], &["", "d"], |served, client| {
        let outside = served.outside().join("tree");
        fs::create_dir_all(outside.join("s/t")).unwrap();
        fs::write(outside.join("s/t/a"), "").unwrap();
        let come = || fs::rename(&outside, served.root.join("d/new")).unwrap();
        assert_eq!(client.announced(served, come), (paths(&["d"]), true));
        let mut inside =
            Client::watching(served, Era::Handshake, &["d/new/s/t", "d/new/s/t/a", "fence/one", "fence/two"]);
        assert_eq!(
            inside.announced(served, || served.put("d/new/s/t/a", "1")),
            (paths(&["d/new/s/t/a"]), false)
        );
        assert_eq!(
            inside.announced(served, || served.put("d/new/s/t/b", "1")),
            (paths(&["d/new/s/t"]), true)
        );
        let away = || fs::rename(served.root.join("d/new"), &outside).unwrap();
        assert_eq!(inside.announced(served, away), (paths(&["d/new/s/t", "d/new/s/t/a"]), true));
        let beyond = || fs::write(outside.join("s/t/a"), "22").unwrap();
        assert_eq!(inside.announced(served, beyond), (paths(&[]), false), "it is not ours any more");
    });
}

// row: U-27
#[test]
fn no_client_is_notified_of_hidden_ignored_or_outside_entries() {
    let files = [
        ("d/.gitignore", "*.log\nbuild/\n"),
        ("d/a", ""),
        ("d/x.log", ""),
        ("d/build/o", ""),
        ("d/.h/x", ""),
    ];
    each_era(&files, &["", "d", "d/a"], |served, client| {
        fs::create_dir_all(served.outside().join("beside")).unwrap();
        #[cfg(unix)]
        served.link("d/out", served.outside().join("beside"));
        let told = client.announced(served, || {
            served.put("d/.env", "s");
            served.put("d/.h/x", "s");
            served.put("d/.h/y", "s");
            served.put("d/x.log", "s");
            served.put("d/y.log", "s");
            served.put("d/build/o", "s");
            served.put("d/build/sub/p", "s");
            fs::remove_file(served.root.join("d/x.log")).unwrap();
            fs::rename(served.root.join("d/.env"), served.root.join("d/.env2")).unwrap();
            fs::write(served.outside().join("beside/x"), "s").unwrap();
            fs::remove_dir_all(served.root.join("d/build")).unwrap();
            #[cfg(unix)]
            fs::remove_file(served.root.join("d/out")).unwrap();
        });
        assert_eq!(told, (paths(&[]), false));
    });
}

// row: U-27, U-29
#[test]
fn an_entry_that_becomes_hidden_or_shown_is_announced_as_removed_or_created() {
    each_era(&[("d/a", ""), ("d/s/b", "")], &["d", "d/a", "d/s/b"], |served, client| {
        let rename = |from: &str, to: &str| fs::rename(served.root.join(from), served.root.join(to)).unwrap();
        assert_eq!(client.announced(served, || rename("d/a", "d/.a")), (paths(&["d", "d/a"]), true));
        assert_eq!(client.announced(served, || rename("d/.a", "d/a")), (paths(&["d", "d/a"]), true));
        let told = client.announced(served, || served.put("d/.gitignore", "s/\n"));
        assert_eq!(told, (paths(&["d", "d/a", "d/s/b"]), true), "whatever the rules may concern");
        assert_eq!(client.announced(served, || served.put("d/s/b", "1")), (paths(&[]), false));
        let told = client.announced(served, || served.put("d/.gitignore", "t/\n"));
        assert_eq!(told, (paths(&["d", "d/a", "d/s/b"]), true));
        assert_eq!(client.announced(served, || served.put("d/s/b", "2")), (paths(&["d/s/b"]), false));
        let told = client.announced(served, || served.put("d/.gitignore", "# nothing\n"));
        assert_eq!(told, (paths(&[]), false), "rules that change nothing");
    });
}

// row: U-27, U-29
#[cfg(unix)]
#[test]
fn entries_that_an_unusable_ignore_file_hides_are_announced_as_removed_and_later_as_created() {
    each_era(&[("d/a", ""), ("d/s/b", "")], &["d", "d/a", "d/s/b"], |served, client| {
        let file = served.root.join("d/.gitignore");
        let told = client.announced(served, || served.link("d/.gitignore", "rules"));
        assert_eq!(told, (paths(&["d", "d/a", "d/s/b"]), true));
        assert_eq!(client.announced(served, || served.put("d/s/b", "1")), (paths(&[]), false));
        let told = client.announced(served, || fs::remove_file(&file).unwrap());
        assert_eq!(told, (paths(&["d", "d/a", "d/s/b"]), true));
        assert_eq!(client.announced(served, || served.put("d/s/b", "2")), (paths(&["d/s/b"]), false));
    });
}

// row: U-29
#[cfg(unix)]
#[test]
fn a_change_behind_a_link_is_announced_under_the_name_of_the_link() {
    let served = Served::files(&[("d/a", "1"), ("fence/one", ""), ("fence/two", "")]);
    served.link("ln", "d/a");
    served.link("dir", "d");
    let mut client =
        Client::watching(&served, Era::Handshake, &["ln", "dir", "dir/a", "fence/one", "fence/two"]);
    client.announced(&served, || {}); // of the links themselves, perhaps
    assert_eq!(client.announced(&served, || served.put("d/a", "2")), (paths(&["dir/a", "ln"]), false));
    assert_eq!(client.announced(&served, || served.put("d/b", "2")), (paths(&["dir"]), true));
    let turn = || {
        fs::remove_file(served.root.join("ln")).unwrap();
        served.link("ln", "d/b");
    };
    assert_eq!(client.announced(&served, turn).0, paths(&["ln"]));
}

/// Replaces a link by one to another place, in one step.
#[cfg(unix)]
fn turn(served: &Served, link: &str, target: &str) {
    served.link(".new", target);
    fs::rename(served.root.join(".new"), served.root.join(link)).unwrap();
}

// row: U-29
#[cfg(unix)]
#[test]
fn a_subscriber_of_a_path_through_a_link_is_notified_of_changes_where_the_link_leads_now() {
    let files = [("rel/1/f", ""), ("rel/2/f", ""), ("a", ""), ("b", ""), ("own", "")];
    let files: Vec<_> = files.into_iter().chain(FENCES.map(|fence| (fence, ""))).collect();
    let served = Served::files(&files);
    served.link("current", "rel/1");
    served.link("latest", "current/f");
    served.link("ln", "a");
    let watched = ["current/f", "latest", "ln", "own"];
    let watched: Vec<_> = watched.into_iter().chain(FENCES).collect();
    let mut client = Client::watching(&served, Era::Handshake, &watched);
    client.announced(&served, || {}); // of the links themselves, perhaps
    let both = paths(&["current/f", "latest"]);
    assert_eq!(client.announced(&served, || turn(&served, "current", "rel/2")).0, both);
    assert_eq!(client.announced(&served, || served.put("rel/1/f", "1")).0, paths(&[]));
    assert_eq!(client.announced(&served, || served.put("rel/2/f", "2")).0, both);
    assert_eq!(client.announced(&served, || turn(&served, "ln", "b")).0, paths(&["ln"]));
    assert_eq!(client.announced(&served, || served.put("a", "1")).0, paths(&[]));
    assert_eq!(client.announced(&served, || served.put("b", "2")).0, paths(&["ln"]));
    assert_eq!(client.announced(&served, || turn(&served, "own", "b")).0, paths(&["own"]));
    assert_eq!(client.announced(&served, || served.put("b", "3")).0, paths(&["ln", "own"]));

    assert_eq!(client.announced(&served, || turn(&served, "current", "rel/3")).0, both, "nothing is there");
    let come = || fs::rename(served.root.join("rel/1"), served.root.join("rel/3")).unwrap();
    assert_eq!(client.announced(&served, come).0, both);
    assert_eq!(client.announced(&served, || served.put("rel/3/f", "3")).0, both);
    let replace = || {
        fs::remove_file(served.root.join("current")).unwrap();
        served.put("current", "a file");
    };
    assert_eq!(client.announced(&served, replace).0, both);
}

// row: U-29
#[cfg(unix)]
#[test]
fn a_directory_that_moves_is_announced_for_the_entries_in_it_that_a_link_leads_to() {
    let files: Vec<_> = [("d/s/a", "")].into_iter().chain(FENCES.map(|fence| (fence, ""))).collect();
    let served = Served::files(&files);
    served.link("dir", "d");
    served.link("deep", "d/s");
    let watched: Vec<_> = ["dir/s/a", "deep/a"].into_iter().chain(FENCES).collect();
    let mut client = Client::watching(&served, Era::Handshake, &watched);
    client.announced(&served, || {}); // of the links themselves, perhaps
    let rename = |from: &str, to: &str| fs::rename(served.root.join(from), served.root.join(to)).unwrap();
    let both = paths(&["deep/a", "dir/s/a"]);
    assert_eq!(client.announced(&served, || rename("d", "e")).0, both);
    assert_eq!(client.announced(&served, || served.put("e/s/a", "1")).0, paths(&[]));
    assert_eq!(client.announced(&served, || rename("e", "d")).0, both);
    assert_eq!(client.announced(&served, || served.put("d/s/a", "2")).0, both);
    let hide = || served.put("d/.gitignore", "a\n");
    assert_eq!(client.announced(&served, hide).0, both);
    assert_eq!(
        client.announced(&served, || fs::remove_file(served.root.join("d/.gitignore")).unwrap()).0,
        both
    );
}

// row: U-20
#[test]
fn a_subscriber_of_a_uri_with_localhost_is_notified_with_that_uri() {
    let served = Served::files(&[("d/a", "1")]);
    let uris = ["d", "d/a"].map(|path| served.uri(path).replacen("file://", "file://localhost", 1));
    let mut client = Client::subscribed(&served.server, Era::Handshake, &uris);
    served.put("d/a", "2");
    client.next(|told| told == uris[1]);
    fs::remove_dir_all(served.root.join("d")).unwrap();
    client.next(|told| told == uris[0]);
}

#[test]
fn no_change_is_lost_between_the_acknowledgement_and_the_first_edit() {
    for n in 0..50 {
        let served = Served::files(&[("some/deep/place/a", "1")]);
        let era = if n % 2 == 0 { Era::Handshake } else { Era::Stateless };
        let mut client = Client::watching(&served, era, &["some/deep/place/a"]);
        served.put("some/deep/place/a", "2");
        client.next(|told| told == served.uri("some/deep/place/a"));
    }
}

#[test]
fn no_file_is_lost_between_the_list_and_its_notifications() {
    for _ in 0..50 {
        let served = Served::files(&[("some/deep/place/a", "1")]);
        let mut client = Client::watching(&served, Era::Handshake, &[]);
        served.listed();
        served.put("some/deep/place/b", "2");
        client.next(|told| told == LIST);
        assert!(served.listed().contains(&"some/deep/place/b".to_owned()));
    }
}

#[test]
fn no_new_file_is_lost_right_after_the_folder_was_started() {
    for n in 0..200 {
        let served = Served::files(&[("some/deep/place/a", "1"), ("some/other/place/a", "1")]);
        let era = if n % 2 == 0 { Era::Handshake } else { Era::Stateless };
        let mut client = Client::watching(&served, era, &[]);
        served.put("some/deep/place/b", "2");
        client.next(|told| told == LIST);
    }
}

#[test]
fn no_new_file_is_lost_while_the_directories_of_a_large_folder_are_not_all_watched() {
    let files: Vec<_> = (0..300).map(|n| format!("d{n:03}/a")).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "")).collect();
    for n in 0..6 {
        let served = Served::files(&files);
        let era = if n % 2 == 0 { Era::Handshake } else { Era::Stateless };
        let mut client = Client::watching(&served, era, &[]);
        served.put(&format!("d{:03}/b", n * 50), "2");
        client.next(|told| told == LIST);
    }
}

#[test]
fn no_move_of_a_directory_around_is_lost_right_after_the_folder_was_started() {
    for n in 0..200 {
        let served = Served::files(&[("some/deep/place/a", "1")]);
        let era = if n % 2 == 0 { Era::Handshake } else { Era::Stateless };
        let mut client = Client::watching(&served, era, &["some/deep/place/a"]);
        fs::rename(served.root.join("some"), served.root.join("other")).unwrap();
        client.next(|told| told == served.uri("some/deep/place/a"));
    }
}

#[test]
fn a_client_that_is_notified_of_a_new_tree_finds_all_of_it() {
    let served = Served::files(&[("a", "")]);
    let mut client = Client::watching(&served, Era::Handshake, &[]);
    served.listed();
    for n in 0..20 {
        let last = format!("new{n}/1/2/3/4/5/file");
        served.put(&last, "");
        let until = Instant::now() + PATIENCE;
        while !served.listed().contains(&last) {
            assert!(Instant::now() < until);
            client.next(|told| told == LIST);
        }
    }
}

#[test]
fn too_many_changes_at_once_lose_no_change_of_a_subscribed_file() {
    each_era(&[("d/a", "1"), ("d/sub/b", "1")], &["d/a", "d/sub/b"], |served, client| {
        for round in 0..5 {
            for n in 0..1_000 {
                served.put(&format!("d/f{n}"), "x");
            }
            served.put("d/a", &format!("{round}"));
            served.put("d/sub/b", &format!("{round}"));
            let (b, a) = (served.uri("d/sub/b"), served.uri("d/a"));
            let told = client.next(|told| told == b);
            if !told.contains(&a) {
                client.next(|told| told == a);
            }
        }
    });
}

/// A folder whose changes settle long after any pause of the test.
fn slow(files: &[(&str, &str)]) -> Served {
    Served::build(files, |directory| directory.settle_ms(2_000), Limits::default())
}

#[test]
fn a_burst_of_new_files_is_a_few_changes_of_the_list() {
    let served = slow(&[("d/a", "1")]);
    let mut client = Client::watching(&served, Era::Stateless, &["d", "d/a"]);
    for n in 0..500 {
        served.put(&format!("d/f{n}"), "x");
        client.pump();
    }
    served.put("d/a", "2"); // told with the last of them, or after
    let mut told = client.next(|told| told == served.uri("d/a"));
    if !told.contains(&LIST.to_owned()) {
        told.extend(client.next(|told| told == LIST));
    }
    assert!(told.len() <= 20, "{told:?}");
    assert_eq!(served.listed().len(), 502);
}

#[test]
fn a_file_that_is_written_again_and_again_is_a_few_updates_and_one_after_the_last() {
    let served = slow(&[("a", "")]);
    let mut client = Client::watching(&served, Era::Handshake, &["a"]);
    let mut before_the_last = 0;
    for n in 0..1_000 {
        client.pump();
        before_the_last += std::mem::take(&mut client.told).len();
        served.put("a", &n.to_string());
    }
    assert!(before_the_last <= 20, "{before_the_last}");
    client.next(|told| told == served.uri("a"));
    assert_eq!(served.text(&served.uri("a")), "999");
}

#[test]
fn without_the_watch_option_no_change_is_announced() {
    let files = [("a", "1"), ("b", "1")];
    let served = Served::build(&files, |directory| directory.watch(false), Limits::default());
    let mut client = Client::watching(&served, Era::Handshake, &["a", "b"]);
    served.put("a", "2");
    served.server.notify_updated(&served.uri("b")).unwrap();
    assert_eq!(client.next(|told| told == served.uri("b")), [served.uri("b")]);
}

#[test]
fn a_removed_folder_is_not_watched_any_more() {
    let served = Served::files(&[("a", "1")]);
    let other = served.outside().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b"), "1").unwrap();
    served.server.directory(other.as_path()).unwrap();
    let b = format!("{}/b", uri_of(&other.canonicalize().unwrap()));
    let mut client = Client::subscribed(&served.server, Era::Handshake, &[served.uri("a"), b.clone()]);
    served.handle.remove().unwrap();
    client.next(|told| told == LIST);
    served.put("a", "2");
    fs::write(other.join("b"), "2").unwrap();
    assert!(!client.next(|told| told == b).contains(&served.uri("a")));
}

#[test]
fn the_test_client_gets_one_change_after_the_other() {
    let served = Served::files(&[("a", "1"), ("b", "1")]);
    let mut client = served.server.test_client().unwrap();
    for path in ["a", "b"] {
        client.subscribe(&served.uri(path)).unwrap();
    }
    for _ in 0..10 {
        for path in ["a", "b"] {
            served.put(path, "again");
            while client.next_update().unwrap() != served.uri(path) {}
        }
    }
}
