"""Pages are complete: nothing that they show or run is loaded from another host."""

import re
from html.parser import HTMLParser
from pathlib import Path

from sphinx.util import logging

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"""(?:@import\s+|url\()\s*['"]?((?:https?:)?//[^'")\s]+)""", re.IGNORECASE)


class Loaded(HTMLParser):
    """Addresses on other hosts that a page loads; where its links lead is another matter."""

    def __init__(self, text):
        super().__init__()
        self.found = IN_STYLES.findall("".join(re.findall(r"<style.*?</style>", text, re.S)))
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Note what a tag loads."""
        address = dict(attributes).get(LOADED.get(tag)) or ""
        kind = dict(attributes).get("rel") or ""
        if ELSEWHERE.match(address) and kind not in ("canonical", "author", "license"):
            self.found.append(address)


def check(app, error):
    """Warn of each address that the pages or their styles load from elsewhere."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for path in sorted(out.rglob("*.html")):
        for address in Loaded(path.read_text("utf-8")).found:
            logging.getLogger(__name__).warning("%s loads %s", path.name, address)
    for path in sorted(out.rglob("*.css")):
        for address in IN_STYLES.findall(path.read_text("utf-8")):
            logging.getLogger(__name__).warning("%s loads %s", path.name, address)


def setup(app):
    """Check when all is written."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
