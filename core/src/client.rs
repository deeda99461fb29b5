//! An in-memory client for the application's own tests.

mod conversation;

use crate::access::Caller;
use crate::catalog::Template;
use crate::encode::{base64_decode, quote_into};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RpcError, elements, for_each_member, is_array, string, strings};
use crate::model::{Contents, Descriptor, Json, MethodAnswer, MethodError, Resource};
use crate::revision::{Era, Revision};
use crate::server::Server;
use conversation::{Conversation, OnRequest, odd, pick, raw};
use std::collections::BTreeMap;
use std::fmt;

/// The greatest number of times that the client repeats a call with the input that the server asks for.
const ROUNDS: usize = 16;

/// Options of an in-memory client, for [`Server::test_client_with`].
pub struct TestOptions {
    revision: Option<String>,
    capabilities: Json,
    caller: Caller,
    on_request: Box<OnRequest>,
}

impl TestOptions {
    /// Makes options for the newest revision of the handshake era, without capabilities.
    pub fn new() -> Self {
        let refused = |method: &str, _: &str| {
            let fault = RpcError::method_not_found(method);
            MethodAnswer::Error(MethodError::new(fault.code, fault.message))
        };
        TestOptions {
            revision: None,
            capabilities: Json::default(),
            caller: Caller::default(),
            on_request: Box::new(refused),
        }
    }

    /// Sets the protocol revision that the client speaks, by its date. Default: the newest one of the handshake era
    /// that the server serves, or else the newest one.
    #[must_use]
    pub fn revision(mut self, date: impl Into<String>) -> Self {
        self.revision = Some(date.into());
        self
    }

    /// Sets the client's capabilities, such as `{"sampling":{}}`. Default: `{}`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Json) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets the caller that the application's callbacks get. Default: an anonymous one.
    #[must_use]
    pub fn caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Sets the function that answers requests of the server, such as `sampling/createMessage`. It gets method and
    /// params and returns a result or a [`MethodError`]. It runs on the thread that waits for the client's own
    /// request. Default: every request is answered "Method not found".
    #[must_use]
    pub fn on_request<F, R>(mut self, mut answer: F) -> Self
    where
        F: FnMut(&str, &str) -> R + Send + 'static,
        R: Into<MethodAnswer>,
    {
        self.on_request = Box::new(move |method, params| answer(method, params).into());
        self
    }
}

impl Default for TestOptions {
    fn default() -> Self {
        TestOptions::new()
    }
}

impl fmt::Debug for TestOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestOptions").field("revision", &self.revision).finish_non_exhaustive()
    }
}

/// An in-memory client for the application's own tests. It speaks to a server without a transport, and runs the
/// server's callbacks on the calling thread.
///
/// It uses real time: a call that takes longer than [`crate::Limits::call_ms`] returns an error.
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
    conversation: Conversation,
    /// The numbers of open listen streams by URI, in the stateless era.
    streams: BTreeMap<String, u64>,
}

impl Server {
    /// Connects an in-memory client to this server and performs the handshake.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn test_client(&self) -> Result<TestClient> {
        self.test_client_with(TestOptions::new())
    }

    /// Connects an in-memory client with these options to this server, and performs the handshake if the revision has
    /// one. Everything else is as with [`Server::test_client`].
    ///
    /// # Errors
    /// As [`Server::test_client`]. Also [`ErrorKind::InvalidArgument`] for a revision that the server does not serve.
    pub fn test_client_with(&self, options: TestOptions) -> Result<TestClient> {
        let TestOptions { revision, capabilities, caller, on_request } = options;
        let revision = self.revision_of(revision.as_deref())?;
        let conversation = Conversation::begin(self, revision, &capabilities, caller, on_request)?;
        Ok(TestClient { conversation, streams: BTreeMap::new() })
    }

    fn revision_of(&self, date: Option<&str>) -> Result<Revision> {
        let served = self.revisions();
        let found = match date {
            Some(date) => served.all().iter().find(|revision| revision.as_str() == date).copied(),
            None => served.newest(Era::Handshake).or(served.newest(Era::Stateless)),
        };
        found.ok_or_else(|| {
            let all: Vec<_> = served.all().iter().map(Revision::as_str).collect();
            let message = format!(
                "the server does not serve the revision \"{}\"; it serves {}",
                date.unwrap_or_default(),
                all.join(", ")
            );
            Error::new(ErrorKind::InvalidArgument, message)
        })
    }
}

