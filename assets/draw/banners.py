"""The banners of players and guilds who have not chosen one: seven and five, one palette, no two alike.

`draw.py` calls `draw`; the site picks one by a hash of the name.
White text lies on them, so nothing larger than a star may be brighter than contrast allows (`check.py` measures it).
"""

import math

import numpy as np

import lines
from compose import finish, low_orbit, toward
from render import dust, rocks, stars, surfaces
from render.light import save_webp
from render.planet import camera, planet, trace

LIMIT_KIB = 29


def sky(w, h, seed, count=700, **kw):
    """A quiet star layer for a strip this low."""
    return stars.field(w, h, count, seed, faintest=0.018 * w / 1200, **kw)


def limb(w, h):
    """The edge of an ocean world, day coming from the right."""
    sun = toward(0.22, 82, 30)
    s = dict(sun_x=sun[0], sun_y=sun[1], sun_z=sun[2])
    p = planet(kind=surfaces.OCEAN, seed=23, tilt=0.7, roll=0.2, turn=0.6, clouds=1.0, air_height=0.0035, air_r=0.035,
               air_g=0.09, air_b=0.24, haze=0.006, sun_r=0.46, sun_g=0.44, sun_b=0.42, night=0.004, **s)
    img = sky(w, h, 2)
    trace(img, p, low_orbit(0.22, above=-1.5, fov=17, roll=-5, heading=6), 32)
    return img


def dust_clouds(w, h):
    """Dust between stars, warm on one side and cold on the other."""
    light, through = dust.nebula(w, h, 91, [(2.5, 0.25, 0.6, 0.105, 0.046, 0.017), (-2.4, -0.1, 0.8, 0.008, 0.030, 0.042),
                                            (0.6, 1.4, 1.1, 0.022, 0.012, 0.014)], scale=2.3, cut=0.07, contrast=3.2,
                                 ambient=(0.001, 0.0016, 0.0026), reduce=1.6, slant=0.1)
    return sky(w, h, 3, count=900) * through ** 1.3 + light


def ring_plane(w, h):
    """Skimming the rings of a giant, its shadow lying across them."""
    p = planet(kind=surfaces.GAS, seed=31, tilt=0.0, roll=0.06, air_height=0.004, air_r=0.02, air_g=0.035, air_b=0.06,
               haze=0.03, sun_x=0.75, sun_y=0.16, sun_z=0.62, sun_r=0.55, sun_g=0.48, sun_b=0.40, ring_in=1.22,
               ring_out=2.4, ring_light=0.36, ring_seed=9)
    img = sky(w, h, 4)
    trace(img, p, camera((-2.1, 0.16, 1.55), (0.1, -0.10, 0.1), fov=25), 20)
    return img


def belt(w, h):
    """Rocks in a row, lit from the far end."""
    sun = np.array([0.95, 0.22, -0.62])
    cam = camera((0, 0, 0), (0, 0, -1), up=(0.05, 1, 0), fov=17)
    img = sky(w, h, 5)
    x, y = lines.grid(w, h)
    glow = np.exp(-((y + 0.05 - 0.03 * (x - 2)) / 0.20) ** 2) * (0.010 + 0.040 * (x / 4) ** 3)
    img += glow[..., None] * np.array([1, 0.72, 0.44])
    rng = np.random.default_rng(8)
    stones = []
    for i in range(420):
        z = -(7 + 50 * rng.random() ** 0.8)
        stones.append((rng.uniform(-0.62, 0.62) * -z, rng.normal(-0.010, 0.026) * -z, z, 0.03 + 0.24 * rng.random() ** 4,
                       300 + i, rng.uniform(0, 6.3), rng.uniform(0, 6.3)))
    stones += [(4.2, -0.75, -11.0, 0.95, 41, 0.9, 2.0), (-3.4, 0.62, -13.0, 0.55, 42, 2.2, 0.3),
               (0.8, -0.95, -12.0, 0.38, 43, 5.0, 1.3)]
    rocks.draw(img, cam, stones, sun, (1.9, 1.5, 1.05), (0.034, 0.040, 0.052), (0.020, 0.015, 0.010), 46)
    return img


def bands(w, h):
    """Down among the bands of a giant."""
    sun = toward(0.9, 60, 70)
    p = planet(kind=surfaces.GAS, seed=37, tilt=0.9, roll=0.25, cloud_turn=0.8, sun_x=sun[0], sun_y=sun[1], sun_z=sun[2],
               sun_r=0.30, sun_g=0.27, sun_b=0.25, air_height=0.003, air_r=0.02, air_g=0.04, air_b=0.07, haze=0.0)
    img = np.zeros((h, w, 3))
    trace(img, p, low_orbit(0.9, above=-31, fov=20, roll=-14, heading=-10), 12)
    return img


def corona(w, h):
    """A moon before its sun: nothing left of the light but the streamers."""
    x, y = lines.grid(w, h)
    img = sky(w, h, 7)
    cx, cy, rad = 3.02, 0.02, 0.27
    dx, dy = x - cx, y - cy
    r, a = np.hypot(dx, dy), np.arctan2(dy, dx)
    stream = np.zeros_like(r)
    rng = np.random.default_rng(5)
    for n in range(150):
        at, wide, reach, power = rng.uniform(-math.pi, math.pi), rng.uniform(0.02, 0.22), rng.uniform(0.5, 1.0), rng.random()
        reach *= 0.55 + 0.75 * abs(math.cos(at))
        off = (a - at - 0.35 * (r - rad) * rng.normal() + math.pi) % math.tau - math.pi
        stream += power * np.exp(-(off / wide) ** 2) * np.exp(-(r - rad) / (0.26 * reach))
    inner = np.exp(-(r - rad) / 0.040)
    light = (stream * 0.0105 + inner * 0.16) * (r > rad)
    img = img * (r > rad)[..., None] + light[..., None] * np.array([1.0, 0.84, 0.62])
    img += (np.exp(-np.abs(r - rad) / 0.004) * 0.25 * (r >= rad) * np.clip(np.cos(a - 0.7), 0, 1) ** 14)[..., None] * np.array([1, .5, .35])
    img += (np.exp(-r / 1.1) * 0.006)[..., None] * np.array([1.0, 0.75, 0.5])
    edge = np.clip((rad - r) * h + 0.5, 0, 1)[..., None]
    return img * (1 - edge) + edge * np.array([0.0006, 0.0007, 0.001])


PLAYER = (limb, dust_clouds, ring_plane, lines.contours, lines.orbits, belt, lines.gates)
GUILD = (bands, lines.chart, lines.trails, lines.plating, corona)


def picture(scene, seed, size=(1200, 300), supersample=2):
    """One banner as 8-bit pixels."""
    k = 1 if scene is dust_clouds else supersample
    return finish(scene(size[0] * k, size[1] * k), seed, k, glow=0.08)


def draw(out, only=None):
    """Draws `images/banner-player-1..7.webp` and `banner-guild-1..5.webp` under `out`; `only` limits it by name."""
    for kind, scenes in (("player", PLAYER), ("guild", GUILD)):
        for number, scene in enumerate(scenes, 1):
            if only and f"{kind}-{number}" not in only:
                continue
            save_webp(picture(scene, number * 7), out / "images" / f"banner-{kind}-{number}.webp", LIMIT_KIB, best=95)
