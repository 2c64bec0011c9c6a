import Foundation
import TestSupport
import Testing

/// Reject files that a spreadsheet program has saved in its own form.
@Suite struct SavedRejectsTests {
  private static let table = """
    checklist,section,item,minutes,details
    Departure,Deck,Fenders,a while,"up; then in; both, or more"
    Departure,Deck,Lines,5,

    """

  private func rejected(_ table: String = table, name: String = "steps.csv") throws -> (Scratch, path: String) {
    let scratch = Scratch()
    _ = try scratch.write(name, table)
    #expect(try Imported(name, scratch).status == 3)
    return (scratch, try scratch.rejects())
  }

  @Test(arguments: [";", "\t", "|", ","]) func anyDelimiterWillDo(_ delimiter: String) throws {
    let (scratch, path) = try rejected()
    let cells = [
      ["checklist", "section", "item", "minutes", "details"], ["Departure", "Deck", "Fenders", "7", "a; b, c"],
    ]
    let text = cells.map { row in
      row.map { $0.contains(";") ? "\"\($0)\"" : $0 }.joined(separator: delimiter) + "\r\n"
    }
    // Excel adds a byte order mark.
    try ("\u{FEFF}" + text.joined()).write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let retried = try Imported("--retry", path, scratch)
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(try LostRowsTests.outline(scratch) == ["Departure: Deck[Fenders|Lines]"])
  }

  @Test func aTableOfOneColumnKeepsItsDelimiter() throws {
    let (scratch, path) = try rejected("item\nFenders up\n\"open\nLines\n")
    try "item\nOpen; the; hatch\n".write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let retried = try Imported("--retry", path, scratch)
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(
      try LostRowsTests.outline(scratch) == ["steps: steps[Fenders up|Open; the; hatch|Lines]"])
  }

  @Test func aSemicolonTableMayComeBackWithCommas() throws {
    let (scratch, path) = try rejected(Self.table.replacing(";", with: "/").replacing(",", with: ";"))
    try "checklist,section,item,minutes,details\nDeparture,Deck,Fenders,7,up; in; out\n".write(
      toFile: scratch[path], atomically: true, encoding: .utf8)
    #expect(try Imported("--retry", path, scratch).status == 0)
    #expect(try LostRowsTests.outline(scratch) == ["Departure: Deck[Fenders|Lines]"])
  }

  @Test(arguments: [
    "checklist,step,minutes\nDeparture,Fenders,7\n", "Departure,Deck,Fenders,7,\n",
    "checklist section item minutes details\nDeparture Deck Fenders 7\n",
  ])
  func anotherHeaderIsRefused(_ text: String) throws {
    let (scratch, path) = try rejected()
    let before = try LostRowsTests.outline(scratch)
    try text.write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let retried = try Imported("--retry", path, scratch)
    #expect(retried.status == 2)
    for name in ["checklist", "section", "item", "minutes", "details"] {
      #expect(retried.errors.contains("'\(name)'"), "\(retried.errors)")
    }
    #expect(try LostRowsTests.outline(scratch) == before)
  }

  @Test func columnsMayMoveAndJoin() throws {
    let (scratch, path) = try rejected()
    try "Remark\tminutes\titem\tsection\tchecklist\tdetails\ndone\t7\tFenders\tDeck\tDeparture\t\n".write(
      toFile: scratch[path], atomically: true, encoding: .utf8)
    #expect(try Imported("--retry", path, scratch).status == 0)
    #expect(try LostRowsTests.outline(scratch) == ["Departure: Deck[Fenders|Lines]"])
  }
}
