//! The application of a script: the catalogue and what the script does to the server, with the public API.

use crate::answers::{
    Callbacks, FAILURE, Held, Shared, State, answer, completion, hint, item, items_of, resource, template,
};
use crate::http::options::verification;
use crate::methods::{method_answer, object};
use crate::script::same;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use wellhead::{
    Answer, AroundCall, AuthorizeCall, Body, Builder, Caller, Connection, Contents, DrainStart, Event, Icon,
    InterestCall, Limits, Method, MethodAnswer, MethodCall, Next, Outcome, Page, Provider, Route, Server,
    Template, TemplateValue, ToolLimits, Verdict,
};

pub(crate) struct Host {
    server: Server,
    state: Shared,
}

impl Host {
    pub(crate) fn new(options: &Value) -> Host {
        Host::make(options).expect("the options of a script are valid")
    }

    fn make(options: &Value) -> wellhead::Result<Host> {
        let state = Shared(Arc::new(Mutex::new(State::default())));
        let text = |name: &str| options[name].as_str();
        let key = text("key").map_or_else(|| vec![7; 32], unhex);
        let mut builder =
            Server::builder(text("name").unwrap_or("s"), text("version").unwrap_or("1")).cursor_key(key);
        if let Some(title) = text("title") {
            builder = builder.title(title);
        }
        if let Some(instructions) = text("instructions") {
            builder = builder.instructions(instructions);
        }
        if let Some(description) = text("description") {
            builder = builder.description(description);
        }
        if let Some(url) = text("website_url") {
            builder = builder.website_url(url);
        }
        if options["icons"].is_array() {
            let icons = Icon::list_from_json(&options["icons"].to_string()).expect("icons");
            builder = icons.into_iter().fold(builder, Builder::icon);
        }
        for (kind, notification) in options["list_changed_methods"].as_object().into_iter().flatten() {
            builder = builder.list_changed_method(kind, text_of(notification));
        }
        if let Some(origin) = text("instance_name") {
            builder = builder.instance_name(origin);
        }
        for (name, capability) in options["capabilities"].as_object().into_iter().flatten() {
            builder = builder.capability(name, object(capability));
        }
        let lines = state.clone();
        let server = chosen(builder, options)
            .subscribe(options["subscribe"] != false)
            .list_changed(options["list_changed"] != false)
            .limits(limits(&options["limits"]))
            .on_log(move |_, line| lines.locked(|s| s.lines.push(line.to_owned())))
            .build()?;
        if text("instance_name").is_some() {
            let events = state.clone();
            let publish = move |event: &str| events.locked(|s| s.published.push(event.to_owned()));
            server.on_publish(publish)?;
        }
        Ok(Host { server, state })
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn state(&self) -> &Shared {
        &self.state
    }

    /// Returns whether what a step is about is there: a call that it names, or what it compares with. Callbacks on other threads
    /// may still be on their way.
    pub(crate) fn is_ready_for(&self, step: &Value) -> bool {
        let named = ["finish", "progress", "close_event_stream", "notify", "held", "on_cancel"]
            .iter()
            .find_map(|verb| step[*verb].as_str());
        if let Some(name) = named {
            self.state.locked(|s| s.held(name).is_some())
        } else if let Some(name) = step["cancelled"].as_str() {
            self.state.is_cancelled(name) == Ok(step["is"] == true)
        } else if let Some(calls) = step["calls"].as_array() {
            self.state.locked(|s| s.calls.len() >= calls.len())
        } else if let Some(wanted) = step["log"].as_str() {
            self.state.locked(|s| s.lines.iter().any(|line| line.contains(wanted)))
        } else {
            true
        }
    }

    pub(crate) fn connect(&self, caller: Caller) -> Client {
        Client { connection: self.server.connect(caller), unread: Vec::new() }
    }

    /// Registers a catalogue entry.
    pub(crate) fn add(&self, entry: &Value) -> Result<(), String> {
        self.register(entry).map_err(|e| e.to_string())
    }

    fn register(&self, entry: &Value) -> wellhead::Result<()> {
        let server = &self.server;
        let state = self.state.clone();
        if let Some(uri) = entry["text"].as_str() {
            let body = entry["body"].as_str().expect("a text has a body");
            server.text(resource(uri, entry)?, body).map(drop)
        } else if let Some(uri) = entry["app"].as_str() {
            let (resource, ui) = (resource(uri, entry)?, object(&entry["ui"]));
            if let Some(body) = entry["body"].as_str() {
                return server.app(resource, &ui, body).map(drop);
            }
            let read = entry["read"].clone();
            server.app_with_reader(resource, &ui, move |call| state.read_later(&call, &read)).map(drop)
        } else if let Some(uri) = entry["blob"].as_str() {
            server.blob(resource(uri, entry)?, bytes(&entry["base64"])).map(drop)
        } else if let Some(uri) = entry["resource"].as_str() {
            let (resource, read) = (resource(uri, entry)?, entry["read"].clone());
            if entry.get("exists").is_some() {
                server.add_resource(resource, Some(self.provider(&read, None, entry))).map(drop)
            } else if answers_later(&read) {
                server.resource(resource, move |call| state.read_later(&call, &read)).map(drop)
            } else {
                server.resource(resource, move |call| state.read_now(&call, &read)).map(drop)
            }
        } else if let Some(text) = entry["template"].as_str() {
            self.register_template(text, entry)
        } else if let Some(pages) = entry.get("pages") {
            let (name, pages) = (entry["list"].as_str().map(str::to_owned), pages.clone());
            let shown = name.clone().unwrap_or_else(|| "-".to_owned());
            state.set_items(&shown, &pages);
            match name {
                Some(name) if entry["of"] == "skills" => {
                    server.skill_list(name, move |call| state.list_now(&call, &shown, &pages)).map(drop)
                }
                None if entry["of"] == "skills" => {
                    let list = Some((shown, pages));
                    server.add_skill_list(None, Some(self.provider(&Value::Null, list, entry))).map(drop)
                }
                Some(name) if answers_later(&pages) => {
                    server.list(name, move |call| state.list_later(&call, &shown, &pages)).map(drop)
                }
                Some(name) => server.list(name, move |call| state.list_now(&call, &shown, &pages)).map(drop),
                None => {
                    // Two unnamed sources have one name in the script, so their items stay their own.
                    let list = Some((shown, pages));
                    server.add_list(None, Some(self.provider(&Value::Null, list, entry))).map(drop)
                }
            }
        } else if let Some(files) = entry["skills"].as_object() {
            #[cfg(feature = "skills")]
            return self.register_skills(files, entry["prefix"].as_str());
            #[cfg(not(feature = "skills"))]
            panic!("{} skills need their feature", files.len())
        } else if let Some(read) = entry.get("fallback").cloned() {
            if entry.get("exists").is_some() {
                server.set_fallback(Some(self.provider(&read, None, entry))).map(drop)
            } else if answers_later(&read) {
                server.fallback(move |call| state.read_later(&call, &read))
            } else {
                server.fallback(move |call| state.read_now(&call, &read))
            }
        } else {
            self.register_callback(entry)
        }
    }

    #[cfg(feature = "skills")]
    /// Writes the files of skills into a folder, and serves it.
    fn register_skills(
        &self,
        files: &serde_json::Map<String, Value>,
        prefix: Option<&str>,
    ) -> wellhead::Result<()> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("it is in the folder"))
                .expect("folders can be made");
            std::fs::write(path, text_of(text)).expect("files can be written");
        }
        let mut skills = wellhead::Skills::new(folder.path());
        if let Some(prefix) = prefix {
            skills = skills.prefix(prefix);
        }
        self.state.locked(|s| s.folders.push(folder));
        self.server.skills(skills).map(drop)
    }

    /// All callbacks of an entry in one.
    fn provider(&self, read: &Value, list: Option<(String, Value)>, entry: &Value) -> Arc<dyn Provider> {
        let (state, read) = (self.state.clone(), read.clone());
        let (complete, exists) = (entry["complete"].clone(), entry["exists"].clone());
        Arc::new(Callbacks { state, read, list, complete, exists })
    }

    /// Registers a callback that serves no resource of its own.
    fn register_callback(&self, entry: &Value) -> wellhead::Result<()> {
        let (server, state) = (&self.server, self.state.clone());
        for (family, named) in [("tool", &entry["tool"]), ("prompt", &entry["prompt"])] {
            let Some(name) = named.as_str() else { continue };
            let (members, answer) = (object(&entry["members"]), entry["answer"].clone());
            let handler = move |call: MethodCall| state.answer_method(&call, &answer);
            if family == "tool" {
                return server.tool(name, &members, handler).map(drop);
            }
            server.prompt(name, &members, handler)?;
            for (argument, values) in entry["complete"].as_object().into_iter().flatten() {
                let (state, values) = (self.state.clone(), values.clone());
                server.complete_prompt(name, argument, move |call| state.complete_now(&call, &values))?;
            }
            return Ok(());
        }
        if entry.get("search").is_some() {
            let answer = entry["answer"].clone();
            return server.resource_search(move |call| state.answer_method(&call, &answer));
        }
        if let Some(name) = entry["method"].as_str() {
            let mut method = Method::new(name);
            if let Some(dates) = entry["revisions"].as_array() {
                method = method.revisions(dates.iter().map(text_of));
            }
            let answer = entry["answer"].clone();
            server.method(method, move |call| state.answer_method(&call, &answer)).map(drop)
        } else if let Some(name) = entry["around"].as_str() {
            let (name, rule) = (name.to_owned(), entry.clone());
            server.around(move |call, next| around(&state, &name, &rule, &call, next))
        } else if let Some(rule) = entry.get("authorize").cloned() {
            if rule.get("hold").is_some() {
                server.authorize(move |call: AuthorizeCall| {
                    let (deferred, responder) = call.defer();
                    state.note_question(&call, &rule);
                    state.hold(&text_of(&rule["hold"]), Held::Question(responder));
                    deferred
                })
            } else {
                server.authorize(move |call: AuthorizeCall| -> Vec<Verdict> {
                    state.note_question(&call, &rule);
                    call.targets().map(|uri| verdict(&rule, uri)).collect()
                })
            }
        } else if let Some(rule) = entry.get("interest").cloned() {
            if rule.get("hold").is_some() {
                server.on_interest(move |call: InterestCall| {
                    let (deferred, responder) = call.defer();
                    state.note_interest(&call);
                    state.hold(&text_of(&rule["hold"]), Held::Interest(responder));
                    deferred
                })
            } else {
                server.on_interest(move |call: InterestCall| {
                    state.note_interest(&call);
                    if rule["fail"] == true { Err(FAILURE) } else { Ok(()) }
                })
            }
        } else {
            panic!("no catalogue entry: {entry}")
        }
    }

    fn register_template(&self, text: &str, entry: &Value) -> wellhead::Result<()> {
        let server = &self.server;
        let state = self.state.clone();
        let (mut template, read) = (template(text, entry)?, entry["read"].clone());
        let list = entry.get("list").map(|list| (text.to_owned(), list.clone()));
        let completed = entry["complete"].as_object();
        if let Some((name, list)) = &list {
            state.set_items(name, list);
        }
        // A provider where both are given, or what only that can do; closures otherwise.
        if list.is_some() && completed.is_some() || entry.get("exists").is_some() {
            for variable in completed.into_iter().flat_map(|completed| completed.keys()) {
                template = template.completes(variable);
            }
            let lists = list.is_some();
            return server.add_template(template, Some(self.provider(&read, list, entry)), lists).map(drop);
        }
        if let Some((name, pages)) = list {
            let state = state.clone();
            template = if answers_later(&pages) {
                template.list(move |call| state.list_later(&call, &name, &pages))
            } else {
                template.list(move |call| state.list_now(&call, &name, &pages))
            };
        }
        for (variable, values) in completed.into_iter().flatten() {
            let (state, values) = (state.clone(), values.clone());
            template = if answers_later(&values) {
                template.complete(variable, move |call| state.complete_later(&call, &values))
            } else {
                template.complete(variable, move |call| state.complete_now(&call, &values))
            };
        }
        if answers_later(&read) {
            server.template(template, move |call| state.read_later(&call, &read)).map(drop)
        } else {
            server.template(template, move |call| state.read_now(&call, &read)).map(drop)
        }
    }

    fn say_in_session(&self, name: &str, step: &Value) -> Result<(), String> {
        let (sent, closed) = self.state.say_in_session(name, step);
        if step["closed"].is_boolean() {
            same("closed", &step["closed"], &closed.into())?;
        }
        was_sent(step, sent)
    }

    /// Removes a registration if the step says so.
    fn remove(&self, step: &Value) -> Option<wellhead::Result<()>> {
        let (verb, name) = step.as_object()?.iter().find(|(verb, _)| verb.starts_with("remove_"))?;
        let name = name.as_str()?;
        Some(match verb.as_str() {
            "remove_resource" => self.server.remove_resource(name).map(drop),
            "remove_list" => self.server.remove_list(name).map(drop),
            "remove_method" => self.server.remove_method(name).map(drop),
            "remove_tool" => self.server.remove_tool(name).map(drop),
            "remove_prompt" => self.server.remove_prompt(name).map(drop),
            _ => return None,
        })
    }

    /// Carries out a step that concerns the server or its callbacks.
    pub(crate) fn act(&self, step: &Value) -> Result<(), String> {
        let text = |name: &str| step[name].as_str();
        if let Some(name) = text("finish") {
            self.finish(name, &step["with"])
        } else if let Some(name) = text("progress") {
            self.state.report(name, &step["report"])
        } else if let Some(name) = text("close_event_stream") {
            let retry_ms = step["retry_ms"].as_u64().ok_or("close_event_stream lacks retry_ms")?;
            same("closed", &(step["is"] == true), &self.state.close_event_stream(name, retry_ms)?)
        } else if let Some(name) = text("cancelled") {
            same("cancelled", &(step["is"] == true), &self.state.is_cancelled(name)?)
        } else if let Some(name) = text("on_cancel") {
            self.state.on_cancel(name)
        } else if let Some(uri) = text("set") {
            let body = text("text").map_or_else(|| Body::from(bytes(&step["base64"])), Body::from);
            match text("version") {
                Some(version) => outcome(step, &self.server.set(uri, Contents::new(body).version(version))),
                None => outcome(step, &self.server.set(uri, body)),
            }
        } else if let Some(removed) = self.remove(step) {
            outcome(step, &removed)
        } else if let Some(entry) = step.get("add") {
            outcome(step, &self.register(entry))
        } else if let Some(uri) = text("update") {
            let updated = match (text("below"), step.get("as")) {
                (Some(parent), _) => self.server.notify_sub_resource_updated(uri, parent),
                (None, Some(said)) => {
                    resource(uri, said).and_then(|r| self.server.notify_updated_with_resource(r))
                }
                (None, None) => self.server.notify_updated(uri),
            };
            outcome(step, &updated)
        } else if let Some(name) = text("notify") {
            was_sent(step, self.state.notify(name, step)?)
        } else if let Some(name) = text("session_notify").or_else(|| text("session_log")) {
            self.say_in_session(name, step)
        } else if let Some(name) = text("enable_tool") {
            outcome(step, &self.server.enable_tool(name))
        } else if let Some(name) = text("enable_prompt") {
            outcome(step, &self.server.enable_prompt(name))
        } else if let Some(name) = text("disable_tool") {
            outcome(step, &self.server.disable_tool(name))
        } else if let Some(name) = text("disable_prompt") {
            outcome(step, &self.server.disable_prompt(name))
        } else if let Some(name) = text("update_tool") {
            outcome(step, &self.server.update_tool(name, &object(&step["members"])))
        } else if let Some(name) = text("limit_tool") {
            outcome(step, &self.server.limit_tool(name, tool_limits(&step["limits"])))
        } else if let Some(name) = text("update_prompt") {
            outcome(step, &self.server.update_prompt(name, &object(&step["members"])))
        } else if let Some(expected) = step["published"].as_array() {
            let expected: Vec<_> = expected.iter().map(Value::to_string).collect();
            same("published", &expected, &self.state.locked(|s| std::mem::take(&mut s.published)))
        } else if let Some(event) = step.get("inject") {
            let event = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
            match self.server.inject(&event) {
                Ok(taken) if step.get("is").is_some() => same("is", &step["is"], &taken.into()),
                other => outcome(step, &other.map(drop)),
            }
        } else if let Some(kind) = text("notify_list_changed") {
            outcome(step, &self.server.notify_list_changed(kind))
        } else if let Some(uri) = text("explain") {
            same("explain", &step["is"].to_string(), &self.server.explain(uri).to_json())
        } else if let Some(template) = text("expand") {
            let values = step["values"].as_object().into_iter().flatten();
            let expanded =
                Template::new(template).expand(values.map(|(name, value)| (name, value_of(value))));
            if let (Some(uri), Ok(expanded)) = (text("is"), &expanded) {
                return same("expand", &uri, &expanded.as_str());
            }
            outcome(step, &expanded.map(drop))
        } else if let Some(options) = step.get("make") {
            outcome(step, &Host::make(options).map(drop))
        } else if let Some(id) = text("access_changed") {
            outcome(step, &self.server.access_changed(id.as_bytes()))
        } else if step["list_changed"] == true {
            outcome(step, &self.server.notify_resource_list_changed())
        } else if let Some(name) = text("listing") {
            self.state.set_items(name, step);
            Ok(())
        } else if step["shutdown"] == true {
            self.server.close();
            Ok(())
        } else if let Some(expected) = step["calls"].as_array() {
            let expected: Vec<_> = expected.iter().map(text_of).collect();
            let calls = self.state.locked(|s| std::mem::take(&mut s.calls));
            same("calls", &expected, &calls)
        } else if let Some(wanted) = text("log") {
            let lines = self.state.locked(|s| std::mem::take(&mut s.lines));
            if lines.iter().any(|line| line.contains(wanted)) {
                Ok(())
            } else {
                Err(format!("no log line contains {wanted:?}: {lines:?}"))
            }
        } else {
            Err("no such step".to_owned())
        }
    }

    fn finish(&self, name: &str, with: &Value) -> Result<(), String> {
        let held = self.state.take_held(name)?;
        // Whether anyone still wanted the answer is no concern of a script.
        let _ = match held {
            held if with == "drop" => {
                drop(held);
                false
            }
            Held::Read(responder) => responder.finish(answer(with, &|text| text.to_owned())),
            Held::List(responder) if with == "fail" => responder.finish(Page::failed(FAILURE)),
            Held::List(responder) => {
                let items = items_of(with).iter().map(item).collect::<Vec<_>>();
                responder.finish(Page::new(items).more(with["more"] == true))
            }
            Held::Question(responder) if with == "fail" => {
                responder.fail(FAILURE);
                false
            }
            Held::Completion(responder) => responder.finish(completion(with)),
            Held::Question(responder) => {
                let verdicts = with["verdicts"].as_array().ok_or("a question is finished with verdicts")?;
                responder.finish(verdicts.iter().map(|v| word(&text_of(v))).collect::<Vec<_>>())
            }
            Held::Method(responder) => responder.finish(method_answer(with)),
            Held::Token(responder) => responder.finish(verification(with)),
            Held::Interest(responder) => {
                responder.finish(if with["ok"] == true { Ok(()) } else { Err(FAILURE) })
            }
        };
        Ok(())
    }
}

