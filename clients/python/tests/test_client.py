"""What is sent and what is made of the answers, without a service."""

import asyncio
import base64
import hashlib
import hmac
import io
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from medialog import (
    AsyncMedialog,
    Medialog,
    MedialogError,
    Options,
    Refused,
    Unreachable,
    WebhookVerificationError,
    verify_webhook,
)

Script = Callable[[httpx.Request, int], httpx.Response]
NOW = {"retry-after": "0"}


def ok(data: Any, **headers: str) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "message": "Done.", "data": data}, headers=headers)


def refused(status: int, code: str, headers: dict[str, str] | None = None) -> httpx.Response:
    body = {"success": False, "message": f"It is {code}.", "error": {"code": code, "details": {"id": 1}}}
    return httpx.Response(status, json=body, headers=headers)


class Scripted:
    """Answers as the script says; each case runs by both clients."""

    def __init__(self, script: Script, **settings: Any) -> None:
        self.requests: list[httpx.Request] = []
        self._script = script
        self._settings = {"api_key": "mlk_a", "operator_token": "mlo_a", **settings}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._script(request, len(self.requests))

    def both(self, case: Callable[[Any], Any]) -> list[Any]:
        """What a case comes to, with the client that waits and the one that is awaited."""

        def handle(request: httpx.Request) -> httpx.Response:
            request.read()
            return self._answer(request)

        async def handle_async(request: httpx.Request) -> httpx.Response:
            await request.aread()
            return self._answer(request)

        async def awaited() -> Any:
            http = httpx.AsyncClient(transport=httpx.MockTransport(handle_async))
            async with AsyncMedialog("http://test", http=http, **self._settings) as client:
                return await case(client)

        async def waited() -> Any:
            http = httpx.Client(transport=httpx.MockTransport(handle))
            with Medialog("http://test", http=http, **self._settings) as client:
                return await case(Waiting(client))

        outcomes = []
        for run in (waited, awaited):
            self.requests.clear()
            outcomes.append(asyncio.run(run()))
        return outcomes


class Waiting:
    """The client that waits, to be awaited all the same."""

    def __init__(self, client: Medialog) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._client, name)
        if not callable(value):
            return value

        def call(*args: Any, **given: Any) -> Any:
            found = value(*args, **given)
            if isinstance(found, Medialog):
                return Waiting(found)
            return Later(found)

        return call


class Later:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Any:
        return self._value
        yield

    async def __aiter__(self) -> Any:
        for value in self._value:
            yield value


def test_a_request_has_its_parts_where_the_contract_has_them() -> None:
    scripted = Scripted(lambda request, nth: ok({}))

    async def case(client: Any) -> list[httpx.Request]:
        await client.read_media(media_id="doc_ä/1", include_chunks=True)
        await client.search(query="a bridge", max_results=3)
        await client.open_account(name="Acme")
        await client.read_usage_diff(from_="2026-11-01")
        await client.healthz()
        await client.with_options(idempotency_key="once").credit_account(account_id="a", amount=1)
        return list(scripted.requests)

    for read, search, account, diff, health, credit in scripted.both(case):
        assert read.url.raw_path == b"/v1/media/doc_%C3%A4%2F1?include_chunks=true"
        assert read.headers["x-api-key"] == "mlk_a"
        assert json.loads(search.content) == {"query": "a bridge", "max_results": 3}
        assert re.fullmatch("[0-9a-f]{32}", search.headers["idempotency-key"])
        assert account.headers["x-operator-token"] == "mlo_a" and "x-api-key" not in account.headers
        assert dict(diff.url.params) == {"from": "2026-11-01"}
        assert "x-operator-token" not in health.headers
        assert "idempotency-key" not in account.headers and credit.headers["idempotency-key"] == "once"


@pytest.mark.parametrize("media_id", ["..", ".", ""])
def test_no_id_leads_to_another_path(media_id: str) -> None:
    scripted = Scripted(lambda request, nth: ok({}))

    async def case(client: Any) -> int:
        with pytest.raises(ValueError):
            await client.delete_media(media_id=media_id)
        return len(scripted.requests)

    assert scripted.both(case) == [0, 0]


def test_a_secret_that_is_missing_is_told() -> None:
    async def case(client: Any) -> str:
        with pytest.raises(MedialogError) as told:
            await client.list_media()
        return told.value.code

    assert Scripted(lambda request, nth: ok({}), api_key=None).both(case) == ["NO_API_KEY"] * 2


