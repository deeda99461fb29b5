"""Resources as tools, and skills: see README.md one folder up."""

import sys

import wellhead

server = wellhead.Server("shelf", "1.0.0", resources_as_tools=True)
if sys.argv[1:2] == ["--skills"] and len(sys.argv) > 2:
    server.skills(sys.argv[2])
elif "--skills" in sys.argv:
    names = [f"skill-{n}" for n in range(5)]

    @server.skill_list
    def library(after: str | None, limit: int) -> wellhead.Page:
        entries = [
            {"uri": f"skill://team/{name}/SKILL.md", "frontmatter": {"name": name, "description": "One of five."}}
            for name in names
        ]
        rest = [entry for entry in entries if after is None or entry["uri"] > after][: min(limit, 2)]
        return wellhead.Page(rest, more=bool(rest) and rest[-1] != entries[-1])

    @server.resource("skill://team/{name}/SKILL.md", mime_type="text/markdown")
    def skill(name: str) -> str | None:
        return name if name in names else None

elif "--empty" not in sys.argv:
    server.text("shelf://open", "open content", name="open", description="For all", mime_type="text/plain")
    server.blob("shelf://bytes", b"\x00\x01\x02\x03", mime_type="application/octet-stream")
    server.blob("shelf://logo", b"\x89PNG\r\n\x1a\n", mime_type="image/png")
    server.text("shelf://hidden", "hidden content")
    server.text("shelf://denied", "denied content")

    @server.resource("shelf://users/{user}/profile{?lang}", name="profile", description="Says who that is")
    def profile(user: str, lang: str = "en") -> str:
        return f"Profile of {user} in {lang}"

    @server.tool
    def own() -> str:
        """Answers by itself."""
        return "own answer"

    @server.authorize
    def authorize(operation: str, uris: list[str]) -> list[str]:
        verdicts = {"shelf://hidden": "hide", "shelf://denied": "deny"}
        return [verdicts.get(uri, "allow") for uri in uris]


server.run()
