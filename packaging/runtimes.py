"""Records what is linked into the packages without being a crate of Cargo.lock: Rust's standard library, with crates of its own, LLVM's
libunwind, musl, mingw-w64, and what zig adds. `tests/notices.py` takes the licences from here, and `sbom.py` the components.

    runtimes.py           fails if this machine's Rust, or the zig that the scripts install, is not the recorded one
    runtimes.py --rust    prints the version of Rust

A library for Linux is linked by zig, whose libunwind takes the place of libgcc_s. With musl it takes the C library of the system. The static
command is linked by rustc, with musl and libunwind from Rust's own folder. The C archive and the command for Windows are linked by zig, with its
mingw-w64. The packages of the workflow for macOS take all of that from the system. Those for Windows are linked with Microsoft's C runtime.
A few functions of glibc that its shared library lacks are linked as well. Their licence, and that of Microsoft's runtime, permit it without a notice.

After a change of Rust or zig, compare with its sources. `cargo tree -p std` in `library` of the component rust-src names the crates. The texts in
`licences` are those of its `library/compiler-builtins` and `src/llvm-project/libunwind`, and of `lib/libc/musl` and `lib/libc/mingw` in zig's wheel.
Rust's file `share/doc/rust/COPYRIGHT-library.html` names crates of other systems, and lacks some that are linked. Then raise the versions here, and run
`make notices`.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LICENCES = ROOT / "packaging/licences"
RUST, RUST_LLVM = "1.95.0", "22.1.2"
ZIG, ZIG_LLVM = "0.17.1", "22.1.8"
MUSL = "1.2.5"
"""The one in Rust's folder."""


class Runtime(NamedTuple):
    name: str
    version: str
    description: str
    licence: str
    source: str
    copyrights: tuple[str, ...] = ()
    """Those above MIT's text, if that is the licence that was chosen."""
    texts: tuple[str, ...] = ()
    """Files in `licences`."""
    crate: bool = False
    """True if the registry of Rust has it."""

    @property
    def reference(self) -> str:
        """Names it within a bill of materials, where another version of a crate may stand as well, or the same one."""
        return f"{'std/' if self.crate else ''}{self.name}@{self.version}"


def crate(name: str, version: str, description: str, licence: str, source: str, *copyrights: str) -> Runtime:
    return Runtime(name, version, description, licence, f"https://github.com/{source}", copyrights, (), True)


