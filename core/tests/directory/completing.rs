//! Paths are completed while they are typed.

use crate::support::Served;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use wellhead::{AuthorizeCall, Limits, Operation, Template, Verdict};

/// The answer to what was typed.
fn answer(served: &Served, typed: &str) -> Value {
    let reference = json!({"type": "ref/resource", "uri": served.handle.registered_as()});
    served.send_request(
        "completion/complete",
        &json!({"ref": reference, "argument": {"name": "path", "value": typed}}),
    )
}

fn proposed(served: &Served, typed: &str) -> Vec<String> {
    let answer = answer(served, typed);
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["hasMore"], false, "{answer}");
    serde_json::from_value(completion["values"].clone()).unwrap_or_else(|_| panic!("{answer}"))
}

#[test]
fn the_names_in_the_directory_typed_so_far_are_proposed_in_their_order() {
    let served = Served::files(&[("docs/readme.md", ""), ("docs/ref/x", ""), ("docs/a", ""), ("dir", "")]);
    assert_eq!(proposed(&served, ""), ["dir", "docs/"]);
    assert_eq!(proposed(&served, "do"), ["docs/"]);
    assert_eq!(proposed(&served, "docs"), ["docs/"]);
    assert_eq!(proposed(&served, "docs/"), ["docs/a", "docs/readme.md", "docs/ref/"]);
    assert_eq!(proposed(&served, "docs/re"), ["docs/readme.md", "docs/ref/"]);
    assert_eq!(proposed(&served, "docs/ref/"), ["docs/ref/x"]);
    for nothing in ["x", "docs/x", "dir/", "none/x", "/", "/docs/", "docs//", "docs/../", "../", "./", "a\0/"]
    {
        assert_eq!(proposed(&served, nothing), [""; 0], "{nothing}");
    }
}

// row: U-27
#[test]
fn entries_that_are_not_served_are_not_proposed() {
    let files = [
        (".env", ""),
        (".git/config", ""),
        (".gitignore", "*.log\nbuild/\n"),
        ("x.log", ""),
        ("build/x", ""),
        ("big", "12345"),
        ("a.md", "1"),
        ("a.txt", "1"),
    ];
    let served =
        Served::build(&files, |directory| directory.max_file_bytes(4).exclude("*.txt"), Limits::default());
    #[cfg(unix)]
    served.link("out", served.outside());
    #[cfg(unix)]
    served.link("ln-env", ".env");
    #[cfg(unix)]
    served.link("ln-git", ".git");
    assert_eq!(proposed(&served, ""), ["a.md"]);
    for nothing in [".", ".e", ".git/", "build/", "out/", "ln-git/", "x"] {
        assert_eq!(proposed(&served, nothing), [""; 0], "{nothing}");
    }
}

#[cfg(unix)]
#[test]
fn the_target_of_a_link_is_proposed_under_the_name_of_the_link() {
    let served = Served::files(&[("d/a", "")]);
    served.link("ln", "d");
    assert_eq!(proposed(&served, ""), ["d/", "ln/"]);
    assert_eq!(proposed(&served, "ln/"), ["ln/a"]);
}

#[test]
fn each_proposal_makes_the_listed_uri() {
    let mut names = vec!["a b", "100%", "50%25", "q#", "it's", "[x]", "über", "{x}", "a+b&c=d", "2@x"];
    if cfg!(unix) {
        names.extend(["q?#", "back\\slash", "2:1@x"]); // Windows has no such names
    }
    let files: Vec<_> = names.iter().map(|name| format!("d d/{name}")).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "text")).collect();
    let served = Served::files(&files);
    let values = proposed(&served, "d d/");
    assert_eq!(values.len(), names.len());
    let listed: Vec<_> = served.items().iter().map(|item| item["uri"].as_str().unwrap().to_owned()).collect();
    for value in &values {
        let uri = Template::new(served.handle.registered_as()).expand([("path", value.as_str())]).unwrap();
        assert!(listed.contains(&uri), "{value} makes {uri}");
        assert_eq!(served.text(&uri), "text");
        assert_eq!(
            proposed(&served, value),
            std::slice::from_ref(value),
            "what was proposed is proposed again"
        );
    }
    // As people type it, and as it stands in the URI.
    for typed in ["d d/100", "d%20d/100", "d d/100%", "d d/100%2", "d d/100%25"] {
        assert_eq!(proposed(&served, typed), ["d d/100%25"], "{typed}");
    }
}

#[test]
fn a_hundred_paths_are_proposed_at_most() {
    let files: Vec<_> = (0..1_001).map(|n| format!("{n:04}")).collect();
    let served = Served::files(&files.iter().map(|path| (path.as_str(), "")).collect::<Vec<_>>());
    let completion = answer(&served, "")["result"]["completion"].clone();
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["hasMore"], true);
    assert_eq!(completion["total"], Value::Null, "they were not counted");
    let completion = answer(&served, "01")["result"]["completion"].clone();
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["hasMore"], false);
    let completion = answer(&served, "0")["result"]["completion"].clone();
    assert_eq!(completion["total"], 1_000);
}

#[test]
fn a_caller_gets_proposals_only_of_entries_that_it_may_list() {
    let mut files: Vec<_> = (0..150).map(|n| format!("secret{n:03}")).collect();
    files.extend(["open".to_owned(), "t/denied".to_owned(), "t/open".to_owned()]);
    let served = Served::files(&files.iter().map(|path| (path.as_str(), "")).collect::<Vec<_>>());
    let questions = Arc::new(Mutex::new(Vec::new()));
    let told = questions.clone();
    let judge = move |call: AuthorizeCall| {
        told.lock().unwrap().push((call.operation(), call.targets().len()));
        let verdict = |uri: &str| match uri {
            _ if uri.contains("secret") => Verdict::Hide,
            _ if uri.contains("denied") => Verdict::Deny,
            _ => Verdict::Allow,
        };
        call.targets().map(verdict).collect::<Vec<_>>()
    };
    served.server.authorize(judge).unwrap();
    assert_eq!(proposed(&served, ""), ["open", "t/"]);
    assert_eq!(*questions.lock().unwrap(), [(Operation::Complete, 1), (Operation::List, 152)]);
    assert_eq!(proposed(&served, "t/"), ["t/open"]);
    assert_eq!(proposed(&served, "secret"), [""; 0]);
    assert_eq!(proposed(&served, "nothing"), [""; 0]);

    served.server.authorize(|call: AuthorizeCall| vec![Verdict::Hide; call.targets().len()]).unwrap();
    assert!(answer(&served, "")["error"].is_object(), "the template is hidden");
}
