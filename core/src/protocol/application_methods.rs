//! Handles methods that the application answers itself, and the notifications that it sends about them.

use super::CallId;
use super::answer_form::AnswerForm;
use super::application_call::{ApplicationCall, RequestState};
use super::call_context::Context;
use super::dispatch::Request;
use super::draft::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL};
use super::faults::{TOOL_FAILED, busy, internal, unknown_name};
use super::inflight::OpenRequest;
use super::input_required::{self, Refusal};
use super::machine::{Machine, Settings};
use super::outbox::{MessageKind, Route, Stage};
use crate::catalog::{MethodHandler, ToolLimitReached};
use crate::jsonrpc::write::{begin_result, end, notification};
use crate::jsonrpc::{Raw, RpcError, for_each_member, is_object, members, string};
use crate::log::{Severity, printable};
use crate::model::{Cache, CacheHint, ClientExtensions, Family, Json, MethodAnswer};
use crate::policy::Cacheable;
use crate::policy::{ToolErrors, UndeclaredLists, UnknownTool};
use crate::revision::{self, Condition, Era, Revision};
use crate::sync::Trash;
use crate::wire::{self, Identity, ResultType};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The answer of a method, written for the client.
pub(crate) struct MethodOutcome {
    /// The result as the text of an object, or the error with how far the request got.
    written: Result<Vec<u8>, (Stage, RpcError)>,
    fault: Option<LoggedFault>,
}

/// A line of the log about a failed method: the part before the id of the request, and the part behind it.
struct LoggedFault {
    who: String,
    what: String,
}

/// The parts of a request on which the form of its answer depends.
pub(super) struct MethodRequest<'a> {
    pub(super) method: &'a str,
    /// True for the call of a tool. Its failures become results that the model reads.
    pub(super) is_tool: bool,
    pub(super) subject: LoggedSubject<'a>,
    pub(super) revision: Revision,
    pub(super) identity: &'a Identity,
}

/// The thing that a request is about, as the log names it.
#[derive(Clone, Copy)]
pub(super) enum LoggedSubject<'a> {
    /// The read of a resource at this URI.
    Read(&'a str),
    /// The call of a tool that the client does not know, by its name.
    UnknownTool(&'a str),
    Call(&'a MethodHandler),
}

impl fmt::Display for LoggedSubject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoggedSubject::Read(uri) => write!(f, "the read of {uri}"),
            LoggedSubject::UnknownTool(name) => write!(f, "the call of {name}"),
            LoggedSubject::Call(handler) => write!(f, "the call of {}", handler.describe()),
        }
    }
}

impl Machine {
    /// Answers `initialize` and `server/discover`. `further` has the capabilities other than `resources`.
    pub(crate) fn answer_introduction(&mut self, request: &Request, further: &[(String, Json)]) {
        let done = MessageKind::Final(Stage::Dispatched);
        let settings = self.settings.clone();
        let identity = &settings.identity;
        let capabilities = (settings.has_resources(), further);
        let Some(open) = self.inflight.close(request.call) else { return };
        let revision = open.context.revision;
        if revision.era == Era::Stateless {
            self.outbox.write(open.route, done, |p| {
                wire::discover(
                    p.out,
                    revision,
                    &open.id,
                    identity,
                    capabilities,
                    &settings.revisions,
                    settings.cache(Cacheable::Discover, CacheHint::default()),
                );
            });
        } else if let Some(revision) = self.lifecycle.handshake() {
            self.outbox.write(open.route, done, |p| {
                wire::initialize(p.out, revision, &open.id, identity, capabilities);
            });
        }
    }

