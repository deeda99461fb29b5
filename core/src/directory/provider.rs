//! Answers what clients ask of a folder.

use super::address::Address;
use super::listing::{Names, Sink, walk};
use super::media;
use super::stamp::Stamp;
use super::tree::{Entry, Folder, Tree, join};
use crate::event::{Call, ListCall};
use crate::model::{Annotations, Answer, Body, Contents, Listed, Page};
use crate::provider::Provider;
use cap_std::fs::{File, Metadata};
use std::io::{self, Read};
use std::string::FromUtf8Error;

/// The MIME type of directories.
const DIRECTORY: &str = "inode/directory";

/// The callbacks of a folder.
#[derive(Debug)]
pub(super) struct Files {
    /// The root's own name.
    name: String,
    address: Address,
    tree: Tree,
    names: Names,
    /// Longer URIs could not be read.
    max_uri_bytes: usize,
}

impl Files {
    pub(super) fn new(name: String, address: Address, tree: Tree, max_uri_bytes: usize) -> Files {
        Files { name, address, tree, names: Names::default(), max_uri_bytes }
    }

    fn answer(&self, uri: &str) -> io::Result<Option<Contents>> {
        let Some(target) = self.address.parse(uri) else { return Ok(None) };
        match self.tree.find(&target.path)? {
            Some(Entry::Folder(folder, _)) => self.children(&folder, &target.path).map(Some),
            Some(Entry::File(..)) if target.slash => Ok(None),
            Some(Entry::File(folder, name, _)) => {
                let Some((file, metadata)) = self.tree.open_file(&folder, &name)? else { return Ok(None) };
                let Some(bytes) = contents(file, &metadata, self.tree.max_file_bytes())? else {
                    return Ok(None);
                };
                let asked = target.path.rsplit('/').next().unwrap_or_default();
                Ok(Some(text_or_bytes(bytes, media::guess(asked))))
            }
            None => Ok(None),
        }
    }

    /// The URIs of what is in a directory, one a line (RFC 2483), in the order of their bytes. `path` may be that of a
    /// link to the directory.
    fn children(&self, folder: &Folder, path: &str) -> io::Result<Contents> {
        let mut uris = Vec::new();
        for name in self.names.of(folder)?.iter() {
            if let Ok(Some(_)) = self.tree.child(folder, name) {
                uris.push(self.address.uri(&join(path, name)) + "\r\n");
            }
        }
        uris.sort_unstable();
        Ok(Contents::new(uris.concat()).mime_type("text/uri-list"))
    }

    fn page(&self, call: &ListCall) -> io::Result<Page> {
        let after = match call.after() {
            Some(key) => match self.address.parse(key) {
                Some(target) => Some(target.path),
                None => return Ok(Page::failed(format!("\"{key}\" is no key of this folder"))),
            },
            None => None,
        };
        let mut items = Items { files: self, call, page: Page::default(), more: false };
        walk(&self.tree, &self.names, after.as_deref(), &mut items)?;
        let Items { page, more, .. } = items;
        Ok(page.more(more))
    }
}

impl Provider for Files {
    fn read(&self, mut call: Call) {
        let Some(responder) = call.take_responder() else { return };
        responder.finish(match self.answer(call.uri()) {
            Ok(contents) => contents.into(),
            Err(e) => Answer::Failed(format!("{} cannot be read: {e}", call.uri())),
        });
    }

    fn list(&self, mut call: ListCall) {
        let page = self.page(&call);
        let Some(responder) = call.take_responder() else { return };
        responder.finish(page.unwrap_or_else(|e| Page::failed(e.to_string())));
    }

    /// Looks the entry up, which on a local file system does not wait.
    fn knows(&self, uri: &str) -> bool {
        let Some(target) = self.address.parse(uri) else { return false };
        self.address.is_listed_spelling(uri, &target.path)
            && matches!(self.tree.find(&target.path), Ok(Some(_)))
    }
}

/// A page in the making.
struct Items<'a> {
    files: &'a Files,
    call: &'a ListCall,
    page: Page,
    more: bool,
}

impl Sink for Items<'_> {
    fn enter(&mut self, _folder: &Folder) -> bool {
        !self.call.is_cancelled()
    }

    fn take(&mut self, path: &str, is_folder: bool, metadata: &Metadata) -> bool {
        let uri = self.files.address.uri(path);
        if uri.len() > self.files.max_uri_bytes {
            return true;
        }
        if self.page.len() == self.call.limit() {
            self.more = true;
            return false;
        }
        let name = if path.is_empty() { &*self.files.name } else { path.rsplit('/').next().unwrap_or(path) };
        let modified = Stamp::of(metadata).last_modified();
        self.page.push(Listed {
            uri: &uri,
            name: Some(name),
            mime_type: if is_folder { Some(DIRECTORY) } else { media::guess(name) },
            size: (!is_folder).then(|| metadata.len()),
            annotations: modified.map(|modified| Annotations::new().last_modified(modified)),
            ..Listed::default()
        });
        true
    }
}

/// What is in a file. None: it has become too large.
fn contents(file: File, metadata: &Metadata, max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1))?;
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max).then_some(bytes))
}

/// Text, if the type says so, or nothing is known and it looks like it; and if it is UTF-8.
fn text_or_bytes(bytes: Vec<u8>, mime: Option<&'static str>) -> Contents {
    let may_be_text = mime.map_or_else(|| !bytes.contains(&0), media::is_text);
    let body =
        if may_be_text { String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes) } else { Err(bytes) };
    let (body, guess): (Body, _) = match body {
        Ok(text) => (text.into(), "text/plain"),
        Err(bytes) => (bytes.into(), media::UNKNOWN),
    };
    Contents::new(body).mime_type(mime.unwrap_or(guess))
}
