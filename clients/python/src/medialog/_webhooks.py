"""Messages of webhooks: https://www.standardwebhooks.com."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from time import time
from typing import Any

from ._errors import WebhookVerificationError


def verify_webhook(
    body: str | bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = 300, now: float | None = None
) -> dict[str, Any]:
    """The event of a message, if its signature and its time are right.

    :param body: the very bytes that came: JSON that was parsed and written again has another signature
    :param secret: as it was shown when the webhook was added, `whsec_…`
    :param tolerance: seconds that its time may be off
    :raises WebhookVerificationError:
    """
    known = {name.lower(): value for name, value in headers.items()}
    try:
        message, timestamp, signatures = (known[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookVerificationError(f"The header {missing.args[0]} is missing.") from None
    if not timestamp.isascii() or not timestamp.isdigit() or abs((now or time()) - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"The time of the message is more than {tolerance} s off.")
    content = body.encode() if isinstance(body, str) else body
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookVerificationError("The secret is not base64.") from None
    digest = hmac.new(key, f"{message}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(digest).decode()}"
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures.split(" ")):
        raise WebhookVerificationError("No signature of the message is right.")
    event: dict[str, Any] = json.loads(content)
    return event
