#!/usr/bin/env python3
"""Reads the registry's pages in a real browser: Debian's chromium, driven by Playwright; axe checks WCAG 2.1 AA.

    browser.py [REGISTRY]     the server's binary (Registry/.build/debug/fleetkit-registry)

Every page is opened at 360 and 1280 pixels, with and without JavaScript, in light and dark colours, in English and
Russian. Fails at the first page that is wrong.
"""

import pathlib
import re
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "samples/registry"))
import demo  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
WCAG = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
WIDTHS = [360, 1280]

# Text for every field, and Markdown for guides and cards: nothing may run, load or be blocked.
TEXTS = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\"\u0301 autofocus onfocus=alert(1) x=\"\u0301",
    "</title></script></textarea><script>alert(1)//", "'><svg/onload=alert(1)>", "{{{data}}}{{>layout}}",
    "<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/a.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'><base href=https://evil.example/>",
    "W" * 480, "\u202eright to left", "&#60;script&#62;alert(1)&#60;/script&#62;",
]
MARKDOWN = [
    "[x](javascript:alert(1)) <javascript:alert(1)> [y][j]\n\n[j]: javascript:alert(1)",
    "[x](&#106;avascript:alert(1)) [y](java\tscript:alert(1)) [z](data:text/html,<script>alert(1)</script>)",
    "![x](http://evil.example/a.png) ![x](data:image/svg+xml,<svg/onload=alert(1)>) ![x](//evil.example/b.png)",
    "![\" onerror=\"alert(1)](https://pictures.example/a.png) ![x](https://pictures.example/\"onerror=\"alert(1))",
    "<script>alert(1)</script>\n\n<img src=https://evil.example/c.png onerror=alert(1)>\n\n<iframe src=//evil.example>",
    "<details open ontoggle=alert(1)>\n\n- <b onclick=alert(1)>\n\n| <style> |\n|---|\n| <input autofocus onfocus=alert(1)> |",
    "`" + "code" * 200 + "`\n\n    " + "W" * 500 + "\n\n| " + "cell | " * 12 + "\n|" + "---|" * 12 + "\n| " + "W" * 300 + " |",
    "> " * 60 + "deep\n\n" + "- " * 60 + "deep\n\n| " + "c | " * 80 + "\n|" + "---|" * 80,
]


def check(condition, what):
    if not condition:
        raise SystemExit(f"browser: {what}")


