# Made from the contract by `python generate.py`: not to be changed by hand.
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from typing_extensions import Unpack

from . import _models as models

OPERATIONS: dict[str, dict[str, Any]] = {
    'uploadMedia': {'method': 'POST', 'path': '/v1/media', 'access': 'write', 'paid': True, 'query': ['include_vectors'], 'body': 'form'},
    'listMedia': {'method': 'GET', 'path': '/v1/media', 'access': 'read', 'query': ['page', 'page_size', 'media_type', 'collection', 'include_vectors', 'after', 'as_of'], 'entries': 'items'},
    'readMedia': {'method': 'GET', 'path': '/v1/media/{media_id}', 'access': 'read', 'query': ['include_vectors', 'include_chunks', 'include_metadata']},
    'deleteMedia': {'method': 'DELETE', 'path': '/v1/media/{media_id}', 'access': 'delete', 'query': ['receipt']},
    'deleteMediaBatch': {'method': 'DELETE', 'path': '/v1/media/batch', 'access': 'delete', 'query': ['receipt'], 'body': 'json'},
    'readErasure': {'method': 'GET', 'path': '/v1/erasures/{erasure_id}', 'access': 'read'},
    'readAnyErasure': {'method': 'GET', 'path': '/admin/erasures/{erasure_id}', 'access': 'operator'},
    'createBatch': {'method': 'POST', 'path': '/v1/batches', 'access': 'write', 'paid': True, 'body': 'form'},
    'listBatches': {'method': 'GET', 'path': '/v1/batches', 'access': 'read', 'query': ['page', 'page_size', 'status'], 'entries': 'batches'},
    'readBatch': {'method': 'GET', 'path': '/v1/batches/{batch_id}', 'access': 'read'},
    'readBatchResults': {'method': 'GET', 'path': '/v1/batches/{batch_id}/results', 'access': 'read', 'query': ['page', 'page_size'], 'entries': 'job_results'},
    'cancelBatch': {'method': 'PUT', 'path': '/v1/batches/{batch_id}/state', 'access': 'write'},
    'search': {'method': 'POST', 'path': '/v1/search', 'access': 'read', 'paid': True, 'body': 'json'},
    'findSimilar': {'method': 'POST', 'path': '/v1/search/similar', 'access': 'read', 'paid': True, 'body': 'json'},
    'ask': {'method': 'POST', 'path': '/v1/ai/query', 'access': 'read', 'paid': True, 'body': 'json'},
    'analyzeFile': {'method': 'POST', 'path': '/v1/ai/analyze', 'access': 'read', 'paid': True, 'body': 'form'},
    'listCollections': {'method': 'GET', 'path': '/v1/media/collections', 'access': 'read'},
    'readCollection': {'method': 'GET', 'path': '/v1/media/collections/{collection_id}', 'access': 'read'},
    'deleteCollection': {'method': 'DELETE', 'path': '/v1/media/collections/{collection_id}', 'access': 'delete', 'query': ['receipt']},
    'moveItems': {'method': 'POST', 'path': '/v1/media/collections/{collection_id}/items', 'access': 'write', 'body': 'json'},
    'readStatus': {'method': 'GET', 'path': '/v1/status', 'access': 'read'},
    'listOwnKeys': {'method': 'GET', 'path': '/v1/keys', 'access': 'read'},
    'readUsage': {'method': 'GET', 'path': '/v1/usage', 'access': 'read', 'query': ['start_time', 'end_time', 'group_by', 'detailed', 'as_of']},
    'readLedger': {'method': 'GET', 'path': '/v1/audit/ledger', 'access': 'read', 'query': ['from', 'until', 'month', 'as_of', 'page', 'page_size'], 'entries': 'postings'},
    'readStatement': {'method': 'GET', 'path': '/v1/audit/statement', 'access': 'read', 'query': ['month', 'format']},
    'readUsageDiff': {'method': 'GET', 'path': '/v1/usage/diff', 'access': 'read', 'query': ['from', 'to']},
    'readAccountLedger': {'method': 'GET', 'path': '/admin/accounts/{account_id}/ledger', 'access': 'operator', 'query': ['from', 'until', 'month', 'as_of', 'page', 'page_size'], 'entries': 'postings'},
    'readAccountStatement': {'method': 'GET', 'path': '/admin/accounts/{account_id}/statement', 'access': 'operator', 'query': ['month', 'format']},
    'followEvents': {'method': 'GET', 'path': '/v1/events', 'access': 'read', 'query': ['after', 'types']},
    'addWebhook': {'method': 'POST', 'path': '/v1/webhooks', 'access': 'write', 'body': 'json'},
    'listWebhooks': {'method': 'GET', 'path': '/v1/webhooks', 'access': 'read'},
    'readWebhook': {'method': 'GET', 'path': '/v1/webhooks/{webhook_id}', 'access': 'read'},
    'changeWebhook': {'method': 'PATCH', 'path': '/v1/webhooks/{webhook_id}', 'access': 'write', 'body': 'json'},
    'removeWebhook': {'method': 'DELETE', 'path': '/v1/webhooks/{webhook_id}', 'access': 'delete'},
    'rotateWebhookSecret': {'method': 'POST', 'path': '/v1/webhooks/{webhook_id}/secret', 'access': 'write'},
    'replayWebhook': {'method': 'POST', 'path': '/v1/webhooks/{webhook_id}/replay', 'access': 'write', 'body': 'json'},
    'testWebhook': {'method': 'POST', 'path': '/v1/webhooks/{webhook_id}/test', 'access': 'write'},
    'listDeliveries': {'method': 'GET', 'path': '/v1/webhooks/{webhook_id}/deliveries', 'access': 'read', 'query': ['status', 'page', 'page_size'], 'entries': 'deliveries'},
    'resendDelivery': {'method': 'POST', 'path': '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', 'access': 'write'},
    'readMediaHistory': {'method': 'GET', 'path': '/v1/media/{media_id}/history', 'access': 'read', 'query': ['page', 'page_size'], 'entries': 'entries'},
    'readRequest': {'method': 'GET', 'path': '/v1/requests/{request_id}', 'access': 'read', 'query': ['page', 'page_size'], 'entries': 'entries'},
    'openAccount': {'method': 'POST', 'path': '/admin/accounts', 'access': 'operator', 'body': 'json'},
    'listAccounts': {'method': 'GET', 'path': '/admin/accounts', 'access': 'operator', 'query': ['page', 'page_size'], 'entries': 'accounts'},
    'readAccount': {'method': 'GET', 'path': '/admin/accounts/{account_id}', 'access': 'operator'},
    'closeAccount': {'method': 'DELETE', 'path': '/admin/accounts/{account_id}', 'access': 'operator'},
    'creditAccount': {'method': 'POST', 'path': '/admin/accounts/{account_id}/credits', 'access': 'operator', 'body': 'json'},
    'changeTier': {'method': 'PUT', 'path': '/admin/accounts/{account_id}/tier', 'access': 'operator', 'body': 'json'},
    'changeState': {'method': 'PUT', 'path': '/admin/accounts/{account_id}/state', 'access': 'operator', 'body': 'json'},
    'issueKey': {'method': 'POST', 'path': '/admin/accounts/{account_id}/keys', 'access': 'operator', 'body': 'json'},
    'listKeys': {'method': 'GET', 'path': '/admin/accounts/{account_id}/keys', 'access': 'operator'},
    'revokeKey': {'method': 'DELETE', 'path': '/admin/accounts/{account_id}/keys/{key_id}', 'access': 'operator'},
    'rotateKey': {'method': 'POST', 'path': '/admin/accounts/{account_id}/keys/{key_id}/rotate', 'access': 'operator', 'body': 'json'},
    'readEmbeddings': {'method': 'GET', 'path': '/admin/embeddings', 'access': 'operator'},
    'startOperation': {'method': 'POST', 'path': '/admin/operations', 'access': 'operator', 'body': 'json'},
    'listOperations': {'method': 'GET', 'path': '/admin/operations', 'access': 'operator'},
    'readOperation': {'method': 'GET', 'path': '/admin/operations/{operation_id}', 'access': 'operator'},
    'makeCheckpoint': {'method': 'POST', 'path': '/admin/audit/checkpoints', 'access': 'operator'},
    'readEventProofs': {'method': 'GET', 'path': '/admin/audit/proofs', 'access': 'operator', 'query': ['subject']},
    'readOwnEventProofs': {'method': 'GET', 'path': '/v1/audit/proofs', 'access': 'read', 'query': ['subject']},
    'readLedgerProof': {'method': 'GET', 'path': '/v1/audit/ledger/proof', 'access': 'read', 'query': ['since']},
    'readAccountLedgerProof': {'method': 'GET', 'path': '/admin/accounts/{account_id}/ledger/proof', 'access': 'operator', 'query': ['since']},
    'readConsistencyProof': {'method': 'GET', 'path': '/admin/audit/consistency', 'access': 'operator', 'query': ['from', 'to']},
    'readCheckpointKey': {'method': 'GET', 'path': '/checkpoint-key', 'access': 'public'},
    'healthz': {'method': 'GET', 'path': '/healthz', 'access': 'public'},
    'readyz': {'method': 'GET', 'path': '/readyz', 'access': 'public'},
    'metrics': {'method': 'GET', 'path': '/metrics', 'access': 'public'},
    'openapi': {'method': 'GET', 'path': '/openapi.json', 'access': 'public'},
    'asyncapi': {'method': 'GET', 'path': '/asyncapi.json', 'access': 'public'},
    'docs': {'method': 'GET', 'path': '/docs', 'access': 'public'},
}


