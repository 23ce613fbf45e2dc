"""Versions as Go writes them, and what a wheel says: the names that PyPI's own library reads, in Go's order."""

import unittest

import packaging.version

import wheel

# in the order in which they are released: Go's own, https://go.dev/ref/mod#pseudo-versions
VERSIONS = [
    ("v0.0.0-20261122134101-85015ce511f0", "0.0.0.dev20261122134101+g85015ce511f0"),
    ("v0.0.0-20261122134101-85015ce511f0+dirty", "0.0.0.dev20261122134101+g85015ce511f0.dirty"),
    ("v1.2.0", "1.2.0"),
    ("v1.2.0+dirty", "1.2.0+dirty"),
    ("v1.2.1-0.20261123134101-85015ce511f0", "1.2.1.dev20261123134101+g85015ce511f0"),
    ("v1.2.1-alpha.1", "1.2.1a1"),
    ("v1.2.1-beta.2", "1.2.1b2"),
    ("v1.2.1-rc.1", "1.2.1rc1"),
    ("v1.2.1-rc.1.0.20261124134101-85015ce511f0", "1.2.1rc2.dev20261124134101+g85015ce511f0"),
    ("v1.2.1-rc.2", "1.2.1rc2"),
    ("v1.2.1", "1.2.1"),
    ("v1.10.0", "1.10.0"),
]


class Versions(unittest.TestCase):
    def test_as_python_has_them(self):
        for go, python in VERSIONS:
            self.assertEqual(wheel.pep440(go), python)
            self.assertEqual(str(packaging.version.Version(python)), python)  # in its normal form

    def test_same_order(self):
        versions = [packaging.version.Version(python) for _, python in VERSIONS]
        self.assertEqual(sorted(versions), versions)

    def test_refuses_others(self):
        for version in ["(devel)", "unknown", "1.2.3", "v1.2", "v1.2.3-nightly", "v1.2.3-rc1"]:
            self.assertRaises(SystemExit, wheel.pep440, version)


class Description(unittest.TestCase):
    def test_what_lies_beside_the_readme_is_gone(self):
        text = "# a\n\n![p](.github/p.svg)\n\nSee [b](c.md#d), [e](https://example.org), [f](#g).\n"
        self.assertEqual(wheel.without_relative_links(text), "# a\n\nSee b, [e](https://example.org), [f](#g).\n")


unittest.main()
