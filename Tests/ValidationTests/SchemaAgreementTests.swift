import FleetKit
import Foundation
import TestSupport
import Testing

/// The reader can read content that the schemas accept. The schemas reject content that the reader rejects because of
/// its types.
@Suite(.enabled(if: SchemaJudge.isWanted, Judges.reason)) struct SchemaAgreementTests {
  /// Starts from records that together have every member. In each changed record, one value is replaced by an odd
  /// value, wrapped, or left out.
  @Test func recordsAgreeWhereverOneValueIsChanged() throws {
    let complete = try SchemaFile("canonical/record").root["examples"]?.elements.map(JSONTree.init) ?? []
    try #require(complete.count == 4)
    let seeds = try Seeds.written.map(JSONTree.init(parsing:)) + complete
    let names = Set(seeds.flatMap(\.names))
    for shape in [
      Shapes.item, Shapes.checklist, Shapes.checklistSection, Shapes.checklistItem, Shapes.practiceGuide,
      Shapes.flashcardDeck, Shapes.card, Shapes.cardReview, Shapes.charter, Shapes.execution, Shapes.itemState,
      Shapes.syncOperation, Shapes.publicMetadata,
    ] {
      #expect(names.isSuperset(of: shape.members.map(\.nameText)), "a seed lacks a member that the reader knows")
    }
    let changed = seeds.flatMap { $0.everyChange() }
    let lines = changed.filter { !Self.differsOnPurpose($0) }.map(\.text)
    #expect(lines.count > 8000)
    try Self.expectAgreement(lines)
  }

  /// Makes one to three random changes to the samples and to all kinds of records from the app's libraries.
  @Test func recordsAgreeAfterRandomChanges() throws {
    var random = SeededRandom(seed: 2026)
    var lines = try Seeds.records()
    for seed in try lines.map(JSONTree.init(parsing:)) {
      for _ in 0..<24 {
        var record = seed
        for _ in 0...random.below(3) { record = record.mutated(&random) }
        if !Self.differsOnPurpose(record) { lines.append(record.text) }
      }
    }
    #expect(lines.count > 2000)
    try Self.expectAgreement(lines)
  }

  private static func expectAgreement(_ lines: [String]) throws {
    let accepted = try Reading.acceptedLines(lines)
    let verdicts = try SchemaJudge.judge(lines.map { ("record.schema.json", $0) })
    let readable = accepted.count { $0 }
    // If one of the verdicts were rare, the test would prove little.
    #expect(readable > lines.count / 6 && readable < lines.count * 5 / 6, "\(readable) of \(lines.count)")
    var shown = 0
    for index in lines.indices where accepted[index] != (verdicts[index] == nil) && shown < 10 {
      shown += 1
      Issue.record("reader \(accepted[index]), schema \(verdicts[index] ?? "valid"): \(lines[index].prefix(1500))")
    }
  }

  /// Whole documents: lists, arrays of records, single records, headers.
  @Test func documentsAgree() throws {
    var random = SeededRandom(seed: 63)
    var texts = Seeds.documents
    for seed in try texts.map(JSONTree.init(parsing:)) {
      for _ in 0..<40 {
        var document = seed
        for _ in 0...random.below(2) { document = document.mutated(&random) }
        if !Self.documentDiffersOnPurpose(document) { texts.append(document.text) }
      }
    }
    let verdicts = try SchemaJudge.judge(texts.map { ("bundle.schema.json", $0) })
    var valid = 0
    for (text, verdict) in zip(texts, verdicts) {
      let accepts = try Reading.acceptsDocument(text)
      valid += accepts ? 1 : 0
      #expect(accepts == (verdict == nil), "reader \(accepts), schema \(verdict ?? "valid"): \(text)")
    }
    #expect(texts.count > 300 && valid > texts.count / 4 && valid < texts.count * 3 / 4, "\(valid) of \(texts.count)")
  }

  /// The deliberate exceptions. Each is an example of something that a schema cannot express, or that a schema checks
  /// more strictly than the reader.
  @Test(arguments: [
    // A schema does not see a repeated member, because parsers keep only the last one.
    (#"{"content_type":"checklist","title":"A","title":"B"}"#, reader: false, schema: true),
    // The pattern checks months and days, but not the calendar.
    (#"{"content_type":"checklist","title":"A","created_at":"2026-02-30"}"#, reader: false, schema: true),
    // Two ticks have equivalent spellings of the same UUID.
    (
      #"{"kind":"execution","checklist_id":"a","charter_id":"b","item_states":"#
        + #"{"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10":{},"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10":{}}}"#,
      reader: false, schema: true
    ),
    // From 2^53 on, a whole number written with a fraction or an exponent is not exact.
    (#"{"content_type":"checklist","title":"A","fork_count":1e18}"#, reader: false, schema: true),
    // The page requires a string or a number. The reader ignores other values and derives an id.
    (#"{"content_type":"checklist","title":"A","id":true}"#, reader: true, schema: false),
    (#"{"content_type":"checklist","title":"A","content_data":{"id":[]}}"#, reader: true, schema: false),
    // The page requires an object, but the reader keeps any value.
    (#"{"content_type":"checklist","title":"A","extras":5}"#, reader: true, schema: false),
  ])
  func exceptionsAreDeliberate(_ text: String, reader: Bool, schema: Bool) throws {
    #expect(try Reading.acceptedLines([text]) == [reader])
    #expect(try SchemaJudge.judge([("record.schema.json", text)]).map { $0 == nil } == [schema])
  }

  /// The reader recognizes a document even if its only list is misspelled, but the schema treats it as a record.
  @Test func aMisspelledListIsADocumentForTheReaderOnly() throws {
    let text = #"{"itmes":[{"content_type":"guide","title":"Fog"}]}"#
    #expect(try Reading.acceptsDocument(text))
    #expect(try SchemaJudge.judge([("bundle.schema.json", text)]) != [nil])
  }

  // MARK: Exceptions among the mutations

  private static func differsOnPurpose(_ record: JSONTree) -> Bool {
    var kind = "item"
    if case .scalar(let text)? = record["kind"], text.hasPrefix("\"") { kind = String(text.dropFirst().dropLast()) }
    guard ["item", "charter", "execution", "sync_operation"].contains(kind) else { return false }
    if let extras = record["extras"], !extras.isObject, !extras.isNull { return true }
    if kind != "sync_operation", isOddID(record) { return true }
    return kind == "item" && record["content_data"].map(isOddID) ?? false
  }

  private static func isOddID(_ object: JSONTree) -> Bool {
    guard let id = object["id"] else { return false }
    return !id.isNull && !id.isWordOrNumber
  }

  private static func documentDiffersOnPurpose(_ document: JSONTree) -> Bool {
    switch document {
    case .array(let records): records.contains(where: differsOnPurpose)
    case .object(let members):
      differsOnPurpose(document) || looksLikeLists(members.map(\.name))
        || members.contains {
          if case .array(let records) = $0.value { records.contains(where: differsOnPurpose) } else { false }
        }
    case .scalar: false
    }
  }

  /// Whether the member names of a record make the reader recognize a document whose lists are misspelled.
  private static func looksLikeLists(_ names: [String]) -> Bool {
    let lists = RecordKind.known.compactMap(\.listName)
    return !names.contains { lists.contains($0) || ["format", "others"].contains($0) }
      && names.contains { Spelling.nearest(to: $0, among: lists) != nil }
  }
}

/// The reader's verdicts.
private enum Reading {
  static func context() -> RunContext {
    RunContext(findings: DiagnosticLog(keepPerCode: 10), now: Timestamp(milliseconds: 0))
  }

  /// Returns, for each line, whether it is read as a record.
  static func acceptedLines(_ lines: [String]) throws -> [Bool] {
    let scratch = Scratch()
    let header = #"{"kind":"bundle","format":"fleetkit.bundle","version":1}"#
    let path = try scratch.write("records.jsonl", ([header] + lines).joined(separator: "\n") + "\n")
    var accepted = [Bool](repeating: true, count: lines.count)
    var seen = 0
    for makeReader in try SourceList([path]).readers(context: context()) {
      let reader = try makeReader()
      while let batch = try reader.next() {
        seen += batch.records.count + batch.rejected.count
        for rejected in batch.rejected {
          // The place is "…records.jsonl:line:column", and the header is line 1.
          let line = try #require(rejected.place.split(separator: ":").dropLast().last.flatMap { Int($0) })
          accepted[line - 2] = false
        }
      }
    }
    try #require(seen == lines.count)
    return accepted
  }

  /// Whether a whole document can be read, with every record in it.
  static func acceptsDocument(_ text: String) throws -> Bool {
    let scratch = Scratch()
    let path = try scratch.write("document.json", text)
    do {
      return try RecordScan(sources: SourceList([path])).run(context: context()) { _ in } == 0
    } catch is RunFailure {
      return false
    }
  }
}