RUST_PROJECT = "The Rust Project Developers (see https://thanks.rust-lang.org)"
STD = Runtime(
    "std", RUST, "The standard library of Rust", "(MIT OR Apache-2.0) AND Unicode-3.0", "https://github.com/rust-lang/rust",
    (f"Copyright (c) {RUST_PROJECT}", "Copyright (c) 2014 Alex Crichton", "Copyright (c) 2019 The Crossbeam Project Developers"), ("unicode.txt",),
)  # fmt: skip
BUILTINS = Runtime(
    "compiler_builtins", "0.1.160", "Arithmetic that processors lack, part of Rust's standard library",
    "MIT AND Apache-2.0 WITH LLVM-exception AND (MIT OR Apache-2.0)", "https://github.com/rust-lang/compiler-builtins",
    (), ("compiler-builtins.txt", "libm.txt"),
)  # fmt: skip
EITHER = "MIT OR Apache-2.0"
CRATES = [
    crate("cfg-if", "1.0.4", "Chooses code by the system", EITHER, "rust-lang/cfg-if", "Copyright (c) 2014 Alex Crichton"),
    crate("hashbrown", "0.16.1", "Hash tables", EITHER, "rust-lang/hashbrown", "Copyright (c) 2016 Amanieu d'Antras"),
    crate("rustc-demangle", "0.1.27", "Names of functions for people", EITHER, "rust-lang/rustc-demangle", "Copyright (c) 2014 Alex Crichton"),
]
"""The crates in the standard library."""
UNIX_CRATES = [
    crate("addr2line", "0.25.1", "Lines of sources by address", EITHER, "gimli-rs/addr2line", "Copyright (c) 2016-2018 The gimli Developers"),
    crate("adler2", "2.0.1", "The sums of zlib", "0BSD OR MIT OR Apache-2.0", "oyvindln/adler2", "Copyright (c) Jonas Schievink, oyvindln"),
    crate("gimli", "0.32.3", "Reads DWARF", EITHER, "gimli-rs/gimli", "Copyright (c) 2015 The Rust Project Developers"),
    crate("libc", "0.2.178", "Declarations of C libraries", EITHER, "rust-lang/libc", "Copyright (c) 2014-2020 The Rust Project Developers"),
    crate("memchr", "2.7.6", "Finds bytes", "Unlicense OR MIT", "BurntSushi/memchr", "Copyright (c) 2015 Andrew Gallant"),
    crate(
        "miniz_oxide", "0.8.9", "Unpacks deflate", "MIT OR Zlib OR Apache-2.0", "Frommi/miniz_oxide",
        "Copyright 2013-2014 RAD Game Tools and Valve Software", "Copyright 2010-2014 Rich Geldreich and Tenacious Software LLC",
        "Copyright (c) 2017 Frommi", "Copyright (c) 2017-2024 oyvindln",
    ),
    crate("object", "0.37.3", "Reads object files", EITHER, "gimli-rs/object", "Copyright (c) 2015 The Gimli Developers"),
]  # fmt: skip
"""Those in it for Linux and macOS, which read debug information for backtraces."""
LIBUNWIND = Runtime(
    "libunwind", RUST_LLVM, "Unwinds the stack; the one in Rust's folder", "Apache-2.0 WITH LLVM-exception",
    "https://github.com/llvm/llvm-project", (), ("libunwind.txt",),
)  # fmt: skip
ZIG_LIBUNWIND = LIBUNWIND._replace(version=ZIG_LLVM, description="Unwinds the stack; the one in zig's folder")
ZIG_RUNTIME = Runtime(
    "zig-compiler-rt", ZIG, "Arithmetic that processors lack, in place of libgcc", "MIT", "https://ziglang.org", ("Copyright (c) Zig contributors",)
)
MINGW = Runtime("mingw-w64", "15.0.0", "The beginning of programs, and parts of the C library, for Windows", "ZPL-2.1", "https://www.mingw-w64.org", (), ("mingw-w64.txt",))
MUSL_LIBC = Runtime("musl", MUSL, "The C library", "MIT", "https://musl.libc.org", (), ("musl.txt",))
MSVC = Runtime("msvc-runtime", "14", "The C runtime of Visual C++", "LicenseRef-Microsoft-Visual-Studio", "https://visualstudio.microsoft.com")
ALL = [STD, BUILTINS, *CRATES, *UNIX_CRATES, LIBUNWIND, ZIG_LIBUNWIND, ZIG_RUNTIME, MINGW, MUSL_LIBC]
"""Those that need a notice."""


def linked(package: str, target: str) -> list[Runtime]:
    """Returns what is linked into what is shipped of a package of the workspace, for a target of rustc. The first is the standard library."""
    found = [STD, BUILTINS, *CRATES]
    if "windows" not in target:
        found += UNIX_CRATES
    if "linux" in target and package != "wellhead":
        found += [ZIG_LIBUNWIND, ZIG_RUNTIME]
    elif target.endswith("-windows-gnu"):
        found += [ZIG_LIBUNWIND, ZIG_RUNTIME, MINGW]
    elif target.endswith("-windows-msvc"):
        found.append(MSVC)
    elif target.endswith("-musl"):
        found += [LIBUNWIND, MUSL_LIBC]
    return found


def problems() -> list[str]:
    """Says what on this machine differs from what is recorded. Only who ships needs the recorded Rust."""
    said = output("rustc", "--version", "--verbose")
    rust, llvm = (re.search(rf"^{name}: (\S+)", said, re.MULTILINE)[1] for name in ("release", "LLVM version"))
    found = zig_problems()
    if (rust, llvm) != (RUST, RUST_LLVM):
        found.append(
            f"packaging/runtimes.py records Rust {RUST} with LLVM {RUST_LLVM}, and this is Rust {rust} with LLVM {llvm}. "
            f"Ship with `rustup default {RUST}`, or record the new one as that file says"
        )
    for libc in sorted(Path(output("rustc", "--print", "sysroot").strip()).glob("lib/rustlib/*-linux-musl/lib/self-contained/libc.a")):
        if f"\0{MUSL}\0".encode() not in libc.read_bytes():
            found.append(f"packaging/runtimes.py records musl {MUSL}, and Rust's for {libc.parts[-4]} is another version")
    return found


def zig_problems() -> list[str]:
    """Says which files install a zig other than the recorded one."""
    found = []
    for file in ("packaging/tools.sh", ".github/workflows/wheels.yml"):
        if others := set(re.findall(r"ziglang==([\w.]+)", (ROOT / file).read_text("utf-8"))) - {ZIG}:
            found.append(f"packaging/runtimes.py records zig {ZIG}, and {file} installs {', '.join(sorted(others))}")
    return found


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def main(arguments: list[str]) -> int:
    if arguments == ["--rust"]:
        print(RUST)
        return 0
    found = problems()
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
