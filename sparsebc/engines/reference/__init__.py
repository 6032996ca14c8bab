"""Reference engine: the algebra, literally."""
