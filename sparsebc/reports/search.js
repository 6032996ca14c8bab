// Leaves the rows that hold every word of the query in some column of text, and picks them if they are few.
const words = query.value_input.toLowerCase().split(/\s+/).filter((word) => word.length > 0)
const {data} = rows, every = [...data.rank.keys()]
const found = every.filter((i) => {
  const text = texts.map((key) => data[key][i]).join("\t").toLowerCase()
  return words.every((word) => text.includes(word))
})
let typing = document.activeElement // a table whose rows are picked would take the next letters
while (typing.shadowRoot?.activeElement) typing = typing.shadowRoot.activeElement
hits.indices = words.length > 0 ? found : null
rows.selected.indices = words.length > 0 && found.length <= 200 ? found : []
typing.focus()
const spelt = (number) => number.toLocaleString("en")
count.text = words.length > 0 ? `${spelt(found.length)} of ${spelt(every.length)}` : ""