/// One connection, and the bytes that it has not accepted yet.
pub(crate) struct Client {
    connection: Connection,
    unread: Vec<u8>,
}

impl Client {
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
        self.offer();
    }

    fn offer(&mut self) -> bool {
        let accepted = self.connection.receive(&self.unread);
        self.unread.drain(..accepted);
        accepted > 0
    }

    /// Runs the callbacks of all events. Whether there was anything to do.
    pub(crate) fn poll(&mut self) -> bool {
        let mut any = false;
        while let Some(event) = self.connection.poll_event() {
            any = true;
            Event::run(event);
        }
        any | (!self.unread.is_empty() && self.offer())
    }

    /// Takes all output, at most `max` bytes at a time. Whether there was any.
    pub(crate) fn drain(&mut self, max: usize, output: &mut Vec<u8>) -> bool {
        let before = output.len();
        loop {
            let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) else { break };
            // One piece a drain where bytes go one at a time, so that half-written messages are parked as well.
            let pieces = if max == 1 { 1 } else { usize::MAX };
            for _ in 0..pieces {
                let Some(transmit) = drain.poll_transmit(max) else { break };
                let taken = transmit.bytes.len().min(max);
                output.extend_from_slice(&transmit.bytes[..taken]);
                drain.wrote(taken);
            }
        }
        output.len() > before
    }

    pub(crate) fn end(&self) {
        self.connection.end();
    }

    pub(crate) fn close(&self) {
        self.connection.close();
    }

    pub(crate) fn tick(&self, now: u64) {
        self.connection.tick(now);
    }

    pub(crate) fn finished(&self) -> bool {
        self.connection.is_finished()
    }
}

