//! An in-memory notes application: pages, a template, edits that notify, one answer given later.
//!
//! `notes FIFO`: a second thread takes `set ID TEXT`, `add ID TEXT` and `del ID` lines from the FIFO.
use std::collections::BTreeMap;
use std::io::BufRead;
use std::ops::Bound;
use std::sync::{Arc, Mutex};
use wellhead::{Limits, Page, Resource, Server, Template};

type Notes = Arc<Mutex<BTreeMap<String, String>>>;

fn main() -> wellhead::Result<()> {
    let notes: Notes =
        Arc::new(Mutex::new((1..=250).map(|n| (format!("{n:03}"), format!("# Note {n:03}"))).collect()));
    let mut limits = Limits::default();
    limits.page_items = 100;
    let server = Server::builder("notes", "1.0.0").limits(limits).build()?;
    server.text(Resource::new("notes://about").mime_type("text/plain"), "Notes.")?;
    server.blob(Resource::new("notes://logo").mime_type("image/png"), *b"\x89PNG\r\n\x1a\n")?;

    let n = Arc::clone(&notes);
    server.template(Template::new("notes://{id}").name("note").mime_type("text/markdown"), move |call| {
        n.lock().unwrap().get(call.var("id")?).cloned()
    })?;

    server.resource(Resource::new("notes://slow").name("slow"), |call| {
        let (later, responder) = call.defer();
        std::thread::spawn(move || responder.finish("answered by another thread"));
        later
    })?;

    let n = Arc::clone(&notes);
    server.list("notes", move |call| {
        let from = call.after().map_or(Bound::Unbounded, Bound::Excluded);
        let notes = n.lock().unwrap();
        let mut ids = notes.range::<str, _>((from, Bound::Unbounded)).map(|(id, _)| id);
        let items: Vec<_> = ids
            .by_ref()
            .take(call.limit())
            .map(|id| Resource::new(format!("notes://{id}")).name(id).key(id).mime_type("text/markdown"))
            .collect();
        Page::new(items).more(ids.next().is_some())
    })?;

    if let Some(fifo) = std::env::args_os().nth(1) {
        let (server, notes) = (server.clone(), Arc::clone(&notes));
        std::thread::spawn(move || edits(&server, &notes, &fifo));
    }
    wellhead::serve::stdio(&server)
}

/// Carries out what the lines of the FIFO say.
fn edits(server: &Server, notes: &Notes, fifo: &std::ffi::OsStr) {
    // Open for writing too, so that it does not end when a writer goes.
    let Ok(fifo) = std::fs::File::options().read(true).write(true).open(fifo) else { return };
    for line in std::io::BufReader::new(fifo).lines().map_while(Result::ok) {
        let mut words = line.splitn(3, ' ');
        let (Some(verb), Some(id)) = (words.next(), words.next()) else { continue };
        match verb {
            "del" => drop(notes.lock().unwrap().remove(id)),
            _ => drop(notes.lock().unwrap().insert(id.to_owned(), words.next().unwrap_or("").to_owned())),
        }
        if server.notify_updated(&format!("notes://{id}")).is_err() {
            eprintln!("notes: {id} makes no URI");
        } else if verb != "set" && server.notify_resource_list_changed().is_err() {
            return;
        }
    }
}
