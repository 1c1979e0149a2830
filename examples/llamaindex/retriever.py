# pip install llama-index-core medialog
from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from medialog import AsyncMedialog, Medialog


class MedialogRetriever(BaseRetriever):
    """The passages of stored files that match a query, best first.

    :param async_client: for engines that are awaited; without it those wait, too
    :param search: where to look, how much to give back, and what scores too little: as `client.search` takes it
    """

    def __init__(self, client: Medialog, async_client: AsyncMedialog | None = None, **search: Any) -> None:
        super().__init__()
        self._client = client
        self._async_client = async_client
        self._search: dict[str, Any] = {"collections": "all", "min_score": 0.1, **search}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes(self._client.search(**{**self._search, "query": query_bundle.query_str}))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_client is None:
            return self._retrieve(query_bundle)
        return nodes(await self._async_client.search(**{**self._search, "query": query_bundle.query_str}))


def nodes(found: Any) -> list[NodeWithScore]:
    return [
        NodeWithScore(
            score=result["score"],
            node=TextNode(
                id_=f"{result['media_id']}#{result['passage']['chunk']}",
                text=result["passage"]["text"],
                metadata={
                    "media_id": result["media_id"],
                    "media_type": result["media_type"],
                    "collection": result["collection"],
                    "filename": result["metadata"]["file_info"]["filename"],
                },
            ),
        )
        for result in found["results"]
    ]
