#!/bin/sh
# Draws all pictures and films again, or the groups named: ./draw.sh [homes banners films stickers icons]
# Compiled code and the Python environment go to target/draw, which git ignores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work="$here/../../target/draw"
for tool in python3 ffmpeg ffprobe rsvg-convert; do
    command -v "$tool" >/dev/null || { echo "draw: $tool is missing; on Debian: apt-get install python3-venv ffmpeg librsvg2-bin" >&2; exit 1; }
done
if [ ! -x "$work/env/bin/python" ]; then
    python3 -m venv "$work/env"
    "$work/env/bin/pip" install --quiet --requirement "$here/requirements.txt"
fi
# The compiler's cache does not notice a change in a function that another file calls.
rm -rf "$work/compiled"
NUMBA_CACHE_DIR="$work/compiled" PYTHONDONTWRITEBYTECODE=1 exec nice -n 10 "$work/env/bin/python" "$here/draw.py" "$here/../static" "$@"
