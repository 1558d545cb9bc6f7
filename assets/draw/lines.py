"""Pictures made of fine lines and points of light: terrain contours, orbits, star chart, docking gates, trails, plating.

`banners.py` picks from these; each gives linear light for a size it is told.
Nothing here may be brighter than text over it allows; `check.py` measures that.
"""

import math

import numpy as np
from numba import njit, prange

from render import stars
from render.light import AMBER, CYAN, MISSIONS, PVE, PVP, TEXT, linear
from render.noise import fbm, ridged

PALE = linear(TEXT)


def grid(w, h):
    """Coordinates in picture heights: x from 0 rightward, y from -0.5 (bottom) to 0.5 (top)."""
    y, x = np.mgrid[0:h, 0:w]
    return (x + 0.5) / h, 0.5 - (y + 0.5) / h


def stroke(value, width):
    """Cover of the line value = 0, `width` in the units that `value` changes per pixel of its own gradient."""
    gy, gx = np.gradient(value)
    d = np.abs(value) / np.maximum(np.hypot(gx, gy), 1e-9)
    return np.clip(width / 2 + 0.5 - d, 0, 1)


@njit(parallel=True, cache=True)
def _land(w, h, seed):
    out = np.zeros((h, w))
    for j in prange(h):
        for i in range(w):
            x = i / h * 1.25
            y = j / h * 1.25
            wx = 0.35 * fbm(x, y, 0.5, 3, 0.5, 0.0, seed + 1)
            wy = 0.35 * fbm(x + 7, y, 0.5, 3, 0.5, 0.0, seed + 2)
            r = ridged((x + wx) * 0.62, (y + wy) * 0.62, 0.2, 4, 0.32, 0.0, seed)
            out[j, i] = 0.70 * r + 0.45 * fbm(x * 0.5, y * 0.5, 3.3, 3, 0.40, 0.0, seed + 5)
    return out


def contours(w, h):
    """A survey map: hills by lines of equal height, the fifth of them stronger, shaded from the upper left."""
    z = _land(w, h, 21)
    px = w / 1200
    gy, gx = np.gradient(z)
    shade = np.clip(0.5 - (gx * 0.8 + gy) * 70 * px, 0, 1)
    img = (shade ** 2 * 0.030)[..., None] * np.array([0.55, 0.75, 1.0])
    step = 0.052
    fine = stroke(z / step - np.round(z / step), 0.85 * px)
    strong = stroke(z / step / 5 - np.round(z / step / 5), 1.3 * px)
    high = np.clip((z - 0.25) / 0.7, 0, 1)[..., None]
    ink = linear(AMBER) * high + linear((70, 120, 150)) * (1 - high)
    img = img + ink * (fine * 0.060)[..., None] + ink * (strong * 0.165)[..., None]
    return img


