"""Clouds of dust and gas between the stars, marched through as a volume and lit from inside.

Scenes use it for nebulae and for the haze in belts of rock.
It must never clip or colour-grade: it returns light and what share of the light behind it gets through.
"""

import math

import numpy as np
from numba import njit, prange
from scipy.ndimage import zoom

from .noise import fbm, ridged


@njit(cache=True)
def _density(x, y, z, octaves, seed, cut, contrast):
    wx = fbm(x * 0.9, y * 0.9, z * 0.9, 3, 0.5, 0.0, seed + 1)
    wy = fbm(x * 0.9 + 5.2, y * 0.9, z * 0.9, 3, 0.5, 0.0, seed + 2)
    a = fbm(x + 0.9 * wx, y + 0.9 * wy, z, octaves, 0.54, 0.0, seed)
    r = ridged(x * 1.6 + 0.6 * wy, y * 1.6 + 0.6 * wx, z * 1.6, max(2, octaves - 1), 0.52, 0.0, seed + 7)
    d = a + 0.42 * (r - 0.55) - cut
    return max(0.0, d) * contrast


@njit(parallel=True, cache=True)
def _march(out, steps, scale, slant, depth, cut, contrast, seed, lights, ambient, albedo):
    h, w, _ = out.shape
    dz = depth / steps
    for j in prange(h):
        for i in range(w):
            x = (i + 0.5 - 0.5 * w) / h * scale
            y = -(j + 0.5 - 0.5 * h) / h * scale
            through = 1.0
            r = 0.0
            g = 0.0
            b = 0.0
            start = ((i * 73 + j * 151) % 64) / 64.0
            for k in range(steps):
                z = (k + start) * dz
                px = x * (1.0 + slant * z)
                py = y * (1.0 + slant * z)
                d = _density(px, py, z, 7, seed, cut, contrast)
                if d <= 0.002:
                    continue
                a = 1.0 - math.exp(-d * dz * 3.0)
                lr = ambient[0]
                lg = ambient[1]
                lb = ambient[2]
                for n in range(lights.shape[0]):
                    ex = lights[n, 0] - px
                    ey = lights[n, 1] - py
                    ez = lights[n, 2] - z
                    q = ex * ex + ey * ey + ez * ez
                    s = _density(px + ex * 0.12, py + ey * 0.12, z + ez * 0.12, 4, seed, cut, contrast)
                    s += _density(px + ex * 0.35, py + ey * 0.35, z + ez * 0.35, 3, seed, cut, contrast)
                    f = math.exp(-s * 0.75 * math.sqrt(q)) / (0.04 + q)
                    lr += lights[n, 3] * f
                    lg += lights[n, 4] * f
                    lb += lights[n, 5] * f
                r += through * a * lr * albedo[0]
                g += through * a * lg * albedo[1]
                b += through * a * lb * albedo[2]
                through *= 1.0 - a
                if through < 0.01:
                    break
            out[j, i, 0] = r
            out[j, i, 1] = g
            out[j, i, 2] = b
            out[j, i, 3] = through


def nebula(width, height, seed, lights, scale=2.4, depth=1.6, cut=0.05, contrast=2.2, steps=26,
           ambient=(0.01, 0.015, 0.02), albedo=(0.9, 0.8, 0.7), reduce=1.5, slant=0.15):
    """Light (h, w, 3) and transmission (h, w, 1) of a cloud; a light is (x, y, z, r, g, b) in picture half-heights."""
    h, w = int(height / reduce), int(width / reduce)
    out = np.zeros((h, w, 4))
    _march(out, steps, scale, slant, depth, cut, contrast, seed, np.array(lights, float), np.array(ambient, float),
           np.array(albedo, float))
    big = zoom(out, (height / h, width / w, 1), order=1, grid_mode=True, mode="nearest")
    return np.maximum(big[..., :3], 0), np.clip(big[..., 3:], 0, 1)
