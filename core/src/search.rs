//! Searches the names and texts of files in folders for the words of a query. Reads no file and has no clock: a folder
//! passes its files, and says how much time is left.

use crate::jsonrpc::write::Object;
use crate::model::Json;
use memchr::memmem::Finder;
use std::cmp::Reverse;

/// The greatest number of bytes of a query.
const QUERY: usize = 1_000;

/// The greatest number of words of a query. Further words are ignored.
const WORDS: usize = 32;

/// The approximate number of bytes of a snippet on each side of a word.
const SNIPPET: usize = 100;

/// A folder that can be searched.
pub(crate) trait SearchedFolder: Send + Sync {
    /// Passes its files to the search, as long as the search has time.
    fn search(&self, search: &mut TextSearch<'_>);
}

/// Says how much of a search there is still time for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Texts,
    Names,
    Over,
}

/// A search. A file is found if its path or its text has at least half of the words of the query. Letters are equal in
/// either case.
pub(crate) struct TextSearch<'a> {
    words: Vec<Finder<'static>>,
    /// The greatest number of results.
    limit: usize,
    pace: &'a dyn Fn() -> Pace,
    /// The results so far, the best first.
    found: Vec<Hit>,
}

struct Hit {
    /// The number of words that the file has, and of those that its path has.
    words: (usize, usize),
    uri: String,
    title: String,
    snippet: Option<String>,
}

impl<'a> TextSearch<'a> {
    /// Begins a search. Fails with a text for the model if the query is too long.
    pub(crate) fn new(query: &str, limit: usize, pace: &'a dyn Fn() -> Pace) -> Result<Self, String> {
        if query.len() > QUERY {
            return Err(format!("The query has {} bytes. A search takes at most {QUERY}.", query.len()));
        }
        let mut words: Vec<String> = Vec::new();
        for word in query.to_lowercase().split_whitespace() {
            let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
            let word = if inner.is_empty() { word } else { inner };
            if words.len() < WORDS && !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        }
        let words = words.iter().map(|word| Finder::new(word).into_owned()).collect();
        Ok(TextSearch { words, limit, pace, found: Vec::new() })
    }

    /// Returns what there is time for. A query without words finds nothing.
    pub(crate) fn pace(&self) -> Pace {
        if self.words.is_empty() { Pace::Over } else { (self.pace)() }
    }

    /// Compares a file. `text` returns its text, or `None` if it has none; `described` its URI and title.
    pub(crate) fn compare(
        &mut self,
        path: &str,
        text: impl FnOnce() -> Option<String>,
        described: impl FnOnce() -> Option<(String, String)>,
    ) {
        let path = path.to_lowercase();
        let has = |text: &str| -> Vec<Option<usize>> {
            self.words.iter().map(|word| word.find(text.as_bytes())).collect()
        };
        let in_path = has(&path);
        let named = in_path.iter().flatten().count();
        let worst = self.found.last().filter(|_| self.found.len() == self.limit).map(|found| found.words);
        // With all words in its text it is as good as this.
        if worst.is_some_and(|worst| (self.words.len(), named) <= worst) {
            return;
        }
        let text = if (self.pace)() == Pace::Texts { text() } else { None };
        let lower = text.as_deref().unwrap_or_default().to_lowercase();
        let in_text = has(&lower);
        let all =
            in_path.iter().zip(&in_text).filter(|(path, text)| path.is_some() || text.is_some()).count();
        let words = (all, named);
        if all * 2 < self.words.len() || all == 0 || worst.is_some_and(|worst| words <= worst) {
            return;
        }
        let Some((uri, title)) = described() else { return };
        let first = in_text.iter().flatten().min();
        let snippet = first.zip(text.as_deref()).map(|(at, text)| snippet(text, &lower, *at));
        let at = self.found.partition_point(|found| Reverse(found.words) <= Reverse(words));
        self.found.insert(at, Hit { words, uri, title, snippet });
        self.found.truncate(self.limit);
    }

