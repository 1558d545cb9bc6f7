"""Measures the drawn files: sizes, dimensions, film format, loop seam, and white text on banners.

`draw.py` runs it at the end, and `python check.py [OUT]` alone; it exits 1 with a sentence per fault.
It must never mend anything.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from render.light import linear

KIB = 1024
TOTAL_KIB = 6 * KIB
# White on this luminance is 4.5:1, the least that WCAG 2.2 AA takes.
TEXT_LIMIT = 1.05 / 4.5 - 0.05
IMAGES = {
    r"images/home-[1-7]\.webp": ((1920, 1080), 120), r"images/home-[1-7]-tall\.webp": ((608, 1080), 40),
    r"images/banner-(player-[1-7]|guild-[1-5])\.webp": ((1200, 300), 30),
    r"images/default-(avatar|guild)\.webp": ((400, 400), 30), r"images/card-background\.png": ((1200, 630), 120),
    r"videos/(home|patch)-poster\.webp": ((1280, 720), 60), r"stickers/\d{6}\.png": ((512, 512), 40),
    r"icons/favicon-32\.png": ((32, 32), 4), r"icons/apple-touch-icon\.png": ((180, 180), 10),
    r"icons/icon-192\.png": ((192, 192), 10), r"icons/(icon|maskable)-512\.png": ((512, 512), 20),
}
COUNTS = {"images/home-": 14, "images/banner-player-": 7, "images/banner-guild-": 5, "stickers/": 16, "icons/": 7, "videos/": 4}


def text_share(path):
    """Share of a banner's pixels on which white text would miss AA."""
    light = linear(np.asarray(Image.open(path).convert("RGB"))) @ np.array([0.2126, 0.7152, 0.0722])
    return float((light > TEXT_LIMIT).mean())


def _frames(path, *extra):
    raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", str(path), *extra, "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                         capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, 720, 1280).astype(float)


def film_faults(path):
    """What is wrong with a film, as sentences."""
    probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", str(path)],
                                      capture_output=True, check=True).stdout)["streams"]
    faults = []
    s = probe[0]
    if len(probe) != 1 or (s["codec_name"], s["pix_fmt"], s["width"], s["height"]) != ("h264", "yuv420p", 1280, 720):
        faults.append(f"{path.name} is not one silent H.264 yuv420p stream of 1280x720")
    if not 12 <= float(s["duration"]) <= 20:
        faults.append(f"{path.name} lasts {s['duration']} s, not 12 to 20")
    data = path.read_bytes()
    if data.find(b"moov") > data.find(b"mdat"):
        faults.append(f"{path.name} has its index at the end")
    frames = _frames(path)
    steps = [np.abs(a - b).mean() for a, b in zip(frames, frames[1:])]
    seam = np.abs(frames[-1] - frames[0]).mean()
    print(f"{path.name}: {len(frames)} frames, seam {seam:.3f}, steps {np.mean(steps):.3f} on average, {max(steps):.3f} at most")
    # The frames before encoding loop exactly (films.py makes sure); the encoded first one is sharper than the last.
    if seam > max(max(steps) * 2.0, 0.6):
        faults.append(f"{path.name} jumps where it loops")
    return faults


def main(out):
    """Prints a line per measure and ends the program with 1 when there is a fault."""
    out = Path(out)
    files = sorted(p for p in out.rglob("*") if p.is_file())
    faults = []
    total = sum(p.stat().st_size for p in files) / KIB
    if total > TOTAL_KIB:
        faults.append(f"all together are {total:.0f} KiB, more than {TOTAL_KIB}")
    for start, count in COUNTS.items():
        found = sum(p.relative_to(out).as_posix().startswith(start) for p in files)
        if found != count:
            faults.append(f"{found} files of {count} start with {start}")
    for p in files:
        name, kib = p.relative_to(out).as_posix(), p.stat().st_size / KIB
        for pattern, (size, limit) in IMAGES.items():
            if re.fullmatch(pattern, name):
                if Image.open(p).size != size or kib > limit:
                    faults.append(f"{name} is {Image.open(p).size} and {kib:.0f} KiB, wanted {size} and at most {limit}")
        if "banner-" in name and text_share(p) > 0.01:
            faults.append(f"{name}: white text misses AA on {text_share(p):.1%} of it")
        if name.endswith(".mp4"):
            faults += film_faults(p)
            if kib > 1500:
                faults.append(f"{name} is {kib:.0f} KiB, more than 1500")
    print(f"{len(files)} files, {total:.0f} KiB")
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "static")
