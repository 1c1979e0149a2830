"""What a program does first, by a client that openapi-python-client generated from the OpenAPI document.

Prints as JSON what it saw: `main.py URL KEY FOLDER`, where the folder has note.txt and photo.jpg.
"""

import json
import sys
import time
from io import BytesIO
from pathlib import Path

from medialog_client import AuthenticatedClient
from medialog_client.api.account import read_usage
from medialog_client.api.batches import create_batch, read_batch
from medialog_client.api.media import list_media, read_media, upload_media
from medialog_client.api.search import search
from medialog_client.models import CreateBatchBody, SearchRequest, UploadMediaBody
from medialog_client.types import File

url, key, folder = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="X-Api-Key")


def file(name: str, content: bytes) -> File:
    return File(payload=BytesIO(content), file_name=name)


note = Path(folder, "note.txt").read_bytes()
stored = upload_media.sync(client=client, body=UploadMediaBody(file=file("note.txt", note), collection_id="notes"))
photo = upload_media.sync(client=client, body=UploadMediaBody(file=file("photo.jpg", Path(folder, "photo.jpg").read_bytes())))
pages = [list_media.sync(client=client, page=page, page_size=1).data for page in (1, 2)]
found = search.sync(client=client, body=SearchRequest(query="bridge", collections=["notes"]))
made = create_batch.sync(client=client, body=CreateBatchBody(file=[file("one.txt", b"One."), file("two.txt", b"Two.")]))
while (batch := read_batch.sync(client=client, batch_id=made.data.batch_id).data).status in ("created", "running"):
    time.sleep(0.1)
image = read_media.sync(client=client, media_id=photo.data.media_id)
wrong = list_media.sync_detailed(client=client, page=0)
missing = read_media.sync_detailed(client=client, media_id="doc_00000000-0000-5000-8000-000000000000")
usage = read_usage.sync(client=client)
print(
    json.dumps(
        {
            "cost": stored.data.balance_info.cost,
            "listed": [item.file_info.filename for page in pages for item in page.items],
            "has_next": [page.pagination.has_next for page in pages],
            "found": [result.metadata.file_info.filename for result in found.data.results],
            "batch": [batch.status.value, batch.progress.successful],
            "colors": len(image.data.metadata.modality.visual_attributes.dominant_colors),
            "wrong": [wrong.status_code.value, wrong.parsed.error.code],
            "missing": [missing.status_code.value, missing.parsed.error.code],
            "balance": usage.data.account_info.balance,
        }
    )
)