@pytest.mark.parametrize(
    "body",
    [
        {"message": "No.", "error": {"code": "NOT_FOUND", "details": {"id": 1}}},
        {"message": "No.", "code": "not_found", "status_code": 404, "details": {"id": 1}},
        {"error": {"code": "not_found", "message": "No.", "details": {"id": 1}}},
    ],
)
def test_a_refusal_of_each_shape_is_told_the_same_way(body: dict[str, Any]) -> None:
    async def case(client: Any) -> Refused:
        with pytest.raises(Refused) as told:
            await client.list_media()
        return told.value

    for error in Scripted(lambda request, nth: httpx.Response(404, json=body, headers={"x-request-id": "req_1"})).both(case):
        assert (error.code, error.message, error.status, error.request_id) == ("NOT_FOUND", "No.", 404, "req_1")
        assert error.details == {"id": 1}


def test_a_status_of_trouble_with_data_is_an_answer() -> None:
    script: Script = lambda request, nth: httpx.Response(503, json={"data": {"status": "critical"}})

    async def case(client: Any) -> str:
        return (await client.read_status())["status"]

    assert Scripted(script).both(case) == ["critical", "critical"]


def test_what_costs_money_is_tried_again_under_the_same_key() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        if nth == 1:
            raise httpx.ReadError("broken", request=request)
        return refused(503, "SERVICE_UNAVAILABLE", NOW) if nth == 2 else ok({"results": []})

    scripted = Scripted(script)

    async def case(client: Any) -> tuple[list[str], set[str]]:
        waits: list[str] = []
        await client.with_options(on_retry=lambda error, seconds: waits.append(error.code)).search(query="x")
        return waits, {request.headers["idempotency-key"] for request in scripted.requests}

    for waits, keys in scripted.both(case):
        assert waits == ["UNREACHABLE", "SERVICE_UNAVAILABLE"]
        assert len(keys) == 1


def test_what_would_be_done_twice_is_not_tried_again() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        raise httpx.ReadError("broken", request=request)

    scripted = Scripted(script)

    async def case(client: Any) -> int:
        with pytest.raises(Unreachable) as told:
            await client.open_account(name="Acme")
        assert told.value.reason == "broken"
        return len(scripted.requests)

    assert scripted.both(case) == [1, 1]


def test_nobody_is_told_at_once_unless_a_server_was_there() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        if nth in (1, 3):
            raise httpx.ConnectError("refused", request=request)
        return ok({"items": []})

    scripted = Scripted(script)

    async def case(client: Any) -> int:
        with pytest.raises(Unreachable) as told:
            await client.list_media()
        assert told.value.reason == "nobody"
        await client.list_media()
        await client.list_media()
        return len(scripted.requests)

    assert scripted.both(case) == [4, 4]


def test_reads_wait_for_what_was_written() -> None:
    scripted = Scripted(lambda request, nth: ok({}, **{"x-position": f"p{nth}"}))

    async def case(client: Any) -> list[str | None]:
        await client.list_media()
        await client.delete_media(media_id="doc_1")
        await client.list_media()
        assert client.positions == ("p2",)
        return [request.headers.get("x-min-position") for request in scripted.requests]

    assert scripted.both(case) == [[None, None, "p2"]] * 2


def test_positions_that_the_service_lost_are_forgotten_and_the_read_is_sent_again() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        lost = "x-min-position" in request.headers
        return refused(409, "POSITION_LOST") if lost else ok({"items": []}, **{"x-position": "p1"})

    scripted = Scripted(script)

    async def case(client: Any) -> list[str | None]:
        await client.delete_media(media_id="doc_1")
        await client.list_media()
        assert client.positions == ()
        return [request.headers.get("x-min-position") for request in scripted.requests]

    assert scripted.both(case) == [[None, "p1", None]] * 2


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_service_that_restarts_behind_a_proxy_is_asked_again(status: int) -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        if nth == 1:
            return httpx.Response(status, text="<h1>No service</h1>", headers=NOW)
        return ok({"media_id": "doc_1"})

    scripted = Scripted(script)

    async def case(client: Any) -> list[str | None]:
        await client.upload_media(file=("a.txt", b"a"))
        return [request.headers.get("idempotency-key") for request in scripted.requests]

    for first, second in scripted.both(case):
        assert first is not None and first == second


