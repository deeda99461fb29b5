//! Methods of the application: the notifications and requests that it sends while it works on one, and its answer.

use super::ConnectionState;
use crate::access::AccessCheck;
use crate::catalog::{Listing, MethodHandler, PromptArguments, is_notification};
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::event::{Continuation, Event, ResponseCall};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RpcError, for_each_member, is_null, is_object, members, string};
use crate::log::printable;
use crate::model::{ClientAnswer, ClientExtensions, Family, Json, MethodAnswer};
use crate::policy::InvalidArguments;
use crate::protocol::{
    AnswerForm, ApplicationCall, CallId, Context, Judged, LOG_LEVELS, MethodOutcome, NotSent, Request,
    unknown_name,
};
use crate::refusals::RefusalKind;
use crate::revision::{Era, Revision};
use crate::schema::check_elicitation;
use crate::session::{LOG_MESSAGE, Session};
use crate::wire;
use std::collections::BTreeSet;
use std::sync::Arc;

impl ConnectionState {
    pub(super) fn introduce(self: &Arc<Self>, request: &Request) {
        let own = request.context.revision;
        let agreed = || self.machine.with(|m, _| m.session_revision()).unwrap_or(own);
        let revision = if own.era == Era::Handshake { agreed() } else { own };
        let capabilities = self.server.catalog.with(|c, _| c.introduced_capabilities(revision));
        self.polled_step(|m, _| m.answer_introduction(request, &capabilities));
    }

    pub(super) fn further(self: &Arc<Self>, request: &Request, name: &str, params: Json) -> Option<Event> {
        let handler = self.server.catalog.with(|c, _| c.method(name, request.context.revision));
        if name == SET_LEVEL && request.context.revision.era == Era::Handshake && self.offers_logs() {
            let level = match text_param(&params, "level") {
                Ok(level) => level.as_deref().and_then(level_of),
                Err(fault) => return self.refuse(request, &fault),
            };
            let Some(level) = level else {
                return self.refuse(request, &wrong_param("level", "is no level from debug to emergency"));
            };
            self.machine.with(|m, _| m.set_log_level(level));
            if handler.is_none() {
                self.polled_step(|m, _| m.answer_level_set(request));
                return None;
            }
        }
        match handler.filter(|_| !is_notification(name)) {
            Some(handler) => self.call(request, handler, params),
            None => self.tools_or_prompts(request, name, params),
        }
    }

    /// Makes the event for a notification of the client that the application has a handler for.
    pub(super) fn notified(self: &Arc<Self>, request: &Request, name: &str, params: Json) -> Option<Event> {
        let handler = self.server.catalog.with(|c, _| c.method(name, request.context.revision));
        let Some(handler) = handler else {
            self.polled_step(|m, trash| m.drop_notification(request, trash));
            return None;
        };
        self.call(request, handler, params)
    }

    pub(super) fn call(
        self: &Arc<Self>,
        request: &Request,
        handler: Arc<MethodHandler>,
        params: Json,
    ) -> Option<Event> {
        let begun = self.polled_step(|m, trash| m.begin_method(request, handler, params, trash));
        let (application_call, context) = begun?;
        self.event(application_call, context)
    }

