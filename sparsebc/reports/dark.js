// Plots on black for a dark colour scheme, with reversed palettes: high scores stand out.
const night = matchMedia("(prefers-color-scheme: dark)")
const paint = () => {
  const paper = night.matches ? "#14171c" : "#ffffff"
  for (const plot of plots) plot.setv({background_fill_color: paper, border_fill_color: paper})
  for (const names of labels)
    names.setv({background_fill_color: paper, text_color: night.matches ? "#e5e7eb" : ink})
  for (const mapper of mappers) mapper.palette = night.matches ? dark : light
}
night.addEventListener("change", paint)
paint()
