//! Explains to people which registration takes a URI, and why the others do not.

use super::registry::{Catalog, Found};
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::uri::{Captures, Miss, TemplateValue, UriTemplate, Value, check_uri};
use crate::wire::separated;
use std::fmt;

/// The result of [`crate::Server::explain`] for one URI. `Display` writes it in a few lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The URI that is explained.
    pub uri: String,
    /// The registration that takes the URI.
    pub taken_by: TakenBy,
    /// A registration that differs from the URI only by a final slash, or by the case of scheme or host. `None` if
    /// there is no such one, or if a registration takes the URI.
    pub did_you_mean: Option<String>,
    /// The templates that do not take the URI, by their text in byte order. Empty if the URI is invalid.
    pub passed_over: Vec<PassedOver>,
}

/// The registration that takes a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TakenBy {
    /// A text or bytes, registered under exactly this URI and served without a callback.
    Fixed,
    /// A callback that is registered for exactly this URI.
    Resource,
    /// A template, with the decoded values of the variables that are present.
    Template {
        /// The template's text.
        uri_template: String,
        /// Names and values, in the order of the template.
        vars: Vec<(String, TemplateValue)>,
    },
    /// The fallback.
    Fallback,
    /// No registration: the URI is not found.
    Nothing,
    /// The text is not an absolute URI, for this reason.
    Invalid(String),
}

/// A template that does not take a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOver {
    /// The template's text.
    pub uri_template: String,
    /// The reason why it does not take the URI.
    pub why: Why,
}

/// The reason why a template does not take a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The template does not match, because the URI differs from it at a byte.
    Differs {
        /// The offset of that byte; the length of the URI if the URI ends too early.
        at: usize,
        /// A template that would match: this one with `{+name}` in place of `{name}`. `None` if that would not match
        /// either.
        did_you_mean: Option<String>,
    },
    /// The template matches, but a decoded value is not UTF-8, or a variable that may occur once occurs twice.
    InvalidValue,
    /// The template matches, but the value of this variable is a path that leads outside, or has a control character.
    /// Then the URI is not found, even if other templates match.
    Unsafe {
        /// The variable's name.
        variable: String,
    },
    /// The template matches, but a more specific registration takes the URI.
    LessSpecific,
}

impl Explanation {
    /// Returns one JSON object, equal in every language. Its members are:
    ///
    /// - `uri`;
    /// - `takenBy`: `fixed`, `resource`, `template`, `fallback`, `nothing` or `invalid`;
    /// - for a template `uriTemplate`, and `vars`: an object of strings and arrays;
    /// - for an invalid URI `reason`;
    /// - optionally `didYouMean`;
    /// - `passedOver`: an array of objects with `uriTemplate` and `why`.
    ///
    /// `why` is `differs` (with `at` and optionally `didYouMean`), `invalid_value`, `unsafe` (with `variable`) or
    /// `less_specific`.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut object = Object::begin(&mut out);
        object.string("uri", &self.uri).string("takenBy", self.taken_by.word());
        match &self.taken_by {
            TakenBy::Template { uri_template, vars } => {
                object.string("uriTemplate", uri_template);
                write_values(object.member("vars"), vars);
            }
            TakenBy::Invalid(reason) => {
                object.string("reason", reason);
            }
            _ => {}
        }
        if let Some(near) = &self.did_you_mean {
            object.string("didYouMean", near);
        }
        let list = object.member("passedOver");
        list.push(b'[');
        separated(list, &self.passed_over, |out, passed| passed.write(out));
        list.push(b']');
        object.end();
        String::from_utf8(out).expect("escaped text stays text")
    }
}

impl TakenBy {
    fn word(&self) -> &'static str {
        match self {
            TakenBy::Fixed => "fixed",
            TakenBy::Resource => "resource",
            TakenBy::Template { .. } => "template",
            TakenBy::Fallback => "fallback",
            TakenBy::Nothing => "nothing",
            TakenBy::Invalid(_) => "invalid",
        }
    }
}

impl PassedOver {
    fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::begin(out);
        object.string("uriTemplate", &self.uri_template);
        match &self.why {
            Why::Differs { at, did_you_mean } => {
                object.string("why", "differs").raw("at", at.to_string());
                if let Some(instead) = did_you_mean {
                    object.string("didYouMean", instead);
                }
            }
            Why::InvalidValue => {
                object.string("why", "invalid_value");
            }
            Why::Unsafe { variable } => {
                object.string("why", "unsafe").string("variable", variable);
            }
            Why::LessSpecific => {
                object.string("why", "less_specific");
            }
        }
        object.end();
    }
}

