"""Traces one planet with relief, clouds, air and a ring into an array of linear light.

Scenes describe a `Planet` and a camera; the tracer paints it over what is already there, farthest first.
It must never draw stars or bloom; light that leaves the picture's scale stays unclipped for the tone curve.
"""

import math
from collections import namedtuple

import numpy as np
from numba import njit, prange

from .noise import fbm
from .surfaces import CITY, GAS, OCEAN, WHOLE, colour, flow, gas_colour, relief, smooth

_DEFAULTS = dict(
    x=0.0, y=0.0, z=0.0, radius=1.0, kind=0, seed=1, turn=0.0, tilt=0.0, roll=0.0,
    sun_x=1.0, sun_y=0.0, sun_z=0.0, sun_r=3.0, sun_g=2.8, sun_b=2.5,
    air_height=0.0, air_r=0.05, air_g=0.12, air_b=0.28, haze=0.02, haze_g=0.76,
    clouds=0.0, cloud_turn=0.0, cloud_turn_2=0.0, cloud_mix=0.0, bump=1.0, night=0.0,
    ring_in=0.0, ring_out=0.0, ring_seed=3, ring_light=1.0, lights=1.0,
)
Planet = namedtuple("Planet", list(_DEFAULTS))


def planet(**changes):
    """A `Planet` with defaults: lengths in scene units, air_* = optical depth straight up, angles in radians."""
    values = dict(_DEFAULTS, **changes)
    sun = np.array([values["sun_x"], values["sun_y"], values["sun_z"]])
    values["sun_x"], values["sun_y"], values["sun_z"] = (sun / np.linalg.norm(sun)).tolist()
    ints = ("kind", "seed", "ring_seed")
    return Planet(**{k: int(v) if k in ints else float(v) for k, v in values.items()})


def camera(at, look, up=(0, 1, 0), fov=45.0):
    """A camera as one row of numbers: place, right, up and forward vectors, half-height of the view at distance 1."""
    at, look = np.asarray(at, float), np.asarray(look, float)
    f = look - at
    f /= np.linalg.norm(f)
    r = np.cross(f, np.asarray(up, float))
    r /= np.linalg.norm(r)
    u = np.cross(r, f)
    return np.concatenate([at, r, u, f, [math.tan(math.radians(fov) / 2)]])


@njit(cache=True)
def _chapman(x, h, cosine):
    """Air mass toward a direction, in scale heights (Schueler's approximation); x = radius / scale height."""
    c = math.sqrt(x + h)
    if cosine >= 0.0:
        return c / (c * cosine + 1.0) * math.exp(-h)
    x0 = math.sqrt(max(0.0, 1.0 - cosine * cosine)) * (x + h)
    c0 = math.sqrt(x0)
    e = x - x0
    if e > 60.0:
        return 1e9
    return 2.0 * c0 * math.exp(e) - c / (1.0 - c * cosine) * math.exp(-h)


@njit(cache=True)
def ring_density(rho, p):
    """How much light a ring stops at a distance from the planet's centre, in radii."""
    if rho < p.ring_in or rho > p.ring_out:
        return 0.0
    t = (rho - p.ring_in) / (p.ring_out - p.ring_in)
    d = 0.55 + 0.55 * fbm(t * 7.0, 0.3, 0.8, 3, 0.6, 0.0, p.ring_seed) + 0.35 * fbm(t * 46.0, 1.3, 0.8, 4, 0.7, 0.0, p.ring_seed + 7)
    gap = 1.0 - smooth(0.016, 0.008, abs(t - 0.66)) * 0.96 - smooth(0.010, 0.004, abs(t - 0.28)) * 0.8
    edge = smooth(0.0, 0.05, t) * smooth(1.0, 0.97, t)
    inner = 0.25 + 0.75 * smooth(0.05, 0.34, t)
    return min(0.96, max(0.0, d * gap * edge * inner))


@njit(cache=True)
def _to_body(p, x, y, z):
    """Scene direction to the planet's own axes (roll about z, then tilt about x)."""
    ca = math.cos(p.roll)
    sa = math.sin(p.roll)
    x2 = x * ca + y * sa
    y2 = -x * sa + y * ca
    cb = math.cos(p.tilt)
    sb = math.sin(p.tilt)
    return x2, y2 * cb + z * sb, -y2 * sb + z * cb


