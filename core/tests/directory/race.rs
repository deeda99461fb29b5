//! A program that can write in the folder swaps its entries for links to the outside, again and again.

use crate::support::{NOT_FOUND, Served};
use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;
use serde_json::json;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Limits;

const SECRET: &str = "secret";

/// `make test-race` asks for more.
fn reads() -> usize {
    std::env::var("WELLHEAD_RACE_READS").map_or(10_000, |reads| reads.parse().expect("it is a number"))
}

/// Swaps an entry for a link. In one step, so that at no time is nothing there; in three on a file system that has no such step.
fn swap(place: &fs::File, name: &str, root: &fs::File, link: &str) {
    match renameat_with(place, name, root, link, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            for (from, old, to, new) in
                [(place, name, root, ".held"), (root, link, place, name), (root, ".held", root, link)]
            {
                renameat(from, old, to, new).unwrap();
            }
        }
        swapped => swapped.unwrap(),
    }
}

// row: U-23
#[test]
fn no_outside_file_is_read_while_directories_and_files_are_swapped_for_links() {
    let files = [("dir/sub/in.txt", "inside"), ("dir/in.txt", "inside"), ("file.txt", "inside")];
    let served = Served::build(&files, |directory| directory.watch(false), Limits::default());
    let outside = served.outside().join("outside");
    fs::create_dir_all(outside.join("sub")).unwrap();
    for path in ["in.txt", "sub/in.txt", "secret.txt"] {
        fs::write(outside.join(path), SECRET).unwrap();
    }
    served.link(".dir", &outside);
    served.link(".sub", outside.join("sub"));
    served.link(".file", outside.join("in.txt"));

    let root = fs::File::open(&served.root).unwrap();
    // The directory itself, wherever it is by now: never what a link in its place leads to.
    let dir = fs::File::open(served.root.join("dir")).unwrap();
    let swaps = [(&root, "dir", ".dir"), (&root, "file.txt", ".file"), (&dir, "sub", ".sub")];
    let paths = ["dir/in.txt", "dir/sub/in.txt", "file.txt", "dir", "dir/secret.txt", "dir/sub"];
    let uris = paths.map(|path| served.uri(path));
    let (done, mut found, mut absent) = (AtomicBool::new(false), 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (place, name, link) in swaps {
                    swap(place, name, &root, link);
                }
            }
        });
        let check = || {
            for n in 0..reads() {
                let uri = &uris[n % uris.len()];
                let answer = served.send_request("resources/read", &json!({"uri": uri}));
                if let Some(text) = answer["result"]["contents"][0]["text"].as_str() {
                    assert!(!text.contains(SECRET), "{uri} gave {text}");
                    found += 1;
                } else {
                    assert_eq!(answer["error"]["code"], NOT_FOUND, "{answer}");
                    absent += 1;
                }
            }
            assert!(!format!("{:?}", served.items()).contains(SECRET));
        };
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
        done.store(true, Ordering::Relaxed);
        checked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert!(found > 0 && absent > 0, "{found} found, {absent} not: nothing was swapped meanwhile");
}
