// Points that are picked, or that a search found, have a ring and their names.
ring.visible = names.visible = rows.selected.indices.length > 0 || hits.indices !== null