    /// Answers `logging/setLevel`, after the level of the session was set.
    pub(crate) fn answer_level_set(&mut self, request: &Request) {
        let Some(open) = self.inflight.close(request.call) else { return };
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |p| {
            wire::empty_result(p.out, open.context.revision, &open.id, identity);
        });
    }

    /// Ends a notification for which the application has no handler.
    pub(crate) fn drop_notification(&mut self, request: &Request, trash: &mut Trash) {
        trash.put(self.inflight.close(request.call));
    }

    /// Answers a method that neither the protocol nor the application knows.
    pub(crate) fn answer_no_method(&mut self, request: &Request, name: &str) {
        let Some(open) = self.inflight.close(request.call) else { return };
        let Some(member) = self.undeclared_list(name) else {
            let fault = RpcError::method_not_found(name);
            return self.answer_failed(open.route, Stage::NoMethod, &open.id, &fault);
        };
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |p| {
            wire::empty_list(p.out, open.context.revision, &open.id, member, identity);
        });
    }

    /// Answers the call of a tool that the client does not know.
    pub(crate) fn answer_unknown_tool(&mut self, request: &Request, name: &str) {
        if let Some(open) = self.inflight.close(request.call) {
            self.write_unknown_tool(&open, name);
        }
    }

    pub(super) fn write_unknown_tool(&mut self, open: &OpenRequest, name: &str) {
        let fault = unknown_name(Family::Tools, name);
        let settings = self.settings.clone();
        match settings.policy.options.unknown_tool {
            UnknownTool::Error => self.answer_failed(open.route, Stage::Dispatched, &open.id, &fault),
            UnknownTool::Result => {
                let (revision, identity) = (open.context.revision, &settings.identity);
                let (method, subject) = (Family::Tools.calls(), LoggedSubject::UnknownTool(name));
                let request = MethodRequest { method, is_tool: true, subject, revision, identity };
                self.write_outcome(open, request.refused_with_text(&fault.message));
            }
        }
    }

    /// The name of the list in an empty result; `None` unless the server answers such a list with an empty one: see
    /// [`crate::UndeclaredLists`].
    fn undeclared_list(&self, method: &str) -> Option<&'static str> {
        match method {
            _ if self.settings.policy.options.undeclared_lists == UndeclaredLists::Error => None,
            "resources/list" => Some("resources"),
            "resources/templates/list" => Some("resourceTemplates"),
            "tools/list" => Some("tools"),
            "prompts/list" => Some("prompts"),
            _ => None,
        }
    }

    pub(crate) fn begin_method(
        &mut self,
        request: &Request,
        handler: Arc<MethodHandler>,
        params: Json,
        trash: &mut Trash,
    ) -> Option<(ApplicationCall, Arc<Context>)> {
        let params = Arc::new(params);
        let state = RequestState::Method { handler: handler.clone(), params: params.clone() };
        let context = self.begin_call(request.call, state, trash)?;
        Some((ApplicationCall::Method { call: request.call, handler, params }, context))
    }

    /// Continues the call of a tool or prompt that the authorizer allowed.
    pub(super) fn begin_allowed_method(
        &mut self,
        call: CallId,
        handler: Arc<MethodHandler>,
        params: Json,
        trash: &mut Trash,
    ) {
        let params = Arc::new(params);
        let state = RequestState::Method { handler: handler.clone(), params: params.clone() };
        match self.inflight.begin_next_call(call, state) {
            Ok(call) => self.queue_application_call(ApplicationCall::Method { call, handler, params }),
            Err(state) => trash.put((state, handler)),
        }
    }

    /// Returns the handler, form of the answer, revision and client capabilities of a call of a method, or `None` if its
    /// request is over.
    pub(crate) fn called_method(
        &mut self,
        call: CallId,
    ) -> Option<(Arc<MethodHandler>, AnswerForm, Revision, Option<Json>)> {
        let open = self.inflight.get(call)?;
        let RequestState::Method { handler, .. } = &open.state else { return None };
        let (handler, form, context) = (handler.clone(), open.form, open.context.clone());
        Some((handler, form, context.revision, self.client_capabilities(&context)))
    }

    /// Returns the capabilities of the client. A stateless client declares them with each request, any other when its
    /// session begins.
    pub(crate) fn client_capabilities(&self, context: &Context) -> Option<Json> {
        match context.revision.era {
            Era::Stateless => context.meta_member(CLIENT_CAPABILITIES).map(Json::received),
            Era::Handshake => self.lifecycle.client_capabilities().cloned(),
        }
    }

    /// Answers the call of a method. `outcome` is `None` if the request was over before the application answered.
    pub(crate) fn finish_method(
        &mut self,
        call: CallId,
        outcome: Option<MethodOutcome>,
        trash: &mut Trash,
    ) -> bool {
        let Some(outcome) = outcome else {
            self.finish_unwanted(call);
            return false;
        };
        let Some(answered) = self.inflight.answered(call) else { return false };
        trash.put(answered);
        let Some(open) = self.inflight.close(call) else { return false };
        self.cancel_dropped_requests(); // before the answer: nothing may follow it
        self.write_outcome(&open, outcome);
        trash.put(open);
        true
    }

    /// Answers a request with a written outcome, and logs its failure if it has one.
    pub(super) fn write_outcome(&mut self, open: &OpenRequest, outcome: MethodOutcome) {
        let written = outcome.written.and_then(|result| match open.fits(result.len()) {
            Ok(()) => Ok(result),
            Err(full) => Err((Stage::Dispatched, full.fault())),
        });
        match written {
            _ if open.form == AnswerForm::None => {}
            Ok(result) => self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |p| {
                begin_result(p.out, &open.id);
                p.out.extend_from_slice(&result);
                end(p.out);
            }),
            Err((stage, fault)) => self.answer_failed(open.route, stage, &open.id, &fault),
        }
        if let Some(LoggedFault { who, what }) = outcome.fault {
            let line = match open.form {
                AnswerForm::None => format!("{who} {what}"),
                _ => format!("{who} (request {}) {what}", printable(open.id.raw(), SHOWN)),
            };
            self.causes.log(Severity::Error, line);
        }
    }

    /// Returns the name and version that a client gave with its request, or at the beginning of its session.
    pub(crate) fn client_info(&self, context: &Context) -> Option<Json> {
        match context.revision.era {
            Era::Stateless => context.meta_member(CLIENT_INFO).map(Json::received),
            Era::Handshake => self.lifecycle.client_info().cloned(),
        }
    }

    /// Sends a notification about a request, on the route of its answer. Returns false if the request is answered, if
    /// the route takes an answer only, or if the client does not read its output.
    pub(crate) fn send_notification(&mut self, call: CallId, method: &str, params: Option<&Json>) -> bool {
        match self.inflight.get(call).map(|open| open.route) {
            Some(route) => self.write_notification(route, method, params),
            None => false,
        }
    }

    /// Sends a notification that belongs to no request. Returns false if no session is ready for it, or if the client
    /// does not read its output.
    pub(crate) fn send_session_notification(&mut self, method: &str, params: Option<&Json>) -> bool {
        let wanted = !self.closed && self.lifecycle.is_ready() && self.lifecycle.lasting_session().is_some();
        wanted && self.write_notification(Route::Connection, method, params)
    }

    fn write_notification(&mut self, route: Route, method: &str, params: Option<&Json>) -> bool {
        if self.outbox.takes_answer_only(route)
            || self.outbox.unread(route) >= self.settings.limits.output_bytes
        {
            return false;
        }
        self.outbox.write(route, MessageKind::Message, |p| {
            let params =
                params.map(|params| |out: &mut Vec<u8>| out.extend_from_slice(params.as_str().as_bytes()));
            notification(p.out, method, params);
        });
        true
    }
}

