//! Results of tools. They are written as JSON while they are put together.

use super::{Annotations, Body, Contents, Json, MethodAnswer, Resource, check_meta, check_mime_type, json};
use crate::encode::{base64_into, quote_into};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::revision::Revision;
use crate::uri::check_uri;
use crate::wire::{write_annotations, write_resource};
use std::fmt;

/// The result of a tool: content for the model, structured content for programs, or both.
///
/// If it has structured content and no content, its JSON also becomes the content, as a text.
///
/// ```
/// use wellhead::{ContentBlock, Json, MethodCall, Result, Server, ToolResult};
///
/// fn logo(_: MethodCall) -> Result<ToolResult> {
///     let png = ContentBlock::image(b"\x89PNG", "image/png")?;
///     Ok(ToolResult::from("The logo:").block(png))
/// }
///
/// let server = Server::new("brand", "1.0.0");
/// server.tool("logo", &Json::parse("{}")?, logo)?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ToolResult {
    /// The elements of `content` as JSON.
    blocks: Vec<u8>,
    /// The structured content as JSON.
    structured: Option<Box<str>>,
    meta: Option<Json>,
    is_error: bool,
}

impl ToolResult {
    /// Makes a result without content.
    pub fn new() -> Self {
        ToolResult::default()
    }

    /// Adds a block to the content.
    #[must_use]
    pub fn block(mut self, block: ContentBlock) -> Self {
        let mut object = Vec::new();
        block.write(&mut object);
        self.add_blocks(object);
        self
    }

    /// Adds the blocks of another result. Its structured content and `_meta` replace those of this one if it has them.
    /// The tool failed if either result says so.
    #[must_use]
    pub fn merge(mut self, other: ToolResult) -> Self {
        self.add_blocks(other.blocks);
        self.structured = other.structured.or(self.structured);
        self.meta = other.meta.or(self.meta);
        self.is_error |= other.is_error;
        self
    }

    fn add_blocks(&mut self, blocks: Vec<u8>) {
        if self.blocks.is_empty() {
            self.blocks = blocks; // a large image is not copied
        } else if !blocks.is_empty() {
            self.blocks.push(b',');
            self.blocks.extend_from_slice(&blocks);
        }
    }

    /// Sets the structured content, the text of one JSON value. If it is no object, revisions with objects only get it
    /// as the member `result` of an object.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if it is not JSON.
    pub fn structured(mut self, json: &str) -> Result<Self> {
        self.structured = Some(json::checked(json, "value")?);
        Ok(self)
    }

    /// Makes a result whose structured content is a value that serde writes as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if the value cannot be written as JSON, such as a map whose keys are no text.
    pub fn serialize<T: serde::Serialize + ?Sized>(value: &T) -> Result<Self> {
        let json = serde_json::to_string(value).map_err(|error| {
            Error::new(ErrorKind::InvalidArgument, format!("the value cannot be written as JSON: {error}"))
        })?;
        // The value may contain JSON with newlines, by serde_json's `RawValue`.
        Ok(ToolResult { structured: Some(json::one_line(&json)), ..ToolResult::default() })
    }

    /// Sets the `_meta` of the result.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for keys that the protocol reserves.
    pub fn meta(mut self, meta: Json) -> Result<Self> {
        check_meta(&meta)?;
        self.meta = Some(meta);
        Ok(self)
    }

    /// Sets whether the tool failed; the content then tells the model why. Default: false. See also
    /// [`super::ToolError`].
    #[must_use]
    pub fn is_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }

    fn into_json(self) -> Json {
        let mut out = Vec::with_capacity(self.blocks.len() + 64);
        let mut result = Object::begin(&mut out);
        if !self.blocks.is_empty() || self.structured.is_none() {
            let content = result.member("content");
            content.push(b'[');
            content.extend_from_slice(&self.blocks);
            content.push(b']');
        }
        if let Some(structured) = &self.structured {
            result.raw("structuredContent", &**structured);
        }
        if self.is_error {
            result.boolean("isError", true);
        }
        if let Some(meta) = &self.meta {
            result.raw("_meta", meta.as_str());
        }
        result.end();
        Json::written(out)
    }
}

