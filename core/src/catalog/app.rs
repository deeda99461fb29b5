//! MCP Apps: pages that clients show, and the tools that open them.

use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, boolean, for_each_member, is_object, members, string, strings};
use crate::log::printable;
use crate::model::{APP_TYPE, CacheHint, Contents, Json, Resource};
use std::borrow::Cow;

/// The scheme of the URIs of apps.
const SCHEME: &str = "ui://";

/// The members of `csp` that list origins. The flag says whether an empty list is sent.
const ORIGINS: [(&str, bool); 4] =
    [("connectDomains", true), ("resourceDomains", true), ("frameDomains", false), ("baseUriDomains", false)];

const PERMISSIONS: [&str; 4] = ["camera", "microphone", "geolocation", "clipboardWrite"];

/// The greatest number of bytes of a page that common clients accept.
const LARGEST: usize = 5_000_000;

/// Returns the resource of an app: with its MIME type, its name and `_meta.ui`, which lists and reads share.
pub(crate) fn app(mut resource: Resource, ui: &Json) -> Result<Resource> {
    let uri = resource.uri.clone();
    let invalid = |what: String| Error::new(ErrorKind::InvalidArgument, format!("the app \"{uri}\" {what}"));
    let rest = uri.strip_prefix(SCHEME).unwrap_or_default();
    if rest.is_empty() || rest.starts_with(['/', '?', '#']) {
        return Err(invalid("needs a URI such as ui://clock/view".to_owned()));
    }
    if let Some(other) = resource.descriptor.mime_type.as_deref().filter(|given| *given != APP_TYPE) {
        return Err(invalid(format!("has the MIME type \"{other}\"; leave it out, it is {APP_TYPE}")));
    }
    let ui = checked_ui(ui).map_err(invalid)?;
    resource.descriptor.mime_type = Some(APP_TYPE.to_owned());
    resource.descriptor.name.get_or_insert_with(|| rest.to_owned());
    let rare = resource.descriptor.rare();
    rare.meta = Some(with_ui(rare.meta.as_ref(), &ui, None).map_err(invalid)?);
    rare.cache = rare.cache.or(CacheHint::new().ttl_ms(0)); // clients keep pages for long as it is
    Ok(resource)
}

/// Returns a line for the log about a page that clients may refuse.
pub(crate) fn doubtful(uri: &str, html: &[u8]) -> Option<String> {
    if html.len() > LARGEST {
        return Some(format!(
            "the app \"{uri}\" has {} bytes; some clients take at most {LARGEST}",
            html.len()
        ));
    }
    let mut rest = html.trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let end = comment.windows(3).position(|three| three == b"-->").map_or(comment.len(), |at| at + 3);
        rest = comment[end..].trim_ascii_start();
    }
    let begins = rest.get(..14).is_some_and(|head| head.eq_ignore_ascii_case(b"<!doctype html"));
    (!begins).then(|| format!("the app \"{uri}\" is no HTML5 document; begin it with <!doctype html>"))
}

/// Returns a line for the log if a callback gives the page of an app another MIME type, which clients do not get.
pub(crate) fn other_type(uri: &str, page: &Contents) -> Option<String> {
    let other = page.mime_type.as_deref().filter(|given| *given != APP_TYPE)?;
    Some(format!(
        "the callback of the app \"{uri}\" gave the MIME type \"{}\"; leave it out, it is {APP_TYPE}",
        printable(other, 64)
    ))
}

/// Writes the members `app` and `visibility` of a tool as the `_meta` that clients read.
pub(crate) fn with_app<'a>(name: &str, definition: &'a Json) -> Result<Cow<'a, Json>> {
    let invalid =
        |what: String| Error::new(ErrorKind::InvalidArgument, format!("the tool \"{name}\" {what}"));
    let found = members(definition.raw(), &["app", "visibility", "_meta"]);
    let [app, visibility, meta] = found.map_err(|twice| invalid(format!("has {twice}")))?;
    // A tool may also have its visibility in raw metadata.
    if let Some(given) = visibility.or_else(|| of_ui(meta?, "visibility")) {
        let words = strings(given)
            .filter(|words| !words.is_empty() && words.iter().all(|word| matches!(&**word, "model" | "app")));
        if words.is_none() {
            let what = "needs an array of \"model\" and \"app\" as \"visibility\"";
            return Err(invalid(format!("{what} (got {})", given.get())));
        }
    }
    if app.is_none() && visibility.is_none() {
        return Ok(Cow::Borrowed(definition));
    }
    let uri = app.map(|app| string(app).filter(|uri| uri.starts_with(SCHEME)));
    if let (Some(None), Some(app)) = (&uri, app) {
        return Err(invalid(format!(
            "needs the URI of an app as \"app\", such as ui://clock/view (got {})",
            app.get()
        )));
    }
    let uri = uri.flatten();
    let mut ui = Vec::new();
    let mut written = Object::begin(&mut ui);
    if let Some(uri) = &uri {
        written.string("resourceUri", uri);
    }
    if let Some(visibility) = visibility {
        written.raw("visibility", visibility.get());
    }
    written.end();
    if meta.is_some_and(|meta| !is_object(meta)) {
        return Ok(Cow::Borrowed(definition)); // refused with the other members
    }
    let meta = meta.map(Json::received);
    let meta = with_ui(meta.as_ref(), &Json::written(ui), uri.as_deref()).map_err(invalid)?;
    let mut out = Vec::new();
    let mut all = Object::begin(&mut out);
    for_each_member(definition.raw(), |name, value| {
        if !["app", "visibility", "_meta"].contains(&name) {
            all.any_member(name).extend_from_slice(value.get().as_bytes());
        }
    });
    all.raw("_meta", meta.as_str());
    all.end();
    Ok(Cow::Owned(Json::written(out)))
}

