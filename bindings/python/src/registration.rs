//! Registers callables: the second half of `@server.resource(…)` and its like.

use crate::arguments::{Parameter, Parameters};
use crate::descriptor::Descriptor;
use crate::errors::{OrRaise, error};
use crate::exit::detach;
use crate::hook::{Exists, Hook};
use crate::imported::Imported;
use crate::lock::lock;
use crate::named;
use crate::server::Server;
use crate::table::{Handler, Positional, Reader};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex};
use wellhead::{ErrorKind, Json, Method, Provider, Template, Variable};

/// The registration that a decorator makes once it gets its function.
pub(crate) enum What {
    /// A fixed URI or a template, with the function that lists the resources of the template.
    Resource {
        uri: String,
        descriptor: Descriptor,
        raw_values: bool,
        /// True if the function runs in the pool of threads, false if on the thread that serves. `None` if the
        /// application did not say.
        thread: Option<bool>,
        list: Option<Py<PyAny>>,
        complete: Option<Py<PyDict>>,
        exists: Option<Py<PyAny>>,
    },
    /// A page of MCP Apps, with what it needs of the client.
    App {
        uri: String,
        descriptor: Descriptor,
        ui: Json,
    },
    List {
        name: Option<String>,
    },
    /// A list source of skills.
    Skills {
        name: Option<String>,
    },
    Fallback {
        exists: Option<Py<PyAny>>,
    },
    Method {
        name: String,
        revisions: Option<Vec<String>>,
    },
    Search,
    Tool {
        /// The name of the tool. `None` stands for the name of the function.
        name: Option<String>,
        /// The whole definition. If it is `None`, the function's type hints make it, unless `given` has a schema.
        definition: Option<Py<PyAny>>,
        /// The keyword arguments of the decorator, by name.
        given: Py<PyDict>,
        /// True if the function runs in the pool of threads, as for a resource. `None` if the application did not say.
        thread: Option<bool>,
    },
    /// A prompt: the fields of a tool, and the completers of the prompt's arguments.
    Prompt {
        name: Option<String>,
        definition: Option<Py<PyAny>>,
        given: Py<PyDict>,
        complete: Option<Py<PyDict>>,
        thread: Option<bool>,
    },
    Around,
    Authorize,
    OnInterest,
    OnPublish,
}

/// The second half of `@server.resource(…)`: registers the function and returns it unchanged.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Decorator {
    server: Py<Server>,
    what: Mutex<Option<What>>,
}

impl Decorator {
    pub(crate) fn new(server: Py<Server>, what: What) -> Self {
        Decorator { server, what: Mutex::new(Some(what)) }
    }
}

#[pymethods]
impl Decorator {
    #[pyo3(signature = (function, /))]
    fn __call__<'py>(&self, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let what = lock(&self.what).take();
        let Some(what) = what else {
            return Err(pyo3::exceptions::PyTypeError::new_err("a decorator registers one function"));
        };
        register(function.py(), self.server.get(), what, &function)?;
        Ok(function)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)?;
        match self.what.try_lock().as_deref() {
            Ok(Some(What::Tool { definition, given, .. })) => {
                visit.call(definition)?;
                visit.call(given)
            }
            Ok(Some(What::Prompt { definition, given, complete, .. })) => {
                visit.call(definition)?;
                visit.call(given)?;
                visit.call(complete)
            }
            Ok(Some(What::Resource { list, complete, exists, .. })) => {
                visit.call(list)?;
                visit.call(complete)?;
                visit.call(exists)
            }
            Ok(Some(What::Fallback { exists })) => visit.call(exists),
            _ => Ok(()),
        }
    }
}

/// The plan of how to call a function, which `_parameters.py` made from its signature.
#[derive(FromPyObject)]
struct Plan {
    #[pyo3(item(0))]
    parameters: Vec<Parameter>,
    #[pyo3(item(1))]
    is_async: bool,
    #[pyo3(item(2))]
    name: Option<Py<PyString>>,
    #[pyo3(item(3))]
    description: Option<Py<PyString>>,
    /// The completers of the variables whose type has few values, such as an enum.
    #[pyo3(item(4))]
    completers: Py<PyDict>,
}

