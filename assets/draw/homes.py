"""The seven pictures behind the home page's first screen.

`draw.py` calls `draw`; each scene is a function from a size to linear light.
Nothing here may be bright in the middle: large white text stands there.
"""

import numpy as np

from compose import add_sun, finish, low_orbit, toward
from render import dust, rocks, stars, surfaces
from render.light import save_webp
from render.planet import camera, planet, trace

WARM = (1.0, 0.86, 0.66)
LIMIT_KIB = 118
# Width in pixels, and what it may weigh: it is the largest thing on a phone's first screen.
TALL = 608
TALL_LIMIT_KIB = 40


def sky(w, h, seed, count=2600, **kw):
    """The star layer in the density that suits a still of this size."""
    scale = w / 1920
    img = stars.field(w, h, count, seed, faintest=0.04 * scale ** 1.7, **kw)
    return img


def sunrise(w, h):
    """Low over a clouded ocean; the sun is just clear of the limb."""
    sun = toward(0.055, 14, 4.6)
    p = planet(kind=surfaces.OCEAN, seed=23, tilt=0.9, roll=0.4, turn=2.0, air_height=0.0021, air_r=0.045, air_g=0.11,
               air_b=0.27, haze=0.006, clouds=1.0, sun_x=sun[0], sun_y=sun[1], sun_z=sun[2], sun_r=2.3, sun_g=2.0,
               sun_b=1.7, night=0.03)
    cam = low_orbit(0.055, above=5.5, fov=46, roll=-7)
    img = sky(w, h, 11, band=(-0.7, -0.2, 0.25, 0.010, (0.75, 0.85, 1.1)))
    trace(img, p, cam, 40)
    add_sun(img, cam, sun, WARM, power=1.0, size=0.016, planet=p)
    return img


def ringed_giant(w, h):
    """A banded giant from its night side, its ring lit through."""
    p = planet(kind=surfaces.GAS, seed=31, tilt=0.30, roll=-0.34, air_height=0.004, air_r=0.02, air_g=0.035, air_b=0.06,
               haze=0.05, sun_x=0.86, sun_y=0.42, sun_z=-0.12, sun_r=2.7, sun_g=2.3, sun_b=1.8, ring_in=1.32,
               ring_out=2.42, ring_light=0.36, night=0.004)
    cam = camera((-1.2, 0.15, 4.1), (-1.35, 0.10, 0), fov=38)
    img = sky(w, h, 12, band=(0.5, 0.1, 0.3, 0.012, (0.8, 0.85, 1.0)))
    trace(img, p, cam, 20)
    m = planet(kind=surfaces.MOON, seed=8, x=-2.45, y=0.55, z=0.6, radius=0.055, sun_x=0.86, sun_y=0.42, sun_z=-0.12)
    trace(img, m, cam, 1)
    return img


def moon_and_world(w, h):
    """Over a moon's terminator; its world stands small and blue above."""
    s = dict(sun_x=0.84, sun_y=0.40, sun_z=-0.42)
    img = sky(w, h, 13, band=(0.25, -0.25, 0.22, 0.010, (0.8, 0.88, 1.05)))
    cam = camera((0.35, 0.95, 1.75), (0.62, 0.62, 0), fov=40)
    at = cam[:3] + 15 * (cam[9:12] + 0.40 * cam[3:6] + 0.17 * cam[6:9])
    far = planet(kind=surfaces.OCEAN, seed=41, x=at[0], y=at[1], z=at[2], radius=1.15, tilt=0.4, turn=1.1, clouds=1.0,
                 air_height=0.008, **s)
    trace(img, far, cam, 24)
    near = planet(kind=surfaces.MOON, seed=5, turn=0.5, tilt=0.2, sun_r=1.9, sun_g=1.75, sun_b=1.55, bump=1.1, **s)
    trace(img, near, cam, 1)
    return img


def city_night(w, h):
    """The night side of a world that is one town, with dawn as a line on the limb."""
    sun = toward(0.10, -24, -4.2)
    p = planet(kind=surfaces.CITY, seed=19, tilt=0.5, roll=0.2, turn=0.4, air_height=0.0030, air_r=0.03, air_g=0.09,
               air_b=0.22, haze=0.008, clouds=0.45, lights=0.75, night=0.03, sun_x=sun[0], sun_y=sun[1], sun_z=sun[2],
               sun_r=2.2, sun_g=2.1, sun_b=2.0)
    cam = low_orbit(0.10, above=-3.0, fov=44, roll=6)
    img = sky(w, h, 14)
    trace(img, p, cam, 40)
    return img


