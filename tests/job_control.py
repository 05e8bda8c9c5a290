#!/usr/bin/env python3
"""Drive an interactive shell under a pseudo-terminal, for job control.

Usage: job_control.py SHELL_COMMAND STEP...

Starts bash on a terminal of its own and types the command.
Each STEP is WAIT:TEXT (until the terminal shows TEXT) or TYPE:KEYS, where ^C
and ^Z are the keys. Prints what the terminal showed; status 1 when a text did
not come within two minutes.
"""

import os
import pty
import select
import sys
import time


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "READY> "
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    shown = b""
    seen = 0  # what was waited for already

    def wait_for(text):
        nonlocal shown, seen
        until = time.monotonic() + 120
        while shown.find(text, seen) < 0:
            left = until - time.monotonic()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                return False
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                return False
        seen = shown.find(text, seen) + len(text)
        return True

    done = wait_for(b"READY> ")
    for step in ["TYPE:" + sys.argv[1] + "\n"] + sys.argv[2:]:
        kind, _, text = step.partition(":")
        if kind == "TYPE":
            keys = text.replace("^C", "\x03").replace("^Z", "\x1a")
            os.write(terminal, keys.replace("\\n", "\n").encode())
        elif not wait_for(text.encode()):
            print(f"did not come: {text}", file=sys.stderr)
            done = False
            break
    os.close(terminal)
    os.waitpid(pid, 0)
    sys.stdout.write(shown.decode(errors="replace").replace("\r", ""))
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