/// Registers `function`. Its signature is read here, once, and not at each call.
pub(crate) fn register(
    py: Python<'_>,
    server: &Server,
    what: What,
    function: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let core = server.core(py);
    match what {
        What::Resource { uri, mut descriptor, raw_values, thread, list, complete, exists } => {
            let template = uri.contains(['{', '}']); // neither stands in a URI
            let refused = match template {
                true if descriptor.size.is_some() => Some("size= is for one resource"),
                true if descriptor.version.is_some() => Some("version= is for one resource"),
                false if list.is_some() => Some("list= is for templates"),
                false if complete.is_some() => Some("complete= is for templates"),
                false if raw_values => Some("raw_values= is for templates"),
                _ => None,
            };
            if let Some(why) = refused {
                return Err(error(py, ErrorKind::InvalidArgument, why));
            }
            let variables =
                if template { Template::new(uri.as_str()).variables().or_raise(py)? } else { Vec::new() };
            let plan = plan(function, &variables, false)?;
            descriptor.name = descriptor.name.or(plan.name);
            descriptor.description = descriptor.description.or(plan.description);
            let list = list.map(|list| listing(list.bind(py))).transpose()?;
            let lists = list.is_some();
            let complete = complete.map(|complete| complete.into_bound(py));
            let completers = completers(plan.completers.bind(py), complete.as_ref())?;
            let variables: Vec<_> = completers.iter().map(|(variable, _)| variable.clone()).collect();
            let mut others = list.iter().chain(completers.iter().map(|(_, completer)| completer));
            let needs_loop = plan.is_async || others.any(|other| other.is_async);
            let called = if thread == Some(true) { pooled(function)? } else { function.clone() };
            let quick = plan.is_async || thread.is_some();
            let read = Some(reader(&called, plan.parameters, quick, descriptor.mime_type.is_some()));
            let (exists, provider) = with_existence(py, server, exists)?.unzip();
            let handler = Handler { read, list, completers, exists, ..Handler::default() };
            let id = if template {
                let mut template = descriptor.template(py, &uri)?;
                if raw_values {
                    template = template.raw_values();
                }
                for variable in variables {
                    template = template.completes(variable);
                }
                detach(py, || core.add_template(template, provider, lists)).or_raise(py)?
            } else {
                let resource = descriptor.resource(py, &uri)?;
                detach(py, || core.add_resource(resource, provider)).or_raise(py)?
            };
            server.table.put(id, handler, needs_loop);
        }
        What::App { uri, descriptor, ui } => app(py, server, function, (&uri, descriptor, &ui))?,
        What::List { name } => list(py, server, function, name)?,
        What::Skills { name } => skills(py, server, function, name)?,
        What::Fallback { exists } => {
            let plan = plan(function, &[], true)?;
            let read = Some(reader(function, plan.parameters, plan.is_async, false));
            let (exists, provider) = with_existence(py, server, exists)?.unzip();
            let handler = Handler { read, exists, ..Handler::default() };
            let id = detach(py, || core.set_fallback(provider)).or_raise(py)?;
            server.table.put_fallback(id, handler, plan.is_async);
        }
        What::Method { name, revisions } => {
            let handler = positional(function, &["params"], 1, true)?;
            let is_async = handler.is_async;
            let mut method = Method::new(name);
            if let Some(revisions) = revisions {
                method = method.revisions(revisions);
            }
            let id = detach(py, || core.add_method(method, None)).or_raise(py)?;
            server.table.put(id, Handler { method: Some(Arc::new(handler)), ..Handler::default() }, is_async);
        }
        What::Search => search(py, server, function)?,
        What::Tool { name, definition, given, thread } => {
            named::tool(py, server, (function, name, definition, given), thread)?;
        }
        What::Prompt { name, definition, given, complete, thread } => {
            named::prompt(py, server, (function, name, definition, given, complete), thread)?;
        }
        What::Around => around(py, server, function)?,
        // The core only needs to know that there is one; what it asks is asked of the callable in the table.
        What::Authorize => {
            server.table.put_gatekeeper(positional(function, &["operation", "targets"], 2, true)?);
            detach(py, || core.authorize(|_| Vec::new())).or_raise(py)?;
        }
        What::OnInterest => {
            server.table.put_interest(positional(function, &["uri", "wanted"], 2, false)?);
            detach(py, || core.on_interest(|_| ())).or_raise(py)?;
        }
        What::OnPublish => {
            let Positional { function, is_async, .. } = positional(function, &["event"], 1, false)?;
            if is_async {
                let why = "on_publish calls its function at once; make it a def";
                return Err(error(py, ErrorKind::InvalidArgument, why));
            }
            server.publisher.set(Some(function));
            let publisher = server.publisher.clone();
            detach(py, || core.on_publish(move |event| publisher.publish(event))).or_raise(py)?;
        }
    }
    Ok(())
}

fn around(py: Python<'_>, server: &Server, function: &Bound<'_, PyAny>) -> PyResult<()> {
    static AROUND: Imported = Imported::new("wellhead._around", "around");
    let around = AROUND.get(py)?.call1((function,))?;
    if server.core(py).is_closed() {
        return Err(error(py, ErrorKind::Closed, "the server is closed"));
    }
    server.table.add_around(py, &around)
}

fn app(
    py: Python<'_>,
    server: &Server,
    function: &Bound<'_, PyAny>,
    (uri, mut descriptor, ui): (&str, Descriptor, &Json),
) -> PyResult<()> {
    let plan = plan(function, &[], false)?;
    descriptor.name = descriptor.name.or(plan.name);
    descriptor.description = descriptor.description.or(plan.description);
    let read = Some(reader(function, plan.parameters, plan.is_async, true));
    let resource = descriptor.resource(py, uri)?;
    let core = server.core(py);
    let id = detach(py, || core.add_app(resource, ui, None)).or_raise(py)?;
    server.table.put(id, Handler { read, ..Handler::default() }, plan.is_async);
    Ok(())
}