@njit(cache=True)
def _surface_light(p, nx, ny, nz, dx, dy, dz, foot, levels, window):
    """Light leaving the ground (or clouds) at normal n toward -d."""
    if p.night <= 0.0 and p.kind != CITY and nx * p.sun_x + ny * p.sun_y + nz * p.sun_z < -0.07:
        return 0.0, 0.0, 0.0
    bx, by, bz = _to_body(p, nx, ny, nz)
    ct = math.cos(p.turn)
    st = math.sin(p.turn)
    gx = bx * ct - bz * st if p.kind != GAS else bx
    gz = bx * st + bz * ct if p.kind != GAS else bz
    gy = by
    h = 0.0 if p.kind == CITY and p.bump == 0.0 else relief(p.kind, gx, gy, gz, foot, p.seed)
    sx, sy, sz = _to_body(p, p.sun_x, p.sun_y, p.sun_z)
    if p.kind != GAS:
        sx, sz = sx * ct - sz * st, sx * st + sz * ct
    mu0 = gx * sx + gy * sy + gz * sz
    ex = gx
    ey = gy
    ez = gz
    if p.bump > 0.0 and p.kind != GAS:
        # Two tangents, and the slope along each.
        if abs(gy) < 0.9:
            tl = math.sqrt(gx * gx + gz * gz)
            ax = gz / tl
            ay = 0.0
            az = -gx / tl
        else:
            tl = math.sqrt(gy * gy + gz * gz)
            ax = 0.0
            ay = gz / tl
            az = -gy / tl
        cx = gy * az - gz * ay
        cy = gz * ax - gx * az
        cz = gx * ay - gy * ax
        s = max(foot * 0.8, 2e-4)
        h1 = relief(p.kind, gx + ax * s, gy + ay * s, gz + az * s, foot, p.seed)
        h2 = relief(p.kind, gx + cx * s, gy + cy * s, gz + cz * s, foot, p.seed)
        k1 = (h1 - h) / s * p.bump
        k2 = (h2 - h) / s * p.bump
        ex = gx - k1 * ax - k2 * cx
        ey = gy - k1 * ay - k2 * cy
        ez = gz - k1 * az - k2 * cz
        l = math.sqrt(ex * ex + ey * ey + ez * ez)
        ex /= l
        ey /= l
        ez /= l
    ar, ag, ab, water, er, eg, eb = colour(p.kind, gx, gy, gz, h, foot, p.seed)
    if p.kind == GAS:
        v, s = flow(GAS, gx, gy, gz, foot, p.seed, p.cloud_turn, p.cloud_turn_2, p.cloud_mix, levels, window)
        ar, ag, ab = gas_colour(v, s, gy)
    if p.kind == CITY and p.lights > 0.0:
        er, warm = flow(CITY, gx, gy, gz, foot, p.seed, p.cloud_turn, p.cloud_turn_2, p.cloud_mix, levels, window)
        eg = er * (0.46 + 0.14 * warm)
        eb = er * (0.13 + 0.20 * warm)
    lam = ex * sx + ey * sy + ez * sz
    # Ground beyond the terminator lies in the shadow of the ground before it.
    lam = max(0.0, lam) * smooth(-0.06, 0.05, mu0)
    if p.kind == GAS:
        lam = max(0.0, mu0 * 0.94 + 0.06) ** 1.15 if mu0 > -0.064 else 0.0
    vr = ar * lam
    vg = ag * lam
    vb = ab * lam
    if water > 0.0 and mu0 > 0.0:
        vx, vy, vz = _to_body(p, -dx, -dy, -dz)
        vx, vz = vx * ct - vz * st, vx * st + vz * ct
        hx = vx + sx
        hy = vy + sy
        hz = vz + sz
        l = math.sqrt(hx * hx + hy * hy + hz * hz) + 1e-9
        c = max(0.0, (hx * gx + hy * gy + hz * gz) / l)
        cosv = max(0.0, vx * gx + vy * gy + vz * gz)
        fres = 0.02 + 0.98 * (1.0 - cosv) ** 5
        ripple = 0.75 + 0.5 * fbm(gx * 30, gy * 30, gz * 30, 4, 0.6, foot * 30, p.seed + 301)
        g = (c ** 90 * 2.2 + c ** 700 * 9.0) * fres * water * max(0.0, ripple) * 6.0 * smooth(0.0, 0.09, mu0)
        vr += g
        vg += g
        vb += g
    if p.clouds > 0.0:
        cover, _ = flow(OCEAN, gx, gy, gz, foot, p.seed, p.cloud_turn, p.cloud_turn_2, p.cloud_mix, levels, window)
        sh, _ = flow(OCEAN, gx + sx * 0.012, gy + sy * 0.012, gz + sz * 0.012, foot, p.seed, p.cloud_turn,
                     p.cloud_turn_2, p.cloud_mix, levels, window)
        cover *= p.clouds
        sh *= p.clouds
        shade = 1.0 - 0.65 * sh
        vr *= shade
        vg *= shade
        vb *= shade
        # Towers of cloud catch a low sun on their sides, long before the ground below them has any.
        thick = min(mu0 + 0.02, 0.35 * smooth(-0.01, 0.16, mu0) + 0.65 * mu0) if mu0 > 0.3 else 0.42 * smooth(-0.02, 0.24, mu0)
        thick = max(0.0, thick) * max(0.16, min(1.45, 0.80 + (1.7 + 2.0 * smooth(0.4, 0.0, mu0)) * (cover - sh)))
        a = cover * 0.94
        vr = vr * (1 - a) + a * 0.80 * thick
        vg = vg * (1 - a) + a * 0.82 * thick
        vb = vb * (1 - a) + a * 0.85 * thick
        er *= 1.0 - 0.8 * cover
        eg *= 1.0 - 0.8 * cover
        eb *= 1.0 - 0.8 * cover
    if p.kind == CITY:
        n = smooth(0.10, -0.08, mu0) * p.lights
        er *= n
        eg *= n
        eb *= n
    tr = 1.0
    tg = 1.0
    tb = 1.0
    if p.air_height > 0.0:
        m = _chapman(1.0 / p.air_height, 0.0, mu0)
        tr = math.exp(-min(80.0, (p.air_r + p.haze * 0.4) * m))
        tg = math.exp(-min(80.0, (p.air_g + p.haze * 0.4) * m))
        tb = math.exp(-min(80.0, (p.air_b + p.haze * 0.4) * m))
    if p.ring_out > 0.0 and abs(sy) > 1e-4:
        # The ring lies in the body's equator; follow the sunbeam up to it.
        t = -by / _to_body(p, p.sun_x, p.sun_y, p.sun_z)[1]
        if t > 0.0:
            qx, qy, qz = _to_body(p, p.sun_x, p.sun_y, p.sun_z)
            rx = bx + qx * t
            rz = bz + qz * t
            d = 1.0 - 0.88 * ring_density(math.sqrt(rx * rx + rz * rz), p)
            tr *= d
            tg *= d
            tb *= d
    nl = p.night
    return (vr * tr * p.sun_r + ar * nl * 0.6 + er, vg * tg * p.sun_g + ag * nl * 0.8 + eg,
            vb * tb * p.sun_b + ab * nl + eb)


