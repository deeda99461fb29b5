//! Makes a directory or a folder of skills from the arguments of `directory` and `skills`.

use crate::convert;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;
use wellhead::{Directory, Skills};

pub(crate) fn options(path: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Directory> {
    let path: PathBuf = path.extract().map_err(|_| convert::not_a("path", "a str or a path", path))?;
    let mut directory = Directory::new(path);
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        if value.is_none() && matches!(name, "include" | "exclude" | "max_file_bytes") {
            continue;
        }
        let Some(set) = convert::option(&directory, name, &value)? else {
            let known: Vec<_> = convert::options_of::<Directory>().collect();
            return Err(convert::unknown("directory", &given, &known));
        };
        directory = set;
    }
    Ok(directory)
}

pub(crate) fn skill_options(
    path: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Skills> {
    let path: PathBuf = path.extract().map_err(|_| convert::not_a("path", "a str or a path", path))?;
    let mut skills = Skills::new(path);
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        let Some(set) = convert::option(&skills, name, &value)? else {
            let known: Vec<_> = convert::options_of::<Skills>().collect();
            return Err(convert::unknown("skills", &given, &known));
        };
        skills = set;
    }
    Ok(skills)
}
