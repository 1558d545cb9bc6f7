"""Seeded gradient noise, layered noise and crater fields in three dimensions.

Surfaces, clouds and dust in this folder call it, point by point, from compiled loops.
It must never keep state or use a random generator: the same point and seed give the same value on every machine.
"""

import math

from numba import njit


@njit(cache=True, inline="always")
def hash3(ix, iy, iz, seed):
    """A 32-bit hash of a lattice point."""
    h = (ix * 374761393 + iy * 668265263 + iz * 2654435769 + seed * 1274126177) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 2246822519) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 3266489917) & 0xFFFFFFFF
    return (h ^ (h >> 16)) & 0xFFFFFFFF


@njit(cache=True, inline="always")
def unit(h):
    """A hash as a number in 0..1."""
    return h / 4294967295.0


@njit(cache=True)
def _gradient(ix, iy, iz, seed, fx, fy, fz):
    h = hash3(ix, iy, iz, seed)
    gx = ((h & 1023) / 511.5) - 1.0
    gy = (((h >> 10) & 1023) / 511.5) - 1.0
    gz = (((h >> 20) & 1023) / 511.5) - 1.0
    return gx * fx + gy * fy + gz * fz


@njit(cache=True)
def noise(x, y, z, seed):
    """Gradient noise, about -1..1, one feature per unit of length."""
    bx = math.floor(x)
    by = math.floor(y)
    bz = math.floor(z)
    fx = x - bx
    fy = y - by
    fz = z - bz
    ix = int(bx)
    iy = int(by)
    iz = int(bz)
    u = fx * fx * fx * (fx * (fx * 6 - 15) + 10)
    v = fy * fy * fy * (fy * (fy * 6 - 15) + 10)
    w = fz * fz * fz * (fz * (fz * 6 - 15) + 10)
    a = _gradient(ix, iy, iz, seed, fx, fy, fz)
    b = _gradient(ix + 1, iy, iz, seed, fx - 1, fy, fz)
    c = _gradient(ix, iy + 1, iz, seed, fx, fy - 1, fz)
    d = _gradient(ix + 1, iy + 1, iz, seed, fx - 1, fy - 1, fz)
    e = _gradient(ix, iy, iz + 1, seed, fx, fy, fz - 1)
    f = _gradient(ix + 1, iy, iz + 1, seed, fx - 1, fy, fz - 1)
    g = _gradient(ix, iy + 1, iz + 1, seed, fx, fy - 1, fz - 1)
    h = _gradient(ix + 1, iy + 1, iz + 1, seed, fx - 1, fy - 1, fz - 1)
    ab = a + u * (b - a)
    cd = c + u * (d - c)
    ef = e + u * (f - e)
    gh = g + u * (h - g)
    lo = ab + v * (cd - ab)
    hi = ef + v * (gh - ef)
    return 1.25 * (lo + w * (hi - lo))


@njit(cache=True)
def fbm(x, y, z, octaves, gain, foot, seed):
    """Layered noise; layers finer than `foot` (size of a pixel in the same units) fade out."""
    total = 0.0
    amp = 1.0
    freq = 1.0
    for i in range(octaves):
        cover = freq * foot
        if cover > 0.9:
            break
        fade = 1.0 if cover < 0.45 else (0.9 - cover) / 0.45
        total += amp * fade * noise(x * freq, y * freq, z * freq, seed + i * 17)
        amp *= gain
        freq *= 2.03
    return total


@njit(cache=True)
def ridged(x, y, z, octaves, gain, foot, seed):
    """Layered noise with sharp crests, 0..about 1.5: mountain chains, cracks, filaments."""
    total = 0.0
    amp = 1.0
    freq = 1.0
    prev = 1.0
    for i in range(octaves):
        cover = freq * foot
        if cover > 0.9:
            break
        fade = 1.0 if cover < 0.45 else (0.9 - cover) / 0.45
        r = 1.0 - abs(noise(x * freq, y * freq, z * freq, seed + i * 31))
        r = r * r * prev
        prev = min(1.0, max(0.0, r * 1.6))
        total += amp * fade * r
        amp *= gain
        freq *= 2.07
    return total


@njit(cache=True)
def craters(x, y, z, freq, seed):
    """Height of one size of impact craters (bowl, rim, thrown-out blanket) and how fresh they are."""
    px = x * freq
    py = y * freq
    pz = z * freq
    bx = int(math.floor(px - 0.5))
    by = int(math.floor(py - 0.5))
    bz = int(math.floor(pz - 0.5))
    height = 0.0
    fresh = 0.0
    for dz in range(2):
        for dy in range(2):
            for dx in range(2):
                h = hash3(bx + dx, by + dy, bz + dz, seed)
                if (h & 7) < 3:
                    continue
                jx = ((h >> 3) & 255) / 510.0 + 0.25
                jy = ((h >> 11) & 255) / 510.0 + 0.25
                jz = ((h >> 19) & 255) / 510.0 + 0.25
                h2 = hash3(bx + dx, by + dy, bz + dz, seed + 991)
                s = unit(h2)
                rad = 0.10 + 0.30 * s * s
                ex = bx + dx + jx - px
                ey = by + dy + jy - py
                ez = bz + dz + jz - pz
                d = math.sqrt(ex * ex + ey * ey + ez * ez) / rad
                if d > 1.85:
                    continue
                age = ((h2 >> 8) & 255) / 255.0
                depth = rad * (0.25 + 0.75 * age)
                if d < 1.0:
                    bowl = d * d
                    if bowl < 0.18:
                        bowl = 0.18
                    height += depth * (bowl - 1.0) * 0.75 + depth * 0.28 * d * d * d * d
                else:
                    k = (1.85 - d) / 0.85
                    height += depth * 0.28 * k * k * k
                    if age > 0.8:
                        fresh += k * k * (age - 0.8) * 5.0
    return height / freq, fresh
