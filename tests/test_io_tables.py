"""Tables as people have them: each is read as what it means, or refused with the way out."""

import io as stdio
import itertools
import re
import warnings

import pytest
from graph_texts import cases, read
from tables import edges

from sparsebc import io
from sparsebc.io.remarks import AmbiguousFile

PLAIN = {"a b": 1, "b c": 1}
CASES = cases("tables")  # title, text, what the caller says, edges


@pytest.mark.parametrize(
    ("text", "told", "want"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
@pytest.mark.parametrize("name", ["edges.csv", "edges.txt"])
def test_a_table_is_read_whatever_its_suffix_is(text, told, want, name):
    assert edges(read(text, name, **told)) == want


@pytest.mark.parametrize("rows", [1, 2])
def test_separators_in_every_quoted_name_divide_no_fields(rows):
    """However many lines have one."""
    for separator, other in itertools.permutations("\t;,| ", 2):
        name = f'x{other}"y'
        quoted = name.replace('"', '""')
        lines = [separator.join((f"a{k}", f'"{quoted}"', "2")) + "\n" for k in range(rows)]
        assert edges(read("".join(lines))) == {f"a{k} {name}": 2 for k in range(rows)}


def test_many_spaces_in_a_name_are_passed_once():
    """Minutes where each is tried."""
    name = f"b{' ' * 10**5}c"
    assert edges(read(f'"a" ,{name}\n"a" ,d\n')) == {f"a {name}": 1, "a d": 1}


LONG = [
    (f"{'0 ' * 104}0\n" * 104 + "x " * 104 + "x\n", {}, "1: 105 columns of numbers, and a row "),
    ("," + ",".join(map(str, range(120))) + "\n"
     + "".join(f"{k - (k == 110)}" + ",0" * 120 + "\n" for k in range(120)), {},
     "1: 121 columns of numbers, and rows with other names: '109' is where '110' is above"),
    ("Source,Target,Type\n" + "b,c,Directed\n" * 121 + "b,c,sideways\n", {},
     "123: type 'sideways'; expected Directed or Undirected"),
    ("u v\n" + "".join(f"a{k} b{k}\n" for k in range(200)) + "v b1\n", {},
     "may be a header, and 'v' is a node as well"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told", "message"), [*cases("refused_tables"), *LONG])
def test_a_table_is_refused_with_the_way_out(text, told, message):
    """With what was found, and the way out."""
    with pytest.raises(ValueError, match=re.escape(message)):
        read(text, "edges.txt", **told)


@pytest.mark.parametrize("header", ["gene_a,gene_b", "x,y", "ProteinA\tProteinB", "gene gene"])
def test_an_unknown_header_is_refused(header):
    """With the titles that are known, and both ways out."""
    separator = re.search(r"\W", header)[0]
    with pytest.raises(AmbiguousFile) as caught:
        read(f"{header}\nTP53{separator}MDM2\nMDM2{separator}MDM4\n")
    for word in (
        f"edges.csv:1: the names {header.split(separator)}, which no other line has",
        "from/to, source/target, protein1/protein2, node1/node2",
        "weight, score, combined_score",
        "source='gene_a', target='gene_b'"
        if header == "gene gene"
        else "source={!r}, target={!r}".format(*header.split(separator)),
        "header=False",
    ):
        assert word in str(caught.value)


def test_every_file_of_scores_is_refused():
    """What this package writes of nodes does not come back as a network."""
    for measures in (["component"], ["closeness", "stress"], ["betweenness", "half_width"]):
        file = stdio.StringIO()
        io.write_scores(file, {measure: [1.0, 2.0] for measure in measures}, ["a", "b"])
        with pytest.raises(ValueError, match="; expected"):
            read(file.getvalue())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("10 9\n9 -3\n123456789012345678901 10\n", ("-3", "9", "10", "123456789012345678901")),
        ("x y\n1 x\n", ("x", "y", "1")),
        *((f"9 8\n{name} 9\n", ("9", "8", name)) for name in "007 1_0 +1 1.0 x -0".split()),
        (f"9 8\n{'9' * 5000} 9\n", ("9", "8", "9" * 5000)),
    ],
)
def test_names_are_in_the_order_of_integers_or_of_appearance(text, names):
    """Integers in ascending order if all are, and written in one way; else as they appear."""
    assert read(text).names == names


@pytest.mark.parametrize(("text", "message"), cases("unread_weights"))
def test_unreadable_weights_that_nobody_looks_at_are_noted(text, message):
    """They are no matter if they are not wanted, and an error if they are."""
    with pytest.warns(io.ReadWarning, match=re.escape(message)):
        assert edges(read(text)) == PLAIN
    assert edges(read(text, weighted=False)) == PLAIN
    with pytest.raises(ValueError, match=re.escape(message.partition(";")[0])):
        read(text, weighted=True)


WGCNA = "fromNode,toNode,weight,direction,fromAltName,toAltName\na,b,0.5,undirected,NA,NA\n"


def test_a_table_of_wgcna_has_edges_without_direction():
    """Edges without direction, and weights that are no lengths."""
    with pytest.warns(io.ReadWarning, match=r"the weights \"WGCNA's weight\" are larger where"):
        found = read(WGCNA, weighted=True)
    assert edges(found) == edges(read(WGCNA)) == {"a b": 0.5, "b a": 0.5}


@pytest.mark.parametrize(("text", "want", "messages"), cases("either"))
def test_what_could_be_either_is_taken_for_one_with_a_note(text, want, messages):
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        assert edges(read(text, "edges.txt")) == want
    assert len(remarks) == len(messages)
    assert all(message in str(one.message) for message, one in zip(messages, remarks, strict=True))


@pytest.mark.parametrize("again", [2, 150])
@pytest.mark.parametrize("titles", ["from,to", "from,to,note", "gene_a,gene_b"])
def test_titles_once_more_among_the_edges_are_noted(titles, again):
    """Files that were put together have the header of the second among the edges."""
    rows = [f"a{k},b{k}{',x' * (titles.count(',') - 1)}" for k in range(200)]
    told = {"source": "gene_a", "target": "gene_b"} if titles.startswith("gene") else {}
    text = "\n".join([titles, *rows[:again], titles, *rows[again:], ""])
    with pytest.warns(io.ReadWarning, match=rf"csv:{again + 2}: the titles \[.* again, taken f"):
        found = read(text, **told)
    assert len(edges(found)) == 201
