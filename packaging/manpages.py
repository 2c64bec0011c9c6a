#!/usr/bin/env python3
"""Writes one man page for every command, from the parser's own description.

Usage: fleetkit --experimental-dump-help | manpages.py VERSION FOLDER

The pages are in mdoc, which both groff and mandoc can read. Their date is the one in SOURCE_DATE_EPOCH (1970-01-01
without it), so the same help gives the same bytes. The help's discussion is split at its headings: a line of capitals
alone begins a section, and the indented lines below it belong to the section; everything else is description. A line
that is indented further continues the line above: the command if that line ends in a backslash, otherwise its meaning.
"""

import json
import os
import re
import sys
import time

HEADING = re.compile(r"[A-Z][A-Z ]+")
OPTION_IN_PROSE = re.compile(r"(?<!\w)--?[a-z][\w-]*")
# Commands that the parser adds, which a reader does not need.
HIDDEN_COMMANDS = {"help"}


def escaped(text, command=False):
    """Escapes text for roff. In commands, every hyphen becomes a minus, so that it can be copied and searched."""
    text = text.replace("\\", "\\e")
    if command:
        text = text.replace("-", "\\-")
    else:
        text = OPTION_IN_PROSE.sub(lambda found: found[0].replace("-", "\\-"), text)
    for character, name in (("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(character, name)
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith(".") else text


def word(text):
    """Returns one argument of a macro. `\\&` keeps mdoc from reading a short word as the name of another macro."""
    text = escaped(text, command=True).replace('"', "\\(dq")
    if re.fullmatch(r"[A-Z%]?[A-Za-z]{1,2}|[^\w\\]", text):
        text = "\\&" + text
    return f'"{text}"' if " " in text else text


def prose(paragraph):
    """Returns the lines of a paragraph, one per sentence, as mdoc requires."""
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z(\d])", " ".join(paragraph.split()))
    return [escaped(sentence) for sentence in sentences if sentence]


class Discussion:
    """A discussion, split into the paragraphs of the description and the lines below each heading."""

    def __init__(self, text):
        self.description, self.sections, heading, paragraph = [], {}, None, []
        for line in (text or "").split("\n") + [""]:
            if HEADING.fullmatch(line):
                heading = line
                self.sections[heading] = []
            elif heading and (line.startswith(" ") or not line):
                entries = self.sections[heading]
                if entries and line.startswith("    "):
                    above, more = entries[-1], line.strip()
                    entries[-1] = above[:-1] + more if above.endswith(" \\") else above + "  " + more
                elif line:
                    entries.append(line.strip())
            else:
                # A line that is not indented ends the section: the following lines are description again.
                heading = None
                if line:
                    paragraph.append(line)
            if (heading or not line) and paragraph:
                self.description.append(" ".join(paragraph))
                paragraph = []


class Command:
    """A command as the parser describes it, with everything that its page needs."""

    def __init__(self, description, parents=()):
        self.words = [*parents, description["commandName"]]
        self.abstract = description.get("abstract", "")
        self.discussion = Discussion(description.get("discussion"))
        self.arguments = [a for a in description.get("arguments", []) if a.get("shouldDisplay", True)]
        self.commands = [
            Command(c, self.words)
            for c in description.get("subcommands", [])
            if c.get("shouldDisplay", True) and c["commandName"] not in HIDDEN_COMMANDS
        ]

    @property
    def page(self):
        """The name of the page, such as fleetkit-convert."""
        return "-".join(self.words)

    def all(self):
        """Returns the command and all its subcommands."""
        return [self, *(inner for command in self.commands for inner in command.all())]


def flags(argument, divider):
    """Returns the spellings of an option, the short name first. mdoc's Fl writes one hyphen itself."""
    names = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    return divider.join("Fl " + (word("-" + n["name"]) if n["kind"] == "long" else word(n["name"])) for n in names)


def usage(argument):
    """Returns one line of the synopsis."""
    value = "" if argument["kind"] == "flag" else "Ar " + word(argument["valueName"])
    text = value if argument["kind"] == "positional" else (flags(argument, " | ") + " " + value).strip()
    repeating = argument.get("isRepeating") and argument["kind"] != "flag"
    if not argument.get("isOptional"):
        return "." + text + (" ..." if repeating else "")
    return f".Oo {text} Oc ..." if repeating else f".Op {text}"


def synopsis(command):
    """Returns the form of a command line: options, then arguments in their order."""
    lines = [".Nm " + word(" ".join(command.words))]
    positional = [a for a in command.arguments if a["kind"] == "positional"]
    for argument in [a for a in command.arguments if a["kind"] != "positional"] + positional:
        lines.append(usage(argument))
    if command.commands:
        lines.append(".Ar command ...")
    return lines


def explained(argument):
    """Returns the entry for an argument or option, with its meaning."""
    head = [] if argument["kind"] == "positional" else [flags(argument, " , ")]
    if argument["kind"] != "flag":
        head.append("Ar " + word(argument["valueName"]))
    lines = [".It " + " ".join(head)]
    lines += prose(argument.get("abstract", "")) + prose(argument.get("discussion", "") or "")
    choices, default = argument.get("allValues"), argument.get("defaultValue")
    if choices:
        lines += prose("One of: " + ", ".join(choices) + ".")
    if default and argument["kind"] != "flag":
        lines += prose(f"The default is {default}.")
    if argument.get("isRepeating") and argument["kind"] == "option":
        lines.append("May be given more than once.")
    return lines


def options(command):
    """Returns the options, below the same headings as in the help."""
    lines, groups = [], {}
    for argument in command.arguments:
        title = argument.get("sectionTitle") or ("Arguments" if argument["kind"] == "positional" else "Options")
        groups.setdefault(title, []).append(argument)
    for title, arguments in groups.items():
        if len(groups) > 1:
            lines.append(".Ss " + word(title))
        lines.append(".Bl -tag -width Ds")
        for argument in arguments:
            lines += explained(argument)
        lines.append(".El")
    return lines


def statuses(root):
    """Returns every exit status with its meaning. The top command's help lists them, one per line."""
    lines = [".Bl -tag -width Ds"]
    for entry in root.discussion.sections.get("EXIT STATUS", []):
        number, _, meaning = entry.partition(" ")
        meaning = meaning.strip()
        if not number.isdigit() or not meaning:
            sys.exit(f"manpages.py: cannot read the exit status {entry!r} in the help of {root.page}")
        lines += [f".It {number}", *prose(meaning[0].upper() + meaning[1:] + ".")]
    return lines + [".El"]


def examples(command):
    """Returns the example commands with their meanings, which are separated by two or more spaces in the help."""
    lines = [".Bl -tag -width Ds"]
    for example in command.discussion.sections.get("EXAMPLES", []):
        line, _, meaning = (part.strip() for part in re.match(r"(.*?)(\s{2,}|$)(.*)", example).groups())
        lines += [".It Li " + word(line), *prose(meaning)]
    return lines + [".El"] if len(lines) > 1 else []


def see_also(command, root):
    """Returns references to the pages of all other commands."""
    others = sorted(other.page for other in root.all() if other is not command)
    return [f".Xr {page} 1" + (" ," if page != others[-1] else "") for page in others]


def page(command, root, version, date):
    """Returns one page in mdoc."""
    abstract = command.abstract.rstrip(".")
    if abstract[1:2].islower():
        abstract = abstract[0].lower() + abstract[1:]
    lines = [
        '.\\" Made from the help of fleetkit; change that instead.',
        f".Dd {date}",
        f".Dt {command.page.upper()} 1",
        f".Os FleetKit {version}",
        ".Sh NAME",
        f".Nm {command.page}",
        f".Nd {escaped(abstract)}",
        ".Sh SYNOPSIS",
        *synopsis(command),
        ".Sh DESCRIPTION",
    ]
    for index, paragraph in enumerate(command.discussion.description or [command.abstract]):
        lines += ([".Pp"] if index else []) + prose(paragraph)
    lines += [".Sh OPTIONS", *options(command)]
    if command.commands:
        lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
        for inner in command.commands:
            lines += [f".It Xr {inner.page} 1", *prose(inner.abstract)]
        lines += [".El"]
    lines += [".Sh EXIT STATUS", *statuses(root)]
    shown = examples(command)
    if shown:
        lines += [".Sh EXAMPLES", *shown]
    return "\n".join(lines + [".Sh SEE ALSO", *see_also(command, root)]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit("Usage: fleetkit --experimental-dump-help | manpages.py VERSION FOLDER")
    version, folder = sys.argv[1:]
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    # strftime is not used, because its month names depend on the locale.
    months = "January February March April May June July August September October November December".split()
    date = f"{months[moment.tm_mon - 1]} {moment.tm_mday}, {moment.tm_year}"
    root = Command(json.load(sys.stdin)["command"])
    os.makedirs(folder, exist_ok=True)
    for command in root.all():
        with open(os.path.join(folder, command.page + ".1"), "w", encoding="ascii", newline="\n") as file:
            file.write(page(command, root, version, date))


if __name__ == "__main__":
    main()
