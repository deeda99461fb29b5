//! Finds that one of many templates which matches a URI, without trying each of them.

use std::ops::Range;
use std::sync::Arc;

use super::captures::Captures;
use super::specificity::TokenKind;
use super::template::UriTemplate;

/// Returns the first template of `list` that matches. The list is sorted by the kinds of tokens, and no two templates
/// have equal kinds. `depth` of the tokens are equal in all, and are the first bytes of `uri`.
///
/// The order of the list makes it a tree. The tokens that the templates of a part share are read once. A part that no
/// reading of the URI gets into is left out. So the cost follows the URI and not the length of the list.
pub(super) fn first_match<'t>(
    list: &'t [Arc<UriTemplate>],
    depth: usize,
    uri: &str,
) -> Option<(&'t UriTemplate, Captures)> {
    if let [only] = list {
        return Some((only, only.matches(uri)?)); // most lists, without a search
    }
    let mut todo = vec![Branch { list, depth, places: vec![depth] }];
    while let Some(Branch { list, depth, mut places }) = todo.pop() {
        if let [only] = list {
            if let Some(captures) = only.matches(uri) {
                return Some((only, captures));
            }
            continue;
        }
        let [front, .., back] = list else { continue };
        let mut fork = depth;
        while front.kind(fork) == back.kind(fork) {
            places = after(front.kind(fork), &places, uri.as_bytes());
            fork += 1;
        }
        // The last one pushed is tried first.
        todo.extend(branches(list, fork, &places, uri.as_bytes()).into_iter().rev());
    }
    None
}

/// Templates that begin with equal tokens.
struct Branch<'t> {
    list: &'t [Arc<UriTemplate>],
    /// The number of tokens that were read.
    depth: usize,
    /// The offsets in the URI at which these tokens can end, ascending; possibly some at which they cannot.
    places: Vec<usize>,
}

/// Returns the parts of `list` that may continue from `places`, by the token at `fork`, most specific first. Each
/// place goes to one literal only, so that places do not multiply with the number of templates.
fn branches<'t>(list: &'t [Arc<UriTemplate>], fork: usize, places: &[usize], uri: &[u8]) -> Vec<Branch<'t>> {
    let mut parts = Vec::new();
    let kind = |template: &UriTemplate| template.kind(fork);
    let (literals, mut others) = list.split_at(literals(list, kind));
    let mut next: Vec<_> = places.iter().filter_map(|&place| Some((*uri.get(place)?, place))).collect();
    next.sort_unstable();
    for same in next.chunk_by(|(a, _), (b, _)| a == b) {
        let list = &literals[range_of(literals, kind, TokenKind::Literal(same[0].0))];
        if !list.is_empty() {
            parts.push(Branch { list, depth: fork, places: same.iter().map(|(_, place)| *place).collect() });
        }
    }
    while let Some(first) = others.first().filter(|_| !places.is_empty()) {
        let (list, rest) = others.split_at(range_of(others, kind, kind(first)).end);
        parts.push(Branch { list, depth: fork, places: places.to_vec() });
        others = rest;
    }
    parts
}

/// Returns how many templates of a list have a literal at a position. They come first, since the list is sorted by
/// `kind`.
pub(super) fn literals(list: &[Arc<UriTemplate>], kind: impl Fn(&UriTemplate) -> TokenKind) -> usize {
    list.partition_point(|template| matches!(kind(template), TokenKind::Literal(_)))
}

/// Returns the range of the templates of such a list that have `wanted` at the position.
pub(super) fn range_of(
    list: &[Arc<UriTemplate>],
    kind: impl Fn(&UriTemplate) -> TokenKind,
    wanted: TokenKind,
) -> Range<usize> {
    let from = list.partition_point(|template| kind(template) < wanted);
    let number = list[from..].partition_point(|template| kind(template) == wanted);
    from..from + number
}

/// Returns the places where a token can end if it begins at one of `places`. May return too many, never too few.
fn after(kind: TokenKind, places: &[usize], uri: &[u8]) -> Vec<usize> {
    let behind = |place: usize| place + 1..=uri.len();
    match kind {
        TokenKind::Literal(byte) => {
            places.iter().filter(|&&place| uri.get(place) == Some(&byte)).map(|place| place + 1).collect()
        }
        TokenKind::End => places.iter().copied().filter(|&place| place == uri.len()).collect(),
        TokenKind::Segment => {
            let (mut ends, mut known) = (Vec::new(), 0);
            for &place in places {
                let begin = place.max(known);
                let length = uri[begin..].iter().take_while(|byte| !b"/?#".contains(byte)).count();
                known = begin + length;
                ends.extend(begin + 1..=known);
            }
            ends
        }
        TokenKind::Greedy => places.first().map(|&place| behind(place)).into_iter().flatten().collect(),
        TokenKind::Group(symbol) | TokenKind::OptionalGreedy(symbol) => {
            // The group may be absent.
            let begins = |place: &usize| uri.get(*place).is_some_and(|&byte| char::from(byte) == symbol);
            let Some(&present) = places.iter().find(|place| begins(place)) else { return places.to_vec() };
            places.iter().copied().take_while(|&place| place <= present).chain(behind(present)).collect()
        }
    }
}
