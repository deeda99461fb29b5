//! Completes links to resources in the result of a tool: adds what the resource's registration says and the link lacks.

use super::ConnectionState;
use crate::access::AccessCheck;
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, members, string};
use crate::model::Json;

impl ConnectionState {
    /// Returns the result of a tool with its links completed; `None` if there is nothing to add. With an authorizer
    /// nothing is added, because the caller may not be allowed to know the resource.
    pub(super) fn with_completed_links(&self, result: &Json) -> Option<Json> {
        if !result.as_str().contains("\"resource_link\"")
            || self.server.settings.access_check() == AccessCheck::Required
        {
            return None;
        }
        let content = members(result.raw(), &["content"]).ok()?[0].filter(|content| is_array(*content))?;
        let blocks: Vec<_> = elements(content, usize::MAX)?;
        let missing: Vec<Missing> = blocks.iter().map(|block| self.missing(*block)).collect();
        if missing.iter().all(Missing::is_empty) {
            return None;
        }
        let mut out = Vec::with_capacity(result.as_str().len());
        let mut object = Object::begin(&mut out);
        for_each_member(result.raw(), |name, value| {
            let out = object.any_member(name);
            if name != "content" {
                return out.extend_from_slice(value.get().as_bytes());
            }
            for (at, (block, missing)) in blocks.iter().zip(&missing).enumerate() {
                out.push(if at == 0 { b'[' } else { b',' });
                missing.write(out, *block);
            }
            out.push(b']');
        });
        object.end();
        Some(Json::written(out))
    }

    /// Returns the members that a link lacks and the registration of its resource has.
    fn missing(&self, block: Raw<'_>) -> Missing {
        let Ok([Some(kind), Some(uri), title, mime_type, size]) =
            members(block, &["type", "uri", "title", "mimeType", "size"])
        else {
            return Missing::default();
        };
        let Some(uri) = string(uri).filter(|_| string(kind).as_deref() == Some("resource_link")) else {
            return Missing::default();
        };
        self.server.catalog.with(|c, _| {
            let Some(fixed) = c.fixed.get(&uri) else { return Missing::default() };
            let described = fixed.descriptor().view();
            Missing {
                title: described.title.filter(|_| title.is_none()).map(Into::into),
                mime_type: described.mime_type.filter(|_| mime_type.is_none()).map(Into::into),
                size: described.size.filter(|_| size.is_none()),
            }
        })
    }
}

/// The members that a link lacks and the registration of its resource has.
#[derive(Default)]
struct Missing {
    title: Option<Box<str>>,
    mime_type: Option<Box<str>>,
    size: Option<u64>,
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.title.is_none() && self.mime_type.is_none() && self.size.is_none()
    }

    fn write(&self, out: &mut Vec<u8>, block: Raw<'_>) {
        if self.is_empty() {
            return out.extend_from_slice(block.get().as_bytes());
        }
        let mut object = Object::begin(out);
        for_each_member(block, |name, value| {
            object.any_member(name).extend_from_slice(value.get().as_bytes());
        });
        if let Some(title) = &self.title {
            quote_into(title, object.member("title"));
        }
        if let Some(mime_type) = &self.mime_type {
            quote_into(mime_type, object.member("mimeType"));
        }
        if let Some(size) = self.size {
            object.raw("size", size.to_string());
        }
        object.end();
    }
}
