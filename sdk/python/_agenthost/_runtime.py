"""The engine's module agenthost with one plugin, in this process."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Any

from _agenthost import Call, _world, running
from _agenthost._codec import decode, decode_input, encode

# What each plugin has for itself, because it knows the plugin. The classes of messages, fields and errors are those of the process.
_OWN = ("agenthost", "agenthost._engine", "agenthost._hook", "agenthost._request", "__main__", *_world.NAMES)


class Runtime:
    """A plugin: the file with which it begins, its sources by paths that errors show, and where these files are on the disk."""

    def __init__(self, file: str, files: Mapping[str, str], places: Mapping[str, str]) -> None:
        self._file, self._files, self._places = file, dict(files), dict(places)
        self._modules, self._roots = dict(_world.modules()), set[str]()
        with self._inside():
            self._engine: Any = importlib.import_module("agenthost._engine")
        self._roots = {path.removeprefix("vendor/").partition("/")[0].removesuffix(".py") for path in files} - {*self._engine.LIBRARY}
        self._adapt()

    @classmethod
    def of_path(cls, path: Path) -> "Runtime":
        """A file, or a package with its modules, and the packages in the directory vendor beside it."""
        path = path.resolve()
        top, file = (path, f"{path.name}/__init__.py") if path.is_dir() else (path.parent, path.name)
        found = {file: top / Path(file).name}
        if path.is_dir():
            found |= {f"{path.name}/{p.relative_to(top).as_posix()}": p for p in path.rglob("*.py") if p.relative_to(top).parts[0] != "vendor"}
        found |= {p.relative_to(top).as_posix(): p for p in (top / "vendor").rglob("*.py")}
        found = {name: p for name, p in found.items() if "__pycache__" not in p.parts}
        return cls(file, {name: p.read_text("utf-8") for name, p in found.items()}, {name: str(p) for name, p in found.items()})

    def _adapt(self) -> None:
        """Sets what must differ from an engine: this class imports the plugin's modules, and code has the places of its files, for debuggers."""
        own = ModuleType("sys")
        vars(own).update(vars(sys), meta_path=[])

        def compile_in_place(source: str, path: str, *args: Any, **options: Any) -> CodeType:
            code: CodeType = compile(source, self._places.get(path, path), *args, **options)
            return code

        vars(self._engine).update(sys=own, compile=compile_in_place)

    def start(self, call: Call) -> None:
        """Evaluates the script."""
        placed = {place: self._files[path] for path, place in self._places.items()}  # by these names, errors find their lines
        with running(call), self._inside():
            self._engine.start({"file": self._file, "files": {**self._files, **placed}})
            self.main = sys.modules[self._file.removesuffix("/__init__.py") if "/" in self._file else "__main__"]
        self._engine.script_builtins.update(breakpoint=breakpoint)

    def serve(self, call: Call, name: str, input: bytes) -> bytes:
        """Serves one call, from the document of its input to that of its result, as an engine does. b"": there is no result."""
        is_hook = name not in ("describe", "configure")
        given: Any = decode_input(input) if is_hook else decode(input) if input else None
        if is_hook:
            call.clock, call.state = given["now"], given["seed"]
        with running(call), self._inside():
            if is_hook and "random" in sys.modules:
                sys.modules["random"].seed(given["seed"])
            try:
                result = self._engine.serve(name, given)
            except BaseException as e:
                if name == "describe":
                    raise
                call.failure = e
                result = self._engine.failed(e, self.describe(e))
        if isinstance(call.failure, KeyboardInterrupt):
            raise call.failure
        try:
            return b"" if result is None else encode(self._shortened(result))
        except TypeError as e:
            call.failure = e
            return encode({"error": {"type": "error", "message": self.describe(e)}})

    def describe(self, e: BaseException) -> str:
        """An exception in one line, after the places of the plugin that it came through."""
        files = self._engine.script.files
        if isinstance(e, SyntaxError) and e.filename in files:
            return str(self._shortened(f"{e.filename}:{e.lineno}: {type(e).__name__}: {e.msg}"))
        places: list[str] = []
        for frame, line in walk_tb(e.__traceback__):
            place = f"{frame.f_code.co_filename}:{line}"
            if frame.f_code.co_filename in files and place not in places[-1:]:
                places.append(place)
        text = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
        calls = f" (called from {', '.join(places[-2:-5:-1])})" if len(places) > 1 else ""
        return str(self._shortened(f"{places[-1]}: {text}{calls}" if places else text))

    def _shortened(self, value: Any) -> Any:
        """A text or an error with the paths of files in place of where they are."""
        if isinstance(value, str):
            for path, place in self._places.items():
                value = value.replace(f"{place}:", f"{path}:")
            return value
        if isinstance(value, dict) and "error" in value:
            return {**value, "error": {**value["error"], "message": self._shortened(value["error"]["message"])}}
        return value

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Gives the plugin its own modules in place of the process's."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Gives the test the process's modules while the plugin waits for it."""
        self._leave()
        try:
            yield
        finally:
            self._enter()

    def _enter(self) -> None:
        self._hidden = self._take()
        sys.modules.update(self._modules)
        sys.meta_path.insert(0, self)

    def _leave(self) -> None:
        sys.meta_path.remove(self)
        self._modules = self._take()
        sys.modules.update(self._hidden)

    def _take(self) -> dict[str, ModuleType]:
        own = [name for name in sys.modules if name in _OWN or name.partition(".")[0] in self._roots]
        return {name: sys.modules.pop(name) for name in own}

    def find_spec(self, module: str, path: Any = None, target: Any = None) -> Any:
        """Finds the plugin's own modules, as an importer of sys.meta_path."""
        return self._engine.script.find_spec(module) if module.partition(".")[0] in self._roots else None
