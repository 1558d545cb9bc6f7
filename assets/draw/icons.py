"""The mark of Apogee and everything made from it: logo, wordmark, icons, emblem, avatar, card background.

`draw.py` calls `draw`; the mark is an orbit, the body in its focus, and the point farthest from it.
It must never use a font: the letters of the wordmark are drawn here.
"""

import math
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image

from compose import finish, low_orbit, toward
from render import stars, surfaces
from render.light import bloom, halve, save_webp, tone
from render.planet import planet, trace

GROUND = "#0a0d12"
PALE = "#e7edf4"
AMBER = "#ffb347"


def mark(cx, cy, size, line, body=True, turn=-38):
    """The mark as SVG, `size` from end to end of the orbit, `line` the width of its stroke; tiny ones go without `body`."""
    a = size / 2
    b = a * 0.60
    focus = a * 0.50
    dot = line * 1.32
    gap = dot + line * 0.72
    # The orbit opens where the point sits, so that both stay apart in sixteen pixels.
    open_at = math.asin(min(0.95, gap / b))
    x, y = a * math.cos(open_at), b * math.sin(open_at)
    return (f'<g transform="translate({cx} {cy}) rotate({turn})" fill="none">'
            f'<path d="M{x:.2f},{-y:.2f}A{a:.2f},{b:.2f} 0 1 0 {x:.2f},{y:.2f}" stroke="{PALE}" stroke-width="{line:.2f}"/>' +
            (f'<circle cx="{-focus:.2f}" cy="0" r="{line * 0.98:.2f}" fill="{PALE}"/>' if body else "") +
            f'<circle cx="{a:.2f}" cy="0" r="{dot:.2f}" fill="{AMBER}"/></g>')


# Letters on a grid 100 high: outlines of one stroke width, corners cut as on the site's banners.
S, CUT = 19, 15


def _o(w):
    """An octagonal ring, the O."""
    i, c, k = S, CUT + 6, CUT - 2
    return (f"M{c},0H{w - c}L{w},{c}V{100 - c}L{w - c},100H{c}L0,{100 - c}V{c}Z"
            f"M{i + k},{i}L{i},{i + k}V{100 - i - k}L{i + k},{100 - i}H{w - i - k}L{w - i},{100 - i - k}V{i + k}L{w - i - k},{i}Z")


LETTERS = {
    "A": (70, "M0,100L24,0H46L70,100H50L45.500,79H24.500L20,100ZM28.300,62H41.700L35,31Z"),
    "P": (60, f"M0,0H42L60,{CUT + 3}V49L45,65H{S}V100H0ZM{S},{S}V47H36L41,42V26L35,{S}Z"),
    "O": (64, _o(64)),
    "G": (63, f"M{CUT + 6},0H63V{S}H{S + 13}L{S},{S + 13}V{100 - S - 13}L{S + 13},{100 - S}H{63 - S}V60H34V43H63V100H"
              f"{CUT + 6}L0,{100 - CUT - 6}V{CUT + 6}Z"),
    "E": (53, f"M0,0H53V{S}H{S}V41H47V58H{S}V{100 - S}H53V100H0Z"),
}


def letters(x, y, height, fill=PALE, space=15):
    """The word APOGEE as SVG with its width."""
    k = height / 100
    out, at = "", 0
    for c in "APOGEE":
        w, d = LETTERS[c]
        out += f'<path transform="translate({at} 0)" d="{d}"/>'
        at += w + space
    return f'<g transform="translate({x} {y}) scale({k:.4f})" fill="{fill}" fill-rule="evenodd">{out}</g>', (at - space) * k