    /// Returns the results as the callback of a search gives them.
    pub(crate) fn results(self) -> Json {
        let mut out = Vec::new();
        let mut object = Object::begin(&mut out);
        let list = object.member("results");
        list.push(b'[');
        for (at, found) in self.found.iter().enumerate() {
            if at > 0 {
                list.push(b',');
            }
            let mut result = Object::begin(list);
            result.string("uri", &found.uri).string("title", &found.title);
            if let Some(snippet) = &found.snippet {
                result.string("text", snippet);
            }
            result.end();
        }
        list.push(b']');
        object.end();
        Json::written(out)
    }
}

/// Returns a part of the line in which a word is. `at`: its place in the lower-case text, whose characters may have
/// other lengths.
fn snippet(text: &str, lower: &str, at: usize) -> String {
    let before = &lower.as_bytes()[..at];
    let line_number = memchr::memchr_iter(b'\n', before).count();
    let in_line = at - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = text.split('\n').nth(line_number).unwrap_or_default();
    let boundary = |mut at: usize| {
        at = at.min(line.len());
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, to) = (boundary(in_line.saturating_sub(SNIPPET)), boundary(in_line + SNIPPET));
    line[from..to].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns the URIs that a query finds, and their snippets.
    fn found(query: &str, limit: usize, files: &[(&str, &str)]) -> Vec<(String, Value)> {
        let mut search = TextSearch::new(query, limit, &|| Pace::Texts).unwrap();
        for (path, text) in files {
            if search.pace() == Pace::Over {
                break;
            }
            let described = || Some(((*path).to_owned(), (*path).to_owned()));
            search.compare(path, || Some((*text).to_owned()), described);
        }
        let results: Value = serde_json::from_str(search.results().as_str()).unwrap();
        let list = results["results"].as_array().unwrap();
        list.iter().map(|one| (one["uri"].as_str().unwrap().to_owned(), one["text"].clone())).collect()
    }

    /// row: RT-16
    #[test]
    fn files_with_more_of_the_words_come_first_and_those_with_words_in_their_names_next() {
        let files = [("a", "tea"), ("b/tea", ""), ("c", "green TEA, hot"), ("tea/green", ""), ("d", "milk")];
        let uris = |query: &str, limit| -> Vec<String> {
            found(query, limit, &files).into_iter().map(|(uri, _)| uri).collect()
        };
        assert_eq!(uris("Green tea?", 9), ["tea/green", "c", "b/tea", "a"]);
        assert_eq!(uris("Green tea?", 2), ["tea/green", "c"]);
        assert_eq!(uris("is green tea hot", 9), ["c", "tea/green"], "half of the words are enough");
        assert_eq!(uris("tea tea tea milk", 9), ["b/tea", "tea/green", "a", "c", "d"], "a word counts once");
        assert_eq!(uris("coffee", 9), [""; 0]);
        assert_eq!(uris("", 9), [""; 0]);
        assert_eq!(uris(" \n ", 9), [""; 0]);
    }

    /// row: RT-13
    #[test]
    fn a_snippet_is_the_line_of_a_word_cut_between_characters() {
        let snippet = |query: &str, text: &str| found(query, 9, &[("a", text)])[0].1.clone();
        assert_eq!(snippet("tea", "one\n  Buy Tea.\r\nthree"), json!("Buy Tea."));
        assert_eq!(snippet("öl", "ÖL und Essig"), json!("ÖL und Essig"));
        assert_eq!(snippet("x", "İİİ\nİİx\n"), json!("İİx"), "its characters are longer in lower case");
        let long = format!("{}tea{}", "ä".repeat(500), "ö".repeat(500));
        let cut = snippet("tea", &long);
        assert_eq!(cut, json!(format!("{}tea{}", "ä".repeat(50), "ö".repeat(48))));
        assert_eq!(found("a", 9, &[("a", "b")])[0].1, Value::Null, "the name has the word");
    }

    #[test]
    fn a_query_that_is_too_long_is_refused() {
        let refused = TextSearch::new(&"x".repeat(QUERY + 1), 9, &|| Pace::Texts).err();
        assert_eq!(refused.as_deref(), Some("The query has 1001 bytes. A search takes at most 1000."));
        assert!(TextSearch::new(&"x ".repeat(QUERY / 2), 9, &|| Pace::Texts).is_ok());
    }
}