fn list(py: Python<'_>, server: &Server, function: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<()> {
    let list = listing(function)?;
    let is_async = list.is_async;
    let core = server.core(py);
    let id = detach(py, || core.add_list(name, None)).or_raise(py)?;
    server.table.put(id, Handler { list: Some(list), ..Handler::default() }, is_async);
    Ok(())
}

fn skills(
    py: Python<'_>,
    server: &Server,
    function: &Bound<'_, PyAny>,
    name: Option<String>,
) -> PyResult<()> {
    let list = positional(function, &["after", "limit"], 2, true)?;
    let is_async = list.is_async;
    let core = server.core(py);
    let id = detach(py, || core.add_skill_list(name, None)).or_raise(py)?;
    server.table.put(id, Handler { list: Some(Arc::new(list)), ..Handler::default() }, is_async);
    Ok(())
}

fn search(py: Python<'_>, server: &Server, function: &Bound<'_, PyAny>) -> PyResult<()> {
    let handler = positional(function, &["arguments"], 1, true)?;
    let is_async = handler.is_async;
    let core = server.core(py);
    let id = detach(py, || core.add_resource_search(None)).or_raise(py)?;
    server.table.put(id, Handler { method: Some(Arc::new(handler)), ..Handler::default() }, is_async);
    Ok(())
}

fn reader(function: &Bound<'_, PyAny>, parameters: Vec<Parameter>, quick: bool, typed: bool) -> Arc<Reader> {
    let function = function.clone().unbind();
    Arc::new(Reader { function, parameters: Parameters::new(parameters), quick, typed })
}

pub(crate) fn pooled<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static IN_POOL: Imported = Imported::new("wellhead._parameters", "in_pool");
    IN_POOL.get(function.py())?.call1((function,))
}

fn plan(function: &Bound<'_, PyAny>, variables: &[Variable], uri: bool) -> PyResult<Plan> {
    static PLAN: Imported = Imported::new("wellhead._parameters", "plan");
    let py = function.py();
    let variables: Vec<_> = variables.iter().map(|v| (&*v.name, v.optional, v.list)).collect();
    PLAN.get(py)?.call1((function, variables, uri))?.extract()
}

/// Makes the function of a list source from a function, or from the items of a list.
fn listing(given: &Bound<'_, PyAny>) -> PyResult<Arc<Positional>> {
    static LISTING: Imported = Imported::new("wellhead._parameters", "listing");
    LISTING.get(given.py())?.call1((given,))?.extract().map(Arc::new)
}

/// Returns the completers by variable: those that the application gave, and those that the types of other variables
/// imply.
pub(crate) fn completers(
    own: &Bound<'_, PyDict>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<(String, Arc<Positional>)>> {
    static COMPLETER: Imported = Imported::new("wellhead._parameters", "completer");
    let completer = COMPLETER.get(own.py())?;
    if let Some(given) = given {
        own.update(given.as_mapping())?;
    }
    let made = own.iter().map(|(name, given)| {
        let completer = completer.call1((given,))?.extract()?;
        Ok((name.extract()?, Arc::new(completer)))
    });
    made.collect()
}

/// Makes the hook for the function `exists` of a registration, and the core's share of that hook.
fn with_existence(
    py: Python<'_>,
    server: &Server,
    given: Option<Py<PyAny>>,
) -> PyResult<Option<(Hook, Arc<dyn Provider>)>> {
    let Some(given) = given else { return Ok(None) };
    let given = positional(given.bind(py), &["uri"], 1, false)?;
    if given.is_async {
        return Err(error(py, ErrorKind::InvalidArgument, "exists= answers at once; make it a def"));
    }
    let hook = Hook::new(Some(given.function), server.alive.share(py)?);
    Ok(Some((hook.clone(), Arc::new(Exists(hook, server.base.clone())))))
}

/// Reads the `verify` function, which judges bearer tokens.
pub(crate) fn verifier(function: &Bound<'_, PyAny>) -> PyResult<Positional> {
    positional(function, &["token"], 1, true)
}

/// Reads the `observe` function.
pub(crate) fn observer(function: &Bound<'_, PyAny>) -> PyResult<Positional> {
    positional(function, &["observed"], 1, false)
}

/// Checks that a function takes the arguments of these names by position, or at least the first `required` of them.
pub(crate) fn positional(
    function: &Bound<'_, PyAny>,
    names: &[&str],
    required: usize,
    call: bool,
) -> PyResult<Positional> {
    static POSITIONAL: Imported = Imported::new("wellhead._parameters", "positional");
    let given = (function, PyTuple::new(function.py(), names)?, required, call);
    POSITIONAL.get(function.py())?.call1(given)?.extract()
}
