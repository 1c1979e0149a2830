"""Uses a real service, as an account at MEDIALOG_URL with MEDIALOG_API_KEY would; the wheel's own test runs it."""

import asyncio
import os
import sys
from pathlib import Path

from medialog import AsyncMedialog, Medialog, Refused, models

URL, API_KEY = os.environ["MEDIALOG_URL"], os.environ["MEDIALOG_API_KEY"]


def waits(path: Path) -> models.UploadResult:
    with Medialog(URL, API_KEY) as client:
        sent: list[int] = []
        stored = client.with_options(on_progress=sent.append).upload_media(file=path, collection_id="python")
        assert sent[-1] == path.stat().st_size
        try:
            client.upload_media(file=("again.txt", path.read_bytes()))
            raise AssertionError("the same content was stored twice")
        except Refused as error:
            assert error.code == "DUPLICATE_FILE" and error.details["media_id"] == stored["media_id"]
        found = client.search(query="when did the bridge open", collections="python")["results"]
        assert found[0]["media_id"] == stored["media_id"]
        batch = client.create_batch(file=[(f"{number}.txt", f"Note {number}.".encode()) for number in range(3)])
        assert client.follow_batch(batch["batch_id"])["progress"]["successful"] == 3
        assert len(list(client.iter_list_media(page_size=2))) == 4
        for told in client.events("beginning", ["MediaIngested"]):
            if stored["media_id"][4:] in told.event["subject"]:
                break
        *_, last = client.ask_in_pieces(query="When did the bridge open?")
        assert "1940" in last["answer"]["response"]
        return stored


async def is_awaited(media_id: str) -> None:
    async with AsyncMedialog(URL, API_KEY) as client:
        assert (await client.read_media(media_id=media_id))["file_info"]["filename"] == "bridge.txt"
        assert len([item async for item in client.iter_list_media(collection="python")]) == 1
        deleted = await client.delete_media_batch(media_ids=[media_id], receipt=True)
        assert deleted["erasure"]["status"] == "erased"
        async for told in client.events("beginning", ["MediaDeleted"]):
            assert media_id[4:] in told.event["subject"]
            break


note = Path(sys.argv[1], "bridge.txt")
note.write_text("The Tacoma Narrows bridge opened in 1940.")
asyncio.run(is_awaited(waits(note)["media_id"]))
print("done")
