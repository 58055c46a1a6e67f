"""Readers of VTK's and MATLAB's files by the standard library alone, and what test_export.sh asks of them."""
import base64, csv, math, os, struct, sys
import xml.etree.ElementTree as ET

KINDS = {"Float64": "d", "Float32": "f", "Int32": "i", "UInt8": "B"}


def numbers(array):
    raw = base64.b64decode(array.text.strip(), validate=True)
    (count,) = struct.unpack_from("<Q", raw)
    assert count == len(raw) - 8, "the length before the numbers"
    if array.get("type") == "String":
        assert raw[-1] == 0
        return raw[8:-1].decode().split("\0")
    values = [x for x, in struct.iter_unpack("<" + KINDS[array.get("type")], raw[8:])]
    n = int(array.get("NumberOfComponents"))
    return values if n == 1 else [values[i : i + n] for i in range(0, len(values), n)]


class Grid:
    def __init__(self, path):
        root = ET.parse(path).getroot()
        assert root.attrib == {"type": "UnstructuredGrid", "version": "1.0", "byte_order": "LittleEndian",
                               "header_type": "UInt64"}
        piece = root.find("UnstructuredGrid/Piece")
        field = root.find("UnstructuredGrid/FieldData/DataArray")
        self.field = {field.get("Name"): float(field.text)}
        get = lambda part: {a.get("Name"): numbers(a) for a in piece.find(part)}
        self.x, self.point, self.cell, cells = get("Points")["Points"], get("PointData"), get("CellData"), get("Cells")
        ends = cells["offsets"]
        self.corner = [cells["connectivity"][a:b] for a, b in zip([0] + ends[:-1], ends)]
        self.type = cells["types"]
        assert len(self.x) == int(piece.get("NumberOfPoints")) and len(ends) == int(piece.get("NumberOfCells"))
        assert ends[-1] == len(cells["connectivity"]) and sorted({k for c in self.corner for k in c}) == list(range(len(self.x)))
        assert all(len(v) == len(self.x) for v in self.point.values())
        assert all(len(v) == len(ends) for v in self.cell.values()) and len(self.type) == len(ends)

    def cells(self, name):
        return [i for i, n in enumerate(self.cell["name"]) if n == name]


def series(pvd):
    root = ET.parse(pvd).getroot()
    assert root.get("type") == "Collection"
    sets = root.findall("Collection/DataSet")
    return [float(s.get("timestep")) for s in sets], [Grid(os.path.join(os.path.dirname(pvd), s.get("file"))) for s in sets]


def table(path):
    rows = list(csv.reader(open(path, encoding="utf-8")))
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}


# ---- MATLAB, level 5, not compressed ----

def element(b, at):
    kind, size = struct.unpack_from("<II", b, at)
    if kind >> 16:  # small: kind and size in one word
        return kind & 0xFFFF, b[at + 4 : at + 4 + (kind >> 16)], at + 8
    return kind, b[at + 8 : at + 8 + size], at + 8 + (size + 7) // 8 * 8


def matrix(b):
    if not b:
        return None, []
    _, flags, at = element(b, 0)
    _, dims, at = element(b, at)
    _, name, at = element(b, at)
    kind, dims = flags[0], struct.unpack(f"<{len(dims) // 4}i", dims)
    if kind == 2:  # struct
        _, size, at = element(b, at)
        size = struct.unpack("<i", size)[0]
        _, fields, at = element(b, at)
        out = {}
        for i in range(0, len(fields), size):
            _, value, at = element(b, at)
            out[fields[i : i + size].split(b"\0")[0].decode()] = matrix(value)[1]
        return name.decode(), out
    if kind == 1:  # cell
        out = []
        for _ in range(math.prod(dims)):
            _, value, at = element(b, at)
            out.append(matrix(value)[1])
        return name.decode(), out
    if math.prod(dims) == 0:
        return name.decode(), "" if kind == 4 else [[] for _ in range(dims[0])]
    data, raw, at = element(b, at)
    if kind == 4:  # char
        assert data == 17 and len(raw) == 2 * dims[1], "UTF-16"
        return name.decode(), raw.decode("utf-16-le")
    assert kind == 6 and data == 9 and len(raw) == 8 * math.prod(dims)
    x = struct.unpack(f"<{len(raw) // 8}d", raw)
    return name.decode(), [list(x[i :: dims[0]]) for i in range(dims[0])]


