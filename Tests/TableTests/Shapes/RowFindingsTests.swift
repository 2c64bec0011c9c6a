import Content
import Interchange
import Testing

/// Findings about rows whose result would otherwise not be what the author meant.
@Suite struct RowFindingsTests {
  private func places(_ read: ReadTables, _ code: String) -> [String] {
    read.context.findings.kept.filter { $0.code.name == code }.map { finding in
      finding.place.line.map { "\($0):\((finding.place.column ?? 1) / 100)" } ?? finding.place.file
    }
  }

  @Test func aRepeatedHeaderIsNoRow() throws {
    let read = try ReadTables(
      "checklist | item | minutes\nA | One | 1\n | Two | 2\nchecklist | item | minutes\n | Three | 3\nchecklist | item | 4"
    )
    // A row that only begins like the header is data.
    #expect(try read.outline == ["A: A[One, Two, Three]", "checklist: checklist[item]"])
    #expect(places(read, "repeated-header") == ["4:0"])
    #expect(read.rejected.isEmpty)
  }

  @Test func aRepeatedHeaderIsSaidOnceInScatteredTables() throws {
    let read = try ReadTables("checklist | item\nA | One\nB | Two\nchecklist | item\nA | Three")
    #expect(try read.outline == ["A: A[One, Three]", "B: B[Two]"])
    #expect(places(read, "repeated-header") == ["4:0"])
  }

  @Test func aCatalogueHasNoHeaderInItEither() throws {
    let read = try ReadTables("title | document\nA | Text\ntitle | document\nB | Text")
    #expect(read.records.count == 2)
    #expect(places(read, "repeated-header") == ["3:0"])
  }

  @Test(arguments: ["checklist | item", "front | back", "title | document", "item\nitem"])
  func aTableWithoutRowsSaysSo(_ text: String) throws {
    let read = try ReadTables(text)
    #expect(read.records.isEmpty)
    #expect(places(read, "table-without-rows") == ["steps.csv"])
  }

  @Test func aTableWithRowsDoesNotSaySo() throws {
    #expect(try ReadTables("item\n!broken").codes == ["unusable-row"])
    #expect(try ReadTables("item\nA").codes.isEmpty)
  }

  @Test func aKeyThatIsNotUniqueSplitsNothing() throws {
    let read = try ReadTables("No | item\n1 | A\n2 | B\n2 | C\n3 | D") { $0.key = "No" }
    #expect(try read.outline == ["steps: steps[A, B, C, D]"])
    #expect(places(read, "repeated-key") == ["4:0"])
  }

  @Test func aKeyThatIsTheSameEverywhereJoinsNothing() throws {
    let read = try ReadTables("checklist | No | item\nA | 1 | a\nA | 1 | b\nB | 1 | c\nB | 1 | d") { $0.key = "No" }
    #expect(try read.outline == ["A: A[a, b]", "B: B[c, d]"])
    #expect(places(read, "repeated-key") == ["3:1", "5:1"])
  }

  @Test func aKeyOfACatalogueIsLookedAtToo() throws {
    let read = try ReadTables("title | document | No\nA | Text | 1\nB | Text | 1\nC | Text |\nC | Text |") {
      $0.key = "No"
    }
    #expect(read.records.count == 4)
    #expect(places(read, "repeated-key") == ["3:2"])
  }

  @Test(arguments: ["-1", "-5 min", "100001", "1700 h", "99999999999"])
  func minutesThatCannotBeAreRejected(_ text: String) throws {
    let read = try ReadTables("item | minutes\nA | \(text)\nB | 100000\nC | 0\nD | 999:59")
    #expect(try read.outline == ["steps: steps[B, C, D]"])
    #expect(places(read, "cell-value") == ["2:1"])
  }

  @Test func whatIsNearlyAUUIDIsSaid() throws {
    let id = "98A0B7C6-0000-4000-8000-0000000000"
    let read = try ReadTables(
      """
      id | section_id | section | item
      {\(id)01} | Deck | Deck | A
      \(id.replacing("-", with: ""))02 | {\(id)05} | Below | B
      urn:uuid:\(id)03 | Deck | Deck | C
      Anchor-and-chain-of-the-port-side | Deck | Deck | D
      00000000000000000000000000000017 | Deck | Deck | E
      \(id)04 | Deck | Deck | F
      """)
    #expect(read.rejected.isEmpty)
    #expect(places(read, "nearly-id") == ["2:0", "steps.csv"])
    #expect(read.context.findings.kept.last { $0.code == .nearlyID }?.message.contains(/\b3\b/) == true)
  }

  @Test func oneThatIsNearlyAUUIDIsSaidOnce() throws {
    let id = "{98A0B7C6-0000-4000-8000-000000000001}"
    #expect(
      places(try ReadTables("checklist_id | checklist | item\n\(id) | A | a\n\(id) | A | b"), "nearly-id") == ["2:0"])
    #expect(places(try ReadTables("id | title | document\n\(id) | A | a\n17 | A | b"), "nearly-id") == ["2:0"])
  }

  @Test func aGuideWithoutATextIsSaid() throws {
    let read = try ReadTables("title | type | document\nA | guide |\nB | guide | Text\nC | |")
    #expect(places(read, "empty-guide") == ["2:2"])
  }
}