impl TestClient {
    /// Returns all listed resources, from all pages.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn list(&mut self) -> Result<Vec<Resource>> {
        self.listed("resources/list", "resources", resource)
    }

    /// Returns all listed templates, from all pages.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn templates(&mut self) -> Result<Vec<Template>> {
        self.listed("resources/templates/list", "resourceTemplates", template)
    }

    /// Reads a resource and returns its contents.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn read(&mut self, uri: &str) -> Result<Vec<Contents>> {
        let result = self.call("resources/read", &uri_params(uri))?;
        let [list] = pick(raw(&result)?, &["contents"])?;
        array(list)?.into_iter().map(contents).collect()
    }

    /// Calls a tool and returns the result as JSON text. `arguments` is the text of a JSON object. A result with
    /// `isError` is returned, not an error.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn call_tool(&mut self, name: &str, arguments: &str) -> Result<String> {
        self.call("tools/call", &named_params(name, arguments))
    }

    /// Gets a prompt and returns the result as JSON text. `arguments` is the text of a JSON object.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn get_prompt(&mut self, name: &str, arguments: &str) -> Result<String> {
        self.call("prompts/get", &named_params(name, arguments))
    }

    /// Returns the values that the server proposes for an argument of which the user has typed `value`. `reference`
    /// is the text of a template, whose variables are the arguments, or the name of a prompt.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn complete(&mut self, reference: &str, argument: &str, value: &str) -> Result<Vec<String>> {
        let is_template = reference.contains('{'); // no completion without a variable
        let (kind, member) = if is_template { ("ref/resource", "uri") } else { ("ref/prompt", "name") };
        let mut params = Vec::new();
        let mut object = Object::begin(&mut params);
        let mut of = Object::begin(object.member("ref"));
        of.string("type", kind).string(member, reference);
        of.end();
        let mut typed = Object::begin(object.member("argument"));
        typed.string("name", argument).string("value", value);
        typed.end();
        object.end();
        let result = self.request("completion/complete", &text(params))?;
        let [completion] = pick(raw(&result)?, &["completion"])?;
        let [values] = pick(completion.ok_or_else(|| odd("no completion"))?, &["values"])?;
        let values = values.and_then(strings).ok_or_else(|| odd("a completion without values"))?;
        Ok(values.into_iter().map(Into::into).collect())
    }

    /// Subscribes to `uri`.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn subscribe(&mut self, uri: &str) -> Result<()> {
        if !self.conversation.is_stateless() {
            return self.request("resources/subscribe", &uri_params(uri)).map(drop);
        }
        if self.streams.contains_key(uri) {
            return Ok(());
        }
        let mut filter = b"{\"resourceSubscriptions\":[".to_vec();
        quote_into(uri, &mut filter);
        filter.extend_from_slice(b"]}");
        let (stream, honoured) = self.conversation.listen(&text(filter))?;
        if honoured.iter().all(|honoured| honoured != uri) {
            self.conversation.cancel(stream)?;
            let message = format!("the server does not let this client subscribe to \"{uri}\"");
            return Err(Error::new(ErrorKind::Response, message));
        }
        self.streams.insert(uri.to_owned(), stream);
        Ok(())
    }

    /// Unsubscribes from `uri`.
    ///
    /// # Errors
    /// As [`TestClient::request`].
    pub fn unsubscribe(&mut self, uri: &str) -> Result<()> {
        if !self.conversation.is_stateless() {
            return self.request("resources/unsubscribe", &uri_params(uri)).map(drop);
        }
        match self.streams.remove(uri) {
            Some(stream) => self.conversation.cancel(stream),
            None => Ok(()),
        }
    }

    /// Waits for the next change of a subscribed resource and returns its URI.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if no change comes within 20 seconds; [`ErrorKind::Closed`].
    pub fn next_update(&mut self) -> Result<String> {
        self.conversation.wait_for("an update", |it| it.updates.pop_front())
    }

    /// Returns how often the server has notified the client since the last call that the list of resources changed.
    /// Does not wait.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn list_changes(&mut self) -> Result<usize> {
        self.conversation.pump()?;
        Ok(std::mem::take(&mut self.conversation.lists))
    }

    /// Sends any request and returns its result as JSON text. `params` is the text of a JSON object. Callbacks run
    /// on this thread. Waits for answers that the application gives later.
    ///
    /// # Errors
    /// [`ErrorKind::Response`] if the server answered with an error: its source is a [`MethodError`] with the code,
    /// message and data of the answer. [`ErrorKind::InvalidArgument`] if `params` is not an object;
    /// [`ErrorKind::Limit`] if no answer comes within 20 seconds; [`ErrorKind::Closed`].
    pub fn request(&mut self, method: &str, params: &str) -> Result<String> {
        self.conversation.request(method, params)
    }

    /// Closes the connection and cancels its pending calls. Dropping the client does the same.
    pub fn close(&mut self) {
        self.conversation.close();
    }

    fn listed<T>(
        &mut self,
        method: &str,
        member: &str,
        parse: impl Fn(Raw<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut listed = Vec::new();
        let mut params = "{}".to_owned();
        loop {
            let result = self.request(method, &params)?;
            let [items, cursor] = pick(raw(&result)?, &[member, "nextCursor"])?;
            for item in array(items)? {
                listed.push(parse(item)?);
            }
            let Some(cursor) = cursor else { return Ok(listed) };
            params = format!("{{\"cursor\":{}}}", cursor.get());
        }
    }

    /// Sends a request. If the server answers by asking for input, repeats it with that input.
    fn call(&mut self, method: &str, params: &str) -> Result<String> {
        let mut repeated = params.to_owned();
        for _ in 0..ROUNDS {
            let result = self.request(method, &repeated)?;
            let [kind, requests, state] =
                pick(raw(&result)?, &["resultType", "inputRequests", "requestState"])?;
            if kind.and_then(string).as_deref() != Some("input_required") {
                return Ok(result);
            }
            repeated = self.with_input(params, requests, state)?;
        }
        let message = format!("the server asked for input {ROUNDS} times");
        Err(Error::new(ErrorKind::Limit, message))
    }

    /// Returns the params together with the input that the server asked for.
    fn with_input(
        &mut self,
        params: &str,
        requests: Option<Raw<'_>>,
        state: Option<Raw<'_>>,
    ) -> Result<String> {
        let mut wanted = Vec::new();
        for_each_member(requests.unwrap_or(Raw::kept("{}")), |key, request| {
            wanted.push((key.to_owned(), request));
        });
        let mut out = Vec::new();
        let mut object = Object::begin(&mut out);
        for_each_member(Json::parse(params)?.raw(), |name, value| {
            object.any_member(name).extend_from_slice(value.get().as_bytes());
        });
        let mut responses = Object::begin(object.member("inputResponses"));
        for (key, request) in wanted {
            let [method, params] = pick(request, &["method", "params"])?;
            let method = method.and_then(string).ok_or_else(|| odd("a request without a method"))?;
            let answer = self.conversation.answer_of(&method, params.map_or("{}", Raw::get));
            let answer = answer.map_err(|refused| {
                let message = format!("the client refused the input \"{key}\"");
                Error::new(ErrorKind::Response, message).because(refused)
            })?;
            responses.any_member(&key).extend_from_slice(answer.as_str().as_bytes());
        }
        responses.end();
        if let Some(state) = state {
            object.raw("requestState", state.get());
        }
        object.end();
        Ok(text(out))
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient").finish_non_exhaustive()
    }
}

