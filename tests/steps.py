"""Runs make targets one after the other, goes on after a failure, and says at the end what passed.

    tests/steps.py TARGET...
"""

import subprocess
import sys
import time


def main(targets: list[str]) -> int:
    results = []
    for target in targets:
        print(f"\n=== make {target}", flush=True)
        start = time.monotonic()
        status = subprocess.run(["make", target], check=False).returncode
        results.append((target, status, time.monotonic() - start))
    print("\n=== summary")
    for target, status, seconds in results:
        print(f"{'ok  ' if status == 0 else 'FAIL'} {target:<18} {seconds:6.0f} s")
    failed = sum(status != 0 for _, status, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
