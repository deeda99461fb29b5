//! Lists, reads and changes.

use crate::client::{Client, Folder, meta};
use serde_json::{Value, json};

/// A folder of 25 texts, with a picture and something hidden.
fn folder() -> Folder {
    let folder =
        Folder::new(&[("logo.png", b"\x89PNG\r\n\x1a\n\0"), (".env", b"secret"), ("sub/deep/x.md", b"# X")]);
    for n in 0..25 {
        folder.put(&format!("sub/{n:02}.txt"), format!("text {n}").as_bytes());
    }
    folder
}

#[test]
fn a_list_walk_gives_every_entry_in_pages_of_the_size_of_the_option() {
    let folder = folder();
    let mut client = Client::serve(&folder, &["--page-size", "7"]).shake_hands("2025-06-18");
    let (items, pages) = client.list();
    assert_eq!(items.len(), 30);
    assert_eq!(pages, 5);
    let uris: Vec<_> = items.iter().map(|item| item["uri"].as_str().unwrap().to_owned()).collect();
    assert_eq!(uris[..3], [folder.uri(""), folder.uri("logo.png"), folder.uri("sub")]);
    assert_eq!(uris[29], folder.uri("sub/deep/x.md"));
}

#[test]
fn texts_bytes_and_directories_are_read() {
    let folder = folder();
    let mut client = Client::serve(&folder, &[]).shake_hands("2025-06-18");
    assert_eq!(client.read(&folder.uri("sub/07.txt"))["text"], "text 7");
    assert_eq!(client.read(&folder.uri("logo.png"))["blob"], "iVBORw0KGgoA");
    assert_eq!(client.read(&folder.uri("logo.png"))["mimeType"], "image/png");
    assert_eq!(client.read(&folder.uri("sub/deep"))["text"], folder.uri("sub/deep/x.md") + "\r\n");
    let hidden = client.answer("resources/read", &json!({"uri": folder.uri(".env")}));
    assert_eq!(hidden["error"]["code"], -32002);
}

#[test]
fn the_template_of_the_folder_makes_uris_that_can_be_read() {
    let folder = folder();
    let mut client = Client::serve(&folder, &[]).shake_hands("2025-06-18");
    let templates = client.send_request("resources/templates/list", &json!({}))["resourceTemplates"].clone();
    let template = templates[0]["uriTemplate"].as_str().unwrap();
    let uri = template.replace("{+path}", "sub/deep/x.md");
    assert_eq!(client.read(&uri)["text"], "# X");
}

#[test]
fn the_options_choose_the_entries_that_are_served() {
    let folder = folder();
    let options = ["--include", "*.txt", "--include", "*.png", "--exclude", "1?.txt", "--max-file-size", "6"];
    let mut client = Client::serve(&folder, &options).shake_hands("2025-06-18");
    let (items, _) = client.list();
    let files: Vec<_> = items.iter().filter(|item| item["mimeType"] != "inode/directory").collect();
    assert_eq!(files.len(), 10, "text 0 to text 9, not the larger picture: {files:?}");
}

/// row: RT-01
#[test]
fn clients_that_know_tools_only_list_search_and_read_by_tools() {
    let folder = folder();
    let mut client = Client::serve(&folder, &["--tools"]).shake_hands("2025-11-25");
    let mut call = |name: &str, arguments: Value| {
        client.send_request("tools/call", &json!({"name": name, "arguments": arguments}))["content"][0]["text"].clone()
    };
    let listed = call("list_resources", json!({}));
    let listed: Vec<Value> = serde_json::from_str(listed.as_str().unwrap()).unwrap();
    let uri = folder.uri("sub/07.txt");
    assert!(listed.iter().any(|resource| resource["uri"] == *uri), "{listed:?}");
    assert_eq!(call("read_resource", json!({"uri": uri})), "text 7");
    let outside = folder.uri("../secret");
    assert_eq!(call("read_resource", json!({"uri": outside})), format!("Resource not found: {outside}"));
    let results: Value =
        serde_json::from_str(call("search", json!({"query": "07"})).as_str().unwrap()).unwrap();
    assert_eq!(results["results"], json!([{"id": uri, "title": "07.txt", "url": ""}]));
    let document: Value = serde_json::from_str(call("fetch", json!({"id": uri})).as_str().unwrap()).unwrap();
    assert_eq!(document["text"], "text 7");
    client.close_input();
    assert!(client.end().0.success());
}

