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


class Ground:
    """For each pixel of a still camera: where on the baked maps it looks, at which level, and how fast that drifts."""

    def __init__(self, points, maps, window, speed):
        self.atlas = np.zeros((sum(m.shape[0] for m in maps), maps[0].shape[1], 2), np.float32)
        self.rows = np.zeros((len(maps), 3), np.int64)
        top = 0
        for k, m in enumerate(maps):
            self.atlas[top:top + m.shape[0], :m.shape[1]] = m
            self.rows[k] = top, m.shape[0], m.shape[1]
            top += m.shape[0]
        x, y, z, foot = np.moveaxis(points, 2, 0)
        across, down = window[1] - window[0], window[3] - window[2]
        level = np.log2(np.maximum(1.0, foot / (across / maps[0].shape[1])))
        self.look = np.stack([(np.arctan2(z, x) - window[0]) / across, (window[3] - np.arcsin(np.clip(y, -1, 1))) / down,
                              speed(y) / across, np.minimum(level, len(maps) - 1.001 if len(maps) > 1 else 0), y], axis=2)


@njit(cache=True)
def _sample(atlas, top, h, w, u, v, c):
    """One value of a map at u, v (0..1; u goes round), between its four nearest points."""
    x = (u - math.floor(u)) * w - 0.5
    y = min(h - 1.001, max(0.0, v * h - 0.5))
    i = int(math.floor(x))
    j = int(y)
    fx = x - i
    fy = y - j
    i0 = i % w
    i1 = (i + 1) % w
    a = atlas[top + j, i0, c] * (1 - fx) + atlas[top + j, i1, c] * fx
    b = atlas[top + j + 1, i0, c] * (1 - fx) + atlas[top + j + 1, i1, c] * fx
    return a * (1 - fy) + b * fy


@njit(cache=True)
def _seen(atlas, rows, u, v, level, c):
    """The value at the level of detail that the pixel can show."""
    k = int(level)
    a = _sample(atlas, rows[k, 0], rows[k, 1], rows[k, 2], u, v, c)
    if level > k:
        b = _sample(atlas, rows[k + 1, 0], rows[k + 1, 1], rows[k + 1, 2], u, v, c)
        a += (b - a) * (level - k)
    return a


@njit(parallel=True, cache=True)
def moment(out, banded, still, share, look, busy, extra, turn, turn_2, mix, atlas, rows, glow, strength, curve, grain):
    """Develops the busy pixels of one frame: the still light, what flows on the ground, and `extra`; the rest of `out` stays."""
    n = curve.shape[0] - 1
    for j in prange(out.shape[0]):
        for i in range(out.shape[1]):
            if busy[j, i] == 0:
                continue
            a0 = 0.0
            a1 = 0.0
            a2 = 0.0
            if share[j, i, 0] > 1e-5:
                u = look[j, i, 0] + turn * look[j, i, 2]
                u2 = look[j, i, 0] + turn_2 * look[j, i, 2]
                v = look[j, i, 1]
                d = look[j, i, 3]
                a0 = _seen(atlas, rows, u, v, d, 0) * (1 - mix) + _seen(atlas, rows, u2, v, d, 0) * mix
                if banded:
                    s = _seen(atlas, rows, u, v, d, 1) * (1 - mix) + _seen(atlas, rows, u2, v, d, 1) * mix
                    a0, a1, a2 = surfaces.gas_colour(a0, s, look[j, i, 4])
                else:
                    a1 = a0
                    a2 = a0
            for c in range(3):
                a = a0 if c == 0 else (a1 if c == 1 else a2)
                light = still[j, i, c] + share[j, i, c] * a + extra[j, i, c]
                light = max(0.0, light * (1.0 - strength) + glow[j, i, c])
                k = min(1.0, (light / 64.0) ** (1.0 / 3.0)) * n
                m = min(n - 1, int(k))
                out[j, i, c] = np.uint8(min(255.0, max(0.0, curve[m, c] * (1 - (k - m)) + curve[m + 1, c] * (k - m)
                                                       + grain[j, i] + 0.5)))


