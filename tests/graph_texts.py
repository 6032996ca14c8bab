"""Short graph files in all formats, and what `io.read` returns for them.

``data/files`` has tables of files: a line each, with what is read of it or said about it.
"""

import io as stdio
import json
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse

from sparsebc import io
from sparsebc.io.columns import ReadWarning

BANNER = "%%MatrixMarket matrix coordinate "


def cases(name):
    """Cases of a table in ``data/files``; {"bytes": text} has a byte a character."""
    rows = json.loads(
        (Path(__file__).parent / "data" / "files" / f"{name}.json").read_text("utf-8")
    )
    return [[_bytes(cell) for cell in row] for row in rows]


def _bytes(cell):
    is_bytes = isinstance(cell, dict) and "bytes" in cell
    return cell["bytes"].encode("latin-1") if is_bytes else cell


def read(content, name="edges.csv", **told):
    """Network of a text."""
    file = stdio.BytesIO(content if isinstance(content, bytes) else content.encode())
    file.name = name
    return io.read(file, **told)


def edges(network):
    """{(source name, target name): weight} of the stored entries."""
    coo = network.matrix.tocoo()
    names = network.names
    pairs = [(names[i], names[j]) for i, j in zip(coo.row, coo.col, strict=True)]
    return dict(zip(pairs, coo.data.tolist(), strict=True))


def assert_canonical(network):
    matrix = network.matrix
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert matrix.has_canonical_format
    assert matrix.shape == (len(network.names),) * 2
    assert matrix.indices.dtype == np.int32
    matrix.check_format(full_check=True)


def noted(name, content, **told):
    """Network of a text under a name, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReadWarning)
        network = read(content, name, **told)
    assert_canonical(network)
    return network, [str(warning.message) for warning in caught]


def ties(text):
    """Edges of a text such as "a>b a-b:2.5": ``>`` directed, ``-`` in both directions."""
    found = {}
    for word in text.split():
        pair, _, weight = word.partition(":")
        tail, head = pair.replace("-", ">").split(">")
        found[tail, head] = float(weight or 1)
        if "-" in pair:
            found[head, tail] = found[tail, head]
    return found


def pajek(*lines, vertices="abcd"):
    """A Pajek file of labelled vertices and further lines."""
    labels = [f'{k} "{label}"' for k, label in enumerate(vertices, 1)]
    return "\n".join([f"*Vertices {len(vertices)}", *labels, *lines]) + "\n"


def gml(*edges, nodes="abc", above=""):
    """A GML file of labelled nodes from 0 on, and edges by their attributes."""
    listed = [f'node [ id {k} label "{label}" ]' for k, label in enumerate(nodes)]
    listed += [f"edge [ source {edge} ]" for edge in edges]
    return "graph [\n" + above + "\n".join(listed) + "\n]\n"


GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def graphml(*edges, keys="", default="undirected", nodes="abc", within=""):
    """A GraphML file: nodes by letters, edges as "ab" or ("ab", attributes, content)."""
    listed = [f'<node id="{node}"/>' for node in nodes]
    for ends, *rest in (edge if isinstance(edge, tuple) else (edge,) for edge in edges):
        attributes, data = (*rest, "", "")[:2]
        listed.append(f'<edge source="{ends[0]}" target="{ends[1]}" {attributes}>{data}</edge>')
    graph = f'<graph edgedefault="{default}">{"".join(listed)}{within}</graph>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{GRAPHML}{keys}{graph}</graphml>'


def key(title, default=None, what="edge"):
    """A GraphML key with id k."""
    inner = "" if default is None else f"<default>{default}</default>"
    return f'<key id="k" for="{what}" attr.name="{title}" attr.type="string">{inner}</key>'


def data(value):
    """A GraphML value of key k."""
    return f'<data key="k">{value}</data>'


def gexf(edges, default="undirected", more="", nodes="abc"):
    """A GEXF file."""
    listed = "".join(f'<node id="{k}" label="{label}"/>' for k, label in enumerate(nodes))
    return (
        f'<?xml version="1.0"?><gexf xmlns="http://gexf.net/1.3" version="1.3"><graph '
        f'defaultedgetype="{default}">{more}<nodes>{listed}</nodes><edges>{edges}</edges></graph>'
        "</gexf>"
    )
