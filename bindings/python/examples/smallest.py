import wellhead

server = wellhead.Server("notes", "1.0.0")
server.text("notes://about", "Notes.")


@server.resource("notes://{id}", mime_type="text/markdown")
def note(id: str) -> str | None:
    """One note."""
    return {"1": "# Milk", "2": "# Bread"}.get(id)


server.run()