/// The greatest number of characters of a request's id that the log shows. A client may make its id long.
const SHOWN: usize = 64;

impl Context {
    /// A member of the request's `_meta`; `None` if it is absent.
    pub(crate) fn meta_member(&self, name: &str) -> Option<Raw<'_>> {
        let meta = self.details.as_ref()?.meta.as_ref()?;
        members(meta.raw(), &[name]).ok()?[0]
    }

    /// The `traceparent` of the request's `_meta`, as the client sent it; `None` if it is absent.
    pub(crate) fn traceparent(&self) -> Option<String> {
        string(self.meta_member("traceparent")?).map(Into::into)
    }

    /// The lowest level of log messages that the request wants, in revisions where each request says so; otherwise
    /// `None`.
    pub(crate) fn log_level(&self) -> Option<String> {
        string(self.meta_member(LOG_LEVEL)?).map(Into::into)
    }
}

/// Returns the identifiers of the extensions in a client's capabilities; `None` if there are none.
fn extensions(capabilities: &str) -> Option<String> {
    let [extensions] = members(Raw::kept(capabilities), &["extensions"]).ok()?;
    let mut names = Vec::new();
    for_each_member(extensions.filter(|found| is_object(*found))?, |name, _| names.push(name.to_owned()));
    (!names.is_empty()).then(|| names.join(", "))
}

