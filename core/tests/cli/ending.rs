//! How the command ends.

#[cfg(unix)]
use crate::client::meta;
use crate::client::{Client, Folder};
use serde_json::json;

#[test]
fn the_end_of_input_ends_it_with_status_0_and_every_answer() {
    let folder = Folder::new(&[("a.txt", b"a")]);
    let mut client = Client::serve(&folder, &[]).shake_hands("2025-06-18");
    for _ in 0..10 {
        client.request("resources/read", &json!({"uri": folder.uri("a.txt")}));
    }
    client.close_input();
    let (status, rest, said) = client.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(rest.len(), 10);
    assert!(rest.iter().all(|answer| answer["result"]["contents"][0]["text"] == "a"));
    assert_eq!(said, "");
}

#[cfg(unix)]
#[test]
fn sigterm_ends_it_with_status_0_and_its_streams_as_the_protocol_requires() {
    let folder = Folder::new(&[("a.txt", b"a")]);
    let mut client = Client::serve(&folder, &[]);
    let filter = json!({"resourcesListChanged": true});
    let stream = client.request("subscriptions/listen", &json!({"notifications": filter, "_meta": meta()}));
    client.notified("notifications/subscriptions/acknowledged", |_| true);
    client.terminate();
    let (status, rest, _) = client.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(rest.len(), 2);
    assert_eq!(rest[0]["id"], stream);
    assert!(rest[0].get("result").is_some(), "{}", rest[0]);
    assert_eq!(rest[1]["method"], "notifications/cancelled");
}

#[test]
fn the_command_logs_its_actions_only_with_verbose() {
    let folder = Folder::new(&[("a.txt", b"a")]);
    for (arguments, lines) in [
        (&[][..], vec![]),
        (&["-v"], vec!["serving file://", "subscribed: file://", ": found, 1 bytes", "end"]),
    ] {
        let mut client = Client::serve(&folder, arguments).shake_hands("2025-06-18");
        client.send_request("resources/subscribe", &json!({"uri": folder.uri("a.txt")}));
        client.read(&folder.uri("a.txt"));
        client.close_input();
        let (status, _, said) = client.end();
        assert_eq!(status.code(), Some(0));
        for line in &lines {
            assert!(said.contains(line), "{line} in {said}");
        }
        assert_eq!(said.is_empty(), lines.is_empty(), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn on_a_terminal_the_command_names_what_it_waits_for() {
    use crate::client::wellhead;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::{BufRead, BufReader};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let terminal = std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let folder = Folder::new(&[]);
    let mut child = wellhead().arg("serve").arg(folder.path()).stdin(terminal).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("waiting for an MCP client"), "{line}");
    drop(ours);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
