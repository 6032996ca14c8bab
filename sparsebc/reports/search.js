// Leaves the rows that hold every word of the query in some column of text, and picks them.
const words = query.value_input.toLowerCase().split(/\s+/).filter((word) => word.length > 0)
const {data} = rows, every = [...data.rank.keys()]
const found = every.filter((i) => {
  const text = texts.map((key) => data[key][i]).join("\t").toLowerCase()
  return words.every((word) => text.includes(word))
})
hits.indices = words.length > 0 ? found : null
rows.selected.indices = words.length > 0 ? found : []
const spelt = (number) => number.toLocaleString("en")
count.text = words.length > 0 ? `${spelt(found.length)} of ${spelt(every.length)}` : ""
