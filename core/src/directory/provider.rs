//! Answers the requests of clients for the entries of a folder.

use super::address::Address;
use super::base::Base;
use super::listing::{Sink, walk};
use super::media;
use super::stamp::Stamp;
use super::tree::{Entry, EntryKind, Folder, join};
use super::watch::Watch;
use crate::catalog::Listing;
use crate::error::said_by_system;
use crate::event::{Call, CompleteCall, ListCall};
use crate::model::{Answer, Body, Completion, Contents, Page, Resource};
use crate::provider::Provider;
use crate::server::SubscriptionHook;
use cap_std::fs::{File, Metadata};
use percent_encoding::percent_decode_str;
use std::io::{self, Read};
use std::string::FromUtf8Error;
use std::sync::Arc;

/// The greatest number of paths that a completion proposes. The client gets the first 100 that its caller may see.
const PROPOSED: usize = 1_000;

/// The callbacks of a folder that is served.
#[derive(Debug)]
pub(crate) struct Files {
    pub(super) base: Arc<Base>,
    /// The greatest length of a URI in bytes. Entries with longer URIs are left out, because they could not be read.
    pub(super) max_uri_bytes: usize,
    watch: Option<Watch>,
}

impl Files {
    pub(super) fn new(base: Arc<Base>, max_uri_bytes: usize, watch: Option<Watch>) -> Files {
        Files { base, max_uri_bytes, watch }
    }

    fn answer(&self, call: &Call) -> io::Result<Answer> {
        let Some(target) = self.base.address.parse(call.uri()) else { return Ok(Answer::NotFound) };
        let tree = &self.base.tree;
        let (contents, stamp) = match tree.find(&target.path)? {
            Some(Entry::Folder(folder, metadata)) => {
                let stamp = Stamp::from_metadata(&metadata);
                (self.children(call, &folder, &target.path)?, stamp)
            }
            Some(Entry::File(folder, name, _)) if !target.slash => {
                let Some((file, metadata)) = tree.open_file(&folder, &name)? else {
                    return Ok(Answer::NotFound);
                };
                let stamp = Stamp::from_metadata(&metadata);
                if call.if_version() == Some(&*stamp.to_string()) {
                    return Ok(Answer::NotModified);
                }
                let bytes = contents(file, &metadata, tree.max_file_bytes())?;
                let Some(bytes) = bytes else { return Ok(Answer::NotFound) };
                (text_or_bytes(bytes, media::guess(self.base.name(&target.path))), stamp)
            }
            _ => return Ok(Answer::NotFound),
        };
        Ok(contents.name(self.base.name(&target.path)).version(stamp.to_string()).into())
    }

    /// Returns the URIs of the entries of a directory, in the order of their bytes. `path`
    /// may be that of a link to the directory.
    fn children(&self, call: &Call, folder: &Folder, path: &str) -> io::Result<Contents> {
        self.see(folder);
        let mut uris = Vec::new();
        for name in self.base.tree.names(folder)?.iter().take_while(|_| !call.is_cancelled()) {
            if let Ok(Some(_)) = self.base.tree.child(folder, name) {
                uris.push(Arc::from(self.base.address.uri(&join(path, name))));
            }
        }
        uris.sort_unstable();
        Ok(Contents::of_directory(uris))
    }

    fn page(&self, call: &ListCall) -> io::Result<Page> {
        let after = match call.after() {
            Some(key) => match self.base.address.parse(key) {
                Some(target) => Some(target.path),
                None => return Ok(Page::failed(format!("\"{key}\" is no key of this folder"))),
            },
            None => None,
        };
        let mut items = Items { files: self, call, page: Vec::new(), more: false };
        walk(&self.base.tree, after.as_deref(), &mut items)?;
        Ok(Page::new(items.page).more(items.more))
    }

