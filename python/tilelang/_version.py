"""The version, in its one place: pyproject.toml and CMakeLists.txt read it from here.

The part before the plus sign is the TileLang version whose interface this package implements; the part after counts our
releases.
"""

__version__ = "0.1.15+1"
