//! The authorizer judges the entries of a folder by the URIs that lists have.

use crate::support::{NOT_FOUND, Served};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use wellhead::{AuthorizeCall, Operation, Verdict};

type Questions = Arc<Mutex<Vec<(Operation, String)>>>;

/// Serves files whose authorizer hides each URI that ends in `secret.txt`, and denies all that begins with that of `private`. Returns
/// the questions to it as well.
fn served() -> (Served, Questions) {
    let files = ["secret.txt", "open.txt", "d/secret.txt", "d/open.txt", "private/key"];
    let served = Served::files(&files.map(|path| (path, "text")));
    let questions = Questions::default();
    let asked = questions.clone();
    let private = served.uri("private");
    let judge = move |call: AuthorizeCall| {
        let of = call.operation();
        asked.lock().unwrap().extend(call.targets().map(|target| (of, target.to_owned())));
        let verdict = |uri: &str| match uri {
            _ if uri.ends_with("secret.txt") => Verdict::Hide,
            _ if uri.starts_with(&private) => Verdict::Deny,
            _ => Verdict::Allow,
        };
        call.targets().map(verdict).collect::<Vec<_>>()
    };
    served.server.authorize(judge).unwrap();
    (served, questions)
}

// row: M-13, U-20
#[test]
fn no_other_spelling_of_a_uri_avoids_a_rule_of_the_authorizer() {
    let (served, questions) = served();
    let root = served.uri("");
    let at_localhost = root.replacen("file://", "file://localhost", 1);
    for hidden in [
        format!("{root}/secret.txt"),
        format!("{root}/%73ecret.txt"),
        format!("{root}/d%2Fsecret.txt"),
        format!("{at_localhost}/secret.txt"),
    ] {
        served.assert_absent(&hidden);
    }
    for denied in [
        format!("{root}/private/key"),
        format!("{root}/private%2fkey"),
        format!("{root}/%70rivate/key"),
        format!("{root}/%70rivate/"),
        format!("{at_localhost}/private/key"),
    ] {
        let answer = served.send_request("resources/read", &json!({"uri": denied}));
        assert!(answer["error"]["message"].is_string(), "{denied}: {answer}");
    }
    questions.lock().unwrap().clear();
    let spelled = format!("{at_localhost}/%6Fpen.txt");
    assert_eq!(served.read(&spelled)["uri"], spelled, "the answer has the URI of the request");
    assert_eq!(*questions.lock().unwrap(), [(Operation::Read, format!("{root}/open.txt"))]);
}

// row: M-13, U-26
#[test]
fn the_contents_of_a_directory_name_only_what_the_caller_may_see() {
    let (served, questions) = served();
    let uri = |path: &str| served.uri(path);
    assert_eq!(served.text(&uri("d")), format!("{}\r\n", uri("d/open.txt")));
    assert_eq!(served.text(&uri("")), format!("{}\r\n{}\r\n", uri("d"), uri("open.txt")));
    assert_eq!(served.read(&uri("d"))["mimeType"], "text/uri-list");
    assert!(questions.lock().unwrap().contains(&(Operation::List, uri("d/secret.txt"))));
    served
        .server
        .authorize(|call: AuthorizeCall| {
            let of = call.operation();
            call.targets()
                .map(|_| if of == Operation::List { Verdict::Hide } else { Verdict::Allow })
                .collect::<Vec<_>>()
        })
        .unwrap();
    assert_eq!(served.text(&uri("d")), "");
    served.server.authorize(|_: AuthorizeCall| -> Vec<Verdict> { panic!("no verdict") }).unwrap();
    let error = served.send_request("resources/read", &json!({"uri": uri("d")}))["error"].clone();
    assert!(error["code"] != NOT_FOUND && error.is_object(), "{error}");
}

// row: M-13, U-28
#[test]
fn a_client_gets_the_entries_of_a_directory_that_it_may_see_from_now_on() {
    let served = Served::files(&[("d/open.txt", ""), ("d/secret.txt", "")]);
    let may_see_all = Arc::new(AtomicBool::new(false));
    let all = may_see_all.clone();
    let judge = move |call: AuthorizeCall| {
        let verdict = |uri: &str| {
            let is_hidden = uri.ends_with("secret.txt") && !all.load(Ordering::Relaxed);
            if is_hidden { Verdict::Hide } else { Verdict::Allow }
        };
        call.targets().map(verdict).collect::<Vec<_>>()
    };
    served.server.authorize(judge).unwrap();
    let get = |version: &Value| {
        let mut params = json!({"uri": served.uri("d")});
        if version.is_string() {
            params["version"] = version.clone();
        }
        served.send_request("resources/get", &params)
    };
    let text = |answer: &Value| answer["result"]["contents"]["content"].as_str().map(str::to_owned);
    let some = format!("{}\r\n", served.uri("d/open.txt"));
    let every = format!("{some}{}\r\n", served.uri("d/secret.txt"));

    let first = get(&Value::Null);
    assert_eq!(text(&first), Some(some.clone()), "{first}");
    may_see_all.store(true, Ordering::Relaxed);
    let second = get(&first["result"]["resource"]["version"]);
    assert_eq!(text(&second), Some(every), "{second}");
    let version = &second["result"]["resource"]["version"];
    assert_eq!(get(version)["error"]["message"], "Not Modified", "no entry is left out");
    may_see_all.store(false, Ordering::Relaxed);
    assert_eq!(text(&get(version)), Some(some), "an entry is left out now");
}