class Methods:
    """One method for each operation of the HTTP API."""

    def _call(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> Any:
        raise NotImplementedError

    def _iterate(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> Iterator[Any]:
        raise NotImplementedError

    def upload_media(self, **given: Unpack[models.UploadMediaInput]) -> models.UploadResult:
        """Upload a file.

        Reads the file, keeps what can be known about it, and drops the file. Costs 0.04 USD; a refused or failed upload costs nothing."""
        return self._call('uploadMedia', given)

    def list_media(self, **given: Unpack[models.ListMediaInput]) -> models.ListMediaData:
        """List items, newest first."""
        return self._call('listMedia', given)

    def iter_list_media(self, **given: Unpack[models.ListMediaInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `list_media`, page by page as they are asked for."""
        return self._iterate('listMedia', given)

    def read_media(self, *ids: str, **given: Unpack[models.ReadMediaInput]) -> models.MediaItem:
        """Read one item."""
        return self._call('readMedia', given, ids)

    def delete_media(self, *ids: str, **given: Unpack[models.DeleteMediaInput]) -> models.DeleteMediaData:
        """Delete one item for good."""
        return self._call('deleteMedia', given, ids)

    def delete_media_batch(self, **given: Unpack[models.DeleteMediaBatchInput]) -> models.DeleteMediaBatchData:
        """Delete up to 100 items for good.

        What was not found is named under `failed`; the rest is deleted all the same."""
        return self._call('deleteMediaBatch', given)

    def read_erasure(self, *ids: str, **given: Unpack[models.ReadErasureInput]) -> models.Erasure:
        """What became of an erasure, with its receipt."""
        return self._call('readErasure', given, ids)

    def read_any_erasure(self, *ids: str, **given: Unpack[models.ReadAnyErasureInput]) -> models.Erasure:
        """The same of any account, a closed one too."""
        return self._call('readAnyErasure', given, ids)

    def create_batch(self, **given: Unpack[models.CreateBatchInput]) -> models.BatchCreation:
        """Process up to 25 files, 100 MB in all.

        Answers once the files are received and paid for; they are processed after that. 0.04 USD a file, duplicates free; what is not delivered is refunded."""
        return self._call('createBatch', given)

    def list_batches(self, **given: Unpack[models.ListBatchesInput]) -> models.ListBatchesData:
        """List batches, newest first."""
        return self._call('listBatches', given)

    def iter_list_batches(self, **given: Unpack[models.ListBatchesInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `list_batches`, page by page as they are asked for."""
        return self._iterate('listBatches', given)

    def read_batch(self, *ids: str, **given: Unpack[models.ReadBatchInput]) -> models.Batch:
        """How far a batch is, and what it cost."""
        return self._call('readBatch', given, ids)

    def read_batch_results(self, *ids: str, **given: Unpack[models.ReadBatchResultsInput]) -> models.BatchResults:
        """What became of each file.

        May be read while the batch runs: it then holds the files that are done."""
        return self._call('readBatchResults', given, ids)

    def iter_read_batch_results(self, *ids: str, **given: Unpack[models.ReadBatchResultsInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `read_batch_results`, page by page as they are asked for."""
        return self._iterate('readBatchResults', given, ids)

    def cancel_batch(self, *ids: str, **given: Unpack[models.CancelBatchInput]) -> models.CancelBatchData:
        """Cancel a batch.

        What is done stays; the rest is stopped and refunded. A body is ignored. A batch that has ended stays as it is."""
        return self._call('cancelBatch', given, ids)

    def search(self, **given: Unpack[models.SearchInput]) -> models.SearchData:
        """Search stored items.

        By words and by meaning; scores are absolute, so min_score means the same everywhere. Free, but for `type` `advanced`, which also follows connections between items: the depth asked for is charged, what was not reached is refunded before the answer."""
        return self._call('search', given)

    def find_similar(self, **given: Unpack[models.FindSimilarInput]) -> models.FindSimilarData:
        """Find what is similar to an item.

        In content, among all collections unless told otherwise. A refusal costs nothing."""
        return self._call('findSimilar', given)

    def ask(self, **given: Unpack[models.AskInput]) -> models.AskData:
        """Ask a question.

        Answered from one item (`media_id`) or from the passages of the library, or of some `collections`, that match best. 0.01 USD; tokens are charged above 10 000 in or 2 500 out. With `stream`: the events `delta`, `sources`, `billing`, `done`, or `error`."""
        return self._call('ask', given)

    def analyze_file(self, **given: Unpack[models.AnalyzeFileInput]) -> models.FileAnalysis:
        """Ask one question about a file that is not kept.

        Nothing of the file is stored. 0.03 USD, refunded when it fails. Images may have 50 MB."""
        return self._call('analyzeFile', given)

    def list_collections(self, **given: Unpack[models.ListCollectionsInput]) -> models.ListCollectionsData:
        """List collections."""
        return self._call('listCollections', given)

    def read_collection(self, *ids: str, **given: Unpack[models.ReadCollectionInput]) -> models.ReadCollectionData:
        """Read a collection."""
        return self._call('readCollection', given, ids)

    def delete_collection(self, *ids: str, **given: Unpack[models.DeleteCollectionInput]) -> models.DeleteCollectionData:
        """Delete a collection with all its items for good."""
        return self._call('deleteCollection', given, ids)

    def move_items(self, *ids: str, **given: Unpack[models.MoveItemsInput]) -> models.MoveItemsData:
        """Move items into a collection.

        All or none. The collection is made when it is not there; an id named twice counts once."""
        return self._call('moveItems', given, ids)

    def read_status(self, **given: Unpack[models.ReadStatusInput]) -> models.ServiceStatus:
        """How the service is, and what the key may do.

        Answers 503 with the same data when the status is critical."""
        return self._call('readStatus', given)

    def list_own_keys(self, **given: Unpack[models.ListOwnKeysInput]) -> models.ListOwnKeysData:
        """List the account’s keys, without secrets.

        The operator issues, replaces and revokes them."""
        return self._call('listOwnKeys', given)

    def read_usage(self, **given: Unpack[models.ReadUsageInput]) -> models.ReadUsageData:
        """Balance, costs and storage."""
        return self._call('readUsage', given)

    def read_ledger(self, **given: Unpack[models.ReadLedgerInput]) -> models.ReadLedgerData:
        """Every posting with its cause, and the proof.

        Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing."""
        return self._call('readLedger', given)

    def iter_read_ledger(self, **given: Unpack[models.ReadLedgerInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `read_ledger`, page by page as they are asked for."""
        return self._iterate('readLedger', given)

    def read_statement(self, **given: Unpack[models.ReadStatementInput]) -> models.Statement:
        """The statement of a month."""
        return self._call('readStatement', given)

    def read_usage_diff(self, **given: Unpack[models.ReadUsageDiffInput]) -> models.ReadUsageDiffData:
        """Usage at two moments, and what came in between."""
        return self._call('readUsageDiff', given)

    def read_account_ledger(self, *ids: str, **given: Unpack[models.ReadAccountLedgerInput]) -> models.ReadAccountLedgerData:
        """An account’s ledger, as it can read it itself.

        Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing."""
        return self._call('readAccountLedger', given, ids)

    def iter_read_account_ledger(self, *ids: str, **given: Unpack[models.ReadAccountLedgerInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `read_account_ledger`, page by page as they are asked for."""
        return self._iterate('readAccountLedger', given, ids)

    def read_account_statement(self, *ids: str, **given: Unpack[models.ReadAccountStatementInput]) -> models.Statement:
        """An account’s statement of a month."""
        return self._call('readAccountStatement', given, ids)

    def add_webhook(self, **given: Unpack[models.AddWebhookInput]) -> models.AddWebhookData:
        """Have events sent to an address.

        From now on. Needs the capability `read` as well. Messages are signed by the specification of Standard Webhooks."""
        return self._call('addWebhook', given)

    def list_webhooks(self, **given: Unpack[models.ListWebhooksInput]) -> models.ListWebhooksData:
        """List webhooks."""
        return self._call('listWebhooks', given)

    def read_webhook(self, *ids: str, **given: Unpack[models.ReadWebhookInput]) -> models.WebhookWithProgress:
        """Read a webhook, and how far it is."""
        return self._call('readWebhook', given, ids)

    def change_webhook(self, *ids: str, **given: Unpack[models.ChangeWebhookInput]) -> models.Webhook:
        """Change, pause or resume a webhook.

        What is not named stays. What happens while it is paused is sent once it is resumed: `"paused": false`, as for one that was disabled. Needs the capability `read` as well."""
        return self._call('changeWebhook', given, ids)

    def remove_webhook(self, *ids: str, **given: Unpack[models.RemoveWebhookInput]) -> models.RemoveWebhookData:
        """Remove a webhook with its deliveries."""
        return self._call('removeWebhook', given, ids)

    def rotate_webhook_secret(self, *ids: str, **given: Unpack[models.RotateWebhookSecretInput]) -> models.RotateWebhookSecretData:
        """Make a new secret.

        For a day messages are signed with the former one as well. Needs the capability `read` as well."""
        return self._call('rotateWebhookSecret', given, ids)

    def replay_webhook(self, *ids: str, **given: Unpack[models.ReplayWebhookInput]) -> models.Webhook:
        """Send again all that came after a position.

        With the same ids as before. What was erased since is not sent."""
        return self._call('replayWebhook', given, ids)

    def test_webhook(self, *ids: str, **given: Unpack[models.TestWebhookInput]) -> models.TestWebhookData:
        """Send an event that says nothing.

        Of the type `medialog.WebhookTested`. Its delivery tells how it went."""
        return self._call('testWebhook', given, ids)

    def list_deliveries(self, *ids: str, **given: Unpack[models.ListDeliveriesInput]) -> models.ListDeliveriesData:
        """List deliveries, those that changed last first."""
        return self._call('listDeliveries', given, ids)

    def iter_list_deliveries(self, *ids: str, **given: Unpack[models.ListDeliveriesInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `list_deliveries`, page by page as they are asked for."""
        return self._iterate('listDeliveries', given, ids)

    def resend_delivery(self, *ids: str, **given: Unpack[models.ResendDeliveryInput]) -> models.ResendDeliveryData:
        """Send an event again."""
        return self._call('resendDelivery', given, ids)

    def read_media_history(self, *ids: str, **given: Unpack[models.ReadMediaHistoryInput]) -> models.ReadMediaHistoryData:
        """Everything that happened to an item, oldest first.

        Uploads with what they were made with and cost, moves, answers that spoke of it, deletions. Of an erased item what erasing left."""
        return self._call('readMediaHistory', given, ids)

    def iter_read_media_history(self, *ids: str, **given: Unpack[models.ReadMediaHistoryInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `read_media_history`, page by page as they are asked for."""
        return self._iterate('readMediaHistory', given, ids)

    def read_request(self, *ids: str, **given: Unpack[models.ReadRequestInput]) -> models.ReadRequestData:
        """Everything that one request caused.

        By the X-Request-Id of its answer: events, postings, its batch and its items, whatever went on in the background included."""
        return self._call('readRequest', given, ids)

    def iter_read_request(self, *ids: str, **given: Unpack[models.ReadRequestInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `read_request`, page by page as they are asked for."""
        return self._iterate('readRequest', given, ids)

    def open_account(self, **given: Unpack[models.OpenAccountInput]) -> models.Account:
        """Open an account.

        An Idempotency-Key answers a repeat for a day with the account that the first request opened, and no credit is given twice."""
        return self._call('openAccount', given)

    def list_accounts(self, **given: Unpack[models.ListAccountsInput]) -> models.ListAccountsData:
        """List accounts, in the order in which they were opened."""
        return self._call('listAccounts', given)

    def iter_list_accounts(self, **given: Unpack[models.ListAccountsInput]) -> Iterator[dict[str, Any]]:
        """Every entry of `list_accounts`, page by page as they are asked for."""
        return self._iterate('listAccounts', given)

    def read_account(self, *ids: str, **given: Unpack[models.ReadAccountInput]) -> models.Account:
        """Read an account."""
        return self._call('readAccount', given, ids)

    def close_account(self, *ids: str, **given: Unpack[models.CloseAccountInput]) -> models.CloseAccountData:
        """Close an account and erase all of it but its ledger, for good.

        Its keys work no more from then on. Erasing goes on after the answer: asked again, it answers how far that is."""
        return self._call('closeAccount', given, ids)

    def credit_account(self, *ids: str, **given: Unpack[models.CreditAccountInput]) -> models.CreditAccountData:
        """Credit an account.

        The same reference credits once, for ever, and never another amount. An Idempotency-Key answers a repeat with the first answer for a day; without a reference it is one."""
        return self._call('creditAccount', given, ids)

    def change_tier(self, *ids: str, **given: Unpack[models.ChangeTierInput]) -> models.ChangeTierData:
        """Change an account’s tier."""
        return self._call('changeTier', given, ids)

    def change_state(self, *ids: str, **given: Unpack[models.ChangeStateInput]) -> models.ChangeStateData:
        """Suspend an account, or take that back."""
        return self._call('changeState', given, ids)

    def issue_key(self, *ids: str, **given: Unpack[models.IssueKeyInput]) -> models.IssueKeyData:
        """Issue an API key."""
        return self._call('issueKey', given, ids)

    def list_keys(self, *ids: str, **given: Unpack[models.ListKeysInput]) -> models.ListKeysData:
        """List an account’s keys, without secrets."""
        return self._call('listKeys', given, ids)

    def revoke_key(self, *ids: str, **given: Unpack[models.RevokeKeyInput]) -> models.RevokeKeyData:
        """Revoke a key."""
        return self._call('revokeKey', given, ids)

    def rotate_key(self, *ids: str, **given: Unpack[models.RotateKeyInput]) -> models.RotateKeyData:
        """Give a key a new secret."""
        return self._call('rotateKey', given, ids)

    def read_embeddings(self, **given: Unpack[models.ReadEmbeddingsInput]) -> models.Embeddings:
        """What is stored of which embedder.

        The operation `embeddings-migrate` gives every item vectors of the configured embedder, while the service goes on."""
        return self._call('readEmbeddings', given)

    def start_operation(self, given: models.StartOperationRequest) -> models.Operation:
        """Start long work inside the server.

        Answers at once; each kind has parameters of its own."""
        return self._call('startOperation', given)

    def list_operations(self, **given: Unpack[models.ListOperationsInput]) -> models.ListOperationsData:
        """List operations, newest first."""
        return self._call('listOperations', given)

    def read_operation(self, *ids: str, **given: Unpack[models.ReadOperationInput]) -> models.Operation:
        """Read an operation, or watch it.

        With `Accept: text/event-stream` every change follows as an event named `operation`, the current state first, until it has ended."""
        return self._call('readOperation', given, ids)

    def make_checkpoint(self, **given: Unpack[models.MakeCheckpointInput]) -> models.Checkpoint:
        """Sign what the log holds now.

        The last checkpoint again where nothing came since."""
        return self._call('makeCheckpoint', given)

    def read_event_proofs(self, **given: Unpack[models.ReadEventProofsInput]) -> models.EventProofs:
        """Prove that events are in the log."""
        return self._call('readEventProofs', given)

    def read_own_event_proofs(self, **given: Unpack[models.ReadOwnEventProofsInput]) -> models.EventProofs:
        """Prove that your own events are in the log.

        Those of items, the ledger, batches, collections and erasures."""
        return self._call('readOwnEventProofs', given)

    def read_consistency_proof(self, **given: Unpack[models.ReadConsistencyProofInput]) -> models.ConsistencyProof:
        """Prove that one checkpoint is the beginning of another."""
        return self._call('readConsistencyProof', given)

    def read_checkpoint_key(self, **given: Unpack[models.ReadCheckpointKeyInput]) -> models.ReadCheckpointKeyData:
        """The public keys that prove checkpoints."""
        return self._call('readCheckpointKey', given)

    def healthz(self, **given: Unpack[models.HealthzInput]) -> models.HealthzData:
        """Whether the process is alive."""
        return self._call('healthz', given)

    def readyz(self, **given: Unpack[models.ReadyzInput]) -> models.ReadyzData:
        """Whether it can serve requests."""
        return self._call('readyz', given)


class AsyncMethods:
    """One method for each operation of the HTTP API, awaited."""

    async def _call(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> Any:
        raise NotImplementedError

    def _iterate(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def upload_media(self, **given: Unpack[models.UploadMediaInput]) -> models.UploadResult:
        """Upload a file.

        Reads the file, keeps what can be known about it, and drops the file. Costs 0.04 USD; a refused or failed upload costs nothing."""
        return await self._call('uploadMedia', given)

    async def list_media(self, **given: Unpack[models.ListMediaInput]) -> models.ListMediaData:
        """List items, newest first."""
        return await self._call('listMedia', given)

    def iter_list_media(self, **given: Unpack[models.ListMediaInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `list_media`, page by page as they are asked for."""
        return self._iterate('listMedia', given)

    async def read_media(self, *ids: str, **given: Unpack[models.ReadMediaInput]) -> models.MediaItem:
        """Read one item."""
        return await self._call('readMedia', given, ids)

    async def delete_media(self, *ids: str, **given: Unpack[models.DeleteMediaInput]) -> models.DeleteMediaData:
        """Delete one item for good."""
        return await self._call('deleteMedia', given, ids)

    async def delete_media_batch(self, **given: Unpack[models.DeleteMediaBatchInput]) -> models.DeleteMediaBatchData:
        """Delete up to 100 items for good.

        What was not found is named under `failed`; the rest is deleted all the same."""
        return await self._call('deleteMediaBatch', given)

    async def read_erasure(self, *ids: str, **given: Unpack[models.ReadErasureInput]) -> models.Erasure:
        """What became of an erasure, with its receipt."""
        return await self._call('readErasure', given, ids)

    async def read_any_erasure(self, *ids: str, **given: Unpack[models.ReadAnyErasureInput]) -> models.Erasure:
        """The same of any account, a closed one too."""
        return await self._call('readAnyErasure', given, ids)

    async def create_batch(self, **given: Unpack[models.CreateBatchInput]) -> models.BatchCreation:
        """Process up to 25 files, 100 MB in all.

        Answers once the files are received and paid for; they are processed after that. 0.04 USD a file, duplicates free; what is not delivered is refunded."""
        return await self._call('createBatch', given)

    async def list_batches(self, **given: Unpack[models.ListBatchesInput]) -> models.ListBatchesData:
        """List batches, newest first."""
        return await self._call('listBatches', given)

    def iter_list_batches(self, **given: Unpack[models.ListBatchesInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `list_batches`, page by page as they are asked for."""
        return self._iterate('listBatches', given)

    async def read_batch(self, *ids: str, **given: Unpack[models.ReadBatchInput]) -> models.Batch:
        """How far a batch is, and what it cost."""
        return await self._call('readBatch', given, ids)

    async def read_batch_results(self, *ids: str, **given: Unpack[models.ReadBatchResultsInput]) -> models.BatchResults:
        """What became of each file.

        May be read while the batch runs: it then holds the files that are done."""
        return await self._call('readBatchResults', given, ids)

    def iter_read_batch_results(self, *ids: str, **given: Unpack[models.ReadBatchResultsInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `read_batch_results`, page by page as they are asked for."""
        return self._iterate('readBatchResults', given, ids)

    async def cancel_batch(self, *ids: str, **given: Unpack[models.CancelBatchInput]) -> models.CancelBatchData:
        """Cancel a batch.

        What is done stays; the rest is stopped and refunded. A body is ignored. A batch that has ended stays as it is."""
        return await self._call('cancelBatch', given, ids)

    async def search(self, **given: Unpack[models.SearchInput]) -> models.SearchData:
        """Search stored items.

        By words and by meaning; scores are absolute, so min_score means the same everywhere. Free, but for `type` `advanced`, which also follows connections between items: the depth asked for is charged, what was not reached is refunded before the answer."""
        return await self._call('search', given)

    async def find_similar(self, **given: Unpack[models.FindSimilarInput]) -> models.FindSimilarData:
        """Find what is similar to an item.

        In content, among all collections unless told otherwise. A refusal costs nothing."""
        return await self._call('findSimilar', given)

    async def ask(self, **given: Unpack[models.AskInput]) -> models.AskData:
        """Ask a question.

        Answered from one item (`media_id`) or from the passages of the library, or of some `collections`, that match best. 0.01 USD; tokens are charged above 10 000 in or 2 500 out. With `stream`: the events `delta`, `sources`, `billing`, `done`, or `error`."""
        return await self._call('ask', given)

    async def analyze_file(self, **given: Unpack[models.AnalyzeFileInput]) -> models.FileAnalysis:
        """Ask one question about a file that is not kept.

        Nothing of the file is stored. 0.03 USD, refunded when it fails. Images may have 50 MB."""
        return await self._call('analyzeFile', given)

    async def list_collections(self, **given: Unpack[models.ListCollectionsInput]) -> models.ListCollectionsData:
        """List collections."""
        return await self._call('listCollections', given)

    async def read_collection(self, *ids: str, **given: Unpack[models.ReadCollectionInput]) -> models.ReadCollectionData:
        """Read a collection."""
        return await self._call('readCollection', given, ids)

    async def delete_collection(self, *ids: str, **given: Unpack[models.DeleteCollectionInput]) -> models.DeleteCollectionData:
        """Delete a collection with all its items for good."""
        return await self._call('deleteCollection', given, ids)

    async def move_items(self, *ids: str, **given: Unpack[models.MoveItemsInput]) -> models.MoveItemsData:
        """Move items into a collection.

        All or none. The collection is made when it is not there; an id named twice counts once."""
        return await self._call('moveItems', given, ids)

    async def read_status(self, **given: Unpack[models.ReadStatusInput]) -> models.ServiceStatus:
        """How the service is, and what the key may do.

        Answers 503 with the same data when the status is critical."""
        return await self._call('readStatus', given)

    async def list_own_keys(self, **given: Unpack[models.ListOwnKeysInput]) -> models.ListOwnKeysData:
        """List the account’s keys, without secrets.

        The operator issues, replaces and revokes them."""
        return await self._call('listOwnKeys', given)

    async def read_usage(self, **given: Unpack[models.ReadUsageInput]) -> models.ReadUsageData:
        """Balance, costs and storage."""
        return await self._call('readUsage', given)

    async def read_ledger(self, **given: Unpack[models.ReadLedgerInput]) -> models.ReadLedgerData:
        """Every posting with its cause, and the proof.

        Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing."""
        return await self._call('readLedger', given)

    def iter_read_ledger(self, **given: Unpack[models.ReadLedgerInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `read_ledger`, page by page as they are asked for."""
        return self._iterate('readLedger', given)

    async def read_statement(self, **given: Unpack[models.ReadStatementInput]) -> models.Statement:
        """The statement of a month."""
        return await self._call('readStatement', given)

    async def read_usage_diff(self, **given: Unpack[models.ReadUsageDiffInput]) -> models.ReadUsageDiffData:
        """Usage at two moments, and what came in between."""
        return await self._call('readUsageDiff', given)

    async def read_account_ledger(self, *ids: str, **given: Unpack[models.ReadAccountLedgerInput]) -> models.ReadAccountLedgerData:
        """An account’s ledger, as it can read it itself.

        Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing."""
        return await self._call('readAccountLedger', given, ids)

    def iter_read_account_ledger(self, *ids: str, **given: Unpack[models.ReadAccountLedgerInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `read_account_ledger`, page by page as they are asked for."""
        return self._iterate('readAccountLedger', given, ids)

    async def read_account_statement(self, *ids: str, **given: Unpack[models.ReadAccountStatementInput]) -> models.Statement:
        """An account’s statement of a month."""
        return await self._call('readAccountStatement', given, ids)

    async def add_webhook(self, **given: Unpack[models.AddWebhookInput]) -> models.AddWebhookData:
        """Have events sent to an address.

        From now on. Needs the capability `read` as well. Messages are signed by the specification of Standard Webhooks."""
        return await self._call('addWebhook', given)

    async def list_webhooks(self, **given: Unpack[models.ListWebhooksInput]) -> models.ListWebhooksData:
        """List webhooks."""
        return await self._call('listWebhooks', given)

    async def read_webhook(self, *ids: str, **given: Unpack[models.ReadWebhookInput]) -> models.WebhookWithProgress:
        """Read a webhook, and how far it is."""
        return await self._call('readWebhook', given, ids)

    async def change_webhook(self, *ids: str, **given: Unpack[models.ChangeWebhookInput]) -> models.Webhook:
        """Change, pause or resume a webhook.

        What is not named stays. What happens while it is paused is sent once it is resumed: `"paused": false`, as for one that was disabled. Needs the capability `read` as well."""
        return await self._call('changeWebhook', given, ids)

    async def remove_webhook(self, *ids: str, **given: Unpack[models.RemoveWebhookInput]) -> models.RemoveWebhookData:
        """Remove a webhook with its deliveries."""
        return await self._call('removeWebhook', given, ids)

    async def rotate_webhook_secret(self, *ids: str, **given: Unpack[models.RotateWebhookSecretInput]) -> models.RotateWebhookSecretData:
        """Make a new secret.

        For a day messages are signed with the former one as well. Needs the capability `read` as well."""
        return await self._call('rotateWebhookSecret', given, ids)

    async def replay_webhook(self, *ids: str, **given: Unpack[models.ReplayWebhookInput]) -> models.Webhook:
        """Send again all that came after a position.

        With the same ids as before. What was erased since is not sent."""
        return await self._call('replayWebhook', given, ids)

    async def test_webhook(self, *ids: str, **given: Unpack[models.TestWebhookInput]) -> models.TestWebhookData:
        """Send an event that says nothing.

        Of the type `medialog.WebhookTested`. Its delivery tells how it went."""
        return await self._call('testWebhook', given, ids)

    async def list_deliveries(self, *ids: str, **given: Unpack[models.ListDeliveriesInput]) -> models.ListDeliveriesData:
        """List deliveries, those that changed last first."""
        return await self._call('listDeliveries', given, ids)

    def iter_list_deliveries(self, *ids: str, **given: Unpack[models.ListDeliveriesInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `list_deliveries`, page by page as they are asked for."""
        return self._iterate('listDeliveries', given, ids)

    async def resend_delivery(self, *ids: str, **given: Unpack[models.ResendDeliveryInput]) -> models.ResendDeliveryData:
        """Send an event again."""
        return await self._call('resendDelivery', given, ids)

    async def read_media_history(self, *ids: str, **given: Unpack[models.ReadMediaHistoryInput]) -> models.ReadMediaHistoryData:
        """Everything that happened to an item, oldest first.

        Uploads with what they were made with and cost, moves, answers that spoke of it, deletions. Of an erased item what erasing left."""
        return await self._call('readMediaHistory', given, ids)

    def iter_read_media_history(self, *ids: str, **given: Unpack[models.ReadMediaHistoryInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `read_media_history`, page by page as they are asked for."""
        return self._iterate('readMediaHistory', given, ids)

    async def read_request(self, *ids: str, **given: Unpack[models.ReadRequestInput]) -> models.ReadRequestData:
        """Everything that one request caused.

        By the X-Request-Id of its answer: events, postings, its batch and its items, whatever went on in the background included."""
        return await self._call('readRequest', given, ids)

    def iter_read_request(self, *ids: str, **given: Unpack[models.ReadRequestInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `read_request`, page by page as they are asked for."""
        return self._iterate('readRequest', given, ids)

    async def open_account(self, **given: Unpack[models.OpenAccountInput]) -> models.Account:
        """Open an account.

        An Idempotency-Key answers a repeat for a day with the account that the first request opened, and no credit is given twice."""
        return await self._call('openAccount', given)

    async def list_accounts(self, **given: Unpack[models.ListAccountsInput]) -> models.ListAccountsData:
        """List accounts, in the order in which they were opened."""
        return await self._call('listAccounts', given)

    def iter_list_accounts(self, **given: Unpack[models.ListAccountsInput]) -> AsyncIterator[dict[str, Any]]:
        """Every entry of `list_accounts`, page by page as they are asked for."""
        return self._iterate('listAccounts', given)

    async def read_account(self, *ids: str, **given: Unpack[models.ReadAccountInput]) -> models.Account:
        """Read an account."""
        return await self._call('readAccount', given, ids)

    async def close_account(self, *ids: str, **given: Unpack[models.CloseAccountInput]) -> models.CloseAccountData:
        """Close an account and erase all of it but its ledger, for good.

        Its keys work no more from then on. Erasing goes on after the answer: asked again, it answers how far that is."""
        return await self._call('closeAccount', given, ids)

    async def credit_account(self, *ids: str, **given: Unpack[models.CreditAccountInput]) -> models.CreditAccountData:
        """Credit an account.

        The same reference credits once, for ever, and never another amount. An Idempotency-Key answers a repeat with the first answer for a day; without a reference it is one."""
        return await self._call('creditAccount', given, ids)

    async def change_tier(self, *ids: str, **given: Unpack[models.ChangeTierInput]) -> models.ChangeTierData:
        """Change an account’s tier."""
        return await self._call('changeTier', given, ids)

    async def change_state(self, *ids: str, **given: Unpack[models.ChangeStateInput]) -> models.ChangeStateData:
        """Suspend an account, or take that back."""
        return await self._call('changeState', given, ids)

    async def issue_key(self, *ids: str, **given: Unpack[models.IssueKeyInput]) -> models.IssueKeyData:
        """Issue an API key."""
        return await self._call('issueKey', given, ids)

    async def list_keys(self, *ids: str, **given: Unpack[models.ListKeysInput]) -> models.ListKeysData:
        """List an account’s keys, without secrets."""
        return await self._call('listKeys', given, ids)

    async def revoke_key(self, *ids: str, **given: Unpack[models.RevokeKeyInput]) -> models.RevokeKeyData:
        """Revoke a key."""
        return await self._call('revokeKey', given, ids)

    async def rotate_key(self, *ids: str, **given: Unpack[models.RotateKeyInput]) -> models.RotateKeyData:
        """Give a key a new secret."""
        return await self._call('rotateKey', given, ids)

    async def read_embeddings(self, **given: Unpack[models.ReadEmbeddingsInput]) -> models.Embeddings:
        """What is stored of which embedder.

        The operation `embeddings-migrate` gives every item vectors of the configured embedder, while the service goes on."""
        return await self._call('readEmbeddings', given)

    async def start_operation(self, given: models.StartOperationRequest) -> models.Operation:
        """Start long work inside the server.

        Answers at once; each kind has parameters of its own."""
        return await self._call('startOperation', given)

    async def list_operations(self, **given: Unpack[models.ListOperationsInput]) -> models.ListOperationsData:
        """List operations, newest first."""
        return await self._call('listOperations', given)

    async def read_operation(self, *ids: str, **given: Unpack[models.ReadOperationInput]) -> models.Operation:
        """Read an operation, or watch it.

        With `Accept: text/event-stream` every change follows as an event named `operation`, the current state first, until it has ended."""
        return await self._call('readOperation', given, ids)

    async def make_checkpoint(self, **given: Unpack[models.MakeCheckpointInput]) -> models.Checkpoint:
        """Sign what the log holds now.

        The last checkpoint again where nothing came since."""
        return await self._call('makeCheckpoint', given)

    async def read_event_proofs(self, **given: Unpack[models.ReadEventProofsInput]) -> models.EventProofs:
        """Prove that events are in the log."""
        return await self._call('readEventProofs', given)

    async def read_own_event_proofs(self, **given: Unpack[models.ReadOwnEventProofsInput]) -> models.EventProofs:
        """Prove that your own events are in the log.

        Those of items, the ledger, batches, collections and erasures."""
        return await self._call('readOwnEventProofs', given)

    async def read_consistency_proof(self, **given: Unpack[models.ReadConsistencyProofInput]) -> models.ConsistencyProof:
        """Prove that one checkpoint is the beginning of another."""
        return await self._call('readConsistencyProof', given)

    async def read_checkpoint_key(self, **given: Unpack[models.ReadCheckpointKeyInput]) -> models.ReadCheckpointKeyData:
        """The public keys that prove checkpoints."""
        return await self._call('readCheckpointKey', given)

    async def healthz(self, **given: Unpack[models.HealthzInput]) -> models.HealthzData:
        """Whether the process is alive."""
        return await self._call('healthz', given)

    async def readyz(self, **given: Unpack[models.ReadyzInput]) -> models.ReadyzData:
        """Whether it can serve requests."""
        return await self._call('readyz', given)