def mat(path):
    b = open(path, "rb").read()
    assert b[:6] == b"MATLAB" and b[124:128] == b"\x00\x01IM"
    kind, value, end = element(b, 128)
    assert kind == 14 and end == len(b)
    name, out = matrix(value)
    assert name == "result"
    return out


# ---- checks ----

def close(a, b, tol, what):
    assert len(a) == len(b) and all(abs(x - y) <= tol for x, y in zip(a, b)), (what, a, b)


def volume(g, cells):
    """Enclosed by the faces, positive when they look outward: sum of a.(b x c)/6 over fans of triangles."""
    v = 0
    for c in cells:
        k = g.corner[c]
        for i in range(1, len(k) - 1):
            a, b, d = (g.x[j] for j in (k[0], k[i], k[i + 1]))
            v += (a[0] * (b[1] * d[2] - b[2] * d[1]) + a[1] * (b[2] * d[0] - b[0] * d[2])
                  + a[2] * (b[0] * d[1] - b[1] * d[0])) / 6
    return v


def turned(q, p):
    w, u = q[0], q[1:]
    t = [2 * (u[1] * p[2] - u[2] * p[1]), 2 * (u[2] * p[0] - u[0] * p[2]), 2 * (u[0] * p[1] - u[1] * p[0])]
    return [p[0] + w * t[0] + u[1] * t[2] - u[2] * t[1], p[1] + w * t[1] + u[2] * t[0] - u[0] * t[2],
            p[2] + w * t[2] + u[0] * t[1] - u[1] * t[0]]


NODES = {"root": (0, [0, 0, 0]), "mid": (1, [0.5, 0, 0]), "tip": (2, [1, 0, 0]), "far": (3, [1, 0.5, 0])}


def space(pvd, states):
    """The model of test_export.sh: beam root - mid - tip, bodies at tip and far, a spring between them."""
    s = table(states)
    times, frames = series(pvd)
    assert times == s["t"] and len(frames) > 4
    for k, g in enumerate(frames):
        q = {n: [s[f"states.q.{7 * i + j}"][k] for j in range(7)] for n, (i, _) in NODES.items()}
        v = {n: [s[f"states.v.{n}.{j}"][k] for j in "xyz"] for n in NODES}
        assert g.field == {"TimeValue": times[k]}
        assert g.cell["kind"].count("beam3d_cr") == 2 and g.cell["kind"].count("spring3d") == 1
        bars = g.cells("bar") + g.cells("bar_b")
        ends = [(g.corner[c][0], a) for c, a in zip(bars, ("root", "mid"))]
        ends += [(g.corner[c][-1], a) for c, a in zip(bars, ("mid", "tip"))]
        (c,) = g.cells("link")
        assert g.type[c] == 3
        ends += list(zip(g.corner[c], ("tip", "far")))
        (c,) = g.cells("hold")
        ends += [(g.corner[c][0], "root")]
        assert g.type[c] == 1 and g.cell["group"][c] == 3
        for i, name in ends:
            # what is drawn at a node is the node: not even rounding but that of x + R 0
            close(g.x[i], q[name][:3], 1e-15, name)
            close(g.point["displacement"][i], [a - b for a, b in zip(q[name], NODES[name][1])], 1e-15, name)
            close(g.point["velocity"][i], v[name], 1e-14 * (1 + max(map(abs, v[name]))), name)
        for c in bars:
            assert g.type[c] == 4 and g.cell["group"][c] == 0 and len(g.corner[c]) == 9
        # bodies: volume of the solid (of its inscribed polygon of 32 sides), first corner by its own formula
        polygon = 16 * math.sin(math.pi / 16)
        assert all(g.type[c] == 7 and g.cell["group"][c] == 1 for n in ("block", "tube") for c in g.cells(n))
        assert abs(volume(g, g.cells("block")) - 0.1 * 0.2 * 0.3) < 1e-15
        assert abs(volume(g, g.cells("tube")) - polygon * (0.1**2 - 0.05**2) * 0.4) < 1e-14
        assert abs(volume(g, g.cells("corner")) - 0.02 * 0.03 * 0.04 / 6) < 1e-16
        origin = [a + b for a, b in zip(q["far"], turned(q["far"][3:], [0.2, 0, 0]))]
        close(g.x[g.corner[g.cells("corner")[0]][0]], origin, 1e-14, "stl")
        ball = volume(g, g.cells("ball"))
        assert 0.98 * 4 / 3 * math.pi * 0.1**3 < ball < 4 / 3 * math.pi * 0.1**3
        first = g.corner[g.cells("block")[0]][0]
        want = [a + b for a, b in zip(q["tip"], turned(q["tip"][3:], [0.05 - 0.05, -0.1, -0.15]))]
        close(g.x[first], want, 1e-14, "corner")
    # velocities are the derivative of the places: the error of a central difference is h^2/6 x''', where h^2 x'''
    # is the second difference of the velocities; again as much for the scheme, whose error is of the same order
    for k in range(1, len(frames) - 1):
        a, b, c = frames[k - 1 : k + 2]
        h = times[k + 1] - times[k - 1]
        bend = max(abs(a.point["velocity"][i][j] - 2 * b.point["velocity"][i][j] + c.point["velocity"][i][j])
                   for i in range(len(b.x)) for j in range(3))
        speed = max(abs(w) for p in b.point["velocity"] for w in p)
        assert bend < 0.1 * speed or k < 3, (k, bend, speed)
        for i in range(len(b.x)):
            close([(y - x) / h for x, y in zip(a.x[i], c.x[i])], b.point["velocity"][i], bend / 3 + 1e-9, (k, i))