impl From<ToolResult> for MethodAnswer {
    fn from(result: ToolResult) -> Self {
        MethodAnswer::Result(result.into_json())
    }
}

impl From<&str> for ToolResult {
    fn from(text: &str) -> Self {
        ToolResult::new().block(ContentBlock::text(text))
    }
}

impl From<String> for ToolResult {
    fn from(text: String) -> Self {
        ToolResult::from(&*text)
    }
}

impl From<ContentBlock> for ToolResult {
    fn from(block: ContentBlock) -> Self {
        ToolResult::new().block(block)
    }
}

impl fmt::Debug for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolResult").field("is_error", &self.is_error).finish_non_exhaustive()
    }
}

/// A part of the content of a [`ToolResult`] or a prompt. If a client's revision lacks the type of block, it gets a
/// line of text in its place.
#[derive(Clone)]
pub struct ContentBlock {
    /// The JSON object of the block without its closing brace.
    members: Vec<u8>,
    has_annotations: bool,
    has_meta: bool,
}

impl ContentBlock {
    /// Makes a block of text.
    pub fn text(text: &str) -> Self {
        let mut members = b"{\"type\":\"text\",\"text\":".to_vec();
        quote_into(text, &mut members);
        ContentBlock::bare(members)
    }

    /// Makes a block with an image. Its bytes are sent as base64.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if `mime_type` is no MIME type.
    pub fn image(bytes: &[u8], mime_type: &str) -> Result<Self> {
        media("image", bytes, mime_type)
    }

    /// Makes a block with a sound. Its bytes are sent as base64.
    ///
    /// # Errors
    /// As [`ContentBlock::image`].
    pub fn audio(bytes: &[u8], mime_type: &str) -> Result<Self> {
        media("audio", bytes, mime_type)
    }

    /// Makes a link to a resource, which need not be registered. Without a name, its URI is its name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`]; [`ErrorKind::InvalidArgument`] for a member that clients would refuse.
    pub fn link(resource: &Resource) -> Result<Self> {
        needs_uri(resource.uri())?;
        resource.descriptor.check()?;
        let mut written = Vec::new();
        write_resource(&mut written, Revision::newest(), resource.uri(), &resource.descriptor.view());
        let mut members = b"{\"type\":\"resource_link\",".to_vec();
        members.extend_from_slice(&written[1..written.len() - 1]);
        let rare = resource.descriptor.rare.as_deref();
        let has_annotations = rare.is_some_and(|rare| rare.annotations.is_some());
        let has_meta = rare.is_some_and(|rare| rare.meta.is_some());
        Ok(ContentBlock { members, has_annotations, has_meta })
    }

    /// Makes a block that contains a resource with its contents, which need a URI. Their MIME type and `_meta` are
    /// sent, too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`]; [`ErrorKind::InvalidArgument`] if the contents have no URI, or a wrong MIME type or `_meta`.
    pub fn resource(contents: &Contents) -> Result<Self> {
        let uri = contents.uri.as_deref().ok_or_else(|| refused("an embedded resource needs a uri"))?;
        needs_uri(uri)?;
        contents.mime_type.as_deref().map_or(Ok(()), check_mime_type)?;
        contents.check()?;
        let mut members = b"{\"type\":\"resource\",\"resource\":".to_vec();
        let mut resource = Object::begin(&mut members);
        resource.string("uri", uri);
        if let Some(mime_type) = &contents.mime_type {
            resource.string("mimeType", mime_type);
        }
        match &contents.body {
            Body::Text(text) => quote_into((**text).as_ref(), resource.member("text")),
            Body::Blob(bytes) => quote_base64((**bytes).as_ref(), resource.member("blob")),
        }
        if let Some(meta) = &contents.meta {
            resource.raw("_meta", meta.as_str());
        }
        resource.end();
        Ok(ContentBlock::bare(members))
    }

    /// Adds hints about audience and importance. A link has those of its resource already.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if the block has annotations, if the priority is not from 0 to 1, or if the time is
    /// not valid.
    pub fn annotations(mut self, annotations: &Annotations) -> Result<Self> {
        annotations.check()?;
        once(&mut self.has_annotations, "annotations")?;
        write_annotations(&mut self.members, Revision::newest(), annotations);
        Ok(self)
    }

