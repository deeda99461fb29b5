//! The methods of a script: their answers, and their messages meanwhile.

use crate::answers::{FAILURE, Held, Shared};
use crate::host::text_of;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use wellhead::{
    ClientAnswer, ClientRequestError, Deferred, Json, MethodAnswer, MethodCall, MethodError, Responder,
    Session, ToolError, ToolResult,
};

impl Shared {
    /// A method's handler. It keeps its responder, for a moment or until a `finish` step.
    pub(crate) fn answer_method(&self, call: &MethodCall, answer: &Value) -> Deferred {
        self.note(format!("method {} {}", call.method(), call.params()));
        let (deferred, responder) = call.defer();
        self.proceed(Some(call), responder, answer);
        deferred
    }

    /// `call`: while its handler runs.
    fn proceed(&self, call: Option<&MethodCall>, responder: Responder<MethodAnswer>, answer: &Value) {
        if let Some(requests) = answer["client_requests"].as_array() {
            self.request_by_names(call, responder, requests, answer);
        } else if let Some(request) = answer.get("request") {
            self.send_client_request(responder, request, answer);
        } else if let Some(name) = answer.get("hold") {
            self.hold(&text_of(name), Held::Method(responder));
        } else if answer == "none" {
            drop(responder);
        } else if answer == "echo" {
            let call = call.expect("only a handler echoes");
            let mut seen = serde_json::Map::new();
            let json = |text: &str| serde_json::from_str(text).expect("the core hands out JSON");
            seen.insert("method".to_owned(), call.method().into());
            seen.insert("params".to_owned(), json(call.params()));
            if let Some(name) = call.name() {
                seen.insert("name".to_owned(), name.into());
                seen.insert("arguments".to_owned(), json(call.arguments()));
                seen.insert("content".to_owned(), json("[]"));
                seen.insert("messages".to_owned(), json("[]"));
            }
            if let Some(client) = call.client_capabilities() {
                seen.insert("client".to_owned(), json(&client));
            }
            if let Some(level) = call.log_level() {
                seen.insert("level".to_owned(), level.into());
            }
            responder.finish(object(&seen.into()));
        } else if answer == "arguments" {
            let call = call.expect("only a handler has arguments");
            responder.finish(ToolResult::from(call.arguments()));
        } else if let Some(name) = answer["header"].as_str() {
            let told = serde_json::json!({"content": [], "messages": [], "header": responder.header(name), "query": responder.query()});
            responder.finish(object(&told));
        } else if let Some(name) = answer["session"].as_str() {
            let session = responder.session();
            let json = |text: Option<&str>| {
                text.map_or(Value::Null, |text| serde_json::from_str(text).expect("the core hands out JSON"))
            };
            let told = serde_json::json!({
                "id": session.as_ref().map(Session::id),
                "client": json(session.as_ref().and_then(Session::client)),
                "capabilities": json(session.as_ref().and_then(Session::client_capabilities)),
            });
            self.locked(|s| s.sessions.extend(session.map(|session| (name.to_owned(), session))));
            responder.finish(object(&told));
        } else if let Some(id) = answer["extension"].as_str() {
            let settings = responder.extension(id).unwrap_or_else(|| "null".to_owned());
            let apps = responder.client_supports_apps();
            let told = format!("{{\"extension\":{settings},\"apps\":{apps}}}");
            responder.finish(Json::parse(told).expect("the core hands out JSON"));
        } else if let Some(messages) = answer["notify"].as_array() {
            for message in messages {
                let params = message.get("params").map(object);
                responder
                    .notify(&text_of(&message["method"]), params.as_ref())
                    .expect("a script notifies of what may be said");
            }
            self.proceed(call, responder, &answer["then"]);
        } else if let Some(lines) = answer["logs"].as_array() {
            for line in lines {
                let (level, data) = (text_of(&line["level"]), text_of(&line["data"]));
                responder
                    .log(&level, &data, line["logger"].as_str())
                    .expect("a script logs what may be said");
            }
            self.proceed(call, responder, &answer["then"]);
        } else {
            responder.finish(method_answer(answer));
        }
    }

    /// Makes named requests, in turn; goes on once all have an answer, and else waits.
    fn request_by_names(
        &self,
        call: Option<&MethodCall>,
        responder: Responder<MethodAnswer>,
        requests: &[Value],
        answer: &Value,
    ) {
        let send =
            |name: &str, method: &str, params: Option<&Json>| responder.require_input(name, method, params);
        match self.answered_by_names(requests, answer, send) {
            Ok(then) => self.proceed(call, responder, then),
            Err(why) => drop(responder.finish(why)),
        }
    }

