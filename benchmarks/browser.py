"""A page in headless Chromium, by Selenium: its contents, requests and errors."""

import contextlib
import json
import shutil
from pathlib import Path

# Functions that find the parts of a report, also in Bokeh's shadow trees.
SCRIPTS = """
window.find = (selector, root = document) => {
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(selector)) return element
    const inside = element.shadowRoot && find(selector, element.shadowRoot)
    if (inside) return inside
  }
  return null
}
window.model = (name) => Bokeh.documents[0].get_model_by_name(name)
window.rows = (name) => model(name).source.data
window.cells = (name, column) => {
  const grid = Bokeh.index.find_one_by_id(model(name).id)
  const places = [...grid.shadow_el.querySelectorAll(".slick-row")]
  places.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
  return places.map((row) => row.querySelectorAll(".slick-cell")[column].textContent)
}
window.place = (name, k, x, y) => {
  const view = Bokeh.index.find_one_by_id(model(name).id)
  view.el.scrollIntoView({block: "center"})
  const {x: left, y: top} = view.canvas_view.el.getBoundingClientRect()
  const {x_scale, y_scale} = view.frame
  const data = model(name).renderers[0].data_source.data
  return [left + x_scale.compute(data[x][k]), top + y_scale.compute(data[y][k])]
}
window.middle = (name) => {
  const {el} = Bokeh.index.find_one_by_id(model(name).id)
  el.scrollIntoView({block: "center"})
  const {x, y, width, height} = el.getBoundingClientRect()
  return [x + width / 2, y + height / 2]
}
window.tooltip = () => {
  const box = find(".bk-tooltip-row-value")
  return box === null ? null : [...box.getRootNode().querySelectorAll(".bk-tooltip-row-value")]
    .map((cell) => cell.textContent.trim())
}
"""


def programs():
    """Paths of Chromium and of its driver; None for a missing one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    return browser, shutil.which("chromedriver")


@contextlib.contextmanager
def opened(path, width=1400, height=1000):
    """Driver of a page that is loaded and drawn, with the functions of `SCRIPTS`."""
    from selenium import webdriver
    from selenium.webdriver.support.wait import WebDriverWait

    browser, driver = programs()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{word}")
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    page = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page.get(Path(path).resolve().as_uri())
        WebDriverWait(page, 60).until(
            lambda page: page.execute_script(
                "return window.Bokeh?.documents?.[0]?.is_idle === true"
            )
        )
        page.execute_script(SCRIPTS)
        yield page
    finally:
        page.quit()


def requests(page):
    """Addresses of all requests so far, that of the page included."""
    messages = (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def errors(page):
    """Errors and warnings since the last call, except those about WebGL in software."""
    return [
        entry["message"]
        for entry in page.get_log("browser")
        if entry["level"] in ("SEVERE", "WARNING") and "WebGL" not in entry["message"]
    ]
