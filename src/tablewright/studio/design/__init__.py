"""The pages of a design that need no items: home, map and charts."""
