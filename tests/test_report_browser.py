"""The site in a real browser, from a file path: ledger, links, console, widths, dark mode."""

import importlib.util
import shutil
import time

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DRIVER = shutil.which("chromedriver")
_MISSING = [
    name
    for name, found in (
        ("Chromium", CHROMIUM),
        ("chromedriver", DRIVER),
        ("the Python package selenium", importlib.util.find_spec("selenium")),
    )
    if not found
]
pytestmark = pytest.mark.skipif(
    bool(_MISSING), reason=f"needs a browser: {', '.join(_MISSING)} not found"
)
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)
PAGES = [
    "index.html",
    "ledger.html",
    "deviations.html",
    "errata.html",
    "times.html",
    "notebooks/index.html",
    "api/index.html",
    "api/companion.html",
    "genindex.html",
    "search.html?q=GACV",
]


class Browser:
    """A few words on top of the driver."""

    def __init__(self, driver, folder):
        self.driver, self.folder = driver, folder

    def open(self, page, width=1600):
        self.resize(width)
        self.driver.get("about:blank")  # a new "#..." alone would not load the page again
        self.driver.get(f"{self.folder.as_uri()}/{page}")

    def resize(self, width):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def wait(self, script, seconds=5):
        """Until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({script})"):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def shown(self, attribute=None):
        """Text or data attribute of the rows of the ledger that can be seen."""
        return self.run(
            "return [...document.querySelectorAll('#ledger tbody tr')].filter(r => !r.hidden)"
            ".map(r => arguments[0] ? r.dataset[arguments[0]] : r.textContent)",
            attribute,
        )

    def errors(self):
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]

    def overflow(self):
        """Pixels by which the page is wider than the window."""
        return self.run(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    assert site.code == 0, site.err
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(executable_path=DRIVER))
    try:
        yield Browser(driver, site.folder)
    finally:
        driver.quit()


@pytest.fixture
def ledger(browser):
    browser.open("ledger.html")
    browser.total = len(browser.shown())
    return browser


def choose(browser, name, value):
    from selenium.webdriver.support.ui import Select

    Select(browser.find(f"#ledger-{name}")).select_by_value(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("paper", "gacv"),
        ("artefact", "wrsvm/table_3"),
        ("verdict", "differs (declared)"),
        ("kind", "ordinal"),
    ],
)
def test_each_filter_shows_its_rows_and_says_how_many(ledger, name, value):
    expected = sum(each == value for each in ledger.shown(name))
    option = ledger.find(f'#ledger-{name} option[value="{value}"]').text
    choose(ledger, name, value)
    assert set(ledger.shown(name)) == {value}
    assert 0 < len(ledger.shown()) == expected < ledger.total
    assert option.endswith(f"({expected})")
    count = ledger.find("#ledger-count")
    assert count.text == f"{expected} of {ledger.total} values"
    assert count.get_attribute("aria-live") == "polite"


def test_filters_work_together_and_their_counts_follow(ledger):
    choose(ledger, "paper", "usvc")
    choose(ledger, "verdict", "differs (declared)")
    both = len(ledger.shown())
    assert set(ledger.shown("paper")) == {"usvc"}
    option = ledger.find('#ledger-paper option[value="usvc"]').text
    assert option == f"usvc: Navia-Vázquez et al. 2004 ({both})"
    assert not ledger.find('#ledger-artefact option[value="gacv/fig_2"]').is_enabled()
    ledger.find("#ledger-clear").click()
    assert len(ledger.shown()) == ledger.total
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


def test_a_filtered_view_has_an_address(ledger):
    choose(ledger, "paper", "conformal")
    choose(ledger, "verdict", "differs (declared)")
    address, shown = ledger.driver.current_url, ledger.shown()
    assert address.partition("#")[2] == "paper=conformal&verdict=differs+%28declared%29"
    ledger.open(address.rpartition("/")[2])
    assert ledger.shown() == shown
    assert ledger.find("#ledger-paper").get_attribute("value") == "conformal"


def test_columns_are_sorted_with_the_keyboard(ledger):
    from selenium.webdriver.common.keys import Keys

    def numbers():
        found = ledger.run(
            "return [...document.querySelectorAll('#ledger tbody tr')]"
            ".map(r => r.querySelector('[data-label=z]').dataset.sort)"
        )
        return [float(text) for text in found if text], found

    original = ledger.shown()
    button = ledger.find("#ledger th[data-column=z] button")
    ledger.run("arguments[0].focus()", button)
    head = ledger.find("#ledger th[data-column=z]")
    assert head.get_attribute("aria-sort") == "none"
    ledger.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    values, texts = numbers()
    assert values == sorted(values) and "" not in texts[: len(values)]
    ledger.driver.switch_to.active_element.send_keys(Keys.SPACE)
    assert head.get_attribute("aria-sort") == "descending"
    values, texts = numbers()
    assert values == sorted(values, reverse=True) and "" not in texts[: len(values)]
    ledger.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "none"
    assert ledger.shown() == original


def test_the_controls_are_reached_with_tab_in_their_order(ledger):
    from selenium.webdriver.common.keys import Keys

    ledger.run("document.getElementById('ledger-q').focus()")
    reached = []
    for _ in range(6):
        ledger.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(ledger.run("return document.activeElement.id"))
    assert reached[:5] == [f"ledger-{n}" for n in ("paper", "artefact", "verdict", "kind", "clear")]
    assert ledger.run("return document.activeElement.closest('th').dataset.column") == "artefact"


def test_a_row_leads_to_its_value_in_the_notebook(ledger):
    choose(ledger, "artefact", "l1nsvm/table_2")
    row = ledger.find("#ledger tbody tr:not([hidden])")
    name = row.find_element("css selector", "[data-label=row]").text
    row.find_element("css selector", "[data-label=artefact] a").click()
    ledger.wait("document.readyState === 'complete' && document.querySelector('tr:target')")
    assert "/notebooks/l1nsvm/table_2.html#" in ledger.driver.current_url
    target = ledger.find("tr:target")
    assert target.text.startswith(name) and target.is_displayed()
    assert ledger.errors() == []


def test_a_declared_deviation_leads_to_its_reason_and_back_to_the_value(ledger):
    choose(ledger, "verdict", "differs (declared)")
    link = ledger.find("#ledger tbody tr:not([hidden]) a.reason")
    reason, row = link.text, ledger.run("return arguments[0].closest('tr').id", link)
    link.click()
    ledger.wait("document.readyState === 'complete' && document.querySelector(':target')")
    block = ledger.find(".reason-block:target")
    parent = ledger.run("return arguments[0].textContent", block)
    assert reason[1:] in parent
    ledger.run("arguments[0].querySelector(`a[href$='#${arguments[1]}']`).click()", block, row)
    ledger.wait(f"location.hash === '#{row}' && document.getElementById('ledger-q')")
    assert len(ledger.shown()) == ledger.total


def test_next_leads_from_notebook_to_notebook(browser):
    browser.open("notebooks/l1nsvm/table_1.html")
    browser.find("a.right-next").click()
    browser.wait("location.pathname.endsWith('/notebooks/l1nsvm/fig_1.html')")
    browser.find("a.left-prev").click()
    browser.wait("location.pathname.endsWith('/notebooks/l1nsvm/table_1.html')")


def test_the_search_page_finds_without_a_server(browser):
    browser.open("search.html?q=titanic")
    browser.wait("document.querySelectorAll('#search-results li').length > 0")
    links = browser.run(
        "return [...document.querySelectorAll('#search-results li a')]"
        ".map(a => a.getAttribute('href'))"
    )
    assert any("l1nsvm/table_2.html" in link for link in links)
    assert browser.errors() == []


def test_dark_mode_is_a_button(browser):
    browser.open("index.html")
    colour = "return getComputedStyle(document.body).backgroundColor"
    seen = {}
    for mode in ("dark", "light"):
        browser.find(".bd-header .theme-switch-button").click()
        browser.find(f".bd-header .theme-change-button[data-mode={mode}]").click()
        assert browser.run("return document.documentElement.dataset.theme") == mode
        seen[mode] = browser.run(colour)
    assert seen["light"] != seen["dark"]
    browser.open("ledger.html")
    assert browser.run(colour) == seen["light"]  # the choice is kept from page to page
    browser.run("localStorage.clear()")


def every_page(folder):
    notebooks = sorted(
        str(path.relative_to(folder)) for path in (folder / "notebooks").rglob("*.html")
    )
    api = sorted(str(path.relative_to(folder)) for path in (folder / "api").rglob("*.html"))
    return list(dict.fromkeys([*PAGES, *notebooks, *api]))


def test_no_page_is_wider_than_its_window_or_complains_in_the_console(browser, site):
    wide, errors = [], []
    for page in every_page(site.folder):
        browser.open(page)
        for width in (1600, 360):
            browser.resize(width)
            if browser.overflow() > 0:
                wide.append((page, width, browser.overflow()))
        errors += [(page, text) for text in browser.errors()]
    assert wide == []
    assert errors == []


def test_every_image_of_a_notebook_is_drawn(browser, site):
    for page in ("notebooks/l1nsvm/table_2.html", "notebooks/conformal/checkers.html"):
        browser.open(page)
        widths = browser.run(
            "return [...document.querySelectorAll('.cell_output img')].map(i => i.naturalWidth)"
        )
        assert widths and min(widths) > 100
