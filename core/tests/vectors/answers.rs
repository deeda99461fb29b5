//! The callbacks of a script: their answers, and their memory.

use crate::host::{bytes, text_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wellhead::http::Verification;
use wellhead::{
    Annotations, Answer, AuthorizeCall, CacheHint, Call, CompleteCall, Completion, Contents, Deferred, Icon,
    InterestAnswer, InterestCall, Json, ListCall, MethodAnswer, Page, Provider, Resource, Responder,
    Template, Verdict,
};

/// The error text of a callback that fails.
pub(crate) const FAILURE: &str = "the callback failed";

#[derive(Default)]
pub(crate) struct State {
    pub(crate) calls: Vec<String>,
    pub(crate) lines: Vec<String>,
    /// Changes handed over to be carried to other instances.
    pub(crate) published: Vec<String>,
    /// The folders that entries made.
    pub(crate) folders: Vec<tempfile::TempDir>,
    /// The sessions that an answer kept, by name.
    pub(crate) sessions: BTreeMap<String, wellhead::Session>,
    held: BTreeMap<String, Held>,
    /// Items of each list source, and of each template's list, by name.
    listings: BTreeMap<String, Vec<Value>>,
}

/// An answer that a `finish` step gives.
pub(crate) enum Held {
    Read(Responder<Answer>),
    List(Responder<Page>),
    Completion(Responder<Completion>),
    Question(Responder<Vec<Verdict>>),
    Interest(Responder<InterestAnswer>),
    Method(Responder<MethodAnswer>),
    Token(Responder<Verification>),
}

impl State {
    pub(crate) fn held(&self, name: &str) -> Option<&Held> {
        self.held.get(name)
    }
}

#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Mutex<State>>);

impl Shared {
    pub(crate) fn locked<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        f(&mut self.0.lock().expect("no callback panics while it holds the lock"))
    }

    pub(crate) fn note(&self, call: String) {
        self.locked(|s| s.calls.push(call));
    }

    pub(crate) fn hold(&self, name: &str, held: Held) {
        let before = self.locked(|s| s.held.insert(name.to_owned(), held));
        assert!(before.is_none(), "{name} is held already");
    }

    pub(crate) fn take_held(&self, name: &str) -> Result<Held, String> {
        self.locked(|s| s.held.remove(name)).ok_or_else(|| format!("nothing is held as {name}"))
    }

    pub(crate) fn report(&self, name: &str, report: &Value) -> Result<(), String> {
        let (progress, total, message) = report_of(report);
        self.locked(|s| {
            match s.held.get(name) {
                Some(Held::Read(responder)) => responder.progress(progress, total, message),
                Some(Held::List(responder)) => responder.progress(progress, total, message),
                Some(Held::Completion(responder)) => responder.progress(progress, total, message),
                Some(Held::Method(responder)) => responder.progress(progress, total, message),
                _ => return Err(format!("nothing that could report is held as {name}")),
            };
            Ok(())
        })
    }

    /// Lets go of the stream of a held call. Tells whether there was one.
    pub(crate) fn close_event_stream(&self, name: &str, retry_ms: u64) -> Result<bool, String> {
        self.locked(|s| match s.held.get(name) {
            Some(Held::Read(responder)) => Ok(responder.close_event_stream(retry_ms)),
            Some(Held::List(responder)) => Ok(responder.close_event_stream(retry_ms)),
            Some(Held::Completion(responder)) => Ok(responder.close_event_stream(retry_ms)),
            Some(Held::Question(responder)) => Ok(responder.close_event_stream(retry_ms)),
            Some(Held::Method(responder)) => Ok(responder.close_event_stream(retry_ms)),
            _ => Err(format!("no call is held as {name}")),
        })
    }

    pub(crate) fn is_cancelled(&self, name: &str) -> Result<bool, String> {
        self.locked(|s| match s.held.get(name) {
            Some(Held::Read(responder)) => Ok(responder.is_cancelled()),
            Some(Held::List(responder)) => Ok(responder.is_cancelled()),
            Some(Held::Completion(responder)) => Ok(responder.is_cancelled()),
            Some(Held::Question(responder)) => Ok(responder.is_cancelled()),
            Some(Held::Interest(responder)) => Ok(responder.is_cancelled()),
            Some(Held::Method(responder)) => Ok(responder.is_cancelled()),
            Some(Held::Token(responder)) => Ok(responder.is_cancelled()),
            None => Err(format!("nothing is held as {name}")),
        })
    }

    /// Has a held call noted when it is cancelled.
    pub(crate) fn on_cancel(&self, name: &str) -> Result<(), String> {
        let held = self.take_held(name)?; // a hook that runs at once takes the lock of the state
        let (state, line) = (self.clone(), format!("cancelled {name}"));
        let hook = move || state.note(line);
        match &held {
            Held::Read(responder) => responder.on_cancel(hook),
            Held::List(responder) => responder.on_cancel(hook),
            Held::Completion(responder) => responder.on_cancel(hook),
            Held::Question(responder) => responder.on_cancel(hook),
            Held::Method(responder) => responder.on_cancel(hook),
            Held::Interest(_) | Held::Token(_) => return Err(format!("{name} has no hook")),
        }
        self.hold(name, held);
        Ok(())
    }

    /// Sets what a list answers from, if it answers from items.
    pub(crate) fn set_items(&self, name: &str, listing: &Value) {
        if listing.get("items").is_some() {
            self.locked(|s| s.listings.insert(name.to_owned(), items_of(listing)));
        }
    }

    pub(crate) fn note_question(&self, call: &AuthorizeCall, rule: &Value) {
        let uris: Vec<_> = call.targets().collect();
        let request = of_request(rule, |name| call.header(name), call.query());
        self.note(format!("authorize {} {}{request}", call.operation(), uris.join(",")));
    }

    pub(crate) fn note_interest(&self, call: &InterestCall) {
        self.note(format!("interest {} {}", call.uri(), call.wanted()));
    }

    fn note_read(&self, call: &Call) {
        let vars: Vec<_> =
            call.names().map(|name| format!("{name}={}", call.var(name).unwrap_or_default())).collect();
        let vars = vars.join(";");
        let known = call.if_version().map(|version| format!("if_version={version}"));
        let input = call.input_responses().map(|input| format!("input={input}"));
        let words = [
            Some(call.uri()),
            Some(&*vars).filter(|vars| !vars.is_empty()),
            known.as_deref(),
            input.as_deref(),
        ];
        self.note(words.into_iter().flatten().fold("read".to_owned(), |line, word| line + " " + word));
    }

    fn note_list(&self, call: &ListCall, name: &str, pages: &Value) {
        let filter = call.filter().map_or_else(String::new, |filter| format!(" filter={}", filter.as_str()));
        let uri = call.uri().map_or_else(String::new, |uri| format!(" uri={uri}"));
        let request = of_request(pages, |name| call.header(name), call.query());
        self.note(format!(
            "list {name} after={} limit={}{filter}{uri}{request}",
            call.after().unwrap_or("-"),
            call.limit()
        ));
    }

    /// A read callback that answers by what it returns.
    pub(crate) fn read_now(&self, call: &Call, read: &Value) -> Answer {
        self.note_read(call);
        if read.get("header").is_some() {
            return of_request(read, |name| call.header(name), call.query()).trim_start().to_owned().into();
        }
        if let Some(requests) = read["client_requests"].as_array() {
            let ask =
                |name: &str, method: &str, params: Option<&Json>| call.require_input(name, method, params);
            let then = self.answered_by_names(requests, read, ask);
            return then.map(|then| answer(then, &|text| filled(call, text))).into();
        }
        match asked_for_input(call, reported(call, chosen(call, read))) {
            Ok(read) => answer(read, &|text| filled(call, text)),
            Err(answer) => answer,
        }
    }

    /// A read callback that keeps its responder, for a moment or until a `finish` step.
    pub(crate) fn read_later(&self, call: &Call, read: &Value) -> Deferred {
        self.note_read(call);
        let (deferred, responder) = call.defer();
        let read = reported(call, chosen(call, read));
        if let Some(name) = read.get("hold") {
            self.hold(&filled(call, &text_of(name)), Held::Read(responder));
        } else if read == "none" {
            drop(responder);
        } else {
            responder.finish(answer(read, &|text| filled(call, text)));
        }
        deferred
    }

    pub(crate) fn list_now(&self, call: &ListCall, name: &str, pages: &Value) -> Page {
        self.note_list(call, name, pages);
        self.page(call, name, pages)
    }

    pub(crate) fn list_later(&self, call: &ListCall, name: &str, pages: &Value) -> Deferred {
        self.note_list(call, name, pages);
        let (deferred, responder) = call.defer();
        self.hold(&text_of(&pages["hold"]), Held::List(responder));
        deferred
    }

    fn note_complete(&self, call: &CompleteCall, values: &Value) {
        let others: Vec<_> = call.others().map(|(name, value)| format!("{name}={value}")).collect();
        let others = if others.is_empty() { String::new() } else { format!(" with {}", others.join(";")) };
        let (template, variable, value) = (call.uri_template(), call.variable(), call.value());
        let request = of_request(values, |name| call.header(name), call.query());
        self.note(format!("complete {template} {variable}={value}{others}{request}"));
    }

    pub(crate) fn complete_now(&self, call: &CompleteCall, values: &Value) -> Completion {
        self.note_complete(call, values);
        completion(values)
    }

    pub(crate) fn complete_later(&self, call: &CompleteCall, values: &Value) -> Deferred {
        self.note_complete(call, values);
        let (deferred, responder) = call.defer();
        self.hold(&text_of(&values["hold"]), Held::Completion(responder));
        deferred
    }

    fn page(&self, call: &ListCall, name: &str, pages: &Value) -> Page {
        if pages == "fail" {
            return Page::failed(FAILURE);
        }
        if pages["more_without_items"] == true {
            return Page::default().more(true);
        }
        let items = if name == "-" {
            items_of(pages)
        } else {
            self.locked(|s| s.listings.get(name).cloned().unwrap_or_default())
        };
        if let (Some(uri), Some(unlisted)) = (call.uri(), pages["unlisted"].as_array()) {
            let asked = |entry: &&Value| entry["uri"] == uri;
            return page_of(&items.iter().chain(unlisted).filter(asked).cloned().collect::<Vec<_>>());
        }
        let from = call.after().map_or(0, |after| {
            let at = items.iter().position(|item| key(item) == after);
            at.map_or_else(
                || items.iter().position(|item| key(item) > after).unwrap_or(items.len()),
                |at| at + 1,
            )
        });
        let rest = &items[from..];
        let limit = if pages["ignore_limit"] == true { rest.len() } else { call.limit().min(rest.len()) };
        page_of(&rest[..limit]).more(limit < rest.len())
    }
}