@njit(cache=True)
def _air(p, ox, oy, oz, dx, dy, dz, t0, t1, steps):
    """Light scattered into the ray by the air between t0 and t1, and how much of what is behind gets through."""
    hs = p.air_height
    dt = (t1 - t0) / steps
    od = 0.0
    sr = 0.0
    sg = 0.0
    sb = 0.0
    mu = dx * p.sun_x + dy * p.sun_y + dz * p.sun_z
    ray = 0.0597 * (1.0 + mu * mu)
    g = p.haze_g
    mie = 0.0796 * (1 - g * g) / (1 + g * g - 2 * g * mu) ** 1.5
    inv = 1.0 / hs
    for i in range(steps):
        t = t0 + (i + 0.5) * dt
        x = ox + dx * t
        y = oy + dy * t
        z = oz + dz * t
        r = math.sqrt(x * x + y * y + z * z)
        hgt = max(0.0, (r - 1.0) * inv)
        dens = math.exp(-hgt) * dt * inv
        od += dens * 0.5
        cs = (x * p.sun_x + y * p.sun_y + z * p.sun_z) / r
        m = od + _chapman(inv, hgt, cs)
        hz = p.haze
        ar = math.exp(-min(80.0, (p.air_r + hz) * m))
        ag = math.exp(-min(80.0, (p.air_g + hz) * m))
        ab = math.exp(-min(80.0, (p.air_b + hz) * m))
        # A little of the light arrives after more than one turn; it fills the shadow side of the terminator.
        sr += dens * (ar * (p.air_r * ray + hz * mie))
        sg += dens * (ag * (p.air_g * ray + hz * mie))
        sb += dens * (ab * (p.air_b * ray + hz * mie))
        od += dens * 0.5
    k = 3.1416
    return (sr * k * p.sun_r, sg * k * p.sun_g, sb * k * p.sun_b,
            math.exp(-min(80.0, (p.air_r + p.haze) * od)), math.exp(-min(80.0, (p.air_g + p.haze) * od)),
            math.exp(-min(80.0, (p.air_b + p.haze) * od)))


