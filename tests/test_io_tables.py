"""Tables as people have them: each is read as what it means, or refused with the way out."""

import io as stdio
import itertools
import pickle
import re
import warnings

import pytest

from sparsebc import io
from sparsebc.io.columns import AmbiguousFile


def read(content, name="edges.csv", **told):
    """Network of a text."""
    file = stdio.BytesIO(content if isinstance(content, bytes) else content.encode())
    file.name = name
    return io.read(file, **told)


def edges(network):
    """{"source target": weight}."""
    coo, names = network.matrix.tocoo(), network.names
    pairs = zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True)
    return {f"{names[i]} {names[j]}": weight for i, j, weight in pairs}


PATH = {"a b": 0.5, "b c": 2}
PLAIN = {"a b": 1, "b c": 1}
BOTH = {"a b": 0.5, "b a": 0.5, "b c": 2, "c b": 2}
# Text, and what is read without a word from the caller.
LAYOUTS = {
    "Excel in German": ("source;target;weight\r\na;b;0,5\r\nb;c;2\r\n", PATH),
    "semicolons, no header": ("a;b;0,5\nb;c;2,0\n", PATH),
    "semicolons and points": ("source;target;weight\na;b;0.5\nb;c;2\n", PATH),
    "semicolons in names between commas": ("x;y,b\nb,c\n", {"x;y b": 1, "b c": 1}),
    "a comma first": ("a;b;,5\nb;c;2\n", PATH),
    "quoted semicolons": ('"a";"b";"0,5"\n"b";"c";"2"\n', PATH),
    "a comment, no end of the last line": ("# c\na b", {"a b": 1}),
    "a comment of more fields": ("a,b\n#x,y,z\nb,c\n", PLAIN),
    "a comment of as many words": ("# see our paper\na b 0.5\nb c 2\n", PATH),
    "a weight in a comment": ("# x, y, weight\na,b,0.5\nb,c,2\n", PATH),
    "titles in a comment above numbers": (
        "# source, target, year, weight\n1,2,3,4\n2,3,4,5\n", {"1 2": 4, "2 3": 5}),
    "a space first": (" a,b\nb,c\n", PLAIN),
    "bars": ("source|target|weight\na|b|0.5\nb|c|2\n", PATH),
    "bars in names between commas": ("sp|P1|A,sp|P2|B\n", {"sp|P1|A sp|P2|B": 1}),
    "bars in names": ("sp|P1|A sp|P2|B\n", {"sp|P1|A sp|P2|B": 1}),
    "commas in names between tabs": ("x, y\tb\nb\tc, z\n", {"x, y b": 1, "b c, z": 1}),
    "sep=": ("sep=;\nsource;target\na;b\nb;c\n", PLAIN),
    "sep= where commas would do": ("sep=;\na,b;c\nc;a,b\n", {"a,b c": 1, "c a,b": 1}),
    "sep= a tab, with a mark": ("\ufeffsep=\t\r\na\tb\r\nb\tc\r\n", PLAIN),
    "trailing commas": ("a,b,\nb,c,\n", PLAIN),
    "trailing commas below titles": ("source,target,weight,\na,b,0.5,\nb,c,2,\n", PATH),
    "spaces around fields": ("a , b , 0.5\nb,c  ,2\n", PATH),
    "R, row names": ('"","from","to","weight"\n"1","a","b",0.5\n"2","b","c",2\n', PATH),
    "R, write.table": ('"from" "to" "weight"\n"1" "a" "b" 0.5\n"2" "b" "c" 2\n', PATH),
    "R, no weight": ('"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n', PLAIN),
    "R, letters": ('"u" "v"\n"1" "a" "b"\n"2" "b" "c"\n', PLAIN),
    "R, write.csv2": ('"";"from";"to";"weight"\n"1";"a";"b";0,5\n"2";"b";"c";2\n', PATH),
    "pandas": ("Unnamed: 0,SOURCE,Target,Weight\n0,a,b,0.5\n1,b,c,2.0\n", PATH),
    "SNAP": ("# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n7\t8\n8\t9\n", {"7 8": 1, "8 9": 1}),
    "netzschleuder": ("# source, target, weight\na, b, 0.5\nb, c, 2\n", PATH),
    "KONECT": ("% sym unweighted\n% 2 3 3\n1 2 \n2 3 \n", {"1 2": 1, "2 3": 1}),
    "KONECT with a time": ("% sym positive\n1 2\t5\t99\n2 3\t4\t98\n", {"1 2": 5, "2 3": 4}),
    "KONECT, tabs and spaces": ("% sym\n1 2\t5\n2 3\t4\n", {"1 2": 5, "2 3": 4}),
    "Gephi": (
        "Source,Target,Type,Id,Label,timeset,Weight\na,b,Undirected,0,,,0.5\nb,c,Directed,1,,,2\n",
        {"a b": 0.5, "b a": 0.5, "b c": 2}),
    "Gephi, titles in a comment": ("# source,target,type\na,b,Undirected\n", {"a b": 1, "b a": 1}),
    "Gephi, undirected": (
        "Source;Target;Type;Id;Weight\na;b;Undirected;0;0.5\nb;c;Undirected;1;2\n",
        BOTH),
    "a type of another kind": ("source,target,type\na,b,pp\nb,c,pd\n", PLAIN),
    "OSM": ('u,v,key,osmid,length\na,b,0,"[1, 2]",0.5\nb,c,0,7,2\n', PATH),
    "OSM, parallel streets": ("u,v,key,length\na,b,0,3\na,b,1,0.5\nb,c,0,2\na,b,2,1\n", PATH),
    "letters": ("u,v\na,b\nb,c\n", PLAIN),
    "src and dst": ("src,dst\na,b\nb,c\n", PLAIN),
    "from_node": ("from_node,to_node,LENGTH\na,b,0.5\nb,c,2\n", PATH),
    "UTF-16": ("source,target\nÅ,b\nb,Ç\n".encode("utf-16"), {"Å b": 1, "b Ç": 1}),
    "UTF-16, big endian": ("\ufeffÅ,b\nb,Ç\n".encode("utf-16-be"), {"Å b": 1, "b Ç": 1}),
    "UTF-8 with a mark": ("\ufeffÅ,b\nb,Ç\n", {"Å b": 1, "b Ç": 1}),
    "matrix with names": (",a,b,c\na,0,0.5,0\nb,0.5,0,2\nc,0,2,0\n", BOTH),
    "matrix with numbers for names": (",7,8\n7,0,1\n8,1,0\n", {"7 8": 1, "8 7": 1}),
    "matrix of pandas with holes": (",a,b,c\na,,0.5,\nb,0.5,,2.0\nc,,2.0,\n", BOTH),
    "matrix of R": ('"a" "b" "c"\n"a" 0 0.5 0\n"b" 0.5 0 2\n"c" 0 2 0\n', BOTH),
    "matrix of R with numbers for names": (
        "1 2 3\n1 0 0.5 0\n2 0 0 2\n3 0 0 0\n", {"1 2": 0.5, "2 3": 2}),
    "matrix with a corner": ("node,7,8\n7,2,3\n8,0,0\n", {"7 7": 2, "7 8": 3}),
    "matrix that is symmetric": ("2 1 0 0\n1 0 0 0\n0 0 0 0\n0 0 0 0\n",
        {"1 1": 2, "1 2": 1, "2 1": 1}),
    "matrix of 0 and 1": ("1 1 0 0\n0 0 1 0\n0 0 0 0\n0 0 0 0\n",
        {"1 1": 1, "1 2": 1, "2 3": 1}),
    "matrix with semicolons": (";a;b;c\na;0;0,5;0\nb;0,5;0;2\nc;0;2;0\n", BOTH),
    "nodes that are called like titles": (",u,v\nu,0,1\nv,0,0\n", {"u v": 1}),
    "matrix of numbers": ("0 3 0 0\n0 0 4 0\n0 0 0 5\n0 0 0 0\n", {"1 2": 3, "2 3": 4, "3 4": 5}),
    "a triangle is no matrix": ("1 2 1\n2 3 1\n3 1 1\n", {"1 2": 1, "2 3": 1, "3 1": 1}),
    "aligned": ("  a   b  0.5 \n  b   c  2   \n", PATH),
    "no end of the last line": ("a,b,0.5\nb,c,2", PATH),
    "Windows": ("\ufefffrom,to,weight\r\na,b,0.5\r\nb,c,2\r\n", PATH),
    "comments of SNAP and KONECT": ('# SNAP\n% KONECT\na b 0.5\n# "\nb c 2\n', PATH),
    "STRING": ("protein1 protein2 combined_score\na b 0.5\nb c 2\n", PATH),
    "STRING, in full": ("protein1 protein2 textmining combined_score\na b 9 0.5\nb c 9 2\n", PATH),
    "Cytoscape": ("Source\tTarget\tType\tDistance\na\tb\tpp\t0.5\nb\tc\tpp\t2\n", PATH),
    "an unknown title of numbers": ("node1,node2,value\na,b,0.5\nb,c,2\n", PATH),
    "target and source": ("to,from,value\nb,a,0.5\nc,b,2\n", PATH),
    "repeats": ("a,b,0.5\nb,c,2\na,b,0.5\na,b,5e-1\n", PATH),
    "zeros and loops": ("a a 3\na b 0\n", {"a a": 3, "a b": 0}),
    "quotes before spaces": ('"a" , "b" , 0.5\n"b" , c , "2"\n', PATH),
    "spaces beside quotes": ('source ;target;weight\nb ;"c";2\n"a";b ; 0.5\n', PATH),
    "inches": ('5" pipe , 6" pipe , 2\n"x , y" , z , 1\n', {'5" pipe 6" pipe': 2, "x , y z": 1}),
    "a tab in quotes": ('a,"b\tc"\nb,"b\tc"\n', {"a b\tc": 1, "b b\tc": 1}),
    "quotes after spaces": ("\"a\", \"b\", 0.5\nb, c, 2\n", PATH),
    "quotes": ('"#a, ""b""",%c,1\n" d ",1\te,2\n', {'#a, "b" %c': 1, " d  1\te": 2}),
    "names that come again": ("a,b\nc,a\n", {"a b": 1, "c a": 1}),
    "numbers are no titles": ("7,8\n1,2\n", {"7 8": 1, "1 2": 1}),
    "a number is no title": ("007,x\n1,2\n", {"007 x": 1, "1 2": 1}),
    "nor that of a weight": ("a,b,1\nc,d,2\n", {"a b": 1, "c d": 2}),
}  # fmt: skip