/// Compares what sending something said.
fn was_sent(step: &Value, sent: wellhead::Result<bool>) -> Result<(), String> {
    match sent {
        Ok(sent) if step.get("sent").is_some() => same("sent", &step["sent"], &sent.into()),
        other => outcome(step, &other.map(drop)),
    }
}

fn outcome(step: &Value, result: &wellhead::Result<()>) -> Result<(), String> {
    let got = result.as_ref().err().map(|e| e.kind().code());
    let shown = || result.as_ref().err().map_or_else(|| "success".to_owned(), ToString::to_string);
    if got == step["error"].as_str() { Ok(()) } else { Err(format!("got {}", shown())) }
}

/// The seam of an entry.
fn around(state: &Shared, name: &str, rule: &Value, call: &AroundCall, mut next: Next) {
    let subject = call.name().or(call.uri()).unwrap_or(call.method()).to_owned();
    let header =
        rule["header"].as_str().map_or_else(String::new, |h| format!(" {}", call.header(h).unwrap_or("-")));
    state.note(format!("around {name} {} {subject}{header}", call.method()));
    let fails = rule["fail"][&subject].as_str().map(str::to_owned);
    if fails.as_deref() == Some("before") {
        std::panic::resume_unwind(Box::new(FAILURE)); // a panic that the hook does not report
    }
    if let Some(with) = rule["refuse"].get(&subject) {
        return if call.uri().is_some() {
            next.answer_instead(answer(with, &|text| text.to_owned()));
        } else {
            next.answer_instead(method_answer(with));
        };
    }
    if let Some(changed) = rule["arguments"].get(&subject)
        && let Err(e) = next.set_arguments(&object(changed))
    {
        state.note(format!("after {name}"));
        return next.answer_instead(MethodAnswer::failed(e.to_string()));
    }
    let (state, name) = (state.clone(), name.to_owned());
    let append = rule["append"].as_str().map(str::to_owned);
    next.run(move |outcome| {
        state.note(format!("after {name}"));
        if fails.is_some() {
            std::panic::resume_unwind(Box::new(FAILURE));
        }
        match append {
            Some(append) => appended(outcome, &append),
            None => outcome,
        }
    });
}

