"""What worlds are made of: relief, colour, clouds and lights at a point of a unit sphere.

The planet tracer calls these per pixel with the size of a pixel there, so that no detail is finer than it can show.
It must never know about the sun, the camera or the air: those are the tracer's.
"""

import math

import numpy as np
from numba import njit, prange

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
def _gas_value(px, y, pz, foot, seed):
    """Bands of a gas giant: 0..1 along the palette, and a second value for tint."""
    q = fbm(px * 2.0, y * 7.0, pz * 2.0, 6, 0.5, foot * 4, seed)
    r = fbm(px * 2.6 + 3.1, y * 9.0 + 1.7, pz * 2.6, 6, 0.5, foot * 5, seed + 3)
    fine = fbm(px * 7.0 + 1.3 * r, y * 34.0 + 2.2 * q, pz * 7.0 + 1.3 * q, 6, 0.55, foot * 18, seed + 7)
    lat = y + 0.030 * q + 0.014 * fine
    band = fbm(0.31, lat * 5.2, 0.77, 6, 0.62, foot * 5, seed + 13)
    swirl = fbm(px * 5.0 + 2.6 * r, lat * 15.0 + 2.4 * q, pz * 5.0 + 2.6 * q, 7, 0.54, foot * 12, seed + 17)
    return 0.5 + 0.62 * band + 0.13 * swirl + 0.05 * fine, swirl


@njit(cache=True)
def _cloud_value(px, y, pz, foot, seed):
    """Cover of clouds 0..1, in weather systems drawn out along the latitudes."""
    w1 = fbm(px * 1.7, y * 2.3, pz * 1.7, 5, 0.5, foot * 2, seed + 101)
    w2 = fbm(px * 1.7 + 7.7, y * 2.3, pz * 1.7, 5, 0.5, foot * 2, seed + 107)
    big = fbm(px * 2.2 + 0.55 * w1, y * 3.4 + 0.55 * w2, pz * 2.2 - 0.4 * w1, 11, 0.56, foot * 3, seed + 113)
    fine = ridged(px * 8 + 1.4 * w2, y * 10 + 1.2 * w1, pz * 8, 8, 0.55, foot * 9, seed + 127)
    return smooth(0.02, 0.62, big + 0.22 * (fine - 0.55) + 0.10 * w1)


@njit(cache=True)
def _look_up(level, window, x, y, z):
    """Both values of a map at a direction, between its four nearest points."""
    h, w, _ = level.shape
    u = (math.atan2(z, x) - window[0]) / (window[1] - window[0]) * w - 0.5
    v = (window[3] - math.asin(max(-1.0, min(1.0, y)))) / (window[3] - window[2]) * h - 0.5
    iu = int(math.floor(u))
    iv = int(math.floor(v))
    fu = u - iu
    fv = v - iv
    a = level[max(0, min(h - 1, iv))]
    b = level[max(0, min(h - 1, iv + 1))]
    i = iu % w
    j = (iu + 1) % w
    p = (a[i, 0] * (1 - fu) + a[j, 0] * fu) * (1 - fv) + (b[i, 0] * (1 - fu) + b[j, 0] * fu) * fv
    q = (a[i, 1] * (1 - fu) + a[j, 1] * fu) * (1 - fv) + (b[i, 1] * (1 - fu) + b[j, 1] * fu) * fv
    return p, q


@njit(cache=True)
def _from_map(levels, window, x, y, z, foot):
    """The map at a direction, at the level whose points are about as large as a pixel there."""
    size = (window[1] - window[0]) / levels[0].shape[1]
    k = math.log2(max(1.0, foot / size))
    i = min(len(levels) - 1, int(k))
    p, q = _look_up(levels[i], window, x, y, z)
    if i + 1 < len(levels):
        p2, q2 = _look_up(levels[i + 1], window, x, y, z)
        p += (p2 - p) * (k - i)
        q += (q2 - q) * (k - i)
    return p, q


@njit(cache=True)
def _flow(kind, x, y, z, foot, seed, turn, levels, window):
    """What flows (bands, clouds, the lights of towns below), carried round the axis by `turn`."""
    if kind == GAS:
        # Neighbouring bands blow at different speeds.
        turn = turn * (1.0 + 0.55 * math.sin(17.0 * y + 0.6) + 0.30 * math.sin(41.0 * y))
    a = math.cos(turn)
    b = math.sin(turn)
    px = x * a - z * b
    pz = x * b + z * a
    if levels[0].shape[0] > 1:
        return _from_map(levels, window, px, y, pz, foot)
    if kind == GAS:
        return _gas_value(px, y, pz, foot, seed)
    if kind == CITY:
        return _city_light(px, y, pz, foot, seed), 0.5 + 0.5 * noise(px * 9, y * 9, pz * 9, seed + 251)
    return _cloud_value(px, y, pz, foot, seed), 0.0


