import Content
import Interchange
import JSONText
import TableShapes
import Testing

@Suite struct IdentityTests {
  private func ids(_ read: ReadTables) throws -> [String: String] {
    var ids: [String: String] = [:]
    for record in read.records {
      let document = try record.document().root
      for section in document["content_data"]?["sections"]?.elements ?? [] {
        for item in section["items"]?.elements ?? [] { ids[item["title"]?.string ?? ""] = item["id"]?.string }
      }
      for card in document["content_data"]?["cards"]?.elements ?? [] {
        ids[card["front"]?.string ?? ""] = card["id"]?.string
      }
    }
    return ids
  }

  @Test func aKeyTellsRowsApart() throws {
    let one = try ReadTables("checklist | No | item\nA | 1 | Lines\nA | 2 | Engine") { $0.key = "no" }
    let two = try ReadTables("checklist | No | item\nA | 2 | The engine\nA | 1 | All lines") { $0.key = "No" }
    #expect(try ids(one)["Lines"] == ids(two)["All lines"])
    #expect(try ids(one)["Engine"] == ids(two)["The engine"])
    #expect(one.codes.isEmpty)
  }

  @Test func aKeyTellsChecklistsApart() throws {
    let one = try ReadTables("checklist | Code | item\nA | x | Lines\nA | x | Engine\nB | y | Oil") { $0.key = "Code" }
    let two = try ReadTables("checklist | Code | item\nA, new | x | Lines\nA, new | x | Engine") { $0.key = "Code" }
    #expect(one.records.first?.id == two.records.first?.id)
    #expect(one.records.count == 2)
    #expect(try ids(one)["Engine"] == ids(two)["Engine"])
  }

  @Test func aCopiedRowBecomesARowOfItsOwn() throws {
    let id = "98A0B7C6-0000-4000-8000-000000000003"
    let read = try ReadTables(
      "item | id\nLines | \(id)\nLines | \(id)\nEngine | 17\nOil | 98A0B7C6-0000-4000-8000-00000000000")
    let steps = try #require(read.records.first).document().root["content_data"]?["sections"]?[0]?["items"]?.elements
    #expect(steps?.count == 3)
    #expect(steps?.first?["id"]?.string == id)
    #expect(Set(steps?.compactMap { $0["id"]?.string } ?? []).count == 3)
    #expect(read.codes.filter { $0 == "repeated-row-id" || $0 == "cell-value" } == ["repeated-row-id", "cell-value"])
  }

  @Test func stepsWithoutIDsHaveThoseOfTheCanonicalizer() throws {
    let read = try ReadTables("checklist | section | item\nA | S | One\nA | S | One\nA | T | One")
    #expect(Set(try ids(read).values).count == 1)
    let root = try #require(read.records.first).document().root
    let all = root["content_data"]?["sections"]?.elements.flatMap { $0["items"]?.elements ?? [] } ?? []
    let item = root["id"]?.string ?? ""
    #expect(
      all.compactMap { $0["id"]?.string } == [
        CanonicalUUID.derived([item, "S", "One", "0"]), CanonicalUUID.derived([item, "S", "One", "1"]),
        CanonicalUUID.derived([item, "T", "One", "0"]),
      ])
    #expect(item == CanonicalUUID.derived(["test", "steps.csv", "checklist", "A"]))
  }

  @Test func newRowsJoinTheChecklistOfTheirTitle() throws {
    let id = "98A0B7C6-0000-4000-8000-000000000001"
    let read = try ReadTables(
      """
      checklist | item | checklist_id | item_id
      A | New first | | 98A0B7C6-0000-4000-8000-000000000004
      A | One | \(id) | 98A0B7C6-0000-4000-8000-000000000002
      B | Two | | 98A0B7C6-0000-4000-8000-000000000003
      A | New last | |
      """)
    #expect(try read.outline == ["A: A[New first, One, New last]", "B: B[Two]"])
    #expect(read.records.first?.id == id)
  }

  @Test func brokenRowsKeepTheirNeighboursWhole() throws {
    let read = try ReadTables("checklist | item\nA | One\n!broken | x\nB | Two\nC | Three")
    #expect(read.batches.flatMap(\.slots).map(\.isPartial) == [true, true, false])
    #expect(read.rejected.count == 1)
    let mixed = try ReadTables("checklist | item\nA | One\n!broken | x\nB | Two\nA | Three")
    #expect(mixed.batches.flatMap(\.slots).map(\.isPartial) == [true, true])
  }
}

@Suite struct OwnTextTests {
  @Test func textsOfPeopleAreTrimmedAndOursAreNot() throws {
    let ours = try ReadTables([["item", "item_id"], [" Lines ", "98A0B7C6-0000-4000-8000-000000000003"]])
    #expect(try ours.outline == ["steps: steps[ Lines ]"])
    let theirs = try ReadTables([["item", "ID"], [" Lines\u{A0}", "1"]])
    #expect(try theirs.outline == ["steps: steps[Lines]"])
  }
}