/// The callbacks of one registration.
pub(crate) struct Callbacks {
    pub(crate) state: Shared,
    pub(crate) read: Value,
    /// A name and a listing.
    pub(crate) list: Option<(String, Value)>,
    /// By variable.
    pub(crate) complete: Value,
    /// The URIs that may exist; null: any.
    pub(crate) exists: Value,
}

impl Provider for Callbacks {
    fn read(&self, call: Call) {
        let answer = self.state.read_now(&call, &self.read);
        call.into_responder().finish(answer);
    }

    fn list(&self, call: ListCall) {
        let (name, pages) = self.list.as_ref().expect("only what lists is asked to list");
        let page = self.state.list_now(&call, name, pages);
        call.into_responder().finish(page);
    }

    fn complete(&self, call: CompleteCall) {
        let values = self.state.complete_now(&call, &self.complete[call.variable()]);
        call.into_responder().finish(values);
    }

    fn exists(&self, uri: &str) -> bool {
        let Some(known) = self.exists.as_array() else { return true };
        self.state.note(format!("exists {uri}"));
        known.iter().any(|known| known == uri)
    }
}

/// The header field of the HTTP request that `with` names, and its query; nothing if it names none.
fn of_request<'a>(with: &Value, header: impl Fn(&str) -> Option<&'a str>, query: Option<&str>) -> String {
    with["header"]
        .as_str()
        .map_or_else(String::new, |name| format!(" {} {}", header(name).unwrap_or("-"), query.unwrap_or("-")))
}