    /// Lists tools or prompts, or calls one by its name. Returns the event of the call, if there is one.
    fn tools_or_prompts(self: &Arc<Self>, request: &Request, method: &str, params: Json) -> Option<Event> {
        let served = |family: &Family| self.server.catalog.with(|c, _| c.serves(*family));
        let family = Family::ALL.into_iter().find(|f| [f.lists(), f.calls()].contains(&method) && served(f));
        let Some(family) = family else {
            if let Some(listing) = self.listing_of_skills(method) {
                return self.skills(request, listing, &params);
            }
            self.polled_step(|m, _| m.answer_no_method(request, method));
            return None;
        };
        if method == family.lists() {
            return match text_param(&params, "cursor") {
                Ok(cursor) => self.list(request, family.listing(), None, cursor.as_deref()),
                Err(fault) => self.refuse(request, &fault),
            };
        }
        let name = match text_param(&params, "name") {
            Ok(Some(name)) => name,
            Ok(None) => return self.refuse(request, &wrong_param("name", "is missing")),
            Err(fault) => return self.refuse(request, &fault),
        };
        if let Err(fault) = check_shape(&params) {
            return self.refuse(request, &fault);
        }
        let handler = self.server.catalog.with(|c, _| c.called(family, &name));
        let Some(handler) = handler else {
            if family == Family::Tools {
                self.polled_step(|m, _| m.answer_unknown_tool(request, &name));
                return None;
            }
            return self.refuse(request, &unknown_name(family, &name));
        };
        if let Some(tool) = &handler.of_resources {
            return self.show_resources(request, &handler, tool, &params);
        }
        if self.server.settings.access_check() == AccessCheck::NotRequired {
            return self.call(request, handler, params);
        }
        let judged = Judged::Method { family, handler, params };
        let begun = self.polled_step(|m, trash| m.begin_judged(request, judged, trash));
        let (application_call, context) = begun?;
        self.event(application_call, context)
    }

    /// Returns the list that this method of the extension for skills lists. `None` if it is no such method, or if the
    /// server does not declare the extension.
    fn listing_of_skills(&self, method: &str) -> Option<Listing> {
        let listing = Listing::of_skills(method)?;
        let (offered, directories) =
            self.server.catalog.with(|c, _| (c.has_skills(), c.sources.reads_directories()));
        (offered && (listing != Listing::Directory || directories)).then_some(listing)
    }

    fn skills(self: &Arc<Self>, request: &Request, listing: Listing, params: &Json) -> Option<Event> {
        let cursor = match text_param(params, "cursor") {
            Ok(cursor) => cursor.filter(|_| listing != Listing::Skill),
            Err(fault) => return self.refuse(request, &fault),
        };
        if listing == Listing::Skills {
            return self.list(request, listing, None, cursor.as_deref());
        }
        let uri = match text_param(params, "uri") {
            Ok(Some(uri)) => uri,
            Ok(None) => return self.refuse(request, &wrong_param("uri", "is missing")),
            Err(fault) => return self.refuse(request, &fault),
        };
        let max = self.server.settings.limits.uri_bytes;
        if uri.len() > max {
            let what = format!("uri has more than {max} bytes");
            let fault = RpcError::invalid_params(&what).with_limit("uri_bytes", max);
            return self.refuse(request, &fault);
        }
        self.list(request, listing, Some(uri.into()), cursor.as_deref())
    }

    /// Makes the error for arguments that break the schema of a tool. It has a sentence for the model, unless the
    /// application chose that such a call has no result.
    pub(super) fn refuse_arguments(&self, handler: &MethodHandler, lines: &str) -> RpcError {
        let name = handler.item.as_deref().unwrap_or_default();
        let text = format!("Invalid arguments for tool {name}:{lines}");
        let mut fault = RpcError::invalid_params("");
        match self.server.settings.policy.options.invalid_arguments {
            InvalidArguments::Result => fault.with_sentence(text),
            InvalidArguments::Error => {
                fault.message = text.into();
                fault
            }
        }
    }

    /// Checks the arguments of a tool, and the header fields that repeat them, and fills in defaults. Answers arguments
    /// that break the schema with a result that tells the model what to mend, and returns `None`. Comes after the
    /// authorizer, which may hide the tool.
    pub(super) fn check_arguments(
        self: &Arc<Self>,
        application_call: ApplicationCall,
        context: &Context,
    ) -> Option<ApplicationCall> {
        let ApplicationCall::Method { call, handler, params } = application_call else {
            return Some(application_call);
        };
        if let Err(fault) = check_fields(&handler, &params, context) {
            // A step with a wake: the thread that polls may not be the one that takes the answer of a route.
            self.step(|m, trash| m.finish_method(call, Some(MethodOutcome::refused(fault)), trash));
            return None;
        }
        if handler.family == Some(Family::Prompts)
            && let Err(fault) = self.check_prompt(&handler, &params)
        {
            self.step(|m, trash| m.finish_method(call, Some(MethodOutcome::wrong_params(fault)), trash));
            return None;
        }
        let Some(schema) = &handler.promises.schema else {
            return Some(ApplicationCall::Method { call, handler, params });
        };
        match schema.check(arguments(&params)) {
            Ok(None) => Some(ApplicationCall::Method { call, handler, params }),
            Ok(Some(filled)) => {
                let params = Arc::new(with_arguments(&params, &filled));
                Some(ApplicationCall::Method { call, handler, params })
            }
            Err(lines) => {
                let fault = self.refuse_arguments(&handler, &lines);
                match fault.sentence() {
                    Some(text) => self.finish_method(call, MethodAnswer::Result(wire::tool_error(text))),
                    None => self.step(|m, trash| {
                        m.finish_method(call, Some(MethodOutcome::wrong_params(fault)), trash)
                    }),
                };
                None
            }
        }
    }

