"""The measures: one public function each."""
