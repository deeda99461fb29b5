//! Tools and prompts: the arguments of their decorators, and their registration.

use crate::convert;
use crate::errors::OrRaise;
use crate::exit::detach;
use crate::imported::Imported;
use crate::registration::{completers, pooled, positional};
use crate::server::Server;
use crate::table::Handler;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;
use wellhead::Json;

enum Family {
    Tool,
    Prompt,
}

/// The names of the arguments of `Server.tool`, in order.
pub(crate) const TOOL: [&str; 12] = [
    "name",
    "definition",
    "title",
    "description",
    "input_schema",
    "output_schema",
    "annotations",
    "icons",
    "meta",
    "app",
    "visibility",
    "thread",
];

/// The names of the arguments of `Server.prompt`, in order.
pub(crate) const PROMPT: [&str; 8] =
    ["name", "definition", "complete", "title", "description", "icons", "meta", "thread"];

/// Collects the keyword arguments that are members of a definition, such as `title`. Those that are None are left out.
pub(crate) fn members(
    decorator: &str,
    known: &[&str],
    members: Option<&Bound<'_, PyDict>>,
    py: Python<'_>,
) -> PyResult<Py<PyDict>> {
    let given = PyDict::new(py);
    for (member, value) in members.into_iter().flatten() {
        if !known.contains(&member.cast::<PyString>()?.to_str()?) {
            return Err(convert::unknown(decorator, &member, known));
        }
        if !value.is_none() {
            given.set_item(member, value)?;
        }
    }
    Ok(given.unbind())
}

/// Reads the first argument of a decorator: the name, or the function if the application wrote the decorator without
/// parentheses.
pub(crate) fn name_or_function<'py>(
    given: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Option<String>, Option<Bound<'py, PyAny>>)> {
    Ok(match given {
        Some(function) if function.is_callable() => (None, Some(function.clone())),
        Some(name) => (Some(convert::string("name", name)?), None),
        None => (None, None),
    })
}

/// Returns the argument `definition`. It is checked here, so that an exception names the mistake when the application
/// registers it.
pub(crate) fn definition(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    let definition = convert::optional(given, |definition| {
        convert::object("definition", definition)?;
        Ok(definition.clone())
    })?;
    Ok(definition.map(Bound::unbind))
}

/// A tool or a prompt to register, as `plan` of `_tools.py` or `_prompts.py` returns it.
#[derive(FromPyObject)]
struct Named<'py> {
    #[pyo3(item(0))]
    name: String,
    #[pyo3(item(1))]
    definition: Bound<'py, PyAny>,
    /// The function to call, which takes the arguments as a dict.
    #[pyo3(item(2))]
    function: Bound<'py, PyAny>,
    #[pyo3(item(3))]
    completers: Bound<'py, PyDict>,
}

/// Reads the changes of a definition, whose members may have the names of keywords.
pub(crate) fn changes(changes: &Bound<'_, PyAny>) -> PyResult<Json> {
    static MERGED: Imported = Imported::new("wellhead._tools", "merged");
    let given = convert::dict("changes", changes)?;
    convert::object("changes", &MERGED.get(changes.py())?.call1((changes.py().None(), given))?)
}

/// Registers a tool. `given` are the arguments of `plan` in `_tools.py`.
pub(crate) fn tool<'py>(
    py: Python<'py>,
    server: &Server,
    given: impl PyCallArgs<'py>,
    thread: Option<bool>,
) -> PyResult<()> {
    static PLAN: Imported = Imported::new("wellhead._tools", "plan");
    register(py, server, &Family::Tool, &PLAN.get(py)?.call1(given)?.extract()?, thread)
}

/// Registers a prompt. `given` are the arguments of `plan` in `_prompts.py`.
pub(crate) fn prompt<'py>(
    py: Python<'py>,
    server: &Server,
    given: impl PyCallArgs<'py>,
    thread: Option<bool>,
) -> PyResult<()> {
    static PLAN: Imported = Imported::new("wellhead._prompts", "plan");
    register(py, server, &Family::Prompt, &PLAN.get(py)?.call1(given)?.extract()?, thread)
}

fn register(
    py: Python<'_>,
    server: &Server,
    family: &Family,
    plan: &Named<'_>,
    thread: Option<bool>,
) -> PyResult<()> {
    let core = server.core(py);
    let name = plan.name.as_str();
    let mut method = positional(&plan.function, &["arguments"], 1, true)?;
    if thread == Some(true) {
        method.function = pooled(&plan.function)?.unbind();
    }
    method.quick |= thread.is_some();
    let completers = completers(&plan.completers, None)?;
    let needs_loop = method.is_async || completers.iter().any(|(_, completer)| completer.is_async);
    let definition = convert::object("definition", &plan.definition)?;
    let added = detach(py, || match family {
        Family::Tool => core.add_tool(name, &definition, None),
        Family::Prompt => core.add_prompt(name, &definition, None),
    });
    let mut handler = Handler { method: Some(Arc::new(method)), ..Handler::default() };
    let id = added.or_raise(py)?;
    for (argument, _) in &completers {
        let completing = detach(py, || core.add_prompt_completer(name, argument, None));
        handler.completing = Some(completing.or_raise(py)?); // the last number is that of all
    }
    if let Some(completing) = handler.completing {
        server.table.put(completing, Handler { completers, ..Handler::default() }, needs_loop);
    }
    server.table.put(id, handler, needs_loop);
    Ok(())
}
