//! Carries the version and the address of the repository from `Cargo.toml` to the manifests of other registries, the lock files and the
//! pages of the packages.

use std::path::PathBuf;

/// The address until a person has filled it in.
pub(crate) const PLACEHOLDER: &str = "https://github.com/OWNER/wellhead";

/// Files that name the address, as links or as fields.
const ADDRESSED: [&str; 12] = [
    "Cargo.toml",
    "bindings/node/package.json",
    "bindings/node/README.md",
    "bindings/python/pyproject.toml",
    "bindings/python/README.md",
    "core/README.md",
    "ffi/README.md",
    "packaging/readmes/bundle.md",
    "packaging/readmes/command-windows.md",
    "packaging/readmes/command.md",
    "packaging/readmes/deb.md",
    "packaging/readmes/windows.md",
];

/// Pages with a command that installs the tarballs of Node by their names. A pattern for the version would be one that not
/// every shell has, since the names of the packages for platforms begin with the name of the main one.
const WITH_TARBALLS: [&str; 3] = ["README.md", "docs/src/containers.md", "docs/src/node.md"];

pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable; the test of releases gives the folder of a copy.
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into()))
        .join("..")
}

pub(crate) fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))
}

pub(crate) fn write(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(root().join(path), text).map_err(|e| format!("{path}: {e}"))
}

/// Returns the version of the workspace. Read from the file, since this program may be older than the file.
pub(crate) fn version() -> Result<String, String> {
    Ok(between(&read("Cargo.toml")?, "\nversion = \"", "\"", "Cargo.toml")?.to_owned())
}

/// Returns the address of the repository, without a slash at its end.
pub(crate) fn address() -> Result<String, String> {
    Ok(between(&read("Cargo.toml")?, "\nrepository = \"", "\"", "Cargo.toml")?.to_owned())
}

/// Writes what is not current, and returns the paths of these files. With `dry` it writes nothing.
pub(crate) fn carry(dry: bool) -> Result<Vec<String>, String> {
    let (version, address) = (version()?, address()?);
    let before = between(
        &read("bindings/node/package.json")?,
        "\"url\": \"git+",
        ".git\"",
        "bindings/node/package.json",
    )?
    .to_owned();
    if !address.starts_with("https://") || address.ends_with('/') {
        return Err(format!("Cargo.toml: `repository` must be a URL such as {PLACEHOLDER} (got {address})"));
    }
    let mut stale = Vec::new();
    let mut put = |path: &str, change: &dyn Fn(String) -> Result<String, String>| {
        let old = read(path)?;
        let new = change(old.clone())?;
        if new != old {
            stale.push(path.to_owned());
            if !dry {
                write(path, &new)?;
            }
        }
        Ok::<(), String>(())
    };
    for path in ADDRESSED {
        put(path, &|text| {
            let text = text.replace(&before, &address).replace(PLACEHOLDER, &address);
            text.contains(&address).then_some(text).ok_or_else(|| format!("{path} does not name {address}"))
        })?;
    }
    put("Cargo.toml", &|text| {
        set(&text, "\nwellhead = { path = \"core\", version = \"", &version, "Cargo.toml")
    })?;
    for path in ["Cargo.lock", "tests/fuzz/libfuzzer/Cargo.lock"] {
        put(path, &|text| Ok(locked(&text, &version)))?;
    }
    put("bindings/node/package.json", &|text| set(&text, "\n  \"version\": \"", &version, "package.json"))?;
    put("bindings/node/lib/load.ts", &|text| set(&text, "\nconst VERSION = '", &version, "load.ts"))?;
    put("bindings/node/package-lock.json", &|text| {
        let text = set(&text, "\n  \"version\": \"", &version, "package-lock.json")?;
        set(&text, "\n      \"version\": \"", &version, "package-lock.json")
    })?;
    for path in WITH_TARBALLS {
        put(path, &|text| {
            let Ok(old) = between(&text, "npm install --offline ./dist/wellhead-", ".tgz", path) else {
                return Ok(text); // the page names the registry, once the package is there
            };
            Ok(text.replace(&format!("-{old}.tgz"), &format!("-{version}.tgz")))
        })?;
    }
    stale.dedup();
    Ok(stale)
}

/// A lock file with this version for the crates of the workspace: those that come from no registry and have a version at all.
fn locked(text: &str, version: &str) -> String {
    let blocks = text.split("\n\n").map(|block| {
        let ours = block.contains("[[package]]")
            && !block.contains("\nsource = ")
            && !block.contains("\nversion = \"0.0.0\"");
        if ours {
            set(block, "\nversion = \"", version, "").unwrap_or_else(|_| block.to_owned())
        } else {
            block.to_owned()
        }
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// Replaces what stands between the first `begin`, which ends with a quotation mark, and the next such mark.
fn set(text: &str, begin: &str, value: &str, path: &str) -> Result<String, String> {
    let old = between(text, begin, &begin[begin.len() - 1..], path)?;
    Ok(text.replacen(&format!("{begin}{old}"), &format!("{begin}{value}"), 1))
}

fn between<'a>(text: &'a str, begin: &str, end: &str, path: &str) -> Result<&'a str, String> {
    let found = text.split_once(begin).and_then(|(_, rest)| rest.split_once(end));
    found.map(|(value, _)| value).ok_or_else(|| format!("{path}: there is no {:?}", begin.trim()))
}
