"""The two looping films of the home page, and the stills that stand in for them while they load.

`draw.py` calls `draw`; frames are piped into ffmpeg as they are made.
Cameras stand still; what flows below them is two copies of one flow, a loop apart, the old one fading while
the new one comes, so that the last frame leads into the first.
"""

import math
import subprocess

import numpy as np
from numba import njit, prange

from compose import add_sun, low_orbit, toward
from render import stars, surfaces
from render.light import AMBER, FilmStock, linear, save_webp
from render.planet import camera, ground, planet, trace

SIZE = (1280, 720)
RATE = 24
LIMIT_KIB = 1200
# Longitude of the ground below the first frame, and how far it moves in one loop (radians).
GROUND = -0.5
PASS = 0.030
# How far the giant's winds carry its bands in one loop (radians).
BLOW = 0.16


@njit(parallel=True, cache=True)
def town_lights(img, share, points, seed, turn, turn_2, mix, levels, window):
    """Adds the lights of the ground below, of which `share` reaches the camera per pixel."""
    for j in prange(points.shape[0]):
        for i in range(points.shape[1]):
            if share[j, i, 0] > 1e-5:
                q = points[j, i]
                e, _ = surfaces.flow(surfaces.CITY, q[0], q[1], q[2], q[3], seed, turn, turn_2, mix, levels, window)
                for c in range(3):
                    img[j, i, c] += share[j, i, c] * e


@njit(cache=True)
def bands_share(pale, deep, points):
    """From two pictures of a giant of one colour each: how albedo becomes light per pixel, and the light without any."""
    share = np.zeros_like(pale)
    still = deep.copy()
    for j in range(points.shape[0]):
        for i in range(points.shape[1]):
            if points[j, i, 3] > 0.0:
                a = surfaces.gas_colour(1.0, 0.5, points[j, i, 1])
                b = surfaces.gas_colour(0.0, 0.5, points[j, i, 1])
                for c in range(3):
                    share[j, i, c] = (pale[j, i, c] - deep[j, i, c]) / (a[c] - b[c])
                    still[j, i, c] = deep[j, i, c] - share[j, i, c] * b[c]
    return share, still


@njit(parallel=True, cache=True)
def bands(img, share, points, seed, turn, turn_2, mix, levels, window):
    """Adds the sunlit bands of a giant as they stand at that moment."""
    for j in prange(points.shape[0]):
        for i in range(points.shape[1]):
            if share[j, i, 0] > 1e-5:
                q = points[j, i]
                v, s = surfaces.flow(surfaces.GAS, q[0], q[1], q[2], q[3], seed, turn, turn_2, mix, levels, window)
                a = surfaces.gas_colour(v, s, q[1])
                for c in range(3):
                    img[j, i, c] += share[j, i, c] * a[c]


def ship(img, start, end, bend, phase, power):
    """A drive seen from afar: crosses from start to end (in half-heights) once per loop and fades at both ends."""
    h, w = img.shape[:2]
    at = lambda t: (start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t + bend * math.sin(math.pi * t))
    bright = power * math.sin(math.pi * phase) ** 1.5
    for n in range(44):
        t = phase - n * 0.0010
        if t <= 0:
            break
        px, py = at(t)
        i, j = int((px * h + w) / 2), int((h - py * h) / 2)
        x0, x1, y0, y1 = max(0, i - 9), min(w, i + 10), max(0, j - 9), min(h, j + 10)
        if x0 >= x1 or y0 >= y1:
            continue
        y, x = np.mgrid[y0:y1, x0:x1]
        r2 = ((2 * x + 1 - w) / h - px) ** 2 + ((h - 2 * y - 1) / h - py) ** 2
        img[y0:y1, x0:x1] += (np.exp(-r2 / 0.000010) * bright * 0.92 ** n * 0.45)[..., None] * linear(AMBER)
        if n == 0:
            img[y0:y1, x0:x1] += (np.exp(-r2 / 0.000008) * bright)[..., None]


def _constant(value):
    """A map that is the same everywhere, to ask the tracer what a surface of that value looks like."""
    return (np.full((2, 2, 2), (value, 0.5), np.float32),), surfaces.WHOLE


