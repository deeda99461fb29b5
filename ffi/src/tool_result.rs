//! Results of tools and prompts that are put together without JSON of the application's own.

use crate::boundary::{Promise, invalid};
use crate::foreign::{Source, json, object};
use crate::held_call::wellhead_call;
use crate::method::wellhead_method;
use crate::pending;
use crate::resource::{described, wellhead_contents, wellhead_resource};
use crate::status::wellhead_status;
use crate::types::{growing, wellhead_str};
use std::ffi::c_int;
use wellhead::{Annotations, Body, ContentBlock, PromptResult, Result, Role, ToolError, ToolResult};

/// The optional members of a content block. An absent field is left out. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_content_block {
    pub struct_size: usize,
    /// Hints about the block: a JSON object, as in wellhead_resource.
    pub annotations: wellhead_str,
    /// A JSON object, sent as _meta. With a key that the protocol reserves, functions fail with INVALID_ARGUMENT.
    pub meta: wellhead_str,
    /// The role of the message that the block is, in the result of a prompt: user (default) or assistant.
    pub role: wellhead_str,
}

growing!(wellhead_content_block);

/// The result of a call so far: of a tool, or of a prompt, whose blocks are messages.
#[derive(Default)]
pub struct ResultSoFar {
    tool: ToolResult,
    prompt: PromptResult,
}

/// A part that a function adds to a result.
enum Part {
    Tool(ToolResult),
    Message(Role, ContentBlock),
}

/// Answers a tool's call with one text, or a prompt with one text of the user. It is copied, and may not be absent.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_text(
    responder: *mut wellhead_method,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, call, _| {
            let text = promise.text(text, "text")?;
            Ok(if is_prompt(call) { PromptResult::from(text).into() } else { ToolResult::from(text).into() })
        })
    }
}

/// Answers a tool's call with structured content.
/// json: one JSON value, which is copied and may not be absent.
/// Clients get this JSON as a text, too. If the client's revision allows only objects there, another value is sent as
/// {"result":…}.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_structured(
    responder: *mut wellhead_method,
    json: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |promise, _, _| structured(promise, json).map(Into::into)) }
}

/// Answers a tool's call with an error whose text the model reads: what went wrong, and what it may try instead. The
/// client gets a result with isError, and nothing is logged. For a prompt or a method it is an internal error with this
/// message. Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_tool_error(
    responder: *mut wellhead_method,
    message: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, _| {
            Ok(ToolError::new(promise.text(message, "message")?).into())
        })
    }
}

/// Adds a text to the result of a tool, or a message to that of a prompt, as the other functions that add content do.
/// Then answer with wellhead_method_finish.
/// about: may be NULL.
/// text: copied; may not be absent.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_text(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add_block(responder, about, |promise| Ok(ContentBlock::text(promise.text(text, "text")?))) }
}

/// Adds an image to the result of a tool.
/// about: may be NULL.
/// bytes: as in its file; they are copied, and sent as base64; may not be absent.
/// mime_type: such as image/png; may not be absent.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_image(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    bytes: wellhead_str,
    mime_type: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_block(responder, about, |promise| {
            ContentBlock::image(promise.present(bytes, "bytes")?, promise.text(mime_type, "mime_type")?)
        })
    }
}

/// Adds a sound to the result of a tool. A client whose revision has no sounds gets a line of text in its place.
/// about: may be NULL.
/// bytes: as in its file; they are copied, and sent as base64; may not be absent.
/// mime_type: such as audio/wav; may not be absent.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_audio(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    bytes: wellhead_str,
    mime_type: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_block(responder, about, |promise| {
            ContentBlock::audio(promise.present(bytes, "bytes")?, promise.text(mime_type, "mime_type")?)
        })
    }
}

/// Adds a link to a resource, which need not be registered, to the result of a tool. A client whose revision has no
/// links gets a line of text in its place.
/// resource: how a list shows it; may not be NULL.
/// Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_link(
    responder: *mut wellhead_method,
    resource: *const wellhead_resource,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { wellhead_method_add_link_with(responder, std::ptr::null(), resource) }
}

/// Adds a link to a resource like wellhead_method_add_link, with the members of a content block.
/// about: may be NULL. Its annotations and its meta must be absent if `resource` has them.
/// resource: how a list shows it; may not be NULL.
/// Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_link_with(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    resource: *const wellhead_resource,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_block(responder, about, |promise| {
            ContentBlock::link(&promise.fields(resource, "resource")?.resource(promise)?)
        })
    }
}

