// Colours lines and points by the chosen score or text; draws lines in ascending order of scores.
// Text has no order: all its lines are thin.
const k = Number(select.value), mapper = bars[k].color_mapper
bars.forEach((bar, place) => { bar.visible = place === k })
if (lines !== null) {
  const {first, last} = every.data, {x, y} = points.data, values = every.data[keys[k]]
  const at = mapper.type === "LogColorMapper" ? Math.log : (value) => value
  const low = at(mapper.low), range = at(mapper.high) - low
  const share = Float64Array.from(values, (value) => Math.min(Math.max((at(value) - low) / range, 0), 1) || 0)
  const order = [...share.keys()].sort((i, j) => share[i] - share[j])
  const data = {line: order, value: order.map((i) => values[i])}
  for (const [key, column] of Object.entries(every.data)) data[key] = order.map((i) => column[i])
  data.xs = order.map((i) => x.slice(first[i], last[i]))
  data.ys = order.map((i) => y.slice(first[i], last[i]))
  data.width = order.map((i) => 0.7 + wide * share[i])
  lines.data_source.data = data
  lines.glyph.line_color = {field: "value", transform: mapper}
}
const of_nodes = fields[k] !== ""
if (dots.length > 0) {
  const [points, ring] = dots
  points.visible = of_nodes || !is_map
  points.glyph.fill_color = of_nodes ? {field: fields[k], transform: mapper} : grey
  for (const {glyph} of [points, ring]) glyph.size = of_nodes ? {field: sizes[k]} : 7
}
