"""Checks that the links of documents lead somewhere.

  check_links.py FILE...

A link to a file is relative to the document; what follows `#` is a heading of
it. Links to other hosts are left alone. Exit code 1 and a line for each link
that leads nowhere.
"""

import os
import re
import sys

LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors(path):
    """The anchors of a document's headings, as code hosts make them."""
    with open(path) as file:
        headings = HEADING.findall(file.read())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(path):
    with open(path) as file:
        text = re.sub(r"```.*?```", "", file.read(), flags=re.DOTALL)
    for target in LINK.findall(text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(file):
            yield f"{path}: no file '{target}'"
        elif anchor and anchor not in anchors(file):
            yield f"{path}: no heading '{target}'"


def main():
    broken = [line for path in sys.argv[1:] for line in broken_links(path)]
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
