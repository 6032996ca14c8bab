"""The measures, a public function each: rows of `distances.MEASURES` or `centralities.BY_PATHS`."""
