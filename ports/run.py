"""How the port of each project is started here, and its original where a registry has it."""

import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass, field

import count

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
    environment: dict[str, str] = field(default_factory=dict)

    def folder(self) -> pathlib.Path:
        """Returns a new folder, so that one run does not see what another wrote."""
        folder = BUILD / "folder"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder


def compiled(name: str, compiler: list[str], sources: list[pathlib.Path], libraries: tuple[str, ...] = ()) -> Commands:
    """Compiles a port with what stands for its project."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / name
    includes = [f"-I{ROOT / 'include'}", f"-I{PORTS / name / 'stand_in'}"]
    library = TARGET / "debug" / "libwellhead.a"
    command = [*compiler, "-g", "-Wall", "-Wextra", *includes, *map(str, sources), "-o", str(program)]
    subprocess.run([*command, str(library), *libraries, *NATIVE_LIBS], check=True)
    return Commands([str(program)])


def neuronos() -> Commands:
    folder = PORTS / "neuronos"
    sources = [folder / "neuronos_mcp_server.c", *sorted((folder / "stand_in").glob("*.c"))]
    return compiled("neuronos", ["cc", "-std=c99", "-Wpedantic"], sources)


def lemonade() -> Commands:
    folder = PORTS / "lemonade"
    subprocess.run([folder / "install.sh"], check=True)
    sources = [folder / "mcp_wellhead.cpp", folder / "stand_in" / "main.cpp"]
    return compiled("lemonade", ["c++", "-std=c++17"], sources, ("-lcpp-httplib",))


def ida() -> Commands:
    """Puts the module of the port into a package next to what stands for the plugin."""
    package = BUILD / "ida" / "zeromcp"
    package.mkdir(parents=True, exist_ok=True)
    shutil.copy(PORTS / "ida" / "server.py", package)
    shutil.copy(PORTS / "ida" / "stand_in" / "mcp.py", package)
    shutil.copy(PORTS / "ida" / "stand_in" / "main.py", package.parent)
    (package / "__init__.py").write_text("from .server import *\nfrom .mcp import McpServer\n")
    return Commands([str(ROOT / "build" / "python" / "bin" / "python"), str(package.parent / "main.py")])


def packages() -> pathlib.Path:
    """Installs the official servers from npm, as package-lock.json pins them, and returns their folder."""
    folder = BUILD / "npm"
    lock = (PORTS / "npm" / "package-lock.json").read_bytes()
    installed = folder / "installed"
    if not installed.exists() or installed.read_bytes() != lock:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PORTS / "npm" / name, folder)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
        (folder / "node_modules" / "wellhead").symlink_to(ROOT / "bindings" / "node")
        installed.write_bytes(lock)
    return folder


def official(name: str, arguments: list[str], files: dict[str, str], environment: dict[str, str]) -> Commands:
    """Makes the port of an official server from the package on npm, and runs both."""
    folder = packages()
    original = folder / "node_modules" / "@modelcontextprotocol" / f"server-{name}"
    port = folder / "ports" / f"server-{name}"
    shutil.rmtree(port, ignore_errors=True)
    shutil.copytree(original, port)
    count.apply(name, count.read(name), port)
    node = lambda package: ["node", str(package / "dist" / "index.js"), *arguments]
    return Commands(node(port), node(original), files, environment)


def memory() -> Commands:
    return official("memory", [], {}, {"MEMORY_FILE_PATH": str(BUILD / "folder" / "memory.jsonl")})


def filesystem() -> Commands:
    folder = BUILD / "folder"
    files = {"files/a.txt": "one\ntwo\nthree\n", "files/deep/b.md": "# B\n", "files/deep/c.png": "no image", "roots/r.txt": "root"}
    return official("filesystem", [str(folder / "files")], files, {})


ALL = {"filesystem": filesystem, "ida": ida, "lemonade": lemonade, "memory": memory, "neuronos": neuronos}


def commands(name: str) -> Commands:
    return ALL[name]()
