//! How Streamable HTTP is served, from keyword arguments.

use crate::errors::OrRaise;
use crate::given;
use crate::registration::verifier;
use crate::table::Positional;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::time::Duration;
use wellhead::Server;
use wellhead::http::{EndpointBuilder, Protection};
use wellhead::serve::Http;

/// The options of an endpoint, and the function that judges its clients' tokens.
pub(crate) struct EndpointOptions {
    pub(crate) builder: EndpointBuilder,
    pub(crate) verifier: Option<Positional>,
}

/// The options of every endpoint.
const ENDPOINT: [&str; 16] = [
    "path",
    "allowed_origins",
    "allowed_hosts",
    "cors",
    "sessions",
    "strict_accept",
    "session_ms",
    "session_limit",
    "delete",
    "keep_alive_ms",
    "body_ms",
    "replay_bytes",
    "verify",
    "resource",
    "authorization_servers",
    "scopes",
];

/// The further options of the native listener.
const LISTENER: [&str; 5] = ["connections", "drain_ms", "io_threads", "head_ms", "idle_ms"];

/// The endpoint of a program that has an HTTP server of its own.
pub(crate) fn endpoint(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<EndpointOptions> {
    let mut taken = Taken::new(server);
    for (given, value) in options {
        let name = given.cast::<PyString>()?.to_str()?;
        if name == "loopback_only" {
            taken.builder = taken.builder.loopback_only(given::flag(name, &value)?);
        } else if !taken.option(name, &value)? {
            return Err(given::unknown("asgi", &given, &[&ENDPOINT[..], &["loopback_only"]].concat()));
        }
    }
    taken.endpoint(options.py())
}

/// The native listener, and who judges its clients' tokens.
pub(crate) fn listener(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<(Http, Option<Positional>)> {
    let mut taken = Taken::new(server);
    let mut of_listener = Vec::new();
    for (given, value) in options {
        let name = given.cast::<PyString>()?.to_str()?.to_owned();
        match name.as_str() {
            "head_ms" => taken.builder = taken.builder.head_ms(given::count(&name, &value)?),
            "idle_ms" => taken.builder = taken.builder.idle_ms(given::count(&name, &value)?),
            "connections" | "drain_ms" | "io_threads" => of_listener.push((name, value)),
            _ if taken.option(&name, &value)? => {}
            _ => {
                let of_function = ["host", "port", "callback_threads", "on_listening"];
                let known = [&ENDPOINT[..], &LISTENER, &of_function].concat();
                return Err(given::unknown("serve_http", &given, &known));
            }
        }
    }
    let EndpointOptions { builder, verifier } = taken.endpoint(options.py())?;
    let mut http = Http::new(builder);
    for (name, value) in of_listener {
        http = match name.as_str() {
            "connections" => http.connections(given::count(&name, &value)?),
            "io_threads" => http.io_threads(given::count(&name, &value)?),
            _ => http.drain(Duration::from_millis(given::count(&name, &value)?)),
        };
    }
    Ok((http, verifier))
}

/// Options of an endpoint, as far as they have been looked at.
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

    /// False: there is no option of this name.
    fn option(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let builder = self.builder.clone();
        self.builder = match name {
            "path" => builder.path(given::string(name, value)?),
            "allowed_origins" => builder.allowed_origins(given::strings(name, value)?),
            "allowed_hosts" => builder.allowed_hosts(given::strings(name, value)?),
            "cors" => builder.cors(given::flag(name, value)?),
            "sessions" => builder.sessions(given::flag(name, value)?),
            "strict_accept" => builder.strict_accept(given::flag(name, value)?),
            "session_ms" => builder.session_ms(given::count(name, value)?),
            "session_limit" => builder.session_limit(given::count(name, value)?),
            "delete" => builder.delete(given::flag(name, value)?),
            "keep_alive_ms" => builder.keep_alive_ms(given::count(name, value)?),
            "body_ms" => builder.body_ms(given::count(name, value)?),
            "replay_bytes" => builder.replay_bytes(given::count(name, value)?),
            "verify" => {
                self.verifier = if value.is_none() { None } else { Some(verifier(value)?) };
                builder
            }
            "resource" => {
                self.resource = given::optional(Some(value), |value| given::string(name, value))?;
                builder
            }
            "authorization_servers" => {
                self.authorization_servers = given::strings(name, value)?;
                builder
            }
            "scopes" => {
                self.scopes = given::strings(name, value)?;
                builder
            }
            _ => return Ok(false),
        };
        Ok(true)
    }

    fn endpoint(self, py: Python<'_>) -> PyResult<EndpointOptions> {
        let Taken { builder, verifier, resource, authorization_servers, scopes } = self;
        let told = resource.is_some() || !authorization_servers.is_empty() || !scopes.is_empty();
        if verifier.is_none() {
            if told {
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
