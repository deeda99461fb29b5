"""Checks the shape of vectors, and which words of `needs` they call for: tests/vectors/README.md as code."""
import json
import re
from typing import Any, Callable

MAX_INTEGER = 2**53


class Malformed(Exception):
    """Says what is wrong in a vector, and where."""


# ---- the shape of a vector: a checker takes a value and says where it stands

Checker = Callable[[Any, str], None]


def fail(where: str, what: str) -> None:
    raise Malformed(f"{where}: {what}")


def is_a(kind: type, name: str) -> Checker:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            fail(where, f"must be {name}")
    return check


def one_of(*allowed: Any) -> Checker:
    def check(value: Any, where: str) -> None:
        if value not in allowed:
            fail(where, f"must be one of {', '.join(map(str, allowed))}, not {value!r}")
    return check


def array(item: Checker) -> Checker:
    def check(value: Any, where: str) -> None:
        is_a(list, "an array")(value, where)
        for i, element in enumerate(value):
            item(element, f"{where}[{i}]")
    return check


def members_of(member: Checker) -> Checker:
    def check(value: Any, where: str) -> None:
        is_a(dict, "an object")(value, where)
        for name, inner in value.items():
            member(inner, f"{where}.{name}")
    return check


def members(required: dict[str, Checker], optional: dict[str, Checker]) -> Checker:
    def check(value: Any, where: str) -> None:
        is_a(dict, "an object")(value, where)
        for name in required:
            if name not in value:
                fail(where, f"lacks {name}")
        for name, inner in value.items():
            known = required.get(name) or optional.get(name)
            if known is None:
                fail(where, f"has an unknown member {name}")
                continue
            known(inner, f"{where}.{name}")
    return check


def by_member(*shapes: tuple[str, Checker]) -> Checker:
    """The first member name that is present decides which shape it is."""
    def check(value: Any, where: str) -> None:
        is_a(dict, "an object")(value, where)
        for name, shape in shapes:
            if name in value:
                shape(value, where)
                return
        fail(where, "must have one of " + ", ".join(name for name, _ in shapes))
    return check


text = is_a(str, "a string")
integer = is_a(int, "an integer")
number = is_a((int, float), "a number")
boolean = is_a(bool, "true or false")
anything = is_a(object, "anything")
obj = is_a(dict, "an object")


def base64(value: Any, where: str) -> None:
    text(value, where)
    if len(value) % 4 or not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", value):
        fail(where, "is not padded base64")


HINT = members({}, {"ttl_ms": integer, "scope": one_of("public", "private")})
DESCRIPTOR: dict[str, Checker] = {
    "name": text, "title": text, "description": text, "mime_type": text, "size": integer, "annotations": obj,
    "icons": array(obj), "meta": obj, "kind": text, "metadata": obj, "cache": HINT,
}
RESOURCE: dict[str, Checker] = {**DESCRIPTOR, "version": text}
TOLD: dict[str, Checker] = {"name": text, "title": text, "kind": text, "version": text, "metadata": obj, "cache": HINT}
PART: dict[str, Checker] = {"uri": text, "mime_type": text, "meta": obj, **TOLD}
part = by_member(("text", members({"text": text}, PART)), ("base64", members({"base64": base64}, PART)))


report = members({"progress": number}, {"total": number, "message": text})


def answer(value: Any, where: str) -> None:
    if isinstance(value, str):
        one_of("not_found", "denied", "not_modified", "busy", "invalid_state", "fail", "wrong_type", "none", "drop")(value, where)
        return
    by_member(
        ("text", members({"text": text}, {"mime_type": text, **TOLD})),
        ("base64", members({"base64": base64}, {"mime_type": text, **TOLD})),
        ("busy", members({"busy": integer}, {})),
        ("progress", members({"progress": array(report), "then": answer}, {})),
        ("asks", members({"asks": any_object}, {"then": answer})),
        ("client_requests", members({"client_requests": array(members({"name": text, "method": text}, {"params": any_object})), "then": answer}, {"missing": answer})),
        ("seal", members({"seal": text, "until": integer, "now": integer, "then": answer}, {})),
        ("parts", members({"parts": array(part)}, {})),
        ("repeat", members({"repeat": text, "times": integer}, {})),
        ("repeat_base64", members({"repeat_base64": base64, "times": integer}, {})),
        ("header", members({"header": text}, {})),
        ("hold", members({"hold": text}, {})),
        ("by", members({"by": text, "cases": lambda v, w: [answer(a, f"{w}.{k}") for k, a in v.items()] and None}, {"else": answer})),
    )(value, where)