def orbits(w, h):
    """Orbits about one focus, drawn as a navigator would: nodes, apsides, and one transfer in amber."""
    x, y = grid(w, h)
    px = w / 1200
    img = stars.field(w, h, 500, 4, faintest=0.015)
    fx, fy, turn = 2.55, -0.10, math.radians(-16)
    u = (x - fx) * math.cos(turn) + (y - fy) * math.sin(turn)
    v = -(x - fx) * math.sin(turn) + (y - fy) * math.cos(turn)
    v = v / 0.42
    r = np.hypot(u, v)
    a = np.arctan2(v, u)
    for radius, k in ((0.20, .16), (0.36, .16), (0.60, .20), (0.98, .16), (1.55, .14), (2.3, .10)):
        img += PALE * (stroke(r - radius, 0.9 * px) * k * (0.55 + 0.45 * np.cos(a - 2.4)))[..., None]
    # Tick marks every five degrees along the third orbit, every thirtieth longer.
    deg = np.degrees(a)
    band = (r > 0.60) & (r < 0.616)
    long = (r > 0.60) & (r < 0.635)
    img += PALE * (stroke((deg / 5 - np.round(deg / 5)), 0.8 * px) * band * 0.20)[..., None]
    img += PALE * (stroke((deg / 30 - np.round(deg / 30)), 1.0 * px) * long * 0.30)[..., None]
    for angle in (25, 205):
        line = -np.sin(math.radians(angle)) * u + np.cos(math.radians(angle)) * v
        img += PALE * (stroke(line, 0.7 * px) * (r < 2.3) * 0.05)[..., None]
    e, p0 = 0.62, 0.36 * 1.62
    w0 = math.radians(25)
    ell = r - p0 / (1 + e * np.cos(a - w0))
    img += linear(AMBER) * (stroke(ell, 1.6 * px) * 0.42 * (0.35 + 0.65 * (np.sin((a - w0) / 2) ** 2)))[..., None]
    apo = p0 / (1 - e)
    marks = [(apo, w0 + math.pi, AMBER, 1.4, 0.0155), (0.36, w0, TEXT, 0.8, 0.010), (0.60, 2.9, TEXT, 0.7, 0.011),
             (0.98, 1.35, PVE, 0.7, 0.011), (1.55, 3.55, MISSIONS, 0.7, 0.011), (0.20, 4.1, TEXT, 0.6, 0.009)]
    for rad, ang, colour, power, size in marks:
        cu, cv = rad * math.cos(ang), rad * math.sin(ang) * 0.42
        cx = fx + cu * math.cos(turn) - cv * math.sin(turn)
        cy = fy + cu * math.sin(turn) + cv * math.cos(turn)
        d = np.hypot(x - cx, y - cy)
        img += linear(colour) * (np.clip((size - d) * h + 0.5, 0, 1) * 0.5 * power)[..., None]
        if colour == AMBER:
            img += linear(colour) * (np.clip(1.0 * px / 2 + 0.5 - np.abs(d - 0.038) * h, 0, 1) * 0.5)[..., None]
    d = np.hypot(x - fx, y - fy)
    img += np.array([1, 0.8, 0.55]) * (np.clip((0.034 - d) * h + 0.5, 0, 1) * 0.45 + 0.05 * np.exp(-d * d / 0.012))[..., None]
    return img


def chart(w, h):
    """A chart of the sky: circles of the grid, stars sized by magnitude, figures joined by fine lines."""
    x, y = grid(w, h)
    px = w / 1200
    img = np.zeros((h, w, 3))
    cx, cy = 1.5, 1.55
    r = np.hypot(x - cx, y - cy)
    a = np.degrees(np.arctan2(y - cy, x - cx))
    net = linear((88, 128, 160))
    img += net * (stroke(r / 0.33 - np.round(r / 0.33), 0.8 * px) * 0.14)[..., None]
    img += net * (stroke(a / 10 - np.round(a / 10), 0.8 * px) * 0.11)[..., None]
    img += net * (stroke(r - 1.65, 1.5 * px) * 0.22)[..., None]
    fine = (r > 1.65) & (r < 1.68)
    img += net * (stroke(a - np.round(a), 0.9 * px) * fine * 0.30)[..., None]
    band = np.exp(-((y + 0.28 - 0.24 * (x - 2.2)) / 0.20) ** 2)
    img += band[..., None] * np.array([0.006, 0.009, 0.015])
    rng = np.random.default_rng(31)
    spots = np.column_stack([rng.uniform(0.05, 3.95, 150), rng.uniform(-0.48, 0.48, 150)])
    size = 0.0018 * rng.random(150) ** -0.36
    figures = [[(0.22, .10), (.46, .22), (.70, .12), (.92, .25), (.78, -.10), (.50, -.20)],
               [(1.42, .02), (1.66, .16), (1.90, .05), (2.05, -.18), (1.74, -.24), (1.42, .02)],
               [(2.62, .28), (2.78, .06), (3.06, .00), (3.20, -.24), (3.44, -.14), (3.62, .10), (3.44, .30)]]
    figures[0] += [(0.22, .10)]
    for f in figures:
        for (ax, ay), (bx, by) in zip(f, f[1:]):
            t = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1)
            d = np.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
            clear = np.clip((np.minimum(np.hypot(x - ax, y - ay), np.hypot(x - bx, y - by)) - 0.030) * 60, 0, 1)
            img += linear(AMBER) * (np.clip(0.5 * px + 0.5 - d * h, 0, 1) * clear * 0.20)[..., None]
    joints = [(p, s) for f in figures for p, s in zip(f[:6], (.0105, .0075, .012, .0085, .007, .0095))]
    for (sx, sy), s in joints + list(zip(map(tuple, spots), size)):
        d = np.hypot(x - sx, y - sy)
        img += PALE * (np.clip((min(s, 0.012) - d) * h + 0.5, 0, 1) * (0.42 if s < 0.007 else 0.6))[..., None]
    return img


