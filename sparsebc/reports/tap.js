// Picks clicked lines in the table, which then marks them.
const chosen = drawn.selected.indices.map((i) => rows.data.line.indexOf(drawn.data.line[i]))
if (chosen.length > 0) {
  rows.selected.indices = chosen.filter((i) => i >= 0)
  drawn.selected.indices = []
}
