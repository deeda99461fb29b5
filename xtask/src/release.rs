//! Raises the version everywhere: the workspace, other registries' manifests, lock files, headers, CHANGELOG, and the record of the ABI.

use crate::{abi, header, manifests};
use std::time::{SystemTime, UNIX_EPOCH};

/// Raises the version to `new`, and dates the entries of CHANGELOG that have no version yet.
pub(crate) fn release(new: &str) -> Result<(), String> {
    let old = manifests::version()?;
    let (from, to) = (parts(&old)?, parts(new)?);
    let changelog = manifests::read("CHANGELOG.md")?;
    // The same version is right for the first release, and for another attempt after an error: CHANGELOG is written last.
    let is_released = changelog.contains(&format!("\n## {new} - "));
    if to < from || is_released {
        return Err(format!("the version must rise: it is {old} (got {new})"));
    }
    if manifests::address()? == manifests::PLACEHOLDER {
        return Err("Cargo.toml has the placeholder of the repository's address: fill it in, then run `cargo xtask manifests`".into());
    }
    if let Some(page) =
        pages()?.into_iter().find(|(_, text)| NOT_YET.iter().any(|words| text.contains(words)))
    {
        return Err(format!("{} says that something is {}: change that", page.0, NOT_YET.join(" or ")));
    }
    header::HEADERS.into_iter().try_for_each(header::check)?;
    abi::check()?;
    if abi::rises()? && soname(from) == soname(to) {
        return Err(format!(
            "programs of the last release would load this library and break, since both have the soname libwellhead.so.{}: \
             raise the number of the version that is in it",
            soname(to)
        ));
    }
    let dated = dated(&changelog, new, &today()?)?;
    let manifest = manifests::read("Cargo.toml")?;
    let raised = manifest.replacen(&format!("\nversion = \"{old}\""), &format!("\nversion = \"{new}\""), 1);
    manifests::write("Cargo.toml", &raised)?;
    manifests::carry(false)?;
    for header in header::HEADERS {
        header::write(header)?;
    }
    abi::write()?;
    manifests::write("CHANGELOG.md", &dated)
}

/// Words that pages have before the first release. Registries show the pages, so a release must not contain these words.
const NOT_YET: [&str; 2] = ["not published yet", "not run yet"];

/// Returns the paths and texts of the pages for users.
fn pages() -> Result<Vec<(String, String)>, String> {
    let mut pages = Vec::new();
    for folder in [".", "core", "ffi", "bindings/node", "bindings/python", "packaging/readmes", "docs/src"] {
        let entries =
            std::fs::read_dir(manifests::root().join(folder)).map_err(|e| format!("{folder}: {e}"))?;
        for entry in entries {
            let name = entry.map_err(|e| format!("{folder}: {e}"))?.file_name();
            let name = name.to_string_lossy();
            let page = name.strip_suffix(".md").filter(|name| !["CONTRIBUTING", "CHANGELOG"].contains(name));
            if page.is_some() {
                let path = format!("{folder}/{name}");
                pages.push((path.clone(), manifests::read(&path)?));
            }
        }
    }
    Ok(pages)
}

/// Returns the numbers of a version that are in the soname, as `ffi/build.rs` does.
fn soname(version: [u32; 3]) -> String {
    match version {
        [0, minor, _] => format!("0.{minor}"),
        [major, ..] => major.to_string(),
    }
}

/// Returns a version as numbers that compare. A release has three of them and no suffix.
fn parts(version: &str) -> Result<[u32; 3], String> {
    let numbers: Option<Vec<u32>> =
        version.split('.').map(|part| part.parse().ok().filter(|n: &u32| n.to_string() == part)).collect();
    let numbers = numbers.and_then(|numbers| <[u32; 3]>::try_from(numbers).ok());
    numbers.ok_or_else(|| format!("a version has three numbers, such as 1.2.3 (got {version})"))
}

/// The changes under "Unreleased" get a version and a date; an empty "Unreleased" stands above them.
fn dated(changelog: &str, version: &str, date: &str) -> Result<String, String> {
    let start = changelog.find("\n## Unreleased").ok_or("CHANGELOG.md: there is no \"## Unreleased\"")? + 1;
    let end = start + changelog[start..].find('\n').unwrap_or(changelog.len() - start);
    let entries = &changelog[end..];
    let entries = &entries[..entries.find("\n## ").unwrap_or(entries.len())];
    if !entries.lines().any(|line| line.starts_with("- ")) {
        return Err("CHANGELOG.md: there is nothing under \"Unreleased\" to release".into());
    }
    Ok(format!("{}## Unreleased\n\n## {version} - {date}{}", &changelog[..start], &changelog[end..]))
}

fn today() -> Result<String, String> {
    let seconds = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => {
            text.parse().map_err(|_| format!("SOURCE_DATE_EPOCH must be a number of seconds (got {text})"))?
        }
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?.as_secs(),
    };
    Ok(date(seconds / 86_400))
}

/// Returns the date of a day by its number since 1970-01-01.
fn date(mut days: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_781), "2026-11-24");
        assert_eq!(date(20_818), "2026-12-31");
        assert_eq!(date(20_819), "2027-01-01");
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parts("0.10.0") > parts("0.9.9"));
        for wrong in ["1.2", "1.2.3.4", "1.2.x", "01.2.3", "1.2.3-rc.1", "+1.2.3", ""] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn entries_get_a_version_and_a_date_and_unreleased_begins_anew() {
        let changelog =
            "# C\n\n## Unreleased (0.1.0)\n\n### Added\n\n- core: a\n\n## 0.0.1 - 2026-01-01\n\n- b\n";
        let expected = "# C\n\n## Unreleased\n\n## 0.1.0 - 2026-11-24\n\n### Added\n\n- core: a\n\n## 0.0.1 - 2026-01-01\n\n- b\n";
        assert_eq!(dated(changelog, "0.1.0", "2026-11-24").unwrap(), expected);
        assert!(dated(expected, "0.2.0", "2026-11-25").unwrap_err().contains("nothing"));
        assert!(dated("# C\n", "0.2.0", "2026-11-25").is_err());
    }
}