    /// Checks arguments that an around callback gives to a tool or a prompt in place of the client's. Returns them with
    /// defaults filled in.
    pub(crate) fn changed_arguments(&self, call: CallId, arguments: &Json) -> Result<Json> {
        let Some((handler, ..)) = self.machine.with(|m, _| m.called_method(call)) else {
            return Err(Error::new(ErrorKind::Closed, "the call is over"));
        };
        let name = handler.item.as_deref().unwrap_or_default();
        let refused =
            |why: &str| Err(invalid(format!("the changed arguments of \"{name}\" are wrong:{why}")));
        match handler.family {
            Some(Family::Prompts) => {
                match self
                    .check_prompt(&handler, &with_arguments(&Json::empty(), arguments.as_str().as_bytes()))
                {
                    Ok(()) => Ok(arguments.clone()),
                    Err(fault) => refused(&format!(" {}", fault.message)),
                }
            }
            Some(Family::Tools) => match handler.promises.schema.as_ref().map(|s| s.check(arguments.raw())) {
                None | Some(Ok(None)) => Ok(arguments.clone()),
                Some(Ok(Some(filled))) => Ok(Json::written(filled)),
                Some(Err(lines)) => refused(&lines),
            },
            None => Err(no_arguments()),
        }
    }

    /// Checks that the arguments of a prompt are texts, and that the required ones are there.
    fn check_prompt(&self, handler: &MethodHandler, params: &Json) -> std::result::Result<(), RpcError> {
        let PromptArguments { required, known, .. } = &handler.promises.arguments;
        let (mut given, mut wrong) = (BTreeSet::new(), None);
        for_each_member(arguments(params), |name, value| {
            if string(value).is_none() {
                wrong.get_or_insert_with(|| name.to_owned());
            }
            given.insert(name.to_owned());
        });
        if let Some(wrong) = wrong {
            let fault = RpcError::invalid_params(&format!("the argument {wrong:?} is not a string"));
            return Err(fault.with_member("argument", &wrong));
        }
        let missing: Vec<&str> =
            required.iter().map(|name| &**name).filter(|name| !given.contains(*name)).collect();
        if !missing.is_empty() {
            let mut fault = RpcError::invalid_params("").with_data(missing_data(&missing));
            fault.message = format!("Missing required arguments: {}", missing.join(", ")).into();
            return Err(fault);
        }
        if cfg!(debug_assertions)
            && let Some(known) = known
            && let Some(name) = given.iter().find(|name| known.iter().all(|known| **known != ***name))
        {
            let prompt = handler.item.as_deref().unwrap_or_default();
            let name = printable(name, 64);
            self.server.notice(&format!("{prompt} {name}"), || {
                format!("a client gives the prompt \"{prompt}\" an argument that it does not list: {name}")
            });
        }
        Ok(())
    }

    pub(crate) fn finish_method(self: &Arc<Self>, call: CallId, answer: MethodAnswer) -> bool {
        if matches!(answer, MethodAnswer::Waiting) {
            return self.wait_for_client(call);
        }
        let Some((handler, form, revision, client)) = self.machine.with(|m, _| m.called_method(call)) else {
            return self.step(|m, trash| m.finish_method(call, None, trash));
        };
        if form == AnswerForm::Search
            && let Some(results) = self.search_results(&answer)
        {
            return self.step(|m, trash| m.finish_search(call, results, trash));
        }
        let outcome = self.outcome(&handler, revision, client.as_ref(), answer);
        self.step(|m, trash| m.finish_method(call, Some(outcome), trash))
    }

