//! The MIME types of files, by name.

/// Returns the MIME type of a file of this name, or `None` if only the contents could tell.
pub(super) fn guess(name: &str) -> Option<&'static str> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let known = SOURCES.binary_search_by_key(&&*extension.to_ascii_lowercase(), |(extension, _)| extension);
    match known {
        Ok(at) => Some(SOURCES[at].1),
        Err(_) => mime_guess::from_ext(extension).first_raw().filter(|mime| *mime != UNKNOWN),
    }
}

/// The MIME type of unknown bytes.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// Returns whether contents of this type are text, provided that they are UTF-8.
pub(super) fn is_text(mime: &str) -> bool {
    let Some((kind, subtype)) = mime.split_once('/') else { return false };
    kind == "text"
        || subtype.ends_with("+json")
        || subtype.ends_with("+xml")
        || kind == "message"
        || kind == "application" && TEXTS.contains(&subtype)
}

/// Types of text whose names do not begin with `text/`.
const TEXTS: [&str; 15] = [
    "javascript",
    "json",
    "json-seq",
    "jsonl",
    "sql",
    "toml",
    "x-httpd-php",
    "x-javascript",
    "x-ndjson",
    "x-perl",
    "x-sh",
    "x-sql",
    "x-tex",
    "xml",
    "yaml",
];

/// Extensions of text files that the general table lacks or misjudges; sorted.
const SOURCES: [(&str, &str); 60] = [
    ("adoc", "text/asciidoc"),
    ("bash", "application/x-sh"),
    ("bat", "text/x-batch"),
    ("c", "text/x-c"),
    ("cc", "text/x-c++"),
    ("clj", "text/x-clojure"),
    ("cmake", "text/x-cmake"),
    ("cpp", "text/x-c++"),
    ("cs", "text/x-csharp"),
    ("cts", "text/x-typescript"),
    ("dart", "text/x-dart"),
    ("diff", "text/x-diff"),
    ("erl", "text/x-erlang"),
    ("ex", "text/x-elixir"),
    ("exs", "text/x-elixir"),
    ("fish", "text/x-fish"),
    ("go", "text/x-go"),
    ("gradle", "text/x-groovy"),
    ("graphql", "text/x-graphql"),
    ("groovy", "text/x-groovy"),
    ("h", "text/x-c"),
    ("hpp", "text/x-c++"),
    ("hs", "text/x-haskell"),
    ("ini", "text/x-ini"),
    ("ipynb", "application/x-ipynb+json"),
    ("java", "text/x-java"),
    ("jl", "text/x-julia"),
    ("jsonl", "application/jsonl"),
    ("jsx", "text/javascript"),
    ("kt", "text/x-kotlin"),
    ("kts", "text/x-kotlin"),
    ("lock", "text/plain"),
    ("ml", "text/x-ocaml"),
    ("mm", "text/x-objective-c++"),
    ("mts", "text/x-typescript"),
    ("ndjson", "application/x-ndjson"),
    ("nix", "text/x-nix"),
    ("org", "text/org"),
    ("patch", "text/x-diff"),
    ("properties", "text/x-java-properties"),
    ("proto", "text/x-protobuf"),
    ("ps1", "text/x-powershell"),
    ("py", "text/x-python"),
    ("pyi", "text/x-python"),
    ("r", "text/x-r"),
    ("rb", "text/x-ruby"),
    ("rst", "text/x-rst"),
    ("scala", "text/x-scala"),
    ("svelte", "text/x-svelte"),
    ("swift", "text/x-swift"),
    ("tex", "text/x-tex"),
    ("tf", "text/x-terraform"),
    ("toml", "application/toml"),
    ("ts", "text/x-typescript"),
    ("tsx", "text/x-typescript"),
    ("vue", "text/x-vue"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zig", "text/x-zig"),
    ("zsh", "text/x-zsh"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_in_any_case_gives_the_type() {
        assert_eq!(guess("a.md"), Some("text/markdown"));
        assert_eq!(guess("A.JSON"), Some("application/json"));
        assert_eq!(guess("x.tar.gz"), Some("application/gzip"));
        assert_eq!(guess("main.ts"), Some("text/x-typescript"));
        assert_eq!(guess("logo.SVG"), Some("image/svg+xml"));
        assert_eq!(guess("photo.png"), Some("image/png"));
    }

    #[test]
    fn a_name_without_a_known_extension_gives_no_type() {
        for name in ["Makefile", "LICENSE", "x.unheard-of", "x.", ".profile", ".md", "data.bin"] {
            assert_eq!(guess(name), None, "{name}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_holds_text() {
        assert!(SOURCES.is_sorted());
        for (extension, mime) in SOURCES {
            assert!(is_text(mime), "{extension}");
        }
    }

    #[test]
    fn text_is_distinguished_from_other_contents() {
        for text in
            ["text/plain", "application/json", "image/svg+xml", "application/ld+json", "message/rfc822"]
        {
            assert!(is_text(text), "{text}");
        }
        for other in ["image/png", "application/pdf", UNKNOWN, "video/mp4", "application/zip", "nonsense"] {
            assert!(!is_text(other), "{other}");
        }
    }
}
