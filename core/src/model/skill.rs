//! The entry of a skill that an application lists, and its check.

use super::Json;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_object, members, string};
use crate::uri::check_uri;
use std::sync::Arc;

/// The greatest number of files of a skill, and of their bytes (`rows.tsv` SK-15).
pub(crate) const MAX_FILES: usize = 512;
pub(crate) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The greatest number of characters of `name` and of `description`.
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1_024;

/// The entry of a skill after its check.
pub(super) struct SkillEntry {
    pub(super) uri: String,
    /// The members after `uri` as JSON, for [`super::Page::push_checked_skill`].
    pub(super) rest: Vec<u8>,
    pub(super) files: Arc<[Arc<str>]>,
}

impl SkillEntry {
    /// Checks an entry.
    ///
    /// # Errors
    /// The URI, and the reason why the entry cannot be sent.
    pub(super) fn new(entry: &Json) -> Result<SkillEntry, (String, String)> {
        let [uri] = members(entry.raw(), &["uri"]).map_err(|e| (String::new(), e.to_string()))?;
        let uri = uri.and_then(string).unwrap_or_default().into_owned();
        SkillEntry::check(&uri, entry.raw()).map_err(|why| (uri, why))
    }

    fn check(uri: &str, entry: Raw<'_>) -> Result<SkillEntry, String> {
        check_uri(uri).map_err(|e| e.to_string())?;
        let Some(root) = uri.strip_suffix("SKILL.md").filter(|root| root.ends_with('/')) else {
            return Err("the URI of a skill is that of its SKILL.md".to_owned());
        };
        let [front, resources] = members(entry, &["frontmatter", "resources"]).map_err(|e| e.to_string())?;
        let front = front.filter(|front| is_object(*front)).ok_or("`frontmatter` is no object")?;
        check_front_matter(front, root)?;
        let mut rest = b"\",\"frontmatter\":".to_vec();
        rest.extend_from_slice(front.get().as_bytes());
        rest.extend_from_slice(b",\"resources\":");
        let files = match resources {
            None => dynamic(&mut rest),
            Some(text) if string(text).as_deref() == Some("dynamic") => dynamic(&mut rest),
            Some(list) => write_files(uri, root, list, &mut rest)?,
        };
        let mut wrong = None;
        for_each_member(entry, |name, value| match name {
            "uri" | "frontmatter" | "resources" => {}
            "_meta" if is_object(value) => {
                rest.extend_from_slice(b",\"_meta\":");
                rest.extend_from_slice(value.get().as_bytes());
            }
            "_meta" => wrong = Some("`_meta` is no object".to_owned()),
            _ => wrong = Some(format!("it has a member \"{name}\"; its own members belong in `_meta`")),
        });
        if let Some(wrong) = wrong {
            return Err(wrong); // clients refuse a list for a member that they do not know
        }
        rest.push(b'}');
        Ok(SkillEntry { uri: uri.to_owned(), rest, files })
    }
}

fn dynamic(out: &mut Vec<u8>) -> Arc<[Arc<str>]> {
    out.extend_from_slice(b"\"dynamic\"");
    Arc::default()
}

fn check_front_matter(front: Raw<'_>, root: &str) -> Result<(), String> {
    let [name, description] = members(front, &["name", "description"]).map_err(|e| e.to_string())?;
    let name = name.and_then(string).ok_or("`name` of `frontmatter` is no text")?;
    let directory = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if let Some(why) = wrong_skill_name(&name, directory) {
        return Err(why);
    }
    let description = description.and_then(string).ok_or("`description` of `frontmatter` is no text")?;
    wrong_skill_description(&description).map_or(Ok(()), Err)
}

/// Writes the files in the order of their URIs. Returns these.
fn write_files(uri: &str, root: &str, list: Raw<'_>, out: &mut Vec<u8>) -> Result<Arc<[Arc<str>]>, String> {
    let wrong = || "`resources` is neither \"dynamic\" nor a list of files".to_owned();
    let too_many = || format!("it has more than {MAX_FILES} files; a skill may have at most {MAX_FILES}");
    if !is_array(list) {
        return Err(wrong());
    }
    let (mut files, mut total) = (Vec::new(), 0_u64);
    for file in elements(list, MAX_FILES).ok_or_else(too_many)? {
        let [file_uri, digest, size] =
            members(file, &["uri", "digest", "size"]).map_err(|e| e.to_string())?;
        let file_uri = file_uri.and_then(string).ok_or_else(wrong)?.into_owned();
        check_uri(&file_uri).map_err(|e| format!("\"{file_uri}\": {e}"))?;
        let is_outside = |path: &str| path.split('/').any(|name| matches!(name, "" | "." | ".."));
        if file_uri.strip_prefix(root).is_none_or(is_outside) {
            return Err(format!("the file \"{file_uri}\" is not below \"{root}\""));
        }
        let digest = digest.and_then(string).filter(|digest| is_digest(digest));
        let digest = digest.ok_or_else(|| {
            format!("the digest of \"{file_uri}\" is not \"sha256:\" with 64 lower-case hexadecimal digits")
        })?;
        let size = size.and_then(|size| size.get().parse::<u64>().ok());
        let size = size.ok_or_else(|| format!("the size of \"{file_uri}\" is no number of bytes"))?;
        total = total.saturating_add(size);
        files.push((Arc::<str>::from(file_uri), digest.into_owned(), size));
    }
    if total > MAX_BYTES {
        return Err(format!("it has {total} bytes; a skill may have at most {MAX_BYTES}"));
    }
    files.sort_unstable();
    if let Some(twice) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("the file \"{}\" occurs twice", twice[0].0));
    }
    if !files.iter().any(|(file, ..)| **file == *uri) {
        return Err("`resources` lacks its SKILL.md".to_owned());
    }
    for (at, (file, digest, size)) in files.iter().enumerate() {
        out.push(if at == 0 { b'[' } else { b',' });
        let mut object = Object::begin(out);
        object.string("uri", file).string("digest", digest).raw("size", size.to_string());
        object.end();
    }
    out.push(b']');
    Ok(files.into_iter().map(|(file, ..)| file).collect())
}

fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns why a skill in this directory may not have this name; `None` if it may.
pub(crate) fn wrong_skill_name(name: &str, directory: &str) -> Option<String> {
    let length = name.chars().count();
    if length == 0 || length > LONGEST_NAME {
        return Some(format!("`name` must have 1 to {LONGEST_NAME} characters (got {length})"));
    }
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !name.bytes().all(allowed) {
        return Some(format!("`name` must have only a to z, 0 to 9 and \"-\" (got \"{name}\")"));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Some(format!("`name` must have \"-\" only between two other characters (got \"{name}\")"));
    }
    (name != directory)
        .then(|| format!("`name` is \"{name}\", but the directory is \"{directory}\"; rename one of them"))
}

/// Returns why a text may not be the description of a skill; `None` if it may.
pub(crate) fn wrong_skill_description(description: &str) -> Option<String> {
    let length = description.chars().count();
    (length == 0 || length > LONGEST_DESCRIPTION)
        .then(|| format!("`description` must have 1 to 1,024 characters (got {length})"))
}
