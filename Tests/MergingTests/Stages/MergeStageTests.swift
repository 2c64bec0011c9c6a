import Content
import Interchange
import JSONText
import SQLiteLibrary
import Testing

@testable import Merging

/// The fourth stage, tested without a database.
@Suite struct MergeStageTests {
  private struct Result {
    let resolution: RecordResolution
    let line: String
    let base: String?
  }

  private static func merge(
    base: String, source: String, library: String, memory hash: [UInt8]? = nil, isLibrarys: Bool = true,
    policy: ImportPolicy = ImportPolicy(), kind: SourceKind = .files
  ) throws -> Result? {
    let composer = RecordComposer(now: StageSupport.now)
    let stage = MergeStage(policy, .ofImport, composer)
    let memory = Ledger.Memory(
      library: hash ?? StageSupport.hash(base), sourceHash: nil,
      base: BaseTexts.Reference(isLibrarys ? 1 << 15 : 0), file: 1)
    let document = try JSONDocument(parsing: base)
    return try document.withNode(document.root.tokenIndex) { base in
      try StageSupport.pair(source, library) { incoming, other in
        let other = try #require(other)
        let resolution = try stage.resolve(
          MergeStage.Input(
            incoming: incoming, source: incoming.node, base: base, memory: memory, library: other,
            before: StageSupport.hash(library), kind: kind), Candidate(.item))
        guard let resolution else { return nil }
        var next: String?
        if case .text(let line, _, _) = resolution.base { next = String(decoding: line, as: UTF8.self) }
        return Result(resolution: resolution, line: String(decoding: composer.line, as: UTF8.self), base: next)
      }
    }
  }

  @Test func onlyTheSourceChanged() throws {
    let base = try StageSupport.line()
    let source = try StageSupport.line(steps: ["Fuel", "Oil"], updated: 200)
    let result = try #require(try Self.merge(base: base, source: source, library: base))
    guard case .update = result.resolution.decision else { return #expect(Bool(false)) }
    #expect(!result.resolution.isMerged)
    let record = try JSONDocument(parsing: result.line).root
    #expect(record["content_data"]?["sections"]?.elements.first?["items"]?.elements.count == 2)
    #expect(record["updated_at"]?.string.flatMap { Timestamp.parse($0)?.0 } == Timestamp(milliseconds: 200_000))
    // The next import uses exactly this base.
    #expect(result.base == result.line)
  }

  @Test func onlyTheLibraryChanged() throws {
    let base = try StageSupport.line()
    let library = try StageSupport.line(title: "Leaving", updated: 300)
    let result = try #require(try Self.merge(base: base, source: base, library: library))
    guard case .keep(.onlyLibraryChanged) = result.resolution.decision else { return #expect(Bool(false)) }
    #expect(result.resolution.hash == nil)
  }

  @Test func bothChangedDifferentThings() throws {
    let base = try StageSupport.line()
    let source = try StageSupport.line(steps: ["Fuel", "Oil"], updated: 200)
    let library = try StageSupport.line(title: "Leaving", updated: 300)
    let result = try #require(try Self.merge(base: base, source: source, library: library))
    guard case .update = result.resolution.decision else { return #expect(Bool(false)) }
    #expect(result.resolution.isMerged)
    let record = try JSONDocument(parsing: result.line).root
    #expect(record["title"]?.string == "Leaving")
    #expect(record["content_data"]?["sections"]?.elements.first?["items"]?.elements.count == 2)
    // A version that is new to the library gets the current time.
    #expect(record["updated_at"]?.string.flatMap { Timestamp.parse($0)?.0 } == StageSupport.now)
    // The base of the next import is the source's version and not the result.
    #expect(try JSONDocument(parsing: #require(result.base)).root["title"]?.string == "Departure")
  }

  @Test func bothChangedTheSame() throws {
    let base = try StageSupport.line()
    let source = try StageSupport.line(title: "Casting off", updated: 200)
    let library = try StageSupport.line(title: "Leaving", updated: 300)
    let result = try #require(try Self.merge(base: base, source: source, library: library))
    guard case .conflict(.sameParts) = result.resolution.decision else { return #expect(Bool(false)) }
    #expect(result.resolution.hasBase)
    #expect(result.resolution.conflicts.map(\.pointer).contains("/title"))
    #expect(result.resolution.hash == nil && result.resolution.base == nil)
  }

  @Test func theUserSettlesWhatBothChanged() throws {
    let base = try StageSupport.line()
    let source = try StageSupport.line(title: "Casting off", updated: 200)
    let library = try StageSupport.line(title: "Leaving", updated: 300)
    for (settling, title) in [(ConflictResolution.theirs, "Casting off"), (.ours, "Leaving")] {
      let result = try #require(
        try Self.merge(base: base, source: source, library: library, policy: ImportPolicy(settling: settling)))
      if title == "Leaving" {
        guard case .unchanged = result.resolution.decision else { return #expect(Bool(false)) }
      } else {
        #expect(try JSONDocument(parsing: result.line).root["title"]?.string == title)
      }
    }
  }

  /// The base that was stored for a file under its former name stays with the record.
  @Test func aBaseThatTheLibraryDoesNotHaveIsMerged() throws {
    let base = try StageSupport.line()
    let source = try StageSupport.line(description: "In the morning", updated: 200)
    let result = try #require(
      try Self.merge(base: base, source: source, library: base, isLibrarys: false))
    guard case .update = result.resolution.decision else { return #expect(Bool(false)) }
    #expect(try JSONDocument(parsing: result.line).root["description"]?.string == "In the morning")
  }
}
