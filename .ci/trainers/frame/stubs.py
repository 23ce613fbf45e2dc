"""Stand-ins for packages that a framework imports and that the called function does not use.

install("ray", "vllm") makes `import ray`, `from ray.util import X` and `class Y(X)` work without
ray: every module below it and every name in it is a Stub. A function that did use one would give
a Stub where a number is expected, and the comparison would fail.
"""

import importlib.abc
import importlib.machinery
import sys


class Meta(type):
    """The type of Stub: a class on which every access, call and index gives the class again."""

    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *values, **names):
        # Used as a decorator, it returns what it decorates.
        if cls is Stub:
            if len(values) == 1 and not names and callable(values[0]) and values[0] is not Stub:
                return values[0]
            return cls
        return super().__call__(*values, **names)

    def __getitem__(cls, _):
        return cls

    def __or__(cls, _):
        return cls

    __ror__ = __or__

    def __iter__(cls):
        return iter(())

    def __contains__(cls, _):
        return False

    def __bool__(cls):
        return False

    def __lt__(cls, _):
        return False

    __gt__ = __le__ = __ge__ = __lt__


class Stub(metaclass=Meta):
    """Any class or function of a package that is not there. For pydantic it is a type that takes anything."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_):
        from pydantic_core import core_schema

        return core_schema.any_schema()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stubbed packages and everything below them."""

    def __init__(self, names):
        self.names = set(names)

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        below = (".".join(parts[:n]) for n in range(1, len(parts) + 1))
        if self.names.isdisjoint(below):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__version__ = "0.0.0"
        module.__file__ = "(stub)"
        module.__all__ = []
        module.__getattr__ = lambda name: getattr(Stub, name)


def install(*names):
    """Puts the stubs in front of whatever is installed."""
    sys.meta_path.insert(0, Finder(names))
