//! A client in memory, for tests.

use crate::access::Caller;
use crate::connection::{Connection, Handled};
use crate::drain::DrainStart;
use crate::encode::base64_decode;
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::group::Group;
use crate::jsonrpc::{Raw, elements, is_array, is_object, members, string};
use crate::model::{Contents, Resource};
use crate::protocol::Route;
use crate::server::Server;
use crate::sync::Monitor;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer that comes later is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Speaks to a server without a transport, and runs its callbacks on the calling thread. For the host's own tests.
///
/// ```
/// let server = wellhead::Server::new("notes", "1.0.0");
/// server.text("notes://about", "Notes.")?;
/// let mut client = server.test_client()?;
/// assert_eq!(client.list()?[0].uri(), "notes://about");
/// assert_eq!(client.read("notes://about")?[0].text(), Some("Notes."));
/// client.subscribe("notes://about")?;
/// server.set("notes://about", "More notes.")?;
/// assert_eq!(client.next_update()?, "notes://about");
/// # Ok::<(), wellhead::Error>(())
/// ```
pub struct TestClient {
    connection: Connection,
    bell: Arc<Bell>,
    next_id: u64,
    updates: VecDeque<String>,
    lists: usize,
    group: Group,
}

struct Bell(Monitor<bool>);

impl Bell {
    fn ring(&self) {
        self.0.with(|rung, _| *rung = true);
        self.0.notify_one();
    }

    /// False if nothing came in time.
    fn wait(&self) -> bool {
        self.0.wait(Some(PATIENCE), |rung| std::mem::take(rung).then_some(())).is_some()
    }
}

impl Server {
    /// A client in memory that has shaken hands with this server.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`]; [`ErrorKind::InvalidArgument`] if no version with a handshake is enabled.
    pub fn test_client(&self) -> Result<TestClient> {
        let bell = Arc::new(Bell(Monitor::new(false)));
        let ringing = bell.clone();
        let group = self.group(move || ringing.ring());
        let connection = group.connect(Caller::default());
        let mut client =
            TestClient { connection, bell, next_id: 1, updates: VecDeque::new(), lists: 0, group };
        let Some(version) = self.newest_handshake() else {
            let what = "the server has no protocol version with a handshake, which this client begins with";
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        };
        let params = format!(
            "{{\"protocolVersion\":\"{version}\",\"capabilities\":{{}},\"clientInfo\":{{\"name\":\"test\",\"version\":\"1\"}}}}"
        );
        client.request("initialize", &params)?;
        client.connection.handle(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(client)
    }
}

impl TestClient {
    /// Everything that is listed, all pages.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn list(&mut self) -> Result<Vec<Resource>> {
        let mut listed = Vec::new();
        let mut params = "{}".to_owned();
        loop {
            let result = self.request("resources/list", &params)?;
            let result = raw(&result)?;
            let [resources, cursor] = pick(result, &["resources", "nextCursor"])?;
            for item in array(resources)? {
                listed.push(resource(item)?);
            }
            let Some(cursor) = cursor else { return Ok(listed) };
            params = format!("{{\"cursor\":{}}}", cursor.get());
        }
    }

