"""What the comparisons with programs of others share: their environment, timing a process, the machine, the page."""

import os
import platform
import re
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGE = os.path.join(ROOT, ".github/docs/contributors/performance.md")


def python_with(versions):
    """Returns the Python of an environment with packages of PyPI, made at the first use."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    where = os.path.join(cache, "vantage-bench", "-".join(f"{name}-{version}" for name, version in versions.items()))
    python = os.path.join(where, "bin", "python")
    if not os.path.exists(os.path.join(where, "ready")):
        subprocess.run([sys.executable, "-m", "venv", "--clear", where], check=True)
        wanted = [f"{name}=={version}" for name, version in versions.items()]
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted], check=True)
        open(os.path.join(where, "ready"), "w").close()
    return python


def run(command, folder, out=subprocess.DEVNULL):
    """Returns wall seconds, seconds of processors and peak memory in MB of a process and its children."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, cwd=folder)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed: {message[-400:].decode(errors='replace')}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def revision():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def processor():
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    return model[1] if model else platform.machine()


def machine(versions):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (f"{len(os.sched_getaffinity(0))} processors ({processor()}), {memory:.0f} GB, Linux {platform.release().split('-')[0]}; "
            f"revision {revision()}, {named}; {time.strftime('%Y-%m-%d')}.")


def write(mark, lines, page=PAGE):
    """Puts lines between the marks of a bench in a page."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, rest = open(page).read().split(begin)
    open(page, "w").write(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])
