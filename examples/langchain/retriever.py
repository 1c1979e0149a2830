# pip install langchain-core medialog
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from medialog import AsyncMedialog, Medialog
from pydantic import ConfigDict


class MedialogRetriever(BaseRetriever):
    """The passages of stored files that match a query, best first."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Medialog
    #: For chains that are awaited; without it those wait, too.
    async_client: AsyncMedialog | None = None
    #: Where to look, how much to give back, and what scores too little: as `client.search` takes it.
    search: dict[str, Any] = {}

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return documents(self.client.search(**self._given(query)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_client is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        return documents(await self.async_client.search(**self._given(query)))

    def _given(self, query: str) -> Any:
        return {"collections": "all", "min_score": 0.1, **self.search, "query": query}


def documents(found: Any) -> list[Document]:
    return [
        Document(
            id=f"{result['media_id']}#{result['passage']['chunk']}",
            page_content=result["passage"]["text"],
            metadata={
                "media_id": result["media_id"],
                "media_type": result["media_type"],
                "collection": result["collection"],
                "score": result["score"],
                "filename": result["metadata"]["file_info"]["filename"],
            },
        )
        for result in found["results"]
    ]