/// Embeds a resource with its text in the result of a tool.
/// about: may be NULL.
/// contents: its uri, which is required, its mime_type and its meta; may not be NULL. The other fields mean nothing
/// here.
/// text: copied; may not be absent.
/// Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_resource_text(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    contents: *const wellhead_contents,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_block(responder, about, |promise| {
            embedded(promise, contents, Source::copied(text).text(promise)?)
        })
    }
}

/// Embeds a resource with its bytes in the result of a tool.
/// about: may be NULL.
/// contents: its uri, which is required, its mime_type and its meta; may not be NULL. The other fields mean nothing
/// here.
/// bytes: copied, and sent as base64; if absent, the resource is empty.
/// Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_add_resource_blob(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    contents: *const wellhead_contents,
    bytes: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_block(responder, about, |promise| {
            embedded(promise, contents, Source::copied(bytes).blob(promise)?)
        })
    }
}

/// Sets the structured content of the result of a tool. If nothing else was added, the same JSON is sent as a text, too.
/// If the client's revision allows only objects there, another value is sent as {"result":…}.
/// json: one JSON value, which is copied and may not be absent.
/// Fails with INVALID_ARGUMENT, also for a prompt, or INVALID_UTF8, and then leaves the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_set_structured(
    responder: *mut wellhead_method,
    json: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add_to_tool(responder, |promise| structured(promise, json)) }
}

/// Sets the _meta of the result of a tool.
/// meta: a JSON object, which is copied and may not be absent.
/// Fails with INVALID_ARGUMENT, also for a prompt or a key that the protocol reserves, or INVALID_UTF8. Then it leaves
/// the result unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_set_meta(
    responder: *mut wellhead_method,
    meta: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        add_to_tool(responder, |promise| ToolResult::new().meta(json(promise.text(meta, "meta")?, "meta")?))
    }
}

/// Answers a call of a tool or a prompt with what was added. is_error: 1 if the tool failed and the content tells the
/// model why, else 0. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_finish(
    responder: *mut wellhead_method,
    is_error: c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |_, call, result: ResultSoFar| {
            Ok(if is_prompt(call) {
                result.prompt.into()
            } else {
                result.tool.is_error(is_error != 0).into()
            })
        })
    }
}

fn structured(promise: &Promise, json: wellhead_str) -> Result<ToolResult> {
    ToolResult::new().structured(promise.text(json, "structured")?)
}

fn embedded(promise: &Promise, contents: *const wellhead_contents, body: Body) -> Result<ContentBlock> {
    ContentBlock::resource(&described(promise, contents, body)?)
}

fn is_prompt(call: &wellhead_call) -> bool {
    call.as_method().is_some_and(|call| call.method() == "prompts/get")
}

unsafe fn add_block(
    responder: *mut wellhead_method,
    about: *const wellhead_content_block,
    block: impl FnOnce(&Promise) -> Result<ContentBlock>,
) -> wellhead_status {
    let described = |promise: &Promise, call: &wellhead_call| {
        let mut block = block(promise)?;
        let about = promise.options(about, "about")?;
        let mut role = Role::User;
        if let Some(about) = about {
            if let Some(annotations) = promise.optional(about.annotations, "annotations")? {
                block = block.annotations(&Annotations::from_json(annotations)?)?;
            }
            if let Some(meta) = object(promise, about.meta, "meta")? {
                block = block.meta(&meta)?;
            }
            role = match promise.optional(about.role, "role")? {
                None | Some("user") => Role::User,
                Some("assistant") => Role::Assistant,
                Some(other) => {
                    return Err(invalid(format!("\"{other}\" is no role; give user or assistant")));
                }
            };
        }
        Ok(if is_prompt(call) { Part::Message(role, block) } else { Part::Tool(block.into()) })
    };
    // SAFETY: our caller's promise.
    unsafe { add(responder, described) }
}

unsafe fn add_to_tool(
    responder: *mut wellhead_method,
    part: impl FnOnce(&Promise) -> Result<ToolResult>,
) -> wellhead_status {
    let part = |promise: &Promise, call: &wellhead_call| {
        if is_prompt(call) {
            return Err(invalid("the result of a prompt has messages only"));
        }
        part(promise).map(Part::Tool)
    };
    // SAFETY: our caller's promise.
    unsafe { add(responder, part) }
}

unsafe fn add(
    responder: *mut wellhead_method,
    part: impl FnOnce(&Promise, &wellhead_call) -> Result<Part>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::add(responder, part, |_, result: &mut ResultSoFar, part| {
            match part {
                Part::Tool(part) => result.tool = std::mem::take(&mut result.tool).merge(part),
                Part::Message(role, block) => {
                    result.prompt = std::mem::take(&mut result.prompt).message(role, block);
                }
            }
            Ok(())
        })
    }
}
