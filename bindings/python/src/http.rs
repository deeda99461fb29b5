//! How Streamable HTTP is served, from keyword arguments.

use crate::descriptor::in_argument;
use crate::errors::OrRaise;
use crate::registration::{Positional, verifier};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::time::Duration;
use wellhead::Server;
use wellhead::http::{EndpointBuilder, Protection};
use wellhead::serve::Http;

/// An endpoint, and who judges its clients' tokens.
pub(crate) struct Endpoint {
    pub(crate) builder: EndpointBuilder,
    pub(crate) verifier: Option<Positional>,
}

/// The endpoint of a program that has an HTTP server of its own.
pub(crate) fn endpoint(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<Endpoint> {
    let mut taken = Taken::new(server);
    for (name, value) in options {
        let name = name.cast::<PyString>()?.to_str()?;
        match name {
            "loopback" => {
                let loopback = value.extract().map_err(|e| in_argument(value.py(), name, e))?;
                taken.builder = taken.builder.loopback(loopback);
            }
            _ => taken.take("asgi", name, &value)?,
        }
    }
    taken.endpoint(options.py())
}

/// The native listener, and who judges its clients' tokens.
pub(crate) fn listener(server: &Server, options: &Bound<'_, PyDict>) -> PyResult<(Http, Option<Positional>)> {
    let mut taken = Taken::new(server);
    let mut of_listener = Vec::new();
    for (name, value) in options {
        let name = name.cast::<PyString>()?.to_str()?.to_owned();
        match name.as_str() {
            "connections" | "drain" | "io_threads" => of_listener.push((name, value)),
            "head_ms" | "idle_ms" => {
                let ms = value.extract().map_err(|e| in_argument(value.py(), &name, e))?;
                let head = name == "head_ms";
                taken.builder = if head { taken.builder.head_ms(ms) } else { taken.builder.idle_ms(ms) };
            }
            _ => taken.take("serve_http", &name, &value)?,
        }
    }
    let Endpoint { builder, verifier } = taken.endpoint(options.py())?;
    let mut http = Http::new(builder);
    for (name, value) in of_listener {
        let given = match name.as_str() {
            "connections" => value.extract().map(|most| http.connections(most)),
            "io_threads" => value.extract().map(|threads| http.io_threads(threads)),
            _ => value.extract().and_then(|drain| Ok(http.drain(seconds("drain", drain)?))),
        };
        http = given.map_err(|e| in_argument(value.py(), &name, e))?;
    }
    Ok((http, verifier))
}

pub(crate) fn seconds(name: &str, given: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(given)
        .map_err(|_| PyValueError::new_err(format!("{name} is a number of seconds, 0 or more")))
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

    fn take(&mut self, function: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.option(name, value).map_err(|e| in_argument(value.py(), name, e))? {
            return Ok(());
        }
        let message = format!("{function}() got an unexpected keyword argument '{name}'");
        Err(PyTypeError::new_err(message))
    }

    /// False: there is no option of this name.
    fn option(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let builder = self.builder.clone();
        self.builder = match name {
            "path" => builder.path(value.extract::<String>()?),
            "allowed_origins" => builder.allowed_origins(value.extract::<Vec<String>>()?),
            "allowed_hosts" => builder.allowed_hosts(value.extract::<Vec<String>>()?),
            "cors" => builder.cors(value.extract()?),
            "sessions" => builder.sessions(value.extract()?),
            "strict_accept" => builder.strict_accept(value.extract()?),
            "session_ms" => builder.session_ms(value.extract()?),
            "delete" => builder.delete(value.extract()?),
            "keep_alive_ms" => builder.keep_alive_ms(value.extract()?),
            "body_ms" => builder.body_ms(value.extract()?),
            "replay_bytes" => builder.replay_bytes(value.extract()?),
            "verify" => {
                self.verifier = if value.is_none() { None } else { Some(verifier(value)?) };
                builder
            }
            "resource" => {
                self.resource = value.extract()?;
                builder
            }
            "authorization_servers" => {
                self.authorization_servers = value.extract()?;
                builder
            }
            "scopes" => {
                self.scopes = value.extract()?;
                builder
            }
            _ => return Ok(false),
        };
        Ok(true)
    }

    fn endpoint(self, py: Python<'_>) -> PyResult<Endpoint> {
        let Taken { builder, verifier, resource, authorization_servers, scopes } = self;
        let told = resource.is_some() || !authorization_servers.is_empty() || !scopes.is_empty();
        if verifier.is_none() {
            if told {
                let message =
                    "resource=, authorization_servers= and scopes= go with verify=, which judges tokens";
                return Err(PyTypeError::new_err(message));
            }
            return Ok(Endpoint { builder, verifier });
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
        Ok(Endpoint { builder: builder.protect(protection), verifier })
    }
}
