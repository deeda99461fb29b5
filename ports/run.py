"""How the port of each project is started here, and its original where a registry has it."""

import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
PORTS = ROOT / "ports"
BUILD = ROOT / "build" / "ports"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NATIVE_LIBS = ["-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]


@dataclass
class Commands:
    """The commands of a port and of its original, and the files that each finds in its folder."""

    port: list[str]
    original: list[str] | None = None
    files: dict[str, str] = field(default_factory=dict)

    def folder(self) -> pathlib.Path:
        """Returns a new folder, so that one run does not see what another wrote."""
        folder = BUILD / "folder"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder


def compiled(name: str, compiler: list[str], sources: list[pathlib.Path]) -> Commands:
    """Compiles a port with what stands for its project."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / name
    includes = [f"-I{ROOT / 'include'}", f"-I{PORTS / name / 'stand_in'}"]
    library = TARGET / "debug" / "libwellhead.a"
    command = [*compiler, "-g", "-Wall", "-Wextra", *includes, *map(str, sources), "-o", str(program), str(library), *NATIVE_LIBS]
    subprocess.run(command, check=True)
    return Commands([str(program)])


def neuronos() -> Commands:
    folder = PORTS / "neuronos"
    sources = [folder / "neuronos_mcp_server.c", *sorted((folder / "stand_in").glob("*.c"))]
    return compiled("neuronos", ["cc", "-std=c99", "-Wpedantic"], sources)


ALL = {"neuronos": neuronos}


def commands(name: str) -> Commands:
    return ALL[name]()