fn array(list: Option<Raw<'_>>) -> Result<Vec<Raw<'_>>> {
    let list = list.ok_or_else(|| odd("no list"))?;
    let elements = elements(list, usize::MAX).filter(|_| is_array(list));
    elements.ok_or_else(|| odd("something that is not an array"))
}

fn text(params: Vec<u8>) -> String {
    String::from_utf8(params).expect("escaped text stays text")
}

fn uri_params(uri: &str) -> String {
    let mut params = Vec::new();
    let mut object = Object::begin(&mut params);
    object.string("uri", uri);
    object.end();
    text(params)
}

fn named_params(name: &str, arguments: &str) -> String {
    let mut params = Vec::new();
    let mut object = Object::begin(&mut params);
    object.string("name", name).raw("arguments", arguments);
    object.end();
    text(params)
}

fn resource(item: Raw<'_>) -> Result<Resource> {
    let [uri, size] = pick(item, &["uri", "size"])?;
    let uri = uri.and_then(string).ok_or_else(|| odd("a resource without a URI"))?;
    let mut resource = Resource::new(uri);
    describe(item, &mut resource.descriptor)?;
    resource.descriptor.size = size.and_then(|size| size.get().parse().ok());
    Ok(resource)
}

fn template(item: Raw<'_>) -> Result<Template> {
    let [uri_template] = pick(item, &["uriTemplate"])?;
    let uri_template = uri_template.and_then(string).ok_or_else(|| odd("a template without its text"))?;
    let mut template = Template::new(uri_template);
    describe(item, &mut template.descriptor)?;
    Ok(template)
}

fn describe(item: Raw<'_>, descriptor: &mut Descriptor) -> Result<()> {
    let [name, title, description, mime_type] = pick(item, &["name", "title", "description", "mimeType"])?;
    let text = |value: Option<Raw<'_>>| value.and_then(string).map(std::borrow::Cow::into_owned);
    descriptor.name = text(name);
    descriptor.title = text(title);
    descriptor.description = text(description);
    descriptor.mime_type = text(mime_type);
    Ok(())
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
