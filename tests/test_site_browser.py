"""The site in a real browser, from a file path: the ledger, a slider, widths and dark mode."""

from importlib.util import find_spec
from shutil import which

import pytest
from _run import wait_for

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
DRIVER = which("chromedriver")
NEEDED = {
    "Chromium": CHROMIUM,
    "chromedriver": DRIVER,
    "selenium": find_spec("selenium"),
    "axe-core-python": find_spec("axe_core_python"),
}
MISSING = ", ".join(name for name, found in NEEDED.items() if not found)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"needs a browser: {MISSING} not found"),
]
FLAGS = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run disable-sync"


class Browser:
    """A few words on top of the driver."""

    def __init__(self, folder):
        from selenium import webdriver

        self.folder = folder
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in FLAGS.split():
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=DRIVER)
        self.driver = webdriver.Chrome(options, service)
        self.run = self.driver.execute_script

    def open(self, page, width=1280, colours="light"):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        # without motion no colour is met on its way to another
        wanted = {"prefers-color-scheme": colours, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        emulated = {"features": features}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)
        # a new "#..." alone would not load the page again
        self.driver.get("about:blank")
        self.driver.get(f"{self.folder.as_uri()}/{page}")

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def wait(self, script):
        """Until a JavaScript expression is true."""
        wait_for(lambda: self.run(f"return Boolean({script})"), 60, script)

    def press(self, key):
        from selenium.webdriver.common.keys import Keys

        self.driver.switch_to.active_element.send_keys(getattr(Keys, key))

    def errors(self):
        log = self.driver.get_log("browser")
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def browser(site):
    browser = Browser(site.folder)
    yield browser
    browser.driver.quit()


ROWS = "[...document.querySelectorAll('#values tbody tr')]"


def test_the_ledger_is_searched_sorted_and_opened_at_a_row(browser):
    browser.open("ledger.html")
    browser.wait("document.querySelector('.dt-search input')")
    first = browser.run(f"return {ROWS}.map(row => row.id)")
    browser.find(".dt-search input").send_keys("titanic #sv")
    browser.wait(f"{ROWS}[0].id !== {first[0]!r}")
    texts = browser.run(f"return {ROWS}.map(row => row.textContent)")
    assert 0 < len(texts) < len(first)
    assert all("Titanic" in text and "#SV" in text for text in texts)

    browser.open("ledger.html")
    browser.wait("document.querySelector('.dt-search input')")
    browser.find("#values thead th:nth-child(3) .dt-column-order").click()
    names = f"{ROWS}.map(row => row.cells[2].textContent)"
    browser.wait(f"{ROWS}[0].id !== {first[0]!r}")
    shown = browser.run(f"return {names}")
    assert shown[0] <= shown[-1]

    browser.open("reasons.html")
    link = browser.run(
        "return [...document.querySelectorAll('a[href^=\"ledger.html#\"]')].at(-1)"
    )
    last = link.get_attribute("href").partition("#")[2]
    assert last not in first, "a row of another page of the table"
    browser.open(f"ledger.html#{last}")
    browser.wait(f"document.getElementById({last!r})?.classList.contains('selected')")
    assert browser.find(f"[id={last!r}]").is_displayed()
    assert browser.errors() == []


def test_a_slider_moves_a_figure_without_a_kernel(browser):
    browser.open("notebooks/tour.html", width=400)
    browser.wait("document.querySelector('.companion-sliders input')")
    image = browser.find(".companion-sliders img")
    first = image.get_attribute("src"), image.get_attribute("alt")
    browser.run("document.querySelector('.companion-sliders input').focus()")
    browser.press("ARROW_LEFT")
    moved = image.get_attribute("src"), image.get_attribute("alt")
    assert first[0] != moved[0]
    assert first[1] != moved[1]
    browser.press("ARROW_RIGHT")
    assert (image.get_attribute("src"), image.get_attribute("alt")) == first
    assert image.size["width"] > 250
    assert browser.errors() == []


#: How many figures are wider or higher than they are drawn.
SQUEEZED = """[...document.querySelectorAll('.bd-article img')].filter(figure =>
    Math.abs(figure.width * figure.naturalHeight / figure.height / figure.naturalWidth - 1) > 0.03
).length"""


def test_pages_fit_a_telephone_and_are_dark_at_night(browser):
    for page in ("index", "ledger", "reasons", "errata", "notebooks/usvc/table_1"):
        browser.open(f"{page}.html", width=400, colours="dark")
        size = "document.documentElement"
        assert browser.run(f"return {size}.scrollWidth <= {size}.clientWidth"), page
        assert browser.run(f"return {SQUEEZED}") == 0, page
        colour = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, colour[4:-1].split(","))) < 150, page
    assert browser.errors() == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_whoever_sees_or_hears_otherwise_can_read_the_pages(browser, colours):
    from axe_core_python.selenium import Axe

    axe = Axe()
    kinds = ("overview", "tour", "l1nsvm/method", "usvc/table_1", "gacv/fig_2")
    pages = ["index", "ledger", "reasons", *(f"notebooks/{kind}" for kind in kinds)]
    for page in pages:
        browser.open(f"{page}.html", colours=colours)
        found = axe.run(browser.driver)["violations"]
        assert [(fault["id"], fault["impact"]) for fault in found] == [], page
