"""What worlds are made of: relief, colour, clouds and lights at a point of a unit sphere.

The planet tracer calls these per pixel with the size of a pixel there, so that no detail is finer than it can show.
It must never know about the sun, the camera or the air: those are the tracer's.
"""

import math

from numba import njit

from .noise import craters, fbm, noise, ridged

MOON = 0
OCEAN = 1
GAS = 2
DESERT = 3
CITY = 4
ICE = 5


@njit(cache=True)
def smooth(a, b, x):
    """0 below a, 1 above b, smooth between."""
    t = (x - a) / (b - a)
    t = 0.0 if t < 0.0 else (1.0 if t > 1.0 else t)
    return t * t * (3.0 - 2.0 * t)


@njit(cache=True)
def relief(kind, x, y, z, foot, seed):
    """Height over the sphere, in radii."""
    if kind == MOON:
        h = 0.011 * fbm(x * 2.1, y * 2.1, z * 2.1, 8, 0.45, foot * 2.1, seed)
        # Rims are not drawn with compasses: the ground is bent a little before the craters fall on it.
        k = 0.012 * fbm(x * 11, y * 11, z * 11, 5, 0.55, foot * 11, seed + 3)
        f = 2.3
        for i in range(8):
            if f * foot > 0.12:
                break
            c, _ = craters(x + k, y - k, z + 0.6 * k, f, seed + 50 + i * 7)
            h += c * (0.26 if i < 2 else 0.60)
            f *= 2.05
        h += 0.00035 * fbm(x * 90, y * 90, z * 90, 4, 0.5, foot * 90, seed + 5)
        return h
    if kind == OCEAN:
        c = fbm(x * 1.5, y * 1.5, z * 1.5, 12, 0.54, foot * 1.5, seed)
        if c < 0.04:
            return 0.0
        return 0.010 * (c - 0.04) * (0.4 + ridged(x * 5, y * 5, z * 5, 9, 0.52, foot * 5, seed + 11))
    if kind == DESERT:
        wx = x + 0.16 * fbm(x * 2.0, y * 2.0, z * 2.0, 4, 0.5, foot * 2, seed + 1)
        wy = y + 0.16 * fbm(x * 2.0 + 9, y * 2.0, z * 2.0, 4, 0.5, foot * 2, seed + 2)
        a = ridged(wx * 3.2, wy * 3.2, z * 3.2, 11, 0.5, foot * 3.2, seed)
        m = fbm(x * 1.1, y * 1.1, z * 1.1, 4, 0.5, foot, seed + 4)
        plateau = smooth(0.35, 0.75, a + 0.5 * m)
        terrace = a * 7.0
        step = math.floor(terrace)
        terrace = (step + smooth(0.25, 0.75, terrace - step)) / 7.0
        return 0.0085 * (0.45 * a + 0.35 * terrace + 0.35 * plateau)
    if kind == CITY:
        return 0.003 * fbm(x * 4, y * 4, z * 4, 8, 0.55, foot * 4, seed)
    if kind == ICE:
        wx = x + 0.10 * fbm(x * 3, y * 3, z * 3, 4, 0.5, foot * 3, seed + 1)
        wz = z + 0.10 * fbm(x * 3 + 5, y * 3, z * 3, 4, 0.5, foot * 3, seed + 2)
        c = ridged(wx * 2.4, y * 2.4, wz * 2.4, 10, 0.50, foot * 2.4, seed)
        d = ridged(wx * 6.1, y * 6.1, wz * 6.1, 8, 0.55, foot * 6.1, seed + 9)
        h = 0.0030 * fbm(x * 9, y * 9, z * 9, 7, 0.55, foot * 9, seed + 3)
        return h + 0.0036 * smooth(0.75, 1.25, c) + 0.0016 * smooth(0.7, 1.2, d)
    return 0.0


