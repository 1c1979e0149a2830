"""The client that waits. Made from `_async_client.py` by `python generate.py`."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from time import sleep
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from . import _models as models
from ._core import (
    BROKEN_OFF,
    AnswerReader,
    Call,
    EventReader,
    FeedEvent,
    Options,
    Positions,
    body_of,
    data_of,
    feed_event,
    is_feed_passing,
    is_passing,
    next_page,
    refusal_of,
    require_known,
    unreachable,
    wait_before,
    with_ids,
)
from ._errors import MedialogError
from ._files import Counted
from ._methods import OPERATIONS, Methods

SETTINGS = ("url", "base_url", "api_key", "operator_token", "timeout", "max_retries", "positions", "options", "http")


class Medialog(Methods):
    """The service, as an account (`api_key`) or its operator (`operator_token`) uses it.

    :param url: where the service is: `base_url`, or MEDIALOG_URL of the environment, unless given
    :param api_key: MEDIALOG_API_KEY of the environment unless given
    :param timeout: seconds that the service may stay silent
    :param max_retries: how many more times a request is tried
    :param positions: `positions` of another client of the account: reads wait for its writes and events
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        operator_token: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        positions: Sequence[str] = (),
        options: Options | None = None,
        http: httpx.Client | None = None,
        **unknown: Any,
    ) -> None:
        require_known(type(self).__name__, unknown, SETTINGS)
        self.url = url or base_url or os.environ.get("MEDIALOG_URL") or "http://127.0.0.1:8080"
        api_key = api_key or os.environ.get("MEDIALOG_API_KEY")
        self._secrets = {"api_key": api_key, "operator_token": operator_token}
        self._options = (options or Options()).changed(timeout=timeout, max_retries=max_retries)
        self._positions = Positions(tuple(positions))
        self._http = http or httpx.Client()
        self._was_there = [False]

    @property
    def positions(self) -> tuple[str, ...]:
        """Log positions of this client's writes and events: reads of another client that is given them wait for them."""
        return self._positions.all

    def with_options(self, **changes: Any) -> Self:
        """The same client, sending otherwise: see `Options`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _options=self._options.changed(**changes))
        return other

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask_in_pieces(self, **given: Unpack[models.AskInput]) -> Iterator[dict[str, Any]]:
        """An answer told piece by piece: `{"type": "delta", "text": …}`, at the end `{"type": "done", "answer": …}`."""
        reader, answer = EventReader(), AnswerReader()
        call = self._new("ask", {**given, "stream": True}, accept="text/event-stream")
        with self._stream(call) as response:
            for line in lines_of(response):
                event = reader.line(line)
                piece = answer.event(event) if event else None
                if piece is not None:
                    yield piece
                    if piece["type"] == "done":
                        return
        raise BROKEN_OFF

    def events(self, after: str | None = None, types: Sequence[str] = ()) -> Iterator[FeedEvent]:
        """The account's events as they happen, from now on or behind a position (`beginning`: all that there are). After a
        broken connection it continues behind the last event.
        """
        position, failures, has_begun, feed = after, 0, False, object()
        while True:
            reader = EventReader()
            try:
                given = {"after": position, "types": ",".join(types) or None}
                call = self._new("followEvents", given, accept="text/event-stream")
                with self._stream(call) as response:
                    has_begun = True
                    for line in lines_of(response):
                        event = reader.line(line)
                        position = reader.last_id or position
                        if event is not None:
                            told = feed_event(event, position)
                            self._positions.received(feed, told.position)
                            yield told
                            failures = 0
                raise MedialogError("FEED_ENDED", "The connection ended.")
            except MedialogError as error:
                if not has_begun or not is_feed_passing(error):
                    raise
                failures += 1
                self._wait(failures, error)

    def follow_batch(self, batch_id: str, *, interval: float = 0.5) -> models.Batch:
        """Looks until every file of a batch is done."""
        while True:
            batch = self.read_batch(batch_id=batch_id)
            if batch["status"] not in ("created", "running") and batch["progress"]["percent"] == 100:
                return batch
            sleep(interval)

    def _call(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> Any:
        with self._stream(self._new(operation, given, ids=ids), reads=True) as response:
            return data_of(response)

    def _iterate(
        self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()
    ) -> Iterator[Any]:
        page: dict[str, Any] | None = {"page": 1}
        while page is not None:
            data = self._call(operation, {"page_size": 100, **given, **page}, ids)
            for entry in data[OPERATIONS[operation]["entries"]]:
                yield entry
            page = next_page(data["pagination"], page)

    def _new(
        self,
        operation: str,
        given: Mapping[str, Any],
        accept: str = "application/json",
        ids: tuple[str, ...] = (),
    ) -> Call:
        return Call(
            operation,
            with_ids(operation, given, ids),
            url=self.url,
            secrets_of=self._secrets,
            options=self._options,
            positions=self._positions,
            accept=accept,
        )

    @contextmanager
    def _stream(self, call: Call, *, reads: bool = False) -> Generator[httpx.Response]:
        """An answer, whose body was read where `reads`; the request is sent again where it may succeed later."""
        attempt = 0
        while True:
            attempt += 1
            try:
                response = self._send(call, reads)
                break
            except MedialogError as error:
                if call.forgets(error):
                    continue
                if attempt >= self._options.attempts or not is_passing(error, call.is_repeatable, self._was_there[0]):
                    raise
                self._wait(attempt, error)
        try:
            yield response
        finally:
            response.close()

    def _send(self, call: Call, reads: bool) -> httpx.Response:
        answered = call.begin()
        with ExitStack() as opened:
            files = None
            if call.files is not None:
                files = []
                for file in call.files:
                    content = file.open()
                    opened.callback(file.close, content)
                    files.append(("file", (file.name, self._counted(content), "application/octet-stream")))
            request = self._http.build_request(
                call.declared["method"],
                call.url,
                params=call.params or None,
                headers=call.headers,
                content=call.content,
                data=call.fields or None,
                files=files,
                timeout=httpx.Timeout(call.timeout, pool=None),
            )
            try:
                response = self._http.send(request, stream=True)
                self._was_there[0] = True
                answered(response)
                if reads or not response.is_success:
                    response.read()
            except httpx.TransportError as error:
                failed = unreachable(error)
                self._was_there[0] |= failed.reason != "nobody"
                raise failed from error
        if not response.is_success and "data" not in body_of(response):
            raise refusal_of(response, body_of(response))
        return response

    def _counted(self, content: Any) -> Any:
        told = self._options.on_progress
        if told is None:
            return content
        sent = 0

        def on_read(size: int) -> None:
            nonlocal sent
            sent += size
            told(sent)

        return Counted(content, on_read)

    def _wait(self, retry: int, error: MedialogError) -> None:
        seconds = wait_before(retry, error)
        if self._options.on_retry is not None:
            self._options.on_retry(error, seconds)
        sleep(seconds)


def lines_of(response: httpx.Response) -> Iterator[str]:
    try:
        for line in response.iter_lines():
            yield line
    except httpx.TransportError as error:
        raise unreachable(error) from error