/// The outcome with a text behind that of its first content.
fn appended(outcome: Outcome, more: &str) -> Outcome {
    match outcome {
        Outcome::Read(Answer::Found(all)) => {
            let longer = |contents: Contents| match contents.text().map(|text| format!("{text}{more}")) {
                Some(text) => contents.body(text),
                None => contents,
            };
            Answer::from(all.into_iter().map(longer).collect::<Vec<_>>()).into()
        }
        Outcome::Method(MethodAnswer::Result(json)) => {
            let mut result: Value = serde_json::from_str(json.as_str()).expect("a result is JSON");
            if let Some(text) = result["content"][0]["text"].as_str() {
                result["content"][0]["text"] = format!("{text}{more}").into();
            }
            MethodAnswer::Result(object(&result)).into()
        }
        other => other,
    }
}

/// The options that are words.
fn chosen(mut builder: Builder, options: &Value) -> Builder {
    const VALID: &str = "the word is one of the option's";
    let text = |value: &Value| value.as_str().expect("an option is a word").to_owned();
    for (name, value) in options.as_object().into_iter().flatten() {
        builder = match name.as_str() {
            "revisions" => {
                builder.revisions(value.as_array().expect("revisions are a list").iter().map(text))
            }
            "error_profile" => builder.error_profile(text(value).parse().expect(VALID)),
            "rpc_codes" => codes(value).into_iter().fold(builder, |builder, (version, condition, code)| {
                builder.rpc_code(version, condition.parse().expect(VALID), code)
            }),
            "denied_resources" => builder.denied_resources(text(value).parse().expect(VALID)),
            "app_only_tools" => builder.app_only_tools(text(value).parse().expect(VALID)),
            "undeclared_lists" => builder.undeclared_lists(text(value).parse().expect(VALID)),
            "titles_in_contents" => builder.titles_in_contents(text(value).parse().expect(VALID)),
            "omit_newer_fields" => builder.omit_newer_fields(value == true),
            "handshake_extensions" => builder.handshake_extensions(value == true),
            "extensions" => value
                .as_object()
                .into_iter()
                .flatten()
                .fold(builder, |builder, (id, settings)| builder.extension(id, object(settings))),
            "result_type_extensions" => value
                .as_object()
                .into_iter()
                .flatten()
                .fold(builder, |builder, (kind, id)| builder.result_type_extension(kind, text(id))),
            "resources_as_tools" => builder.resources_as_tools(value == true),
            "subscribe_unknown" => builder.subscribe_unknown(text(value).parse().expect(VALID)),
            "cache" => builder.cache(hint(value)),
            "cache_of" => value.as_object().into_iter().flatten().fold(builder, |builder, (kind, value)| {
                builder.cache_of(kind.parse().expect(VALID), hint(value))
            }),
            "dialect" => builder.dialect(text(value).parse().expect(VALID)),
            "unknown_tool" => builder.unknown_tool(text(value).parse().expect(VALID)),
            "invalid_arguments" => builder.invalid_arguments(text(value).parse().expect(VALID)),
            "tool_errors" => builder.tool_errors(text(value).parse().expect(VALID)),
            "check_output" => builder.check_output(text(value).parse().expect(VALID)),
            _ => builder,
        };
    }
    builder
}

