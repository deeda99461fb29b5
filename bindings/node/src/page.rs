//! A page as `lib/page.ts` packs it: all texts of its items in one string, and ten numbers for each item.

use crate::descriptor::Rare;
use crate::utf8::Transcoder;
use std::ops::Range;
use wellhead::{Json, Listed, Page, Result};

/// The count of numbers for one item: the lengths of its texts in UTF-16 units, and its size. A negative number means
/// absent.
pub(crate) const WIDTH: usize = 10;
const TEXTS: usize = WIDTH - 1;
/// The number in place of a size that says that the text in place of a URI is the JSON of a skill.
const SKILL: f64 = -2.0;

/// Makes a page of packed items. A fault in an item makes the page fail.
pub(crate) fn unpack(units: &[u16], numbers: &[f64], more: bool) -> Page {
    let mut texts = Texts::new(units);
    let mut unpack = || -> Result<Page> {
        let mut page = Page::default();
        for item in numbers.as_chunks::<WIDTH>().0 {
            let [uri, key, name, title, description, mime_type, kind, version, rare] =
                std::array::from_fn::<_, TEXTS, _>(|at| texts.next(item[at]));
            let text = |range: Option<Range<usize>>| range.map(|range| &texts.all[range]);
            let Some(uri) = text(uri) else {
                return Ok(Page::failed("the callback listed an item without a uri"));
            };
            if item[TEXTS] == SKILL {
                page.push_skill(&Json::parse(uri)?);
                continue;
            }
            let rare = Rare::parse(text(rare))?;
            page.push(Listed {
                uri,
                key: text(key),
                name: text(name),
                title: text(title),
                description: text(description),
                mime_type: text(mime_type),
                size: (item[TEXTS] >= 0.0).then_some(item[TEXTS] as u64),
                annotations: rare.annotations()?,
                icons: rare.icons()?,
                meta: rare.meta()?,
                kind: text(kind),
                version: text(version),
                metadata: rare.metadata()?,
            });
        }
        Ok(page.more(more))
    };
    unpack().into()
}

/// The texts of a page in UTF-8, one after the other.
struct Texts<'a> {
    units: &'a [u16],
    all: String,
    /// True if all texts are ASCII, so that a UTF-16 unit is one byte.
    ascii: bool,
    transcoder: Transcoder,
    at: usize,
}

impl<'a> Texts<'a> {
    fn new(units: &'a [u16]) -> Texts<'a> {
        let mut transcoder = Transcoder::new();
        let mut all = transcoder.text(units);
        let ascii = all.len() == units.len();
        if !ascii {
            all.clear(); // converted one by one, since a surrogate may end one text and another begin the next
        }
        Texts { units, all, ascii, transcoder, at: 0 }
    }

    /// Returns the range of the next text in `all`; `None` if it is absent.
    fn next(&mut self, units: f64) -> Option<Range<usize>> {
        if units < 0.0 {
            return None;
        }
        let from = self.at;
        self.at = self.units.len().min(from + units as usize);
        if self.ascii {
            return Some(from..self.at);
        }
        let start = self.all.len();
        self.transcoder.append(&mut self.all, &self.units[from..self.at]);
        Some(start..self.all.len())
    }
}