    /// The contents of a resource.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn read(&mut self, uri: &str) -> Result<Vec<Contents>> {
        let result = self.request("resources/read", &uri_params(uri))?;
        let [list] = pick(raw(&result)?, &["contents"])?;
        array(list)?.into_iter().map(contents).collect()
    }

    /// Asks to be told of changes of `uri`.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn subscribe(&mut self, uri: &str) -> Result<()> {
        self.request("resources/subscribe", &uri_params(uri)).map(drop)
    }

    /// The URI of the next change; waits for it.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if none comes.
    pub fn next_update(&mut self) -> Result<String> {
        loop {
            self.pump()?;
            if let Some(uri) = self.updates.pop_front() {
                return Ok(uri);
            }
            self.wait("an update")?;
        }
    }

    /// How often the list was said to have changed since the last call. Does not wait.
    ///
    /// # Errors
    /// None at present.
    pub fn list_changes(&mut self) -> Result<usize> {
        self.pump()?;
        Ok(std::mem::take(&mut self.lists))
    }

    /// Any request; returns the result as JSON text. Callbacks run here; an answer that comes later is waited for.
    ///
    /// # Errors
    /// [`ErrorKind::Unknown`] with the error's code and message if the server answered an error;
    /// [`ErrorKind::Limit`] if no answer comes; [`ErrorKind::Closed`].
    pub fn request(&mut self, method: &str, params: &str) -> Result<String> {
        let id = self.next_id;
        self.next_id += 1;
        let message =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}");
        let answer = match self.connection.handle(message.as_bytes())? {
            Handled::Answer(answer) => answer,
            Handled::Nothing => return Err(self.unanswered()),
            Handled::Later(route) => self.later(route)?,
        };
        let answer = String::from_utf8(answer).map_err(|_| odd("an answer that is not text"))?;
        let [result, error] = pick(raw(&answer)?, &["result", "error"])?;
        match (result, error) {
            (Some(result), None) => Ok(result.get().to_owned()),
            (_, Some(error)) => {
                let [code, message] = pick(error, &["code", "message"])?;
                let message = message.and_then(string).unwrap_or_default();
                let code = code.map_or("", Raw::get);
                Err(Error::new(ErrorKind::Unknown, format!("the server answered {code}: {message}")))
            }
            (None, None) => Err(odd("neither a result nor an error")),
        }
    }

    fn later(&mut self, route: Route) -> Result<Vec<u8>> {
        loop {
            self.run_events();
            match self.connection.take(route) {
                Some(Handled::Answer(answer)) => return Ok(answer),
                Some(_) => return Err(self.unanswered()),
                None => {}
            }
            if let Err(e) = self.wait("an answer") {
                self.connection.forget(route);
                return Err(e);
            }
        }
    }

    fn unanswered(&self) -> Error {
        if self.connection.is_closed() {
            return Error::new(ErrorKind::Closed, "the server was closed before it answered");
        }
        odd("no answer")
    }

    fn run_events(&self) {
        while self.group.next().is_some() {} // so that it wakes us again
        while let Some(event) = self.connection.poll_event() {
            self.connection.run(|| Event::run(event));
        }
    }

    /// Takes the notifications that have come.
    fn pump(&mut self) -> Result<()> {
        self.run_events();
        let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) else { return Ok(()) };
        let mut bytes = Vec::new();
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            bytes.extend_from_slice(transmit.bytes);
            drain.wrote(length);
        }
        let text = String::from_utf8(bytes).map_err(|_| odd("a message that is not text"))?;
        for line in text.lines() {
            let [method, params] = pick(raw(line)?, &["method", "params"])?;
            match method.and_then(string).as_deref() {
                Some("notifications/resources/updated") => {
                    let params = params.ok_or_else(|| odd("an update without params"))?;
                    let [uri] = pick(params, &["uri"])?;
                    self.updates.extend(uri.and_then(string).map(Into::into));
                }
                Some("notifications/resources/list_changed") => self.lists += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn wait(&self, what: &str) -> Result<()> {
        if self.bell.wait() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Limit, format!("{what} did not come within {} s", PATIENCE.as_secs())))
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient").finish_non_exhaustive()
    }
}

fn odd(what: &str) -> Error {
    Error::new(ErrorKind::Panic, format!("the server sent {what}; this is a bug of ours"))
}

fn raw(text: &str) -> Result<Raw<'_>> {
    Raw::check(text).ok_or_else(|| odd("a message that is not JSON"))
}

fn pick<'a, const N: usize>(object: Raw<'a>, names: &[&str; N]) -> Result<[Option<Raw<'a>>; N]> {
    if !is_object(object) {
        return Err(odd("something that is not an object"));
    }
    members(object, names).map_err(|e| odd(&e.to_string()))
}

fn array(list: Option<Raw<'_>>) -> Result<Vec<Raw<'_>>> {
    let list = list.ok_or_else(|| odd("no list"))?;
    let elements = elements(list, usize::MAX).filter(|_| is_array(list));
    elements.ok_or_else(|| odd("something that is not an array"))
}

fn uri_params(uri: &str) -> String {
    let mut params = b"{\"uri\":".to_vec();
    quote_into(uri, &mut params);
    params.push(b'}');
    String::from_utf8(params).expect("escaped text stays text")
}

fn resource(item: Raw<'_>) -> Result<Resource> {
    let [uri, name, title, description, mime_type, size] =
        pick(item, &["uri", "name", "title", "description", "mimeType", "size"])?;
    let text = |value: Option<Raw<'_>>| value.and_then(string).map(std::borrow::Cow::into_owned);
    let mut resource = Resource::new(text(uri).ok_or_else(|| odd("a resource without a URI"))?);
    let descriptor = &mut resource.descriptor;
    descriptor.name = text(name);
    descriptor.title = text(title);
    descriptor.description = text(description);
    descriptor.mime_type = text(mime_type);
    descriptor.size = size.and_then(|size| size.get().parse().ok());
    Ok(resource)
}

fn contents(element: Raw<'_>) -> Result<Contents> {
    let [uri, mime_type, text, blob] = pick(element, &["uri", "mimeType", "text", "blob"])?;
    let mut contents = match (text.and_then(string), blob.and_then(string)) {
        (Some(text), None) => Contents::new(&*text),
        (None, Some(blob)) => {
            Contents::new(base64_decode(blob.as_bytes()).ok_or_else(|| odd("a blob that is not base64"))?)
        }
        _ => return Err(odd("contents that are neither text nor blob")),
    };
    contents.uri = uri.and_then(string).map(Into::into);
    contents.mime_type = mime_type.and_then(string).map(Into::into);
    Ok(contents)
}
