"""`python -m tilelang doctor`: what works here, what does not, and what to do about it."""

from __future__ import annotations

from .finding import Finding, Status, checked
from .report import doctor

__all__ = ["Finding", "Status", "checked", "doctor"]