/// Version, condition and code.
fn codes(value: &Value) -> Vec<(&str, &str, i32)> {
    let mut codes = Vec::new();
    for (version, conditions) in value.as_object().into_iter().flatten() {
        for (condition, code) in conditions.as_object().into_iter().flatten() {
            let code = i32::try_from(code.as_i64().expect("a code is a number")).expect("a code fits");
            codes.push((version.as_str(), condition.as_str(), code));
        }
    }
    codes
}

fn limits(values: &Value) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in values.as_object().into_iter().flatten() {
        let value = value.as_u64().expect("a limit is a number");
        let size = usize::try_from(value).expect("a limit fits");
        match name.as_str() {
            "message_bytes" => limits.message_bytes = size,
            "nesting" => limits.nesting = size,
            "id_bytes" => limits.id_bytes = size,
            "batch_length" => limits.batch_length = size,
            "uri_bytes" => limits.uri_bytes = size,
            "page_items" => limits.page_items = size,
            "page_bytes" => limits.page_bytes = size,
            "calls_in_flight" => limits.calls_in_flight = size,
            "subscriptions" => limits.subscriptions = size,
            "subscriptions_total" => limits.subscriptions_total = size,
            "listen_streams" => limits.listen_streams = size,
            "output_bytes" => limits.output_bytes = size,
            "call_ms" => limits.call_ms = value,
            "buffer_bytes" => limits.buffer_bytes = size,
            "caller_percent" => limits.caller_percent = size,
            "session_streams" => limits.session_streams = size,
            other => panic!("no such limit: {other}"),
        }
    }
    limits
}

