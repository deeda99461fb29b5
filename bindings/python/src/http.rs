//! Serves Streamable HTTP, from keyword arguments.

use crate::convert;
use crate::errors::OrRaise;
use crate::registration::verifier;
use crate::table::Positional;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::http::{EndpointBuilder, Protection};
use wellhead::serve::Http;
use wellhead::{Server, SetOption};

/// The options of an endpoint, and the function that judges its clients' tokens.
pub(crate) struct EndpointOptions {
    pub(crate) builder: EndpointBuilder,
    pub(crate) verifier: Option<Positional>,
}

/// The endpoint arguments about bearer tokens.
const OF_TOKENS: [&str; 4] = ["verify", "resource", "authorization_servers", "scopes"];

/// Reads the options of an endpoint for a program that has an HTTP server of its own.
pub(crate) fn endpoint(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<EndpointOptions> {
    let is_known = |name: &str| !matches!(name, "head_ms" | "idle_ms"); // the HTTP server's own
    let mut taken = Taken::new(server);
    for (given, value) in options {
        let name = given.cast::<PyString>()?.to_str()?;
        if !is_known(name) || !taken.option(name, &value)? {
            let known = convert::options_of::<EndpointBuilder>().filter(|name| is_known(name));
            let known: Vec<_> = known.chain(OF_TOKENS).collect();
            return Err(convert::unknown("asgi", &given, &known));
        }
    }
    taken.endpoint(options.py())
}

/// Reads the options of the library's own listener. Returns it and the function that judges its clients' tokens, if
/// there is one.
pub(crate) fn listener(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<(Http, Option<Positional>)> {
    // The first follows from the address; signals are Python's.
    let is_known = |name: &str| !matches!(name, "loopback_only" | "handle_sigterm");
    let mut taken = Taken::new(server);
    let mut of_listener = Vec::new();
    for (given, value) in options {
        let name = given.cast::<PyString>()?.to_str()?.to_owned();
        if is_known(&name) && Http::find_option(&name).is_some() {
            of_listener.push((name, value));
        } else if !is_known(&name) || !taken.option(&name, &value)? {
            let known = convert::options_of::<EndpointBuilder>().chain(convert::options_of::<Http>());
            let known = known.filter(|name| is_known(name)).chain(OF_TOKENS);
            let known: Vec<_> = known.chain(["host", "port", "on_listening"]).collect();
            return Err(convert::unknown("serve_http", &given, &known));
        }
    }
    let EndpointOptions { builder, verifier } = taken.endpoint(options.py())?;
    let mut http = Http::new(builder);
    for (name, value) in of_listener {
        http = convert::option(&http, &name, &value)?.unwrap_or(http);
    }
    Ok((http, verifier))
}

/// The options of an endpoint that were checked so far.
struct Taken {
    builder: EndpointBuilder,
    verifier: Option<Positional>,
    resource: Option<String>,
    authorization_servers: Vec<String>,
    scopes: Vec<String>,
}

impl Taken {
    fn new(server: &Server) -> Self {
        Taken {
            builder: server.endpoint(),
            verifier: None,
            resource: None,
            authorization_servers: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Takes one option. Returns false if there is no option of this name.
    fn option(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match name {
            "verify" => self.verifier = if value.is_none() { None } else { Some(verifier(value)?) },
            "resource" => {
                self.resource = convert::optional(Some(value), |value| convert::string(name, value))?;
            }
            "authorization_servers" => self.authorization_servers = convert::strings(name, value)?,
            "scopes" => self.scopes = convert::strings(name, value)?,
            _ => {
                let Some(builder) = convert::option(&self.builder, name, value)? else { return Ok(false) };
                self.builder = builder;
            }
        }
        Ok(true)
    }

    fn endpoint(self, py: Python<'_>) -> PyResult<EndpointOptions> {
        let Taken { builder, verifier, resource, authorization_servers, scopes } = self;
        let protected = resource.is_some() || !authorization_servers.is_empty() || !scopes.is_empty();
        if verifier.is_none() {
            if protected {
                let message =
                    "resource=, authorization_servers= and scopes= go with verify=, which judges tokens";
                return Err(PyTypeError::new_err(message));
            }
            return Ok(EndpointOptions { builder, verifier });
        }
        let protection = match resource {
            Some(resource) => Protection::new(&resource, authorization_servers).or_raise(py)?,
            None if authorization_servers.is_empty() => Protection::default(),
            None => {
                let message = "authorization_servers= goes with resource=, the URL that clients know";
                return Err(PyTypeError::new_err(message));
            }
        };
        let protection = protection.scopes(scopes).or_raise(py)?;
        Ok(EndpointOptions { builder: builder.protect(protection), verifier })
    }
}