    /// Makes named requests, in turn. Returns what follows, or why the first that lacks an answer does.
    pub(crate) fn answered_by_names<'a>(
        &self,
        requests: &[Value],
        answer: &'a Value,
        send: impl Fn(&str, &str, Option<&Json>) -> Result<Json, ClientRequestError>,
    ) -> Result<&'a Value, ClientRequestError> {
        let mut unanswered = None;
        for request in requests {
            let (name, method) = (text_of(&request["name"]), text_of(&request["method"]));
            let params = request.get("params").map(object);
            match send(&name, &method, params.as_ref()) {
                Ok(result) => self.note(format!("answered {name} {}", result.as_str())),
                Err(ClientRequestError::Refused(error)) => {
                    self.note(format!("answered {name} error {} {}", error.rpc_code(), error.message()));
                }
                Err(ClientRequestError::MissingCapability(_)) if answer.get("missing").is_some() => {
                    return Ok(&answer["missing"]);
                }
                Err(why) => drop(unanswered.get_or_insert(why)),
            }
        }
        unanswered.map_or(Ok(&answer["then"]), Err)
    }

    /// Asks the client; what it answers is noted, and goes on as the script says.
    fn send_client_request(&self, responder: Responder<MethodAnswer>, request: &Value, answer: &Value) {
        let params = request.get("params").map(object);
        let method = text_of(&request["method"]);
        if let Some(code) = answer["refused"].as_str() {
            let refused =
                responder.send_request(&method, params.as_ref(), |_| ()).expect_err("a script says so");
            assert_eq!(refused.kind().code(), code, "{refused}");
            return self.proceed(None, responder, &answer["then"]);
        }
        let kept = Arc::new(Mutex::new(None));
        let (state, then, taken) = (self.clone(), answer["then"].clone(), kept.clone());
        let asked = responder.send_request(&method, params.as_ref(), move |said| {
            state.note(match &said {
                ClientAnswer::Result(result) => format!("response {result}"),
                ClientAnswer::Error(error) => format!("response error {error}"),
                _ => "response given up".to_owned(),
            });
            let responder: Option<Responder<MethodAnswer>> = taken.lock().expect("no panic").take();
            if let Some(responder) = responder {
                state.proceed(None, responder, &then);
            }
        });
        asked.expect("a script asks for what the client can do");
        match answer.get("hold") {
            Some(name) => self.hold(&text_of(name), Held::Method(responder)),
            None => *kept.lock().expect("no panic") = Some(responder),
        }
    }

    /// Sends a notification or a line of the log in a session that is kept. Tells whether that was sent, and whether the
    /// session is over.
    pub(crate) fn say_in_session(&self, name: &str, step: &Value) -> (wellhead::Result<bool>, bool) {
        let session = self.locked(|s| s.sessions[name].clone());
        let sent = match step["level"].as_str() {
            Some(level) => session.log(level, &text_of(&step["data"]), step["logger"].as_str()),
            None => session.notify(&text_of(&step["method"]), step.get("params").map(object).as_ref()),
        };
        (sent, session.is_closed())
    }

    /// Notifies about a held call. Tells whether that was sent.
    pub(crate) fn notify(&self, name: &str, step: &Value) -> Result<wellhead::Result<bool>, String> {
        self.locked(|s| match s.held(name) {
            Some(Held::Method(responder)) => {
                Ok(responder.notify(&text_of(&step["method"]), step.get("params").map(object).as_ref()))
            }
            _ => Err(format!("no method is held as {name}")),
        })
    }
}

/// An answer of a method, of the README.
pub(crate) fn method_answer(answer: &Value) -> MethodAnswer {
    if let Some(result) = answer.get("result") {
        object(result).into()
    } else if let Some(wanted) = answer.get("input_required") {
        MethodAnswer::InputRequired(object(wanted))
    } else if let Some(wanted) = answer.get("missing_capability") {
        MethodAnswer::MissingCapability(object(wanted))
    } else if let Some(text) = answer.get("tool_error") {
        ToolError::new(text_of(text)).into()
    } else if let Some(error) = answer.get("error") {
        let code = error["code"].as_i64().expect("an error has a code");
        let fault = MethodError::new(i32::try_from(code).expect("a code fits"), text_of(&error["message"]));
        match error.get("data") {
            Some(data) => fault.data(object(data)).into(),
            None => fault.into(),
        }
    } else {
        MethodAnswer::failed(FAILURE)
    }
}

pub(crate) fn object(value: &Value) -> Json {
    Json::parse(value.to_string()).expect("a script's JSON is an object")
}