/// Returns whether the callback needs its responder beyond its return.
fn answers_later(answer: &Value) -> bool {
    match answer {
        Value::String(word) => word == "none",
        Value::Object(members) => members.contains_key("hold") || members.values().any(answers_later),
        Value::Array(items) => items.iter().any(answers_later),
        _ => false,
    }
}

fn verdict(rule: &Value, uri: &str) -> Verdict {
    let lists =
        |name: &str| rule[name].as_array().is_some_and(|uris| uris.iter().any(|listed| listed == uri));
    if lists("deny") {
        Verdict::Deny
    } else if lists("hide") {
        Verdict::Hide
    } else {
        Verdict::Allow
    }
}

fn word(verdict: &str) -> Verdict {
    match verdict {
        "allow" => Verdict::Allow,
        "deny" => Verdict::Deny,
        "hide" => Verdict::Hide,
        other => panic!("no such verdict: {other}"),
    }
}

/// The value of a template's variable, as text.
fn value_of(value: &Value) -> TemplateValue {
    match value {
        Value::Array(list) => list.iter().map(text_of).collect::<Vec<_>>().into(),
        Value::Object(pairs) => {
            pairs.iter().map(|(name, value)| (name.clone(), text_of(value))).collect::<Vec<_>>().into()
        }
        text => text_of(text).into(),
    }
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

pub(crate) fn texts(values: &Value) -> Vec<String> {
    values.as_array().into_iter().flatten().map(text_of).collect()
}

pub(crate) fn bytes(base64: &Value) -> Vec<u8> {
    STANDARD.decode(text_of(base64)).expect("base64 of a script is valid")
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("a hex key"))
        .collect()
}

fn tool_limits(given: &Value) -> ToolLimits {
    let limit = |name: &str| given[name].as_u64();
    let mut limits = ToolLimits::default();
    limits.calls_in_flight = limit("calls_in_flight").map(|most| most as usize);
    limits.caller_calls_in_flight = limit("caller_calls_in_flight").map(|most| most as usize);
    limits.caller_calls_per_minute = limit("caller_calls_per_minute").map(|most| most as usize);
    limits.call_ms = limit("call_ms");
    limits
}
