"""The benchmarks: models, what is measured of them, and the ways in which data or model are wrong.

A case has a name, what is done to the truth (`set`, `text`: numbers and text of the model that made the data), to the data
(`spoil`), to the study (`study`: text replaced, `model`: text replaced in the model that is fitted), and what a program should
say of it (`cause`: words of which one should stand in a verdict, `channel`)."""
# noise: of the standard deviation of each channel; every model is measured by these channels, at this rate
MODELS = {
    "oscillator": dict(channels=["at.x", "acc.x"], dt=0.01, end=4, noise=0.02, step=2e-3,
                       truth=dict(k=80.0, c=1.5)),
    "two-bar": dict(channels=["node2.x", "node4.y", "node5.x", "node5.y"], dt=0.01, end=3, noise=0.02, step=4e-4,
                    truth=dict(k1=700.0, kt1=0.5, k3=400.0, kt3=0.5)),
    "cantilever": dict(channels=["mid.y", "tip.y"], dt=0.002, end=0.6, noise=0.03, step=1e-4,
                       truth=dict(EI=4.0, mt=0.1, loss=1e-3)),
    "double-pendulum": dict(channels=["arm1.theta", "arm2.theta"], dt=0.01, end=3, noise=0.01, step=1e-3,
                            truth=dict(I1=0.008, I2=0.005, ct1=0.006, ct2=0.004)),
    "quarter-car": dict(channels=["wheel.y", "body.y", "gap.value"], dt=0.01, end=4, noise=0.03, step=4e-4,
                        truth=dict(ks=18e3, cs=1200.0, kt=180e3)),
    "mount": dict(channels=["block.x", "block.z", "block.ry", "shake.x"], dt=0.002, end=0.5, noise=0.02, step=1e-4,
                  truth=dict(kx=60e3, kz=120e3, c=150.0)),
    "slider": dict(channels=["shaft.theta", "slider.x", "acc.x"], dt=0.01, end=3, noise=0.02, step=5e-4,
                   truth=dict(k=500.0, ct=0.01)),
}


# ---- what can happen to data: rows [t, y1, y2 ...], sizes: standard deviations of the columns, s: a random generator ----
def offset(column, part):
    return lambda rows, size, s: [[*r[:column], r[column] + part * size[column], *r[column + 1:]] for r in rows]


def gain(column, factor):
    return lambda rows, size, s: [[*r[:column], r[column] * factor, *r[column + 1:]] for r in rows]


def late(rows, size, s):
    half = 0.5 * (rows[1][0] - rows[0][0])
    return [[r[0] + half, *r[1:]] for r in rows]


def swap(a, b):
    def f(rows, size, s):
        out = []
        for r in rows:
            r = list(r)
            r[a], r[b] = r[b], r[a]
            out.append(r)
        return out
    return f


def stuck(column, begin, end):
    def f(rows, size, s):
        n = len(rows)
        held = rows[int(begin * n)][column]
        return [[*r[:column], held if begin * n <= i < end * n else r[column], *r[column + 1:]] for i, r in enumerate(rows)]
    return f


def saturate(column, part):
    def f(rows, size, s):
        y = sorted(r[column] for r in rows)
        lo, hi = y[int(part * len(y))], y[int((1 - part) * len(y)) - 1]
        return [[*r[:column], min(max(r[column], lo), hi), *r[column + 1:]] for r in rows]
    return f


def sentinels(column, part):
    return lambda rows, size, s: [[*r[:column], -9999.0 if s.random() < part else r[column], *r[column + 1:]] for r in rows]


def outliers(part):
    return lambda rows, size, s: [[r[0], *(y + (3 * size[k + 1] * s.choice((-1, 1)) if s.random() < part else 0)
                                           for k, y in enumerate(r[1:]))] for r in rows]


def twice(rows, size, s):
    out = []
    for i, r in enumerate(rows):
        out.append(r)
        if i % 40 == 7:
            out.append([r[0], *(y + size[k + 1] for k, y in enumerate(r[1:]))])
    return out


