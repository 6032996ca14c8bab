// Saves the hits of a search, or all rows, as a CSV file.
const quoted = (value) => /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value)
const kept = hits.indices ?? [...rows.data.rank.keys()]
const table = [titles, ...kept.map((i) => fields.map((key) => rows.data[key][i]))]
const text = table.map((row) => row.map(quoted).join(",") + "\r\n").join("")
const link = document.createElement("a")
link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}))
link.download = name
link.click()
setTimeout(() => URL.revokeObjectURL(link.href), 10000)
