import DelimitedText
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// Python's csv module reads our output, and we read its output.
@Suite(.enabled(if: Shell.has("python3"), Judges.reason)) struct DelimitedJudgeTests {
  /// A script that writes random tables as `N.csv` in every dialect of the module, and their content as `N.json`.
  private static let writer = """
    import csv, json, random, sys
    random.seed(4180)
    for number in range(300):
        end = random.choice(["\\n", "\\r\\n", "\\r"])
        quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        breaks = [end] if quoting == csv.QUOTE_MINIMAL else ["\\n", "\\r", "\\r\\n"]
        pieces = ["a", "b c", " ", "007", "ж", "😀", '"', '""', ",", ";", "\\t", "|", "=", "-", "é"] + breaks
        delimiter = random.choice([",", ";", "\\t", "|"])
        table = [["x" + "".join(random.choices(pieces, k=random.randrange(7))) for _ in range(random.randrange(1, 6))]
                 for _ in range(random.randrange(1, 30))]
        with open(f"{sys.argv[1]}/{number}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
        with open(f"{sys.argv[1]}/{number}.json", "w", encoding="utf-8") as file:
            json.dump({"delimiter": delimiter, "end": end, "table": table}, file)
    """

  @Test func whatPythonWritesIsRead() throws {
    let scratch = Scratch()
    let answer = try Shell.run("python3", ["-c", Self.writer, scratch.path])
    #expect(answer.status == 0, "\(answer.errors)")
    var cells = 0
    for number in 0..<300 {
      let said = try JSONDocument(parsing: scratch.text("\(number).json")).root
      let table = said["table"]?.elements.map { $0.elements.map { $0.string ?? "" } } ?? []
      let dialect = DelimitedDialect(
        delimiter: try #require(said["delimiter"]?.string?.utf8.first),
        lineEnd: Array(try #require(said["end"]?.string).utf8))
      let source = try DelimitedSource(Source(scratch["\(number).csv"]), dialect: dialect)
      let read = try ReadTable(source)
      #expect(read.rows == table, "table \(number)")
      #expect(read.problems == [])
      cells += table.joined().count
    }
    #expect(cells > 5_000)
  }

  private static let reader = """
    import csv, json, sys
    rows = []
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        for row in csv.reader(file, delimiter=sys.argv[2], strict=True): rows.append(row)
    json.dump(rows, sys.stdout)
    """

  @Test func whatWeWriteIsReadByPython() throws {
    var random = SeededRandom(seed: 7)
    let scratch = Scratch()
    let pieces = ["\r", "\n", "\r\n", "\"", ",", ";", "|", "\t", " ", "a", "ж", "😀", "", "=", "'"]
    for (delimiter, end) in [(",", "\n"), (";", "\r\n"), ("\t", "\n"), ("|", "\r\n")] {
      let table = (0..<200).map { _ in
        (0..<1 + random.below(6)).map { _ in (0..<random.below(7)).map { _ in random.pick(pieces) }.joined() }
      }
      let dialect = DelimitedDialect(delimiter: delimiter.utf8.first ?? 0, lineEnd: Array(end.utf8))
      let bytes = delimited(table, dialect, escapesFormulas: false)
      try Data(bytes).write(to: URL(fileURLWithPath: scratch["ours.csv"]))
      let answer = try Shell.run("python3", ["-c", Self.reader, scratch["ours.csv"], delimiter])
      #expect(answer.status == 0, "\(answer.errors)")
      let read = try JSONDocument(parsing: answer.output).root.elements.map { $0.elements.map { $0.string ?? "" } }
      #expect(read.map { $0.map { Array($0.utf8) } } == table.map { $0.map { Array($0.utf8) } })
    }
  }
}
