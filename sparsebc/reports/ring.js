// Shows rings and labels of picked points, or of hits of a search.
ring.visible = names.visible = rows.selected.indices.length > 0 || hits.indices !== null