/// Returns the URI of the app that the `_meta` of a tool names.
pub(super) fn app_of(meta: Raw<'_>) -> Option<Box<str>> {
    string(of_ui(meta, "resourceUri")?).map(|uri| (*uri).into())
}

/// Returns whether the `_meta` of a tool says that it is for apps, and not for the model.
pub(super) fn is_for_apps_only(meta: Raw<'_>) -> bool {
    of_ui(meta, "visibility")
        .and_then(strings)
        .is_some_and(|words| words.iter().all(|word| &**word != "model"))
}

fn of_ui<'a>(meta: Raw<'a>, name: &'static str) -> Option<Raw<'a>> {
    let member = |object, name| members(object, &[name]).ok().and_then(|[found]| found);
    member(member(meta, "ui")?, name)
}

/// Returns `_meta` with `ui`, and with the flat key that older clients read.
fn with_ui(meta: Option<&Json>, ui: &Json, flat: Option<&str>) -> Result<Json, String> {
    let mut out = Vec::new();
    let mut all = Object::begin(&mut out);
    let mut twice = false;
    all.raw("ui", ui.as_str());
    if let Some(uri) = flat {
        all.string("ui/resourceUri", uri);
    }
    if let Some(meta) = meta {
        for_each_member(meta.raw(), |name, value| {
            twice |= name == "ui" || name == "ui/resourceUri";
            all.any_member(name).extend_from_slice(value.get().as_bytes());
        });
    }
    all.end();
    if twice {
        return Err("has \"ui\" in its metadata, too; give it once".to_owned());
    }
    Ok(Json::written(out))
}

fn checked_ui(ui: &Json) -> Result<Json, String> {
    let mut fault = None;
    let (mut csp, mut rest) = (None, Vec::new());
    for_each_member(ui.raw(), |name, value| {
        let checked = match name {
            "csp" if csp.is_none() => {
                csp = Some(value);
                Ok(())
            }
            "permissions" => check_permissions(value),
            "domain" if string(value).is_none() => Err("needs a string as \"domain\"".to_owned()),
            "prefersBorder" if boolean(value).is_none() => {
                Err("needs true or false as \"prefersBorder\"".to_owned())
            }
            "domain" | "prefersBorder" => Ok(()),
            "resourceUri" | "visibility" => Err(format!("has \"{name}\"; it belongs to the tool")),
            _ => Err(format!(
                "has an unknown member \"{name}\"; known are \"csp\", \"permissions\", \"domain\", \"prefersBorder\""
            )),
        };
        if name != "csp" {
            if rest.iter().any(|(other, _)| *other == name) {
                fault.get_or_insert(format!("has \"{name}\" twice"));
            }
            rest.push((name.to_owned(), value));
        }
        if let Err(why) = checked {
            fault.get_or_insert(why);
        }
    });
    if let Some(why) = fault {
        return Err(why);
    }
    let mut out = Vec::new();
    let mut all = Object::begin(&mut out);
    write_csp(all.member("csp"), csp)?;
    for (name, value) in rest {
        all.any_member(&name).extend_from_slice(value.get().as_bytes());
    }
    all.end();
    Ok(Json::written(out))
}

fn check_permissions(value: Raw<'_>) -> Result<(), String> {
    let mut good = is_object(value);
    for_each_member(value, |name, value| {
        good &= PERMISSIONS.contains(&name) && is_object(value) && Json::received(value).is_empty();
    });
    if good { Ok(()) } else { Err(format!("needs permissions out of {}, each {{}}", PERMISSIONS.join(", "))) }
}

