"""The renderer: light, noise, stars, planets and rocks as arrays of linear light.

The scene files beside this folder call it with plain numbers and get arrays back.
It must never choose a composition, a file name or a size: those are the scenes' business.
"""
