import Content
import JSONText
import TestSupport
import Testing

@testable import Merging

/// Matching the steps of an edited source with the steps of the library.
@Suite struct StepMatchingTests {
  /// Returns a checklist whose step ids are derived from the titles, as in a source without ids.
  private static func document(_ sections: [(String, [String])], ids: [String: String] = [:]) throws -> JSONDocument {
    var seen: [String: Int] = [:]
    let parts = sections.map { title, steps in
      let items = steps.map { step in
        let repeats = seen[title + "\0" + step, default: 0]
        seen[title + "\0" + step] = repeats + 1
        let id = ids[step] ?? CanonicalUUID.derived(["record", title, step, "\(repeats)"])
        return "{\"id\":\"\(id)\",\"title\":\"\(step)\"}"
      }
      let id = CanonicalUUID.derived(["record", "record", title, "0"])
      return "{\"id\":\"\(id)\",\"title\":\"\(title)\",\"items\":[\(items.joined(separator: ","))]}"
    }
    return try JSONDocument(parsing: "{\"sections\":[\(parts.joined(separator: ","))]}")
  }

  /// Returns, for each step of the new version, the index of the matching step in the library; nil for a new step.
  private static func match(
    _ old: [(String, [String])], _ new: [(String, [String])], ids: [String: String] = [:]
  ) throws -> [Int?] {
    try match(try document(old, ids: ids), try document(new, ids: ids))
  }

  private static func match(_ before: JSONDocument, _ after: JSONDocument) throws -> [Int?] {
    try before.withNode(before.root.tokenIndex) { library in
      try after.withNode(after.root.tokenIndex) { source in
        let mine = try #require(StepTree(document: source))
        let theirs = try #require(StepTree(document: library))
        return StepMatching(mine, with: theirs, recordID: "record").steps
      }
    }
  }

  private static func match(_ old: [String], _ new: [String]) throws -> [Int?] {
    try match([("S", old)], [("S", new)])
  }

  // MARK: Edited steps

  @Test(arguments: [
    ("Check the bilge pump", "Check both bilge pumps"),
    ("Fill water tanks", "Fill the water tanks to the top"),
    ("Brief the crew", "Brief the crew (life jackets, radio, man overboard)"),
    ("Test VHF radio", "Test the VHF radio on channel 72"),
    ("Check engine oil level", "Check the oil level of the engine"),
    ("Replace filter every 100 hours", "Replace the filter every 150 hours"),
    ("Проверить уровень масла", "Проверить уровень масла в двигателе"),
    ("Закрыть все люки", "Закрыть все люки и иллюминаторы"),
    ("Stow loose gear", "Stow lose gear"),
  ])
  func anEditedTitleIsTheSameStep(_ before: String, _ after: String) throws {
    let others = ["Untie the springs", "Switch the fridge to battery", "Log the departure"]
    #expect(try Self.match(others + [before], others + [after]) == [0, 1, 2, 3])
    // The edited step is found at any position among the others.
    #expect(try Self.match([before] + others, others + [after]) == [1, 2, 3, 0])
  }

  // MARK: Different steps

