"""What the command line refuses: the exit status, one line that says why, and nothing written."""

import shlex
import sys

import pytest

# Files of the folder in which the commands run.
FILES = {
    "e.csv": "from,to,weight\na,b,1\nb,c,2\n",
    "three.csv": "from,to\na,b\nb,c\nc,d\nd,e\n",
    "heavy.csv": "from,to,weight\na,b,1\na,c,heavy\n",
    "headed.csv": "gene_a,gene_b,w,n\na,b,0.5,1\n",
    "titled.csv": "source,target,travel_time\na,b,5\n",
    "bare.csv": "source,target\na,b\n",
    "pairs.csv": "a,b\nb,c\n",
    "missing.csv": "source,target,weight\na,b,NA\n",
    "empty.csv": "",
    "empty.txt": "\n",
    "strangers.csv": "x,1\ny,2\n",
    "twice.csv": "name,x\na,1\na,1\n",
    "astray.csv": "from;to;trips\na;y;1\nz;a;2\n",
    "points.csv": "name;x\na;1.000,5\n",
    "words.csv": "name,x\na,many\n",
    "trips.csv": "from,to,trips\na,b,-1\n",
    "zero.csv": "a,0\nb,0\n",
    "quote.csv": 'a,"x\nb,y\n',
    "titles.tsv": "x\ty\n",
    "one.tsv": "a\tx\nb\n",
    "called.tsv": "a\tx\n",
    "two.tsv": "a\tx\na\ty\n",
    "some.tsv": "a\t1\nd\t0.5\n",
    "places.csv": "place,homes,jobs\na,3,0\nb,1,0\n",
    "p1.csv": "a,0,0\n",
    "p5.csv": "a,0,0\nb,inf,0\nc,0,0\n",
    "a.txt": "a\n",
    "z.txt": "z\n",
    "latin.txt": "\xe9,1\n",
    "lengths.txt": "1\n2\n",
    "utf16.txt": "\xff\xfe1\0",
    "file": "",
    "device='cpu'.csv": "a,b,c,d\n",
    "k.csv": "a,b,-1\n",
    "genes.csv": "source,target,length,score\ng0,g1,1.125,990\n",
    "contacts.txt": "t i j\n1 a b\n2 b c\n",
    "plain.tsv": "1\ta\tb\n2\tb\tc\n",
    "empty/nothing": "",
}
COLUMNS = "--columns source=source,target=target,weight=score"
GENES = f"null-model genes.csv {COLUMNS}"
BY_PROBABILITY = f"null-model genes.csv --model edge-probability {COLUMNS}"
IN_TIME = "temporal"
# Wrong usage by its message; each ends with where to read on.
USAGE = {
    "betweenness karate --checkpoint ''": "--checkpoint: expected the name of a directory, got ''",
    "nosuch": "no command 'nosuch'",
    "betweenes karate": "no command 'betweenes'; did you mean 'betweenness'?",
    "--nosuch": "--nosuch",
    "betweenness": "FILE|DATASET",
    "closeness karate --targets 1": "--targets",
    "stress karate --also closeness,nosuch": "got 'closeness,nosuch'",
    "stress karate --decay exp:1": "as in exponential:0.002, or distances and weights as in",
    "betweenness karate --treshold 7": "7; did you mean '--threshold'?",
    "betweenness karate --weight": "--weight; did you mean '--weighted'?",
    "approximate karate": "now betweenness with --error",
    "nearest karate": "now access -m nearest",
    "betweenness karate --k 5": "--k 5; now --samples; --steps of group",
    "betweenness karate --largest-component": "now --keep largest",
    "betweenness karate --executor=processes:2": "now --workers",
    "dismantle karate --once": "now -m initial-betweenness",
    "betweenness karate --undirected": "(leave it out: that is the default without --directed)",
    "betweenness karate --sources": "--sources",
    "betweenness karate --top 0": "expected an integer from 1 on, or all",
    f"betweenness karate --top {'9' * 5000}": "expected an integer from 1 on, or all",
    "betweenness karate --samples 2 --seed -3": "expected an integer from 0 on",
    "betweenness karate --seed 3": "--seed has an effect only with --samples",
    "betweenness karate --samples 2 --sources 1": "--samples draws its own sources",
    "betweenness karate --samples 2 --target-weights some.tsv": "--samples draws pairs",
    "betweenness karate --memory much": "expected a size as 500M or 2G",
    f"betweenness karate --memory {'9' * 400}": "expected a size as 500M or 2G",
    "betweenness karate --workers slurm": "expected an integer from 1 on, processes:4, dask:",
    "betweenness karate --columns gene_a,gene_b": "expected titles as in source=gene_a,target=gene",
    "betweenness karate --columns source=a,target=b,name=c": "expected titles as in",
    "betweenness karate --separator ';;'": "expected one character",
    "betweenness karate --threshold x": "expected a number above 0, got 'x'",
    "betweenness karate --positions p1.csv -o s.csv": "an effect only with --output FILE.html",
    "betweenness karate --weighted --strength log": "leave out either",
    "betweenness karate --provenance": "--provenance has an effect only with --output",
    "betweenness karate --error 0.1 --also stress": "leave out --samples, --also, ",
    "betweenness karate --cutoff @utf16.txt": "--cutoff: @utf16.txt: 'utf-8' codec can't decode",
    "betweenness karate --confidence 0.9": "has an effect only with --error, ",
    "closeness karate --error 0.1": "unrecognized arguments: --error",
    "betweenness karate --sources 1 2": "unrecognized arguments: 2; several values are written A,B",
    f"{IN_TIME} contacts.txt -m arrival": "-m arrival needs --sources",
    f"{IN_TIME} contacts.txt --start 1": "--start has an effect only with -m reach or -m arrival",
    f"{IN_TIME} contacts.txt -m walks": "expected one of betweenness, foremost-betweenness, ",
    "closeness karate --ignore-missing": "has an effect only with --sources, --targets or --nodes",
    **{
        f"betweenness karate --cutoff={text}": "--cutoff: expected different numbers as in 4"
        for text in ("", "5,", "-1", "a", "2,2", "nan")
    },
    **{f"stress {line}": "NUL" for line in ("'a\0b'", "karate -o 'a\0.csv'", "x --names '\0'")},
    "betweenness karate --seconds 0": "expected a number above 0, got '0'",
    "betweenness karate --error 2": "expected a number between 0 and 1, got '2'",
    "percolation e.csv": "--source-weights",
    "group e.csv": "give either --nodes, the groups, or --steps, the size",
    "group e.csv --nodes a --steps 2": "give either --nodes",
    "group e.csv --steps 2 --endpoints": "leave out --endpoints",
    "group e.csv --steps 2 --checkpoint kept": "cannot be continued: leave out --checkpo",
    "paths karate": "--sources",
    "access e.csv --decay step:3": "expected one of exponential, linear",
    "access e.csv -m nearest": "-m nearest needs --places",
    "access e.csv -m nearest:0": "or nearest:2 for the second nearest place",
    f"{BY_PROBABILITY} --weighted": "name probability= in --columns",
    f"{GENES} -m edge-betweenness": "expected some of betweenness,",
    f"{IN_TIME} contacts.txt --columns weight=3": "expected titles as in source=a,target=b,time=t",
}
# What does not serve, by its message.
INPUT = {
    "betweenness nosuch": "nosuch: there is no such file or dataset",
    "betweenness karat": "karat: there is no such file or dataset; did you mean 'karate'?",
    "betweenness e.cvs": "did you mean 'e.csv'?",
    "betweenness .": ".: Is a directory",
    "betweenness karate --sources 1,x": "--sources: there is no node 'x'; the nodes are '1', '2',",
    "betweenness karate --sources 1,2,1": "--sources lists '1' more than once",
    "betweenness karate --samples 35": "error: --samples must lie in 1..n = 34, got 35",
    "betweenness karate --device cuda:0,cpu": "error: --device must list GPUs alone, got 'cpu': try"
    " cuda:0,cuda:1, or",
    "components karate --device gpu": "error: --device must be one of",
    "group karate --nodes 1 --memory 1K": "--memory is 1024: raise --memory\n",
    "betweenness heavy.csv --weighted": "error: heavy.csv:3: weight 'heavy'",
    # Tables of edges
    "betweenness headed.csv --columns source=a,target=b": "headed.csv:1: no column 'a'",
    "betweenness headed.csv --columns source=a,target=b --no-header": "or leave out --no-header",
    **{
        f"betweenness karate {told}": f"karate is a dataset, and {told.split()[0]} is for files"
        for told in ("--no-header", "--separator ';'", "--encoding utf-8", "--comment ''")
    },
    **{
        f"betweenness {name}.csv {option}": f"{told}, or --columns source=...,target=...,weight=..."
        for option in ("--weighted", "--threshold 1")
        for name, told in (
            ("titled", "s are ['source', 'target', 'travel_time']"),
            ("bare", "s are ['source', 'target']"),
            ("pairs", "2 columns and no weights; expected a third column of numbers"),
            ("missing", "weight 'NA'; expected a number"),
        )
    },
    # Names of files are told as they are, whatever they are.
    "betweenness \"device='cpu'.csv\"": "error: device='cpu'.csv:1: 4 columns",
    "betweenness k.csv --weighted": "error: k.csv: the edge 'a' - 'b' has weight -1.0: ",
    "betweenness karate -o memory_budget/x": "error: memory_budget/x: there is no folder",
    # Outputs
    "betweenness karate -o no/scores.csv": "no/scores.csv: there is no folder no",
    "betweenness karate -o .": ".: is a folder",
    "betweenness karate -o /dev/stdout": "/dev/stdout is not a file: leave out -o, and write >",
    "betweenness karate -o -": "results are not written without a suffix",
    "edge-betweenness karate -o plot.png": "results are not written as .png",
    "betweenness karate -o scores": "scores: results are not written without a suffix; expected a",
    "betweenness karate -o scores.xls": "results are not written as .xls; expected a name that",
    "betweenness e.csv -o e.csv": "e.csv is a file that the command reads: give the name of",
    "betweenness e.csv --names called.tsv -o called.tsv": "called.tsv is a file that",
    "betweenness e.csv --sources @a.txt -o ./a.txt": "a.txt is a file that",
    "closeness e.csv --cutoff @lengths.txt -o lengths.txt": "lengths.txt is a file that",
    "closeness e.csv --cutoff=@lengths.txt -o lengths.txt": "lengths.txt is a file that",
    "betweenness e.csv --source-weights some.tsv -o some.tsv": "some.tsv is a file that",
    "paths e.csv --sources a -o x.html": "results are not written as .html; expected a name that",
    # Tables and lists of nodes
    "betweenness e.csv --threshold 7": "--threshold 7: no edge reaches it; the largest is",
    "betweenness e.csv --scale 1e-308": "--scale 1e-308: the weight 2 divided by it is infinite",
    "betweenness e.csv --names titles.tsv": "titles.tsv: the first column has none of the nodes",
    "betweenness e.csv --names one.tsv": "one.tsv:2: expected two columns, a name and its rep",
    "betweenness e.csv --names quote.csv": "quote.csv:1: an unpaired quote; expected quoted",
    "betweenness e.csv --names two.tsv": "two.tsv:2: 'a' again",
    "betweenness e.csv --sources @none.txt": "none.txt: No such file",
    "betweenness headed.csv --no-header": "or --columns source=...,target=...,weight=... with tit",
    "betweenness e.csv --sources @": "error: '': No such file",
    "betweenness e.csv --names ''": "error: '': No such file",
    "betweenness e.csv --sources @empty.txt": "--sources @empty.txt: the file lists nothing",
    "betweenness e.csv --sources @latin.txt": "latin.txt:1: the byte 0xe9, which is not UTF-8",
    "betweenness e.csv --sources @z.txt": "'z'; the nodes are 'a', 'b', 'c'; --names calls them",
    "betweenness e.csv --sources a --names called.tsv": "'a'; the nodes are 'x', 'b', 'c', as "
    "--names called.tsv calls them; --ignore-missing",
    "betweenness e.csv --source-weights a.txt --names called.tsv": "none of the nodes, which are"
    " 'x' and others, as --names called.tsv calls them\n",
    "betweenness e.csv --sources a,@a.txt": "--sources lists 'a' more than once",
    "paths e.csv --sources x,y --ignore-missing": "--sources: there are no nodes 'x', 'y' (2 in",
    "betweenness e.csv --source-weights places.csv:age": "--source-weights places.csv: there is "
    "no column 'age'; the columns are 'homes', 'jobs'",
    "betweenness e.csv --source-weights strangers.csv": "the first column has none of the nodes,"
    " which are 'a' and others; --names calls them",
    "betweenness e.csv --source-weights twice.csv": "twice.csv:3: 'a' again: add up its rows",
    "betweenness e.csv --source-weights points.csv": "points.csv:2: expected a name, and in column",
    "betweenness e.csv --demand astray.csv": "--demand astray.csv: no row has two "
    "of the nodes, which are 'a' and others",
    "betweenness e.csv --source-weights words.csv": "from 0 on (a row left out counts 0), with",
    "betweenness e.csv --source-weights empty.csv": "the file is empty",
    "betweenness e.csv --source-weights zero.csv": "--source-weights are all zero",
    "betweenness e.csv --demand trips.csv": "trips.csv:2: expected two names and a number from 0",
    "betweenness e.csv --positions p1.csv -o m.html": "p1.csv: 2 of 3 nodes have no position, such "
    "as 'b'; give one to each",
    "betweenness e.csv --positions p5.csv -o m.html": "positions[1] is [inf, 0.0]; expected fin",
    # Other commands
    "communities e.csv --parts 9": "error: --parts must lie in 1..n = 3, got 9",
    "group e.csv --steps 9": "--steps must lie in 1..3, the candidates, got 9",
    "group three.csv --nodes a,b,c,d": "or use --raw",
    # Directories of checkpoints
    "betweenness - --checkpoint kept": "standard input can be read only once",
    "betweenness karate --checkpoint file": "file is a file: give the name of a directory",
    "betweenness karate --samples 9 --checkpoint kept": "--checkpoint: without --seed each run dr",
    "access e.csv --places places.csv,places.csv": "two kinds called 'places'",
    f"{BY_PROBABILITY},probability=length": "has probability 1.125: expected above 0",
    f"{GENES} --checkpoint kept": "--checkpoint: without --seed each run draws other networks",
    "null-model karate --model edge-probability --columns probability=p": "is a dataset",
    f"{IN_TIME} plain.tsv": "or --columns source=...,target=...,time=... with titles or numbers",
    f"{IN_TIME} contacts.txt --sources x": "--sources: there is no node 'x'",
    "temporal contacts.txt -m arrival --sources a --start noon": "--start: time 'noon'; exp",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with all files, of which no line changes any."""
    place = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content, encoding="latin-1")
    return place


@pytest.fixture
def refused(place, monkeypatch, run):
    """Run a line that is refused; exit status and the one line on standard error."""
    monkeypatch.chdir(place)

    def files():
        return {path: path.is_file() and path.read_bytes() for path in place.rglob("*")}

    def call(line):
        before = files()
        status, out, err = run(*shlex.split(line))
        assert (out, err.count("\n"), files()) == ("", 1, before)
        assert len(err) < 800
        return status, err

    return call


@pytest.mark.parametrize("line", USAGE, ids=lambda line: ascii(line)[:70])
def test_wrong_usage(refused, line):
    """Status 2, and where to read on."""
    status, err = refused(line)
    assert status == 2
    assert err.startswith("sparsebc")
    assert err.endswith("--help'\n")
    assert USAGE[line] in err


@pytest.mark.parametrize("line", INPUT)
def test_input_that_does_not_serve(refused, line):
    """Status 1; the option or the file, the value, and the way out."""
    if "/dev/" in line and sys.platform != "linux":
        pytest.skip("no such devices")
    status, err = refused(line)
    assert status == 1
    assert err.startswith("sparsebc: error: ")
    assert INPUT[line] in err


def test_a_file_that_the_system_cannot_find(run, tmp_path):
    """The reason is the system's: that there is no such file would be wrong."""
    (tmp_path / "loop").symlink_to("loop")
    status, _, err = run("betweenness", str(tmp_path / "loop"))
    assert (status, "symbolic links" in err, "no such file" in err) == (1, True, False)


def test_a_name_of_no_letters(run):
    """Is the name of no file, which the error says."""
    status, _, err = run("betweenness", "")
    assert (status, "'': there is no such file" in err) == (1, True)
