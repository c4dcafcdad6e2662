"""The look of pages: templates, styles and scripts that systems share."""
