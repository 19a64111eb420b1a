"""The site in a real browser, from a file path: ledger, links, console, widths, dark mode."""

from importlib.util import find_spec
from shutil import which

import psutil
import pytest
from _cases import cases
from _run import wait_for

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
DRIVER = which("chromedriver")
NEEDED = {
    "Chromium": CHROMIUM,
    "chromedriver": DRIVER,
    "selenium": find_spec("selenium"),
}
MISSING = ", ".join(name for name, found in NEEDED.items() if not found)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"needs a browser: {MISSING} not found"),
]
HIGHEST = 12_000  # pixels of a page of a notebook, with what is folded closed
FLAGS = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run disable-sync"


class Browser:
    """A few words on top of the driver."""

    def __init__(self, folder):
        self.folder = folder
        self.start()

    def start(self):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in FLAGS.split():
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options, webdriver.ChromeService(executable_path=DRIVER)
        )
        self.driver.set_page_load_timeout(30)
        self.run = self.driver.execute_script

    def open(self, page, width=1600, tries=3):
        """Load a page, in a new browser if this one hangs, as headless ones do now and then."""
        try:
            self.resize(width)
            self.driver.get(
                "about:blank"
            )  # a new "#..." alone would not load the page again
            self.driver.get(f"{self.folder.as_uri()}/{page}")
            self.wait("document.readyState === 'complete'", 30)
        except Exception as error:  # of the driver, or of the connection with it
            if tries == 1:
                raise
            print(f"a new browser for {page}: {error}")
            driver = psutil.Process(self.driver.service.process.pid)
            for process in (*driver.children(recursive=True), driver):
                process.kill()
            self.start()
            self.open(page, width, tries - 1)

    def resize(self, width):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def finds(self, selector):
        return self.driver.find_elements("css selector", selector)

    def choose(self, name, value):
        from selenium.webdriver.support.ui import Select

        Select(self.find(f"#ledger-{name}")).select_by_value(value)

    def press(self, key):
        from selenium.webdriver.common.keys import Keys

        self.driver.switch_to.active_element.send_keys(getattr(Keys, key))

    def wait(self, script, seconds=5):
        """Until a JavaScript expression is true."""
        wait_for(lambda: self.run(f"return Boolean({script})"), seconds, script)

    def shown(self, attribute=None):
        """Text or data attribute of the rows of the ledger that can be seen."""
        return self.run(
            "return [...document.querySelectorAll('#ledger tbody tr')]"
            ".map(r => arguments[0] ? r.dataset[arguments[0]] : r.textContent)",
            attribute,
        )

    def errors(self):
        log = self.driver.get_log("browser")
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def browser(site):
    assert site.code == 0, site.err
    browser = Browser(site.folder)
    yield browser
    browser.driver.quit()


@pytest.fixture
def ledger(browser):
    browser.open("ledger.html")
    assert len(browser.shown()) == 25
    browser.find("#ledger-all").click()
    browser.total = len(browser.shown())
    return browser


def test_a_table_alone_is_judged_as_a_whole_above_its_rows(ledger):
    ledger.choose("artefact", "usvc/table_3")
    texts = [item.text for item in ledger.finds("#ledger-together li")]
    assert texts[0].startswith("24 means together: squared distances add up to ")
    ledger.find("#ledger-clear").click()
    assert not ledger.find("#ledger-together").is_displayed()


def test_filters_work_together_have_an_address_and_are_cleared(ledger):
    ledger.choose("paper", "usvc")
    ledger.choose("verdict", "differs, explained")
    shown = ledger.shown()
    address = ledger.driver.current_url
    assert set(ledger.shown("paper")) == {"usvc"}
    option = ledger.find('#ledger-paper option[value="usvc"]').text
    assert option == f"usvc: Navia-Vázquez et al. 2004 ({len(shown)})"
    assert not ledger.find('#ledger-artefact option[value="gacv/fig_2"]').is_enabled()
    assert address.partition("#")[2] == "paper=usvc&verdict=differs%2C+explained"
    ledger.open(address.rpartition("/")[2])
    assert ledger.shown() == shown[:25]
    assert ledger.find("#ledger-paper").get_attribute("value") == "usvc"
    ledger.find("#ledger-clear").click()
    assert ledger.find("#ledger-count").text == f"{ledger.total} values"
    assert "#" not in ledger.driver.current_url


def test_text_is_searched_by_words_and_nothing_found_is_said(ledger):
    field = ledger.find("#ledger-q")
    field.send_keys("titanic #sv")
    ledger.wait("document.getElementById('ledger-count').textContent.includes(' of ')")
    shown = ledger.shown()
    assert 0 < len(shown) < 20
    assert all("Titanic" in text and "#SV" in text for text in shown)
    field.send_keys(" xyzzy")
    ledger.wait("!document.getElementById('ledger-empty').hidden")
    assert ledger.shown() == []
    assert "No value matches" in ledger.find("#ledger-empty").text