class Reader:
    """A browser window, which records everything that must not happen."""

    def __init__(self, browser, registry, width, scripts=True, scheme="light"):
        self.address = registry.address
        self.what = f"{width} px, {scheme}, {'with' if scripts else 'without'} JavaScript"
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=scripts, color_scheme=scheme, locale="en-GB")
        self.page = self.context.new_page()
        self.events = []
        self.page.on("dialog", lambda dialog: (self.events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.events.append(message.text))
        self.page.on("pageerror", lambda error: self.events.append(str(error)))
        self.page.on("request", self.note_request)
        # Pictures of other hosts are part of the corpus, but the test needs no network.
        self.context.route(
            re.compile("^https://pictures.example/"),
            lambda route: route.fulfill(content_type="image/svg+xml", body="<svg xmlns='http://www.w3.org/2000/svg'/>"))

    def note_request(self, request):
        if not request.url.startswith((self.address, "https://pictures.example/")):
            self.events.append(f"request to {request.url}")

    def open(self, path, status=200):
        answer = self.page.goto(self.address + path, wait_until="load")
        check(answer.status == status, f"{path} answered {answer.status}")
        self.look(path, isError=status >= 400)
        return self.page

    def look(self, path, isError=False):
        """Checks what holds for every page."""
        what = f"{path} ({self.what})"
        page = self.page
        size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        check(size[0] <= size[1], f"{what} is {size[0]} pixels wide in a window of {size[1]}")
        # Each part begins below the previous one, so the order on the screen is the order for screen readers.
        tops = page.evaluate(
            "[...document.querySelectorAll('header.site, main > *, article > *, footer.site')]"
            ".filter(e => e.offsetHeight).map(e => [e.tagName, e.getBoundingClientRect().top])")
        check([top for _, top in tops] == sorted(top for _, top in tops), f"{what}: the reading order is {tops}")
        check(page.locator("h1").count() == 1 and page.locator("main").count() == 1, f"{what} has no single h1 and main")
        events = [e for e in self.events if not (isError and "Failed to load resource" in e)]
        check(not events, f"{what}: {events}")
        self.events.clear()

    def judge(self, path):
        """Runs axe."""
        found = Axe().run(self.page, options=WCAG).response["violations"]
        lines = [f"{v['id']}: {node['html'][:200]} {node.get('failureSummary', '')}" for v in found for node in v["nodes"]]
        check(not lines, f"{path} ({self.what}):\n" + "\n".join(lines[:10]))


def read(reader, slugs, scripts):
    """Searches, filters, opens, and turns a card over."""
    page = reader.open("/")
    check(page.locator(".item").count() == 20, "the first page does not have 20 items")
    page.get_by_label("Words").fill("liferaft")
    page.get_by_role("button", name="Search").click()
    reader.look("search")
    check(0 < page.locator(".item").count() < 20 and "q=liferaft" in page.url, f"the search found {page.locator('.item').count()}")
    reader.open("/")
    page.get_by_label("Type").select_option("flashcard_deck")
    page.get_by_label("Order").select_option("oldest")
    page.get_by_label("Tag", exact=True).fill("buoyage")
    page.get_by_role("button", name="Search").click()
    reader.look("filter")
    check(page.locator(".item").count() == 2, "the filter did not find the two decks")
    dates = page.locator(".item time").evaluate_all("all => all.map(e => e.dateTime)")
    check(dates == sorted(dates) and page.get_by_label("Order").input_value() == "oldest", "the order is not kept")
    page.locator("h3 a", has_text="Cardinal marks").click()
    reader.look("deck")
    card = page.locator(".card").first
    front, back = card.locator(".front"), card.locator(".back")
    if scripts:
        check(front.is_visible() and not back.is_visible(), "a card shows its answer before it is turned over")
        card.locator(".front").click()
        check(back.is_visible() and not front.is_visible(), "a click does not turn the card over")
        button = card.get_by_role("button")
        check(button.get_attribute("aria-expanded") == "true", "the button is not expanded")
        button.focus()
        page.keyboard.press("Enter")
        check(front.is_visible() and not back.is_visible(), "the keyboard does not turn the card back")
    else:
        check(front.is_visible() and back.is_visible(), "without JavaScript, a side of a card is hidden")
        check(page.locator("button:visible").count() == 0, "without JavaScript, there is a button that does nothing")
    reader.open("/")
    page.keyboard.press("Tab")
    check(page.locator(".skip").evaluate("e => e === document.activeElement && e.getBoundingClientRect().left >= 0"),
          "the first Tab does not show the link to the content")
    page.get_by_role("link", name="Next page").click()
    reader.look("page 2")
    check("page=2" in page.url and page.locator(".item").count() > 0, "the link to the next page does not work")
    page.get_by_role("link", name="Русский").click()
    check(page.locator("html").get_attribute("lang") == "ru" and "page=2" in page.url, "the language cannot be changed")


def print_pages(reader, slugs):
    for title in ["Fog and restricted visibility", "Keeping an anchor watch", "Cardinal marks"]:
        page = reader.open(f"/c/{slugs[title]}")
        page.emulate_media(media="print")
        check(not page.locator(".take").is_visible() and not page.locator(".site").first.is_visible(),
              f"{title}: the print contains more than the content")
        for side in page.locator(".front, .back").all():
            check(side.is_visible(), f"{title}: the print lacks a side of a card")
        boxes = page.locator(".box").evaluate_all("all => all.map(e => [e.offsetWidth, e.offsetHeight])")
        check(all(min(box) > 8 for box in boxes), f"{title}: the boxes are too small")
        check(bool(boxes) == (title == "Fog and restricted visibility"), f"{title}: {len(boxes)} boxes")
        counts = []
        for form in ["A4", "A5"]:
            pdf = page.pdf(format=form, prefer_css_page_size=False)
            check(pdf.startswith(b"%PDF"), f"{title}: no PDF")
            counts.append(len(re.findall(rb"/Type\s*/Page\b", pdf)))
        check(1 <= counts[0] <= counts[1] <= 12, f"{title}: {counts} pages on A4 and A5")
        page.emulate_media(media="screen")


def publish_corpus(registry):
    """Publishes hostile text in every field; returns the paths of all pages that show it."""
    token = registry.sign_in("hostile")
    paths = []
    for number, text in enumerate(TEXTS):
        registry_id = "00000000-0000-4000-8000-%012x" % number
        common = {"forked_from_id": registry_id, "original_author_username": text[:100]}
        step = {"title": text, "itemDescription": text, "tags": [text[:50]], "isRequired": True, "estimatedMinutes": 5}
        data = {
            "checklist": {"sections": [{"title": text, "description": text, "items": [step]}]},
            "practice_guide": {"markdown": text},
            "flashcard_deck": {"cards": [{"front": text, "back": text, "hint": text, "source": text}]},
        }
        for kind, document in data.items():
            slug = f"h{number}-{kind.replace('_', '-')}"
            item = {"title": text[:500], "description": text, "content_type": kind, "content_data": document,
                    "tags": [text[:50]]}
            registry.publish(token, item, slug, **common)
            paths.append(f"/c/{slug}")
        quoted = urllib.parse.quote(text)
        paths += [f"/?q={quoted}", f"/?tag={urllib.parse.quote(text[:50])}"]
    for number, text in enumerate(MARKDOWN):
        item = {"title": "Markdown", "content_type": "practice_guide", "content_data": {"markdown": text}}
        registry.publish(token, item, f"m{number}-guide")
        item = {"title": "Markdown", "content_type": "flashcard_deck",
                "content_data": {"cards": [{"front": text, "back": text}]}}
        registry.publish(token, item, f"m{number}-deck")
        paths += [f"/c/m{number}-guide", f"/c/m{number}-deck"]
    registry.send("PUT", demo.API + "/auth/me", {"bio": TEXTS[0], "location": TEXTS[1]}, token)
    return paths + ["/u/hostile", "/u/hostile?page=2"]


def read_feeds(registry):
    """Parses the feeds and the sitemap, which contain the hostile text, as XML."""
    for path in ["/feed.atom", "/sitemap.xml?cursor=", *("/feed.atom?tag=" + urllib.parse.quote(text[:50]) for text in TEXTS)]:
        with urllib.request.urlopen(registry.address + path) as answer:
            root = xml.etree.ElementTree.fromstring(answer.read())
        entries = [element for element in root if element.tag.endswith(("}entry", "}url"))]
        check(len(entries) >= 3, f"{path} has {len(entries)} entries")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "Registry/.build/debug/fleetkit-registry"
    opened = 0
    with demo.Registry(program) as registry, sync_playwright() as playwright:
        slugs = demo.publish_samples(registry)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        good = ["/", "/?q=nothing-like-this", "/?q=safety&type=checklist&tag=safety&language=en", "/?page=2", "/?page=99",
                "/u/harbourmaster", *(f"/c/{slug}" for slug in slugs.values())]
        bad = {"/c/none": 404, "/u/none": 404, "/?q=" + "x" * 5000: 422, "/?q=%ff": 422, "/?page=0": 422}
        for width in WIDTHS:
            for scripts in [True, False]:
                reader = Reader(browser, registry, width, scripts)
                read(reader, slugs, scripts)
                reader.context.close()
            for scheme, language in [("light", "en"), ("dark", "ru")]:
                reader = Reader(browser, registry, width, scheme=scheme)
                for path in good + list(bad):
                    mark = "&" if "?" in path else "?"
                    reader.open(f"{path}{mark}hl={language}", bad.get(path, 200))
                    reader.judge(path)
                    opened += 1
                reader.context.close()
        reader = Reader(browser, registry, 1280)
        print_pages(reader, slugs)
        reader.context.close()
        hostile = publish_corpus(registry)
        for width in WIDTHS:
            reader = Reader(browser, registry, width)
            for path in hostile:
                reader.open(path)
                for flip in reader.page.locator(".flip").all():
                    flip.click()
                reader.look(path)
                opened += 1
            reader.judge("/u/hostile")
            reader.context.close()
        read_feeds(registry)
        browser.close()
    print(f"browser: {opened} pages are as they should be")


if __name__ == "__main__":
    main()