def svg(width, height, body):
    """A whole SVG file."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{body}</svg>\n'


def tile(size, corner, scale, line, body=True):
    """The mark on the site's ground, with one corner cut; `corner` 0 gives a full square for masks."""
    c = corner
    box = f'<path d="M0,0H{size - c}L{size},{c}V{size}H{c}L0,{size - c}Z" fill="#11161e"/>' if c else \
        f'<rect width="{size}" height="{size}" fill="#11161e"/>'
    # The point lies beyond the orbit's end: the whole is moved back so that it looks centred.
    return svg(size, size, box + mark(size / 2 - line * 0.2, size / 2 + line * 0.2, size * scale, line, body))


def raster(text, width, height=None):
    """An SVG text as an RGBA picture."""
    import io
    png = subprocess.run(["rsvg-convert", "-w", str(width), "-h", str(height or width)], input=text.encode(),
                         capture_output=True, check=True).stdout
    return Image.open(io.BytesIO(png)).convert("RGBA")


def small(image, path, colours=128):
    """Saves a flat picture with a palette."""
    image.quantize(colours, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def emblem(size):
    """The emblem of a guild that has none: a plate with cut corners, three courses rising over a limb."""
    return svg(400, 400, f'''<rect width="400" height="400" fill="#11161e"/>
<path d="M96,52H304L340,88V236L200,352L60,236V88Z" fill="#273343"/><path d="M200,52H304L340,88V236L200,352Z" fill="#1f2935"/>
<path d="M104,70H296L322,96V228L200,329L78,228V96Z" fill="#0d1219"/>
<clipPath id="p"><path d="M104,70H296L322,96V228L200,329L78,228V96Z"/></clipPath>
<g clip-path="url(#p)"><circle cx="200" cy="468" r="236" fill="#2b3a4e"/><circle cx="214" cy="482" r="236" fill="#18222f"/></g>
<path d="M200,94L266,218L200,186L134,218Z" fill="{AMBER}"/><path d="M200,94L266,218L200,186Z" fill="#d98a1f"/>
<path d="M92,196A150,150 0 0 1 308,196" fill="none" stroke="#8e9bab" stroke-width="7" stroke-dasharray="64 113 64 500"/>
<path d="M200,214L240,234L200,268L160,234Z" fill="#8e9bab"/><path d="M200,214L240,234L200,268Z" fill="#667386"/>''')


def avatar(size):
    """The picture of a player who has none: a pilot's helmet, a sunrise in its visor."""
    w = 800
    sun = toward(0.2, 25, 3)
    view = stars.field(w, w, 260, 5, faintest=0.06)
    p = planet(kind=surfaces.OCEAN, seed=23, air_height=0.006, air_r=0.04, air_g=0.10, air_b=0.26, haze=0.02, clouds=1.0,
               sun_x=sun[0], sun_y=sun[1], sun_z=sun[2], sun_r=2.4, sun_g=2.0, sun_b=1.6)
    trace(view, p, low_orbit(0.2, above=1, fov=52, roll=-16), 32)
    glass = Image.fromarray(finish(view * np.array([0.8, 1.0, 1.15]), 3))
    visor = "M132,188Q136,142 200,138Q268,140 272,190Q276,238 236,252Q200,260 164,252Q124,238 132,188Z"
    back = svg(400, 400, f'''<rect width="400" height="400" fill="#11161e"/><path d="M0,400V270L130,400Z" fill="#151c26"/>
<path d="M400,0V170L230,0Z" fill="#151c26"/>
<path d="M54,400Q58,322 128,306L160,290H240L272,306Q342,322 346,400Z" fill="#2a3646"/>
<path d="M200,290H240L272,306Q342,322 346,400H200Z" fill="#222c3a"/>
<path d="M118,308L160,352H240L282,308L262,300L232,330H168L138,300Z" fill="{AMBER}"/>
<path d="M200,330H232L262,300L282,308L240,352H200Z" fill="#d98a1f"/>
<path d="M200,84C284,84 308,140 304,204C302,262 268,304 200,304C132,304 98,262 96,204C92,140 116,84 200,84Z" fill="#c5cfda"/>
<path d="M200,84C284,84 308,140 304,204C302,262 268,304 200,304Q290,200 200,84Z" fill="#97a5b5"/>
<path d="M110,180H84V226H106ZM290,180H316V226H294Z" fill="#5d6b7c"/>
<path d="M120,188Q124,130 200,126Q280,128 284,190Q288,246 240,264Q200,272 160,264Q112,246 120,188Z" fill="#1a222d"/>
<path d="{visor}" fill="#fff"/>
<path d="M186,84H214L210,126H190Z" fill="{AMBER}"/><path d="M200,84H214L210,126H200Z" fill="#d98a1f"/>''')
    mask = raster(svg(400, 400, f'<path d="{visor}" fill="#fff"/>'), w).getchannel("A")
    shine = raster(svg(400, 400, f'<clipPath id="v"><path d="{visor}"/></clipPath><path clip-path="url(#v)" '
                                 f'd="M120,120H196L150,270H110Z" fill="#fff" opacity="0.10"/><path clip-path="url(#v)" '
                                 f'd="M206,120H222L176,270H160Z" fill="#fff" opacity="0.10"/>'), w)
    image = raster(back, w).convert("RGB")
    image.paste(glass.resize((w, w)).crop((0, 0, w, w)), (0, 0), mask)
    image.paste(shine, (0, 0), shine)
    return image.resize((size, size), Image.LANCZOS)


def card(width=1200, height=630):
    """Ground for share pictures: dark on the left for the text, a lit limb low on the right."""
    k = 2
    w, h = width * k, height * k
    sun = toward(0.22, 80, 33)
    p = planet(kind=surfaces.OCEAN, seed=23, tilt=0.7, roll=0.2, turn=0.6, clouds=1.0, air_height=0.0035, air_r=0.035,
               air_g=0.09, air_b=0.24, haze=0.006, sun_x=sun[0], sun_y=sun[1], sun_z=sun[2], sun_r=0.8, sun_g=0.74, sun_b=0.68)
    img = stars.field(w, h, 500, 21, faintest=0.02)
    trace(img, p, low_orbit(0.22, above=7.0, fov=28, roll=-10, heading=6), 32)
    return Image.fromarray(tone(bloom(halve(img, k - 1), 0.08), grain=0.0))


def draw(out):
    """Writes the mark, icons, default pictures and the card background under `out`."""
    out = Path(out)
    icons, images = out / "icons", out / "images"
    icons.mkdir(parents=True, exist_ok=True)
    images.mkdir(parents=True, exist_ok=True)
    (out / "logo.svg").write_text(svg(200, 200, mark(97, 103, 158, 13.5)))
    word, wide = letters(0, 0, 64)
    (out / "wordmark.svg").write_text(svg(math.ceil(wide) + 104, 84, mark(42, 43, 70, 7) +
                                          f'<g transform="translate(100 10)">{word}</g>'))
    (icons / "favicon.svg").write_text(tile(32, 6, 0.70, 3.0, body=False))
    for name, size, text in (("favicon-32.png", 32, tile(32, 6, 0.70, 3.0, body=False)), ("icon-192.png", 192, tile(192, 30, 0.62, 14)),
                             ("icon-512.png", 512, tile(512, 80, 0.62, 37)), ("apple-touch-icon.png", 180, tile(180, 0, 0.60, 13)),
                             ("maskable-512.png", 512, tile(512, 0, 0.50, 30))):
        small(raster(text, size), icons / name)
    raster(tile(32, 6, 0.70, 3.0, body=False), 64).save(icons / "favicon.ico", sizes=[(16, 16), (32, 32), (48, 48)])
    save_webp(raster(emblem(400), 800).convert("RGB").resize((400, 400), Image.LANCZOS), images / "default-guild.webp", 20)
    save_webp(avatar(400), images / "default-avatar.webp", 24)
    card().save(images / "card-background.png", optimize=True)
