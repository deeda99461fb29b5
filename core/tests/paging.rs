//! Where pages end, and where the next one begins.

use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Limits, ListCall, Page, Resource, Server, Verdict};

fn server(page_items: usize, page_bytes: usize) -> Server {
    let mut limits = Limits::default();
    limits.page_items = page_items;
    limits.page_bytes = page_bytes;
    Server::builder("s", "1").limits(limits).build().unwrap()
}

/// A source of these items, in the order of their URIs.
fn source(uris: &'static [&'static str]) -> impl Fn(ListCall) -> Page + Send + Sync {
    move |call| {
        let rest: Vec<_> = uris.iter().filter(|uri| call.after().is_none_or(|after| **uri > after)).collect();
        let more = rest.len() > call.limit();
        let page = rest.into_iter().take(call.limit());
        Page::new(page.map(|uri| Resource::new(*uri).description("x".repeat(100)))).more(more)
    }
}

fn listed(server: &Server) -> Vec<String> {
    let list = server.test_client().unwrap().list().unwrap();
    list.iter().map(|resource| resource.uri().to_owned()).collect()
}

#[test]
fn no_item_is_lost_if_a_page_is_full_before_the_first_item_of_a_source() {
    for authorise in [false, true] {
        for page_bytes in (1..600).step_by(20) {
            let server = server(4, page_bytes);
            server.text(Resource::new("a:1").description("x".repeat(100)), "").unwrap();
            server.list("none", source(&[])).unwrap();
            server.list("b", source(&["b:1", "b:2"])).unwrap();
            server.list("c", source(&["c:1", "c:2"])).unwrap();
            server.list("no more", source(&[])).unwrap();
            if authorise {
                server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
            }
            let expected = ["a:1", "b:1", "b:2", "c:1", "c:2"];
            assert_eq!(listed(&server), expected, "{page_bytes} bytes a page, {authorise}");
        }
    }
}

#[test]
fn a_source_that_removes_itself_while_it_is_listed_disturbs_no_other() {
    let server = server(10, 10_000);
    let (inside, removed) = (server.clone(), AtomicBool::new(false));
    server
        .list("a", move |call: ListCall| {
            if !removed.swap(true, Ordering::Relaxed) {
                inside.remove_list("a").unwrap();
            }
            source(&["a:1", "a:2"])(call).more(true)
        })
        .unwrap();
    server.list("b", source(&["A:1", "b:1"])).unwrap();
    server.list("c", source(&["c:1"])).unwrap();
    assert_eq!(listed(&server), ["a:1", "a:2", "A:1", "b:1", "c:1"]);
}

#[test]
fn fixed_ones_and_sources_that_page_and_that_hand_over_all_are_listed_once_in_one_walk() {
    for authorise in [false, true] {
        let server = server(3, 10_000);
        let fixed = ["a:1", "a:2", "a:3", "a:4"];
        for uri in fixed {
            server.text(uri, "").unwrap();
        }
        let (paged, all) = (["b:1", "b:2", "b:3", "b:4", "b:5"], ["c:1", "c:2", "c:3", "c:4", "c:5"]);
        server.list("paged", source(&["b:1", "b:2", "b:3", "b:4", "b:5"])).unwrap();
        // All that is left, however little was asked for.
        let rest = move |call: ListCall| {
            let left = all.into_iter().filter(|uri| call.after().is_none_or(|after| *uri > after));
            left.map(Resource::new).collect::<Vec<_>>()
        };
        server.list("handed over", rest).unwrap();
        if authorise {
            server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
        }
        let expected: Vec<_> = fixed.into_iter().chain(paged).chain(all).collect();
        assert_eq!(listed(&server), expected, "{authorise}");
    }
}

#[test]
fn a_page_holds_one_item_however_small_it_may_be() {
    let server = server(1, 1);
    server.text("a:1", "").unwrap();
    server.list("b", source(&["b:1", "b:2"])).unwrap();
    assert_eq!(listed(&server), ["a:1", "b:1", "b:2"]);
}

#[test]
fn a_template_and_a_source_of_the_same_name_are_removed_one_at_a_time() {
    let server = server(10, 10_000);
    server.template("a://{id}", |_| "").unwrap();
    server.list("a://{id}", source(&["b:1"])).unwrap();
    server.remove_resource("a://{id}").unwrap();
    assert_eq!(listed(&server), ["b:1"]);
    server.remove_list("a://{id}").unwrap();
    assert!(listed(&server).is_empty());
}

#[test]
fn an_appended_page_is_listed_as_if_its_items_had_been_added() {
    let server = server(2, 10_000);
    let rest = |after: &str| {
        let items =
            [("k1", "a:1"), ("k2", "a:2"), ("k3", "a:3")].into_iter().filter(move |(key, _)| *key > after);
        Page::new(
            items.map(|(key, uri)| Resource::new(uri).key(key).name("\"a\"").title("t")).collect::<Vec<_>>(),
        )
    };
    server
        .list("appended", move |call: ListCall| {
            let mut page = Page::default();
            if call.after().is_none() {
                page.append(&Page::new([Resource::new("no URI")]));
            }
            page.append(&rest(call.after().unwrap_or_default()));
            page
        })
        .unwrap();
    assert_eq!(listed(&server), ["a:1", "a:2", "a:3"]);
}

#[test]
fn pages_that_need_no_review_may_be_appended_to_each_other() {
    let server = server(10, 10_000);
    let one = |uri: &str| Page::new([Resource::new(uri).name("n")]);
    server
        .list("appended", move |_: ListCall| {
            let mut page = one("a:1");
            for part in [&one("a:2"), &Page::default(), &one("a:3")] {
                page.append(part);
            }
            page
        })
        .unwrap();
    assert_eq!(listed(&server), ["a:1", "a:2", "a:3"]);
}
