"""Writes a wheel, with which pip puts the program on the PATH, and a module of Python that runs it.

    python3 wheel.py TREE VERSION GOOS GOARCH FOLDER

TREE is what a tarball is made of, VERSION what `vantage version` says. The same tree gives the same bytes: the time of
every entry is SOURCE_DATE_EPOCH. Standard library only.
"""

import base64
import hashlib
import os
import pathlib
import re
import struct
import sys
import time
import zipfile

NAME = "vantage-rl"  # in the package index; "vantage" is somebody else's

FILES = {  # in the tree → where pip puts it, below the environment
    "vantage": "scripts/vantage",
    "man/vantage.1.gz": "data/share/man/man1/vantage.1.gz",
    "completions/vantage.bash": "data/share/bash-completion/completions/vantage",
    "completions/_vantage": "data/share/zsh/site-functions/_vantage",
    "completions/vantage.fish": "data/share/fish/vendor_completions.d/vantage.fish",
}
LICENCES = ["LICENSE", "LIBRARIES"]
MODULE = ["vantage/__init__.py", "vantage/py.typed"]  # beside this file

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: See which samples of your RL run train the model, and what ails the run
License-Expression: Apache-2.0
{licences}
Classifier: Environment :: Console
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: {name} {version}
Root-Is-Purelib: false
{tags}
"""


def main():
    tree, go_version, goos, goarch, folder = sys.argv[1:]
    tree, version = pathlib.Path(tree), pep440(go_version)
    platforms = platform_tags((tree / "vantage").read_bytes(), goos, goarch)
    stem = f"{NAME.replace('-', '_')}-{version}"
    licences = "\n".join(f"License-File: {name}" for name in LICENCES)
    tags = "\n".join(f"Tag: py3-none-{platform}" for platform in platforms)
    description = without_relative_links((tree / "README.md").read_text(encoding="utf-8"))
    info = f"{stem}.dist-info"
    entries = {f"{stem}.data/{to}": (tree / name).read_bytes() for name, to in FILES.items()}
    entries |= {name: (pathlib.Path(__file__).parent / name).read_bytes() for name in MODULE}
    entries |= {f"{info}/licenses/{name}": (tree / name).read_bytes() for name in LICENCES}
    entries[f"{info}/METADATA"] = METADATA.format(
        name=NAME, version=version, licences=licences, description=description
    ).encode()
    entries[f"{info}/WHEEL"] = WHEEL.format(name=NAME, version=version, tags=tags).encode()
    path = pathlib.Path(folder) / f"{stem}-py3-none-{'.'.join(platforms)}.whl"
    write(path, entries, f"{info}/RECORD", int(os.environ["SOURCE_DATE_EPOCH"]))


def pep440(version):
    """Go's version in Python's words; one between two tags is a development release of the later, with its commit.

    Go writes v1.2.3, v1.2.3-rc.1, and between tags v1.2.4-0.TIME-COMMIT, v1.2.3-rc.1.0.TIME-COMMIT or
    v0.0.0-TIME-COMMIT; each may end in +dirty, for sources that differ from the commit.
    """
    parts = re.fullmatch(
        r"v(?P<release>\d+\.\d+\.\d+)(-(?P<pre>alpha|beta|rc)\.(?P<number>\d+))?"
        r"([-.](0\.)?(?P<time>\d{14})-(?P<commit>[0-9a-f]{12}))?(\+(?P<dirty>dirty))?",
        version,
    )
    if not parts:
        sys.exit(f"{version} is no version that a wheel can have")
    public, number = parts["release"], int(parts["number"] or 0)
    if parts["pre"]:  # development leads to the next number
        public += {"alpha": "a", "beta": "b", "rc": "rc"}[parts["pre"]] + str(number + bool(parts["time"]))
    if parts["time"]:
        public += f".dev{parts['time']}"
    local = ".".join(filter(None, [parts["commit"] and "g" + parts["commit"], parts["dirty"]]))
    return public + (f"+{local}" if local else "")


def platform_tags(program, goos, goarch):
    """The systems that the program runs on: a static one on every Linux, with glibc or musl."""
    machine = {("linux", "amd64"): "x86_64", ("linux", "arm64"): "aarch64", ("darwin", "amd64"): "x86_64"}.get(
        (goos, goarch), "arm64"
    )
    if goos == "darwin":
        major, minor = oldest_macos(program)
        return [f"macosx_{major}_{minor}_{machine}"]
    return [f"manylinux2014_{machine}", f"manylinux_2_17_{machine}", f"musllinux_1_1_{machine}"]


def oldest_macos(program):
    """The macOS that Go built for, as the program's own header has it: LC_BUILD_VERSION of Mach-O."""
    magic, commands = struct.unpack_from("<I12xI", program)
    assert magic == 0xFEEDFACF, "no Mach-O file of 64 bits"
    at = 32
    for _ in range(commands):
        command, size, _, oldest = struct.unpack_from("<IIII", program, at)
        if command == 0x32:
            return oldest >> 16, oldest >> 8 & 0xFF
        at += size
    sys.exit("the program does not say which macOS it needs")


def without_relative_links(text):
    """The README without what lies beside it in the checkout: an index of packages has neither pictures nor pages."""
    text = re.sub(r"(?m)^!\[[^]]*\]\((?!https?:)[^)]*\)\n+", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


def write(path, entries, record, seconds):
    lines = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in entries.items()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in [*entries.items(), (record, "".join(lines) + f"{record},,\n")]:
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.create_system = 3  # Unix, wherever it is built: the mode counts
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


def digest(content):
    """As RECORD has it: base64 for URLs, without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
