"""Numbers of files are spelt in ASCII: what else Python takes for a number is refused."""

import pytest

from sparsebc import io, temporal

STRANGE = ["1_0", "1_000.5", "٣", "1٣", "1e1_0", "\uff13", "\u22121"]
DOORS = {
    "comma.csv": ("source,target,weight\n1,2,1\n2,3,{}\n", "weight"),
    "decimal.csv": ("source;target;weight\n1;2;1,5\n2;3;{}\n", "weight"),
    "names.csv": ('source,target,weight\n"a, b",c,1\nc,d,{}\n', "weight"),
    "a.net": ("*Vertices 2\n*Matrix\n0 1\n{} 0\n", "number"),
    "a.gr": ("p sp 2 1\na 1 2 {}\n", "length"),
    "a.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
        'attr.name="weight" attr.type="double"/><graph edgedefault="directed"><node id="a"/>'
        '<edge source="a" target="a"><data key="w">{}</data></edge></graph></graphml>',
        "weight",
    ),
}


@pytest.mark.parametrize("spelling", STRANGE)
@pytest.mark.parametrize("name", DOORS)
def test_weights_that_are_not_spelt_in_ascii_are_refused(tmp_path, name, spelling):
    content, expected = DOORS[name]
    (tmp_path / name).write_text(content.format("2"), encoding="utf-8")
    assert io.read(tmp_path / name, weighted=True).matrix.nnz
    (tmp_path / name).write_text(content.format(spelling), encoding="utf-8")
    with pytest.raises(ValueError, match=expected):
        io.read(tmp_path / name, weighted=True)


@pytest.mark.parametrize("spelling", STRANGE)
def test_times_that_are_not_spelt_in_ascii_are_refused(tmp_path, spelling):
    (tmp_path / "contacts.csv").write_text(f"source,target,time\na,b,{spelling}\n", "utf-8")
    with pytest.raises(ValueError, match="time"):
        temporal.read(tmp_path / "contacts.csv")
