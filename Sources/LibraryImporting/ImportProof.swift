import Content
import Foundation
import Interchange
import JSONText
import Merging
import Proving
import RecordSources
import SQLiteLibrary

/// Runs an import and proves what it did to the library.
///
/// Three things, each by readers and connections that know nothing of the run: the library holds what the run says
/// that it wrote; records that it did not write are as they were; and the same sources, read again and held against
/// the library as an import would, change nothing any more. Costs about two more readings of the library, a copy of
/// it, and one more reading of the sources; memory does not grow with them.
package final class ImportProof {
  private let libraryImport: LibraryImport
  private let context: RunContext
  private let losses: KeptLosses
  private let writes = ImportWrites()
  private let walk = ImportWalk()
  private var fingerprint: LibraryFingerprint?
  private var before: SortedRecords?

  /// Prepares.
  /// - Throws: `RunFailure` with status 64 when the sources cannot be read twice.
  package init(_ libraryImport: LibraryImport, context: RunContext) throws {
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.usage, "prove the import into '\(libraryImport.library)': \(why)", advice: advice)
    }
    if context.dryRun { throw refuse("--dry-run writes nothing", "Leave out one of the two.") }
    if libraryImport.sources.entries.contains(where: \.source.isStandardInput) {
      throw refuse("standard input cannot be read again", "Save it to a file first.")
    }
    if libraryImport.retry != nil {
      throw refuse("rows that were rejected go to places that only one import knows", "Import them without a proof.")
    }
    self.libraryImport = libraryImport
    self.context = context
    losses = try KeptLosses(of: context.losses)
  }

  /// Runs the import, and proves it.
  /// - Throws: what the import throws; `ProofFailure` when the library is not what it must be: it was changed then.
  package func run() throws -> LibraryImport.Report {
    try lookBefore()
    var report = try importAll()
    report.summary.proof = try prove(report)
    return report
  }

  /// Reads the library as it is before.
  package func lookBefore() throws {
    guard access(libraryImport.library, F_OK) == 0 else { return }
    fingerprint = try LibraryFingerprint(of: libraryImport.library)
    before = try records()
  }

  /// Imports, and takes note of everything that is written.
  package func importAll() throws -> LibraryImport.Report {
    defer { context.losses.observe(nil) }
    return try libraryImport.run(context: context, observer: writes) { [self] now, _ in
      // What was written since is nothing that the run could answer for.
      guard try now.value()?.sha256 == fingerprint?.sha256 else {
        throw RunFailure(
          .locked,
          "prove the import into '\(libraryImport.library)': another program wrote to the library; nothing was imported",
          advice: "Try again when no other program writes to it.")
      }
    }
  }

  /// Reads the library as it is now, and holds it against everything that is known.
  package func prove(_ report: LibraryImport.Report) throws -> ProofSummary {
    try walk.run(before: before, written: writes.sorted(), after: try records())
    walk.summary.losses = losses.count
    try again()
    guard walk.summary.holds else { throw try failure(report) }
    return walk.summary
  }

  private func records() throws -> SortedRecords {
    try SortedRecords(library(), selection: nil, context: ProofReading(of: context).ofTarget())
  }

  private func library() throws -> SourceList { try SourceList([libraryImport.library], format: .library) }

  /// Holds the sources against the library once more: whatever an import would change now, the first one left out.
  private func again() throws {
    var rehearsal = libraryImport
    rehearsal.proves = false
    rehearsal.createsLibrary = false
    rehearsal.onProgress = nil
    // Nobody is asked twice: what was answered is in the library.
    if case .ask = rehearsal.settling { rehearsal.settling = .reject }
    let reading = ProofReading(of: context)
    let observer = ImportReplay(walk)
    _ = try rehearsal.run(context: reading.ofRehearsal(), observer: observer)
  }

  private func failure(_ report: LibraryImport.Report) throws -> ProofFailure {
    let path = libraryImport.library
    let findings = try ProofPlaces(
      walk.differences, source: libraryImport.sources, target: library(), reading: ProofReading(of: context),
      naming: nil
    ).findings()
    let count = walk.summary.differences
    return ProofFailure(
      summary: walk.summary, differences: findings,
      failure: RunFailure(
        .mismatch,
        "prove run \(report.run) of '\(path)': \(count) difference\(count == 1 ? "" : "s") that nothing explains; "
          + "the library was written to",
        advice: report.isNew
          ? "The library was made by this run: remove it, and report this with the places above."
          : "'fleetkit undo \(path) \(report.run)' takes the run back; report this with the places above."))
  }
}

