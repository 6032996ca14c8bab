"""What limits the products, from the csv file of Nsight Compute: ``python -m benchmarks.ncu``.

Without a file, the metrics that ncu must be asked for. See `benchmarks.profile` for its command.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

import numpy as np

TIME = "gpu__time_duration.sum"
# percent of the peak that the device can sustain
METRICS = {
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "issue": "sm__inst_issued.avg.pct_of_peak_sustained_active",
}
PRODUCTS = ("forward", "backward", "sweep")  # the last has both
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def read(lines):
    """Launches in the lines that ncu wrote, each as name, seconds and percentages.

    What the profiled program printed among them is passed over.

    Raises
    ------
    ValueError
        If a metric is missing, so that nothing can be said.
    """
    table = list(csv.reader(line for line in lines if line.startswith('"')))
    columns = table[0] if table else []
    wanted = ("Kernel Name", TIME, *METRICS.values())
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: run ncu with --csv --page raw --metrics ...")
    units, *rows = (dict(zip(columns, row, strict=True)) for row in table[1:])
    scale = SECONDS[units[TIME]]
    return [
        {
            "kernel": re.match(r"(?:void )?(\w+)", row["Kernel Name"])[1],
            "seconds": scale * _number(row[TIME]),
            **{short: _number(row[name]) for short, name in METRICS.items()},
        }
        for row in rows
    ]


def summary(launches):
    """For each product: its launches, its share of all time, means weighted by time."""
    total = sum(launch["seconds"] for launch in launches)
    return {
        product: _mean(mine, total)
        for product in PRODUCTS
        if (mine := [launch for launch in launches if launch["kernel"].startswith(product)])
    }


def main(arguments=None):
    """Print a line for each product and write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ncu", description=__doc__)
    parser.add_argument("csv", type=Path, nargs="?", help="what ncu --csv --page raw wrote")
    parser.add_argument("--output", type=Path, help="JSON file")
    options = parser.parse_args(arguments)
    if options.csv is None:
        print(",".join((TIME, *METRICS.values())))
        return
    try:
        with options.csv.open() as lines:
            products = summary(read(lines))
    except ValueError as error:
        parser.error(f"{options.csv}: {error}")
    print(f"{'':<10}{'launches':>9}{'time':>8}", *(f"{name:>10}" for name in METRICS), sep="")
    for product, row in products.items():
        shares = "".join(f"{row[name]:>9.1f}%" for name in METRICS)
        print(f"{product:<10}{row['launches']:>9}{row['time_share']:>8.1%}{shares}")
    if options.output:
        options.output.write_text(json.dumps(products, indent=1) + "\n")


def _mean(launches, total):
    seconds = [launch["seconds"] for launch in launches]
    return {
        "launches": len(launches),
        "seconds": sum(seconds),
        "time_share": sum(seconds) / total,
        **{
            name: float(np.average([launch[name] for launch in launches], weights=seconds))
            for name in METRICS
        },
    }


def _number(text):
    """Read "1,234.5"."""
    return float(text.replace(",", ""))


if __name__ == "__main__":
    sys.exit(main())
