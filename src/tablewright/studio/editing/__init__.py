"""Changes of items: the form, the stage, and the commit."""