    /// Sets the block's `_meta`. A resource link already has its resource's `_meta`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if the block has `_meta`, and for keys that the protocol reserves.
    pub fn meta(mut self, meta: &Json) -> Result<Self> {
        check_meta(meta)?;
        once(&mut self.has_meta, "_meta")?;
        self.members.extend_from_slice(b",\"_meta\":");
        self.members.extend_from_slice(meta.as_str().as_bytes());
        Ok(self)
    }
}

impl ContentBlock {
    fn bare(members: Vec<u8>) -> Self {
        ContentBlock { members, has_annotations: false, has_meta: false }
    }

    /// Writes the block at the end of `out`. If that is empty, the block is moved, so that a large image is not copied.
    pub(crate) fn write(mut self, out: &mut Vec<u8>) {
        self.members.push(b'}');
        if out.is_empty() {
            *out = self.members;
        } else {
            out.extend_from_slice(&self.members);
        }
    }
}

impl fmt::Debug for ContentBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentBlock({} bytes)", self.members.len() + 1)
    }
}

/// Notes that a block has a member. Fails if it has it already: clients would get it twice.
fn once(has: &mut bool, member: &str) -> Result<()> {
    if std::mem::replace(has, true) {
        return Err(refused(&format!("the block has {member} already; give it once")));
    }
    Ok(())
}

fn media(kind: &str, bytes: &[u8], mime_type: &str) -> Result<ContentBlock> {
    check_mime_type(mime_type)?;
    let mut members = Vec::with_capacity(bytes.len().div_ceil(3) * 4 + 64);
    members.extend_from_slice(b"{\"type\":");
    quote_into(kind, &mut members);
    members.extend_from_slice(b",\"data\":");
    quote_base64(bytes, &mut members);
    members.extend_from_slice(b",\"mimeType\":");
    quote_into(mime_type, &mut members);
    Ok(ContentBlock::bare(members))
}

fn quote_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    base64_into(bytes, out);
    out.push(b'"');
}

