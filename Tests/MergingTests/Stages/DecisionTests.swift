import Content
import Interchange
import JSONText
import SQLiteLibrary
import Testing

@testable import Merging

/// The third stage, tested without a database.
@Suite struct DecisionTests {
  /// Returns the decision as one word.
  private static func word(_ decision: Decision) -> String {
    switch decision {
    case .create: "create"
    case .update: "update"
    case .addTicks: "addTicks"
    case .unchanged: "unchanged"
    case .keep(let reason): "keep \(reason)"
    case .conflict(let reason): "conflict \(reason)"
    case .withoutBody: "withoutBody"
    case .published: "published"
    }
  }

  private static func decide(
    source: Int64?, library: Int64?, _ known: Decision.Circumstances, isAsBefore: Bool = false
  ) throws -> String {
    let mine = try StageSupport.line(title: "Departure 2", updated: source)
    return try StageSupport.pair(mine, StageSupport.line(updated: library)) { incoming, library in
      let candidate = Candidate(.item)
      candidate.load(incoming.node, existing: known.hasExisting ? library : nil)
      return word(Decision.make(candidate, known) { isAsBefore })
    }
  }

  @Test func aRecordThatTheLibraryDoesNotHaveIsCreated() throws {
    #expect(try Self.decide(source: 1, library: 1, .init(hasExisting: false)) == "create")
  }

  @Test(arguments: [
    (OnConflict.keep, "keep libraryKept"), (.fail, "conflict differs"), (.replace, "update"),
    (.newest, "keep libraryNewer"),
    (.merge, "keep libraryNewer"),
  ])
  func anOlderRecord(_ onConflict: OnConflict, _ decision: String) throws {
    #expect(try Self.decide(source: 100, library: 200, .init(onConflict: onConflict)) == decision)
  }

  @Test func aNewerRecordIsTaken() throws {
    for onConflict in [OnConflict.newest, .merge, .replace] {
      #expect(try Self.decide(source: 200, library: 100, .init(onConflict: onConflict)) == "update")
    }
  }

  @Test func withoutTimesTheMemoryDecides() throws {
    #expect(try Self.decide(source: nil, library: 100, .init()) == "conflict sourceHasNoTime")
    #expect(try Self.decide(source: 100, library: nil, .init()) == "conflict libraryHasNoTime")
    #expect(try Self.decide(source: nil, library: 100, .init(changed: .onlySource)) == "update")
    #expect(try Self.decide(source: nil, library: 100, .init(changed: .onlyLibrary)) == "keep onlyLibraryChanged")
  }

  @Test func aNoteIsNotOlderBecauseItsTimeIs() throws {
    var known = Decision.Circumstances(isByHand: true)
    #expect(try Self.decide(source: 100, library: 200, known) == "conflict bothChanged")
    #expect(try Self.decide(source: 100, library: 200, known, isAsBefore: true) == "keep onlyLibraryChanged")
    known.hasBase = false
    #expect(try Self.decide(source: 100, library: 200, known) == "conflict changedSince")
    known.changed = .onlySource
    #expect(try Self.decide(source: 100, library: 200, known) == "update")
  }

  @Test func rowsThatAreTriedAgainAreTaken() throws {
    #expect(try Self.decide(source: 100, library: 200, .init(isRetry: true)) == "update")
  }

  /// The stage around the rule produces the merged record and the version that is stored for the next merge.
  @Test func theStageComposesWhatTheLibraryWillHold() throws {
    let composer = RecordComposer(now: StageSupport.now)
    let stage = DecisionStage(ImportPolicy(), composer) { _ in false }
    let source = try StageSupport.line(title: "Departure 2", updated: 200)
    let library = try StageSupport.line()
    try StageSupport.pair(source, library) { incoming, other in
      let resolution = try stage.resolve(
        DecisionStage.Input(
          incoming: incoming, record: incoming.node, library: other, before: StageSupport.hash(library), memory: nil,
          isByHand: false, isPack: false), Candidate(.item))
      #expect(Self.word(resolution.decision) == "update")
      #expect(resolution.isWhole)
      #expect(resolution.hash == StageSupport.hash(String(decoding: composer.line, as: UTF8.self)))
      #expect(try composer.record().member("title")?.string == "Departure 2")
      #expect(resolution.sourceHash == nil)
    }
  }

  /// A user who decides conflicts is asked before one side is used as a whole.
  @Test func oneSideIsNotTakenWholeWhereTheUserDecides() throws {
    let stage = DecisionStage(ImportPolicy(settling: .ours), RecordComposer(now: StageSupport.now)) { _ in false }
    let library = try StageSupport.line()
    try StageSupport.pair(try StageSupport.line(title: "Departure 2", updated: 200), library) { incoming, other in
      let resolution = try stage.resolve(
        DecisionStage.Input(
          incoming: incoming, record: incoming.node, library: other, before: StageSupport.hash(library), memory: nil,
          isByHand: false, isPack: false), Candidate(.item))
      #expect(Self.word(resolution.decision) == "conflict differs")
      #expect(!resolution.isWhole)
    }
  }
}
