//! Registrations, whose callbacks JavaScript keeps under the number that it gets for each.

use crate::answer;
use crate::descriptor::{self, Descriptor};
use crate::error::{Result, invalid, thrown};
use crate::exists::{self, Exists};
use crate::raw::Js;
use crate::server::Native;
use napi::bindgen_prelude::{Env, Unknown};
use napi_derive::napi;
use std::sync::Arc;
use wellhead::{Body, HandlerId, Json, Method, Provider, Server, Template, ToolLimits};

#[napi]
impl Native {
    /// Registers a fixed text or fixed bytes. `descriptor` is JSON.
    #[napi]
    pub fn add_value(
        &self,
        env: Env,
        uri: String,
        body: Unknown<'_>,
        descriptor: Option<String>,
        ui: Option<String>,
    ) -> Result<()> {
        let body = body_of(env, &body)?;
        let resource =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.resource(uri)).map_err(thrown)?;
        let Some(ui) = ui else { return self.inner.server.value(resource, body).map(drop).map_err(thrown) };
        let ui = Json::parse(ui).map_err(thrown)?;
        self.inner.server.app(resource, &ui, body).map(drop).map_err(thrown)
    }

    /// Replaces the body of a fixed resource. `said`: the description of the body, as JSON.
    #[napi]
    pub fn set_value(&self, env: Env, uri: String, body: Unknown<'_>, said: Option<String>) -> Result<()> {
        let body = body_of(env, &body)?;
        let contents = match said {
            Some(said) => descriptor::contents(body, &said).map_err(thrown)?,
            None => body.into(),
        };
        self.inner.server.set(&uri, contents).map_err(thrown)
    }

    /// Registers a fixed URI that a callback reads. `exists`: true if JavaScript has a function `exists` for it. `ui`: of
    /// an app, as JSON. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_resource(
        &self,
        uri: String,
        descriptor: Option<String>,
        exists: bool,
        ui: Option<String>,
    ) -> Result<f64> {
        let resource =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.resource(uri)).map_err(thrown)?;
        let ui = ui.map(Json::parse).transpose().map_err(thrown)?;
        self.with_existence(exists, |server, provider| match ui {
            Some(ui) => server.add_app(resource, &ui, provider),
            None => server.add_resource(resource, provider),
        })
    }

    /// Registers a template, whether it lists its resources, and the variables that it completes. Returns the number
    /// with which `runEvent` is called.
    #[napi]
    pub fn add_template(
        &self,
        template: String,
        descriptor: Option<String>,
        lists: bool,
        completes: Vec<String>,
        exists: bool,
    ) -> Result<f64> {
        let template =
            Descriptor::parse(descriptor.as_deref()).and_then(|d| d.template(template)).map_err(thrown)?;
        let template = completes.into_iter().fold(template, Template::completes);
        self.with_existence(exists, |server, provider| server.add_template(template, provider, lists))
    }

    /// Registers a folder; `options` is JSON. Returns the text of its template.
    #[napi]
    pub fn add_directory(&self, path: String, options: String) -> Result<String> {
        let directory = descriptor::directory(path, &options).map_err(thrown)?;
        Ok(self.inner.server.directory(directory).map_err(thrown)?.registered_as().to_owned())
    }

    /// Registers a folder of skills; `options` is JSON. Returns the text of its template.
    #[napi]
    pub fn add_skills(&self, path: String, options: String) -> Result<String> {
        let skills = descriptor::skills(path, &options).map_err(thrown)?;
        Ok(self.inner.server.skills(skills).map_err(thrown)?.registered_as().to_owned())
    }

    /// Registers a list source. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_list(&self, name: Option<String>) -> Result<f64> {
        Ok(self.inner.server.add_list(name, None).map_err(thrown)?.number() as f64)
    }

    /// Registers a list source of skills. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_skill_list(&self, name: Option<String>) -> Result<f64> {
        Ok(self.inner.server.add_skill_list(name, None).map_err(thrown)?.number() as f64)
    }

    /// Sets the fallback, which reads URIs that no registration serves. Returns the number with which `runEvent` is
    /// called.
    #[napi]
    pub fn set_fallback(&self, exists: bool) -> Result<f64> {
        self.with_existence(exists, Server::set_fallback)
    }

    /// Registers a method of the application. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_method(&self, name: String, revisions: Option<Vec<String>>) -> Result<f64> {
        let mut method = Method::new(name);
        if let Some(revisions) = revisions {
            method = method.revisions(revisions);
        }
        Ok(self.inner.server.add_method(method, None).map_err(thrown)?.number() as f64)
    }

    /// Registers a search of resources. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_resource_search(&self) -> Result<f64> {
        Ok(self.inner.server.add_resource_search(None).map_err(thrown)?.number() as f64)
    }

    /// Registers a tool or a prompt; `members` is JSON. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_named(&self, prompt: bool, name: String, members: String) -> Result<f64> {
        let server = &self.inner.server;
        let members = Json::parse(members).map_err(thrown)?;
        let id = if prompt {
            server.add_prompt(&name, &members, None)
        } else {
            server.add_tool(&name, &members, None)
        };
        Ok(id.map_err(thrown)?.number() as f64)
    }

    /// Removes a tool or a prompt. Returns its registration number, under which JavaScript keeps its callback.
    #[napi]
    pub fn remove_named(&self, prompt: bool, name: String) -> Result<f64> {
        let server = &self.inner.server;
        let id = if prompt { server.remove_prompt(&name) } else { server.remove_tool(&name) };
        Ok(id.map_err(thrown)?.number() as f64)
    }

    /// Enables or disables a tool or prompt.
    #[napi]
    pub fn enable_named(&self, prompt: bool, name: String, enabled: bool) -> Result<()> {
        let server = &self.inner.server;
        let done = match (prompt, enabled) {
            (false, true) => server.enable_tool(&name),
            (false, false) => server.disable_tool(&name),
            (true, true) => server.enable_prompt(&name),
            (true, false) => server.disable_prompt(&name),
        };
        done.map_err(thrown)
    }

    /// Changes the definition of a tool or prompt; `changes` is JSON.
    #[napi]
    pub fn update_named(&self, prompt: bool, name: String, changes: String) -> Result<()> {
        let server = &self.inner.server;
        let changes = Json::parse(changes).map_err(thrown)?;
        let done =
            if prompt { server.update_prompt(&name, &changes) } else { server.update_tool(&name, &changes) };
        done.map_err(thrown)
    }

    /// Replaces the limits of a tool. A limit of 0 is refused; `undefined` means no limit.
    #[napi]
    pub fn limit_tool(
        &self,
        name: String,
        calls_in_flight: Option<f64>,
        caller_calls_in_flight: Option<f64>,
        caller_calls_per_minute: Option<f64>,
        call_ms: Option<f64>,
    ) -> Result<()> {
        let mut limits = ToolLimits::default();
        limits.calls_in_flight = calls_in_flight.map(|most| most as usize);
        limits.caller_calls_in_flight = caller_calls_in_flight.map(|most| most as usize);
        limits.caller_calls_per_minute = caller_calls_per_minute.map(|most| most as usize);
        limits.call_ms = call_ms.map(|ms| ms as u64);
        self.inner.server.limit_tool(&name, limits).map_err(thrown)
    }

    /// Registers a completer for an argument of a prompt. Returns the number with which `runEvent` is called.
    #[napi]
    pub fn add_prompt_completer(&self, prompt: String, argument: String) -> Result<f64> {
        let id = self.inner.server.add_prompt_completer(&prompt, &argument, None).map_err(thrown)?;
        Ok(id.number() as f64)
    }

    /// Removes a resource by its URI, or a template by its text. Returns its registration number; `None` if it had no
    /// callbacks.
    #[napi]
    pub fn remove_resource(&self, uri_or_template: String) -> Result<Option<f64>> {
        removed(self.inner.server.remove_resource(&uri_or_template))
    }

    /// Removes a list source by its name. Returns its registration number.
    #[napi]
    pub fn remove_list(&self, name: String) -> Result<Option<f64>> {
        removed(self.inner.server.remove_list(&name))
    }

    /// Removes a method by its name. Returns its registration number.
    #[napi]
    pub fn remove_method(&self, name: String) -> Result<Option<f64>> {
        removed(self.inner.server.remove_method(&name))
    }

    /// Runs `add`, with a provider that calls the function `exists` of JavaScript if `exists` is true. Returns the
    /// registration number.
    fn with_existence(
        &self,
        exists: bool,
        add: impl FnOnce(&Server, Option<Arc<dyn Provider>>) -> wellhead::Result<HandlerId>,
    ) -> Result<f64> {
        let (bell, number) = (self.inner.bell.clone(), exists::Number::default());
        let provider = exists.then(|| Arc::new(Exists { bell, number: number.clone() }) as Arc<dyn Provider>);
        let id = add(&self.inner.server, provider).map_err(thrown)?.number();
        number.get_or_init(|| id);
        Ok(id as f64)
    }
}

fn body_of(env: Env, body: &Unknown<'_>) -> Result<Body> {
    let js = Js::new(&env);
    answer::body(js, js.value(body)).ok_or_else(|| invalid("a body is a string or a Uint8Array"))
}

fn removed(handler: wellhead::Result<Option<HandlerId>>) -> Result<Option<f64>> {
    Ok(handler.map_err(thrown)?.map(|id| id.number() as f64))
}