def plane(pvd, states):
    """A cantilever of one element: the middle of a Hermite line lies l/8 (t1 - t2) from that of the chord."""
    s = table(states)
    _, frames = series(pvd)
    for k, g in enumerate(frames):
        (c,) = g.cells("bar")
        a, b, m = (g.x[g.corner[c][i]] for i in (0, 8, 4))
        th = [s[f"states.q.{n}.theta"][k] for n in ("root", "tip")]
        close(b, [s["states.q.tip.x"][k], s["states.q.tip.y"][k], 0], 0, "tip")
        l = math.dist(a, b)
        t = [(math.cos(th[0]) - math.cos(th[1])) * l / 8, (math.sin(th[0]) - math.sin(th[1])) * l / 8, 0]
        close(m, [(x + y) / 2 + z for x, y, z in zip(a, b, t)], 1e-15, "middle")
        # its velocity is the derivative of that, stretching included
        v = [[s[f"states.v.{n}.{j}"][k] for j in ("x", "y", "theta")] for n in ("root", "tip")]
        dl = sum((y - x) * (w[1] - w[0]) for x, y, w in zip(a, b, zip(v[0][:2], v[1][:2]))) / l
        want = [(v[0][0] + v[1][0]) / 2 + dl / l * t[0] - l / 8 * (math.sin(th[0]) * v[0][2] - math.sin(th[1]) * v[1][2]),
                (v[0][1] + v[1][1]) / 2 + dl / l * t[1] + l / 8 * (math.cos(th[0]) * v[0][2] - math.cos(th[1]) * v[1][2]), 0]
        close(g.point["velocity"][g.corner[c][4]], want, 1e-15 * (1 + max(map(abs, v[1]))), "velocity of the middle")
    assert abs(frames[-1].point["displacement"][frames[-1].corner[frames[-1].cells("bar")[0]][8]][1]) > 1e-4


def modes(pvd, states):
    s = table(states)
    times, frames = series(pvd)
    assert times == [i + 1.0 for i in range(len(frames))] and frames
    for k, g in enumerate(frames):
        assert g.field == {"frequency": s["frequency"][k]}
        tip = g.corner[g.cells("bar")[0]][8]
        close(g.point["mode"][tip], [s["states.v.tip.x"][k], s["states.v.tip.y"][k], 0], 1e-15, "mode")


def matlab(path, states):
    s, m = table(states), mat(path)
    assert m["title"] == "Gr\u00f6\u00dfe \U0001d6fc" and m["analysis"] == "run" and m["status"] == [[1]]
    assert [r[0] for r in m["t"]] == s["t"] and m["units"]["t"] == "s" and m["paths"]["t"] == "/time"
    assert set(m["sensors"]) == {"tip", "end_"} and set(m["states"]) == {"q", "v", "a", "lam"}
    assert m["names"]["sensors"]["tip"] == list("xyz") + ["rx", "ry", "rz"] and m["paths"]["sensors"]["end_"] == "/sensors/end"
    assert m["units"]["sensors"]["tip"] == ["m"] * 3 + ["rad"] * 3
    for k in range(len(s["t"])):
        assert m["sensors"]["tip"][k] == [s[f"tip.{c}"][k] for c in m["names"]["sensors"]["tip"]]
        assert m["states"]["v"][k] == [s[f"states.v.{c}"][k] for c in m["names"]["states"]["v"]]
        assert m["states"]["q"][k] == [s[f"states.q.{i}"][k] for i in range(len(m["states"]["q"][k]))]


