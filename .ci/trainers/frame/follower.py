"""Follows a log with the real program in a terminal of its own, as a person would, and then presses q.

    screen = follower.Following(proof, folder)
    …                                    # the log grows
    screen.check(case, last_step=20)     # waits until the screen is there, quits, and judges

The terminal is read by a process of its own (this file as a program), so it goes on while a trainer computes.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

LINES, COLUMNS = 36, 120
PATIENCE = 20  # seconds until the screen must have come to the last step


class Following:
    def __init__(self, proof, path):
        command = [sys.executable, __file__, proof.program, "--wait", str(path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=proof.environment())

    def check(self, case, last_step):
        """Fails the case unless the screen came to the last step, and q gave the terminal back."""
        out, _ = self.process.communicate(f"{last_step}\n")
        seen = json.loads(out)
        if last_step not in seen["steps"]:
            case.fail(f"the screen that followed the log did not come to step {last_step}: it showed {seen['steps']}\n" + seen["screen"])
        if len(seen["steps"]) < 2 < last_step // 3:
            case.fail(f"the screen that followed the log did not move: it showed step {seen['steps']} alone")
        if seen["exit"] != 0:
            case.fail(f"the program that followed the log ended with {seen['exit']} after q")
        if not seen["restored"]:
            case.fail("q did not give the terminal back as it was")


def main():
    import pyte  # here, since only this process draws

    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    leader, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (LINES, COLUMNS))
    before = termios.tcgetattr(terminal)
    program = subprocess.Popen(
        sys.argv[1:], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True, env={**os.environ, "TERM": "xterm-256color"}
    )
    steps, written, last, until = [], b"", None, None
    while program.poll() is None:
        ready, _, _ = select.select([leader, sys.stdin] if last is None else [leader], [], [], 0.1)
        if leader in ready:
            bytes_ = os.read(leader, 65536)
            written = (written + bytes_)[-65536:]
            stream.feed(bytes_)
            note_step(screen, steps)
        if sys.stdin in ready:
            asked = sys.stdin.readline()
            last, until = int(asked or 0), time.time() + PATIENCE * bool(asked)  # nothing: who asks has died
        if until and (last in steps or time.time() > until):
            break
    shown = "\n".join(screen.display)
    os.write(leader, b"q")
    written += drain(program, leader)
    # The alternate screen is left and the cursor shown, each after it was last entered or hidden.
    restored = (
        written.rfind(b"\x1b[?1049l") > written.rfind(b"\x1b[?1049h")
        and written.rfind(b"\x1b[?25h") > written.rfind(b"\x1b[?25l")
        and termios.tcgetattr(terminal) == before
    )
    json.dump({"steps": steps, "exit": program.returncode, "restored": restored, "screen": shown}, sys.stdout)


def note_step(screen, steps):
    """The second line of the screen begins with the step that it shows."""
    for line in screen.display[:3]:
        found = re.match(r"\s*step (\d+)\b", line)
        if found and int(found[1]) not in steps:
            steps.append(int(found[1]))


def drain(program, leader):
    """What the program writes until it ends."""
    written, until = b"", time.time() + 5
    while time.time() < until:
        if select.select([leader], [], [], 0.05)[0]:
            written += os.read(leader, 65536)
        elif program.poll() is not None:
            return written
    os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    return written


if __name__ == "__main__":
    main()
