"""Compiles a definition, or some statements of a method, out of a framework's source file.

For arithmetic that stands in the middle of a method which generates texts as well and so cannot be
called alone.
"""

import ast
import importlib.util
import textwrap


def file_of(module, folder=None):
    """The path of a module, without importing it: an installed one, or one below folder."""
    package, _, rest = module.partition(".")
    root = f"{folder}/{package}" if folder else importlib.util.find_spec(package).submodule_search_locations[0]
    return f"{root}/{rest.replace('.', '/')}.py"


def definition(path, name, names):
    """Returns the function or class of that name, without its decorators; it sees names as its globals."""
    text, node = find(path, name)
    source = textwrap.dedent(ast.get_source_segment(text, node, padded=True))
    return compiled(source, path, name, names)


def statements(path, method, first, last, arguments, result, names):
    """Returns a function of the statements of a method, from the first that contains the text
    `first` to the next that contains `last`, compound statements whole.

    arguments are the names that the statements read, result is the expression that is returned.
    """
    text, node = find(path, method)
    parts = [textwrap.dedent(ast.get_source_segment(text, s, padded=True)) for s in node.body]
    begin = next(i for i, s in enumerate(parts) if first in s)
    end = next(i for i, s in enumerate(parts) if i >= begin and last in s)
    body = "\n".join(parts[begin : end + 1])
    source = f"def cut({', '.join(arguments)}):\n{textwrap.indent(body, '    ')}\n    return {result}\n"
    return compiled(source, path, "cut", names)


def find(path, name):
    with open(path) as f:
        text = f.read()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name:
            return text, node
    raise LookupError(f"{path} defines no {name}")


def compiled(source, path, name, names):
    namespace = dict(names)
    exec(compile("from __future__ import annotations\n" + source, path, "exec"), namespace)
    return namespace[name]
