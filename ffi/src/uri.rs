//! URIs: made from templates, and explained.

use crate::boundary::{Promise, invalid, make};
use crate::foreign::unknown_flags;
use crate::server::wellhead_server;
use crate::status::wellhead_error;
use crate::text::wellhead_text;
use crate::types::wellhead_str;
use std::collections::BTreeMap;
use wellhead::{Result, Template, TemplateValue};

/// The value is an element of a list, even if it is the only one.
pub const WELLHEAD_VALUE_LIST: u32 = 1;

/// A value for a variable of a template, for wellhead_expand. Several values of one name, in the order of the array, are a
/// list. Several values with keys are the pairs of an associative array (RFC 6570 section 2.3).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_value {
    /// The name of the variable; required.
    pub name: wellhead_str,
    /// The name of the pair. If it is absent, the value is no pair.
    pub key: wellhead_str,
    /// The value, not encoded; required.
    pub value: wellhead_str,
    /// WELLHEAD_VALUE_LIST or 0.
    pub flags: u32,
}

/// Expands an RFC 6570 template, levels 1 to 4, to a URI. Variables without a value are left out; values of other names
/// are ignored. values: copied; may be NULL if value_count is 0. The application frees the result. Returns NULL if it
/// fails with INVALID_TEMPLATE, INVALID_UTF8 or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_expand(
    uri_template: wellhead_str,
    values: *const wellhead_value,
    value_count: usize,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let template = Template::new(promise.text(uri_template, "uri_template")?);
            let values = gathered(promise, promise.array(values, value_count, "values")?)?;
            template.expand(values).map(wellhead_text)
        })
    }
}

/// Gathers the values of each name.
fn gathered(promise: &Promise, values: &[wellhead_value]) -> Result<BTreeMap<String, TemplateValue>> {
    let mut all: BTreeMap<String, TemplateValue> = BTreeMap::new();
    for one in values {
        let name = promise.text(one.name, "name")?;
        let value = promise.text(one.value, "value")?.to_owned();
        let key = promise.optional(one.key, "key")?.map(str::to_owned);
        unknown_flags(one.flags, WELLHEAD_VALUE_LIST)?;
        let joined = match (all.remove(name), key) {
            (None, None) if one.flags & WELLHEAD_VALUE_LIST != 0 => TemplateValue::List(vec![value]),
            (None, None) => TemplateValue::Text(value),
            (None, Some(key)) => TemplateValue::Pairs(vec![(key, value)]),
            (Some(TemplateValue::Text(first)), None) => TemplateValue::List(vec![first, value]),
            (Some(TemplateValue::List(mut list)), None) => {
                list.push(value);
                TemplateValue::List(list)
            }
            (Some(TemplateValue::Pairs(mut pairs)), Some(key)) => {
                pairs.push((key, value));
                TemplateValue::Pairs(pairs)
            }
            _ => {
                return Err(invalid(format!(
                    "\"{name}\" has values with a key and without; give all of them one"
                )));
            }
        };
        all.insert(name.to_owned(), joined);
    }
    Ok(all)
}

/// Explains which registration serves a URI, and why each other template does not. Calls no callback. Returns JSON,
/// which the application frees: {"uri":…,"takenBy":…,"passedOver":[…]}. Returns NULL if it fails with INVALID_UTF8 or
/// INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_explain(
    server: *mut wellhead_server,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let server = promise.hold(server, "server")?;
            Ok(wellhead_text(server.server.explain(promise.text(uri, "uri")?).to_json()))
        })
    }
}