@njit(cache=True)
def _ring_light(p, hx, hy, hz, dx, dy, dz):
    """Colour and cover of the ring where a ray meets it (point in radii, body axes not yet applied)."""
    bx, by, bz = _to_body(p, hx, hy, hz)
    rho = math.sqrt(bx * bx + bz * bz)
    a = ring_density(rho, p)
    if a <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    b = hx * p.sun_x + hy * p.sun_y + hz * p.sun_z
    lit = 1.0
    if b < 0.0:
        d2 = hx * hx + hy * hy + hz * hz - b * b
        lit = smooth(0.985, 1.012, math.sqrt(max(0.0, d2)))
    s = _to_body(p, p.sun_x, p.sun_y, p.sun_z)[1]
    v = _to_body(p, -dx, -dy, -dz)[1]
    same = s * v > 0.0
    mu = dx * p.sun_x + dy * p.sun_y + dz * p.sun_z
    forward = 0.35 + 2.2 * max(0.0, mu) ** 6
    k = (0.55 if same else 0.22 * (1.2 - a)) * p.ring_light
    k = k * (0.55 + 0.6 * abs(s)) + 0.25 * forward * (1.0 - a) * p.ring_light
    t = (rho - p.ring_in) / (p.ring_out - p.ring_in)
    k *= lit
    return k * p.sun_r * (0.95 - 0.12 * t), k * p.sun_g * (0.86 - 0.05 * t), k * p.sun_b * (0.74 + 0.06 * t), a


@njit(parallel=True, cache=True)
def _trace(img, p, cam, steps, levels, window):
    h, w, _ = img.shape
    ox = (cam[0] - p.x) / p.radius
    oy = (cam[1] - p.y) / p.radius
    oz = (cam[2] - p.z) / p.radius
    pix = 2.0 * cam[12] / h
    top = 1.0 + 9.0 * p.air_height
    cc = ox * ox + oy * oy + oz * oz
    for y in prange(h):
        v = (1.0 - 2.0 * (y + 0.5) / h) * cam[12]
        for x in range(w):
            u = (2.0 * (x + 0.5) / w - 1.0) * cam[12] * w / h
            dx = cam[9] + u * cam[3] + v * cam[6]
            dy = cam[10] + u * cam[4] + v * cam[7]
            dz = cam[11] + u * cam[5] + v * cam[8]
            l = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
            dx *= l
            dy *= l
            dz *= l
            b = ox * dx + oy * dy + oz * dz
            near = b * b - (cc - 1.0)
            hit = near > 0.0 and -b - math.sqrt(max(0.0, near)) > 0.0
            ts = -b - math.sqrt(near) if hit else 1e9
            r = img[y, x, 0]
            g = img[y, x, 1]
            bl = img[y, x, 2]
            ring_t = -1.0
            if p.ring_out > 0.0:
                fx, fy, fz = _to_body(p, dx, dy, dz)
                cx, cy, cz = _to_body(p, ox, oy, oz)
                if abs(fy) > 1e-6:
                    ring_t = -cy / fy
            if ring_t > 0.0 and ring_t > ts:
                ring_t = -1.0
            rr = 0.0
            rg = 0.0
            rb = 0.0
            ra = 0.0
            if ring_t > 0.0:
                rr, rg, rb, ra = _ring_light(p, ox + dx * ring_t, oy + dy * ring_t, oz + dz * ring_t, dx, dy, dz)
            behind = ring_t > -b
            if ra > 0.0 and behind:
                r = r * (1 - ra) + rr * ra
                g = g * (1 - ra) + rg * ra
                bl = bl * (1 - ra) + rb * ra
            if hit:
                nx = ox + dx * ts
                ny = oy + dy * ts
                nz = oz + dz * ts
                cosv = max(0.05, -(nx * dx + ny * dy + nz * dz))
                foot = ts * pix / math.sqrt(cosv)
                r, g, bl = _surface_light(p, nx, ny, nz, dx, dy, dz, foot, levels, window)
            if p.air_height > 0.0:
                q = b * b - (cc - top * top)
                if q > 0.0:
                    sq = math.sqrt(q)
                    t0 = max(0.0, -b - sq)
                    t1 = min(ts, -b + sq)
                    if t1 > t0:
                        ir, ig, ib, tr, tg, tb = _air(p, ox, oy, oz, dx, dy, dz, t0, t1, steps)
                        r = r * tr + ir
                        g = g * tg + ig
                        bl = bl * tb + ib
            if ra > 0.0 and not behind:
                r = r * (1 - ra) + rr * ra
                g = g * (1 - ra) + rg * ra
                bl = bl * (1 - ra) + rb * ra
            img[y, x, 0] = r
            img[y, x, 1] = g
            img[y, x, 2] = bl