def ship(img, busy, start, end, bend, phase, power):
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
        busy[y0:y1, x0:x1] = 1
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
        self.share = np.maximum(lit - dark, 0)
        add_sun(self.still, cam, sun, (1.0, 0.86, 0.66), power=1.0, size=0.016, planet=self.planet)
        maps, window = surfaces.bake(surfaces.CITY, 19, 1800, (GROUND - 0.44, GROUND + 0.10, -0.34, 0.34), 5)
        self.ground = Ground(ground(self.planet, cam, w, h), maps, window, np.ones_like)

    def flow(self, t):
        """Turn of the first copy, of the second, and how much of the second shows, at t = 0..1 of the loop."""
        return GROUND - PASS * t, GROUND - PASS * (t - 1), t

    def ships(self, img, busy, t):
        """Adds what crosses the picture and marks where."""
        ship(img, busy, (1.10, 0.05), (-1.60, 0.46), 0.10, t, 1.6)


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
        points = ground(self.planet, cam, w, h)
        self.share, self.still = bands_share(pale, deep, points)
        # Neighbouring bands blow at different speeds, as in the tracer.
        blow = lambda y: 1.0 + 0.55 * np.sin(17.0 * y + 0.6) + 0.30 * np.sin(41.0 * y)
        self.ground = Ground(points, *surfaces.bake(surfaces.GAS, 31, 2560), blow)

    def flow(self, t):
        """As in `Home`."""
        return BLOW * t, BLOW * (t - 1), t

    def ships(self, img, busy, t):
        """As in `Home`."""
        ship(img, busy, (-1.70, -0.62), (0.30, 0.36), -0.08, t, 1.3)
        ship(img, busy, (0.10, 0.80), (-1.75, 0.30), 0.05, (t + 0.45) % 1.0, 0.9)


class Reel:
    """Turns a scene into frames: all of the picture once, then only the pixels in which something moves."""

    def __init__(self, scene):
        w, h = SIZE
        self.scene, self.stock = scene, FilmStock(w, h)
        self.busy = (scene.share[..., 0] > 1e-5).astype(np.uint8)
        self.extra = np.zeros((h, w, 3))
        self.glow = np.zeros((h, w, 3))
        self.base = np.zeros((h, w, 3), np.uint8)
        # What moves is small or slow: the glow of the first moment serves all frames.
        light = scene.still + scene.share * (0.35 if isinstance(scene, Patch) else 0.06)
        self.glow = self.stock.spread(light)
        self._expose(self.base, np.ones_like(self.busy), 0.0)

    def _expose(self, out, busy, t):
        s, k, g = self.scene, self.stock, self.scene.ground
        moment(out, s.planet.kind == surfaces.GAS, s.still, s.share, g.look, busy, self.extra, *s.flow(t), g.atlas, g.rows,
               self.glow, k.strength, k.curve, k.grain)

    def frame(self, t):
        """The frame at t = 0..1 of the loop as 8-bit pixels."""
        busy = self.busy.copy()
        self.extra[...] = 0.0
        self.scene.ships(self.extra, busy, t)
        out = self.base.copy()
        self._expose(out, busy, t)
        return out


FILMS = {"home": (Home, 12, 25), "patch": (Patch, 12, 20)}


def draw(out, only=None):
    """Writes `videos/home.mp4`, `videos/patch.mp4` and their posters under `out`."""
    folder = out / "videos"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (scene, seconds, quality) in FILMS.items():
        if only and name not in only:
            continue
        reel = Reel(scene(*SIZE))
        if (reel.frame(1.0) != reel.frame(0.0)).any():
            raise SystemExit(f"{name} does not return to where it began")
        save_webp(reel.frame(0.0), folder / f"{name}-poster.webp", 60, best=92)
        path = folder / f"{name}.mp4"
        count = seconds * RATE
        ffmpeg = subprocess.Popen(
            ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{SIZE[0]}x{SIZE[1]}",
             "-r", str(RATE), "-i", "-", "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
             "-c:v", "libx264", "-profile:v", "high", "-preset", "medium", "-crf", str(quality), "-maxrate", "1400k",
             "-bufsize", "5600k", "-threads", "1",
             "-x264-params", f"keyint={count}:scenecut=0:aq-mode=3:aq-strength=1.1:deblock=-1,-1:psy-rd=0.9,0.10:bframes=5:ipratio=1.0:pbratio=1.1",
             "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
             "-map_metadata", "-1", "-fflags", "+bitexact", "-movflags", "+faststart", str(path)], stdin=subprocess.PIPE)
        for n in range(count):
            ffmpeg.stdin.write(reel.frame(n / count).tobytes())
            if n % 48 == 0:
                print(f"{name}.mp4: frame {n} of {count}", flush=True)
        ffmpeg.stdin.close()
        if ffmpeg.wait() != 0:
            raise SystemExit(f"ffmpeg could not write {path}")
        size = path.stat().st_size / 1024
        print(f"{path.name}: {size:.0f} KiB", flush=True)
        if size > LIMIT_KIB:
            raise SystemExit(f"{path.name} is over {LIMIT_KIB} KiB: raise its quality number")