    /// Logs once what the result of a tool lacks for some clients.
    fn notice_result(&self, handler: &MethodHandler, result: &Json) {
        let name = handler.item.as_deref().unwrap_or_default();
        if handler.promises.app.is_some() && wire::says_nothing(result) {
            self.server.notice(&format!("{name} content"), || {
                let why = "clients that do not show its app get nothing; return a text, too";
                format!("the tool \"{name}\" returned no content: {why}")
            });
        }
        if !self.server.settings.has_resources()
            && result.as_str().contains("\"resource")
            && wire::names_resources(result)
        {
            self.server.notice(&format!("{name} resources"), || {
                let why = "some clients then ignore it; register a resource, or declare the capability";
                format!(
                    "the tool \"{name}\" returned a resource, and the server declares no resources: {why}"
                )
            });
        }
    }

    /// Writes the answer of a call in the form that the client gets.
    fn outcome(
        &self,
        handler: &MethodHandler,
        revision: Revision,
        client: Option<&Json>,
        answer: MethodAnswer,
    ) -> MethodOutcome {
        let settings = &self.server.settings;
        let answer = match answer {
            MethodAnswer::Result(result) if handler.is_tool() => {
                self.notice_result(handler, &result);
                let wrong = settings
                    .policy
                    .options
                    .check_output
                    .is_on()
                    .then(|| handler.promises.wrong_output(&result));
                match wrong.flatten() {
                    Some(why) => {
                        return MethodOutcome::wrong_output(handler, revision, &settings.identity, &why);
                    }
                    None => MethodAnswer::Result(self.with_completed_links(&result).unwrap_or(result)),
                }
            }
            answer => answer,
        };
        let outcome = MethodOutcome::new(answer, handler, revision, client, settings);
        match handler.family {
            Some(_) => outcome.bounded(handler, revision, settings),
            None => outcome,
        }
    }

    pub(crate) fn client_info(&self, context: &Context) -> Option<String> {
        let client = self.machine.with(|m, _| m.client_info(context));
        client.map(|client| client.as_str().to_owned())
    }

    pub(crate) fn client_capabilities(&self, context: &Context) -> Option<String> {
        let capabilities = self.machine.with(|m, _| m.client_capabilities(context));
        capabilities.map(|capabilities| capabilities.as_str().to_owned())
    }

    /// Returns the extensions that the client of a request declares, and logs an entry that cannot be used.
    pub(crate) fn client_extensions(&self, context: &Context) -> ClientExtensions {
        let (capabilities, now) = self.machine.with(|m, _| (m.client_capabilities(context), m.now()));
        let extensions = ClientExtensions::new(capabilities.unwrap_or_default(), context.revision.era);
        if let Some(name) = extensions.malformed() {
            let why =
                format!("a client declares the extension \"{name}\" without an object; it counts as absent");
            self.server.refusals.report(&self.server.log, RefusalKind::Extension, now, &why);
        }
        extensions
    }

    pub(crate) fn notify(
        self: &Arc<Self>,
        call: CallId,
        context: &Context,
        method: &str,
        params: Option<&Json>,
    ) -> Result<bool> {
        let level = || match context.revision.era {
            Era::Handshake => Some(self.machine.with(|m, _| m.log_level())),
            Era::Stateless => context.log_level().as_deref().and_then(level_of),
        };
        if !self.may_send(method, params, level)? {
            return Ok(false);
        }
        let sent = self.step(|m, _| m.send_notification(call, method, params));
        self.hurry();
        Ok(sent)
    }

    /// Sends a notification that belongs to no call.
    pub(crate) fn notify_session(self: &Arc<Self>, method: &str, params: Option<&Json>) -> Result<bool> {
        if !self.may_send(method, params, || Some(self.machine.with(|m, _| m.log_level())))? {
            return Ok(false);
        }
        let sent = self.step(|m, _| m.send_session_notification(method, params));
        self.hurry();
        Ok(sent)
    }