  @Test(arguments: [
    ("Check port engine oil", "Check starboard engine oil"), ("Tie the bow line", "Tie the stern line"),
    ("Open the seacock", "Close the seacock"), ("Turn on the gas", "Turn off the gas"),
    ("Start the engine", "Stop the engine"), ("Use the windlass", "Do not use the windlass"),
    ("Проверить левый двигатель", "Проверить правый двигатель"), ("Открыть кингстон", "Закрыть кингстон"),
    ("Включить насос", "Выключить насос"), ("Check in", "Count the fenders"),
  ])
  func anOppositeIsAnotherStep(_ gone: String, _ new: String) throws {
    #expect(try Self.match([gone], [new]) == [nil])
    #expect(
      try Self.match(["A first thing", gone, "Z last thing"], ["A first thing", new, "Z last thing"]) == [0, nil, 2])
  }

  /// One step was deleted and another was added. They share letters and the topic of the whole list.
  @Test(arguments: [
    ("Check the bilge pump", "Check the gas bottle"), ("Rinse the life jackets", "Rinse the jacklines"),
    ("Stow the fender covers", "Stow the sail ties"), ("Grease the winches", "Grease the windlass"),
    ("Проверить трюмную помпу", "Проверить газовый баллон"), ("Anchor light", "Steaming light"),
  ])
  func whatIsNamedAlikeIsAnotherStep(_ gone: String, _ new: String) throws {
    let word = gone.split(separator: " ")[0]
    let others = ["\(word) everything on deck", "\(word) what hangs aloft", "\(word) the keys", "Log the departure"]
    #expect(try Self.match([gone] + others, others.shuffled() + [new]).last == .some(nil))
  }

  @Test func numberedStepsAreNotEachOther() throws {
    let all = (1...4).map { "Check cylinder \($0)" }
    // The second step was deleted, and a fifth one was added.
    #expect(try Self.match(all, [all[0], all[2], all[3], "Check cylinder 5"]) == [0, 2, 3, nil])
    #expect(
      try Self.match(["Check cylinder 1", "Check cylinder 2"], ["Check cylinder 2", "Check cylinder 3"]) == [1, nil])
  }

  @Test func aNewStepAtTheTopMovesNothing() throws {
    #expect(try Self.match(["One", "Two", "Three"], ["Zero", "One", "Two", "Three"]) == [nil, 0, 1, 2])
  }

  // MARK: Order and sections

  @Test func shuffledStepsAreFoundAgain() throws {
    var random = ShuffleRandom(7)
    let words = ["bilge", "engine", "sails", "anchor", "dinghy", "galley", "charts", "lights", "water", "fuel"]
    let old = words.map { "Check the \($0) before leaving" }.map { $0.replacing("before leaving", with: "twice") }
    for _ in 0..<50 {
      let order = old.indices.shuffled(using: &random)
      #expect(try Self.match(old, order.map { old[$0] }) == order.map { $0 })
    }
  }

  @Test func aStepThatWentToAnotherSectionIsFoundThere() throws {
    let old = [("Deck", ["Fenders", "Lines"]), ("Below", ["Gas", "Hatches"])]
    #expect(try Self.match(old, [("Deck", ["Fenders"]), ("Below", ["Gas", "Lines", "Hatches"])]) == [0, 2, 1, 3])
  }

  @Test func aSectionWithAnotherTitleKeepsItsSteps() throws {
    let old = [("Deck", ["Fenders", "Lines"]), ("Below", ["Gas", "Hatches", "Check the stove"])]
    let new = [("Deck", ["Fenders", "Lines"]), ("Cabin", ["Gas", "Hatches", "Check the stoves"])]
    #expect(try Self.match(old, new) == [0, 1, 2, 3, 4])
  }

  @Test func equalTitlesStayInOrder() throws {
    let old = ["Count", "Fenders", "Count", "Lines", "Count"]
    #expect(try Self.match(old, old) == [0, 1, 2, 3, 4])
    #expect(try Self.match(old, ["Fenders", "Count", "Lines", "Count"]) == [1, 2, 3, 4])
    #expect(try Self.match(["Count", "Fenders"], ["Count", "Count", "Fenders"]).compactMap { $0 }.sorted() == [0, 1])
  }

  // MARK: Ids

  @Test func idsGoBeforeTitles() throws {
    let one = "AAAAAAAA-0000-4000-8000-000000000001"
    let two = "AAAAAAAA-0000-4000-8000-000000000002"
    let before = try Self.document([("S", ["One", "Two"])], ids: ["One": one, "Two": two])
    let after = try Self.document([("S", ["Two", "One"])], ids: ["Two": one, "One": two])
    #expect(try Self.match(before, after) == [0, 1])
  }

  /// A step kept the id that was derived from its first title although its title changed. Another step has that first
  /// title now.
  @Test func anIDThatWasMadeFromATitleIsNoMoreThanTheTitle() throws {
    let id = CanonicalUUID.derived(["record", "S", "Check the pump", "0"])
    let before = try Self.document([("S", ["Check the bilge pump"])], ids: ["Check the bilge pump": id])
    let after = try Self.document([("S", ["Check the pump", "Check the bilge pump"])])
    #expect(try Self.match(before, after) == [nil, 0])
  }

  /// Matching never takes long, because each compared pair costs the same and the number of pairs is bounded.
  @Test func thousandsOfEditedStepsAreBounded() throws {
    let old = (0..<3_000).map { "Look after thing \(String($0, radix: 36)) of the boat" }
    let new = old.map { $0 + " again" }
    let found = try Self.match(old, new)
    #expect(found.count == 3_000)
    for (index, other) in found.enumerated() where other != nil { #expect(other == index) }
  }

  // MARK: Changes

  @Test func fewestStepsCountAsMoved() {
    #expect(IDPairs.longestRise([1, 2, 3, 0]) == [true, true, true, false])
    #expect(IDPairs.longestRise([]) == [])
    #expect(IDPairs.longestRise([2, 1, 0]).filter { $0 }.count == 1)
  }
}
