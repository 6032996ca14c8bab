"""The measures, a public function each: `distance_measures.MEASURES`, `centralities.BY_PATHS`."""
