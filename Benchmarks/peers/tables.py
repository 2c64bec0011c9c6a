"""Writes the tables for the benchmarks, and reads a workbook with openpyxl.

Usage: tables.py csv ROWS FILE | xlsx ROWS FILE | xlsx-shared ROWS FILE | read FILE
"""

import csv
import random
import sys

HEADER = "checklist,section,item,required,minutes,tags,details".split(",")
VERBS = "Check Open Close Secure Test Inspect Stow Rig Start Drain".split()
THINGS = (
    "sea cock,bilge pump,engine oil,coolant,port spring,starboard shroud,battery switch,VHF radio,life raft,"
    "jackstay,gas locker,anchor windlass"
).split(",")


def rows(count):
    """Yields the steps of checklists, ten per checklist in two sections; the same count gives the same rows."""
    chosen = random.Random(3)
    for number in range(count):
        yield [
            f"Checklist {number // 10:06d}",
            f"Section {number // 5 % 2 + 1}",
            f"{chosen.choice(VERBS)} the {chosen.choice(THINGS)} {number}",
            "yes" if number % 3 == 0 else "",
            number % 7 + 1 if number % 2 else "",
            "engine, safety" if number % 4 == 0 else "",
            "Handle in line with the pipe; look twice." if number % 5 == 0 else "",
        ]


def write_csv(count, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(rows(count))


def write_xlsx(count, path, has_shared_texts=False):
    import xlsxwriter

    # With constant memory, each cell contains its text; otherwise all texts are in one list, as in Excel's files.
    book = xlsxwriter.Workbook(path, {"constant_memory": not has_shared_texts})
    sheet = book.add_worksheet("Steps")
    sheet.write_row(0, 0, HEADER)
    for number, row in enumerate(rows(count), start=1):
        sheet.write_row(number, 0, row)
    book.close()


def read(path):
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)
    cells = 0
    for sheet in book:
        for row in sheet.iter_rows(values_only=True):
            cells += len(row)
    print(cells)


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    else:
        write = {
            "csv": write_csv,
            "xlsx": write_xlsx,
            "xlsx-shared": lambda count, path: write_xlsx(count, path, has_shared_texts=True),
        }
        write[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
