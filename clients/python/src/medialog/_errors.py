"""What can go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal


class MedialogError(Exception):
    """A request that did not succeed. `code` says why, in capitals: a code of the service, or one of this library."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Refused(MedialogError):
    """The service's refusal."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        details: Mapping[str, Any],
        suggestion: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message)
        self.status = status
        #: What the refusal is about: the parameter, the limit, the item that is there already …
        self.details = details
        #: What to do about it, where the service says it.
        self.suggestion = suggestion
        #: By which the operator finds it in the log.
        self.request_id = request_id
        #: Seconds that the service asks to wait before the next try.
        self.retry_after = retry_after


class Unreachable(MedialogError):
    """No answer came: no server listens, the connection broke, or it was silent for too long."""

    def __init__(self, reason: Literal["nobody", "silent", "broken"], message: str) -> None:
        super().__init__("UNREACHABLE", message)
        self.reason = reason


class WebhookVerificationError(Exception):
    """Why a message of a webhook is not to be trusted."""