@njit(cache=True)
def _gas_value(x, y, z, foot, seed, turn):
    """Bands of a gas giant, sheared by the winds: 0..1 along the palette, and a second value for tint."""
    a = math.cos(turn)
    b = math.sin(turn)
    px = x * a - z * b
    pz = x * b + z * a
    q = fbm(px * 2.0, y * 7.0, pz * 2.0, 6, 0.5, foot * 4, seed)
    r = fbm(px * 2.6 + 3.1, y * 9.0 + 1.7, pz * 2.6, 6, 0.5, foot * 5, seed + 3)
    fine = fbm(px * 7.0 + 1.3 * r, y * 34.0 + 2.2 * q, pz * 7.0 + 1.3 * q, 6, 0.55, foot * 18, seed + 7)
    lat = y + 0.030 * q + 0.014 * fine
    band = fbm(0.31, lat * 5.2, 0.77, 6, 0.62, foot * 5, seed + 13)
    swirl = fbm(px * 5.0 + 2.6 * r, lat * 15.0 + 2.4 * q, pz * 5.0 + 2.6 * q, 7, 0.54, foot * 12, seed + 17)
    return 0.5 + 0.62 * band + 0.13 * swirl + 0.05 * fine, swirl


@njit(cache=True)
def cloud_cover(x, y, z, foot, seed, turn):
    """Cover of clouds 0..1, in weather systems drawn out along the latitudes."""
    a = math.cos(turn)
    b = math.sin(turn)
    px = x * a - z * b
    pz = x * b + z * a
    w1 = fbm(px * 1.7, y * 2.3, pz * 1.7, 5, 0.5, foot * 2, seed + 101)
    w2 = fbm(px * 1.7 + 7.7, y * 2.3, pz * 1.7, 5, 0.5, foot * 2, seed + 107)
    big = fbm(px * 2.2 + 0.55 * w1, y * 3.4 + 0.55 * w2, pz * 2.2 - 0.4 * w1, 11, 0.56, foot * 3, seed + 113)
    fine = ridged(px * 8 + 1.4 * w2, y * 10 + 1.2 * w1, pz * 8, 8, 0.55, foot * 9, seed + 127)
    return smooth(0.02, 0.62, big + 0.22 * (fine - 0.55) + 0.10 * w1)


@njit(cache=True)
def _line(x, y, z, f, width, foot, seed):
    """Thin winding lines (zero crossings of a noise), dimmed where a pixel is wider than they are."""
    w = width + 0.8 * f * foot
    n = noise(x * f, y * f, z * f, seed) + 0.25 * noise(x * f * 3.1, y * f * 3.1, z * f * 3.1, seed + 1)
    return math.exp(-(n * n) / (w * w)) * width / w


@njit(cache=True)
def _city_light(x, y, z, foot, seed):
    """Lights of a built-over world seen from orbit: bright cores, the roads between them, and empty dark."""
    d = fbm(x * 2.4, y * 2.4, z * 2.4, 7, 0.56, foot * 2.4, seed + 201)
    dense = smooth(-0.25, 0.75, d)
    core = smooth(0.25, 0.95, d)
    speck = math.exp(2.7 * fbm(x * 170, y * 170, z * 170, 4, 0.85, foot * 170, seed + 241))
    speck *= math.exp(0.9 * fbm(x * 30, y * 30, z * 30, 3, 0.7, foot * 30, seed + 246))
    roads = _line(x, y, z, 5.0, 0.006, foot, seed + 211) + 0.7 * _line(x, y, z, 13.0, 0.012, foot, seed + 221)
    lanes = _line(x, y, z, 37.0, 0.06, foot, seed + 231) + _line(x, y, z, 83.0, 0.10, foot, seed + 236)
    town = dense * dense * (0.020 + 0.16 * lanes) + core * core * (0.22 + 0.25 * lanes)
    return town * speck + roads * (0.08 + 0.8 * dense) * (0.25 + 0.5 * speck)


