"""Parts that several scenes share: cameras in low orbit, a sun with its glare, finishing a still.

`homes.py`, `banners.py`, `films.py` and `emblems.py` call it; it calls only `render/`.
It must never hold a scene of its own.
"""

import math

import numpy as np
from numba import njit, prange

from render.light import bloom, halve, tone
from render.planet import camera, project, through_air


def low_orbit(height, above=0.0, fov=50.0, roll=0.0, heading=0.0):
    """A camera `height` radii over the north pole of a unit planet at the origin.

    `above` degrees over the horizon, `roll` and `heading` in degrees; heading 0 looks toward -z.
    """
    dip = math.acos(1.0 / (1.0 + height))
    e = math.radians(above) - dip
    a = math.radians(heading)
    flat = np.array([math.sin(a), 0.0, -math.cos(a)])
    look = flat * math.cos(e) + np.array([0, math.sin(e), 0])
    side = np.cross(look, [0, 1, 0])
    side /= np.linalg.norm(side)
    up = np.cross(side, look)
    r = math.radians(roll)
    at = np.array([0.0, 1.0 + height, 0.0])
    return camera(at, at + look, up * math.cos(r) + side * math.sin(r), fov)


def toward(height, heading, above):
    """A direction `above` degrees over the horizon as seen from `height`, for suns and moons."""
    e = math.radians(above) - math.acos(1.0 / (1.0 + height))
    a = math.radians(heading)
    return np.array([math.sin(a) * math.cos(e), math.sin(e), -math.cos(a) * math.cos(e)])


def add_sun(img, cam, direction, colour, power=1.0, size=0.012, planet=None):
    """A sun's disc and the glare it makes in the lens; `size` is its radius in half-heights of the view."""
    h, w = img.shape[:2]
    px, py, depth = project(cam, cam[:3] + np.asarray(direction, float))
    if depth <= 0:
        return
    colour = np.asarray(colour, float)
    # The disc sinks behind the limb row by row, so its light is averaged over its height.
    up = cam[6:9] * cam[12] * size
    seen = np.ones(3)
    if planet is not None:
        d = np.asarray(direction, float) / np.linalg.norm(direction)
        seen = np.mean([through_air(planet, cam, d + up * k) for k in np.linspace(-1, 1, 17)], axis=0)
        disc = np.zeros((h, 3))
        for row in np.unique(np.clip(((1 - (py + np.linspace(-1.3, 1.3, 400) * size)) * h / 2).astype(int), 0, h - 1)):
            vv = 1 - 2 * (row + 0.5) / h
            disc[row] = through_air(planet, cam, cam[9:12] + cam[3:6] * px * cam[12] + cam[6:9] * vv * cam[12])
    else:
        disc = np.ones((h, 3))
    _glare(img, px, py, size, disc, colour * power, seen)


@njit(parallel=True, cache=True)
def _glare(img, px, py, size, disc, colour, seen):
    h, w, _ = img.shape
    for j in prange(h):
        v = (h - 2.0 * j - 1.0) / h - py
        for i in range(w):
            u = (2.0 * i + 1.0 - w) / h - px
            r2 = u * u + v * v
            edge = min(1.0, max(0.0, (size - math.sqrt(r2)) / (size * 0.25) + 0.5)) * 60.0
            near = 0.006 / (0.004 + r2) ** 0.75
            wide = 0.030 * math.exp(-r2 / 0.22) + 0.012 * math.exp(-r2 / 0.9)
            for c in range(3):
                k = colour[c]
                img[j, i, c] += edge * disc[j, c] * k + (near * k + wide * k ** 2.6) * seen[c]


def finish(img, seed, supersample=1, exposure=1.0, glow=0.14, floor=0.75):
    """Reduces an oversampled picture and takes it through the lens and the tone curve."""
    return tone(bloom(halve(img, supersample - 1), glow), exposure, floor, seed)