/// The answer that the variables choose.
fn chosen<'a>(call: &Call, read: &'a Value) -> &'a Value {
    match read["by"].as_str() {
        Some(variable) => {
            let value = call.var(variable).unwrap_or_default();
            let found = read["cases"].get(value).or_else(|| read.get("else"));
            found.map_or(&Value::Null, |read| chosen(call, read))
        }
        None => read,
    }
}

/// Reports progress, if that comes first, and goes on to the answer.
fn reported<'a>(call: &Call, read: &'a Value) -> &'a Value {
    let Some(reports) = read["progress"].as_array() else { return read };
    for report in reports {
        let (progress, total, message) = report_of(report);
        call.progress(progress, total, message);
    }
    &read["then"]
}

/// Asks for input, if that comes first, or goes on to the answer.
fn asked_for_input<'a>(call: &Call, read: &'a Value) -> Result<&'a Value, Answer> {
    let then = read.get("then").unwrap_or(read);
    let has_input = call.input_responses().or(call.request_state()).is_some();
    let needs =
        |wanted: Value| Err(Answer::InputRequired(Json::parse(wanted.to_string()).expect("an object")));
    if let Some(state) = read["seal"].as_str() {
        let time = |name: &str| read[name].as_u64().expect("a time");
        return match call.open_state(time("now")) {
            _ if !has_input => needs(json!({ "requestState": call.seal_state(state, time("until")) })),
            Some(opened) if opened == state => Ok(then),
            _ => Err(Answer::InvalidState),
        };
    }
    Ok(if has_input { then } else { read })
}

