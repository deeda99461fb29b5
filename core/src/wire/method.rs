//! Writes the result of a method of the application: its JSON with the members that the revision adds to every result.

use super::Identity;
use super::lifecycle::SERVER_INFO;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member, is_object};
use crate::model::Cache;
use crate::revision::Revision;

/// Members of results that only revisions of the stateless era have.
const ENVELOPE: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// The `resultType` of a result that does not name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultType {
    Complete,
    InputRequired,
}

/// Writes the result of a method of the application. Fails with what is wrong with its JSON.
pub(crate) fn further_result(
    out: &mut Vec<u8>,
    revision: Revision,
    identity: &Identity,
    (kind, cache): (ResultType, Cache),
    result: Raw<'_>,
) -> Result<(), &'static str> {
    let mut members = Vec::new();
    for_each_member(result, |name, value| members.push((name.to_owned(), value)));
    let of = |wanted: &str| members.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
    let mut object = Object::begin(out);
    if revision.result_envelope {
        let own = of("resultType").filter(|_| kind == ResultType::Complete).map(Raw::get);
        let word = match kind {
            ResultType::Complete => "\"complete\"",
            ResultType::InputRequired => "\"input_required\"",
        };
        object.any_member("resultType").extend_from_slice(own.unwrap_or(word).as_bytes());
    }
    for (name, value) in &members {
        let placed = ENVELOPE.contains(&&**name) || revision.result_envelope && name == "_meta";
        if !placed {
            object.any_member(name).extend_from_slice(value.get().as_bytes());
        }
    }
    if revision.result_envelope {
        if cache != Cache::None {
            for (name, default) in [("ttlMs", "0"), ("cacheScope", "\"private\"")] {
                let value = of(name).map_or(default, Raw::get);
                object.any_member(name).extend_from_slice(value.as_bytes());
            }
        }
        write_meta(object.any_member("_meta"), of("_meta"), identity)?;
    }
    object.end();
    Ok(())
}

/// Writes the application's `_meta`, and the server's identity unless that `_meta` has one.
fn write_meta(out: &mut Vec<u8>, own: Option<Raw<'_>>, identity: &Identity) -> Result<(), &'static str> {
    let mut meta = Object::begin(out);
    let mut named = false;
    if let Some(own) = own {
        if !is_object(own) {
            return Err("_meta is not an object");
        }
        for_each_member(own, |name, value| {
            named |= name == SERVER_INFO;
            meta.any_member(name).extend_from_slice(value.get().as_bytes());
        });
    }
    if !named {
        identity.write_server_info(meta.any_member(SERVER_INFO));
    }
    meta.end();
    Ok(())
}