    /// Lists the children of the directory at `uri`, in the order of the bytes of their names.
    fn directory(&self, call: &ListCall, uri: &str) -> io::Result<Page> {
        let Base { address, tree, .. } = &*self.base;
        let Some(target) = address.parse(uri).filter(|target| !target.slash) else {
            return Ok(Page::missing());
        };
        let Some(Entry::Folder(folder, _)) = tree.find(&target.path)? else { return Ok(Page::missing()) };
        self.see(&folder);
        let names = tree.names(&folder)?;
        let after = call.after().and_then(|key| address.parse(key)).map(|target| target.path);
        let after = after.as_deref().map(|path| self.base.name(path));
        let from = names.partition_point(|name| after.is_some_and(|after| **name <= *after));
        let (mut children, mut more) = (Vec::new(), false);
        for name in names[from..].iter().take_while(|_| !call.is_cancelled()) {
            let Ok(Some(entry)) = tree.child(&folder, name) else { continue };
            let child = self.base.describe(&join(&target.path, name), entry.kind(), entry.metadata());
            if child.uri().len() > self.max_uri_bytes {
                continue;
            }
            if children.len() == call.limit() {
                more = true;
                break;
            }
            children.push(child);
        }
        Ok(Page::new(children).more(more))
    }

    /// Watches a directory, so that its changes are announced from now on. Returns true if they were not before.
    fn see(&self, folder: &Folder) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.see(folder))
    }

    /// Returns the names that begin with the last typed name, in the directory typed before it. Directories get a final
    /// slash.
    fn proposals(&self, call: &CompleteCall) -> io::Result<Completion> {
        let (typed, none) = (call.value(), Ok(Completion::default()));
        let (above, begun) = typed.rsplit_once('/').unwrap_or(("", typed));
        let Some(above) = Address::path_of(above).filter(|_| !typed.starts_with('/')) else { return none };
        let Some(Entry::Folder(folder, _)) = self.base.tree.find(&above)? else { return none };
        self.see(&folder);
        let name_begun = percent_decode_str(begun).decode_utf8().unwrap_or(begun.into());
        let (mut proposals, mut more) = (Completion::default(), false);
        for name in self.base.tree.names(&folder)?.iter().take_while(|_| !call.is_cancelled()) {
            if !name.starts_with(&*name_begun) && !Address::value(name).starts_with(begun) {
                continue;
            }
            let Ok(Some(entry)) = self.base.tree.child(&folder, name) else { continue };
            let path = join(&above, name);
            let uri = self.base.address.uri(&path);
            if uri.len() > self.max_uri_bytes {
                continue;
            }
            if proposals.values.len() == PROPOSED {
                more = true;
                break;
            }
            proposals
                .values
                .push(Address::value(&path) + if entry.kind() == EntryKind::Folder { "/" } else { "" });
            proposals.uris.push(uri.into());
        }
        Ok(proposals.more(more))
    }

    /// Watches an entry, so that its changes are announced from now on. Returns true if some were not before.
    fn see_to(&self, entry: &Entry, path: &str) -> bool {
        let Some(watch) = &self.watch else { return false };
        let really = entry.path();
        let mut new = match entry {
            Entry::Folder(folder, _) => watch.see(folder),
            Entry::File(..) => false,
        };
        // A change of a directory on the way changes the entry.
        let on_the_way = if watch.is_partial() { usize::MAX } else { 1 };
        for path in [&*really, path] {
            for parent in parents(path).take(on_the_way) {
                if let Ok(Some(Entry::Folder(folder, _))) = self.base.tree.find(parent) {
                    new |= watch.see(&folder);
                }
            }
        }
        if really != path {
            watch.link(path);
        }
        new
    }
}

/// Returns the paths of the directories that an entry is in, the nearest first.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(path), |path| parent(path))
}