/// Holds a library against what it was before an import, and against what the import says that it wrote.
private final class ImportWalk {
  private var tape = JSONTape(capacity: 1024)
  private var otherTape = JSONTape(capacity: 1024)
  /// The numbers.
  var summary = ProofSummary()
  /// The first differences.
  private(set) var differences: [ProofDifference] = []

  /// Walks to the end of all three; they come in one order.
  /// - Parameter before: nil for a library that was not there.
  func run(before: SortedRecords?, written: SortedRecords, after: SortedRecords) throws {
    var old = try before?.next()
    var said = try written.next()
    var now = try after.next()
    while let key = [old?.key, said?.key, now?.key].compactMap({ $0 }).min() {
      try Interruption.check()
      let was = old?.key == key ? old : nil
      var wrote: SortedRecords.Entry?
      while let next = said, next.key == key {
        wrote = next
        said = try written.next()
      }
      let found = now?.key == key ? now : nil
      if was != nil { old = try before?.next() }
      if found != nil { now = try after.next() }
      try compare(was, wrote, found)
    }
  }

  private func compare(
    _ was: SortedRecords.Entry?, _ wrote: SortedRecords.Entry?, _ found: SortedRecords.Entry?
  ) throws {
    guard let expected = wrote ?? was else {
      if let found, try !isPublishedRow(found) {
        add(found.kind, nil, found.id, found.title, JSONPointer(), nil, nil)
      }
      return
    }
    guard let found else {
      return add(expected.kind, expected.id, nil, expected.title, JSONPointer(), nil, nil)
    }
    if wrote != nil { summary.records += 1 } else { summary.others += 1 }
    if let wrote, let hash = ImportWrites.hash(of: wrote.line) { return try compare(hash, found) }
    try compare(
      expected.line, found.line, isCounted: wrote != nil, kind: found.kind, id: found.id, title: found.title,
      speaker: wrote == nil ? "before the import, which did not touch it, the library said" : "the import wrote")
  }

  /// Whether a record is a queue row that restoring writes beside a public item.
  private func isPublishedRow(_ found: SortedRecords.Entry) throws -> Bool {
    guard found.kind == .syncOperation else { return false }
    tape.removeAll()
    let isOne = try found.line.withUnsafeBufferPointer { PublishedRows.isOne(try Self.node($0, &tape)) }
    if isOne { summary.normalised[PublishedRows.rule, default: 0] += 1 }
    return isOne
  }

  private func compare(
    _ expected: [UInt8], _ found: [UInt8], isCounted: Bool, kind: RecordKind, id: String, title: String,
    speaker: String
  ) throws {
    let isSame = expected == found
    if isSame, !isCounted { return }
    try expected.withUnsafeBufferPointer { one in
      try found.withUnsafeBufferPointer { other in
        tape.removeAll()
        let left = try Self.node(one, &tape)
        var walk = FieldWalk()
        if isSame {
          walk.count(left)
        } else {
          otherTape.removeAll()
          walk.compare(left, try Self.node(other, &otherTape)) { path, left, right in
            // Where a note lies and how it is typed stands beside the library, and may be new for the same text.
            if path.count >= 2, path[0] == .member("extras"),
              path[1] == .member("markdown") || path[1] == .member("provenance")
            {
              summary.normalised["how notes are typed", default: 0] += 1
              return
            }
            if path.count >= 2, path[0] == .member("extras"), case .member(let inner) = path[1],
              BesideExtras.holds(inner)
            {
              summary.normalised["what other apps have of records", default: 0] += 1
              return
            }
            add(
              kind, id, id, title, JSONPointer(path), left.map(Self.text), right.map(Self.text), speaker)
          }
        }
        if isCounted { summary.fields += walk.fields }
      }
    }
  }

  /// Holds a new record against the hash of what was written.
  private func compare(_ hash: String, _ found: SortedRecords.Entry) throws {
    tape.removeAll()
    let own: String = try found.line.withUnsafeBufferPointer { line in
      let node = try Self.node(line, &tape)
      var walk = FieldWalk()
      walk.count(node)
      summary.fields += walk.fields
      let whole = Digest.hex(Digest.sha256(line))
      guard whole != hash else { return whole }
      return Self.withoutNote(line, node).withUnsafeBufferPointer { Digest.hex(Digest.sha256($0)) }
    }
    guard own != hash else { return }
    add(
      found.kind, found.id, found.id, found.title, JSONPointer(), "a record with SHA-256 \(hash)",
      "one with \(own)", "the import wrote")
  }

