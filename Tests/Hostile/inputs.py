"""Makes files that are cheap to write but could be expensive to read, each with about a given number of bytes."""

import io
import os
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

UUID = "00000000-0000-4000-8000-%012d"


def repeat(unit, size):
    return unit * max(1, size // len(unit.encode()))


def numbered(form, size):
    """Returns `form % 0`, `form % 1`, … until there are `size` bytes."""
    parts, length, number = [], 0, 0
    while length < size:
        parts.append(form % number)
        length += len(parts[-1])
        number += 1
    return parts


# Markdown: units that are repeated after a title.
NOTES = {
    "images": "![[]()", "instructions": "<?", "declarations": "<!A", "cdata": "<![CDATA[", "quotes": "> " * 40 + "a\n",
    "list": "- a\n", "tasks": "- [ ] a\n", "headings": "# a\n", "references": "[a]: b\n[a]", "brackets": "[",
    "emphasis": "*a _b", "backticks": "`", "table": "|a|b|\n|-|-|\n", "pipes": "|", "marks": "\u0301\u0323",
    "decomposed": "\u0438\u0306", "blank": "\n", "tabs": "\t", "zeros": "\0", "wikilinks": "[[a]] ", "tags": "#a ",
    "fences": "```\n", "embeds": "![[a.png]] ", "cards": "q :: a\n", "questions": "Q: a\nA: b\n",
    "cloze": "{{c1::a}} ", "rules": "---\n", "conflicts": "<<<<<<< a\n=======\n>>>>>>> b\n",
}


def note(name, size):
    if name == "nested":
        return "# T\n\n" + "".join("  " * level + "- a\n" for level in range(int(size**0.5)))
    if name == "front-keys":
        return "---\n" + "".join(numbered("k%d: v\n", size)) + "---\n# a\n"
    if name == "front-tags":
        return "---\ntags:\n" + repeat("- a\n", size) + "---\n# a\n- [ ] x\n"
    return "# T\n\n" + repeat(NOTES[name], size)


TABLES = {
    "open": lambda n: "checklist,step\n" + repeat('"a\n', n),
    "quotes": lambda n: "checklist,step\n" + repeat('a,"b\n', n),
    "rows": lambda n: "checklist,step\n" + repeat("A,b\n", n),
    "checklists": lambda n: "checklist,step\n" + "".join(numbered("%d,b\n", n)),
    "columns": lambda n: ",".join(numbered("c%d", n)) + "\na\n",
    "commas": lambda n: "checklist,step\n" + repeat(",", n),
    "wrong": lambda n: "checklist,step,minutes\n" + repeat("A,b,x\n", n),
    "long-title": lambda n: "checklist,step,minutes\n" + "T" * (n // 2) + ",a,1\n" + repeat(",b,x\n", n // 2),
    "marks": lambda n: "checklist,step\nA," + repeat("\u0301\u0323", n) + "\n",
    "cards": lambda n: "front,back\n" + repeat("q,a\n", n),
    "no-front": lambda n: "front,back\n" + repeat(",a\n", n),
    "zeros": lambda n: "checklist,step\n" + repeat("\0\n", n),
}


def flat(members):
    """Returns an item in the short form, in which the members of the document are in the record itself."""
    return '[{"id":"%s","type":"practice_guide","title":"T","markdown":"x",%s}]' % (UUID % 1, members)


def item(kind, document):
    return '[{"content_type":"%s","id":"%s","title":"T","content_data":%s}]' % (kind, UUID % 1, document)


def steps(step, size):
    return item("checklist", '{"sections":[{"title":"S","items":[' + repeat(step + ",", size) + step + "]}]}")


def sections(section, size):
    return item("checklist", '{"sections":[' + repeat(section + ",", size) + section + "]}")


def cards(card, size):
    return item("flashcard_deck", '{"cards":[' + repeat(card + ",", size) + card + "]}")


GUIDE = '{"id":"%s","type":"practice_guide","title":"T","markdown":"x"}'
DOCUMENTS = {
    "steps-empty": lambda n: steps("{}", n),
    "steps-short": lambda n: steps('{"title":"a"}', n),
    "steps-escaped": lambda n: steps('{"title":"\\n"}', n),
    "steps-numbers": lambda n: steps("0", n),
    "steps-ids": lambda n: steps('{"id":"%s","title":"a"}' % (UUID % 3), n),
    "sections-empty": lambda n: sections("{}", n),
    "sections-short": lambda n: sections('{"title":"a"}', n),
    "cards-empty": lambda n: cards("{}", n),
    "cards-short": lambda n: cards('{"front":"a","back":"b"}', n),
    "document-tags": lambda n: item("checklist", '{"tags":[' + repeat('"a",', n) + '"b"],"sections":[]}'),
    "document-members": lambda n: item("checklist", '{"sections":[],' + ",".join(numbered('"k%d":1', n)) + "}"),
    "members": lambda n: flat(",".join(numbered('"k%d":1', n))),
    "member-twice": lambda n: flat(repeat('"a":1,', n) + '"b":1'),
    "tags": lambda n: flat('"tags":[' + repeat('"a",', n) + '"b"]'),
    "tags-different": lambda n: flat('"tags":[' + ",".join(numbered('"%x"', n)) + "]"),
    "numbers": lambda n: "[" + repeat("0,", n) + "0]",
    "objects": lambda n: "[" + repeat("{},", n) + "{}]",
    "deep": lambda n: "[" * n,
    "guides": lambda n: "[" + ",".join(GUIDE % (UUID % i) for i in range(n // 90)) + "]",
    "same-id": lambda n: "[" + ",".join([GUIDE % (UUID % 1)] * (n // 90)) + "]",
    "marks": lambda n: flat('"markdown2":"%s"' % repeat("\u0301\u0323", n)),
    "short-marks": lambda n: flat('"markdown2":"%s"' % repeat("\u0301\u0323" * 100 + "a", n)),
    "comments": lambda n: "[" + repeat("/**/", n) + "]",
}

LINES = {"broken": lambda n: repeat("{\n", n), "empty": lambda n: repeat("{}\n", n)}

CONFIGURATIONS = {
    "rules": lambda n: "rules:\n" + "".join(numbered("  rul%d: error\n", n)),
    "aliases": lambda n: "a: &a [x]\n" + repeat("b: [*a]\n", n),
}

NAMESPACE = "http://schemas.openxmlformats.org/"


def workbook(shared, sheet):
    main, relations = NAMESPACE + "spreadsheetml/2006/main", NAMESPACE + "officeDocument/2006/relationships"
    types = {"workbook": "sheet.main", "worksheets/sheet1": "worksheet", "sharedStrings": "sharedStrings"}
    overrides = "".join(
        '<Override PartName="/xl/%s.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.%s+xml"/>'
        % pair for pair in types.items())
    package = NAMESPACE + "package/2006/"
    parts = {
        "[Content_Types].xml": '<Types xmlns="%scontent-types"><Default Extension="rels" ContentType="application/vnd.'
        'openxmlformats-package.relationships+xml"/>%s</Types>' % (package, overrides),
        "_rels/.rels": '<Relationships xmlns="%srelationships"><Relationship Id="rId1" Type="%s/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>' % (package, relations),
        "xl/workbook.xml": '<workbook xmlns="%s" xmlns:r="%s"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets>'
        "</workbook>" % (main, relations),
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="%srelationships"><Relationship Id="rId1" Type="%s/worksheet" '
        'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="%s/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>" % (package, relations, relations),
        "xl/sharedStrings.xml": '<sst xmlns="%s">%s</sst>'
        % (main, "".join("<si><t>%s</t></si>" % text for text in shared)),
        "xl/worksheets/sheet1.xml": '<worksheet xmlns="%s">%s</worksheet>' % (main, sheet),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def rows(count, first=(0, 1), other=(2, 2)):
    def row(number):
        cells = first if number == 1 else other
        return '<row r="%d">%s</row>' % (number, "".join(
            '<c r="%s%d" t="s"><v>%d</v></c>' % (column, number, text) for column, text in zip("AB", cells)))

    return "<sheetData>" + "".join(map(row, range(1, count + 1))) + "</sheetData>"


HEADER = ["checklist", "step", "x"]
WORKBOOKS = {
    "shared-text": lambda n: workbook(["T" * (n // 2)], rows(n // 160, (0, 0), (0, 0))),
    "many-texts": lambda n: workbook(["a"] * (n // 16), rows(2)),
    "empty-texts": lambda n: workbook([""] * (n // 16), rows(2)),
    "merged": lambda n: workbook(HEADER, rows(3) + "<mergeCells>" + "".join(
        '<mergeCell ref="A%d:B%d"/>' % (i, i + 1) for i in range(2, n // 30)) + "</mergeCells>"),
    "merged-all": lambda n: workbook(
        HEADER, rows(3) + '<mergeCells><mergeCell ref="A2:XFD1048576"/></mergeCells>'),
    "rows": lambda n: workbook(HEADER, rows(n // 80)),
    "wide": lambda n: workbook(HEADER, "<sheetData><row>" + "<c><v>1</v></c>" * (n // 16) + "</row></sheetData>"),
    "sparse": lambda n: workbook(["a"], "<sheetData>" + "".join(
        '<row r="%d"><c r="XFD%d" t="s"><v>0</v></c></row>' % (i, i) for i in range(1, n // 60)) + "</sheetData>"),
}


def archive(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as files:
        for number in range(size // 110):
            files.writestr("a%d.md" % number, "")
    return out.getvalue()


LIBRARY = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../Fixtures/libraries/library-v2.2.0.sqlite")
TIME = "2025-12-17 10:02:20.795"


def image(rows, more=""):
    """Returns a library with the given rows, each as (table, {column: value})."""
    handle, path = tempfile.mkstemp(suffix=".sqlite")
    os.close(handle)
    try:
        with open(LIBRARY, "rb") as source, open(path, "wb") as target:
            target.write(source.read())
        library = sqlite3.connect(path, isolation_level=None)
        tables = (
            "sync_queue", "checklistExecutionStates", "charters", "checklists", "practice_guides", "library_content")
        library.executescript(
            "PRAGMA journal_mode = DELETE; BEGIN;" + "".join("DELETE FROM %s;" % table for table in tables) + more
            + "COMMIT;")
        library.execute("BEGIN")
        for table, values in rows:
            library.execute("INSERT INTO %s (%s) VALUES (%s)" % (
                table, ", ".join(values), ", ".join("?" * len(values))), list(values.values()))
        library.execute("COMMIT")
        library.execute("VACUUM")
        library.close()
        with open(path, "rb") as file:
            return file.read()
    finally:
        os.unlink(path)


def row(table, number=1, **values):
    times = {"updatedAt" if table != "checklistExecutionStates" else "lastUpdated": TIME}
    return table, {"id": UUID % number if isinstance(number, int) else number, "createdAt": TIME, **times, **values}


def listed(number=1, type="checklist", **values):
    return row("library_content", number, **{"title": "T", "type": type, **values})


def checklist(content, number=1, title="T", **values):
    return [listed(number, title=title), row("checklists", number, title=title, content=content, **values)]


def content(step, size):
    return image(checklist('[{"title":"S","items":[' + repeat(step + ",", size) + step + "]}]"))


def ticks(states):
    charter = row("charters", 2, name="C", startDate=TIME, endDate=TIME)
    execution = row("checklistExecutionStates", 3, checklistID=UUID % 1, charterID=UUID % 2, itemStates=states)
    return image([*checklist("[]"), charter, execution])


def queued(payload):
    operation = ("sync_queue", {
        "contentID": UUID % 1, "operation": "publish", "visibilityState": "public", "payload": payload, "createdAt": TIME})
    return image([*checklist("[]"), operation])


IMAGES = {
    "steps-empty": lambda n: content("{}", n),
    "steps-short": lambda n: content('{"title":"a"}', n),
    "steps-text": lambda n: content('"a"', n),
    "steps-numbers": lambda n: content("0", n),
    "steps-ids": lambda n: content('{"id":"%s","title":"a"}' % (UUID % 3), n),
    "sections-empty": lambda n: image(checklist("[" + repeat("{},", n) + "{}]")),
    "content-broken": lambda n: image(checklist('[{"items":[' + repeat('{"title":"a"},', n))),
    "content-quotes": lambda n: image(checklist(
        '[{"title":"S","items":[' + repeat('{"title":"a,"sortOrder":1},', n) + '{"title":"z"}]}]')),
    "content-junk": lambda n: image(checklist('[{"title":"S","items":[' + repeat('{"title":"a"@#!}x{},', n) + ']}]')),
    "content-deep": lambda n: image(checklist("[" * n)),
    "content-twice": lambda n: image(checklist('"[' + repeat('{},', n) + '{}]"')),
    "content-object": lambda n: image(checklist('{"items":[' + repeat("{},", n) + "{}]}")),
    "content-blob": lambda n: image(checklist(b"\xff" * n)),
    "members": lambda n: image(checklist("[{" + ",".join(numbered('"k%d":1', n)) + "}]")),
    "long-title": lambda n: image(checklist('[{"items":[' + repeat("0,", n // 2) + "0]}]", title="T" * (n // 4))),
    "many-contents": lambda n: image(
        [pair for i in range(n // 50000) for pair in checklist("[" + repeat("{},", 50000) + "{}]", i)]),
    "broken-contents": lambda n: image([pair for i in range(n // 300) for pair in checklist("[", i)]),
    "tags-list": lambda n: image(checklist("[]", tags="[" + repeat('"a",', n) + '"b"]')),
    "tags-text": lambda n: image(checklist("[]", tags=repeat("a,", n))),
    "ticks": lambda n: ticks("{" + ",".join(numbered('"%d":{}', n)) + "}"),
    "ticks-wrong": lambda n: ticks("{" + ",".join(numbered('"%x":1', n)) + "}"),
    "payload": lambda n: queued("{" + ",".join(numbered('"k%d":1', n)) + "}"),
    "payload-steps": lambda n: queued('{"content_data":{"sections":[{"items":[' + repeat("{},", n) + "{}]}]}}"),
    "dates": lambda n: image([listed(i, createdAt="x") for i in range(n // 300)]),
    "guide": lambda n: image([
        listed(type="practice_guide"), row("practice_guides", title="T", markdown="# a\n" * (n // 4))]),
    "guide-marks": lambda n: image([
        listed(type="practice_guide"), row("practice_guides", title="T", markdown="\u0301\u0323" * (n // 4))]),
    "ids": lambda n: image([listed("x" * (n // 3) + str(i)) for i in range(2)]),
    "ids-marks": lambda n: image([listed("\u0301\u0323" * (n // 8) + str(i)) for i in range(2)]),
    "tags-marks": lambda n: image(checklist("[]", tags="\u0301\u0323" * (n // 4))),
    "marks-of-execution": lambda n: image([
        *checklist("[]"), row("checklistExecutionStates", 3, checklistID="\u0301\u0323" * (n // 8), charterID="\u0323\u0301" * (n // 8))]),
    "columns": lambda n: image(checklist("[]"), "".join(
        'ALTER TABLE charters ADD COLUMN "k%d" TEXT;' % i for i in range(1000))),
    "tables": lambda n: image(checklist("[]"), "".join(
        "CREATE TABLE t%d (a); INSERT INTO t%d VALUES (1);" % (i, i) for i in range(n >> 13))),
    "table-rows": lambda n: image(checklist("[]"), "CREATE TABLE t (a); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL"
        " SELECT x + 1 FROM c WHERE x < %d) INSERT INTO t SELECT x FROM c;" % (n // 12)),
}

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../RecoveryTests/Pages/Scripts/hostile.py")


def pages(name, size):
    """Returns a database whose trees, chains or free pages are constructed to take a long time."""
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        subprocess.run(
            [sys.executable, PAGES, name, "4096", str(max(1, size >> 20)), file.name, "8"], check=True)
        return file.read()


# For each kind: the name of the file, the names of the inputs, and the function that makes an input.
KINDS = {
    "note": ("in.md", [*NOTES, "nested", "front-keys", "front-tags"], note),
    "table": ("in.csv", list(TABLES), lambda name, size: TABLES[name](size)),
    "workbook": ("in.xlsx", list(WORKBOOKS), lambda name, size: WORKBOOKS[name](size)),
    "document": ("in.json", list(DOCUMENTS), lambda name, size: DOCUMENTS[name](size)),
    "lines": ("in.jsonl", list(LINES), lambda name, size: LINES[name](size)),
    "configuration": ("in.yml", list(CONFIGURATIONS), lambda name, size: CONFIGURATIONS[name](size)),
    "image": ("in.sqlite", list(IMAGES), lambda name, size: IMAGES[name](size)),
    "pages": ("in.sqlite", ["samechild", "chains", "freeloop", "overlap", "search", "deep"], pages),
    "archive": ("in.zip", ["notes"], lambda name, size: archive(size)),
}


def write(kind, name, size, path):
    content = KINDS[kind][2](name, size)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