def test_files_are_sent_from_bytes_and_streams_with_progress(tmp_path: Any) -> None:
    path = tmp_path / "of-a-path.txt"
    path.write_text("hello")
    scripted = Scripted(lambda request, nth: refused(503, "AWAY", NOW) if nth == 1 else ok({"media_id": "doc_1"}))

    async def case(client: Any) -> tuple[list[int], bytes]:
        sent: list[int] = []
        counting = client.with_options(on_progress=sent.append)
        await counting.upload_media(file=path, collection_id="notes", force_overwrite=True)
        await client.create_batch(
            file=[("a.txt", b"a"), ("b.txt", io.BytesIO(b"b"))], batch_options={"batch_name": "two"}
        )
        return sent, b"".join(request.content for request in scripted.requests)

    for sent, content in scripted.both(case):
        assert sent[-1] == 5
        assert content.count(b'filename="of-a-path.txt"') == 2 and content.count(b"hello") == 2
        assert b'name="force_overwrite"\r\n\r\ntrue\r\n' in content
        assert b'{"batch_name": "two"}' in content and b'filename="b.txt"' in content


def test_lists_are_gone_through_page_by_page() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        after = request.url.params.get("after")
        if request.url.path == "/v1/media":
            pagination = {"page": 1, "total_pages": 2, **({} if after else {"next": "p2"})}
            return ok({"items": [{"media_id": after or "first"}], "pagination": pagination})
        page = int(request.url.params["page"])
        return ok({"batches": [{"batch_id": page}], "pagination": {"page": page, "total_pages": 3}})

    async def case(client: Any) -> list[Any]:
        items = [item["media_id"] async for item in client.iter_list_media(collection="x")]
        return items + [batch["batch_id"] async for batch in client.iter_list_batches()]

    assert Scripted(script).both(case) == [["first", "p2", 1, 2, 3]] * 2


def event(position: str) -> str:
    return f'id: {position}\ndata: {{"id":"{position}"}}\n\n'


def test_events_go_on_behind_the_last_one() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        if nth == 1:
            return httpx.Response(200, text=f"retry: 1000\n\n{event('a')}id: b\n\nid: c\ndata: half")
        if nth == 2:
            return refused(503, "SERVICE_UNAVAILABLE", NOW)
        end = 'event: end\ndata: {"reason":"stopping","message":"It stops."}\n\n'
        return httpx.Response(200, text=event("d") + end) if nth == 3 else httpx.Response(200, text=event("e"))

    scripted = Scripted(script)

    async def case(client: Any) -> tuple[list[str], list[str]]:
        positions = []
        async for told in client.events("beginning", ["MediaIngested", "MediaDeleted"]):
            positions.append(told.position)
            if len(positions) == 3:
                break
        return positions, [request.url.params["after"] for request in scripted.requests]

    assert scripted.both(case) == [(["a", "d", "e"], ["beginning", "b", "b", "d"])] * 2


def test_reads_show_what_events_told() -> None:
    def script(request: httpx.Request, nth: int) -> httpx.Response:
        return httpx.Response(200, text=event("a") + event("b")) if "events" in request.url.path else ok({})

    scripted = Scripted(script)

    async def case(client: Any) -> list[str | None]:
        async for told in client.events():
            if told.position == "b":
                break
        await client.list_media()
        for _ in range(5):
            async for told in client.events():
                assert told.position == "a"
                break
        await client.list_media()
        return [
            request.headers.get("x-min-position")
            for request in scripted.requests
            if "events" not in request.url.path
        ]

    assert scripted.both(case) == [["b", "a,a,a,a"]] * 2


def test_an_answer_in_pieces_ends_with_all_of_it() -> None:
    pieces = [("delta", {"text": "It is "}), ("delta", {"text": "kept."}), ("sources", {"sources": [1]})]
    pieces += [("billing", {"total_cost": 0.01}), ("done", {"request": {}, "metadata": {}})]
    text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pieces)

    async def case(client: Any) -> list[Any]:
        return [piece async for piece in client.ask_in_pieces(query="what")]

    for told in Scripted(lambda request, nth: httpx.Response(200, text=text)).both(case):
        assert told[0] == {"type": "delta", "text": "It is "}
        answer = {"response": "It is kept.", "sources": [1], "billing": {"total_cost": 0.01}, "request": {}}
        assert told[-1] == {"type": "done", "answer": answer}


def test_options_end_after_as_many_tries_as_were_asked_for() -> None:
    scripted = Scripted(lambda request, nth: refused(503, "AWAY", NOW), options=Options(attempts=3))

    async def case(client: Any) -> int:
        with pytest.raises(Refused):
            await client.list_media()
        return len(scripted.requests)

    assert scripted.both(case) == [3, 3]


