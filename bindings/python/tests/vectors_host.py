"""The application of a script: its catalogue and callbacks, with the public API."""

from __future__ import annotations

import base64
import logging
import tempfile
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Literal

import wellhead
from garbage import is_freed
from vectors_message import compact

FAILURE = "the callback failed"
DESCRIPTION = (
    *("name", "title", "description", "mime_type", "size"),
    *("annotations", "meta", "kind", "version", "metadata"),
)
OPTIONS = (
    "instance_name",
    *("capabilities", "list_changed_methods", "revisions", "error_profile", "rpc_codes", "denied_resources"),
    *("app_only_tools", "undeclared_lists", "titles_in_contents", "omit_newer_fields", "subscribe_unknown", "dialect"),
    *("extensions", "handshake_extensions", "result_type_extensions"),
    "resources_as_tools",
    *("unknown_tool", "invalid_arguments", "tool_errors", "check_output"),
    *("description", "website_url"),
)
OF_CONTENTS = ("name", "title", "mime_type", "meta", "kind", "version", "metadata")
Verdict = Literal["allow", "deny", "hide"]

Json = Any


class Log(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Held:
    """An answer that a `finish` step gives."""

    def __init__(self, call: wellhead.Call | None) -> None:
        self.call = call
        self.future: Future[Any] = Future()


class Host:
    def __init__(self, options: Json) -> None:
        key = options.get("key")
        self.server = wellhead.Server(
            options.get("name", "s"),
            options.get("version", "1"),
            title=options.get("title"),
            instructions=options.get("instructions"),
            icons=[icon(each) for each in options["icons"]] if "icons" in options else None,
            cursor_key=bytes.fromhex(key) if key else b"\7" * 32,
            limits=wellhead.Limits(**options.get("limits", {})),
            subscribe=options.get("subscribe", True),
            list_changed=options.get("list_changed", True),
            **{name: options[name] for name in OPTIONS if name in options},
            cache=hint(options["cache"]) if "cache" in options else None,
            cache_of={kind: hint(each) for kind, each in options.get("cache_of", {}).items()},
        )
        self.calls: list[str] = []
        self.lines: list[str] = []
        self.held: dict[str, Held] = {}
        self.sessions: dict[str, wellhead.Session] = {}
        self.fixed: dict[str, wellhead.Handle] = {}
        self.listings: dict[str, list[Json]] = {}
        self.published: list[str] = []
        self.folders: list[tempfile.TemporaryDirectory[str]] = []
        self.server.on_publish(self.published.append)
        self.log = Log(self.lines)
        logging.getLogger("wellhead").addHandler(self.log)

    def stop(self) -> None:
        logging.getLogger("wellhead").removeHandler(self.log)
        for folder in self.folders:
            folder.cleanup()

    # ---- the catalogue

    def add(self, entry: Json) -> None:
        described = descriptor(entry)
        if "text" in entry:
            uri = entry["text"]
            self.fixed[uri] = self.server.text(uri, entry["body"], **described)
        elif "app" in entry and "read" in entry:
            self.server.app(entry["app"], ui=entry["ui"], **described)(partial(self.reader(entry["read"])))
        elif "app" in entry:
            uri = entry["app"]
            self.fixed[uri] = self.server.app(uri, entry["body"], ui=entry["ui"], **described)
        elif "blob" in entry:
            uri = entry["blob"]
            self.fixed[uri] = self.server.blob(uri, base64.b64decode(entry["base64"]), **described)
        elif "resource" in entry or "template" in entry:
            uri = entry.get("resource", entry.get("template"))
            if "list" in entry:
                described["list"] = self.lister(uri, entry["list"])
            if "complete" in entry:
                described["complete"] = {
                    variable: self.completer(uri, variable, values) for variable, values in entry["complete"].items()
                }
            described |= self.with_existence(entry)
            self.server.resource(uri, **described)(partial(self.reader(entry["read"])))  # which has no name
        elif "method" in entry:
            self.server.method(entry["method"], revisions=entry.get("revisions"))(self.method(entry["answer"]))
        elif "search" in entry:
            self.server.resource_search(self.method(entry["answer"]))
        elif "tool" in entry:
            self.server.tool(entry["tool"], entry["members"])(self.method(entry["answer"]))
        elif "prompt" in entry:
            complete = {
                argument: self.completer(entry["prompt"], argument, values)
                for argument, values in entry.get("complete", {}).items()
            }
            self.server.prompt(entry["prompt"], entry["members"], complete=complete)(self.method(entry["answer"]))
        elif "pages" in entry:
            name = entry["list"]
            lister = self.lister("-" if name is None else name, entry["pages"])
            if entry.get("of") == "skills":
                self.server.skill_list(name=name)(lister)
            elif name is None:
                self.server.list(lister)
            else:
                self.server.list(name=name)(lister)
        elif "fallback" in entry:
            self.server.fallback(self.reader(entry["fallback"]), **self.with_existence(entry))
        elif "skills" in entry:
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # Windows keeps what is open
            self.folders.append(folder)
            for path, body in entry["skills"].items():
                file = Path(folder.name, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body.encode())
            self.server.skills(folder.name, prefix=entry.get("prefix"))
        elif "around" in entry:
            self.around(entry)
        elif "authorize" in entry:
            self.authorize(entry["authorize"])
        elif "interest" in entry:
            self.interest(entry["interest"])
        else:
            raise AssertionError(f"no catalogue entry: {entry}")

    def reader(self, read: Json) -> Callable[[wellhead.Call], Any]:
        def callback(call: wellhead.Call) -> Any:
            values = {name: first(value) for name, value in call.vars.items()}
            variables = ";".join(f"{name}={value}" for name, value in values.items())
            version = "" if call.if_version is None else f" if_version={call.if_version}"
            if call.input_responses is not None:
                version += f" input={compact(call.input_responses)}"
            self.calls.append(f"read {call.uri} {variables}".rstrip() + version)
            return self.answer(chosen(read, values), values, call)

        return callback

    def answer(self, read: Json, values: dict[str, str], call: wellhead.Call) -> Any:
        asked = call.input_responses is not None or call.request_state is not None
        if isinstance(read, dict) and "asks" in read:
            if not asked or "then" not in read:
                raise wellhead.InputRequired(read["asks"])
            read = read["then"]
        if isinstance(read, dict) and "seal" in read:
            if not asked:
                raise wellhead.InputRequired({"requestState": call.seal_state(read["seal"], read["until"])})
            if call.open_state(read["now"]) != read["seal"]:
                raise wellhead.InvalidState
            read = read["then"]
        while isinstance(read, dict) and "progress" in read:
            for report in read["progress"]:
                call.progress(report["progress"], report.get("total"), report.get("message"))
            read = read["then"]
        if isinstance(read, dict) and "client_requests" in read:
            return self.client_requests(read, lambda then: self.answer(then, values, call), call)
        if isinstance(read, dict) and "header" in read:
            return of_request(call, read).lstrip()
        if isinstance(read, dict) and "hold" in read:
            return self.hold(fill(read["hold"], values), call)
        if read == "none":
            return Future()  # dropped at once
        return answer(read, values)

    def with_existence(self, entry: Json) -> dict[str, Callable[[str], bool]]:
        def callback(uri: str) -> bool:
            self.calls.append(f"exists {uri}")
            return uri in entry["exists"]

        return {"exists": callback} if "exists" in entry else {}

    def completer(self, template: str, variable: str, values: Json) -> Callable[..., Any]:
        def callback(value: str, others: dict[str, str], call: wellhead.Call) -> Any:
            known = ";".join(f"{name}={other}" for name, other in others.items())
            line = f"complete {template} {variable}={value}" + (f" with {known}" if known else "")
            self.calls.append(line + of_request(call, values))
            return self.hold(values["hold"], call) if "hold" in values else completion(values)

        return callback

    def method(self, answer: Json) -> Callable[..., Any]:
        def callback(given: dict[str, Any], call: wellhead.Call) -> Any:
            self.calls.append(f"method {call.method} {compact(call.params)}")
            return self.method_answer(answer, given, call)

        return callback

    def method_answer(self, answer: Json, given: dict[str, Any], call: wellhead.Call) -> Any:
        while isinstance(answer, dict) and ("notify" in answer or "logs" in answer):
            for each in answer.get("notify", []):
                call.notify(each["method"], each.get("params"))
            for each in answer.get("logs", []):
                call.log(each["level"], each["data"], each.get("logger"))
            answer = answer["then"]
        if answer == "none":
            return Future()
        if "client_requests" in answer:
            return self.client_requests(answer, lambda then: self.method_answer(then, given, call), call)
        if "request" in answer:
            return self.request(answer, given, call)
        if "hold" in answer:
            return self.hold(answer["hold"], call)
        if "session" in answer:
            if (session := call.session) is None:
                return {"id": None, "client": None, "capabilities": None}
            self.sessions[answer["session"]] = session
            return {"id": session.id, "client": session.client, "capabilities": session.client_capabilities}
        if "header" in answer:
            return {"content": [], "messages": [], "header": call.header(answer["header"]), "query": call.query}
        if "extension" in answer:
            return {"extension": call.extension(answer["extension"]), "apps": call.client_supports_apps}
        if answer == "echo":
            told: Json = {
                "method": call.method,
                "params": call.params,
                "name": call.name,
                "arguments": None if call.name is None else given,
                "content": None if call.name is None else [],
                "messages": None if call.name is None else [],
                "client": call.client_capabilities,
                "level": call.log_level,
            }
            return {name: value for name, value in told.items() if value is not None}
        if answer == "arguments":
            return {"content": [{"type": "text", "text": call.arguments_json}]}
        return method_result(answer)

    def client_requests(self, answer: Json, proceed: Callable[[Json], Any], call: wellhead.Call) -> Any:
        unanswered: BaseException | None = None
        for each in answer["client_requests"]:
            try:
                result = call.require_input(each["name"], each["method"], each.get("params"))
                self.calls.append(f"answered {each['name']} {compact(result)}")
            except wellhead.ErrorFromClient as error:
                self.calls.append(f"answered {each['name']} error {error.rpc_code} {error.message}")
            except wellhead.MissingCapability as missing:
                if "missing" in answer:
                    return proceed(answer["missing"])
                unanswered = unanswered or missing
            except (wellhead.Waiting, wellhead.Error) as error:
                unanswered = unanswered or error
        if unanswered is not None:
            raise unanswered
        return proceed(answer["then"])

    def request(self, answer: Json, given: dict[str, Any], call: wellhead.Call) -> Any:
        asked = answer["request"]
        try:
            response = call.send_request(asked["method"], asked.get("params"))
        except wellhead.Error as refused:
            assert refused.code == answer.get("refused")
            return self.method_answer(answer["then"], given, call)
        assert "refused" not in answer
        later = self.hold(answer["hold"], call) if "hold" in answer else Future()
        target = later if "then" in answer else None  # who holds the call may drop it while it asks

        def proceed(response: Future[Any]) -> None:
            if response.cancelled():
                self.calls.append("response given up")
                return
            error = response.exception()
            if error is None:
                self.calls.append(f"response {compact(response.result())}")
            else:
                assert isinstance(error, wellhead.ErrorFromClient)
                told = {"code": error.rpc_code, "message": error.message, "data": error.data}
                told = {name: value for name, value in told.items() if value is not None}
                self.calls.append(f"response error {compact(told)}")
            if target is not None:
                forward(self.method_answer(answer["then"], given, call), target)

        response.add_done_callback(proceed)
        return later

    def around(self, entry: Json) -> None:
        name, fails = entry["around"], entry.get("fail", {})

        def after(subject: str, result: Any) -> Any:
            self.calls.append(f"after {name}")
            if fails.get(subject) == "after":
                raise RuntimeError(FAILURE)
            return appended(result, entry.get("append", ""))

        @self.server.around
        def seam(call: wellhead.Call, next: Callable[..., Any]) -> Any:
            subject = call.name or call.uri or call.method
            header = f" {call.header(entry['header']) or '-'}" if "header" in entry else ""
            self.calls.append(f"around {name} {call.method} {subject}{header}")
            if fails.get(subject) == "before":
                raise RuntimeError(FAILURE)
            if subject in entry.get("refuse", {}):
                refused = entry["refuse"][subject]
                return answer(refused, {}) if call.uri else method_result(refused)
            try:
                changed = entry.get("arguments", {}).get(subject)
                result = next() if changed is None else next(changed)
            except BaseException:
                after(subject, None)
                raise
            if not isinstance(result, Future):
                return after(subject, result)
            later: Future[Any] = Future()

            def done(result: Future[Any]) -> None:
                try:
                    value = result.result()
                except BaseException as e:
                    after(subject, None)
                    later.set_exception(e)
                    return
                try:
                    later.set_result(after(subject, value))
                except BaseException as e:
                    later.set_exception(e)

            result.add_done_callback(done)
            return later

    def authorize(self, rules: Json) -> None:
        def verdict(uri: str) -> Verdict:
            return "deny" if uri in rules.get("deny", ()) else "hide" if uri in rules.get("hide", ()) else "allow"

        @self.server.authorize
        def callback(operation: str, uris: list[str], call: wellhead.Call) -> Any:
            self.calls.append(f"authorize {operation} {','.join(uris)}{of_request(call, rules)}")
            return self.hold(rules["hold"], call) if "hold" in rules else [verdict(uri) for uri in uris]

    def interest(self, behaviour: Json) -> None:
        @self.server.on_interest
        def callback(uri: str, wanted: bool) -> Any:
            self.calls.append(f"interest {uri} {str(wanted).lower()}")
            if behaviour.get("fail"):
                raise RuntimeError(FAILURE)
            return self.hold(behaviour["hold"], None) if "hold" in behaviour else None

    def verifier(self, tokens: Json) -> Callable[..., Any]:
        def callback(token: str, call: wellhead.Call) -> Any:
            said = tokens.get(token, "refused")
            if isinstance(said, dict) and "hold" in said:
                return self.hold(said["hold"], call)
            return Future() if said == "none" else verification(said)

        return callback

    def hold(self, name: str, call: wellhead.Call | None) -> Future[Any]:
        assert name not in self.held, f"{name} is held already"
        held = self.held[name] = Held(call)
        return held.future  # another thread may have answered it, and taken it from `self.held`

    def lister(self, name: str, pages: Json) -> Callable[..., Any]:
        own = pages["items"] if isinstance(pages, dict) and "items" in pages else []
        if name != "-":
            self.listings[name] = own

        def callback(after: str | None, limit: int, call: wellhead.Call) -> Any:
            wanted = "" if call.filter is None else f" filter={compact(call.filter)}"
            asked = f" uri={call.uri}" if call.uri else ""
            line = f"list {name} after={'-' if after is None else after} limit={limit}{wanted}{asked}"
            self.calls.append(line + of_request(call, pages))
            if call.uri and "unlisted" in pages:
                return wellhead.Page([each for each in own + pages["unlisted"] if each["uri"] == call.uri])
            if pages == "fail":
                raise RuntimeError(FAILURE)
            if "hold" in pages:
                return self.hold(pages["hold"], call)
            if pages.get("more_without_items"):
                return wellhead.Page([], more=True)
            items = own if name == "-" else self.listings[name]
            rest = items[place(items, after) :]
            if pages.get("ignore_limit"):
                limit = len(rest)
            taken = [each if "frontmatter" in each else item(each) for each in rest[:limit]]
            return wellhead.Page(taken, more=len(rest) > limit)

        return callback

    # ---- the steps

    def act(self, step: Json) -> None:
        if "finish" in step:
            self.finish(step["finish"], step["with"])
        elif "cancelled" in step:
            call = self.held[step["cancelled"]].call
            assert call is not None and call.cancelled is step["is"]
        elif "on_cancel" in step:
            call = self.held[step["on_cancel"]].call
            assert call is not None
            call.on_cancel(lambda: self.calls.append(f"cancelled {step['on_cancel']}"))
        elif "set" in step:
            given = contents(step, {}) if "version" in step else body(step, {})
            outcome(step, lambda: self.fixed[step["set"]].set(given))
        elif "remove_resource" in step:
            outcome(step, lambda: self.server.remove_resource(step["remove_resource"]))
        elif "remove_list" in step:
            outcome(step, lambda: self.server.remove_list(step["remove_list"]))
        elif "remove_method" in step:
            outcome(step, lambda: self.server.remove_method(step["remove_method"]))
        elif "add" in step:
            outcome(step, lambda: self.add(step["add"]))
        elif "update" in step:
            if "as" in step:
                changed = wellhead.Resource(step["update"], **descriptor(step["as"]))
                outcome(step, lambda: self.server.notify_updated_with_resource(changed))
                return
            below = [step["below"]] if "below" in step else []
            update = self.server.notify_sub_resource_updated if below else self.server.notify_updated
            outcome(step, lambda: update(step["update"], *below))
        elif "list_changed" in step:
            outcome(step, self.server.notify_resource_list_changed)
        elif "notify_list_changed" in step:
            outcome(step, lambda: self.server.notify_list_changed(step["notify_list_changed"]))
        elif "notify" in step:
            noted = self.held[step["notify"]].call
            assert noted is not None
            outcome(step, lambda: sent(step, noted.notify(step["method"], step.get("params"))))
        elif "session_notify" in step or "session_log" in step:
            session = self.sessions[step.get("session_notify") or step["session_log"]]
            outcome(step, lambda: sent(step, say_in(session, step)))
            assert session.closed is step.get("closed", session.closed)
        elif "progress" in step:
            call, report = self.held[step["progress"]].call, step["report"]
            assert call is not None
            call.progress(report["progress"], report.get("total"), report.get("message"))
        elif "close_event_stream" in step:
            call = self.held[step["close_event_stream"]].call
            assert call is not None and call.close_event_stream(step["retry_ms"]) is step["is"]
        elif "remove_tool" in step:
            outcome(step, lambda: self.server.remove_tool(step["remove_tool"]))
        elif "remove_prompt" in step:
            outcome(step, lambda: self.server.remove_prompt(step["remove_prompt"]))
        elif "enable_tool" in step:
            outcome(step, lambda: self.server.enable_tool(step["enable_tool"]))
        elif "disable_tool" in step:
            outcome(step, lambda: self.server.disable_tool(step["disable_tool"]))
        elif "limit_tool" in step:
            outcome(step, lambda: self.server.limit_tool(step["limit_tool"], **step["limits"]))
        elif "update_tool" in step:
            outcome(step, lambda: self.server.update_tool(step["update_tool"], step["members"]))
        elif "enable_prompt" in step:
            outcome(step, lambda: self.server.enable_prompt(step["enable_prompt"]))
        elif "disable_prompt" in step:
            outcome(step, lambda: self.server.disable_prompt(step["disable_prompt"]))
        elif "update_prompt" in step:
            outcome(step, lambda: self.server.update_prompt(step["update_prompt"], step["members"]))
        elif "published" in step:
            published = self.published[:]
            self.published.clear()
            assert published == [compact(each) for each in step["published"]]
        elif "inject" in step:
            event = step["inject"] if isinstance(step["inject"], str) else compact(step["inject"])
            outcome(step, lambda: sent({"sent": step["is"]} if "is" in step else {}, self.server.inject(event)))
        elif "make" in step:
            outcome(step, lambda: Host(step["make"]).stop())
        elif "access_changed" in step:
            outcome(step, lambda: self.server.access_changed(step["access_changed"].encode()))
        elif "explain" in step:
            assert self.server.explain(step["explain"]).to_json() == compact(step["is"])
        elif "expand" in step:
            outcome(step, lambda: same(wellhead.expand(step["expand"], step["values"]), step["is"]))
        elif "listing" in step:
            self.listings[step["listing"]] = step["items"]
        elif "shutdown" in step:
            self.server.close()
        elif "calls" in step:
            calls = self.calls[:]
            self.calls.clear()
            assert calls == step["calls"]
        elif "log" in step:
            lines = self.lines[:]
            self.lines.clear()
            assert any(step["log"] in line for line in lines), f"no line contains {step['log']!r}: {lines}"
        else:
            raise AssertionError("no such step")

    def finish(self, name: str, answered: Json) -> None:
        held = self.held.pop(name)
        if answered == "drop":
            future = weakref.ref(held.future)
            del held  # the last reference to the future
            assert is_freed(future)
            return
        if answered == "fail":
            held.future.set_exception(RuntimeError(FAILURE))
        elif answered == "refused" or (isinstance(answered, dict) and VERIFICATION & set(answered)):
            try:
                held.future.set_result(verification(answered))
            except wellhead.Error as raised:
                held.future.set_exception(raised)
        elif isinstance(answered, dict) and "verdicts" in answered:
            held.future.set_result(answered["verdicts"])
        elif isinstance(answered, dict) and "ok" in answered:
            if answered["ok"]:
                held.future.set_result(None)
            else:
                held.future.set_exception(RuntimeError(FAILURE))
        elif isinstance(answered, dict) and ("values" in answered or "count" in answered):
            held.future.set_result(completion(answered))
        elif isinstance(answered, dict) and METHOD_ANSWERS & set(answered):
            try:
                held.future.set_result(method_result(answered))
            except wellhead.Error as raised:
                held.future.set_exception(raised)
        elif isinstance(answered, dict) and "items" in answered:
            items = [item(each) for each in answered["items"]]
            held.future.set_result(wellhead.Page(items, more=answered["more"]))
        else:
            try:
                held.future.set_result(answer(answered, {}))
            except wellhead.Error as outcome:
                held.future.set_exception(outcome)


def outcome(step: Json, act: Callable[[], object]) -> None:
    try:
        act()
        code = None
    except wellhead.Error as e:
        code = e.code
    assert code == step.get("error")


VERIFICATION = {"caller", "insufficient_scope"}


def verification(said: Json) -> wellhead.Grant | None:
    if said == "refused":
        return None
    if said == "fail":
        raise RuntimeError(FAILURE)
    if "insufficient_scope" in said:
        raise wellhead.InsufficientScope(*said["insufficient_scope"])
    told = {name: said[name] for name in ("audience", "scopes", "expires_in_ms") if name in said}
    return wellhead.Grant(wellhead.Caller(said["caller"].encode()), **told)


METHOD_ANSWERS = {"result", "error", "tool_error", "input_required", "missing_capability"}


def method_result(answer: Json) -> dict[str, Any]:
    if answer == "fail":
        raise RuntimeError(FAILURE)
    if "error" in answer:
        error = answer["error"]
        raise wellhead.MethodError(error["code"], error["message"], error.get("data"))
    if "tool_error" in answer:
        raise wellhead.ToolError(answer["tool_error"])
    if "input_required" in answer:
        raise wellhead.InputRequired(answer["input_required"])
    if "missing_capability" in answer:
        raise wellhead.MissingCapability(answer["missing_capability"])
    result: dict[str, Any] = answer["result"]
    return result


def of_request(call: wellhead.Call, rule: Json) -> str:
    """The header field of the HTTP request that a rule names, and its query; nothing if it names none."""
    if not isinstance(rule, dict) or "header" not in rule:
        return ""
    return f" {call.header(rule['header']) or '-'} {call.query or '-'}"


def completion(values: Json) -> wellhead.Completion:
    if values == "fail":
        raise RuntimeError(FAILURE)
    proposed = values["values"] if "values" in values else [str(n) for n in range(values["count"])]
    return wellhead.Completion(proposed, total=values.get("total"), more=values.get("more", False))


def say_in(session: wellhead.Session, step: Json) -> bool:
    if "level" in step:
        return session.log(step["level"], step["data"], step.get("logger"))
    return session.notify(step["method"], step.get("params"))


def sent(step: Json, was: bool) -> None:
    assert was is step.get("sent", was)


def same(got: str, expected: str) -> None:
    assert got == expected


def chosen(read: Json, values: dict[str, str]) -> Json:
    """The answer that the variables choose."""
    while isinstance(read, dict) and "by" in read:
        read = read["cases"].get(values.get(read["by"], ""), read.get("else"))
    return read


def fill(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def first(value: str | list[str]) -> str:
    return value if isinstance(value, str) else next(iter(value), "")


def answer(read: Json, values: dict[str, str]) -> Any:
    if read is None:
        return None
    if read == "not_found":
        raise wellhead.ResourceNotFound
    if read == "denied":
        raise wellhead.PermissionDenied
    if read == "not_modified":
        return wellhead.NOT_MODIFIED
    if read == "invalid_state":
        raise wellhead.InvalidState
    if read == "busy":
        raise wellhead.Busy
    if "busy" in read:
        raise wellhead.Busy(read["busy"])
    if read == "fail":
        raise RuntimeError(FAILURE)
    if read == "wrong_type":
        return 5
    if "parts" in read:
        return [contents(part, values) for part in read["parts"]]
    if "repeat" in read:
        return read["repeat"] * read["times"]
    if "repeat_base64" in read:
        return base64.b64decode(read["repeat_base64"]) * read["times"]
    if any(name in read for name in (*OF_CONTENTS, "cache")):
        return contents(read, values)
    return body(read, values)


def appended(result: Any, more: str) -> Any:
    """The result with a text behind that of its first content."""
    if isinstance(result, str):
        return result + more
    if isinstance(result, dict) and result.get("content"):
        first, *others = result["content"]
        return {**result, "content": [{**first, "text": first["text"] + more}, *others]}
    return result


def body(part: Json, values: dict[str, str]) -> str | bytes:
    return fill(part["text"], values) if "text" in part else base64.b64decode(part["base64"])


def contents(part: Json, values: dict[str, str]) -> wellhead.Contents:
    uri = fill(part["uri"], values) if "uri" in part else None
    told = {name: part[name] for name in OF_CONTENTS if name in part}
    told = {name: fill(value, values) if isinstance(value, str) else value for name, value in told.items()}
    if "cache" in part:
        told["cache"] = hint(part["cache"])
    return wellhead.Contents(body(part, values), uri=uri, **told)


def descriptor(entry: Json) -> dict[str, Any]:
    described = {name: entry[name] for name in DESCRIPTION if name in entry}
    if "cache" in entry:
        described["cache"] = hint(entry["cache"])
    if "icons" in entry:
        described["icons"] = [icon(each) for each in entry["icons"]]
    return described


def hint(given: Json) -> wellhead.CacheHint:
    return wellhead.CacheHint(ttl_ms=given.get("ttl_ms"), scope=given.get("scope"))


def forward(answered: Any, later: Future[Any]) -> None:
    """The return value of a handler, as the answer of a future."""
    if isinstance(answered, Future):
        answered.add_done_callback(lambda done: later.set_result(done.result()))
    else:
        later.set_result(answered)


def icon(each: Json) -> wellhead.Icon:
    return wellhead.Icon(
        each.get("src", ""), mime_type=each.get("mimeType"), sizes=each.get("sizes"), theme=each.get("theme")
    )


def item(each: Json) -> wellhead.Resource:
    return wellhead.Resource(each["uri"], key=each.get("key"), **descriptor(each))


def place(items: list[Json], after: str | None) -> int:
    """Where the items behind `after` begin."""
    if after is None:
        return 0
    keys = [each.get("key", each["uri"]) for each in items]
    if after in keys:
        return keys.index(after) + 1
    return next((at for at, key in enumerate(keys) if key.encode() > after.encode()), len(keys))