    /// Checks whether a notification may be sent; false if its level is too low. `level` returns the place in
    /// [`LOG_LEVELS`] from which on the client wants lines of the log.
    fn may_send(
        &self,
        method: &str,
        params: Option<&Json>,
        level: impl FnOnce() -> Option<usize>,
    ) -> Result<bool> {
        if let Some(why) = cannot_be_sent(method) {
            return Err(invalid(format!("\"{method}\" {why}")));
        }
        if method != LOG_MESSAGE {
            return Ok(true);
        }
        let of_line = params.and_then(|params| members(params.raw(), &["level"]).ok()?[0].and_then(string));
        let Some(of_line) = of_line.as_deref().and_then(level_of) else {
            return Err(invalid(format!("\"{method}\" needs a level from debug to emergency")));
        };
        if !self.offers_logs() {
            let what = format!(
                "\"{method}\" needs the capability \"logging\"; declare it among the `capabilities` of the server"
            );
            return Err(invalid(what));
        }
        Ok(level().is_some_and(|wanted| of_line >= wanted))
    }

    fn offers_logs(&self) -> bool {
        self.server.catalog.with(|c, _| c.capabilities()).iter().any(|(name, _)| name == "logging")
    }

    /// Returns the session of a call; `None` if the call belongs to no lasting session.
    pub(crate) fn session(self: &Arc<Self>, context: &Context) -> Option<Session> {
        if context.revision.era == Era::Stateless {
            return None;
        }
        self.machine.with(|m, _| {
            let known = m.lasting_session()?;
            let id = known.id().cloned().unwrap_or_else(|| self.id.to_string().into());
            let (client, capabilities) = (known.client_info().cloned(), known.client_capabilities().cloned());
            Some(Session::new(Arc::downgrade(self), id, client, capabilities))
        })
    }

    /// Sends a request to the client of a call. Returns the number of the request.
    pub(crate) fn request(
        self: &Arc<Self>,
        call: CallId,
        context: &Context,
        method: &str,
        params: Option<&Json>,
        then: Option<Continuation>,
    ) -> Result<u64> {
        if method == "elicitation/create"
            && let Some(Err(why)) =
                params.map(|params| check_elicitation(params.raw(), context.revision.elicitation))
        {
            return Err(invalid(format!("the request {why}")));
        }
        let number = self.machine.with(|m, _| m.take_request_number());
        if let Some(then) = then {
            self.continuations.with(|all, _| all.insert(number, then));
        }
        let Err(why) = self.step(|m, _| m.send_client_request(call, number, method, params)) else {
            self.hurry(); // the callback may wait for the answer
            return Ok(number);
        };
        drop(self.continuation(number));
        Err(not_sent(method, why))
    }

    pub(crate) fn cancel_client_request(self: &Arc<Self>, number: u64) -> bool {
        self.step(|m, _| m.cancel_client_request(number))
    }

    pub(super) fn responded(&self, number: u64, answer: ClientAnswer) -> Event {
        Event::Response(ResponseCall::new(self.id, number, answer, self.continuation(number)))
    }

    fn continuation(&self, number: u64) -> Option<Continuation> {
        self.continuations.with(|all, _| all.remove(&number))
    }

    pub(super) fn forget_continuations(&self) {
        self.continuations.with(|all, trash| trash.put(std::mem::take(all)));
    }
}

const SET_LEVEL: &str = "logging/setLevel";

/// Returns the place of a level in [`LOG_LEVELS`]; `None` if there is no such level.
fn level_of(level: &str) -> Option<usize> {
    LOG_LEVELS.iter().position(|known| *known == level)
}

/// Returns the error that tells the application why a request was not sent to the client.
pub(super) fn not_sent(method: &str, why: NotSent) -> Error {
    match why {
        NotSent::Over => Error::new(ErrorKind::Closed, "the call is over; its client takes no more requests"),
        NotSent::Full => Error::new(
            ErrorKind::Limit,
            "the client takes nothing: as much waits for it as `output_bytes` allows",
        ),
        NotSent::Revision => {
            invalid("in this revision a server sends no requests; ask for the input by a name, or answer \"input required\"".to_owned())
        }
        NotSent::Single => {
            let what = "there is room for the answer only: the message was handed in alone, or its Accept allows no stream";
            invalid(what.to_owned())
        }
        NotSent::NoFeature(why) => invalid(format!("\"{method}\" is a request {why}")),
        NotSent::Lacks(needed) => invalid(format!("the client did not declare {needed}")),
    }
}