  /// A line without the extras that the sidecar keeps, which are written after it.
  private static func withoutNote(_ line: UnsafeBufferPointer<UInt8>, _ node: JSONNode) -> [UInt8] {
    var cut: Range<Int>?
    node.forEachMember { name, value in
      guard name.equals("extras") else { return }
      var isNote = true
      value.forEachMember { inner, _ in
        if !BesideExtras.holds(inner) { isNote = false }
      }
      if isNote { cut = name.span.lowerBound - 1..<value.span.upperBound }
    }
    guard let cut, cut.lowerBound > 0 else { return Array(line) }
    return Array(line[..<cut.lowerBound]) + Array(line[cut.upperBound...])
  }

  /// Takes note of what an import of the same sources would do to the library as it is now.
  func isStillWanted(_ decision: ImportDecision) throws {
    let id = decision.sourceID ?? decision.id
    guard let before = decision.before, let after = decision.after else {
      return add(decision.kind, id, nil, decision.title ?? "", JSONPointer(), nil, nil)
    }
    let count = summary.differences
    tape.removeAll()
    otherTape.removeAll()
    var walk = FieldWalk()
    walk.compare(try Self.node(after, &tape), try Self.node(before, &otherTape)) { path, left, right in
      add(
        decision.kind, id, decision.id, decision.title ?? "", JSONPointer(path), left.map(Self.text),
        right.map(Self.text), "the source says")
    }
    // Only its spelling would change: that is no difference, but nothing that two imports should do either.
    if summary.differences == count { summary.normalised["another spelling", default: 0] += 1 }
  }

  private static func node(_ line: UnsafeBufferPointer<UInt8>, _ tape: inout JSONTape) throws -> JSONNode {
    guard let parse = try? tape.parse(line), let base = line.baseAddress else {
      throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
    }
    return JSONNode(text: base, tokens: tape.tokens, index: parse.root)
  }

  private static func text(_ node: JSONNode) -> String { String(decoding: node.raw, as: UTF8.self) }

  private func add(
    _ kind: RecordKind, _ sourceID: String?, _ targetID: String?, _ title: String, _ path: JSONPointer,
    _ left: String?, _ right: String?, _ speaker: String = "the source says"
  ) {
    summary.differences += 1
    guard differences.count < Proof.kept else { return }
    differences.append(
      ProofDifference(
        kind: kind, sourceID: sourceID, targetID: targetID, title: title, path: path, source: left, target: right,
        speaker: speaker))
  }
}

/// What an import says that it wrote, in the order in which records are compared; sorted on disk.
private final class ImportWrites: ImportObserver {
  private let sorter = ExternalSorter { SortedRecords.key(of: $0).append(to: &$1) }

  func note(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside:
      if let after = decision.after {
        try sorter.add(after)
      } else if let hash = decision.hashAfter {
        try add(decision.kind, decision.id, hash: hash)
      }
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  /// Of what is new, an import says the hash.
  private func add(_ kind: RecordKind, _ id: String, hash: String) throws {
    var line = ByteBuffer(capacity: 160)
    line.append("{\"kind\":")
    line.appendJSONString(kind.name)
    line.append(",\"id\":")
    line.appendJSONString(id)
    line.append(",\"sha256_of_line\":")
    line.appendJSONString(hash)
    line.append("}")
    try sorter.add(line.bytes)
  }

  /// The hash that an entry stands for; nil for a whole record.
  static func hash(of line: [UInt8]) -> String? {
    guard line.count < 1 << 12 else { return nil }
    return (try? JSONDocument(parsing: line))?.root["sha256_of_line"]?.string
  }

  func finish(_ tally: Tally) throws {}

  /// All of it, the last word on a record last.
  func sorted() throws -> SortedRecords {
    try sorter.sort()
    return SortedRecords(sorter)
  }
}

/// Notes what an import would still change after it was done: nothing, if the library has what the sources say.
private final class ImportReplay: ImportObserver {
  private let walk: ImportWalk

  init(_ walk: ImportWalk) { self.walk = walk }

  func note(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside: try walk.isStillWanted(decision)
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  func finish(_ tally: Tally) throws {}
}
