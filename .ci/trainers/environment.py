"""Makes the environment of requirements.txt once, and writes the path of its Python into a file.

    python3 environment.py FILE [--newest]

It is kept in the cache directory under a hash of what it holds, so it is made again when a pin or Python changes. Which
index is asked is pip's own affair: its configuration decides. Standard library only, since it runs before anything is
installed.
"""

import fcntl
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
UNUSED_DAYS = 14  # an environment has 4 GB: one that no run used for so long is removed


def main():
    target, newest = pathlib.Path(sys.argv[1]), "--newest" in sys.argv[2:]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vantage-trainers"
    cache.mkdir(parents=True, exist_ok=True)
    environment = cache / name(newest)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = environment / "complete"
        if not complete.exists():
            make(environment, newest)
        complete.touch()
        remove_unused(cache)
    target.write_text(str(environment / "bin" / "python"))


def name(newest):
    """Today's date counts where the newest releases are asked for: tomorrow's may be others."""
    what = [sys.version, platform.platform(), (HERE / "requirements.txt").read_text(), (HERE / "older.txt").read_text()]
    if newest:
        what.append(time.strftime("%F"))
    return hashlib.sha256("\0".join(what).encode()).hexdigest()[:16]


def make(environment, newest):
    shutil.rmtree(environment, ignore_errors=True)
    start = time.time()
    print(f"installing {'the newest' if newest else 'pinned'} releases into {environment}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    try:
        for arguments in installs(environment, newest):
            subprocess.run(
                [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--no-cache-dir"]
                + ["--no-input", "--disable-pip-version-check"] + arguments,
                check=True,
            )
    except subprocess.CalledProcessError:
        shutil.rmtree(environment, ignore_errors=True)
        sys.exit(1)  # pip has said why
    print(f"installed in {time.time() - start:.0f} s", flush=True)


def installs(environment, newest):
    """The arguments of pip, call by call."""
    alone = ["--no-deps", "--ignore-requires-python"]  # SkyRL asks for Python 3.12; what is called of it runs in 3.11
    old = [line for line in (HERE / "older.txt").read_text().split("\n") if "==" in line]
    older = [alone + ["--target", environment / "older" / line.replace("==", "-"), line] for line in old]
    if not newest:
        return [[*alone, "-r", HERE / "requirements.txt"]] + older
    lines = (HERE / "requirements.txt").read_text().splitlines()
    marked = {mark: [re.split("[=; ]", line)[0] for line in lines if line.endswith("# " + mark)] for mark in ("direct", "alone")}
    calls = [marked["direct"]]
    if marked["alone"]:
        calls.append(alone + marked["alone"])
    return calls + older


def remove_unused(cache):
    for complete in cache.glob("*/complete"):
        if complete.stat().st_mtime < time.time() - UNUSED_DAYS * 86400:
            shutil.rmtree(complete.parent)


main()