def everywhere(n):
    """What happens to sensors and recorders, of a model with n channels."""
    return [
        dict(name="offset", spoil=offset(1, 0.1), cause=["offset", "bias", "mean"], channel=1),
        dict(name="gain", spoil=gain(1, 1.05), cause=["gain"], channel=1),
        dict(name="unit", spoil=gain(n, 1000.0), cause=["unit", "1000", "scale"], channel=n),
        dict(name="sign", spoil=gain(1, -1.0), cause=["sign"], channel=1),
        dict(name="late", spoil=late, cause=["delay", "clock", "time offset", "late"]),
        dict(name="stuck", spoil=stuck(n, 0.3, 0.5), cause=["stuck"], channel=n),
        dict(name="saturated", spoil=saturate(1, 0.08), cause=["clipp", "saturat"], channel=1),
        dict(name="sentinels", spoil=sentinels(1, 0.05), study={"unknowns:": "loss: huber\nunknowns:"},
             cause=["-9999", "sentinel", "placeholder"], channel=1),
        dict(name="duplicates", spoil=twice, cause=["duplicate", "twice", "same time"]),
    ]


WRONG = {
    "oscillator": [
        dict(name="dry-friction", set={"dry": "0.4 N"}, cause=["friction", "guide", "force", "dry"]),
        dict(name="coarse-step", model={"step: 2 ms": "step: 20 ms"}, cause=["step"]),
    ],
    "two-bar": [
        dict(name="coarse-mesh", text={"elements: 4": "elements: 8"}, model={", elements: 4": ""}, cause=["mesh"]),
        dict(name="tilt", set={"tilt": "31 deg"}, cause=["tilt", "n2", "n3", "n4", "n5", "gravity"]),
        dict(name="coarse-step", model={"step: 0.4 ms": "step: 10 ms"}, cause=["step"]),
    ],
    "cantilever": [
        dict(name="coarse-step", model={"step: 0.1 ms": "step: 2 ms"}, cause=["step"]),
        dict(name="coarse-mesh", model={", elements: 4": ""}, cause=["mesh"]),
        dict(name="inertia", text={"mass: mt}": "mass: mt, inertia: 4e-4 kg*m^2}"}, cause=["inertia", "end"]),
    ],
    "double-pendulum": [
        dict(name="dry-friction", set={"dry1": "0.01 N*m"}, cause=["friction", "torque", "dry1", "shoulder"]),
        dict(name="length", set={"L1": "0.3 m"}, text={"com: [0.03, -0.14]": "com: [0.03, -0.15]"},
             cause=["com", "lower", "mass", "m2"]),
        dict(name="coarse-step", model={"step: 1 ms": "step: 10 ms"}, cause=["step"]),
    ],
    "quarter-car": [
        dict(name="dry-friction", set={"dry": "60 N"}, cause=["friction", "rub", "force", "dry"]),
        dict(name="wheel-mass", set={"mw": "44 kg"}, cause=["mw", "wheel", "mass"]),
        dict(name="coarse-step", model={"step: 0.4 ms": "step: 10 ms"}, cause=["step"]),
    ],
    "mount": [
        dict(name="rotation-stiffness", text={"kt: [300, 300, 300]": "kt: [600, 600, 600]"}, cause=["kt", "left", "right"]),
        dict(name="mass", set={"m": "22 kg"}, cause=["m", "mass", "block"]),
        dict(name="coarse-step", model={"step: 0.1 ms": "step: 2 ms"}, cause=["step"]),
    ],
    "slider": [
        dict(name="dry-friction", set={"dry": "2 N"}, cause=["friction", "guide", "force", "dry"]),
        dict(name="slider-mass", set={"ms": "1.65 kg"}, cause=["ms", "mass", "slider"]),
        dict(name="coarse-step", model={"step: 0.5 ms": "step: 10 ms"}, cause=["step"]),
    ],
}

# right models, with noise that is not plain
NOISES = [
    dict(name="right"),
    dict(name="coloured-noise", ar=0.8),
    dict(name="outliers", spoil=outliers(0.05), study={"unknowns:": "loss: huber\nunknowns:"}),
]


def cases(model):
    n = len(MODELS[model]["channels"])
    return NOISES + WRONG[model] + everywhere(n)