@pytest.mark.parametrize("case", LAYOUTS)
@pytest.mark.parametrize("name", ["edges.csv", "edges.txt"])
def test_layouts(case, name):
    """Whatever the suffix is."""
    text, want = LAYOUTS[case]
    assert edges(read(text, name)) == want


@pytest.mark.parametrize("rows", [1, 2])
def test_separators_in_every_quoted_name(rows):
    """They divide no fields, however many lines have one."""
    for separator, other in itertools.permutations("\t;,| ", 2):
        name = f'x{other}"y'
        quoted = name.replace('"', '""')
        lines = [separator.join((f"a{k}", f'"{quoted}"', "2")) + "\n" for k in range(rows)]
        assert edges(read("".join(lines))) == {f"a{k} {name}": 2 for k in range(rows)}


def test_many_spaces_in_a_name():
    """They are passed once: minutes where each is tried."""
    name = f"b{' ' * 10**5}c"
    assert edges(read(f'"a" ,{name}\n"a" ,d\n')) == {f"a {name}": 1, "a d": 1}


TOLD = {
    "by title in any case": ("Quelle;Ziel;Gewicht\na;b;0,5\nb;c;2\n",
        {"source": "quelle", "target": "ZIEL", "weight": "Gewicht"}, PATH),
    "by number": ("1 a b 0.5 x\n2 b c 2 y\n", {"source": 2, "target": 3, "weight": 4}, PATH),
    "by number, names alone": ("a b 0.5\nb c 2\n", {"source": 1, "target": 2, "weight": 3}, PATH),
    "by number below known titles": ("source target weight\na b 0.5\nb c 2\n",
        {"source": 1, "target": 2}, PATH),
    "by number below a known weight": ("x y weight\na b 0.5\nb c 2\n",
        {"source": 1, "target": 2, "header": True, "weighted": True}, PATH),
    "by number, names as titles": ("i weight 0.5\nj k 2\n",
        {"source": 1, "target": 2, "weight": 3, "header": False}, {"i weight": 0.5, "j k": 2}),
    "Gephi by number": ("Source,Target,Type,Weight\na,b,Undirected,0.5\nb,c,undirected,2\n",
        {"source": 1, "target": 2}, BOTH),
    "by number as text": ("1 2 100\n2 3 101\n", {"source": "1", "target": "2"},
        {"1 2": 1, "2 3": 1}),
    "by number below titles": ("x,y,z\na,b,0.5\nb,c,2\n", {"source": 1, "target": 2, "weight": 3},
        PATH),
    "by number below two titles": ("x,y\na,b\nb,c\n", {"source": 1, "target": 2, "header": True},
        PLAIN),
    "by number and no header": ("a,b,0.5,x\nb,c,2,y\n",
        {"source": 1, "target": 2, "weight": 3, "header": False}, PATH),
    "KONECT with times": ("% sym\n1 2\t5\t1082040961\n2 3\t4\t1082155839\n",
        {"source": 1, "target": 2, "weight": 3}, {"1 2": 5, "2 3": 4}),
    "SIF": ("a pp b\nb pd c\n", {"source": 1, "target": 3}, PLAIN),
    "lines of any length": ("a b\nb c 1 2 3\n", {"source": 1, "target": 2}, PLAIN),
    "BioGRID": ("#ID\tSymbol A\tSymbol B\tScore\n1\ta\tb\t0.5\n2\tb\tc\t2\n",
        {"source": "Symbol A", "target": "Symbol B"}, PATH),
    "BioGRID with its sign": ("#Symbol A\tID\tSymbol B\tScore\na\t1\tb\t0.5\nb\t2\tc\t2\n",
        {"source": "#Symbol A", "target": "Symbol B"}, PATH),
    "BioGRID by number": ("#ID\tSymbol A\tSymbol B\tScore\n1\ta\tb\t0.5\n2\tb\tc\t2\n",
        {"source": 2, "target": 3, "weight": 4}, PATH),
    "separator": ("a;b,x;b\nb;c,y;c\n", {"separator": ",", "header": False},
        {"a;b x;b": 1, "b;c y;c": 1}),
    "commas between semicolons": ("x,y;b\nb;c,z\n", {"separator": ";"}, {"x,y b": 1, "b c,z": 1}),
    "decimal comma between spaces": ("a b 0,5\nb c 2,0\n", {"decimal": ","}, PATH),
    "decimal comma between tabs": ("a\tb\t0,5\nb\tc\t2\n", {"decimal": ","}, PATH),
    "decimal comma between bars": ("a|b|0,5\nb|c|2,0\n", {"decimal": ","}, PATH),
    "commas between bars": ("0|,|0.0\n", {"separator": "|"}, {"0 ,": 0}),
    "a number for a title": ("u v 0\na b 0.5\nb c 2\n", {"source": "u", "target": "v"}, PATH),
    "no number for a title": ("i j 1\nj k 2\n", {"header": False}, {"i j": 1, "j k": 2}),
    "titles in a comment": ("# i;j\n1;2\n2;3\n", {"source": 1, "target": 2, "header": True},
        {"1 2": 1, "2 3": 1}),
    "a short title": ("edges\na,b\nb,c\n",
        {"source": 1, "target": 2, "header": True, "separator": ","}, PLAIN),
    "comments of another kind": ("// x\na,b\n//b,x\nb,c\n", {"comment": "//"}, PLAIN),
    "no comments": ("#a,b\nb,#c\n", {"comment": ""}, {"#a b": 1, "b #c": 1}),
    "commented edges": ("a,b\n#b,x\nb,c\n", {"comment": "#"}, PLAIN),
    "a told comment of as many fields": ("#x,y,z\na,b,0.5\nb,c,2\n", {"comment": "#"}, PATH),
    "Latin-1": (b"\xc5,b\nb,\xc7\n", {"encoding": "latin-1"}, {"Å b": 1, "b Ç": 1}),
    "UTF-16 without a mark": (b"a\x00,\x00b\x00\n\x00b\x00,\x00c\x00\n\x00",
        {"encoding": "utf-16-le"}, PLAIN),
    "weights that are not wanted": ("a,b,x\nb,c,y\n", {"header": False, "weighted": False}, PLAIN),
    "titles of two": ("gene_a,gene_b\na,b\nb,c\n", {"source": "gene_a", "target": "gene_b"}, PLAIN),
    "the other way": ("gene_a,gene_b\na,b\nb,c\n", {"source": "gene_b", "target": "gene_a"},
        {"b a": 1, "c b": 1}),
    "no titles": ("x,y\na,b\n", {"header": False}, {"x y": 1, "a b": 1}),
    "a known weight": ("Gene A,Gene B,method,score,p\na,b,y2h,0.5,7\nb,c,ms,2,9\n",
        {"source": "Gene A", "target": "Gene B"}, PATH),
    "another weight": ("Gene A,Gene B,method,score,p\na,b,y2h,0.5,7\nb,c,ms,2,9\n",
        {"source": "Gene A", "target": "Gene B", "weight": "p"}, {"a b": 7, "b c": 9}),
    "no known weight": ("Gene A,Gene B,method,s,p\na,b,y2h,0.5,7\nb,c,ms,2,9\n",
        {"source": "Gene A", "target": "Gene B"}, PLAIN),
    "another weight of known ends": ("from,to,method,score,p\na,b,y2h,0.5,7\nb,c,ms,2,9\n",
        {"weight": "p"}, {"a b": 7, "b c": 9}),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_layouts_that_are_told(case):
    """By what the caller says."""
    text, told, want = TOLD[case]
    assert edges(read(text, **told)) == want


REFUSED = [
    ("0 0 1 3.5\n1 1 2 2\n2 2 3 4\n3 0 3 9\n", {}, "source='gene_a', target='gene_b'"),
    ("Quelle;Ziel;Gewicht\na;b;0,5\nb;c;2\n", {}, "an unknown header ['Quelle',"),
    ("#ID\tGene A\tGene B\n1\t2\t3\n4\t5\t6\n", {}, "3 columns ['ID', 'Gene A'"),
    ("source,target,source\na,b,c\n", {}, "2 columns 'source'; expected one of"),
    ("source,target\na,b,0.5\nb,c,2\n", {}, "1: 2 titles above 3 columns; expected a"),
    *((f"{first}\nb c 2\n", told, f"1: a header or an edge {first.split()}; expected titles in w")
      for first in ("u v 1", "i j 7", "from to 0", "0 source target")
      for told in ({}, {"source": 1, "target": 2})),
    ("a weight 5\nb c 2\n", {"source": 1, "target": 2, "weighted": True}, "the columns are []"),
    ("u v\nv w\n", {"source": 1, "target": 2}, "may be a header, and 'v' is a node as well"),
    (f"{'0 ' * 104}0\n" * 104 + "x " * 104 + "x\n", {}, "1: 105 columns of numbers, and a row "),
    ("1 2 3\n2 3\n3 1\n", {}, "2: lines of 2 to 3 columns, here ['2', '3']; expected source"),
    ("from to\n1 2 0.5\n2 3 2\n", {}, "1: 2 titles above 3 columns; expected a title for each"),
    ("from to weight\nx a b 0.5\ny b c 2\n", {}, "1: 3 titles above 4 columns; expected a title"),
    ("a,b\nb,c\n", {"source": 1, "target": 1}, "'1' for both ends"),
    ("a,b\nb,c\n", {"source": 1, "target": 7}, "column 7; expected a number from"),
    (b"a,b\n\xc5,b\n", {}, "2: the byte 0xc5, which is not UTF-8; expected"),
    (b"a,b\n\x00\x01,b\n", {}, "2: a NUL byte, as in binary files and UTF-16; expected text"),
    ("a,b\n", {"encoding": "klingon"}, "got 'klingon'"),
    (b"a,b\n\x81\n", {"encoding": "cp1252"}, "text in the encoding cp1252"),
    ("a,b\n", {"encoding": "zlib"}, "got 'zlib'"),
    *(("a,b\n", {"separator": mark}, f"separator must be one character, got {mark!r}")
      for mark in (";;", "", '"', "\r", "\n")),
    ("a,b\n", {"decimal": ";"}, "decimal must be '.' or ',', got ';'"),
    ("a,b\n", {"separator": ",", "decimal": ","}, "contradict each other"),
    ("a,b\n", {"weight": "w", "weighted": False}, "leave out either"),
    ("s;t\n", {"weighted": True}, "no weight"),
    ("source;target;weight\na;b;1.234,5\nb;c;2\n", {"weighted": True},
     "2: weight '1.234,5'; expected a number"),
    ("source;target;weight\na;b;0,5\nb;c;1.234\n", {"weighted": True},
     "3: weight '1.234'; expected a number"),
    ("source\ttarget\tweight\na\tb\t0,5\n", {"weighted": True},
     "weight '0,5'; expected a number, or decimal=',' where a comma is the decimal point"),
    ("a b 0,5\nb c 2,5\n", {"weighted": True},
     "1: weight '0,5'; expected a number, or decimal=','"),
    ("a;0,5;1\nb;1,5;2\n", {}, "semicolons and commas occur equally often in"),
    ("a,b\n" * 101 + "b,c,d\n", {}, "102: 3 columns; expected 2 as in the first line"),
    ("0 3 1 0\n0 0 4 0\n0 0 0 5\n", {}, "1: 4 columns of numbers, and 3 rows; expected an adj"),
    ("," + ",".join(map(str, range(120))) + "\n"
     + "".join(f"{k - (k == 110)}" + ",0" * 120 + "\n" for k in range(120)), {},
     "1: 121 columns of numbers, and rows with other names: '109' is where '110' is above"),
    ("a|b,c\nd|e,f\n", {}, "commas and bars occur equally often in all"),
    ("x,y;b\nb;c,z\n", {}, "semicolons and commas occur equally often in"),
    ("0|,|0.0\n", {}, "commas and bars occur equally often in all lines; expected one sep"),
    ("#a,#b\n#b,c\nc,a\n", {}, "'#a,#b' begins as a comment does"),
    ("#a,#b\n#b,#c\n", {}, "or comment='' where such lines are edges"),
    ("#x.py\n# GMT Tue\n#\n0 1 2\n1 2 3\n", {}, "an adjacency list, which is not read"),
    ("0 1 2 3\n1 2\n2\n", {}, "2: lines of 1 to 4 columns, here ['1', '2']"),
    ("a,b,c\n0,1,0\n1,0,1\n0,1,0\n", {}, "an unknown header ['a', 'b', 'c']"),
    (",a,b,c\na,0,1,0\nb,1,0,1\n", {}, "1: 4 columns of numbers, and 2 rows; expected an adj"),
    ("0 3 1 0\n0 2 4 0\n0 0 0 5\n0 0 0 0\n", {}, "symmetric, with a zero diagonal, or of 0 and"),
    (",a,b\na,0,1\nx,1,0\n", {}, "rows with other names: 'x' is where 'b' is above"),
    ("Source,Target,Type\n" + "b,c,Directed\n" * 121 + "b,c,sideways\n", {},
     "123: type 'sideways'; expected Directed or Undirected"),
    ("Source,Target,Type\na,b,Mutual\nb,c,Directed\n", {},
     "2: type 'Mutual'; expected Directed or Undirected"),
    ("Source,Target,Type\na,b,Undirected\nb,c,\n", {}, "3: type ''; expected Directed or Und"),
    ("u v\nv w\n", {}, "may be a header, and 'v' is a node as well"),
    ("u v\n" + "".join(f"a{k} b{k}\n" for k in range(200)) + "v b1\n", {},
     "may be a header, and 'v' is a node as well"),
    ("source,target\na,b\n", {"weighted": True}, "s are ['source', 'target']"),
    ("a,b\nb,c\n", {"weighted": True}, "2 columns and no weight"),
    ("", {}, "1: no data; expected one edge a line"),
    ("# a\n# b\n", {}, "2: comments and no data; expected one edge a line, or comm"),
    ("from,to\n", {}, "1: a header and no edge"),
    ("a\nb\n", {}, "1: 1 columns ['a']; expected source, target"),
    ("a b 1 2\n", {}, "1: 4 columns ['a', 'b', '1', '2']; expected source, target"),
    ("x,y,z,weight\n", {}, "1: 4 columns ['x', 'y', 'z', 'weight']; expected"),
    ("x,y,z,w\n", {}, "from/to, source/target, protein1/protein2, node1/node2 and"),
    ("x,y,z,w\n", {}, "one of weight, score, combined_score, distance, length"),
    ("from,to,source,target,weight\n", {}, "1: 5 columns"),
    ("from to weight\na b 1\nb\n", {}, "3: 1 columns; expected 3 as in the first"),
    ("a,b\n#\nb,c,1,4\n", {}, "3: lines of 2 to 4 columns, here ['b', 'c', '1', '4']"),
    ("x y z\na b 1\n", {}, "1: an unknown header ['x', 'y', 'z'], or three"),
    ("a,b\n#\nb,\n", {}, "3: an empty name; expected a name for both nodes"),
    ("x y\n1 2\n", {}, "1: the names ['x', 'y'], which no other line has: a"),
    ('a b\nb "c\nd e\n', {}, "2: an unpaired quote; expected quoted fields that"),
    ('a b\n"b"x" c"\n', {}, "2: an unpaired quote; expected quoted fields that"),
    ("a,b\nb,c\n", {"source": "a"}, "source='a' and target=None: give both"),
    ("a,b\nb,c\n", {"source": "a", "target": "x"}, "1: no column 'x'; expected one"),
    ("a,a\nb,c\n", {"source": "a", "target": "a"}, "1: 2 columns 'a'; expected one"),
    ("a,b\nb,c\n", {"header": False, "weight": "w"}, "header=False leaves no titles"),
    ("a,b,c\nb,c,1\n", {"header": True}, "1: 3 columns ['a', 'b', 'c']; expected source"),
    ("a,b,c\nb,c,1\n", {"header": False, "weighted": True}, "1: weight 'c'; expected a number"),
    ("from,to,score,weight\na,b,1,2\n", {"weighted": True},
     "columns ['score', 'weight'] all may be weights"),
    ("a,b,score,weight\na,b,1,2\n", {"source": "a", "target": "b", "weighted": True},
     "all may be weights; expected one, or the columns, by title"),
    ("a pp b\nb pd c\n", {}, "three columns of words, as in SIF (node, relation, node)"),
    ("node,betweenness\na,1\nb,0\n", {}, "1: the names ['node', 'betweenness'], which no"),
    ("from to weight\na b 1\nb c 1\na b 2\n", {"weighted": True},
     "4: weight 2.0 for an edge that has weight 1.0 at edges.txt:2; expected one weight"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told", "message"), REFUSED)
def test_what_is_refused(text, told, message):
    """With what was found, and the way out."""
    with pytest.raises(ValueError, match=re.escape(message)):
        read(text, "edges.txt", **told)


@pytest.mark.parametrize("header", ["gene_a,gene_b", "x,y", "ProteinA\tProteinB", "gene gene"])
def test_an_unknown_header_is_refused(header):
    """With the titles that are known, and both ways out; the error can be pickled."""
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
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (AmbiguousFile, str(caught.value))


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
def test_order_of_names(text, names):
    """Integers in ascending order if all are, and written in one way; else as they appear."""
    assert read(text).names == names


REMARKS = [
    ("source,target,weight\na,b,1\nb,c,NA\n", "3: weight 'NA'; expected a number: the w"),
    ("a b 1\nb c\n", "2: weight ''; expected a number: the weights are ignored"),
    ("source,target,weight\na,b,high\nb,c,low\n", "2: weight 'high'"),
    ("a b 2004-04-15\nb c 2004-04-16\n", "1: weight '2004-04-15'"),
    ("a,b,12:30\nb,c,12:40\n", "1: weight '12:30'"),
    ("a b 7\nb c 8\na b 9\n", "3: weight 9.0 for an edge that has weight 7.0"),
    ("source,target,weight,score\na,b,1,2\nb,c,1,2\n", "all may be weights"),
    ("a,b,1\nb,c,nan\n", "2: weight nan"),
    ("a b\nb c 1\n", "1: weight ''; expected a number: the weights are ignored"),
    ("a,b,1\nb,c,\n", "2: weight ''"),
    ("a b 1\n\nb c -inf\n", "3: weight -inf; expected a finite number: the w"),
    ("a b 1e999\nb c 1\n", "1: weight inf"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REMARKS)
def test_weights_that_nobody_looks_at(text, message):
    """Are left out with a word, are no matter if they are not wanted, and an error if they are."""
    with pytest.warns(io.ReadWarning, match=re.escape(message)):
        assert edges(read(text)) == PLAIN
    assert edges(read(text, weighted=False)) == PLAIN
    with pytest.raises(ValueError, match=re.escape(message.partition(";")[0])):
        read(text, weighted=True)


WGCNA = "fromNode,toNode,weight,direction,fromAltName,toAltName\na,b,0.5,undirected,NA,NA\n"


def test_a_table_of_wgcna():
    """Edges without direction, and weights that are no lengths."""
    with pytest.warns(io.ReadWarning, match=r"the weights \"WGCNA's weight\" are larger where"):
        found = read(WGCNA, weighted=True)
    assert edges(found) == edges(read(WGCNA)) == {"a b": 0.5, "b a": 0.5}


MATRIX = "0 1 0\n1 0 1\n0 1 0\n"
BOTH_WAYS = {"1 2": 1, "2 1": 1, "2 3": 1, "3 2": 1}
# Text, what is read, and each remark.
TAKEN = [
    ("source,target\n#me,#up\n#up,news\n# the rest\nnews,%vote\n%x\nnews,#me\n",
     {"#me #up": 1, "#up news": 1, "news %vote": 1, "news #me": 1},
     "2: begins with # or % and is taken for an edge; 1 more such lines could be either; the "
     "option comment sets the prefix"),
    ("a,b,0.5\n#x,y,z\nb,c,2\n", PATH, "2: begins with # or % and is taken for a comment"),
    ("a b\n#b a\n", {"a b": 1, "#b a": 1}, "2: begins with # or % and is taken for an edge"),
    ("# x\n% y z\na b\n# c d\n# e\n#\nb c\n", PLAIN),  # a mark that stands by itself begins one
    (MATRIX, BOTH_WAYS, "3 lines of 3 numbers are taken for an adjacency matrix"),
    ("from,to\n99999,1e+05\n100000,100001\n", {"99999 1e+05": 1, "100000 100001": 1},
     "'1e+05' and '100000' are equal numbers"),
    ("7.0 8\n7 x\n", {"7.0 8": 1, "7 x": 1}, "'7.0' and '7' are equal numbers"),
    ("007 8\n7 x\n", {"007 8": 1, "7 x": 1}, "'007' and '7' are equal numbers"),
    ("7.0 8.5\n9 x\n", {"7.0 8.5": 1, "9 x": 1}),
    ("from,to,value\na,b,1\nb,c\n", PLAIN, "3: weight ''; expected a number"),
    ("from,to\nfrom,to\n", {"from to": 1}, "2: the titles ['from', 'to'] again"),
]  # fmt: skip


@pytest.mark.parametrize("case", TAKEN, ids=range(len(TAKEN)))
def test_what_could_be_either(case):
    """Is taken for one, with a word."""
    text, want, *messages = case
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        assert edges(read(text, "edges.txt")) == want
    assert len(remarks) == len(messages)
    assert all(message in str(one.message) for message, one in zip(messages, remarks, strict=True))


def test_a_matrix_that_is_told_to_be_edges():
    assert edges(read(MATRIX, source=1, target=2)) == {"0 1": 1, "1 0": 1}


@pytest.mark.parametrize("again", [2, 150])
@pytest.mark.parametrize("titles", ["from,to", "from,to,note", "gene_a,gene_b"])
def test_titles_once_more(titles, again):
    """Files that were put together have the header of the second among the edges."""
    rows = [f"a{k},b{k}{',x' * (titles.count(',') - 1)}" for k in range(200)]
    told = {"source": "gene_a", "target": "gene_b"} if titles.startswith("gene") else {}
    text = "\n".join([titles, *rows[:again], titles, *rows[again:], ""])
    with pytest.warns(io.ReadWarning, match=rf"csv:{again + 2}: the titles \[.* again, taken f"):
        found = read(text, **told)
    assert len(edges(found)) == 201
