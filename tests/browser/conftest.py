"""A headless Chromium, and the report of the invented study on disk."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from samples.study import sample_figures, sample_tables
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from standfast.figures import draw
from standfast.report import write

ABOUT = {"command": "standfast study --quick", "versions": {"standfast": "0.1.0"}}

OPENED = "return location.protocol !== 'about:' && document.readyState === 'complete'"


@dataclass(frozen=True)
class Browser:
    """Chromium, with the few things a reader does."""

    driver: Chrome

    def open(self, address: str, width: int = 1280) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.get("about:blank")  # first: the page before need not be laid out once more
        # a headless window has a least width, a device has not
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get_log("browser")
        self.driver.get(address)
        # on a busy machine the driver may come back too early
        WebDriverWait(self.driver, 300).until(lambda driver: driver.execute_script(OPENED))

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The elements' texts, also of those that are out of sight."""
        shown = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())"
        return list(self.driver.execute_script(shown, selector))

    def run(self, script: str, *given: object) -> object:
        return self.driver.execute_script(script, *given)

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("no chromium or chromedriver here; apt install chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = chromium
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(chromedriver))
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def tables():
    return sample_tables()


@pytest.fixture(scope="session")
def report(tables, tmp_path_factory) -> str:
    """The address of the sample study's report."""
    path = tmp_path_factory.mktemp("study") / "report.html"
    long = 5418 * (tables["histograms"]["value"] - 3)  # numbers that do not fit side by side
    histograms = tables["histograms"].assign(value=long, until=long)
    drawn = draw({"histograms": histograms, "distances": tables["distances"]})
    drawn += [figure for figure in sample_figures() if figure.exhibit != "histograms"]
    write(tables, drawn, ABOUT, path)
    return path.as_uri()


@pytest.fixture
def report_of(tmp_path: Path) -> Callable[..., str]:
    """The address of a report of other tables, without figures."""

    def written(tables) -> str:
        path = tmp_path / "report.html"
        write(tables, [], ABOUT, path)
        return path.as_uri()

    return written