item = members({"uri": text}, {"key": text, "frontmatter": anything, "resources": anything, **RESOURCE})


def listing(value: Any, where: str) -> None:
    if value == "fail":
        return
    by_member(
        ("items", members({"items": array(item)}, {"ignore_limit": one_of(True), "unlisted": array(item), "header": text})),
        ("more_without_items", members({"more_without_items": one_of(True)}, {})),
        ("hold", members({"hold": text}, {})),
    )(value, where)


def name_or_null(value: Any, where: str) -> None:
    if value is not None:
        text(value, where)


def completion(value: Any, where: str) -> None:
    if value == "fail":
        return
    by_member(
        ("values", members({"values": array(text)}, {"total": integer, "more": one_of(True), "header": text})),
        ("count", members({"count": integer}, {"total": integer, "more": one_of(True)})),
        ("hold", members({"hold": text}, {})),
    )(value, where)


EXISTS: dict[str, Checker] = {"exists": array(text)}
entry = by_member(
    ("text", members({"text": text, "body": text}, RESOURCE)),
    ("app", by_member(
        ("body", members({"app": text, "body": text, "ui": lambda v, w: any_object(v, w)}, RESOURCE)),
        ("read", members({"app": text, "read": answer, "ui": lambda v, w: any_object(v, w)}, RESOURCE)),
    )),
    ("blob", members({"blob": text, "base64": base64}, RESOURCE)),
    ("resource", members({"resource": text, "read": answer}, {**EXISTS, **RESOURCE})),
    ("template", members({"template": text, "read": answer}, {"list": listing, "complete": members_of(completion), **EXISTS, **DESCRIPTOR})),
    ("skills", members({"skills": members_of(text)}, {"prefix": text})),
    ("list", members({"list": name_or_null, "pages": listing}, {"of": one_of("skills")})),
    ("fallback", members({"fallback": answer}, EXISTS)),
    ("method", members({"method": text, "answer": lambda v, w: method_answer(v, w)}, {"revisions": array(text)})),
    ("search", members({"search": one_of(True), "answer": lambda v, w: method_answer(v, w)}, {})),
    ("tool", members({"tool": text, "members": lambda v, w: any_object(v, w), "answer": lambda v, w: method_answer(v, w)}, {})),
    ("prompt", members({"prompt": text, "members": lambda v, w: any_object(v, w), "answer": lambda v, w: method_answer(v, w)},
                       {"complete": members_of(completion)})),
    ("around", members({"around": text}, {"append": text, "header": text, "arguments": members_of(lambda v, w: any_object(v, w)), "refuse": members_of(lambda v, w: finish(v, w)), "fail": members_of(one_of("before", "after"))})),
    ("authorize", members({"authorize": members({}, {"deny": array(text), "hide": array(text), "hold": text, "header": text})}, {})),
    ("interest", members({"interest": members({}, {"hold": text, "fail": one_of(True)})}, {})),
)


def template_value(value: Any, where: str) -> None:
    if isinstance(value, dict):
        members_of(text)(value, where)
    elif isinstance(value, list):
        array(text)(value, where)
    else:
        text(value, where)


def message(value: Any, where: str) -> None:
    """Checks a message, which every language writes alike: see README, Messages."""
    if isinstance(value, str):
        tokens(value, where)
        return
    is_a(dict, "an object or a string")(value, where)
    plain(value, where)
    tokens(json.dumps(value, ensure_ascii=False), where)