pub(crate) fn report_of(report: &Value) -> (f64, Option<f64>, Option<&str>) {
    let progress = report["progress"].as_f64().expect("progress is a number");
    (progress, report["total"].as_f64(), report["message"].as_str())
}

fn filled(call: &Call, text: &str) -> String {
    call.names().fold(text.to_owned(), |text, name| {
        text.replace(&format!("{{{name}}}"), call.var(name).unwrap_or_default())
    })
}

/// An ANSWER of the README, its texts filled by `fill`.
pub(crate) fn answer(with: &Value, fill: &dyn Fn(&str) -> String) -> Answer {
    match with.as_str() {
        Some("not_found") => return Answer::NotFound,
        Some("denied") => return Answer::Denied,
        Some("not_modified") => return Answer::NotModified,
        Some("busy") => return Answer::Busy(None),
        Some("invalid_state") => return Answer::InvalidState,
        Some("fail") => return Err::<String, _>(FAILURE).into(),
        _ if with.is_null() => return None::<String>.into(),
        _ => {}
    }
    if let Some(wanted) = with.get("asks") {
        return Answer::InputRequired(Json::parse(wanted.to_string()).expect("what is needed is an object"));
    }
    if let Some(ms) = with["busy"].as_u64() {
        return Answer::Busy(Some(Duration::from_millis(ms)));
    }
    if let Some(parts) = with["parts"].as_array() {
        return parts.iter().map(|part| contents(part, fill)).collect::<Vec<_>>().into();
    }
    let times = || usize::try_from(with["times"].as_u64().expect("a number of times")).expect("fits");
    if let Some(unit) = with["repeat"].as_str() {
        return unit.repeat(times()).into();
    }
    if with.get("repeat_base64").is_some() {
        return bytes(&with["repeat_base64"]).repeat(times()).into();
    }
    contents(with, fill).into()
}

fn contents(part: &Value, fill: &dyn Fn(&str) -> String) -> Contents {
    let mut contents = match part["text"].as_str() {
        Some(text) => Contents::new(fill(text)),
        None => Contents::new(bytes(&part["base64"])),
    };
    if let Some(uri) = part["uri"].as_str() {
        contents = contents.uri(fill(uri));
    }
    if let Some(mime_type) = part["mime_type"].as_str() {
        contents = contents.mime_type(mime_type);
    }
    if let Some(meta) = part.get("meta") {
        contents = contents.meta(Json::parse(meta.to_string()).expect("_meta of a script is an object"));
    }
    if let Some(name) = part["name"].as_str() {
        contents = contents.name(name);
    }
    if let Some(title) = part["title"].as_str() {
        contents = contents.title(title);
    }
    if let Some(value) = part.get("cache") {
        contents = contents.cache(hint(value));
    }
    if let Some(kind) = part["kind"].as_str() {
        contents = contents.kind(kind);
    }
    if let Some(version) = part["version"].as_str() {
        contents = contents.version(fill(version));
    }
    if let Some(metadata) = part.get("metadata") {
        contents = contents.metadata(Json::parse(metadata.to_string()).expect("metadata is an object"));
    }
    contents
}

