"""A polite crawler over an in-memory web, with a limit on parallel requests."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urljoin, urlsplit

log = logging.getLogger(__name__)

WEB = {
    "http://example.test/": ["/about", "/news", "http://other.test/"],
    "http://example.test/about": ["/", "/team"],
    "http://example.test/news": ["/news/1", "/news/2"],
    "http://example.test/news/1": [],
}


class FetchError(RuntimeError):
    """A page could not be had."""


class Session:
    def __init__(self, *, delay: float = 1e-3, parallel: int = 4):
        self.delay = delay
        self._gate = asyncio.Semaphore(parallel)
        self.requests = 0

    async def __aenter__(self) -> "Session":
        log.debug("session opened")
        return self

    async def __aexit__(self, kind, value, trace) -> bool:
        log.debug("session closed after %d requests", self.requests)
        return False

    async def fetch(self, url: str) -> list[str]:
        async with self._gate:
            self.requests += 1
            await asyncio.sleep(self.delay)
            try:
                return WEB[url]
            except KeyError as error:
                raise FetchError(url) from error


async def retry(action: Callable[[], Awaitable], times: int = 3):
    for attempt in range(times):
        try:
            return await action()
        except FetchError:
            if attempt + 1 == times:
                raise
            await asyncio.sleep(2 ** attempt * 0.000_1)
    else:
        raise AssertionError("times must be at least 1")


async def crawl(session: Session, start: str, depth: int = 2) -> AsyncIterator[tuple[str, int]]:
    seen = {start}
    frontier = [start]
    for level in range(depth + 1):
        pages = await asyncio.gather(
            *(retry(lambda url=url: session.fetch(url)) for url in frontier),
            return_exceptions=True,
        )
        found = []
        for url, links in zip(frontier, pages, strict=True):
            if isinstance(links, FetchError):
                log.warning("gone: %s", url)
                continue
            elif isinstance(links, BaseException):
                raise links
            yield url, level
            found += [urljoin(url, link) for link in links]
        frontier = [u for u in dict.fromkeys(found) if u not in seen and urlsplit(u).netloc == "example.test"]
        seen |= set(frontier)
        if not frontier:
            return


@contextlib.asynccontextmanager
async def stopwatch(name):
    start = time.perf_counter()
    try:
        yield
    finally:
        log.info("%s took %.1f ms", name, (time.perf_counter() - start) * 1000)


async def main() -> None:
    async with Session(parallel=2) as session, stopwatch("crawl"):
        async for url, level in crawl(session, "http://example.test/"):
            print("  " * level + url)
        lengths = {url: len(links) async for url, links in pairs(session) if links}
        names = [url async for url, _ in pairs(session)]
        print(lengths, len(names))
    worker = asyncio.create_task(session.fetch("http://nowhere.test/"))
    with contextlib.suppress(FetchError):
        _ = await worker


async def pairs(session):
    for url in WEB:
        yield url, (await session.fetch(url))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
