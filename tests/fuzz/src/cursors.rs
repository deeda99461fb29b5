//! Cursors changed by bytes: one that this server did not make for this list is refused, and walks with those that it
//! made list everything once.

use crate::bytes::Bytes;
use std::collections::BTreeSet;
use wellhead::{Limits, Page, Resource, Server};

pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let (fixed, paged) = (bytes.below(5), bytes.below(9));
    let mut limits = Limits::default();
    limits.page_items = 1 + bytes.below(4);
    let server = Server::builder("s", "1")
        .limits(limits)
        .cursor_key([7; 32])
        .instance_name("fuzz")
        .on_log(|_, _| {})
        .build();
    let server = server.expect("nothing is wrong with it");
    for n in 0..fixed {
        server.text(format!("f://{n}"), "").expect("a new URI");
    }
    server
        .list("paged", move |call| {
            let from = call
                .after()
                .and_then(|uri| uri.strip_prefix("p://")?.parse::<usize>().ok())
                .map_or(0, |n| n + 1);
            let items: Vec<_> =
                (from..paged).take(call.limit()).map(|n| Resource::new(format!("p://{n}"))).collect();
            let more = from + items.len() < paged;
            Page::new(items).more(more)
        })
        .expect("a new name");
    let mut client = server.test_client().expect("the server is open");
    let mut ask = |cursor: &str| -> Option<serde_json::Value> {
        let params = serde_json::json!({ "cursor": cursor }).to_string();
        let params = if cursor.is_empty() { "{}" } else { &params };
        let page = client.request("resources/list", params).ok()?;
        Some(serde_json::from_str(&page).expect("answers are JSON"))
    };
    let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
    loop {
        let answer = ask(&cursor).unwrap_or_else(|| panic!("{cursor} was refused, though it was made here"));
        let page = answer["resources"].as_array().unwrap_or_else(|| panic!("no list: {answer}"));
        assert!(page.iter().all(|item| seen.insert(item["uri"].to_string())), "listed twice: {answer}");
        let Some(next) = answer["nextCursor"].as_str() else { break };
        let changed = change(next, bytes);
        if changed != next {
            assert!(ask(&changed).is_none(), "{changed} was taken, though only {next} was made");
        }
        next.clone_into(&mut cursor);
    }
    assert_eq!(seen.len(), fixed + paged, "not everything was listed");
}

fn change(cursor: &str, bytes: &mut Bytes<'_>) -> String {
    let mut changed = cursor.as_bytes().to_vec();
    for _ in 0..bytes.below(3) {
        let at = bytes.below(changed.len());
        match bytes.below(3) {
            0 => changed[at] = b"ABab01-_=+/ "[bytes.below(12)],
            1 => changed.truncate(at.max(1)),
            _ => changed.insert(at, b'A'),
        }
    }
    String::from_utf8(changed).expect("only ASCII")
}