UNBAKED = ((np.zeros((1, 1, 2), np.float32),), WHOLE)


def trace(img, p, cam, steps, baked=UNBAKED):
    """Paints planet `p` over `img` as seen by `cam`; `steps` samples of the air per ray.

    `baked` is what flows on this planet as a map (`surfaces.bake`), so that a film need not work it out per frame.
    """
    _trace(img, p, cam, steps, *baked)


@njit(cache=True)
def ground(p, cam, w, h):
    """Where each pixel's ray meets the planet: a unit vector in its own axes and the size of the pixel there (0: nowhere)."""
    out = np.zeros((h, w, 4))
    ox = (cam[0] - p.x) / p.radius
    oy = (cam[1] - p.y) / p.radius
    oz = (cam[2] - p.z) / p.radius
    cc = ox * ox + oy * oy + oz * oz
    for y in range(h):
        v = (1.0 - 2.0 * (y + 0.5) / h) * cam[12]
        for x in range(w):
            u = (2.0 * (x + 0.5) / w - 1.0) * cam[12] * w / h
            dx = cam[9] + u * cam[3] + v * cam[6]
            dy = cam[10] + u * cam[4] + v * cam[7]
            dz = cam[11] + u * cam[5] + v * cam[8]
            l = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
            dx *= l
            dy *= l
            dz *= l
            b = ox * dx + oy * dy + oz * dz
            near = b * b - (cc - 1.0)
            if near <= 0.0 or b > 0.0:
                continue
            t = -b - math.sqrt(near)
            nx = ox + dx * t
            ny = oy + dy * t
            nz = oz + dz * t
            out[y, x, 0], out[y, x, 1], out[y, x, 2] = _to_body(p, nx, ny, nz)
            out[y, x, 3] = t * 2.0 * cam[12] / h / math.sqrt(max(0.05, -(nx * dx + ny * dy + nz * dz)))
    return out


def project(cam, point):
    """Where a scene point lies in the picture: (x, y) in half-heights from the centre (right, up), and its depth."""
    d = np.asarray(point, float) - cam[:3]
    z = d @ cam[9:12]
    return d @ cam[3:6] / z / cam[12], d @ cam[6:9] / z / cam[12], z


def through_air(p, cam, direction):
    """Share of light (3) that reaches the camera from far away in a direction, past planet `p` and its air."""
    o = (cam[:3] - np.array([p.x, p.y, p.z])) / p.radius
    d = np.asarray(direction, float) / np.linalg.norm(direction)
    b = o @ d
    near = b * b - (o @ o - 1.0)
    if near > 0 and -b - math.sqrt(near) > 0:
        return np.zeros(3)
    top = 1.0 + 9.0 * p.air_height
    q = b * b - (o @ o - top * top)
    if p.air_height == 0.0 or q <= 0:
        return np.ones(3)
    t = _air(p, *o, *d, max(0.0, -b - math.sqrt(q)), -b + math.sqrt(q), 48)
    return np.array(t[3:])
