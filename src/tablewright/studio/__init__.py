"""The studio: a design, its items, its access patterns and what they cost, in a browser.

Everything is rendered by the server. A page is a view (plain dataclasses, made without knowing
HTTP) and a template; the same view as JSON is at the same address with ``.json`` behind it.
"""

from __future__ import annotations