fn parent(path: &str) -> Option<&str> {
    (!path.is_empty()).then(|| path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

impl SubscriptionHook for Files {
    /// Notes the target of a link again, since it may have been forgotten after [`Provider::exists`].
    fn subscribed(&self, uri: &str) {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.has_links()) else { return };
        if let Some(target) = self.base.address.parse(uri) {
            watch.link(&target.path);
        }
    }

    #[cfg(all(test, unix))]
    fn links(&self) -> usize {
        self.watch.as_ref().unwrap().links()
    }
}

impl Provider for Files {
    fn is_library(&self) -> bool {
        true
    }

    fn listed_uri(&self, uri: &str) -> Option<String> {
        self.base.address.parse(uri).map(|target| self.base.address.uri(&target.path))
    }

    fn read(&self, mut call: Call) {
        let answer = self.answer(&call);
        let Some(responder) = call.take_responder() else { return };
        responder.finish(answer.unwrap_or_else(|e| {
            Answer::Failed(format!("{} cannot be read: {}", call.uri(), said_by_system(&e)))
        }));
    }

    fn list(&self, mut call: ListCall) {
        let page = match (call.listing(), call.uri()) {
            (Listing::Directory, Some(uri)) => self.directory(&call, uri),
            _ => self.page(&call),
        };
        let Some(responder) = call.take_responder() else { return };
        let root = || self.base.address.uri("");
        responder.finish(page.unwrap_or_else(|e| {
            Page::failed(format!("{} cannot be listed: {}", root(), said_by_system(&e)))
        }));
    }

    fn complete(&self, mut call: CompleteCall) {
        let proposals = self.proposals(&call);
        let Some(responder) = call.take_responder() else { return };
        let failed = |e| {
            let why = said_by_system(&e);
            Completion::failed(format!("what begins with \"{}\" cannot be listed: {why}", call.value()))
        };
        responder.finish(proposals.unwrap_or_else(failed));
    }

    /// Returns whether the entry exists; a local file system tells that without waiting. If so, a subscriber is
    /// notified of every change from then on.
    fn exists(&self, uri: &str) -> bool {
        let Some(target) = self.base.address.parse(uri) else { return false };
        if !self.base.address.is_listed_spelling(uri, &target.path) {
            return false;
        }
        let find = || self.base.tree.find(&target.path).unwrap_or_default();
        match find() {
            Some(entry) => !self.see_to(&entry, &target.path) || find().is_some(),
            None => false,
        }
    }
}

/// A page under construction.
struct Items<'a> {
    files: &'a Files,
    call: &'a ListCall,
    page: Vec<Resource>,
    more: bool,
}

impl Sink for Items<'_> {
    fn enter(&mut self, folder: &Folder) -> bool {
        self.files.see(folder);
        self.continues()
    }

    fn take(&mut self, path: &str, entry: &Entry) -> bool {
        let resource = self.files.base.describe(path, entry.kind(), entry.metadata());
        if resource.uri().len() > self.files.max_uri_bytes {
            return true;
        }
        if self.page.len() == self.call.limit() {
            self.more = true;
            return false;
        }
        self.page.push(resource);
        true
    }

    fn continues(&self) -> bool {
        !self.call.is_cancelled()
    }
}

/// Reads a file. Returns `None` if it has become too large.
pub(super) fn contents(file: File, metadata: &Metadata, max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1))?;
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max).then_some(bytes))
}

/// Returns text if the type says so, or if the type is unknown and the bytes look like text. The bytes must be UTF-8.
pub(super) fn text_or_bytes(bytes: Vec<u8>, mime: Option<&'static str>) -> Contents {
    let may_be_text = mime.map_or_else(|| !bytes.contains(&0), media::is_text);
    let body =
        if may_be_text { String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes) } else { Err(bytes) };
    let (body, guess): (Body, _) = match body {
        Ok(text) => (text.into(), "text/plain"),
        Err(bytes) => (bytes.into(), media::UNKNOWN),
    };
    Contents::new(body).mime_type(mime.unwrap_or(guess))
}

#[cfg(all(test, unix))]
mod tests {
    use crate::Server;
    use crate::server::ServerState;
    use std::os::unix::fs::symlink;
    use std::sync::Weak;

    #[test]
    fn spellings_through_links_are_forgotten_with_their_subscriptions() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap();
        std::fs::write(root.join("f"), "").unwrap();
        for link in ["a", "b"] {
            symlink(".", root.join(link)).unwrap();
        }
        let server = Server::new("test", "1");
        server.directory(root.as_path()).unwrap();
        let uri = |n: u32| {
            let names: Vec<_> = (0..12).map(|bit| if n >> bit & 1 == 0 { "a" } else { "b" }).collect();
            format!("file://{}/{}/f", root.display(), names.join("/"))
        };
        let inner: &ServerState = &server.downgrade().upgrade().unwrap();
        let links = || {
            let folder = inner.folders.with(|folders, _| folders.iter().find_map(Weak::upgrade)).unwrap();
            folder.links()
        };
        let mut client = server.test_client().unwrap();
        client.subscribe(&uri(0)).unwrap();
        for n in 1..4_000 {
            client.subscribe(&uri(n)).unwrap();
            client.unsubscribe(&uri(n)).unwrap();
            assert!(links() <= 64, "{}", links());
        }
        std::fs::write(root.join("f"), "again").unwrap();
        assert_eq!(client.next_update().unwrap(), uri(0));
    }
}