@njit(cache=True)
def colour(kind, x, y, z, h, foot, seed, turn, turn_2, mix):
    """Albedo (3), share of mirror-like water, emitted light (3).

    `turn` moves what flows (bands); mixing in a second copy turned by `turn_2` lets a film loop without a seam.
    """
    if kind == MOON:
        a = 0.30 + 0.13 * fbm(x * 1.3, y * 1.3, z * 1.3, 7, 0.55, foot * 1.3, seed + 61) + 4.0 * h
        a += 0.05 * fbm(x * 40, y * 40, z * 40, 4, 0.6, foot * 40, seed + 67)
        f = 4.7
        for i in range(4):
            if f * foot > 0.2:
                break
            _, fresh = craters(x, y, z, f, seed + 57 + i * 7)
            a += 0.05 * fresh
            f *= 2.05
        a = min(0.75, max(0.08, a))
        return a * 1.02, a * 0.98, a * 0.93, 0.0, 0.0, 0.0, 0.0
    if kind == OCEAN:
        if h <= 0.0:
            d = 0.5 + 0.5 * fbm(x * 6, y * 6, z * 6, 5, 0.5, foot * 6, seed + 71)
            return 0.010, 0.028 + 0.010 * d, 0.055 + 0.018 * d, 1.0, 0.0, 0.0, 0.0
        dry = smooth(-0.3, 0.4, fbm(x * 2.6, y * 2.6, z * 2.6, 7, 0.55, foot * 2.6, seed + 73))
        up = smooth(0.0, 0.006, h)
        r = 0.055 + 0.17 * dry + 0.12 * up
        g = 0.070 + 0.10 * dry + 0.10 * up
        b = 0.045 + 0.045 * dry + 0.09 * up
        snow = smooth(0.72, 0.9, abs(y) + 18 * h)
        return r + (0.7 - r) * snow, g + (0.74 - g) * snow, b + (0.8 - b) * snow, 0.0, 0.0, 0.0, 0.0
    if kind == GAS:
        v, s = _gas_value(x, y, z, foot, seed, turn)
        if mix > 0.0:
            v2, s2 = _gas_value(x, y, z, foot, seed, turn_2)
            v += (v2 - v) * mix
            s += (s2 - s) * mix
        v = min(1.0, max(0.0, v))
        t = smooth(0.15, 0.85, v)
        r = 0.30 + 0.42 * t + 0.05 * s
        g = 0.17 + 0.42 * t + 0.02 * s
        b = 0.12 + 0.34 * t * t - 0.04 * s
        pole = smooth(0.55, 0.95, abs(y))
        r *= 1.0 - 0.55 * pole
        g *= 1.0 - 0.40 * pole
        b *= 1.0 - 0.12 * pole
        return r, g, b, 0.0, 0.0, 0.0, 0.0
    if kind == DESERT:
        k = h / 0.0085
        d = fbm(x * 5, y * 5, z * 5, 8, 0.55, foot * 5, seed + 81)
        layer = 0.5 + 0.5 * math.sin(k * 46.0 + 2.0 * d)
        t = smooth(0.2, 1.0, k) * 0.7 + 0.25 * d + 0.14 * layer
        t = min(1.0, max(0.0, t))
        return 0.26 + 0.30 * t, 0.125 + 0.19 * t, 0.060 + 0.11 * t, 0.0, 0.0, 0.0, 0.0
    if kind == CITY:
        e = _city_light(x, y, z, foot, seed)
        warm = 0.5 + 0.5 * noise(x * 9, y * 9, z * 9, seed + 251)
        return 0.05, 0.055, 0.065, 0.15, e, e * (0.46 + 0.14 * warm), e * (0.13 + 0.20 * warm)
    c = smooth(0.0, 0.0042, h)
    d = fbm(x * 3, y * 3, z * 3, 7, 0.55, foot * 3, seed + 91)
    t = 0.5 + 0.5 * d
    r = 0.50 + 0.16 * t - 0.20 * c
    g = 0.58 + 0.12 * t - 0.26 * c
    b = 0.66 + 0.08 * t - 0.26 * c
    return r, g, b, 0.06, 0.0, 0.0, 0.0