/// A HINT of the README.
pub(crate) fn hint(value: &Value) -> CacheHint {
    let mut hint = CacheHint::new();
    if let Some(ms) = value["ttl_ms"].as_u64() {
        hint = hint.ttl_ms(ms);
    }
    match value["scope"].as_str() {
        Some(scope) => hint.scope(scope.parse().expect("a scope is public or private")),
        None => hint,
    }
}

/// A COMPLETION of the README.
pub(crate) fn completion(with: &Value) -> Completion {
    if with == "fail" {
        return Err::<Completion, _>(FAILURE).into();
    }
    let mut completion: Completion = match with["count"].as_u64() {
        Some(count) => (0..count).map(|value| value.to_string()).collect::<Vec<_>>().into(),
        None => Completion::new(with["values"].as_array().into_iter().flatten().map(text_of)),
    };
    if let Some(total) = with["total"].as_u64() {
        completion = completion.total(total);
    }
    completion.more(with["more"] == true)
}

pub(crate) fn items_of(listing: &Value) -> Vec<Value> {
    listing["items"].as_array().cloned().unwrap_or_default()
}

fn key(item: &Value) -> &str {
    item["key"].as_str().or(item["uri"].as_str()).expect("an item has a URI")
}

/// A page of resources, or of skills.
fn page_of(items: &[Value]) -> Page {
    let (skills, resources): (Vec<_>, Vec<_>) =
        items.iter().partition(|one| one["frontmatter"] != Value::Null);
    let mut page = Page::new(resources.into_iter().map(item));
    for skill in skills {
        page.push_skill(&Json::parse(skill.to_string()).expect("it is an object"));
    }
    page
}

/// An item of a list.
pub(crate) fn item(item: &Value) -> Resource {
    let described = resource(item["uri"].as_str().expect("an item has a URI"), item);
    let described = described.expect("annotations, icons and _meta of a script's items are valid");
    match item["key"].as_str() {
        Some(key) => described.key(key),
        None => described,
    }
}

macro_rules! describe {
    ($described:expr, $entry:expr) => {{
        let mut described = $described;
        let text = |name: &str| $entry[name].as_str();
        if let Some(name) = text("name") {
            described = described.name(name);
        }
        if let Some(title) = text("title") {
            described = described.title(title);
        }
        if let Some(description) = text("description") {
            described = described.description(description);
        }
        if let Some(mime_type) = text("mime_type") {
            described = described.mime_type(mime_type);
        }
        if let Some(annotations) = $entry.get("annotations") {
            described = described.annotations(Annotations::from_json(&annotations.to_string())?);
        }
        if let Some(icons) = $entry.get("icons") {
            let icons = Icon::list_from_json(&icons.to_string())?;
            described = icons.into_iter().fold(described, |described, icon| described.icon(icon));
        }
        if let Some(meta) = $entry.get("meta") {
            described = described.meta(Json::parse(meta.to_string())?);
        }
        if let Some(kind) = text("kind") {
            described = described.kind(kind);
        }
        if let Some(value) = $entry.get("cache") {
            described = described.cache(hint(value));
        }
        if let Some(metadata) = $entry.get("metadata") {
            described = described.metadata(Json::parse(metadata.to_string())?);
        }
        described
    }};
}

pub(crate) fn resource(uri: &str, entry: &Value) -> wellhead::Result<Resource> {
    let mut described = describe!(Resource::new(uri), entry);
    if let Some(size) = entry["size"].as_u64() {
        described = described.size(size);
    }
    if let Some(version) = entry["version"].as_str() {
        described = described.version(version);
    }
    Ok(described)
}

pub(crate) fn template(text: &str, entry: &Value) -> wellhead::Result<Template> {
    Ok(describe!(Template::new(text), entry))
}