impl MethodOutcome {
    /// Writes an answer in the form of the revision. The caller holds no lock, because the answer may be large.
    pub(crate) fn new(
        answer: MethodAnswer,
        handler: &MethodHandler,
        revision: Revision,
        client: Option<&Json>,
        settings: &Settings,
    ) -> MethodOutcome {
        let request = MethodRequest::for_handler(handler, revision, &settings.identity);
        match answer {
            MethodAnswer::Result(result) => {
                let checked = match wire::result_type(&result) {
                    Ok(Some(kind)) if kind == "input_required" => {
                        return request.input_required(&result, client);
                    }
                    Ok(Some(kind)) if kind != "complete" => {
                        if let Err(refused) = request.check_extension(&kind, client, &settings.result_types) {
                            return refused;
                        }
                        Ok(Cow::Borrowed(&result))
                    }
                    Err(why) => Err(why),
                    Ok(_) => match handler.family {
                        Some(family) => {
                            wire::call_result(family, handler.promises.result_shape(), revision, &result)
                        }
                        None => Ok(Cow::Borrowed(&result)),
                    },
                };
                let result = match checked {
                    Ok(result) => result,
                    Err(why) => return request.wrong(&why),
                };
                let cache = if revision::is_cacheable(&handler.name) { Cache::NO_REUSE } else { Cache::None };
                request.result(&result, (ResultType::Complete, cache))
            }
            MethodAnswer::InputRequired(wanted) => request.input_required(&wanted, client),
            MethodAnswer::Error(error) if !revision.has_error(error.code) => {
                request.failed(&format!("has the error {}, which {revision} does not have", error.code))
            }
            MethodAnswer::Error(error) => {
                let mut fault = RpcError::new(error.code, error.message);
                fault.data = error.data.map(|data| data.as_str().into());
                MethodOutcome { written: Err((Stage::Dispatched, fault)), fault: None }
            }
            MethodAnswer::ToolError(error) => request.refused_with_text(error.message()),
            MethodAnswer::MissingCapability(wanted) => request.missing(wanted.as_str()),
            MethodAnswer::Waiting => request.failed("waits for its client, and asked it nothing"),
            MethodAnswer::Failed(why) => request.thrown(&why, &why, settings.policy.options.tool_errors),
            MethodAnswer::Thrown { text, report } => {
                request.thrown(&text, &report, settings.policy.options.tool_errors)
            }
        }
    }

    /// Makes the failure for a tool whose result breaks its `outputSchema`.
    pub(crate) fn wrong_output(
        handler: &MethodHandler,
        revision: Revision,
        identity: &Identity,
        why: &str,
    ) -> MethodOutcome {
        MethodRequest::for_handler(handler, revision, identity)
            .wrong(&format!("structuredContent does not fit the outputSchema: {why}"))
    }

