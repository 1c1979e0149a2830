"""What a request is made of and what its answer means, whichever way it is sent."""

from __future__ import annotations

import json
import random
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import quote

import httpx

from ._errors import MedialogError, Refused, Unreachable
from ._files import SentFile
from ._methods import OPERATIONS

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
#: Seconds of silence: a large video may take minutes to be understood.
TIMEOUT = 60.0
FORM_TIMEOUT = 600.0


@dataclass(frozen=True)
class Options:
    """How requests are sent."""

    #: How many times a request is tried in all where it may succeed later.
    attempts: int = 5
    #: Seconds that the service may stay silent: a minute unless given, ten where a file is read.
    timeout: float | None = None
    #: Sent where it is given; for what costs money one is made for each call.
    idempotency_key: str | None = None
    #: Called with the bytes of files that were sent; from 0 again with each try.
    on_progress: Callable[[int], None] | None = None
    #: Called with the error and the seconds before each wait for another try.
    on_retry: Callable[[MedialogError, float], None] | None = None

    def changed(self, *, max_retries: int | None = None, timeout: float | None = None, **changes: Any) -> Options:
        """`max_retries` is one less than `attempts`. :raises TypeError: for an option that there is not"""
        require_known("The client", changes, (*(field.name for field in fields(self)), "max_retries"))
        if max_retries is not None:
            changes["attempts"] = max_retries + 1
        if timeout is not None:
            changes["timeout"] = timeout
        return replace(self, **changes)


#: A client may follow many feeds one after another: a read names the latest only.
MOST_FEEDS = 4


class Positions:
    """Log positions of the client's own writes and of the events it received: a read that names them waits for them,
    whichever process answers it.

    Positions cannot be compared, so those of writes that ran at the same time are all kept, and one of each feed.
    """

    def __init__(self, seen: tuple[str, ...] = ()) -> None:
        self._written: list[tuple[int, str]] = []
        self._received: dict[object, str] = {}
        self._time = 0
        for position in seen:
            self.begin()(position)

    def begin(self) -> Callable[[str], None]:
        """Of a write that begins; to be called with the position of its answer."""
        begun = self._time

        def wrote(position: str) -> None:
            # What had ended before this one began stands before it in the log.
            self._time += 1
            self._written = [(at, known) for at, known in self._written if at > begun]
            self._written.append((self._time, position))

        return wrote

    def received(self, feed: object, position: str) -> None:
        """Of an event that came by a feed: the feed's later events have later positions."""
        if feed not in self._received and len(self._received) == MOST_FEEDS:
            del self._received[next(iter(self._received))]
        self._received[feed] = position

    def forget(self) -> None:
        """Of a service that was restored to before them, nothing is to be waited for."""
        self._written = []
        self._received = {}

    @property
    def all(self) -> tuple[str, ...]:
        return (*(position for _, position in self._written), *self._received.values())


