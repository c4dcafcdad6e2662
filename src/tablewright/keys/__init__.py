"""Keys as text: codecs, templates and their algebra. Pure: no entities, requests or stores."""