fn needs_uri(uri: &str) -> Result<()> {
    check_uri(uri).map_err(|e| Error::new(ErrorKind::InvalidUri, format!("the uri \"{uri}\": {e}")))
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Family, ResultShape};
    use crate::wire;

    fn written(result: impl Into<ToolResult>) -> String {
        result.into().into_json().as_str().to_owned()
    }

    #[test]
    fn a_result_has_content_unless_it_has_structured_content() {
        assert_eq!(written(ToolResult::new()), r#"{"content":[]}"#);
        assert_eq!(written("say \"a\""), r#"{"content":[{"type":"text","text":"say \"a\""}]}"#);
        let structured = ToolResult::new().structured("[1,\n2]").unwrap();
        assert_eq!(written(structured.clone()), r#"{"structuredContent":[1, 2]}"#);
        let whole = structured.block(ContentBlock::text("a")).block(ContentBlock::text("b"));
        let whole = whole.meta(Json::parse(r#"{"a/b":1}"#).unwrap()).unwrap().is_error(true);
        let blocks = r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#;
        let rest = r#""structuredContent":[1, 2],"isError":true,"_meta":{"a/b":1}}"#;
        assert_eq!(written(whole), format!(r#"{{"content":{blocks},{rest}"#));
        assert!(ToolResult::new().structured("{").is_err());
        let merged = ToolResult::from("a")
            .merge(ToolResult::new().structured("1").unwrap())
            .merge(ToolResult::from("b"));
        assert_eq!(written(merged), format!(r#"{{"content":{blocks},"structuredContent":1}}"#));
    }

    // row: TR-04
    #[test]
    fn each_kind_of_block_is_written_as_the_schema_has_it() {
        let link = Resource::new("a:b").title("B").size(3);
        let text = Contents::new("x").uri("a:c").mime_type("text/plain");
        let blob = Contents::new(b"\0\xff").uri("a:d").meta(Json::parse(r#"{"k":1}"#).unwrap());
        for (block, expected) in [
            (
                ContentBlock::image(b"\0\xff", "image/png"),
                r#"{"type":"image","data":"AP8=","mimeType":"image/png"}"#,
            ),
            (ContentBlock::audio(b"", "audio/wav"), r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#),
            (
                ContentBlock::link(&link),
                r#"{"type":"resource_link","uri":"a:b","name":"a:b","title":"B","size":3}"#,
            ),
            (
                ContentBlock::resource(&text),
                r#"{"type":"resource","resource":{"uri":"a:c","mimeType":"text/plain","text":"x"}}"#,
            ),
            (
                ContentBlock::resource(&blob),
                r#"{"type":"resource","resource":{"uri":"a:d","blob":"AP8=","_meta":{"k":1}}}"#,
            ),
            (
                ContentBlock::text("t").annotations(&Annotations::new().priority(0.5)),
                r#"{"type":"text","text":"t","annotations":{"priority":0.5}}"#,
            ),
            (
                ContentBlock::text("t").meta(&Json::parse(r#"{"k":1}"#).unwrap()),
                r#"{"type":"text","text":"t","_meta":{"k":1}}"#,
            ),
        ] {
            let result = written(block.unwrap());
            assert_eq!(result, format!(r#"{{"content":[{expected}]}}"#));
            let result = Json::parse(result).unwrap();
            wire::call_result(Family::Tools, ResultShape::default(), Revision::newest(), &result).unwrap();
        }
    }

    #[test]
    fn a_block_has_a_member_once() {
        let meta = Json::parse(r#"{"k":1}"#).unwrap();
        let link = Resource::new("a:b").meta(meta.clone()).annotations(Annotations::new().priority(1.0));
        let block = || ContentBlock::link(&link).unwrap();
        assert!(block().meta(&meta).unwrap_err().to_string().contains("_meta already"));
        assert!(block().annotations(&Annotations::new()).is_err());
        let text = ContentBlock::text("t").meta(&meta).unwrap();
        assert!(text.clone().meta(&meta).is_err() && text.annotations(&Annotations::new()).is_ok());
    }

    #[test]
    fn a_value_with_newlines_is_written_on_one_line() {
        let value = serde_json::value::RawValue::from_string("{\n\"a\":\r\n1}".to_owned()).unwrap();
        let result = ToolResult::serialize(&value).unwrap();
        assert_eq!(written(result), r#"{"structuredContent":{ "a":  1}}"#);
    }

    // row: TR-04
    #[test]
    fn base64_has_padding_and_no_line_breaks() {
        let data = format!("{}w==", "/".repeat(133));
        let expected =
            format!(r#"{{"content":[{{"type":"image","data":"{data}","mimeType":"image/png"}}]}}"#);
        assert_eq!(written(ContentBlock::image(&[0xff; 100], "image/png").unwrap()), expected);
    }

    #[test]
    fn content_that_clients_would_refuse_is_refused() {
        let kind = |block: Result<ContentBlock>| block.unwrap_err().kind();
        let (argument, uri) = (ErrorKind::InvalidArgument, ErrorKind::InvalidUri);
        assert_eq!(kind(ContentBlock::image(b"", "png")), argument);
        assert_eq!(kind(ContentBlock::audio(b"", "")), argument);
        assert_eq!(kind(ContentBlock::link(&Resource::new("no uri"))), uri);
        assert_eq!(kind(ContentBlock::link(&Resource::new("a:b").mime_type("png"))), argument);
        assert_eq!(kind(ContentBlock::resource(&Contents::new("x"))), argument);
        assert_eq!(kind(ContentBlock::resource(&Contents::new("x").uri("no uri"))), uri);
        assert_eq!(kind(ContentBlock::resource(&Contents::new("x").uri("a:b").mime_type("png"))), argument);
        assert_eq!(kind(ContentBlock::text("t").annotations(&Annotations::new().priority(2.0))), argument);
        assert_eq!(
            kind(ContentBlock::text("t").meta(&Json::parse(r#"{"progressToken":1}"#).unwrap())),
            argument
        );
    }
}