fn write_csp(out: &mut Vec<u8>, csp: Option<Raw<'_>>) -> Result<(), String> {
    let csp = csp.map_or_else(Json::empty, Json::received);
    if !is_object(csp.raw()) {
        return Err("needs an object as \"csp\"".to_owned());
    }
    let mut unknown = None;
    for_each_member(csp.raw(), |name, _| {
        if !ORIGINS.iter().any(|(known, _)| *known == name) {
            unknown = Some(name.to_owned());
        }
    });
    if let Some(name) = unknown {
        let known: Vec<_> = ORIGINS.iter().map(|(name, _)| *name).collect();
        return Err(format!("has an unknown member \"{name}\" in \"csp\"; known are {}", known.join(", ")));
    }
    let given = members(csp.raw(), &ORIGINS.map(|(name, _)| name)).map_err(|twice| format!("has {twice}"))?;
    let mut all = Object::begin(out);
    for ((name, always), given) in ORIGINS.into_iter().zip(given) {
        let Some(given) = given else {
            if always {
                all.raw(name, "[]");
            }
            continue;
        };
        let origins = strings(given).ok_or_else(|| format!("needs an array of strings as \"csp.{name}\""))?;
        if let Some(bad) = origins.iter().find(|origin| !is_origin(origin, name == "connectDomains")) {
            return Err(format!(
                "has \"{bad}\" in \"csp.{name}\"; write an origin such as https://api.example.com"
            ));
        }
        all.raw(name, given.get());
    }
    all.end();
    Ok(())
}

/// Returns whether a text is a scheme, a host that may begin with `*.`, and perhaps a port. Clients paste it into a header.
fn is_origin(text: &str, sockets: bool) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
    let host = host.strip_prefix("*.").unwrap_or(host);
    let label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (matches!(scheme, "https" | "http") || sockets && matches!(scheme, "wss" | "ws"))
        && host.split('.').all(label)
        && port.is_none_or(|port| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(uri: &str, ui: &str) -> String {
        app(Resource::new(uri), &Json::parse(ui).unwrap()).expect_err("this is refused").to_string()
    }

    // row: AP-10, AP-11, AP-24, AP-25
    #[test]
    fn an_app_that_clients_would_refuse_is_refused_at_registration() {
        for uri in ["ui://", "ui:///a", "UI://a/b", "https://a"] {
            assert!(refused(uri, "{}").contains("ui://clock/view"), "{uri}");
        }
        for origin in [
            "*",
            "'self'",
            "https://a/b",
            "https://a; x",
            "https://*",
            "a.example",
            "wss://a",
            "https://a:x",
            "https://a:+80",
        ] {
            let ui = format!(r#"{{"csp":{{"resourceDomains":["{origin}"]}}}}"#);
            assert!(refused("ui://a", &ui).contains("write an origin"), "{origin}");
        }
        for ui in [
            r#"{"resourceUri":"ui://a"}"#,
            r#"{"border":true}"#,
            r#"{"permissions":{"usb":{}}}"#,
            r#"{"permissions":{"camera":true}}"#,
            r#"{"csp":[]}"#,
            r#"{"csp":{"connectSrc":[]}}"#,
            r#"{"domain":1}"#,
            r#"{"domain":"a","domain":"b"}"#,
        ] {
            assert!(!refused("ui://a", ui).is_empty());
        }
        let typed = Resource::new("ui://a").mime_type("text/html");
        assert!(app(typed, &Json::empty()).is_err());
    }

    // row: AP-28
    #[test]
    fn raw_metadata_stands_next_to_ui_and_not_in_its_place() {
        let meta = |text: &str| Resource::new("ui://a").meta(Json::parse(text).unwrap());
        let made = app(meta(r#"{"openai/x":1}"#), &Json::empty()).unwrap();
        let written = made.descriptor.meta().unwrap().as_str();
        assert_eq!(written, r#"{"ui":{"csp":{"connectDomains":[],"resourceDomains":[]}},"openai/x":1}"#);
        assert!(app(meta(r#"{"ui":{}}"#), &Json::empty()).is_err());
    }

    // row: AP-32, AP-33
    #[test]
    fn a_tool_names_its_app_and_its_visibility() {
        let written =
            |text: &str| with_app("t", &Json::parse(text).unwrap()).map(|json| json.as_str().to_owned());
        assert_eq!(
            written(r#"{"title":"T","app":"ui://a","visibility":["app"]}"#).unwrap(),
            r#"{"title":"T","_meta":{"ui":{"resourceUri":"ui://a","visibility":["app"]},"ui/resourceUri":"ui://a"}}"#
        );
        for bad in [
            r#"{"app":"https://a"}"#,
            r#"{"app":1}"#,
            r#"{"visibility":[]}"#,
            r#"{"visibility":"app"}"#,
            r#"{"visibility":["user"]}"#,
            r#"{"_meta":{"ui":{"visibility":[]}}}"#,
            r#"{"_meta":{"ui":{"visibility":"app"}}}"#,
            r#"{"visibility":["app"],"_meta":{"ui":{"visibility":[]}}}"#,
            r#"{"app":"ui://a","_meta":{"ui":{}}}"#,
        ] {
            assert!(written(bad).is_err(), "{bad}");
        }
    }

    // row: AP-13
    #[test]
    fn a_document_begins_with_its_type() {
        assert_eq!(doubtful("ui://a", b" <!-- a --> <!DOCTYPE html><p>"), None);
        assert!(doubtful("ui://a", b"<p>").is_some());
        assert!(doubtful("ui://a", b"<!-- <!doctype html>").is_some());
    }
}