def gone(pvd):
    g = series(pvd)[1][-1]
    c, arm = g.cells("corner")
    assert g.type[c] == 1 and g.cell["group"][c] == 2
    assert g.type[arm] == 3 and g.cell["group"][arm] == 4 and g.x[g.corner[arm][1]] == g.x[g.corner[c][0]]


def points(pvd, states):
    """Everything is drawn from the points where it is fastened, with arms from the nodes that move."""
    s = table(states)
    place = {"a": [0, 0, 0], "b": [0, 0, 1], "tip": [1, 0, 1]}
    want = {  # the line, then the arms: node and place from there
        "left": [("a", [0, 0.9, 0.1]), ("b", [0, 0.9, -0.1])], "right": [("a", [0, -0.9, 0.1]), ("b", [0, -0.9, -0.1])],
        "rubber": [("a", [0.2, 0.3, 0.5]), ("b", [0.2, 0.3, -0.5])], "end": [("a", [0, 0.3, 0.5]), ("b", [0, 0.3, -0.5])],
        "arm": [("b", [0, 0, 0.2]), ("tip", [0, 0, 0.1])], "pin": [("a", [0, 0, -0.2])], "load": [("b", [0, 0.5, 0])],
        "body": [("b", [0, 0, 0.3])], "plain": [("a", [0, 0, 0]), ("b", [0, 0, 0])], "slide": [("a", [0.1, 0, 0.5]), ("b", [0.1, 0, -0.5])]}
    groups = {"arm": (0, 4), "pin": (3, 5), "slide": (3, 5)}
    _, frames = series(pvd)
    assert len(frames) > 2
    for k, g in enumerate(frames):
        q = {n: [s[f"states.q.{7 * i + j}"][k] for j in range(7)] for i, n in enumerate(place)}
        assert sorted(set(g.cell["name"])) == sorted([*want, "stand"])
        for name, ends in want.items():
            cell, *arms = g.cells(name)
            group, arm_group = groups.get(name, (2, 4))
            corners = [g.corner[cell][0], g.corner[cell][-1]]
            if name == "pin":  # of the ground and of a: the ground does not move and has no arm
                close(g.x[corners[0]], [0, 0, -0.2], 1e-15, name)
                corners = corners[1:]
            assert g.cell["group"][cell] == group
            at = [[x + y for x, y in zip(q[n], turned(q[n][3:], p))] for n, p in ends]
            for i, x, (n, p) in zip(corners, at, ends):
                close(g.x[i], x, 1e-14, name)
                close(g.point["displacement"][i], [a - b - c for a, b, c in zip(x, place[n], p)], 1e-14, name)
            far = [(n, x) for (n, p), x in zip(ends, at) if any(p)]
            assert len(arms) == len(far), name
            for c, (n, x) in zip(arms, far):
                assert g.type[c] == 3 and g.cell["group"][c] == arm_group and g.cell["index"][c] == g.cell["index"][cell]
                close(g.x[g.corner[c][0]], q[n][:3], 1e-15, name)
                close(g.x[g.corner[c][1]], x, 1e-14, name)
    # the velocities are the derivatives of the places
    a, b, c = frames[-3:]
    t = s["t"][-3:]
    for i in range(len(b.x)):
        close([(y - x) / (t[2] - t[0]) for x, y in zip(a.x[i], c.x[i])], b.point["velocity"][i], 2e-3, i)


def count(pvd, states):
    assert series(pvd)[0] == table(states)["t"]


def count_mat(path, states):
    m = mat(path)
    assert [r[0] for r in m["t"]] == table(states)["t"] and m["states"]["lam"] == [[] for _ in m["t"]]


def mesh_nodes(name):
    if name == "wire":
        return [[0.3 * math.cos(math.pi * i / 12), 0, 0.3 * math.sin(math.pi * i / 12)] for i in range(13)]
    ring = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    return [[i / 10, 0.1 * y, 0.05 * z] for i in range(11) for y, z in ring] + [[0, 0, 0], [1, 0, 0]]