class Home:
    """The night side of an inhabited world passes below; the sun stands just over its edge."""

    def __init__(self, w, h):
        sun = toward(0.055, 14, 4.7)
        self.planet = planet(kind=surfaces.CITY, seed=19, roll=math.pi / 2, air_height=0.0021, air_r=0.045, air_g=0.11,
                             air_b=0.27, haze=0.006, sun_x=sun[0], sun_y=sun[1], sun_z=sun[2], sun_r=2.3, sun_g=2.0,
                             sun_b=1.7, bump=0.0, lights=0.6)
        cam = low_orbit(0.055, above=4.6, fov=46, roll=-7)
        self.still = stars.field(w, h, 1500, 11, faintest=0.035)
        lit = np.zeros((h, w, 3))
        dark = np.zeros((h, w, 3))
        trace(self.still, self.planet, cam, 40, _constant(0.0))
        trace(lit, self.planet, cam, 12, _constant(1.0))
        trace(dark, self.planet, cam, 12, _constant(0.0))
        self.share = lit - dark
        add_sun(self.still, cam, sun, (1.0, 0.86, 0.66), power=1.0, size=0.016, planet=self.planet)
        self.points = ground(self.planet, cam, w, h)
        self.levels, self.window = surfaces.bake(surfaces.CITY, 19, 2200, (GROUND - 0.44, GROUND + 0.10, -0.34, 0.34), 5)

    def frame(self, t):
        """Linear light at t = 0..1 of the loop."""
        img = self.still.copy()
        town_lights(img, self.share, self.points, 19, GROUND - PASS * t, GROUND - PASS * (t - 1), t, self.levels, self.window)
        ship(img, (1.10, 0.05), (-1.60, 0.46), 0.10, t, 1.6)
        return img


class Patch:
    """A giant's bands blow past each other under the line of its ring."""

    def __init__(self, w, h):
        self.planet = planet(kind=surfaces.GAS, seed=31, tilt=0.16, roll=-0.30, air_height=0.004, air_r=0.02, air_g=0.035,
                             air_b=0.06, haze=0.03, sun_x=0.80, sun_y=0.36, sun_z=0.34, sun_r=1.10, sun_g=0.95,
                             sun_b=0.78, ring_in=1.30, ring_out=2.42, ring_light=0.27)
        cam = camera((-1.15, 0.22, 2.75), (-0.74, 0.06, 0), fov=42)
        sky = stars.field(w, h, 1500, 12, faintest=0.030)
        pale, deep = sky.copy(), sky.copy()
        trace(pale, self.planet, cam, 24, _constant(1.0))
        trace(deep, self.planet, cam, 24, _constant(0.0))
        self.points = ground(self.planet, cam, w, h)
        self.share, self.still = bands_share(pale, deep, self.points)
        self.levels, self.window = surfaces.bake(surfaces.GAS, 31, 3072)

    def frame(self, t):
        """Linear light at t = 0..1 of the loop."""
        img = self.still.copy()
        bands(img, self.share, self.points, 31, BLOW * t, BLOW * (t - 1), t, self.levels, self.window)
        ship(img, (-1.70, -0.62), (0.30, 0.36), -0.08, t, 1.3)
        ship(img, (0.10, 0.80), (-1.75, 0.30), 0.05, (t + 0.45) % 1.0, 0.9)
        return img


FILMS = {"home": (Home, 14, 22), "patch": (Patch, 14, 23)}


def draw(out, only=None):
    """Writes `videos/home.mp4`, `videos/patch.mp4` and their posters under `out`."""
    folder = out / "videos"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (scene, seconds, quality) in FILMS.items():
        if only and name not in only:
            continue
        stock = FilmStock(*SIZE)
        film = scene(*SIZE)
        # What moves is small and dim: the glow of the first frame serves all.
        glow = stock.glow(film.frame(0.0))
        frame = lambda t: stock.develop(film.frame(t), glow)
        save_webp(frame(0.0), folder / f"{name}-poster.webp", 60, best=92)
        path = folder / f"{name}.mp4"
        count = seconds * RATE
        ffmpeg = subprocess.Popen(
            ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{SIZE[0]}x{SIZE[1]}",
             "-r", str(RATE), "-i", "-", "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
             "-c:v", "libx264", "-profile:v", "high", "-preset", "slow", "-crf", str(quality), "-threads", "1",
             "-x264-params", f"keyint={count}:scenecut=0:aq-mode=3:aq-strength=1.1:deblock=-1,-1:psy-rd=0.9,0.10:bframes=8",
             "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
             "-map_metadata", "-1", "-fflags", "+bitexact", "-movflags", "+faststart", str(path)], stdin=subprocess.PIPE)
        for n in range(count):
            ffmpeg.stdin.write(frame(n / count).tobytes())
            if n % 48 == 0:
                print(f"{name}.mp4: frame {n} of {count}", flush=True)
        ffmpeg.stdin.close()
        if ffmpeg.wait() != 0:
            raise SystemExit(f"ffmpeg could not write {path}")
        size = path.stat().st_size / 1024
        print(f"{path.name}: {size:.0f} KiB", flush=True)
        if size > LIMIT_KIB:
            raise SystemExit(f"{path.name} is over {LIMIT_KIB} KiB: raise its quality number")
