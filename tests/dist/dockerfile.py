"""Follows a Dockerfile without Docker, in a root folder that stands for the image of its FROM.

    dockerfile.py build ROOT CONTEXT   does what the Dockerfile of CONTEXT says, with files of CONTEXT
    dockerfile.py run ROOT CONTEXT     becomes the program of its CMD

pip in it finds what is in the folder DIST, and npm asks the registry of the environment. Needs the superuser.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ENTER = """
set -e
root=$1 user=$2 folder=$3
shift 3
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$DIST" "$root/mnt"
exec chroot --userspec="$user" "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp \
    npm_config_registry="$npm_config_registry" PIP_NO_INDEX=1 PIP_FIND_LINKS=/mnt sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""


def inside(root: Path, user: str, folder: str, command: list[str]) -> list[str]:
    users = dict(line.split(":")[0::2][:2] for line in (root / "etc/passwd").read_text("utf-8").splitlines())
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter", str(root), f"{users[user]}:{users[user]}", folder, *command]


def main(action: str, root: Path, context: Path) -> None:
    user, folder, command = "root", "/", []
    for line in (context / "Dockerfile").read_text("utf-8").splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "FROM":
                pass  # the caller has laid the root
            case "WORKDIR":
                folder = rest
                (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "USER":
                user = rest
            case "COPY":
                *names, to = rest.split()
                for name in names if action == "build" else []:
                    shutil.copy(context / name, root / folder.lstrip("/") / to)
            case "RUN":
                if action == "build":
                    subprocess.run(inside(root, user, folder, ["sh", "-c", rest]), check=True)
            case "CMD":
                command = json.loads(rest)
            case _:
                sys.exit(f"dockerfile.py does not know {word}")
    if action == "run":
        line = inside(root, user, folder, command)
        os.execvp(line[0], line)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