    /// Returns the outcome, or a failure if its result is larger than the output that a client may have unread.
    pub(crate) fn bounded(
        self,
        handler: &MethodHandler,
        revision: Revision,
        settings: &Settings,
    ) -> MethodOutcome {
        let most = settings.limits.output_bytes;
        let bytes = match &self.written {
            Ok(written) if written.len() > most => written.len(),
            _ => return self,
        };
        let why = format!("its result has {bytes} bytes, and {most} is the most");
        MethodRequest::for_handler(handler, revision, &settings.identity)
            .refused(&why, &format!("has a result of {bytes} bytes, more than `output_bytes` ({most})"))
    }

    /// Makes the error for a request that does not reach the application.
    pub(crate) fn refused(fault: RpcError) -> MethodOutcome {
        MethodOutcome { written: Err((Stage::Refused, fault)), fault: None }
    }

    /// Makes the error for parameters that the method does not take. HTTP answers it with status 200.
    pub(crate) fn wrong_params(fault: RpcError) -> MethodOutcome {
        MethodOutcome { written: Err((Stage::Dispatched, fault)), fault: None }
    }

    /// Makes the error "busy" for a call that exceeds a limit of its tool.
    pub(crate) fn busy(revision: Revision, reached: &ToolLimitReached) -> MethodOutcome {
        let ToolLimitReached { limit, most, retry_after_ms } = reached;
        let after = retry_after_ms.map_or_else(String::new, |ms| format!(",\"retryAfterMs\":{ms}"));
        let data = format!("{{\"limit\":\"{limit}\",\"max\":{most}{after}}}");
        let fault = busy(revision, None).with_data(data);
        MethodOutcome { written: Err((Stage::Dispatched, fault)), fault: None }
    }

    /// Makes the failure for a call that the application did not answer. `why` is the end of the log line that begins
    /// with the call's name.
    pub(super) fn given_up(
        handler: &MethodHandler,
        revision: Revision,
        identity: &Identity,
        why: &str,
    ) -> MethodOutcome {
        MethodRequest::for_handler(handler, revision, identity).failed(why)
    }
}