def plain(value: Any, where: str) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            if re.fullmatch(r"\d+|__proto__", name):
                fail(where, f"has a member {name}, which some languages move; write the message as a string")
            plain(inner, f"{where}.{name}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            plain(inner, f"{where}[{i}]")
    elif isinstance(value, float) and (value.is_integer() or not 1e-4 < abs(value) < 1e15):
        fail(where, f"holds {value}, which languages write differently; write the message as a string")
    elif isinstance(value, int) and abs(value) > MAX_INTEGER:
        fail(where, f"holds {value}, beyond 2^53; write the message as a string")


def tokens(line: str, where: str) -> None:
    if "\n" in line:
        fail(where, "has a newline")
    for found in re.finditer(r"@\{([^}]*)\}", line):
        inner = found.group(1)
        if re.search(r"\*\d+$", inner):
            continue
        if not re.fullmatch(r"\*|[a-z][a-z0-9_]*", inner):
            fail(where, f"has @{{{inner}}}, which is neither a repetition nor a name")
        if not where.count(".in") and line[found.end():found.end() + 1] != '"':
            fail(where, f"has @{{{inner}}} that is not followed by a quote")


def messages(value: Any, where: str) -> None:
    if isinstance(value, list):
        array(message)(value, where)
    else:
        message(value, where)


def any_object(value: Any, where: str) -> None:
    """JSON that is handed over as it stands: see README, Messages."""
    is_a(dict, "an object")(value, where)
    plain(value, where)


def method_answer(value: Any, where: str) -> None:
    if isinstance(value, str):
        one_of("echo", "arguments", "fail", "none")(value, where)
        return
    by_member(
        ("result", members({"result": any_object}, {})),
        ("error", members({"error": members({"code": integer, "message": text}, {"data": any_object})}, {})),
        ("input_required", members({"input_required": any_object}, {})),
        ("missing_capability", members({"missing_capability": any_object}, {})),
        ("tool_error", members({"tool_error": text}, {})),
        ("request", members({"request": members({"method": text}, {"params": any_object})},
                            {"then": method_answer, "hold": text, "refused": text})),
        ("extension", members({"extension": text}, {})),
        ("session", members({"session": text}, {})),
        ("header", members({"header": text}, {})),
        ("client_requests", members({"client_requests": array(members({"name": text, "method": text}, {"params": any_object})), "then": method_answer}, {"missing": method_answer})),
        ("hold", members({"hold": text}, {})),
        ("notify", members({"notify": array(members({"method": text}, {"params": any_object})), "then": method_answer}, {})),
        ("logs", members({"logs": array(members({"level": text, "data": text}, {"logger": text})), "then": method_answer}, {})),
    )(value, where)


def finish(value: Any, where: str) -> None:
    if isinstance(value, dict) and "items" in value:
        members({"items": array(item), "more": boolean}, {})(value, where)
    elif isinstance(value, dict) and {"values", "count"} & set(value):
        completion(value, where)
    elif isinstance(value, dict) and "verdicts" in value:
        members({"verdicts": array(one_of("allow", "deny", "hide"))}, {})(value, where)
    elif isinstance(value, dict) and "ok" in value:
        members({"ok": boolean}, {})(value, where)
    elif isinstance(value, dict) and {"result", "error", "input_required", "missing_capability", "tool_error"} & set(value):
        method_answer(value, where)
    elif is_verification(value):
        verification(value, where)
    else:
        answer(value, where)


def is_verification(value: Any) -> bool:
    return value == "refused" or isinstance(value, dict) and bool({"caller", "insufficient_scope"} & set(value))


def verification(value: Any, where: str) -> None:
    if isinstance(value, str):
        one_of("refused", "fail", "none")(value, where)
        return
    by_member(
        ("caller", members({"caller": text}, {"audience": array(text), "scopes": array(text), "expires_in_ms": integer})),
        ("insufficient_scope", members({"insufficient_scope": array(text)}, {})),
        ("hold", members({"hold": text}, {})),
    )(value, where)


ON: dict[str, Checker] = {"on": text}
ERROR: dict[str, Checker] = {
    "error": one_of("invalid_uri", "invalid_template", "invalid_argument", "duplicate", "ambiguous", "unknown", "closed"),
}


def step_of(name: str, checker: Checker, more: dict[str, Checker] | None = None, required: dict[str, Checker] | None = None) -> tuple[str, Checker]:
    return name, members({name: checker, **(required or {})}, {**ON, **(more or {})})


TOOL_LIMITS = ("calls_in_flight", "caller_calls_in_flight", "caller_calls_per_minute", "call_ms")
step = by_member(
    step_of("handshake", text),
    step_of("in", messages),
    step_of("raw", text),
    step_of("raw_base64", base64),
    step_of("raw_repeat", members({"text": text, "times": integer}, {})),
    step_of("out", array(message)),
    step_of("finish", text, required={"with": finish}),
    step_of("progress", text, required={"report": report}),
    step_of("close_event_stream", text, required={"retry_ms": integer, "is": boolean}),
    step_of("cancelled", text, required={"is": boolean}),
    step_of("on_cancel", text),
    step_of("set", text, {"text": text, "base64": base64, "version": text, **ERROR}),
    step_of("remove_resource", text, ERROR),
    step_of("remove_list", text, ERROR),
    step_of("remove_method", text, ERROR),
    step_of("add", entry, ERROR),
    step_of("update", text, {"below": text, "as": members({}, RESOURCE), **ERROR}),
    step_of("make", lambda v, w: SERVER(v, w), ERROR),
    step_of("access_changed", text, ERROR),
    step_of("caller", text),
    step_of("notify_list_changed", text, ERROR),
    step_of("published", array(any_object)),
    step_of("inject", lambda v, w: isinstance(v, str) or any_object(v, w), {"is": boolean, **ERROR}),
    step_of("remove_tool", text, ERROR),
    step_of("remove_prompt", text, ERROR),
    step_of("enable_tool", text, ERROR),
    step_of("enable_prompt", text, ERROR),
    step_of("disable_tool", text, ERROR),
    step_of("disable_prompt", text, ERROR),
    step_of("update_tool", text, ERROR, {"members": any_object}),
    step_of("limit_tool", text, ERROR, {"limits": members({}, {name: integer for name in TOOL_LIMITS})}),
    step_of("update_prompt", text, ERROR, {"members": any_object}),
    step_of("notify", text, {"params": any_object, "sent": boolean, **ERROR}, {"method": text}),
    step_of("session_notify", text, {"params": any_object, "sent": boolean, "closed": boolean, **ERROR}, {"method": text}),
    step_of("session_log", text, {"logger": text, "sent": boolean, "closed": boolean, **ERROR}, {"level": text, "data": text}),
    step_of("explain", text, required={"is": is_a(dict, "an object")}),
    step_of("expand", text, {"is": text, **ERROR}, {"values": members_of(template_value)}),
    step_of("list_changed", one_of(True), ERROR),
    step_of("listing", text, required={"items": array(item)}),
    step_of("tick", integer),
    step_of("end", one_of(True)),
    step_of("close", one_of(True)),
    step_of("shutdown", one_of(True)),
    step_of("finished", boolean),
    step_of("calls", array(text)),
    step_of("log", text),
)

LIMITS = ("message_bytes", "nesting", "id_bytes", "batch_length", "uri_bytes", "page_items", "page_bytes", "calls_in_flight", "subscriptions",
          "subscriptions_total", "listen_streams", "output_bytes", "call_ms", "buffer_bytes", "caller_percent",
          "session_streams")
DATES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
CONDITIONS = ("not_found", "denied", "internal_error", "not_modified")
OPTIONS: dict[str, Checker] = {
    "revisions": array(one_of(*DATES)),
    "error_profile": one_of("official", "variant-2024-11-05"),
    "rpc_codes": members({}, {date: members({}, {name: integer for name in CONDITIONS}) for date in DATES}),
    "denied_resources": one_of("error", "mask"),
    "undeclared_lists": one_of("error", "empty"),
    "app_only_tools": one_of("app_clients", "all_clients"),
    "titles_in_contents": one_of("2025-06-18", "never", "always"),
    "omit_newer_fields": boolean,
    "extensions": members_of(any_object),
    "result_type_extensions": members_of(text),
    "handshake_extensions": boolean,
    "resources_as_tools": boolean,
    "subscribe_unknown": one_of("deny", "allow"),
    "dialect": one_of("auto", "always", "never"),
    "unknown_tool": one_of("error", "result"),
    "invalid_arguments": one_of("result", "error"),
    "tool_errors": one_of("hide", "show"),
    "check_output": one_of("debug", "on", "off"),
    "cache": HINT,
    "cache_of": members({}, {kind: HINT for kind in ("discover", "resources", "templates", "reads")}),
}
NEEDS = (
    "annotations",
    "icons",
    "meta",
    "parts",
    "versions",
    "busy",
    "completion",
    "progress",
    "cache",
    "input",
    "fallback",
    "exists",
    "authorize",
    "interest",
    "notify_sub_resource_updated",
    "access_changed",
    "caller",
    "explain",
    "expand",
    "options",
    "wrong_type",
    "filter",
    "verdict_count",
    "method",
    "tools",
    "instances", "skills",
    "close_event_stream",
    "around",
)
UNSEEN = {"verdict_count", "filter"}  # no entry or step shows that it is needed
SERVER = members({}, {"name": text, "version": text, "title": text, "instructions": text, "description": text, "website_url": text, "icons": array(obj), "subscribe": boolean, "list_changed": boolean, **OPTIONS,
                      "key": text, "capabilities": members_of(any_object), "list_changed_methods": members_of(text), "instance_name": text, "limits": members({}, {name: integer for name in LIMITS})})
vector = members(
    {"about": text, "rows": array(text), "steps": array(step)},
    {"needs": array(one_of(*NEEDS)), "server": SERVER, "catalog": array(entry)},
)


# ---- HTTP: see README, "HTTP"

def body(value: Any, where: str) -> None:
    if isinstance(value, list):
        plain(value, where)
    elif isinstance(value, dict) and "repeat" in value:
        members({"repeat": text, "times": integer}, {})(value, where)
    elif isinstance(value, dict) and "base64" in value:
        members({"base64": base64}, {})(value, where)
    else:
        message(value, where)


def text_or_null(value: Any, where: str) -> None:
    if value is not None:
        text(value, where)
        if not re.fullmatch(r"[^@]*(@\{(\*|[a-z][a-z0-9_]*)\})?", value):
            fail(where, "has a name that does not end the value")


def field(value: Any, where: str) -> None:
    if isinstance(value, list):
        array(text)(value, where)
    elif value is not None:
        text(value, where)


def event(value: Any, where: str) -> None:
    by_member(
        ("comment", members({"comment": one_of(True)}, {})),
        ("data", members({"data": body}, {"id": text_or_null, "retry": integer})),
        ("retry", members({"retry": integer}, {})),
    )(value, where)


RESPONSE = members({"status": integer}, {"headers": members_of(text_or_null), "json": body, "events": array(event), "end": one_of(True)})
ON_HOST = ("finish", "progress", "close_event_stream", "cancelled", "on_cancel", "notify", "session_notify", "session_log", "set", "remove_resource", "remove_list", "remove_method", "add", "update", "list_changed", "notify_list_changed", "access_changed", "remove_tool",
           "remove_prompt", "enable_tool", "enable_prompt", "disable_tool", "disable_prompt", "update_tool", "update_prompt", "limit_tool", "published", "inject", "explain", "expand", "listing", "shutdown", "calls", "log")


def http_step(value: Any, where: str) -> None:
    if isinstance(value, dict) and set(value) & set(ON_HOST) and "events" not in value:
        if "on" in value:
            fail(where, "is about the application, not about an exchange: it has no on")
        step(value, where)
        return
    by_member(
        ("send", members({"send": text}, {**ON, "path": text, "headers": members_of(field), "body": body, "unfinished": one_of(True), "response": RESPONSE})),
        ("response", members({"response": RESPONSE}, ON)),
        ("events", members({"events": array(event)}, {**ON, "end": one_of(True)})),
        ("waiting", members({"waiting": text}, {})),
        ("drop", members({"drop": text}, {})),
        ("session", members({"session": one_of(*DATES)}, {"as": text, "capabilities": any_object})),
        ("held", members({"held": text}, {})),
        ("advance", members({"advance": integer}, {})),
    )(value, where)


HTTP_NEEDS = ("clock", "loopback_only", "repeated", "unfinished", "verbatim", "verify")
http_vector = members(
    {"about": text, "rows": array(text), "steps": array(http_step)},
    {
        "needs": array(one_of(*NEEDS, *HTTP_NEEDS)),
        "server": SERVER,
        "catalog": array(entry),
        "http": members({}, {"path": text, "loopback_only": boolean, "allowed_origins": array(text), "allowed_hosts": array(text), "strict_accept": boolean, "token_required": boolean, "cors": boolean, "sessions": boolean,
                             "protect": members({}, {"resource": text, "authorization_servers": array(text), "scopes": array(text)}), "verify": members_of(verification),
                             "session_ms": integer, "delete": boolean, "keep_alive_ms": integer, "body_ms": integer, "replay_bytes": integer, "session_limit": integer}),
    },
)


def is_host(field: Any) -> bool:
    return isinstance(field, list) or isinstance(field, str) and re.fullmatch(r"(\[[0-9a-f:]+\]|[\w.-]*)(:\d*)?", field) is not None


def http_needed(value: Any) -> set[str]:
    """The words that its options and steps call for, apart from those of its catalogue and of the steps of the host."""
    found = {"loopback_only", "verify"} & set(value.get("http", ()))
    found |= {"verify"} if "protect" in value.get("http", ()) else set()
    over = False
    for each in value["steps"]:
        over |= "shutdown" in each
        if over and set(each) & {"send", "session"}:
            found.add("clock")
        if set(each) & {"send", "response", "events"}:
            if any(isinstance(line, list) for line in each.get("headers", {}).values()):
                found.add("repeated")
            if not each.get("path", "/").startswith("/") or not is_host(each.get("headers", {}).get("Host", "")):
                found.add("verbatim")
            if "unfinished" in each:
                found.add("unfinished")
            if any("comment" in one for one in each.get("response", each).get("events", ())):
                found.add("clock")
            if any("data" not in one and "retry" in one for one in each.get("response", each).get("events", ())):
                found.add("close_event_stream")
        elif "advance" in each:
            found.add("clock")
        elif "session" not in each and not is_verification(each.get("with")):
            found |= needed(each)
    return found | needed({name: value[name] for name in ("server", "catalog") if name in value})


def needed(value: Any) -> set[str]:
    """The words of `needs` that the entries and steps call for."""
    found: set[str] = set()
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("fallback", "exists", "authorize", "interest", "parts", "annotations", "icons", "meta", "access_changed", "caller", "explain", "expand", "method",
                        "close_event_stream", "skills", "around"):
                found.add(name)
            if name == "of":
                found.add("skills")
            if name in ("instance_name", "published", "inject"):
                found.add("instances")
            if name in ("tool", "prompt", "search") or name.endswith(("_tool", "_prompt")):
                found.add("tools")
            if name in ("capabilities", "list_changed_methods", "notify_list_changed"):
                found.add("method")
            if name in OPTIONS and name != "revisions" and not name.startswith("cache") or name == "batch_length":
                found.add("options")
            answers = ("text" in value or "base64" in value) and not {"body", "blob"} & set(value)
            if name in ("kind", "version", "metadata", "as") or answers and name in ("name", "title"):
                found.add("versions")
            if name == "busy":
                found.add("busy")
            if name == "progress" and ("then" in value or "report" in value):
                found.add("progress")
            if name in ("asks", "seal") or name in ("read", "fallback") and "client_requests" in json.dumps(inner):
                found.add("input")
            if name in ("cache", "cache_of"):
                found.add("cache")
            if name == "complete":
                found.add("completion")
            if name == "below":
                found.add("notify_sub_resource_updated")
            if name == "mime_type" and answers:
                found.add("parts")
            if name == "server":
                if "revisions" in inner:  # a method has revisions, too
                    found.add("options")
                found |= needed({option: inner[option] for option in inner if option not in ("name", "version", "title")})
            elif name not in ("in", "out", "result", "params", "members", "inject", "published", "data", "input_required", "asks", "missing_capability", "is", "extensions", "skills", "ui"):
                found |= needed(inner)
    elif isinstance(value, list):
        for inner in value:
            found |= needed(inner)
    elif value == "not_modified":
        found.add("versions")
    elif value == "invalid_state":
        found.add("input")
    elif value in ("wrong_type", "busy"):
        found.add(value)
    return found
