"""Data of a case: a run of the model that made them, noise by a seed, and what went wrong on the way."""
import csv
import os
import random
import subprocess
import tempfile

from cases import MODELS

here = os.path.dirname(os.path.abspath(__file__))


def replaced(text, words):
    for old, new in (words or {}).items():
        if old not in text:
            raise SystemExit(f"'{old}' is not in the text")
        text = text.replace(old, new)
    return text


def exact(sinew, model, case, cache={}):
    """Rows of the true signals, computed with an eighth of the step: discretisation is no part of the truth."""
    key = (model, repr(case.get("set")), repr(case.get("text")))
    if key not in cache:
        m = MODELS[model]
        with tempfile.TemporaryDirectory() as tmp:
            with open(os.path.join(here, model, "model.yaml")) as f:
                text = replaced(f.read(), case.get("text"))
            source = os.path.join(tmp, "model.yaml")
            with open(source, "w") as f:
                f.write(text)
            settings = [w for name, value in case.get("set", {}).items() for w in ("--set", f"{name}={value}")]
            h5, table = os.path.join(tmp, "run.h5"), os.path.join(tmp, "run.csv")
            subprocess.run([sinew, "run", source, "--step", str(m["step"] / 8), "--end", str(m["end"]),
                            "--output", str(m["dt"]), "-q", "-o", h5, *settings], check=True)
            subprocess.run([sinew, "export", h5, "-o", table], check=True)
            with open(table) as f:
                rows = list(csv.reader(f))
        at = [0] + [rows[0].index(c) for c in m["channels"]]
        cache[key] = [[float(r[k]) for k in at] for r in rows[1:]]
    return cache[key]


def data(sinew, model, case, seed):
    """Rows with noise, and with what is wrong with them."""
    m = MODELS[model]
    rows, s = exact(sinew, model, case), random.Random(f"{model} {case['name']} {seed}")
    n, columns = len(rows), len(m["channels"])
    size = [0.0]
    for k in range(1, columns + 1):
        mean = sum(r[k] for r in rows) / n
        size.append((sum((r[k] - mean) ** 2 for r in rows) / n) ** 0.5)
    a, last, out = case.get("ar", 0), [s.gauss(0, 1) for _ in range(columns)], []
    for r in rows:
        last = [a * e + (1 - a * a) ** 0.5 * s.gauss(0, 1) for e in last]
        out.append([r[0], *(y + m["noise"] * size[k + 1] * last[k] for k, y in enumerate(r[1:]))])
    return case["spoil"](out, size, s) if "spoil" in case else out


def write(path, model, rows):
    with open(path, "w") as f:
        f.write(",".join(["t", *MODELS[model]["channels"]]) + "\n")
        for r in rows:
            f.write(",".join(["%.9g" % r[0], *("%.7g" % y for y in r[1:])]) + "\n")


def study(folder, model, case):
    """The study of a case in a folder, with its model; data.csv is put beside them."""
    with open(os.path.join(here, model, "model.yaml")) as f:
        text = replaced(f.read(), case.get("model"))
    with open(os.path.join(folder, "model.yaml"), "w") as f:
        f.write(text)
    with open(os.path.join(here, model, "study.yaml")) as f:
        text = replaced(f.read(), {"data/right.csv": "data.csv", **case.get("study", {})})
    with open(os.path.join(folder, "study.yaml"), "w") as f:
        f.write(text)
