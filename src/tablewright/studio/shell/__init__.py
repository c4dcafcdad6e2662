"""The studio around its pages: addresses, access, navigation, the design that is shown."""
