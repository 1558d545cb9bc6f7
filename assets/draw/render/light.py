"""From linear light to a file: bloom, tone curve, fine grain, and saving under a size limit.

Every scene ends here, so that all pictures share one black point and one curve.
It must never change what is in a picture, only how its light is written down.
"""

import io
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter, zoom

GROUND = (0x0A, 0x0D, 0x12)
AMBER = (0xFF, 0xB3, 0x47)
CYAN = (0x4F, 0xD8, 0xE8)
PVP = (0xFF, 0x6B, 0x5E)
PVE = (0x58, 0xD6, 0xA4)
VEHICLES = (0xF5, 0xC4, 0x51)
MISSIONS = (0xA5, 0x8B, 0xFF)
TEXT = (0xE7, 0xED, 0xF4)


def linear(colour):
    """An sRGB colour of 0..255 as linear light."""
    c = np.asarray(colour, dtype=np.float64) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def halve(img, times=1):
    """Averages blocks of 2x2 (or 4x4) samples into one pixel."""
    for _ in range(times):
        h, w = img.shape[0] // 2 * 2, img.shape[1] // 2 * 2
        i = img[:h, :w]
        img = 0.25 * (i[0::2, 0::2] + i[1::2, 0::2] + i[0::2, 1::2] + i[1::2, 1::2])
    return img


def _wide_blur(img, sigma):
    """Gaussian blur; wide ones are done on a reduced copy, which no eye can tell apart."""
    step = max(1, int(sigma // 4))
    if step == 1:
        return gaussian_filter(img, (sigma, sigma, 0), mode="nearest")
    h, w = img.shape[:2]
    hh, ww = -(-h // step), -(-w // step)
    pad = np.pad(img, ((0, hh * step - h), (0, ww * step - w), (0, 0)), mode="edge")
    small = pad.reshape(hh, step, ww, step, 3).mean(axis=(1, 3))
    small = gaussian_filter(small, (sigma / step, sigma / step, 0), mode="nearest")
    big = zoom(small, (step, step, 1), order=1, grid_mode=True, mode="nearest")
    return big[:h, :w]


def bloom(img, strength=0.12, reach=1.0):
    """Light scattered in the lens: a narrow core and ever fainter, wider skirts."""
    out = img * (1.0 - strength)
    scale = img.shape[1] / 1920.0 * reach
    for sigma, weight in ((3, 0.45), (12, 0.28), (42, 0.17), (130, 0.10)):
        out = out + strength * weight * _wide_blur(img, max(0.6, sigma * scale))
    return out


def tone(img, exposure=1.0, floor=0.75, seed=1, grain=0.9, whole=True):
    """Linear light to 8-bit sRGB: filmic shoulder, black lifted toward the site's ground, dithered."""
    x = np.maximum(img * exposure, 0.0)
    y = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)
    y = np.clip(y, 0.0, 1.0)
    base = linear(GROUND) * floor
    y = base + y * (1.0 - base)
    s = np.where(y <= 0.0031308, y * 12.92, 1.055 * np.power(y, 1 / 2.4) - 0.055)
    if not whole:
        return s * 255.0
    rng = np.random.default_rng(seed)
    n = rng.random(img.shape[:2]) - rng.random(img.shape[:2])
    s = s * 255.0 + grain * n[..., None]
    return np.clip(s + 0.5, 0, 255).astype(np.uint8)


class FilmStock:
    """The same lens and curve for many frames of one size: looked up instead of worked out, grain laid once."""

    def __init__(self, width, height, strength=0.14, floor=0.75, grain=0.8, seed=1):
        steps = 8192
        ramp = np.linspace(0, 1, steps)[None, :, None] ** 3 * 64.0
        exact = tone(ramp.repeat(3, axis=2), 1.0, floor, 1, 0.0, whole=False)[0]
        self.curve = exact.astype(np.float32)
        rng = np.random.default_rng(seed)
        self.grain = ((rng.random((height, width)) - rng.random((height, width))) * grain).astype(np.float32)
        self.strength = strength

    def spread(self, img):
        """What the lens adds to a picture, already weighted; the picture itself then counts 1 - strength."""
        h, w = img.shape[:2]
        small = halve(img)
        out = np.zeros_like(small)
        for sigma, weight in ((1, 0.45), (4, 0.28), (14, 0.17), (43, 0.10)):
            out += weight * _wide_blur(small, sigma * small.shape[1] / 640)
        return self.strength * zoom(out, (2, 2, 1), order=1, grid_mode=True, mode="nearest")[:h, :w]


def save_webp(pixels, path, limit_kib, best=92):
    """Writes the best quality that fits into `limit_kib`; fails rather than going below a decent one."""
    image = Image.fromarray(pixels) if isinstance(pixels, np.ndarray) else pixels
    for quality in range(best, 39, -3):
        buffer = io.BytesIO()
        image.save(buffer, "WEBP", quality=quality, method=6, use_sharp_yuv=True, alpha_quality=100)
        if buffer.tell() <= limit_kib * 1024:
            path = Path(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(buffer.getvalue())
            print(f"{path.name}: {buffer.tell() / 1024:.0f} KiB at quality {quality}", flush=True)
            return
    raise SystemExit(f"{path} does not fit into {limit_kib} KiB: make the picture calmer")
