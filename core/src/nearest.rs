//! Guesses which known name a mistyped one stands for.

/// Returns the name that differs from `word` by the fewest letters, if these are at most two. Ignores case, underscores and hyphens.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (distance(word, name), name))
        .min()
        .filter(|(letters, _)| *letters <= 2)
        .map(|(_, name)| name)
}

/// Returns how many letters have to be added, removed or changed to turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| -> Vec<char> {
        text.chars().filter(|c| *c != '_' && *c != '-').map(|c| c.to_ascii_lowercase()).take(64).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
