"""A report parsed without a browser: its tags, texts and Bokeh's document."""

import base64
import gzip
import html
import io
import json
from html.parser import HTMLParser

import numpy as np

from sparsebc import report

# Names and titles that run a script if they are taken for HTML, or break out of their context.
RUN = "document.title='run'"
XSS = (
    f'<img src=x onerror="{RUN}">',
    f"</script><script>{RUN}</script>",
    f"<!--<script>{RUN}</script>",
    f"'\"><svg onload={RUN}>",
    f'<a href="javascript:{RUN}">x</a>',
    f"<%= {RUN} %>",
    "{{ 7 * 7 }}",
    "\u2028</title>\u2029",
)
DTYPES = {"int32": np.int32, "float32": np.float32, "float64": np.float64}


class Page(HTMLParser):
    """Attributes, text by tag, and Bokeh's document of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.texts = [], [], {}
        self.feed(text)
        (document,) = json.loads(html.unescape(self.document)).values()  # as BokehJS reads it
        self.models, self.named = {}, {}
        self.collect(document)

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag not in ("meta", "link"):
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, text):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script" and attributes.get("type") == "application/json":
            self.document = text
        self.texts.setdefault(tag, []).append(text)

    def collect(self, part):
        if isinstance(part, dict):
            if "attributes" in part:
                for name, value in part["attributes"].items():
                    if isinstance(value, dict) and value.get("name") == "PlainText":
                        part["attributes"][name] = value["attributes"]["text"]
                self.named[part["id"]] = part["attributes"]
                self.models.setdefault(part["name"], []).append(part["attributes"])
            part = list(part.values())
        if isinstance(part, list):
            for one in part:
                self.collect(one)

    def columns(self, things="nodes"):
        """Columns of the table of nodes or edges, by key."""
        return self.data(self.source(f"table-{things}"))

    def source(self, table):
        """Name of the source of data that a table shows."""
        (found,) = [one for one in self.models["DataTable"] if one["name"] == table]
        return found["source"]["id"]

    def sources(self, name):
        """Names of the sources of data that a plot draws."""
        (plot,) = [one for one in self.models["Figure"] if one["name"] == name]
        drawn = [self.named[one["id"]] for one in plot["renderers"]]
        return {one["data_source"]["id"] for one in drawn}

    def data(self, source):
        """Columns of a source of data, by key."""
        return {key: array(value) for key, value in self.named[source]["data"]["entries"]}


def reported(*given, **options):
    """The page of a report."""
    file = io.StringIO()
    report(file, *given, **options)
    return Page(file.getvalue())


def array(value):
    """An array as Bokeh writes it."""
    if isinstance(value, dict):
        assert value["order"] == "little"
        value = gzip.decompress(base64.b64decode(value["array"]["data"])), DTYPES[value["dtype"]]
        return np.frombuffer(*value)
    return value if value and isinstance(value[0], list) else np.array(value)