def mesh_place(name, x, t, d):
    """Where make_meshes.c has a point of a mesh, bent by d; without t in the reference configuration."""
    bar = [-2 * x[0] * x[2] * d[0], -x[0] * x[2] * d[1], x[0] * x[0] * d[0] + x[0] * x[1] * d[1]]
    y = [a + b for a, b in zip(x, [d[0] * x[0] / 0.3, 0, 0] if name == "wire" else bar)]
    if name == "wire":
        return [y[0] + 0.2, y[1] - 0.7, y[2] + 0.1 * t]
    if name == "twin":
        y = [-y[1], y[0], y[2] + 0.1]
    c, s = math.cos(0.8 * t), math.sin(0.8 * t)
    y = [c * y[0] - s * y[1], s * y[0] + c * y[1], y[2]]
    return y if name == "arm" else [y[0] + 0.1 * t, y[1] + 0.8, y[2] + 0.2 * t]


def mesh_bend(name, t):
    d = 0.15 * math.sin(2 * math.pi * t)
    return [0.2 * t, 0] if name == "wire" else [-d, 0] if name == "twin" else [d, 0.4 * math.sin(4 * math.pi * t)]


def mesh_points(g, name, lines, triangles):
    """Points of a mesh in the order of its nodes; they are bodies, and lines and triangles as the file has them."""
    cells = g.cells(name)
    assert [g.type[c] for c in cells] == [3] * lines + [5] * triangles and {g.cell["group"][c] for c in cells} == {1}
    return sorted({k for c in cells for k in g.corner[c]})


SIZES = {"arm": (168, 176), "twin": (168, 176), "wire": (12, 0)}


def meshes(pvd):
    """Bodies of make_meshes.c; its numbers are in single precision, places of about 1 m."""
    times, frames = series(pvd)
    assert len(frames) == 21
    for t, g in zip(times, frames):
        assert sorted(set(g.cell["name"])) == ["arm", "pin", "twin", "wire"]  # a tie is not drawn
        for name, size in SIZES.items():
            nodes, h = mesh_nodes(name), 1e-4
            points = mesh_points(g, name, *size)
            assert len(points) == len(nodes)
            for i, x in zip(points, nodes):
                at = mesh_place(name, x, t, mesh_bend(name, t))
                close(g.x[i], at, 2e-7, name)
                close(g.point["displacement"][i], [a - b for a, b in zip(at, mesh_place(name, x, 0, [0, 0]))], 2e-7, name)
                ends = [mesh_place(name, x, t + e, mesh_bend(name, t + e)) for e in (-h, h)]
                close(g.point["velocity"][i], [(b - a) / (2 * h) for a, b in zip(*ends)], 2e-6, name)


def mesh_modes(pvd):
    _, frames = series(pvd)
    assert len(frames) == 2
    for k, g in enumerate(frames):
        for name, size in SIZES.items():
            for i, x in zip(mesh_points(g, name, *size), mesh_nodes(name)):
                unit = [0, 0] if name != "arm" else [1, 0] if k == 0 else [0, 1]
                at, bent = mesh_place(name, x, 0, [0, 0]), mesh_place(name, x, 0, unit)
                close(g.x[i], at, 2e-7, name)
                close(g.point["mode"][i], [b - a for a, b in zip(at, bent)], 2e-7, name)


def body(pvd, states):
    """The first two nodes of the mesh are the interfaces, with the nodes A and B tied to them; meshes are in single precision."""
    s = table(states)
    _, frames = series(pvd)
    assert len(frames) == 9
    for k, g in enumerate(frames):
        points = sorted({i for c in g.cells("bar") for i in g.corner[c]})
        assert len(points) == 7 and all(g.type[c] == 3 for c in g.cells("bar"))
        for i, node in enumerate("AB"):
            close(g.x[points[i]], [s[f"states.q.{7 * i + j}"][k] for j in range(3)], 1e-7, node)
    close(frames[0].x[points[1]], [0.1 + 0.3 * math.cos(math.pi / 6), 0.35, 0], 1e-7, "B")
    assert frames[-1].x[points[1]][2] < -1e-3  # it sags


globals()[sys.argv[1]](*sys.argv[2:])
