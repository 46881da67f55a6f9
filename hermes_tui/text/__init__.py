"""Pure functions on str: cleaning, wrapping, widths, CJK tests, match spans."""
