// Draws picked edges, or hits of a search, as lines on top of the others.
const {x, y} = points.data, {line, first, last} = cb_obj.data
const shown = rows.selected.indices.length > 0 || hits.indices !== null ? [...line.keys()] : []
marked.data = {
  xs: shown.map((i) => x.slice(first[i], last[i])),
  ys: shown.map((i) => y.slice(first[i], last[i])),
  width: shown.map(() => 5),
}
