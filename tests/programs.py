"""Installs programs that tests need from Debian's packages, or says by which command that is done."""

import os
import shutil
import subprocess
import sys


def need(programs: dict[str, str]) -> None:
    """Makes programs findable. `programs`: the package of each."""
    os.environ["PATH"] += f"{os.pathsep}/usr/sbin"  # where Debian has nginx
    missing = sorted({package for program, package in programs.items() if shutil.which(program) is None})
    if not missing:
        return
    command = ["apt-get", "install", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", *missing]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(f"missing: {', '.join(missing)}; run `sudo {' '.join(command)}`")
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        subprocess.run(["apt-get", "update", "-q"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
