"""Opens pages of `vantage report --format html` in Chromium and checks what a reader gets.

    python3 check.py WORK SCREENSHOTS    WORK holds the program; logs and pages are written there

Of a run whose texts are hostile and of a plain one of 200 steps: nothing is logged, requested or asked; every text is
shown as text; tables sort and can be searched, by mouse and keyboard; nothing is wider than the window; texts have
contrast in both schemes; and all of it can be read without the script.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import time

from browser import Browser

WORK, SCREENSHOTS = map(pathlib.Path, sys.argv[1:3])
WIDTHS = (400, 768, 1280, 1600)

# What a log holds, and what a reader sees of it.
HOSTILE = {
    "<script>window.owned = 1; alert(1)</script>": None,
    "</title></style></textarea></pre><script>alert(2)</script>": None,
    '"><img src=x onerror="window.owned = 2">': None,
    "' onmouseover='window.owned = 3' x='": None,
    "<svg/onload=alert(4)><iframe src=https://example.com></iframe>": None,
    "<link rel=stylesheet href=https://example.com/a.css><meta http-equiv=refresh content=0;url=https://example.com>": None,
    "javascript:alert(5) &lt;b&gt; &amp; <!-- ]]> -->": None,
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred": "‹U+001B›]0;owned‹U+0007›‹U+001B›[2J‹U+001B›[31mred",
    "left \u202eright\u202c \u2066isolated\u2069": "left ‹U+202E›right‹U+202C› ‹U+2066›isolated‹U+2069›",
    "zero\u200bwidth \ufeffmark \u00adsoft": "zero‹U+200B›width ‹U+FEFF›mark ‹U+00AD›soft",
    "Z\u0351\u0352\u0353\u0354\u0355\u0356": "Z\u0351\u0352\u0353\u0354‹U+0355›‹U+0356›",
    "שלום مرحبا 数学 é 👍🏽": None,
    "a very long word " + "x" * 300: None,
}

# Texts of which the contrast with what is behind them is too low for a reader (WCAG 2.2, 1.4.3).
FAINT = """
(function () {
  function rgb(text) { var m = text.match(/[\\d.]+/g).map(Number); return m.length === 3 ? m.concat(1) : m; }
  function light(c) {
    var v = c.slice(0, 3).map(function (x) { x /= 255; return x <= .03928 ? x / 12.92 : Math.pow((x + .055) / 1.055, 2.4); });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2];
  }
  function behind(e) {
    var cell = e.parentElement.querySelector(':scope > .heat');
    if (cell) {
      var over = rgb(getComputedStyle(cell).fill), under = behind(e.closest('svg')), share = Number(cell.getAttribute('fill-opacity'));
      return [0, 1, 2].map(function (i) { return share * over[i] + (1 - share) * under[i]; });
    }
    for (; e; e = e.parentElement) { var c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; }
    return [255, 255, 255, 1];
  }
  var faint = [];
  document.querySelectorAll('body *').forEach(function (e) {
    var own = Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.textContent.trim(); });
    if (!own || e.closest('title, script, style') || !e.getClientRects().length) return;
    var style = getComputedStyle(e), text = light(rgb(e instanceof SVGElement ? style.fill : style.color)), ground = light(behind(e));
    var ratio = (Math.max(text, ground) + .05) / (Math.min(text, ground) + .05);
    if (ratio < 4.5) faint.push(e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + ratio.toFixed(2) + ' ' + e.textContent.slice(0, 30));
  });
  return Array.from(new Set(faint)).slice(0, 5);
})()
"""

failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(str(part) for part in what))


def main():
    started = time.monotonic()
    pages = {"hostile": hostile_page(), "plain": plain_page()}
    browser = Browser(WORK / "profile")
    try:
        for name, page in pages.items():
            try:
                check_page(browser, name, page)
            except RuntimeError as error:  # the page is not even as these questions need it
                failures.append(f"{name}: {error}")
    finally:
        browser.close()
    for failure in failures:
        print("FAILED", failure)
    if failures:
        sys.exit(1)
    version = subprocess.run(["chromium", "--version"], capture_output=True, text=True).stdout.strip()
    network = "in a network of its own" if browser.isolated else "without names of hosts"
    print(f"{len(pages)} pages hold in {version}, {network}, in {time.monotonic() - started:.0f} s; screenshots: {SCREENSHOTS}")


def report(log, page, *arguments):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767323045"}
    subprocess.run([WORK / "vantage", "report", log, "--format", "html", "-o", page, *arguments], check=True, env=environment, cwd=WORK)
    return page


def hostile_page():
    """A run of which every text tries to be more than a text, its file's name too."""
    log = WORK / '"><img src=x onerror=alert(6)>.jsonl'
    with open(log, "w") as f:
        for step, text in enumerate(HOSTILE, 1):
            for i in range(8):
                f.write(json.dumps({"step": step, "group": f"{text} {i // 4}", "prompt": text, "response": f"{text}\n{i}", "reward": i % 2 * (i // 4), "answer": text}) + "\n")
            f.write("{" + text + "\n")  # not JSON: listed as what could not be read
    return report(log.name, WORK / "hostile.html", "--texts", str(len(HOSTILE)))


def plain_page():
    """A run of 200 steps in which rewards grow."""
    log, chance = WORK / "plain.jsonl", random.Random(1)
    with open(log, "w") as f:
        for step in range(1, 201):
            for group in range(16):
                skill = min(1, max(0, chance.gauss(step / 200, 0.35)))
                for i in range(8):
                    reward = int(chance.random() < skill)
                    f.write(json.dumps({
                        "step": step, "group": f"{step}-{group}", "prompt": f"Question {step * 16 + group}: what is {group} times {step}?", "reward": reward,
                        "response": "It is " + "so " * chance.randrange(5, 60), "response_length": chance.randrange(100, 300 + step),
                    }) + "\n")
    page = report(log.name, WORK / "plain.html", "--keep-neg-ratio", "0.5", "--compute-new-adv")
    expect(page.stat().st_size < 300_000, "plain: 200 steps take", page.stat().st_size, "bytes")
    return page


def check_page(browser, name, page):
    views = ((1280, "light"), (1280, "dark"), (400, "light"), (1600, "dark"))
    for width, scheme in views if name == "plain" else views[1:3]:
        browser.show(width, scheme)
        browser.open(page)
        browser.picture(SCREENSHOTS / f"{name}-{scheme}-{width}.png")
        expect(not browser.messages, name, "logs", browser.messages)
        expect(browser.requests == [page.as_uri()], name, "requests", browser.requests)
        expect(browser.ask(FAINT) == [], name, scheme, "has faint texts:", browser.ask(FAINT))
    for width in WIDTHS:
        browser.show(width)
        wide = browser.ask("[document.documentElement.scrollWidth, innerWidth]")
        expect(wide[0] <= wide[1], name, "is", wide[0], "pixels wide in a window of", width)
    browser.show(1280)
    check_names(browser, name)
    if name == "hostile":
        check_texts(browser, name)
    check_tables(browser, name)
    check_keyboard(browser, name)
    expect(not browser.messages, name, "logs", browser.messages)
    browser.show(1000, media="print")
    browser.picture(SCREENSHOTS / f"{name}-print.png")
    browser.paper(SCREENSHOTS / f"{name}.pdf")
    check_without_script(browser, name, page)


def check_texts(browser, name):
    """Every text is shown as it is, and nothing of it became part of the page."""
    shown = browser.ask("document.body.textContent")
    for text, visible in HOSTILE.items():
        count = shown.count(visible or text)
        expect(count >= 4, name, "shows", repr(visible or text), count, "times")
    expect(browser.ask("window.owned") is None, name, "was owned:", browser.ask("window.owned"))
    expect(browser.ask("document.querySelectorAll('img, iframe, link, object, embed, form, base, [onload], [onerror], [onmouseover], [style]').length") == 0, name, "holds elements of a text")
    expect(browser.ask("document.scripts.length") == 1, name, "has", browser.ask("document.scripts.length"), "scripts")
    expect(browser.ask("Array.from(document.links).every(function (a) { return a.getAttribute('href')[0] === '#'; })"), name, "links to elsewhere")


def check_names(browser, name):
    """A screen reader has a name for each picture, table, field and region."""
    nodes = browser.do("Accessibility.getFullAXTree")["nodes"]
    seen = set()
    for node in nodes:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in ("image", "img", "table", "searchbox", "button", "link", "region", "navigation"):
            continue
        seen.add(role)
        expect(node.get("name", {}).get("value"), name, "has a nameless", role)
    expect({"table", "button", "link", "navigation", "searchbox"} <= seen, name, "has only", seen)


def column(browser, table, head):
    """Returns the cells below a head, after a click on it, and how it says that it is sorted."""
    return browser.ask(f"""(function () {{
      var table = document.getElementById('{table}-table'), heads = Array.from(table.tHead.rows[0].cells);
      var i = heads.findIndex(function (h) {{ return h.textContent === '{head}'; }});
      heads[i].querySelector('button').click();
      return [Array.from(table.tBodies[0].rows).map(function (r) {{ return r.cells[i].textContent; }}), heads[i].getAttribute('aria-sort')];
    }})()""")


def check_tables(browser, name):
    """A click on a head sorts, a second the other way; a search hides what does not match."""
    keys = {
        "step": int, "reward": lambda cell: float(cell.replace("—", "inf")), "signal": lambda cell: int(cell.split("(")[1].rstrip("%)")), "needs a look": None,
    }
    for head, key in keys.items():
        for order in ("ascending", "descending"):
            cells, said = column(browser, "steps", head)
            expect(said == order, name, head, "says", said, "after a click for", order)
            if key:
                want = sorted(map(key, cells), reverse=order == "descending")
                expect(list(map(key, cells)) == want and len(cells) > 5, name, head, order, "is", cells[:8])
    rows = "Array.from(document.querySelectorAll('#steps-table tbody tr')).filter(function (r) { return !r.hidden; }).length"
    before = browser.ask(rows)
    search = "(function (text) {{ var f = document.querySelector('#table input'); f.value = '{}'; f.dispatchEvent(new Event('input')); }})()"
    browser.ask(search.format("no such row"))
    expect(browser.ask(rows) == 0, name, "finds rows that are not there")
    browser.ask(search.format(""))
    expect(browser.ask(rows) == before > 5, name, "does not show all rows again")


def check_keyboard(browser, name):
    """Tab goes to what can be used, and Enter on a head sorts."""
    browser.ask("document.activeElement.blur(); scrollTo(0, 0)")
    browser.key("Tab", 9)
    expect(browser.ask("document.activeElement.className") == "skip", name, "begins with", browser.ask("document.activeElement.outerHTML"))
    browser.ask("document.querySelector('#steps-table th:nth-child(2) button').focus()")
    browser.key("Enter", 13)
    expect(browser.ask("document.querySelector('#steps-table th:nth-child(2)').getAttribute('aria-sort')") == "ascending", name, "does not sort by Enter")


def check_without_script(browser, name, page):
    """All is there for a reader whose program runs no scripts, as that of a mail."""
    browser.show(1280)
    browser.open(page)
    everything = "document.querySelector('main').textContent.replace(/\\s|close all/g, '')"
    with_script = browser.ask(everything)
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    browser.picture(SCREENSHOTS / f"{name}-without-script.png")
    expect(browser.ask(everything) == with_script, name, "says less without its script")
    expect(browser.ask("document.querySelectorAll('button, input').length") == 0, name, "has buttons that do nothing")
    browser.do("Emulation.setScriptExecutionDisabled", value=False)


main()
