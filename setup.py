"""The kernel is one Python file that Cython compiles; where that cannot be done the same file runs as it is."""

import sys
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SEARCH = "leftbower.kernel.search"


class OptionalBuild(build_ext):
    """Goes on without the compiled kernel where there is no compiler, or no headers of Python."""

    def build_extension(self, ext: Extension) -> None:
        """Compile, or say in one line why not; `optional=True` alone lets some failures through."""
        try:
            super().build_extension(ext)
        except Exception as why:  # whatever a compiler does, the package must install
            for old in Path("src").rglob("search.*.so"):
                old.unlink()  # built from another source, and it would be imported before this one
            print(f"leftbower: the kernel stays uncompiled and will be slow ({why})", file=sys.stderr)

    def copy_extensions_to_source(self) -> None:
        """An editable install copies what was built, and nothing where nothing was."""
        try:
            super().copy_extensions_to_source()
        except FileNotFoundError:
            print("leftbower: nothing was compiled, so nothing is copied", file=sys.stderr)


def extensions() -> list[Any]:
    """The compiled form of the search; `cythonize` forgets that it is optional."""
    kernel = Extension(SEARCH, ["src/leftbower/kernel/search.py"], extra_compile_args=["-O3"], optional=True)
    compiled: list[Any] = cythonize([kernel], build_dir="build", quiet=True)
    for extension in compiled:
        extension.optional = True
    return compiled


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