def star_nursery(w, h):
    """Dust around a young amber star, with a colder one behind."""
    light, through = dust.nebula(
        w, h, 58, [(0.86, 0.18, 0.62, 0.17, 0.085, 0.030), (-1.05, -0.36, 0.9, 0.007, 0.034, 0.048),
                   (0.2, -0.9, 1.2, 0.02, 0.01, 0.012)], cut=0.16, contrast=4.0, ambient=(0.002, 0.003, 0.0045))
    img = sky(w, h, 15, count=3600) * through ** 1.3 + light
    return img


def rock_belt(w, h):
    """Inside a belt of rock, against the light."""
    sun = np.array([0.34, 0.17, -0.86])
    cam = camera((0, 0, 0), (0, 0, -1), up=(0.12, 1, 0), fov=46)
    img = sky(w, h, 16, count=1800)
    y, x = np.mgrid[0:h, 0:w]
    u, v = (x - 0.5 * w) / (0.5 * h), -(y - 0.5 * h) / (0.5 * h)
    line = v - 0.13 * u + 0.10
    img += (np.exp(-(line / 0.16) ** 2) * 0.034 + np.exp(-(line / 0.05) ** 2) * 0.030)[..., None] * np.array([1, 0.74, 0.46])
    add_sun(img, cam, sun, WARM, power=0.8, size=0.012)
    rng = np.random.default_rng(6)
    belt = []
    for i in range(620):
        z = -(2.5 + 40 * rng.random() ** 0.7)
        belt.append((rng.uniform(-1.0, 1.0) * -z, rng.normal(0, 0.045) * -z - 0.10 * -z * 0.46 + rng.normal(0, 0.1), z,
                     0.03 + 0.30 * rng.random() ** 5, 100 + i, rng.uniform(0, 6.3), rng.uniform(0, 6.3)))
    belt += [(-2.15, -0.75, -4.2, 1.05, 11, 0.6, 2.2), (1.9, -0.95, -4.6, 0.50, 12, 1.9, 0.7),
             (-0.55, -0.85, -6.6, 0.34, 14, 4.0, 1.1), (3.3, 0.95, -9.0, 0.42, 17, 2.0, 5.1)]
    rocks.draw(img, cam, belt, sun, (17, 13.5, 9.5), (0.075, 0.085, 0.110), (0.085, 0.058, 0.033), 24)
    return img


def canyon_world(w, h):
    """Evening light raking over the canyons of a dry world, two moons over the horizon."""
    sun = toward(0.16, -78, 33)
    s = dict(sun_x=sun[0], sun_y=sun[1], sun_z=sun[2])
    p = planet(kind=surfaces.DESERT, seed=77, tilt=0.7, roll=0.3, turn=1.2, air_height=0.005, air_r=0.10, air_g=0.085,
               air_b=0.075, haze=0.02, bump=1.9, sun_r=2.3, sun_g=1.9, sun_b=1.5, night=0.004, **s)
    cam = low_orbit(0.16, above=0.0, fov=44, roll=5)
    img = sky(w, h, 17, count=2000)
    for n, (a, e, size, seed) in enumerate(((13, 9.0, 0.55, 3), (18.5, 6.3, 0.20, 9))):
        at = np.array([0, 1.16, 0]) + toward(0.16, a, e) * 14
        trace(img, planet(kind=surfaces.MOON, seed=seed, x=at[0], y=at[1], z=at[2], radius=size, sun_r=1.6, sun_g=1.4,
                          sun_b=1.2, turn=n + 1.0, **s), cam, 1)
    trace(img, p, cam, 32)
    return img


SCENES = (sunrise, ringed_giant, moon_and_world, city_night, star_nursery, rock_belt, canyon_world)


def draw(out, only=None, size=(1920, 1080), supersample=2):
    """Draws `images/home-1.webp` to `home-7.webp` under `out`, and of each the middle that a phone held upright shows, as
    `home-1-tall.webp`; `only` limits it to some numbers."""
    for number, scene in enumerate(SCENES, 1):
        if only and number not in only:
            continue
        k = 1 if scene in (star_nursery,) else supersample
        pixels = finish(scene(size[0] * k, size[1] * k), number, k)
        save_webp(pixels, out / "images" / f"home-{number}.webp", LIMIT_KIB, best=95)
        begin = (size[0] - TALL) // 2
        tall = np.ascontiguousarray(pixels[:, begin:begin + TALL])
        save_webp(tall, out / "images" / f"home-{number}-tall.webp", TALL_LIMIT_KIB, best=90)
