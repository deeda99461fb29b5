//! The tables of `NAMES.md`: what each language calls an option.

use wellhead::OptionSet;

pub(crate) const LANGUAGES: [&str; 5] = ["Rust", "C", "C++", "Python", "Node"];

/// A row about an option.
pub(crate) struct Row<'a> {
    pub(crate) option: &'a str,
    /// The names in each of [`LANGUAGES`]; none where a reason says why.
    pub(crate) names: [Vec<&'a str>; 5],
}

/// The rows of the tables about a set of options, without those whose first cell is a description.
pub(crate) fn rows<'a>(document: &'a str, set: &OptionSet) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for section in set.sections {
        let (_, rest) = document.split_once(&format!("\n## {section}\n")).unwrap_or_default();
        assert!(!rest.is_empty(), "NAMES.md has no section {section:?}");
        let table = rest.split("\n## ").next().unwrap_or_default();
        for line in table.lines().filter(|line| line.starts_with('|')) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let option = cells[0].strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
            if let (Some(option), true) = (option, cells.len() == 6) {
                let names = std::array::from_fn(|n| cells[n + 1].split('`').skip(1).step_by(2).collect());
                rows.push(Row { option, names });
            }
        }
    }
    rows
}
