"""Star fields: brightness after a real magnitude law, colours of glowing bodies, a band of unresolved light.

Scenes add it as the farthest layer.
It must never draw anything nearer than a star: no sun, planet or dust in front of one.
"""

import math

import numpy as np
from numba import njit

from .noise import fbm


def blackbody(kelvin):
    """Linear RGB of a glowing body of that temperature, brightest channel 1 (Helland's fit of the CIE curves)."""
    t = kelvin / 100.0
    r = 255.0 if t <= 66 else 329.7 * (t - 60) ** -0.1332
    g = 99.47 * math.log(t) - 161.1 if t <= 66 else 288.1 * (t - 60) ** -0.0755
    b = 255.0 if t >= 66 else (0.0 if t <= 19 else 138.5 * math.log(t - 10) - 305.0)
    c = np.clip(np.array([r, g, b]) / 255.0, 0, 1) ** 2.2
    return c / c.max()


@njit(cache=True)
def splat(img, xs, ys, flux, cols):
    """Adds each star as the spot a good lens makes of a point: a tight core and, if bright, a faint skirt."""
    h, w, _ = img.shape
    for i in range(xs.shape[0]):
        f = flux[i]
        reach = 3 if f < 3.0 else min(40, int(4 + 3.0 * math.sqrt(f)))
        x0 = int(xs[i])
        y0 = int(ys[i])
        for y in range(max(0, y0 - reach), min(h, y0 + reach + 1)):
            for x in range(max(0, x0 - reach), min(w, x0 + reach + 1)):
                dx = x + 0.5 - xs[i]
                dy = y + 0.5 - ys[i]
                d2 = dx * dx + dy * dy
                v = f * 0.42 * math.exp(-d2 / 0.85)
                if f >= 3.0:
                    edge = 1.0 - math.sqrt(d2) / (reach + 0.5)
                    if edge > 0.0:
                        v += f * 0.010 * edge * edge / (1.0 + d2 * 0.35)
                img[y, x, 0] += v * cols[i, 0]
                img[y, x, 1] += v * cols[i, 1]
                img[y, x, 2] += v * cols[i, 2]


@njit(cache=True)
def _band(img, angle, offset, width, seed, strength, r, g, b):
    h, w, _ = img.shape
    ca = math.cos(angle)
    sa = math.sin(angle)
    for y in range(h):
        for x in range(w):
            u = (x - 0.5 * w) / h
            v = (y - 0.5 * h) / h
            along = u * ca + v * sa
            across = -u * sa + v * ca - offset
            across += 0.10 * fbm(along * 1.3, 0.3, 0.7, 3, 0.5, 0.0, seed)
            core = math.exp(-(across * across) / (width * width))
            cloud = 0.62 + 0.55 * fbm(along * 2.6, across * 4.0, 1.5, 6, 0.55, 0.002, seed + 3)
            lane = fbm(along * 2.2 + 4.0, across * 6.5, 5.1, 6, 0.56, 0.002, seed + 9)
            dust = 1.0 - 0.85 * math.exp(-(across * across) / (0.16 * width * width)) * min(1.0, max(0.0, 0.45 + 1.5 * lane))
            val = strength * core * max(0.0, cloud) * dust
            img[y, x, 0] += val * r
            img[y, x, 1] += val * g
            img[y, x, 2] += val * b


def catalogue(width, height, count, seed, faintest=0.05, margin=0):
    """Places, fluxes and colours: for each magnitude fainter there are about three times as many stars."""
    rng = np.random.default_rng(seed)
    xs = rng.uniform(-margin, width + margin, count)
    ys = rng.uniform(-margin, height + margin, count)
    flux = np.minimum(faintest * rng.random(count) ** (-1 / 1.25), 26.0)
    kelvin = np.clip(rng.lognormal(math.log(6200), 0.34, count), 2900, 17000)
    cols = np.array([blackbody(k) for k in kelvin])
    grey = cols.mean(axis=1, keepdims=True)
    return xs, ys, flux, grey + (cols - grey) * 0.8


def field(width, height, count, seed, faintest=0.05, band=None):
    """A sky of linear light; `band` = (angle, offset, width, strength, (r, g, b)) adds unresolved starlight."""
    img = np.zeros((height, width, 3))
    xs, ys, flux, cols = catalogue(width, height, count, seed, faintest)
    if band:
        angle, offset, size, strength, colour = band
        _band(img, angle, offset, size, seed, strength, *colour)
        rng = np.random.default_rng(seed + 5)
        glow = img.sum(axis=2)
        peak = glow.max() or 1.0
        keep = rng.random(count) < 0.35 + 0.9 * glow[ys.astype(int) % height, xs.astype(int) % width] / peak
        xs, ys, flux, cols = xs[keep], ys[keep], flux[keep], cols[keep]
    splat(img, xs, ys, flux, cols)
    return img
