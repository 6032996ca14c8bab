"""The measures, a public function each: `distances.MEASURES`, `centralities.BY_PATHS`."""
