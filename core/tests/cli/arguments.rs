//! Right and wrong arguments.

use crate::client::{Client, Folder, wellhead};
use std::process::{Command, Output, Stdio};

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn help_is_printed_and_names_every_option() {
    for arguments in [&["--help"][..], &["-h"], &["serve", "--help"]] {
        let output = run(wellhead().args(arguments));
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for word in [
            "wellhead serve",
            "wellhead check-skills DIR...",
            "--skills [PREFIX=]DIR",
            "--include",
            "--exclude",
            "--max-file-size",
            "--tools",
            "--settle-ms",
            "--page-size",
            "--http",
            "--token-file",
            "-v",
            "WELLHEAD_KEY",
        ] {
            assert!(text.contains(word), "{word}");
        }
        assert!(text.lines().all(|line| line.len() <= 100));
    }
}

#[test]
fn the_version_is_printed() {
    let output = run(wellhead().arg("--version"));
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("wellhead {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_arguments_get_a_reason_and_status_2() {
    let folder = Folder::new(&[("a", b"")]);
    let files = Folder::new(&[("tokens", b"secret"), ("empty", b"# none\n\n"), ("wrong", b"ok\n\nnot ok\n")]);
    let [tokens, empty, wrong] =
        ["tokens", "empty", "wrong"].map(|name| files.path().join(name).to_str().unwrap().to_owned());
    let path = folder.path();
    let (path, file) = (path.to_str().unwrap(), format!("{}/a", path.display()));
    for (arguments, reason) in [
        (&[][..], "say what to do"),
        (&["serve"], "say which folder"),
        (&["notes"], "did you mean 'wellhead serve notes'"),
        (&["serve", "--frobnicate", path], "invalid option '--frobnicate'"),
        (&["serve", "--exclud", "a", path], "'--exclud' is no option; did you mean '--exclude'?"),
        (&["serve", "--max_filesize=1", path], "did you mean '--max-file-size'?"),
        (&["--versoin"], "did you mean '--version'?"),
        (&["serve", "--include"], "--include"),
        (&["serve", "--include", "a[", path], "is no pattern"),
        (&["serve", "--page-size", "0", path], "--page-size 0"),
        (&["serve", "--page-size", "many", path], "--page-size many"),
        (&["serve", "--settle-ms", "soon", path], "--settle-ms soon"),
        (&["serve", "--settle-ms", "60001", path], "at most 60,000 (got 60001)"),
        (&["serve", "--max-file-size", "1T", path], "500K, 64M or 2G"),
        (&["serve", "--max-file-size", "99999999999G", path], "500K, 64M or 2G"),
        (&["serve", "--token-file", &tokens, path], "--token-file needs --http"),
        (&["serve", "--skills"], "--skills"),
        (&["serve", "--skills", "/no such folder"], "cannot be opened: No such"),
        (&["serve", "--skills", &file], "is not a folder"),
        (&["serve", "--skills", "..=/"], "(got \"..\"); write --skills PREFIX=DIR to choose it"),
        (&["serve", "--skills", path, "--skills", path], "write --skills PREFIX=DIR to choose it"),
        (&["serve", "--skills", path, "--exclude", "a"], "--exclude and --max-file-size need a DIR"),
        (&["check-skills"], "say which folder to check"),
        (&["check-skills", "--tools", path], "takes no options of 'wellhead serve'"),
        (&["check-skills", "--hlep", path], "did you mean '--help'?"),
        (&["--tools", "check-skills", path], "takes no options of 'wellhead serve'"),
        (&["check-skills", path, "/no such folder"], "cannot be opened: No such"),
        (&["check-skills", &file], "is not a folder"),
        (&["serve", "--http", "0", "--token-file", "/no such file", path], "/no such file"),
        (&["serve", "--http", "0", "--token-file", &empty, path], "has no token"),
        (&["serve", "--http", "0", "--token-file", &wrong, path], "line 3"),
        (
            &["serve", "/no such folder"],
            "\"/no such folder\", which must exist and be readable, cannot be opened: No such",
        ),
        (&["serve", &file], "is not a folder"),
        (&["serve", path, path], "is served once only"),
        (&["serve", "/", path], "is served once only"),
        (&["serve", path, "/"], "is served once only"),
    ] {
        let output = run(wellhead().args(arguments));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said.starts_with("wellhead: ") && said.contains(reason), "{arguments:?}: {said}");
        assert!(!said.contains("not ok"), "what is no token may be a secret all the same");
        assert!(output.stdout.is_empty(), "standard output is the client's");
    }
}

#[test]
fn an_invalid_key_is_refused() {
    let folder = Folder::new(&[]);
    for key in ["", "abc", &"0".repeat(63), &"g".repeat(64), &"0".repeat(66), &"é".repeat(32)] {
        let output = run(wellhead().env("WELLHEAD_KEY", key).arg("serve").arg(folder.path()));
        assert_eq!(output.status.code(), Some(2), "{key}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("64 hexadecimal digits"));
    }
}

#[test]
fn a_process_for_each_request_pages_without_a_key() {
    let folder = Folder::new(&[("a", b""), ("b", b"")]);
    let start = || Client::serve(&folder, &["--page-size", "2"]).shake_hands("2025-06-18");
    let cursor = start().send_request("resources/list", &serde_json::json!({}))["nextCursor"].clone();
    let proceed = serde_json::json!({ "cursor": cursor });
    assert_eq!(start().send_request("resources/list", &proceed)["resources"][0]["uri"], folder.uri("b"));
}

#[test]
fn instances_with_one_key_continue_each_others_lists() {
    let folder = Folder::new(&[("a", b""), ("b", b"")]);
    let start = |key: &str| {
        let mut command = wellhead();
        command.env("WELLHEAD_KEY", key).args(["serve", "--page-size", "2"]).arg(folder.path());
        Client::start(&mut command).shake_hands("2025-06-18")
    };
    let key = "0123456789abcdefABCDEF0123456789".repeat(2);
    let cursor = start(&key).send_request("resources/list", &serde_json::json!({}))["nextCursor"].clone();
    let proceed = serde_json::json!({ "cursor": cursor });
    assert_eq!(start(&key).send_request("resources/list", &proceed)["resources"][0]["uri"], folder.uri("b"));
    let other = start(&"0".repeat(64)).answer("resources/list", &proceed);
    assert_eq!(other["error"]["code"], -32602);
}