fn write_values(out: &mut Vec<u8>, values: &[(String, TemplateValue)]) {
    out.push(b'{');
    separated(out, values, |out, (name, value)| {
        quote_into(name, out);
        out.push(b':');
        match value {
            TemplateValue::Text(text) => quote_into(text, out),
            TemplateValue::List(list) => {
                out.push(b'[');
                separated(out, list, |out, text| quote_into(text, out));
                out.push(b']');
            }
            TemplateValue::Pairs(_) => out.extend_from_slice(b"null"), // no match makes pairs
        }
    });
    out.push(b'}');
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = &self.uri;
        match &self.taken_by {
            TakenBy::Fixed => write!(f, "{uri} is a fixed value")?,
            TakenBy::Resource => write!(f, "{uri} is read by the callback of that resource")?,
            TakenBy::Template { uri_template, vars } => {
                write!(f, "{uri} is read by the template {uri_template}")?;
                for (name, value) in vars {
                    match value {
                        TemplateValue::Text(text) => write!(f, ", {name} = {text:?}")?,
                        other => write!(f, ", {name} = {other:?}")?,
                    }
                }
            }
            TakenBy::Fallback => write!(f, "{uri} is read by the fallback")?,
            TakenBy::Nothing => write!(f, "{uri} is not found")?,
            TakenBy::Invalid(reason) => write!(f, "{uri:?} is {reason}")?,
        }
        if let Some(near) = &self.did_you_mean {
            write!(f, "; did you mean {near}?")?;
        }
        for PassedOver { uri_template, why } in &self.passed_over {
            write!(f, "\n  {uri_template}: ")?;
            match why {
                Why::Differs { at, .. } if *at >= uri.len() => write!(f, "the URI ends too early"),
                Why::Differs { at, .. } => {
                    write!(f, "does not match from byte {at}, \"{}\"", uri.get(*at..).unwrap_or_default())
                }
                Why::InvalidValue => {
                    write!(f, "a value is not UTF-8, or stands twice where it may stand once")
                }
                Why::Unsafe { variable } => write!(f, "the value of {variable} is not safe"),
                Why::LessSpecific => write!(f, "matches, and is less specific"),
            }?;
            if let Why::Differs { did_you_mean: Some(instead), .. } = why {
                write!(f, "; did you mean {instead}?")?;
            }
        }
        Ok(())
    }
}

impl Catalog {
    pub(crate) fn explain(&self, uri: &str) -> Explanation {
        let first = self.templates.find(uri).map(|(template, ..)| template.as_str());
        let taken_by = match self.find(uri) {
            Found::Invalid => {
                let reason = check_uri(uri).err().map_or_else(String::new, |reason| reason.to_string());
                let taken_by = TakenBy::Invalid(reason);
                return Explanation {
                    uri: uri.to_owned(),
                    taken_by,
                    did_you_mean: None,
                    passed_over: Vec::new(),
                };
            }
            Found::Value(_) => TakenBy::Fixed,
            Found::Nothing => TakenBy::Nothing,
            Found::Call { handler, .. } if handler.is_of_resource() => TakenBy::Resource,
            Found::Call { handler, vars } if vars.is_of_template() => TakenBy::Template {
                uri_template: first.unwrap_or_default().to_owned(),
                vars: vars
                    .iter(&handler)
                    .map(|(name, value)| (name.to_owned(), TemplateValue::from(value)))
                    .collect(),
            },
            Found::Call { .. } => TakenBy::Fallback,
        };
        let refused = first.filter(|_| taken_by == TakenBy::Nothing);
        let passed_over = self
            .templates
            .iter()
            .filter(|(template, _)| match &taken_by {
                TakenBy::Template { uri_template, .. } => template.as_str() != uri_template,
                _ => true,
            })
            .map(|(template, handler)| PassedOver {
                uri_template: template.as_str().to_owned(),
                why: why(template, uri, refused == Some(template.as_str()), &handler.variables),
            })
            .collect();
        let did_you_mean = if taken_by == TakenBy::Nothing { self.near(uri) } else { None };
        Explanation { uri: uri.to_owned(), taken_by, did_you_mean, passed_over }
    }
}

/// Returns why a template does not take the URI. `refused` is true if it was the most specific one, and its values were
/// refused.
fn why(template: &UriTemplate, uri: &str, refused: bool, variables: &[Box<str>]) -> Why {
    match template.explain(uri) {
        Err(Miss::Differs { at, instead }) => Why::Differs { at, did_you_mean: instead },
        Err(Miss::Values) => Why::InvalidValue,
        Ok(captures) => match unsafe_variable(&captures, variables) {
            Some(variable) if refused => Why::Unsafe { variable },
            _ => Why::LessSpecific,
        },
    }
}

fn unsafe_variable(captures: &Captures, variables: &[Box<str>]) -> Option<String> {
    Some(variables.get(captures.first_unsafe()?)?.to_string())
}

impl From<&Value> for TemplateValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::One(text) => TemplateValue::Text(text.to_string()),
            Value::Many(list) => TemplateValue::List(list.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Server, Template};

    // row: U-47
    #[test]
    fn an_explanation_reads_well() {
        let server = Server::builder("s", "1").on_log(|_, _| ()).build().unwrap();
        for text in ["file:///{path}", "file:///x/{+rest}", "file:///{a}/b"] {
            server.template(Template::new(text), |_| "").unwrap();
        }
        assert_eq!(
            server.explain("file:///a/c").to_string(),
            "file:///a/c is not found\n  \
             file:///x/{+rest}: does not match from byte 8, \"a/c\"\n  \
             file:///{a}/b: does not match from byte 10, \"c\"\n  \
             file:///{path}: does not match from byte 9, \"/c\"; did you mean file:///{+path}?"
        );
        assert_eq!(
            server.explain("file:///x/").to_string(),
            "file:///x/ is not found; did you mean file:///{path}?\n  \
             file:///x/{+rest}: the URI ends too early\n  \
             file:///{a}/b: the URI ends too early\n  \
             file:///{path}: does not match from byte 9, \"/\"; did you mean file:///{+path}?"
        );
        assert!(
            server
                .explain("file:///q")
                .to_string()
                .starts_with("file:///q is read by the template file:///{path}, path = \"q\"\n")
        );
    }
}
