"""Print the lines of an exposition on stdin in order, labels in order too."""
import re
import sys

LABEL = re.compile(r'([^{,=]+)="((?:[^"\\]|\\.)*)"')


def tidy(line):
    match = re.match(r"([^#{]\S*?)\{(.*)\} (\S+)$", line)
    if not match:
        return line
    labels = ",".join(f'{k}="{v}"' for k, v in sorted(LABEL.findall(match[2])))
    return f"{match[1]}{{{labels}}} {match[3]}"


print("\n".join(sorted(tidy(line) for line in sys.stdin.read().split("\n"))))