KEY = b"a secret of 24 bytes...."
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
BODY = '{"id":"e1","data":{"note":"ä"}}'
TIME = 1_770_000_000


def signed(body: str = BODY, at: int = TIME, key: bytes = KEY) -> dict[str, str]:
    digest = hmac.new(key, f"e1.{at}.{body}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"Webhook-Id": "e1", "webhook-timestamp": str(at), "webhook-signature": signature}


def test_a_webhook_is_taken_as_it_was_signed() -> None:
    assert verify_webhook(BODY, signed(), SECRET, now=TIME)["id"] == "e1"
    other = signed(key=b"another")
    both = {**other, "webhook-signature": f"{other['webhook-signature']} {signed()['webhook-signature']}"}
    assert verify_webhook(BODY.encode(), both, SECRET, now=TIME)["id"] == "e1"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (BODY.replace("ä", "a"), signed()),
        (BODY, {**signed(), "Webhook-Id": "e2"}),
        (BODY, signed(key=b"another")),
        (BODY, signed(at=TIME - 301)),
        (BODY, {**signed(), "webhook-timestamp": "now"}),
        (BODY, {**signed(), "webhook-signature": "v1,ä"}),
        (BODY, {"webhook-id": "e1"}),
    ],
)
def test_any_other_message_of_a_webhook_is_refused(body: str, headers: dict[str, str]) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(body, headers, SECRET, now=TIME)


def test_ids_may_stand_alone() -> None:
    service = Scripted(lambda request, nth: ok({}))

    async def case(client: Any) -> None:
        await client.read_media("doc_1", include_chunks=True)
        await client.move_items("reports", items=["doc_2"])
        await client.resend_delivery("webhook_1", "delivery_2")
        await client.delete_media(media_id="doc_3")

    service.both(case)
    assert [f"{request.method} {request.url.raw_path.decode()}" for request in service.requests] == [
        "GET /v1/media/doc_1?include_chunks=true",
        "POST /v1/media/collections/reports/items",
        "POST /v1/webhooks/webhook_1/deliveries/delivery_2/resend",
        "DELETE /v1/media/doc_3",
    ]
    assert json.loads(service.requests[1].content) == {"items": ["doc_2"]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda client: client.read_media(mediaId="doc_1"), "readMedia takes no `mediaId`: it is `media_id`."),
        (lambda client: client.list_batches(limit=3), "listBatches takes no `limit`: it takes page, page_size, status."),
        (lambda client: client.read_media("doc_1", "doc_2"), "readMedia takes media_id alone."),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_one(call: Any, message: str) -> None:
    service = Scripted(lambda request, nth: ok({}))

    async def case(client: Any) -> None:
        with pytest.raises(TypeError, match=re.escape(message)):
            await call(client)

    service.both(case)
    assert service.requests == []


def test_settings_go_by_what_others_call_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIALOG_URL", "http://environment")
    monkeypatch.setenv("MEDIALOG_API_KEY", "mlk_environment")
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return refused(503, "SERVICE_UNAVAILABLE", NOW)

    http = httpx.Client(transport=httpx.MockTransport(handle))
    for client in (
        Medialog(http=http, max_retries=0, timeout=5),
        Medialog(base_url="http://given", api_key="mlk_given", http=http).with_options(max_retries=1),
    ):
        with pytest.raises(Refused):
            client.list_media()
    assert [(request.url.host, request.headers["x-api-key"]) for request in seen] == [
        ("environment", "mlk_environment"),
        ("given", "mlk_given"),
        ("given", "mlk_given"),
    ]
    with pytest.raises(TypeError, match="Medialog takes no `apiKey`: it is `api_key`."):
        Medialog(apiKey="mlk_a")
    with pytest.raises(TypeError, match="The client takes no `maxRetries`: it is `max_retries`."):
        Medialog().with_options(maxRetries=1)


def test_a_file_needs_no_name(tmp_path: Any) -> None:
    path = tmp_path / "read.txt"
    path.write_bytes(b"read")
    service = Scripted(lambda request, nth: ok({"batch_id": "batch_1"}))

    async def case(client: Any) -> None:
        with open(path, "rb") as opened:
            await client.create_batch(file=[b"bytes", opened, io.BytesIO(b"stream"), str(path)])

    service.both(case)
    body = service.requests[0].content.decode()
    assert re.findall(r'filename="(.*?)"', body) == ["file", "read.txt", "file", "read.txt"]
    assert all(text in body for text in ("bytes", "read", "stream"))
