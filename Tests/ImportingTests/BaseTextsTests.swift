import Content
import FleetKit
import Foundation
import TestSupport
import Testing

@testable import SQLiteLibrary

/// The base texts of the last import, in a real store that is inspected with the `sqlite3` shell.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct BaseTextsTests {
  private static func hash(_ number: Int) -> [UInt8] {
    Digest.sha256("hash \(number)".utf8.span)
  }

  private static func shuffled(_ count: Int, _ random: inout SeededRandom) -> [Int] {
    var all = Array(0..<count)
    for index in all.indices { all.swapAt(index, random.below(count)) }
    return all
  }

  private func add(_ texts: BaseTexts, _ number: Int, _ text: String, changed: Timestamp? = nil) throws
    -> BaseTexts.Reference
  {
    try #require(
      try texts.add(
        text.utf8.span, id: "id \(number)".utf8.span, of: Self.hash(number), isLibrarys: number % 2 == 0,
        changed: changed))
  }

  private func read(_ texts: BaseTexts, _ reference: BaseTexts.Reference, _ number: Int, hash: Int? = nil) throws
    -> BaseTexts.Base?
  {
    try Array("id \(number)".utf8).withUnsafeBufferPointer {
      try texts.base(reference, id: $0.span, of: Self.hash(hash ?? number))
    }
  }

  private func store(_ scratch: Scratch) throws -> StateStore {
    _ = try scratch.copy("library-v2.2.0.sqlite", as: "l.sqlite")
    return try StateStore(Sidecar(of: scratch["l.sqlite"]))
  }

  @Test func whatIsKeptIsReadBack() throws {
    let scratch = Scratch()
    let store = try store(scratch)
    var random = SeededRandom(seed: 8)
    let lengths = (0..<3_000).map { $0 % 500 == 7 ? 400_000 : random.below(2_000) }
    func text(_ number: Int) -> String { String(repeating: "\(number) é ", count: lengths[number] / 8 + 1) }
    let writing = try BaseTexts(store, run: 1)
    try store.connection.execute("BEGIN")
    let time = Timestamp(milliseconds: 1_767_607_872_345)
    let places = try lengths.indices.map { try add(writing, $0, text($0), changed: $0 % 3 == 0 ? time : nil) }
    try writing.flush()
    try store.connection.execute("COMMIT")
    #expect(Set(places.map(\.value)).count == places.count)
    let blocks = try SQLiteShell.run(store.path, "SELECT sum(count), count(*) > 5 FROM bases;")
    #expect(blocks == "3000|1\n")
    let reading = try BaseTexts(store, run: 2)
    for number in [Array(places.indices), Self.shuffled(places.count, &random)].joined() {
      let base = try #require(try read(reading, places[number], number))
      #expect(base.line.elementsEqual(text(number).utf8))
      #expect(base.changed == (number % 3 == 0 ? time : nil))
      #expect(places[number].isLibrarys == (number % 2 == 0))
    }
  }

  @Test func whatDoesNotBelongTogetherIsNoBase() throws {
    let scratch = Scratch()
    let store = try store(scratch)
    let texts = try BaseTexts(store, run: 1)
    let places = try (0..<3).map { try add(texts, $0, "text \($0)") }
    try texts.flush()
    #expect(try read(texts, places[1], 1)?.line == Array("text 1".utf8))
    #expect(try read(texts, places[1], 1, hash: 2) == nil, "the library had another text then")
    #expect(try read(texts, places[1], 2, hash: 1) == nil, "it is another record's")
    #expect(try read(texts, BaseTexts.Reference(99 << 16), 1) == nil, "the block does not exist")
    #expect(try read(texts, BaseTexts.Reference(places[1].value + 40), 1) == nil, "the entry does not exist")
    // A damaged block provides no base, and it does not cause an error.
    let before = try SQLiteShell.run(store.path, "SELECT hex(block) FROM bases;").trimmingCharacters(in: .newlines)
    for cut in stride(from: 2, to: before.count, by: 2) {
      try SQLiteShell.run(store.path, "UPDATE bases SET block = x'\(before.prefix(cut))';")
      #expect(try read(BaseTexts(store, run: 2), places[1], 1) == nil)
    }
    try SQLiteShell.run(store.path, "UPDATE bases SET block = x'\(before)';")
    #expect(try read(BaseTexts(store, run: 2), places[1], 1) != nil)
  }

  /// Texts without references are removed, and the remaining texts are merged into full blocks.
  @Test func oldTextsAreCollected() throws {
    let scratch = Scratch()
    let store = try store(scratch)
    let count = 2_000
    var ledger = try Ledger(store, run: store.begin("import").id)
    let (source, _) = try ledger.source("s")
    let (file, _) = try ledger.file("f", of: source)
    func text(_ number: Int, _ round: Int) -> String { String(repeating: "\(round) \(number) ", count: 100) }
    func remember(_ number: Int, _ round: Int) throws {
      let place = try add(ledger.bases, number, text(number, round))
      try Array("id \(number)".utf8).withUnsafeBufferPointer {
        _ = try ledger.remember(
          source, file: file, .item, id: $0.span, target: nil, hash: Self.hash(number), base: place)
      }
    }
    for number in 0..<count { try remember(number, 0) }
    try ledger.intend([])
    // Texts are removed only after two rounds, because the previous texts are kept in case the run becomes void.
    for round in 1...4 {
      ledger = try Ledger(store, run: store.begin("import").id)
      for number in 0..<count where number % 10 != 3 { try remember(number, round) }
      try ledger.intend([])
      let kept = try #require(Int(try SQLiteShell.run(store.path, "SELECT sum(count) FROM bases;").dropLast()))
      #expect(kept <= 2 * 2 * count)
    }
    ledger = try Ledger(store, run: store.begin("import").id)
    for number in 0..<count {
      try Array("id \(number)".utf8).withUnsafeBufferPointer {
        let memory = try #require(try ledger.memory(source, .item, id: $0.span))
        let base = try ledger.bases.base(try #require(memory.base), id: $0.span, of: memory.library)
        #expect(base?.line.elementsEqual(text(number, number % 10 == 3 ? 0 : 4).utf8) ?? false)
      }
    }
    ledger.forget()
    #expect(try SQLiteShell.run(store.path, "PRAGMA integrity_check;") == "ok\n")
  }

  /// A void run leaves the earlier texts unchanged.
  @Test func aRunThatIsTakenBackTakesItsTextsAlong() throws {
    let scratch = Scratch()
    let store = try store(scratch)
    var ledger = try Ledger(store, run: store.begin("import").id)
    let (source, _) = try ledger.source("s")
    let (file, _) = try ledger.file("f", of: source)
    func remember(_ text: String, _ hash: Int, _ target: String?) throws {
      let place = try Array(text.utf8).withUnsafeBufferPointer { text in
        try Array("id 0".utf8).withUnsafeBufferPointer {
          try ledger.bases.add(text.span, id: $0.span, of: Self.hash(hash), isLibrarys: true, changed: nil)
        }
      }
      _ = try ledger.remember(
        source, file: file, .item, id: "id 0".utf8.span, target: target, hash: Self.hash(hash), base: place)
    }
    try remember("first", 1, "A")
    try ledger.intend([])
    let before = try SQLiteShell.run(
      store.path, "SELECT target, hex(hash), base, run FROM ledger; SELECT id FROM bases;")
    ledger = try Ledger(store, run: store.begin("import").id)
    try remember("second", 2, nil)
    // The text is written, but the run is killed before the library is changed.
    try ledger.intend([Ledger.Witness(kind: .item, id: "none", before: nil, after: "none")])
    #expect(try SQLiteShell.run(store.path, "SELECT count(*) FROM bases;") == "2\n")
    try store.resolveKilledRuns(nil)
    let sql = "SELECT target, hex(hash), base, run FROM ledger; SELECT id FROM bases;"
    #expect(try SQLiteShell.run(store.path, sql) == before)
  }
}