def gates(w, h):
    """The way into a dock: gates of lights closing in on a point, red to the left and green to the right."""
    img = stars.field(w, h, 260, 9, faintest=0.012)
    x, y = grid(w, h)
    vx, vy = 2.72, 0.03
    d = np.hypot((x - vx) * 0.8, y - vy)
    img += np.exp(-d / 0.22)[..., None] * np.array([0.050, 0.036, 0.022])
    def spot(px, py, size, colour, power):
        r2 = ((x - px) ** 2 + (y - py) ** 2)
        core = np.exp(-r2 / (size * size))
        skirt = np.exp(-np.sqrt(r2) / (size * 3.4))
        return (core * 0.85 + skirt * 0.10)[..., None] * linear(colour) * power
    for k in range(15):
        z = 0.42 * 1.36 ** k
        s = 1.0 / z
        bw, bh = 0.62 * s, 0.33 * s
        fade = min(1.0, z / 0.9) / (1 + 0.03 * k)
        inside = np.maximum(np.abs(x - vx) / bw, np.abs(y - vy) / bh)
        cut = np.abs(x - vx) / bw + np.abs(y - vy) / bh
        frame = np.maximum(inside, cut / 1.62) - 1
        img += np.array([0.10, 0.14, 0.19]) * (stroke(frame, (0.8 + 1.4 * s) * w / 1200) * 0.20 * fade)[..., None]
        size = 0.0075 * s ** 0.7
        for sx, sy, colour in ((-1, -.62, PVP), (-1, .62, PVP), (1, -.62, PVE), (1, .62, PVE), (-.62, -1, AMBER),
                               (.62, -1, AMBER), (0, -1, AMBER), (-.62, 1, TEXT), (.62, 1, TEXT)):
            px, py = vx + sx * bw, vy + sy * bh
            if -0.2 < px < 4.2 and -0.7 < py < 0.7:
                img += spot(px, py, size, colour, 0.42 * fade)
    return img


def trails(w, h):
    """Five ships leaving in formation, kept on one long exposure."""
    img = stars.field(w, h, 900, 6, faintest=0.020)
    x, y = grid(w, h)
    for n, lane in enumerate((0.0, 0.055, -0.055, 0.11, -0.11)):
        end = 3.52 - abs(lane) * 2.4
        path = -0.40 + lane * (0.35 + 0.22 * x) + 0.66 * (x / 4) ** 1.9
        slope = 0.66 * 1.9 / 4 * (x / 4) ** 0.9
        d = (y - path) / np.sqrt(1 + slope ** 2)
        along = np.clip(1 - (end - x) / 3.4, 0, 1) * (x < end)
        bright = along ** 2.2
        img += linear(AMBER) * (np.exp(-(d / 0.0042) ** 2) * bright * 0.34)[..., None]
        img += np.array([1.0, 0.55, 0.25]) * (np.exp(-np.abs(d) / 0.028) * bright * 0.035)[..., None]
        ey = -0.40 + lane * (0.35 + 0.22 * end) + 0.66 * (end / 4) ** 1.9
        r = np.hypot(x - end, y - ey)
        img += np.array([1, 0.93, 0.82]) * (np.exp(-(r / 0.010) ** 2) * 0.9 + np.exp(-r / 0.035) * 0.06)[..., None]
    return img


