// Filters rows that hold every word of the query in some column of text.
const words = query.value_input.toLowerCase().split(/\s+/).filter((word) => word.length > 0)
const columns = texts.map((key) => rows.data[key])
const matches = (i) => {
  const text = columns.map((column) => column[i]).join("\t").toLowerCase()
  return words.every((word) => text.includes(word))
}
const every = [...rows.data.rank.keys()]
const found = words.length > 0 ? every.filter(matches) : null
if (rows.selected.indices.length > 0) rows.selected.indices = []
hits.indices = found
const spelt = (number) => number.toLocaleString("en")
count.text = found === null ? "" : `${spelt(found.length)} of ${spelt(every.length)}`