def require_known(what: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuses a name that nothing has, with the one that was meant. :raises TypeError:"""

    def plain(name: str) -> str:
        return name.replace("_", "").lower()

    for name in given:
        if name not in known:
            meant = next((one for one in known if plain(one) == plain(name)), None)
            hint = f"it is `{meant}`" if meant else f"it takes {', '.join(known) or 'nothing'}"
            raise TypeError(f"{what} takes no `{name}`: {hint}.")


def with_ids(operation: str, given: Mapping[str, Any], ids: tuple[str, ...]) -> dict[str, Any]:
    """What is given, with ids of the path that stood alone before it. :raises TypeError:"""
    declared = OPERATIONS[operation]
    names = re.findall(r"\{(\w+)\}", declared["path"])
    if len(ids) > len(names):
        raise TypeError(f"{operation} takes {', '.join(names)} alone.")
    whole = {**given, **dict(zip(names, ids, strict=False))}
    # What a body may have is for the service to say.
    if "body" not in declared:
        require_known(operation, {name.rstrip("_"): None for name in whole}, (*names, *declared.get("query", ())))
    return whole


class Call:
    """One call of an operation, sent as often as it takes."""

    def __init__(
        self,
        operation: str,
        given: Mapping[str, Any],
        *,
        url: str,
        secrets_of: Mapping[str, str | None],
        options: Options,
        positions: Positions,
        accept: str = "application/json",
    ) -> None:
        self.declared = OPERATIONS[operation]
        values = {name.rstrip("_"): value for name, value in given.items() if value is not None}
        self.url = url.rstrip("/") + self._path(values)
        query = self.declared.get("query", ())
        self.params = {name: _text(values.pop(name)) for name in query if name in values}
        self.files: list[SentFile] | None = None
        self.fields: dict[str, str] = {}
        self.content: bytes | None = None
        self.headers = {"accept": accept, **self._secret(secrets_of)}
        if self.declared.get("body") == "form":
            file = values.pop("file")
            self.files = [SentFile(one) for one in (file if isinstance(file, list) else [file])]
            self.fields = {name: _text(value) for name, value in values.items()}
        elif self.declared.get("body") == "json":
            self.content = json.dumps(values).encode()
            self.headers["content-type"] = "application/json"
        if self.declared.get("paid") or options.idempotency_key is not None:
            self.headers["idempotency-key"] = options.idempotency_key or secrets.token_hex(16)
        self.timeout = options.timeout or (FORM_TIMEOUT if self.files is not None else TIMEOUT)
        self._positions = positions

    def _path(self, values: dict[str, Any]) -> str:
        def segment(match: re.Match[str]) -> str:
            name = match[1]
            text = str(values.pop(name, ""))
            # Dots alone would lead to another path.
            if text in ("", ".", ".."):
                raise ValueError(f"{name} is {'missing' if text == '' else repr(text)}")
            return quote(text, safe="")

        return re.sub(r"\{(\w+)\}", segment, self.declared["path"])

    def _secret(self, secrets_of: Mapping[str, str | None]) -> dict[str, str]:
        access = self.declared["access"]
        if access == "public":
            # The metrics alone ask for it.
            token = secrets_of["operator_token"]
            return {} if token is None else {"authorization": f"Bearer {token}"}
        header, name = ("x-operator-token", "operator_token") if access == "operator" else ("x-api-key", "api_key")
        secret = secrets_of[name]
        if secret is None:
            what = "the operator token" if access == "operator" else "an API key"
            raise MedialogError(f"NO_{name.upper()}", f"This needs {what}: give the client `{name}`.")
        return {header: secret}

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice is the same as doing it once, and possible."""
        is_idempotent = self.declared["method"] in ("GET", "PUT") or self.declared.get("paid", False)
        return is_idempotent and all(file.is_repeatable for file in self.files or ())

    def forgets(self, error: MedialogError) -> bool:
        """Whether the request is to be sent again without the positions that it named: they are lost."""
        if error.code != "POSITION_LOST" or "x-min-position" not in self.headers:
            return False
        self._positions.forget()
        del self.headers["x-min-position"]
        return True

    def begin(self) -> Callable[[httpx.Response], None]:
        """Before each try; to be called with the head of its answer."""
        wrote = self._positions.begin()
        known = self._positions.all
        if self.declared["access"] == "read" and known:
            self.headers["x-min-position"] = ",".join(known)

        def answered(response: httpx.Response) -> None:
            position = response.headers.get("x-position")
            if self.declared["method"] != "GET" and position is not None:
                wrote(position)

        return answered


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def data_of(response: httpx.Response) -> Any:
    """The data of an answer that was read. :raises Refused: unless there is any"""
    body = body_of(response)
    # `/v1/status` answers 503 with its data where the service is critical.
    if "data" in body:
        return body["data"]
    if response.is_success:
        raise MedialogError("NOT_MEDIALOG", f"What answers at {response.url.host} does not speak like Medialog.")
    raise refusal_of(response, body)


def body_of(response: httpx.Response) -> dict[str, Any]:
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def refusal_of(response: httpx.Response, body: Mapping[str, Any]) -> Refused:
    """Reads the three shapes that refusals have."""
    error = body.get("error") if isinstance(body.get("error"), dict) else {}
    assert isinstance(error, dict)
    details = error.get("details") or body.get("details") or {}
    code = error.get("code") or body.get("code") or f"HTTP_{response.status_code}"
    message = error.get("message") or body.get("message") or f"The server answered {response.status_code}, and no more."
    return Refused(
        str(code).upper(),
        str(message),
        status=response.status_code,
        details=details,
        suggestion=body.get("suggestion") or details.get("suggestion"),
        request_id=response.headers.get("x-request-id"),
        retry_after=_retry_after(response.headers.get("retry-after")),
    )


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None


def unreachable(error: httpx.TransportError) -> Unreachable:
    origin = f"{error.request.url.scheme}://{error.request.url.netloc.decode()}"
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return Unreachable("nobody", f"No server answers at {origin}.")
    if isinstance(error, httpx.TimeoutException):
        return Unreachable("silent", f"{origin} gave no answer in time.")
    return Unreachable("broken", f"The connection to {origin} broke ({error}).")


def is_passing(error: MedialogError, is_repeatable: bool, was_there: bool) -> bool:
    """Whether a request may be sent again after this error."""
    # Refused before anything was done.
    if isinstance(error, Refused) and error.status == 429:
        return True
    # A server that answered before and does not listen now is restarting.
    if isinstance(error, Unreachable) and error.reason == "nobody":
        return was_there
    if not is_repeatable:
        return False
    if isinstance(error, Refused):
        # A proxy has no service behind it at the moment, or has heard nothing from it.
        is_of_proxy = error.status in (502, 503, 504) and error.code == f"HTTP_{error.status}"
        is_away = error.status == 503 and error.retry_after is not None
        return is_away or error.code == "REQUEST_IN_PROGRESS" or is_of_proxy
    return isinstance(error, Unreachable) and error.reason == "broken"


def wait_before(retry: int, error: MedialogError) -> float:
    """As long as the service asks for, else 0.5, 1, 2, 4 … seconds, up to a third less at random."""
    if isinstance(error, Refused) and error.retry_after is not None:
        return error.retry_after
    longest: float = min(FIRST_WAIT * 2 ** (retry - 1), LONGEST_WAIT)
    return longest * (1 - random.random() / 3)


def is_feed_passing(error: MedialogError) -> bool:
    if isinstance(error, Refused):
        return error.status == 429 or error.status >= 500
    return isinstance(error, Unreachable) or error.code == "FEED_ENDED"


@dataclass
class ServerSentEvent:
    name: str
    data: str


class EventReader:
    """Server-sent events, line by line: https://html.spec.whatwg.org/#event-stream-interpretation."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self._name = "message"
        self._data: list[str] = []
        self._id: str | None = None

    def line(self, line: str) -> ServerSentEvent | None:
        """An event, where the line ends one that has data."""
        if line != "":
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                self._data.append(value)
            elif field == "event":
                self._name = value
            elif field == "id":
                self._id = value
            return None
        if self._id is not None:
            self.last_id = self._id
        event = ServerSentEvent(self._name, "\n".join(self._data)) if self._data else None
        self._name, self._data, self._id = "message", [], None
        return event


class AnswerReader:
    """The events of an answer that is made piece by piece."""

    def __init__(self) -> None:
        self._answer: dict[str, Any] = {"response": ""}

    def event(self, event: ServerSentEvent) -> dict[str, Any] | None:
        """`{"type": "delta", "text": …}`, or at the end `{"type": "done", "answer": …}`."""
        told = json.loads(event.data)
        if event.name == "delta":
            self._answer["response"] += told["text"]
            return {"type": "delta", "text": told["text"]}
        if event.name == "sources":
            self._answer["sources"] = told["sources"]
        elif event.name == "billing":
            self._answer["billing"] = told
        elif event.name == "error":
            raise MedialogError(told["code"], told["message"])
        elif event.name == "done":
            told.pop("metadata", None)
            return {"type": "done", "answer": {**self._answer, **told}}
        return None


BROKEN_OFF = MedialogError("BROKEN_OFF", "The answer broke off before it was complete.")


@dataclass
class FeedEvent:
    """An event, and the position to go on behind once it is dealt with."""

    event: dict[str, Any]
    position: str


def feed_event(event: ServerSentEvent, position: str | None) -> FeedEvent:
    """:raises MedialogError: with why the service ended the feed"""
    if event.name == "end":
        raise MedialogError("FEED_ENDED", json.loads(event.data)["message"])
    return FeedEvent(json.loads(event.data), position or "")


def next_page(pagination: Mapping[str, Any], page: Mapping[str, Any]) -> dict[str, Any] | None:
    """How the page after this one is asked for; None at the end."""
    if pagination.get("next") is not None:
        return {"after": pagination["next"]}
    if "page" in page and pagination["page"] < pagination["total_pages"]:
        return {"page": page["page"] + 1}
    return None