impl<'a> MethodRequest<'a> {
    fn for_handler(
        handler: &'a MethodHandler,
        revision: Revision,
        identity: &'a Identity,
    ) -> MethodRequest<'a> {
        let (is_tool, subject) = (handler.is_tool(), LoggedSubject::Call(handler));
        MethodRequest { method: &handler.name, is_tool, subject, revision, identity }
    }

    fn result(&self, result: &Json, kind: (ResultType, Cache)) -> MethodOutcome {
        let mut written = Vec::new();
        match wire::further_result(&mut written, self.revision, self.identity, kind, result.raw()) {
            Ok(()) => MethodOutcome { written: Ok(written), fault: None },
            Err(why) => self.wrong(why),
        }
    }

    pub(super) fn input_required(&self, wanted: &Json, client: Option<&Json>) -> MethodOutcome {
        if !self.revision.result_envelope {
            let what = format!("needs input, which {} does not have", self.revision);
            return self.refused("this needs input, which takes a newer protocol version", &what);
        }
        if !revision::may_need_input(self.method) {
            return self.failed("was answered \"input required\", which this method may not be");
        }
        match input_required::check(wanted.raw(), client.map(Json::raw), self.revision.elicitation) {
            Ok(()) => self.result(wanted, (ResultType::InputRequired, Cache::None)),
            Err(Refusal::Malformed(why)) => self.failed(&format!("needs input that {why}")),
            Err(Refusal::Missing(capabilities)) => self.missing(&capabilities),
        }
    }

    /// Refuses a `resultType` that belongs to no extension, or to one that the client does not declare.
    fn check_extension(
        &self,
        kind: &str,
        client: Option<&Json>,
        result_types: &BTreeMap<String, String>,
    ) -> Result<(), MethodOutcome> {
        let Some(id) = result_types.get(kind) else {
            let kind = printable(kind, SHOWN);
            return Err(self.wrong(&format!(
                "no extension has the resultType \"{kind}\"; see `result_type_extensions`"
            )));
        };
        if !self.revision.result_envelope {
            let what = format!("has the resultType \"{kind}\", and {} has none", self.revision);
            return Err(self.refused("this has a result that takes a newer protocol version", &what));
        }
        let declared = ClientExtensions::new(client.cloned().unwrap_or_default(), self.revision.era);
        if declared.get(id).is_none() {
            return Err(self.missing(&format!("{{\"extensions\":{{\"{id}\":{{}}}}}}")));
        }
        Ok(())
    }

    pub(super) fn missing(&self, wanted: &str) -> MethodOutcome {
        if !self.revision.result_envelope {
            if let Some(names) = extensions(wanted) {
                let fault = RpcError::invalid_request(&format!("this needs the extension {names}"));
                return MethodOutcome { written: Err((Stage::Dispatched, fault)), fault: None };
            }
            let what = format!("lacks the client capabilities {wanted}");
            if !self.is_tool {
                return self.failed(&what);
            }
            return self.refused(&format!("this needs the client capabilities {wanted}"), &what);
        }
        let code = self.revision.code(Condition::MissingCapability);
        let fault = RpcError::new(code, "Missing required client capability")
            .with_data(format!("{{\"requiredCapabilities\":{wanted}}}"));
        MethodOutcome { written: Err((Stage::Refused, fault)), fault: None }
    }

    fn wrong(&self, why: &str) -> MethodOutcome {
        self.failed(&format!("has a wrong result: {why}"))
    }

    /// Makes the outcome of a tool error whose text is for the model.
    fn refused_with_text(&self, text: &str) -> MethodOutcome {
        let written = if self.is_tool {
            self.tool_error(text)
        } else {
            let mut fault = internal(self.revision);
            fault.message = text.to_owned().into();
            Err(fault)
        };
        MethodOutcome { written: written.map_err(|fault| (Stage::Dispatched, fault)), fault: None }
    }

    /// Makes the outcome of a callback that failed with an error of this text. `report` is for the log.
    fn thrown(&self, text: &str, report: &str, errors: ToolErrors) -> MethodOutcome {
        let what = format!("failed: {report}");
        match errors {
            ToolErrors::Show if self.is_tool && !text.is_empty() => self.logged(self.tool_error(text), &what),
            _ => self.failed(&what),
        }
    }

    /// Makes the outcome of a failure of the application. `what` is for its log; the client does not see it.
    fn failed(&self, what: &str) -> MethodOutcome {
        let written = if self.is_tool { self.tool_error(TOOL_FAILED) } else { Err(internal(self.revision)) };
        self.logged(written, what)
    }

    /// Makes the outcome for a client that lacks something the call needs. `why` is for the client, `what` for the log.
    fn refused(&self, why: &str, what: &str) -> MethodOutcome {
        let written = if self.is_tool {
            self.tool_error(&format!("{TOOL_FAILED}: {why}"))
        } else {
            let mut fault = internal(self.revision);
            fault.message = format!("{}: {why}", fault.message).into();
            Err(fault)
        };
        self.logged(written, what)
    }

    fn tool_error(&self, text: &str) -> Result<Vec<u8>, RpcError> {
        let mut written = Vec::new();
        let kind = (ResultType::Complete, Cache::None);
        let result = wire::tool_error(text);
        match wire::further_result(&mut written, self.revision, self.identity, kind, result.raw()) {
            Ok(()) => Ok(written),
            Err(_) => Err(internal(self.revision)),
        }
    }

    fn logged(&self, written: Result<Vec<u8>, RpcError>, what: &str) -> MethodOutcome {
        let fault = LoggedFault { who: self.subject.to_string(), what: what.to_owned() };
        MethodOutcome { written: written.map_err(|fault| (Stage::Dispatched, fault)), fault: Some(fault) }
    }
}