def test_a_row_leads_to_its_value_and_a_deviation_to_its_reason_and_back(ledger):
    ledger.choose("verdict", "differs, explained")
    row = ledger.find("#ledger tbody tr")
    reason = row.find_element("css selector", "a.reason")
    anchor = row.get_attribute("id")
    reason_text = reason.text
    name = row.find_element("css selector", "[data-label=row]").text
    reason.click()
    ledger.wait(
        "document.readyState === 'complete' && document.querySelector(':target')"
    )
    assert reason_text in ledger.find(".reason-block:target").text
    ledger.find(f".reason-block:target a[href$='#{anchor}']").click()
    ledger.wait(f"document.querySelector('#{anchor}.target')")
    assert len(set(ledger.shown("artefact"))) == 1
    ledger.find(f"[id='{anchor}'] [data-label=artefact] a").click()
    ledger.wait(
        "document.readyState === 'complete' && document.querySelector('tr:target')"
    )
    target = ledger.find("tr:target")
    assert target.text.startswith(name)
    assert target.is_displayed()
    assert ledger.errors() == []


def test_the_search_page_finds_without_a_server(browser):
    browser.open("search.html?q=titanic")
    browser.wait("document.querySelectorAll('#search-results li').length > 0")
    assert browser.find("#search-results li a[href*='l1nsvm/table_2.html']")
    assert browser.errors() == []


MOVING = [
    f"{paper}/method" for paper in ("l1nsvm", "gacv", "usvc", "wrsvm", "conformal")
]


def touch(browser, element, share):
    """Touch a slider at a share of its length."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
    from selenium.webdriver.common.actions.pointer_input import PointerInput

    actions = ActionBuilder(browser.driver, mouse=PointerInput(POINTER_TOUCH, "finger"))
    offset = round((share - 0.5) * 0.96 * element.size["width"])
    actions.pointer_action.move_to(element, offset, 0).pointer_down().pointer_up()
    actions.perform()


@cases("name", *MOVING, "tour")
def test_two_knobs_move_a_figure_without_a_kernel(browser, site, name):
    page = f"notebooks/{name}.html"
    assert (site.folder / page).stat().st_size < 1_000_000
    browser.open(page, width=400)
    browser.wait("document.querySelector('.companion-sliders input')")
    boxes = [
        box
        for box in browser.finds(".companion-sliders")
        if len(box.find_elements("css selector", "input")) == 2
    ]
    (box,) = boxes
    image = box.find_element("css selector", "img")
    knobs = box.find_elements("css selector", "input")
    first = (image.get_attribute("src"), image.get_attribute("alt"))
    assert image.size["width"] > 250
    for knob in knobs:
        at = knob.get_attribute("value")
        browser.run("arguments[0].focus()", knob)
        browser.press("ARROW_RIGHT" if at == "0" else "ARROW_LEFT")
        moved = (image.get_attribute("src"), image.get_attribute("alt"))
        assert knob.get_attribute("value") != at
        assert moved[0] != first[0]
        assert moved[1] != first[1]
        touch(browser, knob, int(at) / int(knob.get_attribute("max")))
        assert knob.get_attribute("value") == at
        assert (image.get_attribute("src"), image.get_attribute("alt")) == first
    assert browser.errors() == []


def test_every_page_fits_its_window_shows_its_figures_and_does_not_complain(
    browser, site
):
    # Of the reference and the sources, which one template writes, the largest page stands for all.
    paths = [
        *site.folder.glob("*.html"),
        *(site.folder / "docs").rglob("*.html"),
        *(site.folder / "notebooks").rglob("*.html"),
    ]
    for name in ("api", "source"):
        pages = (site.folder / name).rglob("*.html")
        paths.append(max(pages, key=lambda path: path.stat().st_size))
    wide = []
    high = []
    broken = []
    errors = []
    script = "let e = document.documentElement; return e.scrollWidth > e.clientWidth"
    for path in sorted(paths):
        page = path.relative_to(site.folder).as_posix()
        browser.open(page)
        for width in (1600, 360, 1280):
            browser.resize(width)
            wide += [(page, width)] if browser.run(script) else []
        height = browser.run("return document.documentElement.scrollHeight")
        if page.startswith("notebooks/") and height > HIGHEST:
            high.append((page, height))
        images = "[...document.querySelectorAll('.cell_output img')]"
        widths = browser.run(f"return {images}.map(i => i.naturalWidth)")
        broken += [page] if min(widths, default=101) <= 100 else []
        errors += [(page, text) for text in browser.errors()]
    assert (wide, high, broken, errors) == ([], [], [], [])
