"""Loose rocks: spheres beaten out of shape, marched one by one and lit by one sun, nearest last.

Belts and rings call it with a list of places and sizes.
It must never decide where rocks are: a scene that wants a loop moves them itself.
"""

import math

import numpy as np
from numba import njit, prange

from .noise import craters, fbm


@njit(cache=True)
def _shape(x, y, z, seed, octaves, sx, sy, sz):
    """Signed height of a point over the rock's skin (below zero is inside)."""
    px = x / sx
    py = y / sy
    pz = z / sz
    r = math.sqrt(px * px + py * py + pz * pz) + 1e-9
    nx = px / r
    ny = py / r
    nz = pz / r
    h = 0.80 + 0.26 * fbm(nx * 1.1, ny * 1.1, nz * 1.1, octaves, 0.47, 0.0, seed)
    f = 1.2
    for i in range(min(3, octaves - 3)):
        c, _ = craters(nx, ny, nz, f, seed + 40 + i)
        h += 0.75 * c
        f *= 1.9
    return (r - h) * min(sx, min(sy, sz))


@njit(parallel=True, cache=True)
def _one(img, cover, x0, y0, x1, y1, ox, oy, oz, cam, size, seed, octaves, axes, turn, sun, light, fill, dim):
    h, w, _ = img.shape
    c1 = math.cos(turn[0])
    s1 = math.sin(turn[0])
    c2 = math.cos(turn[1])
    s2 = math.sin(turn[1])
    for y in prange(y0, y1):
        v = (1.0 - 2.0 * (y + 0.5) / h) * cam[12]
        for x in range(x0, x1):
            u = (2.0 * (x + 0.5) / w - 1.0) * cam[12] * w / h
            ax = cam[9] + u * cam[3] + v * cam[6]
            ay = cam[10] + u * cam[4] + v * cam[7]
            az = cam[11] + u * cam[5] + v * cam[8]
            l = 1.0 / math.sqrt(ax * ax + ay * ay + az * az)
            ax *= l
            ay *= l
            az *= l
            b = ox * ax + oy * ay + oz * az
            q = b * b - (ox * ox + oy * oy + oz * oz - 1.32)
            if q <= 0.0:
                continue
            # Into the rock's own axes: it tumbles about two of them.
            px = ox * c1 - oz * s1
            pz = ox * s1 + oz * c1
            py = oy * c2 - pz * s2
            pz = oy * s2 + pz * c2
            dx = ax * c1 - az * s1
            dz = ax * s1 + az * c1
            dy = ay * c2 - dz * s2
            dz = ay * s2 + dz * c2
            t = -b - math.sqrt(q)
            end = -b + math.sqrt(q)
            close = 1e9
            hit = False
            for _ in range(56):
                d = _shape(px + dx * t, py + dy * t, pz + dz * t, seed, octaves, axes[0], axes[1], axes[2])
                close = min(close, d)
                if d < 0.0015:
                    hit = True
                    break
                t += d * 0.72
                if t > end:
                    break
            if not hit:
                continue
            hx = px + dx * t
            hy = py + dy * t
            hz = pz + dz * t
            e = 0.006
            f0 = _shape(hx, hy, hz, seed, octaves, axes[0], axes[1], axes[2])
            nx = _shape(hx + e, hy, hz, seed, octaves, axes[0], axes[1], axes[2]) - f0
            ny = _shape(hx, hy + e, hz, seed, octaves, axes[0], axes[1], axes[2]) - f0
            nz = _shape(hx, hy, hz + e, seed, octaves, axes[0], axes[1], axes[2]) - f0
            l = 1.0 / (math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12)
            sx = sun[0] * c1 - sun[2] * s1
            sz = sun[0] * s1 + sun[2] * c1
            sy = sun[1] * c2 - sz * s2
            sz = sun[1] * s2 + sz * c2
            lam = max(0.0, (nx * sx + ny * sy + nz * sz) * l)
            if lam > 0.0 and octaves > 4:
                k = 0.03
                for _ in range(14):
                    d = _shape(hx + sx * k, hy + sy * k, hz + sz * k, seed, 4, axes[0], axes[1], axes[2])
                    if d < -0.004:
                        lam = 0.0
                        break
                    k += max(0.03, d * 0.9)
                    if k > 1.6:
                        break
            a = 0.30 + 0.16 * fbm(hx * 3.1, hy * 3.1, hz * 3.1, 4, 0.6, 0.0, seed + 77)
            grazing = 1.0 + (nx * dx + ny * dy + nz * dz) * l
            rim = 0.35 + 0.65 * grazing * grazing
            img[y, x, 0] = dim[0] + dim[3] * a * (lam * light[0] + fill[0] * rim)
            img[y, x, 1] = dim[1] + dim[3] * a * (lam * light[1] * 0.97 + fill[1] * rim)
            img[y, x, 2] = dim[2] + dim[3] * a * (lam * light[2] * 0.92 + fill[2] * rim)
            cover[y, x] = 1.0


def draw(img, cam, rocks, sun, light, fill, haze=(0, 0, 0), haze_far=1e9):
    """Draws rocks (x, y, z, size, seed, turn_1, turn_2) over `img`; `haze` is the light a far one sinks into."""
    h, w = img.shape[:2]
    sun = np.asarray(sun, float) / np.linalg.norm(sun)
    cover = np.zeros((h, w))
    at = [np.asarray(r[:3], float) - cam[:3] for r in rocks]
    for k in sorted(range(len(rocks)), key=lambda n: -(at[n] @ cam[9:12])):
        rel, size, seed = at[k], rocks[k][3], int(rocks[k][4])
        depth = rel @ cam[9:12]
        if depth < size * 1.2:
            continue
        cx = (rel @ cam[3:6] / depth / cam[12] * h + w) / 2
        cy = (h - rel @ cam[6:9] / depth / cam[12] * h) / 2
        reach = size * 1.2 / math.sqrt(max(1e-9, depth * depth - size * size)) / cam[12] * h / 2 * 1.15 + 1
        x0, x1 = max(0, int(cx - reach)), min(w, int(cx + reach) + 2)
        y0, y1 = max(0, int(cy - reach)), min(h, int(cy + reach) + 2)
        if x0 >= x1 or y0 >= y1:
            continue
        rng = np.random.default_rng(seed)
        axes = np.array([1.0, rng.uniform(0.62, 0.95), rng.uniform(0.66, 1.0)])
        octaves = 3 if reach < 8 else (5 if reach < 60 else 9)
        fade = math.exp(-depth / haze_far)
        dim = np.array([haze[0] * (1 - fade), haze[1] * (1 - fade), haze[2] * (1 - fade), fade])
        _one(img, cover, x0, y0, x1, y1, *(-rel / size), cam, size, seed, octaves, axes,
             np.array(rocks[k][5:7], float), sun, np.asarray(light, float), np.asarray(fill, float), dim)
    return cover
