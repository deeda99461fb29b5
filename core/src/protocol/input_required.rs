//! The requests that a server may send to a client, and the capabilities that they need.

use crate::jsonrpc::{Raw, for_each_member, is_object, members, string};
use crate::revision::Elicitation;
use crate::schema::check_elicitation;
use std::collections::BTreeSet;

/// The reason why the client is not asked for input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The application's result is malformed; says why.
    Malformed(String),
    /// The client did not declare these capabilities: a JSON object as text.
    Missing(String),
}

/// Checks the `inputRequests` and `requestState` of an application's result that asks the client for input.
pub(crate) fn check(wanted: Raw<'_>, client: Option<Raw<'_>>, has: Elicitation) -> Result<(), Refusal> {
    let malformed = |why: &str| Err(Refusal::Malformed(why.to_owned()));
    let Ok([requests, state]) = members(wanted, &["inputRequests", "requestState"]) else {
        return malformed("names inputRequests or requestState twice");
    };
    if requests.or(state).is_none() {
        return malformed("has neither inputRequests nor requestState");
    }
    if state.is_some_and(|state| string(state).is_none()) {
        return malformed("has a requestState that is not a string");
    }
    let Some(requests) = requests else { return Ok(()) };
    if !is_object(requests) {
        return malformed("has inputRequests that are not an object");
    }
    let (mut keys, mut wrong, mut missing) = (BTreeSet::new(), None, BTreeSet::new());
    for_each_member(requests, |key, request| {
        if !keys.insert(key.to_owned()) {
            wrong.get_or_insert_with(|| format!("has two inputRequests named {key}"));
        }
        match of_request(request) {
            Ok(need) if !need.is_met(client, has) => {
                missing.insert(need);
            }
            Ok(Need::Elicitation | Need::ElicitationByUrl) => {
                let params = members(request, &["params"]).ok().and_then(|[params]| params);
                if let Some(Err(why)) = params.map(|params| check_elicitation(params, has)) {
                    wrong.get_or_insert_with(|| format!("has an inputRequest {key} that {why}"));
                }
            }
            Ok(_) => {}
            Err(why) => {
                wrong.get_or_insert_with(|| format!("has an inputRequest {key} {why}"));
            }
        }
    });
    match wrong {
        Some(why) => Err(Refusal::Malformed(why)),
        None if missing.is_empty() => Ok(()),
        None => Err(Refusal::Missing(Need::as_capabilities(&missing))),
    }
}

/// A client capability that a request to the client needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    Elicitation,
    ElicitationByUrl,
    Roots,
    Sampling,
    SamplingTools,
}

fn of_request(request: Raw<'_>) -> Result<Need, &'static str> {
    if !is_object(request) {
        return Err("that is not an object");
    }
    let mut further = false;
    for_each_member(request, |name, _| further |= name != "method" && name != "params");
    if further {
        return Err("that has other members than method and params");
    }
    let Ok([method, params]) = members(request, &["method", "params"]) else {
        return Err("that names a member twice");
    };
    let method = method.and_then(string).ok_or("without a method")?;
    Need::from_request(&method, params)
}

impl Need {
    /// Returns the capability that a request to the client needs, or why the request is invalid.
    pub(crate) fn from_request(method: &str, params: Option<Raw<'_>>) -> Result<Need, &'static str> {
        let has_params = params.is_some_and(is_object);
        let member = |name: &str| members(params?, &[name]).ok()?[0];
        match method {
            "roots/list" => Ok(Need::Roots),
            "elicitation/create" | "sampling/createMessage" if !has_params => Err("without params"),
            "elicitation/create" if member("mode").and_then(string).is_some_and(|mode| mode == "url") => {
                Ok(Need::ElicitationByUrl)
            }
            "elicitation/create" => Ok(Need::Elicitation),
            "sampling/createMessage" if member("tools").is_some() => Ok(Need::SamplingTools),
            "sampling/createMessage" => Ok(Need::Sampling),
            _ => Err("of a method that is no client feature"),
        }
    }

    fn path(self) -> (&'static str, Option<&'static str>) {
        match self {
            Need::Elicitation => ("elicitation", None),
            Need::ElicitationByUrl => ("elicitation", Some("url")),
            Need::Roots => ("roots", None),
            Need::Sampling => ("sampling", None),
            Need::SamplingTools => ("sampling", Some("tools")),
        }
    }

    /// Returns whether the client declared the capability, and the revision has it.
    pub(crate) fn is_met(self, client: Option<Raw<'_>>, has: Elicitation) -> bool {
        let least = match self {
            Need::Elicitation => Elicitation::Forms,
            Need::ElicitationByUrl => Elicitation::UrlsWithIds,
            Need::Roots | Need::Sampling | Need::SamplingTools => Elicitation::Absent,
        };
        if has < least {
            return false;
        }
        let (name, part) = self.path();
        let Some(capability) = object(client, name) else { return false };
        match part {
            Some(part) => object(Some(capability), part).is_some(),
            // An empty object means forms; one that names ways but not that one does not.
            None if self == Need::Elicitation => {
                object(Some(capability), "form").is_some() || object(Some(capability), "url").is_none()
            }
            None => true,
        }
    }

    /// Returns these needs as an object of client capabilities, in JSON.
    pub(crate) fn as_capabilities(needs: &BTreeSet<Need>) -> String {
        let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, part) in needs.iter().map(|need| need.path()) {
            match names.last_mut() {
                Some((last, parts)) if *last == name => parts.extend(part),
                _ => names.push((name, part.into_iter().collect())),
            }
        }
        let shown = |(name, parts): &(&str, Vec<&str>)| {
            let parts: Vec<_> = parts.iter().map(|part| format!("\"{part}\":{{}}")).collect();
            format!("\"{name}\":{{{}}}", parts.join(","))
        };
        format!("{{{}}}", names.iter().map(shown).collect::<Vec<_>>().join(","))
    }
}

/// Returns the member of this name if it is an object.
fn object<'a>(of: Option<Raw<'a>>, name: &str) -> Option<Raw<'a>> {
    let [found] = members(of?, &[name]).ok()?;
    found.filter(|found| is_object(*found))
}