def plating(w, h):
    """The flank of a large ship under raking light: plates, seams, a row of lit windows."""
    rng = np.random.default_rng(12)
    x, y = grid(w, h)
    px = 1.0 / h
    tone = np.zeros((h, w))
    seam = np.full((h, w), 9.0)
    rise = np.zeros((h, w))

    def split(x0, y0, x1, y1, depth):
        ww, hh = x1 - x0, y1 - y0
        if depth == 0 or (max(ww / 1.6, hh) < 0.17 and rng.random() < 0.6) or max(ww, hh) < 0.09:
            j0, j1 = int((0.5 - y1) * h), int((0.5 - y0) * h) + 1
            i0, i1 = int(x0 * h), int(x1 * h) + 1
            s = np.s_[max(0, j0):j1, max(0, i0):i1]
            ins = np.minimum(np.minimum(x[s] - x0, x1 - x[s]), np.minimum(y[s] - y0, y1 - y[s]))
            corner = rng.integers(0, 4) if rng.random() < 0.45 else -1
            if corner >= 0:
                cxx = x1 if corner & 1 else x0
                cyy = y1 if corner & 2 else y0
                ins = np.minimum(ins, (np.abs(x[s] - cxx) + np.abs(y[s] - cyy) - 0.045) * 0.707)
            own = ins > 0
            level = rng.normal(0, 0.20)
            tone[s] = np.where(own, level, tone[s])
            seam[s] = np.where(own, ins, np.minimum(seam[s], 0))
            rise[s] = np.where(own, rng.uniform(-1, 1), rise[s])
            return
        if ww * rng.uniform(0.7, 1.3) > hh * 1.5:
            c = x0 + ww * rng.choice([0.34, 0.5, 0.62])
            split(x0, y0, c, y1, depth - 1)
            split(c, y0, x1, y1, depth - 1)
        else:
            c = y0 + hh * rng.choice([0.3, 0.5, 0.7])
            split(x0, y0, x1, c, depth - 1)
            split(x0, c, x1, y1, depth - 1)

    for k, (lo, hi) in enumerate(((-0.5, -0.235), (-0.235, -0.03), (-0.03, 0.03), (0.03, 0.29), (0.29, 0.5))):
        edges = np.concatenate([[0], np.sort(rng.uniform(0.2, 3.8, 5)), [4.0]])
        for a, b in zip(edges, edges[1:]):
            split(a, lo, b, hi, 5 if k != 2 else 2)
    light = 0.010 + 0.055 * np.exp(-((x - 3.3) / 1.1) ** 2) + 0.012 * np.exp(-((x - 0.4) / 0.9) ** 2)
    groove = np.clip(seam / (1.6 * px * w / 2400 * 2), 0, 1)
    edge = np.exp(-np.abs(seam - 0.006) / 0.004)
    base = light * (1 + tone) * (0.25 + 0.75 * groove) * (1 + 0.55 * edge * rise)
    img = base[..., None] * np.array([0.80, 0.92, 1.10])
    bolts = rng.uniform([0, -0.5], [4, 0.5], (150, 2))
    for bx, by in bolts:
        d = np.hypot(x - bx, y - by)
        img *= 1 - (0.5 * np.clip((0.006 - d) * h, 0, 1))[..., None]
    for i in range(64):
        wx = 0.12 + i * 0.06
        if rng.random() < 0.46:
            continue
        colour = linear(AMBER) if rng.random() < 0.88 else linear(CYAN) * 0.7
        box = np.clip((0.016 - np.abs(x - wx)) * h + 0.5, 0, 1) * np.clip((0.0085 - np.abs(y - 0.002)) * h + 0.5, 0, 1)
        r = np.hypot((x - wx) * 0.8, y - 0.002)
        power = rng.uniform(0.3, 1.0)
        img += colour * (box * 0.34 * power + np.exp(-r / 0.035) * 0.024 * power)[..., None]
    return img