#[test]
fn several_folders_are_served_at_once_and_in_both_eras() {
    let (one, two) = (Folder::new(&[("a.txt", b"one")]), Folder::new(&[("a.txt", b"two")]));
    let mut client = Client::serve(&one, &[two.path().to_str().unwrap()]);
    for (folder, text) in [(&one, "one"), (&two, "two")] {
        let params = json!({"uri": folder.uri("a.txt"), "_meta": meta()});
        assert_eq!(client.send_request("resources/read", &params)["contents"][0]["text"], text);
    }
    let discovered = client.send_request("server/discover", &json!({"_meta": meta()}));
    assert_eq!(discovered["capabilities"]["resources"], json!({"listChanged": true, "subscribe": true}));
    let items: Value = client.send_request("resources/list", &json!({"_meta": meta()}))["resources"].clone();
    assert_eq!(items.as_array().unwrap().len(), 4);
}

// row: U-29
#[test]
fn a_subscriber_is_notified_of_changes_on_disk() {
    let folder = folder();
    let mut client = Client::serve(&folder, &[]).shake_hands("2025-06-18");
    let uri = folder.uri("sub/00.txt");
    for watched in [&uri, &folder.uri("sub/01.txt"), &folder.uri("sub")] {
        assert_eq!(client.send_request("resources/subscribe", &json!({"uri": watched})), json!({}));
    }
    folder.put("sub/00.txt", b"edited");
    client.notified("notifications/resources/updated", |params| params["uri"] == uri);
    assert_eq!(client.read(&uri)["text"], "edited");

    folder.put("sub/new.txt", b"new");
    client.notified("notifications/resources/list_changed", |_| true);
    client.notified("notifications/resources/updated", |params| params["uri"] == folder.uri("sub"));
    assert_eq!(client.read(&folder.uri("sub/new.txt"))["text"], "new");

    std::fs::rename(folder.path().join("sub/01.txt"), folder.path().join("sub/renamed.txt")).unwrap();
    client.notified("notifications/resources/updated", |params| params["uri"] == folder.uri("sub/01.txt"));
    client.notified("notifications/resources/list_changed", |_| true);
    assert_eq!(client.read(&folder.uri("sub/renamed.txt"))["text"], "text 1");
    let gone = client.answer("resources/read", &json!({"uri": folder.uri("sub/01.txt")}));
    assert_eq!(gone["error"]["code"], -32002);
}

// row: U-29
#[test]
fn a_listen_stream_gets_changes_on_disk() {
    let folder = folder();
    let mut client = Client::serve(&folder, &[]);
    let uri = folder.uri("sub/deep/x.md");
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri, folder.uri(".env")]});
    let stream = client.request("subscriptions/listen", &json!({"notifications": wanted, "_meta": meta()}));
    let honoured = client.notified("notifications/subscriptions/acknowledged", |_| true);
    assert_eq!(honoured["params"]["notifications"]["resourceSubscriptions"], json!([uri]));
    let read = json!({"uri": uri, "_meta": meta()});
    assert_eq!(client.send_request("resources/read", &read)["contents"][0]["text"], "# X");

    folder.put("sub/deep/x.md", b"# Y");
    let told = client.notified("notifications/resources/updated", |params| params["uri"] == uri);
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], stream);
    assert_eq!(client.send_request("resources/read", &read)["contents"][0]["text"], "# Y");

    std::fs::remove_dir_all(folder.path().join("sub/deep")).unwrap();
    client.notified("notifications/resources/updated", |params| params["uri"] == uri);
    client.notified("notifications/resources/list_changed", |_| true);
    assert!(client.answer("resources/read", &read).get("error").is_some());
}

// row: U-28
#[test]
fn a_client_of_the_dialect_gets_new_versions() {
    let folder = folder();
    let mut client = Client::serve(&folder, &[]);
    let uri = folder.uri("sub/00.txt");
    assert_eq!(client.send_request("resources/subscribe", &json!({"uris": [uri]})), json!({}));
    let before = client.send_request("resources/get", &json!({"uri": uri}))["resource"]["version"].clone();
    folder.put("sub/00.txt", b"edited");
    let changed = |params: &Value| params["resource"]["version"] != before;
    let told = client.notified("notifications/resources/content_changed", changed);
    assert_eq!(told["params"]["resource"]["uri"], uri);
    assert_eq!(told["params"]["resource"]["title"], "00.txt");
    let now = client.send_request("resources/get", &json!({"uri": uri, "version": before}));
    assert_eq!(now["contents"]["content"], "edited");
    let again = json!({"uri": uri, "version": now["resource"]["version"]});
    assert_eq!(client.answer("resources/get", &again)["error"]["message"], "Not Modified");
}
