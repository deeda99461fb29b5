"""The installed package tells where it comes from, and brings the licences of all that is in it."""

import importlib.metadata


def test_the_package_contains_its_licences() -> None:
    files = importlib.metadata.files("wellhead") or []
    texts = {file.name: file.read_text() for file in files if "licenses" in file.parts}
    assert set(texts) == {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES"}
    assert "Apache License" in texts["LICENSE-APACHE"]
    assert "Permission is hereby granted" in texts["LICENSE-MIT"]
    assert "serde_json" in texts["THIRD-PARTY-NOTICES"]


def test_the_metadata_names_the_pages_of_the_project() -> None:
    urls = importlib.metadata.metadata("wellhead").get_all("Project-URL") or []
    assert {url.split(",")[0] for url in urls} == {"Changelog", "Documentation", "Homepage", "Issues", "Repository"}
