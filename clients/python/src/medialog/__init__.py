"""The HTTP API of Medialog, a media memory that can be audited."""

from . import _models as models
from ._async_client import AsyncMedialog
from ._client import Medialog
from ._core import FeedEvent, Options
from ._errors import MedialogError, Refused, Unreachable, WebhookVerificationError
from ._files import FileSource
from ._webhooks import verify_webhook

__all__ = [
    "AsyncMedialog",
    "FeedEvent",
    "FileSource",
    "Medialog",
    "MedialogError",
    "Options",
    "Refused",
    "Unreachable",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]
