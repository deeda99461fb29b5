//! Walks through listings that change between pages: what stays is seen exactly once, and nothing twice.

use crate::support::{connect, limited, request, send_request};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use wellhead::{ListCall, Page, Resource, Server, Verdict};

type Rows = Arc<Mutex<BTreeSet<u16>>>;

/// Makes a server with fixed resources and two list sources, with this many items on a page.
struct Listing {
    server: Server,
    sources: [Rows; 2],
    fixed: BTreeSet<u16>,
}

impl Listing {
    fn new(page: usize, fixed: BTreeSet<u16>, sources: [BTreeSet<u16>; 2]) -> Listing {
        let server = limited(|limits| limits.page_items = page);
        for n in &fixed {
            server.text(format!("f://{n:05}").as_str(), "x").unwrap();
        }
        let sources = sources.map(|rows| Arc::new(Mutex::new(rows)));
        for (name, rows) in ["a", "b"].into_iter().zip(&sources) {
            let rows = rows.clone();
            server.list(name, move |call: ListCall| list(name, &rows.lock().unwrap(), &call)).unwrap();
        }
        Listing { server, sources, fixed }
    }

    fn all(&self) -> BTreeSet<String> {
        let mut all: BTreeSet<_> = self.fixed.iter().map(|n| format!("f://{n:05}")).collect();
        for (name, rows) in ["a", "b"].into_iter().zip(&self.sources) {
            all.extend(rows.lock().unwrap().iter().map(|n| format!("{name}://{n:05}")));
        }
        all
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Fixed(n, true) if self.fixed.insert(n) => {
                self.server.text(format!("f://{n:05}").as_str(), "x").unwrap();
            }
            Change::Fixed(n, false) if self.fixed.remove(&n) => {
                self.server.remove_resource(&format!("f://{n:05}")).unwrap();
            }
            Change::Fixed(..) => {}
            Change::Row(source, n, true) => drop(self.sources[source].lock().unwrap().insert(n)),
            Change::Row(source, n, false) => drop(self.sources[source].lock().unwrap().remove(&n)),
        }
    }
}

fn list(name: &str, rows: &BTreeSet<u16>, call: &ListCall) -> Page {
    let from = call.after().map_or(0, |key| key.parse::<u32>().expect("a key of ours") + 1);
    let mut rest = rows.iter().filter(|n| u32::from(**n) >= from);
    let items: Vec<_> = rest
        .by_ref()
        .take(call.limit())
        .map(|n| Resource::new(format!("{name}://{n:05}")).key(n.to_string()))
        .collect();
    Page::new(items).more(rest.next().is_some())
}

#[derive(Debug, Clone)]
enum Change {
    Fixed(u16, bool),
    Row(usize, u16, bool),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..60u16, any::<bool>()).prop_map(|(n, here)| Change::Fixed(n, here)),
        (0..2usize, 0..60u16, any::<bool>()).prop_map(|(source, n, here)| Change::Row(source, n, here)),
    ]
}

fn rows() -> impl Strategy<Value = BTreeSet<u16>> {
    proptest::collection::btree_set(0..60u16, 0..30)
}

/// The URIs of a page, and its cursor.
fn page(output: &str) -> (Vec<String>, Option<String>) {
    let answer: serde_json::Value =
        serde_json::from_str(output.lines().next().expect("an answer")).expect("JSON");
    let result = answer.get("result").unwrap_or_else(|| panic!("{answer}"));
    let uris = result["resources"].as_array().expect("an array").iter();
    let uris = uris.map(|item| item["uri"].as_str().expect("a URI").to_owned()).collect();
    (uris, result.get("nextCursor").map(|cursor| cursor.as_str().expect("a string").to_owned()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_walk_sees_each_lasting_item_exactly_once_and_no_item_twice(
        size in 1usize..9,
        fixed in rows(),
        a in rows(),
        b in rows(),
        changes in proptest::collection::vec(proptest::collection::vec(change(), 0..6), 0..30),
        authorise in any::<bool>(),
    ) {
        let mut listing = Listing::new(size, fixed, [a, b]);
        if authorise {
            // Every third is hidden, which fills pages from further on.
            let hidden = |uri: &str| uri.ends_with(['0', '3', '6', '9']);
            listing.server.authorize(move |call: wellhead::AuthorizeCall| -> Vec<Verdict> {
                call.targets().map(|uri| if hidden(uri) { Verdict::Hide } else { Verdict::Allow }).collect()
            }).unwrap();
        }
        let shown = |uri: &String| !authorise || !uri.ends_with(['0', '3', '6', '9']);
        let connection = connect(&listing.server);
        let mut stayed = listing.all();
        let mut ever = stayed.clone();
        let (mut gone, mut again) = (BTreeSet::new(), BTreeSet::new());
        let (mut seen, mut cursor) = (BTreeMap::<String, usize>::new(), None);
        let mut changes = changes.into_iter();
        let mut pages = 0;
        loop {
            let params = match &cursor {
                Some(cursor) => format!(r#"{{"cursor":"{cursor}"}}"#),
                None => "{}".to_owned(),
            };
            let (uris, next) = page(&send_request(&connection, &request(1, "resources/list", &params)));
            prop_assert!(uris.len() <= size);
            for uri in uris {
                *seen.entry(uri).or_default() += 1;
            }
            pages += 1;
            prop_assert!(pages < 1_000, "the walk does not end");
            let Some(next) = next else { break };
            prop_assert!(!next.is_empty());
            cursor = Some(next);
            for change in changes.next().unwrap_or_default() {
                listing.change(&change);
                let now = listing.all();
                gone.extend(ever.difference(&now).cloned());
                again.extend(gone.intersection(&now).cloned());
                stayed.retain(|uri| now.contains(uri));
                ever.extend(now);
            }
        }
        for uri in stayed.iter().filter(|uri| shown(uri)) {
            prop_assert_eq!(seen.get(uri), Some(&1), "{} stayed", uri);
        }
        for (uri, times) in &seen {
            // What is registered again is listed again, at its new place.
            prop_assert!(*times == 1 || uri.starts_with('f') && again.contains(uri), "{} was seen twice", uri);
            prop_assert!(ever.contains(uri) && shown(uri), "{} was never there", uri);
        }
    }
}
