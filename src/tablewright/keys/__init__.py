"""Keys as text: codecs, templates and their algebra. Pure; knows no entity, request or store."""
