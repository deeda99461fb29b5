//! A folder with files in it, and a client of a server that serves it.

use crate::paths::uri_of;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use wellhead::{Builder, Caller, Connection, Directory, Handle, Handled, Limits, Server};

/// The error code of "not found" in the revision that is spoken here.
pub(crate) const NOT_FOUND: i64 = -32002;

pub(crate) struct Served {
    pub(crate) server: Server,
    pub(crate) handle: Handle,
    pub(crate) root: PathBuf,
    pub(crate) connection: Connection,
    around: TempDir,
    log: Arc<Mutex<Vec<String>>>,
}

impl Served {
    /// Serves the files that are given by path and contents; a path that ends in a slash is a directory.
    pub(crate) fn files(files: &[(&str, &str)]) -> Served {
        Served::build(files, |directory| directory, Limits::default())
    }

    pub(crate) fn build(
        files: &[(&str, &str)],
        how: impl FnOnce(Directory) -> Directory,
        limits: Limits,
    ) -> Served {
        Served::built(files, how, |builder| builder.limits(limits))
    }

    /// Serves files as tools, too. Time stands still, so searches see all files on a slow machine, too.
    pub(crate) fn tools(files: &[(&str, &str)], how: impl FnOnce(Directory) -> Directory) -> Served {
        Served::tools_in_time(files, how, || Duration::ZERO)
    }

    /// Serves files as tools, too, by a clock.
    pub(crate) fn tools_in_time(
        files: &[(&str, &str)],
        how: impl FnOnce(Directory) -> Directory,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Served {
        Served::built(files, how, |builder| builder.resources_as_tools(true).clock(clock))
    }

    fn built(
        files: &[(&str, &str)],
        how: impl FnOnce(Directory) -> Directory,
        build: impl FnOnce(Builder) -> Builder,
    ) -> Served {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        for (path, contents) in files {
            put(&root.join(path), contents);
        }
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = log.clone();
        let server = build(Server::builder("test", "1"))
            .on_log(move |_, line| sink.lock().unwrap().push(line.to_owned()))
            .build()
            .unwrap();
        let handle = server.directory(how(Directory::new(&root))).unwrap();
        let connection = server.connect(Caller::default());
        let new = Served { server, handle, root, connection, around, log };
        new.send_request(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        new.connection.handle(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).unwrap();
        new
    }

    /// The lines of the log since the last time.
    pub(crate) fn logged(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Returns a path next to the root, where nothing may be read.
    pub(crate) fn outside(&self) -> &Path {
        self.around.path()
    }

    pub(crate) fn put(&self, path: &str, contents: &str) {
        put(&self.root.join(path), contents);
    }

    /// A link in the folder, to wherever.
    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.root.join(path)).unwrap();
    }

    /// Of a path that needs no escaping.
    pub(crate) fn uri(&self, path: &str) -> String {
        let root = uri_of(&self.root);
        if path.is_empty() { root } else { format!("{root}/{path}") }
    }

    /// The whole answer.
    pub(crate) fn send_request(&self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        match self.connection.handle(message.to_string().as_bytes()).unwrap() {
            Handled::Answer(answer) => serde_json::from_slice(&answer).unwrap(),
            other => panic!("{method} was not answered at once: {other:?}"),
        }
    }

    /// The only content of a resource.
    pub(crate) fn read(&self, uri: &str) -> Value {
        let answer = self.send_request("resources/read", &json!({"uri": uri}));
        let contents = answer["result"]["contents"].as_array().unwrap_or_else(|| panic!("{uri}: {answer}"));
        assert_eq!(contents.len(), 1);
        contents[0].clone()
    }

    pub(crate) fn text(&self, uri: &str) -> String {
        self.read(uri)["text"].as_str().unwrap().to_owned()
    }

    /// Checks that reading and subscribing answer as for any unknown URI.
    pub(crate) fn assert_absent(&self, uri: &str) {
        for method in ["resources/read", "resources/subscribe"] {
            let error = self.send_request(method, &json!({"uri": uri}))["error"].clone();
            assert_eq!(error["code"], NOT_FOUND, "{method} {uri}");
            assert_eq!(error["message"], "Resource not found", "{method} {uri}");
            assert_eq!(error["data"], json!({"uri": uri}), "{method} {uri}");
        }
    }

    /// One page: the items, and the cursor of the next.
    pub(crate) fn page(&self, cursor: Option<&Value>) -> (Vec<Value>, Option<Value>) {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let answer = self.send_request("resources/list", &params);
        let items = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        (items, answer["result"].get("nextCursor").cloned())
    }

    /// All pages.
    pub(crate) fn items(&self) -> Vec<Value> {
        let (mut items, mut cursor) = self.page(None);
        while let Some(next) = cursor {
            let (more, after) = self.page(Some(&next));
            items.extend(more);
            cursor = after;
        }
        items
    }

    /// The paths below the root that are listed, in their order.
    pub(crate) fn listed(&self) -> Vec<String> {
        self.items().iter().filter_map(|item| self.path(item)).collect()
    }

    /// The path of an item below the root.
    pub(crate) fn path(&self, item: &Value) -> Option<String> {
        let uri = item["uri"].as_str().unwrap();
        uri.strip_prefix(&self.uri(""))?.strip_prefix('/').map(str::to_owned)
    }
}

/// Sets the time of the last change of a file or a directory.
pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    let mut options = fs::File::options();
    #[cfg(unix)]
    options.read(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // FILE_WRITE_ATTRIBUTES, and FILE_FLAG_BACKUP_SEMANTICS, without which it opens no directory.
        options.access_mode(0x100).custom_flags(0x0200_0000);
    }
    options.open(path).unwrap().set_modified(time).unwrap();
}

fn put(path: &Path, contents: &str) {
    if path.to_str().unwrap().ends_with('/') {
        fs::create_dir_all(path).unwrap();
    } else {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
}

/// Returns limits with this many items on a page.
pub(crate) fn pages_of(items: usize) -> Limits {
    let mut limits = Limits::default();
    limits.page_items = items;
    limits
}
