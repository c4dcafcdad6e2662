"""The five design documents, transcribed word for word, with what is wrong about them.

Keys are concatenated there, so the tables are unchecked; conditions are the documents' own. They
are imported within `deferred_errors`, and lint has to find what the documents got wrong.
"""

from __future__ import annotations
