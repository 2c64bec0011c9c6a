import Content
import Diagnostics
import Interchange
import JSONText
import TestSupport
import Testing

@testable import Merging

/// The fifth stage, tested without a database.
@Suite struct StagingAreaTests {
  @Test func changesComeOutAsTheyWentIn() throws {
    let scratch = Scratch()
    let area = StagingArea(in: scratch.path)
    let lines = try (0..<200).map { try StageSupport.line(title: "List \($0)") }
    for (number, line) in lines.enumerated() {
      try StageSupport.incoming(line) { incoming in
        try area.add(
          change: incoming.line, of: incoming, before: number.isMultiple(of: 2) ? "hash \(number)" : nil,
          after: number.isMultiple(of: 3) ? "after" : nil, rows: RowDelta(new: number))
      }
    }
    var number = 0
    try area.drain(changes: .item) { incoming, entry in
      #expect(String(decoding: incoming.line, as: UTF8.self) == lines[number])
      #expect(incoming.node.member("title")?.string == "List \(number)")
      #expect(incoming.place().line == nil && incoming.place().file == "source.jsonl:7")
      #expect(incoming.rows == number && entry.rows == RowDelta(new: number))
      #expect(entry.before == (number.isMultiple(of: 2) ? "hash \(number)" : nil))
      #expect(entry.after == (number.isMultiple(of: 3) ? "after" : nil))
      number += 1
    }
    #expect(number == lines.count)
    // Drained records are removed from the area, and its files have no names.
    try area.drain(changes: .item) { _, _ in #expect(Bool(false)) }
    #expect(scratch.names.isEmpty)
  }

  @Test func recordsThatWaitKeepWhatTheirSourceKnows() throws {
    let area = StagingArea(in: nil)
    let coverage = FieldCoverage(item: ["title"], document: [], section: [], step: ["title"])
    try StageSupport.incoming(try StageSupport.line(), coverage: coverage) { incoming in
      var incoming = incoming
      incoming.rows = 3
      incoming.extent = .mostly
      try area.add(unmatched: incoming)
    }
    let waiting = area.removeUnmatched()
    #expect(area.removeUnmatched().isEmpty)
    var count = 0
    try waiting.drain { entry in
      #expect(entry.rows == RowDelta(new: 3) && entry.isPartial && entry.coverage == 0)
      count += 1
    }
    #expect(count == 1)
  }
}
