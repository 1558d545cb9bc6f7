"""Draws every picture and film of the site again: `python draw.py [OUT] [GROUP...]`.

`draw.sh` calls it; groups are homes, banners, films, stickers and icons, all of them when none is named.
It must never hold a picture itself: each group lives in the file of its name.
"""

import sys
from pathlib import Path

import banners
import check
import films
import homes
import icons
import stickers

GROUPS = {"stickers": stickers.draw, "icons": icons.draw, "homes": homes.draw, "banners": banners.draw, "films": films.draw}


def main(arguments):
    """Draws the named groups into OUT, then measures what is there."""
    out = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent / "static"
    names = arguments[1:] or list(GROUPS)
    unknown = [n for n in names if n not in GROUPS]
    if unknown:
        raise SystemExit(f"no group {unknown[0]}: there are {', '.join(GROUPS)}")
    for name in names:
        GROUPS[name](out)
    check.main(out)


if __name__ == "__main__":
    main(sys.argv[1:])
