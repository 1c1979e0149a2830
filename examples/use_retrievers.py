"""Runs both retrievers against the service at MEDIALOG_URL: their test."""

import asyncio
import os
import sys
from pathlib import Path

from medialog import AsyncMedialog, Medialog

HERE = Path(__file__).parent
QUESTION = "when did the bridge open"


def retriever_of(framework: str):
    sys.path.insert(0, str(HERE / framework))
    from retriever import MedialogRetriever

    sys.path.pop(0)
    del sys.modules["retriever"]
    return MedialogRetriever


async def main() -> None:
    settings = os.environ["MEDIALOG_URL"], os.environ["MEDIALOG_API_KEY"]
    with Medialog(*settings) as client:
        async with AsyncMedialog(*settings) as awaited:
            chain = retriever_of("langchain")(client=client, async_client=awaited, search={"max_results": 1})
            for [document] in (chain.invoke(QUESTION), await chain.ainvoke(QUESTION)):
                assert "1940" in document.page_content and document.metadata["filename"] == "bridge.txt"
            index = retriever_of("llamaindex")(client, awaited, max_results=1)
            for [found] in (index.retrieve(QUESTION), await index.aretrieve(QUESTION)):
                assert "1940" in found.node.get_content() and found.score > 0.1
    print("done")


asyncio.run(main())
