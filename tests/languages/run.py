#!/usr/bin/env python3
"""Asks hosts in languages that have no package of ours, and call the C library by their own means: Python by ctypes, Go by cgo, LuaJIT by its ffi,
Ruby by the gem ffi. So each type of callback is one that these can make.

    run.py [LANGUAGE]...

Each host lists `greet://ada` and `greet://ben` on pages of one, and greets any name but `nobody`. It completes names, says which exist, and adds two
numbers. It writes the lines of the log to standard error. drive.py asks for all that. The C library is built before, by `make`. Packages of Python come
into build/languages, Ruby by apt if that is allowed. Go must be there.
"""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/languages"
PYTHON = BUILD / "bin/python"
REQUIREMENTS = [ROOT / "tests/clients/python/requirements-1.txt", HERE / "requirements.txt"]
LIBRARY = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug"
SHARED = LIBRARY / "libwellhead.so"
LIBS = "-lutil -lrt -lpthread -lm -ldl"  # as NATIVE_LIBS in ffi/ffi.mk
PATIENCE = 60  # seconds for all questions to a host


def main() -> int:
    install_python()
    makers = {"ctypes": ctypes, "go": go, "luajit": luajit, "ruby": ruby}
    unknown = set(sys.argv[1:]) - makers.keys()
    if unknown:
        sys.exit(f"no host in {', '.join(unknown)}; there are {', '.join(makers)}")
    failed = 0
    for name in sys.argv[1:] or makers:
        command = [str(part) for part in makers[name]()]
        try:
            status = subprocess.run([PYTHON, HERE / "drive.py", *command], timeout=PATIENCE).returncode
        except subprocess.TimeoutExpired:
            status = "none in time"
        print(f"{'ok' if status == 0 else 'not ok'} - {name}: status {status}", flush=True)
        failed += status != 0
    return 1 if failed else 0


def install_python() -> None:
    wanted = [BUILD / path.name for path in REQUIREMENTS]
    if all(copy.exists() and filecmp.cmp(path, copy, shallow=False) for path, copy in zip(REQUIREMENTS, wanted)):
        return
    subprocess.run([os.environ.get("PYTHON", sys.executable), "-m", "venv", "--clear", BUILD], check=True)
    files = [word for path in REQUIREMENTS for word in ("-r", path)]
    subprocess.run([BUILD / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *files], check=True)
    for path, copy in zip(REQUIREMENTS, wanted):  # last: an installation that was cut short starts again
        shutil.copy(path, copy)


def ctypes() -> list[object]:
    return [PYTHON, HERE / "host.py", SHARED]


def go() -> list[object]:
    program = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not program:
        sys.exit("missing: apt-get install golang-go")
    archive, host = LIBRARY / "libwellhead.a", BUILD / "go-host"
    # Go does not see that the archive has changed, but that a flag has.
    flags = {"CGO_ENABLED": "1", "CGO_CFLAGS": f"-I{ROOT}/include -DARCHIVE={archive.stat().st_mtime_ns}", "CGO_LDFLAGS": f"{archive} {LIBS}"}
    subprocess.run([program, "build", "-o", host, "."], cwd=HERE / "go", env=os.environ | flags, check=True)
    return [host]


def luajit() -> list[object]:
    header = BUILD / "wellhead.i"
    subprocess.run(["cc", "-E", "-P", ROOT / "include/wellhead.h", "-o", header], check=True)
    return [PYTHON, HERE / "luajit.py", HERE / "host.lua", SHARED, header]


def ruby() -> list[object]:
    if shutil.which("ruby") is None or subprocess.run(["ruby", "-e", "require 'ffi'"], capture_output=True).returncode:
        install = ["apt-get", "install", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", "ruby", "ruby-ffi"]
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            sys.exit(f"missing: ruby with the gem ffi; run `sudo {' '.join(install)}`")
        if subprocess.run(install, stdout=subprocess.DEVNULL).returncode:
            subprocess.run(["apt-get", "update", "-q"], stdout=subprocess.DEVNULL, check=True)
            subprocess.run(install, stdout=subprocess.DEVNULL, check=True)
    return ["ruby", HERE / "host.rb", SHARED]


if __name__ == "__main__":
    sys.exit(main())
