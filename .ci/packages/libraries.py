"""Prints the licences of what is linked into the program: Go itself and every library, on any of the platforms.

    python3 libraries.py PLATFORM...     such as linux/amd64

Their licences ask that their text goes where the program goes. A library without one is an error. Standard library only.
"""

import os
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)
FIELDS = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"


def main():
    modules = {}  # (path, version) → the module's folder, and those of its packages that are linked
    for goos, _, goarch in (platform.partition("/") for platform in sys.argv[1:]):
        for line in go("list", "-deps", "-f", FIELDS, ".", GOOS=goos, GOARCH=goarch).splitlines():
            path, version, root, package = line.split("\t")
            modules.setdefault((path, version), (pathlib.Path(root), set()))[1].add(pathlib.Path(package))
    write("Go", go("env", "GOVERSION").strip(), texts(pathlib.Path(go("env", "GOROOT").strip()), set()))
    for (path, version), (root, packages) in sorted(modules.items()):
        write(path, version, texts(root, packages))


def go(*arguments, **environment):
    return subprocess.check_output(["go", *arguments], env=os.environ | environment, text=True)


def texts(root, packages):
    """The licence files in the module's folder, and in those between it and its packages: copied code has its own."""
    folders = {root} | {f for p in packages for f in (p, *p.parents) if root in f.parents}
    found = [f for folder in sorted(folders) for f in sorted(folder.iterdir()) if f.is_file() and NAMES.match(f.name)]
    return [f for f in found if f.suffix != ".go"]


def write(name, version, files):
    if not files:
        sys.exit(f"{name} {version} has no licence file: it cannot be packaged")
    print(f"==== {name} {version}\n")
    for file in files:
        print(file.read_text(encoding="utf-8", errors="replace").rstrip() + "\n")


main()
