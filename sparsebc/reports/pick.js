// Marks the rows picked in the table or a plot, else the hits of a search, else the best rows; a few
// have labels. Plots are updated after a pause, so that typing does not wait for them.
const show = () => {
  const found = hits.indices !== null && hits.indices.length <= drawn ? hits.indices : []
  const chosen = rows.selected.indices.length > 0 ? rows.selected.indices : found
  const none = chosen.length === 0 && hits.indices === null
  const shown = none ? [...rows.data.rank.keys()].slice(0, best) : chosen.slice(0, drawn)
  const data = {}
  for (const [key, column] of Object.entries(rows.data)) data[key] = shown.map((i) => column[i])
  const name = (i) => names.map((key) => rows.data[key][i]).join(" – ")
  data.label = shown.map((i) => (shown.length <= labelled ? name(i) : ""))
  for (const [key, values] of Object.entries(around)) data[key] = shown.map((_, k) => values[k % values.length])
  picked.data = data
}
clearTimeout(picked.waiting)
picked.waiting = setTimeout(show, 120)