@njit(cache=True)
def flow(kind, x, y, z, foot, seed, turn, turn_2, mix, levels, window):
    """What flows; mixing in a second copy turned by `turn_2` lets a film loop without a seam."""
    a, b = _flow(kind, x, y, z, foot, seed, turn, levels, window)
    if mix > 0.0:
        c, d = _flow(kind, x, y, z, foot, seed, turn_2, levels, window)
        a += (c - a) * mix
        b += (d - b) * mix
    return a, b


@njit(cache=True)
def gas_colour(v, s, y):
    """Albedo of a gas giant from its two values and the sine of the latitude."""
    t = smooth(0.15, 0.85, min(1.0, max(0.0, v)))
    pole = smooth(0.55, 0.95, abs(y))
    r = (0.30 + 0.42 * t + 0.05 * s) * (1.0 - 0.55 * pole)
    g = (0.17 + 0.42 * t + 0.02 * s) * (1.0 - 0.40 * pole)
    b = (0.12 + 0.34 * t * t - 0.04 * s) * (1.0 - 0.12 * pole)
    return r, g, b


@njit(parallel=True, cache=True)
def _bake(kind, seed, width, height, window):
    out = np.zeros((height, width, 2), np.float32)
    foot = (window[1] - window[0]) / width
    for j in prange(height):
        lat = window[3] - (j + 0.5) / height * (window[3] - window[2])
        y = math.sin(lat)
        for i in range(width):
            lon = window[0] + (i + 0.5) * foot
            x = math.cos(lat) * math.cos(lon)
            z = math.cos(lat) * math.sin(lon)
            if kind == GAS:
                out[j, i, 0], out[j, i, 1] = _gas_value(x, y, z, foot, seed)
            elif kind == CITY:
                out[j, i, 0] = _city_light(x, y, z, foot, seed)
                out[j, i, 1] = 0.5 + 0.5 * noise(x * 9, y * 9, z * 9, seed + 251)
            else:
                out[j, i, 0] = _cloud_value(x, y, z, foot, seed)
    return out


WHOLE = (-math.pi, math.pi, -math.pi / 2, math.pi / 2)


def bake(kind, seed, width, window=WHOLE, levels=1):
    """Maps of what flows on a world: (levels, window). A window is the first and last longitude and latitude."""
    height = int(width * (window[3] - window[2]) / (window[1] - window[0]))
    maps = [_bake(kind, seed, width, height, window)]
    for _ in range(levels - 1):
        m = maps[-1][:maps[-1].shape[0] // 2 * 2, :maps[-1].shape[1] // 2 * 2]
        maps.append(np.ascontiguousarray((m[::2, ::2] + m[1::2, ::2] + m[::2, 1::2] + m[1::2, 1::2]) * np.float32(0.25)))
    return tuple(maps), window


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
def colour(kind, x, y, z, h, foot, seed):
    """Albedo (3), share of mirror-like water, emitted light (3) of solid or liquid ground."""
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
    if kind == DESERT:
        k = h / 0.0085
        d = fbm(x * 5, y * 5, z * 5, 8, 0.55, foot * 5, seed + 81)
        layer = 0.5 + 0.5 * math.sin(k * 46.0 + 2.0 * d)
        t = smooth(0.2, 1.0, k) * 0.7 + 0.25 * d + 0.14 * layer
        t = min(1.0, max(0.0, t))
        return 0.26 + 0.30 * t, 0.125 + 0.19 * t, 0.060 + 0.11 * t, 0.0, 0.0, 0.0, 0.0
    if kind == CITY:
        return 0.05, 0.055, 0.065, 0.15, 0.0, 0.0, 0.0
    c = smooth(0.0, 0.0042, h)
    d = fbm(x * 3, y * 3, z * 3, 7, 0.55, foot * 3, seed + 91)
    t = 0.5 + 0.5 * d
    r = 0.50 + 0.16 * t - 0.20 * c
    g = 0.58 + 0.12 * t - 0.26 * c
    b = 0.66 + 0.08 * t - 0.26 * c
    return r, g, b, 0.06, 0.0, 0.0, 0.0