/// Returns a parameter that has to be a string; `None` if it is absent.
fn text_param(params: &Json, name: &'static str) -> std::result::Result<Option<String>, RpcError> {
    match members(params.raw(), &[name]) {
        Ok([Some(value)]) if !is_null(value) => match string(value) {
            Some(text) => Ok(Some(text.into())),
            None => Err(wrong_param(name, "is not a string")),
        },
        Ok(_) => Ok(None),
        Err(duplicate) => Err(RpcError::invalid_params(&duplicate.to_string()).with_member("param", name)),
    }
}

/// Compares the arguments of a tool with the header fields that repeat them.
fn check_fields(
    handler: &MethodHandler,
    params: &Json,
    context: &Context,
) -> std::result::Result<(), RpcError> {
    let fields = context.details.as_ref().and_then(|details| details.params.as_ref());
    let Some(fields) = fields.filter(|_| !handler.promises.headers.is_empty()) else { return Ok(()) };
    let arguments = arguments(params);
    handler.promises.headers.iter().try_for_each(|header| fields.check(header, arguments))
}

fn missing_data(names: &[&str]) -> String {
    let mut data = Vec::new();
    let mut object = Object::begin(&mut data);
    let out = object.member("missing");
    for (at, name) in names.iter().enumerate() {
        out.push(if at == 0 { b'[' } else { b',' });
        quote_into(name, out);
    }
    out.push(b']');
    object.end();
    String::from_utf8(data).expect("escaped text stays text")
}

/// Returns the `arguments` of a call; absent or null ones are an empty object.
pub(super) fn arguments(params: &Json) -> Raw<'_> {
    let sent = members(params.raw(), &["arguments"]).ok().and_then(|[sent]| sent);
    sent.filter(|sent| !is_null(*sent)).unwrap_or(Raw::kept("{}"))
}

/// Returns parameters whose `arguments` are these.
pub(crate) fn with_arguments(params: &Json, arguments: &[u8]) -> Json {
    let mut out = Vec::with_capacity(params.as_str().len() + arguments.len());
    let mut object = Object::begin(&mut out);
    for_each_member(params.raw(), |name, value| match name {
        "arguments" => {}
        _ => object.any_member(name).extend_from_slice(value.get().as_bytes()),
    });
    object.member("arguments").extend_from_slice(arguments);
    object.end();
    Json::written(out)
}

/// Refuses parameters whose `arguments` are not an object. They may be absent.
fn check_shape(params: &Json) -> std::result::Result<(), RpcError> {
    match members(params.raw(), &["arguments"]) {
        Ok([Some(arguments)]) if !is_object(arguments) && !is_null(arguments) => {
            Err(wrong_param("arguments", "is not an object"))
        }
        Ok(_) => Ok(()),
        Err(twice) => Err(RpcError::invalid_params(&twice.to_string()).with_member("param", "arguments")),
    }
}

/// Returns the error for an around callback that gives arguments to a call which has none.
pub(crate) fn no_arguments() -> Error {
    invalid("only calls of tools and prompts have arguments to change".to_owned())
}

fn wrong_param(name: &'static str, what: &str) -> RpcError {
    RpcError::invalid_params(&format!("{name} {what}")).with_member("param", name)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// Returns why the application may not send this notification about a call; `None` if it may.
fn cannot_be_sent(method: &str) -> Option<&'static str> {
    let Some(name) = method.strip_prefix("notifications/") else {
        return Some("is no notification; its name begins with \"notifications/\"");
    };
    let ours = ["progress", "cancelled", "initialized"].contains(&name)
        || ["resources/", "subscriptions/"].iter().any(|family| name.starts_with(family))
        || name.ends_with("/list_changed");
    ours.then_some("is sent by the server itself")
}
