import Content
import Foundation
import Interchange
import JSONText
import Merging
import Proving
import RecordSources
import SQLiteLibrary

/// Runs an import and proves that it changed the library as it should.
///
/// The proof checks three conditions with readers and connections that are independent of the run. The library holds
/// what the run reports as written. All other records are unchanged. The same sources, read again and compared with the
/// library as an import would do, cause no further changes. The proof costs about two more readings of the library, a
/// copy of it, and one more reading of the sources. Memory does not grow with the library or the sources.
package final class ImportProof {
  private let libraryImport: LibraryImport
  private let context: RunContext
  private let losses: LossArchive
  private let writes = ImportWrites()
  private let walk = ImportWalk()
  private var fingerprint: LibraryFingerprint?
  private var before: SortedRecords?

  /// Prepares the proof.
  /// - Throws: `RunFailure` with status 64 if the sources cannot be read twice.
  package init(_ libraryImport: LibraryImport, context: RunContext) throws {
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.usage, "prove the import into '\(libraryImport.library)': \(why)", advice: advice)
    }
    if context.dryRun { throw refuse("--dry-run writes nothing", "Remove one of the two options.") }
    if libraryImport.sources.entries.contains(where: \.source.isStandardInput) {
      throw refuse("standard input cannot be read again", "Save it to a file first.")
    }
    if libraryImport.retry != nil {
      throw refuse("rejected rows can be added to their checklists only once", "Import them without a proof.")
    }
    self.libraryImport = libraryImport
    self.context = context
    losses = try LossArchive(of: context.losses)
  }

  /// Runs the import and proves it.
  /// - Throws: the errors of the import; `ProofFailure` if the library does not hold what it must. In this case, the
  ///   library has already been changed.
  package func run() throws -> LibraryImport.Report {
    try readBefore()
    var report = try importAll()
    report.summary.proof = try prove(report)
    return report
  }

  /// Reads the library before the import.
  package func readBefore() throws {
    guard access(libraryImport.library, F_OK) == 0 else { return }
    fingerprint = try LibraryFingerprint(of: libraryImport.library)
    before = try records()
  }

  /// Imports and records everything that is written.
  package func importAll() throws -> LibraryImport.Report {
    defer { context.losses.observe(nil) }
    return try libraryImport.run(context: context, observer: writes) { [self] now, _ in
      // The run is not responsible for what other programs have written meanwhile.
      guard try now.value()?.sha256 == fingerprint?.sha256 else {
        throw RunFailure(
          .locked,
          "prove the import into '\(libraryImport.library)': another program wrote to the library; nothing was imported",
          advice: "Try again when no other program writes to it.")
      }
    }
  }

  /// Reads the library after the import and compares it with its expected content.
  package func prove(_ report: LibraryImport.Report) throws -> ProofSummary {
    try walk.run(before: before, written: writes.sorted(), after: try records())
    walk.summary.losses = losses.count
    try replay()
    guard walk.summary.holds else { throw try failure(report) }
    return walk.summary
  }

  private func records() throws -> SortedRecords {
    try SortedRecords(library(), selection: nil, context: ProofContext(of: context).ofTarget())
  }

  private func library() throws -> SourceList { try SourceList([libraryImport.library], format: .library) }

  /// Compares the sources with the library once more. Any change that an import would still make is a difference.
  private func replay() throws {
    var rehearsal = libraryImport
    rehearsal.proves = false
    rehearsal.createsLibrary = false
    rehearsal.onProgress = nil
    // Questions are not repeated, because the answers are in the library.
    if case .ask = rehearsal.settling { rehearsal.settling = .reject }
    let reading = ProofContext(of: context)
    let observer = ImportReplay(walk)
    _ = try rehearsal.run(context: reading.ofRehearsal(), observer: observer)
  }

  private func failure(_ report: LibraryImport.Report) throws -> ProofFailure {
    let path = libraryImport.library
    let findings = try ProofPlaces(
      walk.differences, source: libraryImport.sources, target: library(), reading: ProofContext(of: context),
      naming: nil
    ).findings()
    let count = walk.summary.differences
    return ProofFailure(
      summary: walk.summary, differences: findings,
      failure: RunFailure(
        .mismatch,
        "prove run \(report.run) of '\(path)': \(count) difference\(count == 1 ? "" : "s") without an explanation; "
          + "the library was written to",
        advice: report.isNew
          ? "The library was made by this run: remove it, and please report this problem with the places listed above."
          : "'fleetkit undo \(path) \(report.run)' undoes the run; please report this problem with the places listed above."
      ))
  }
}

/// Compares a library with its state before an import and with the records that the import reports as written.
private final class ImportWalk {
  private var tape = JSONTape(capacity: 1024)
  private var otherTape = JSONTape(capacity: 1024)
  /// The counts of the proof.
  var summary = ProofSummary()
  /// The first differences.
  private(set) var differences: [ProofDifference] = []

  /// Compares all three lists to their ends. The lists are in the same order.
  /// - Parameter before: nil if the library did not exist.
  func run(before: SortedRecords?, written: SortedRecords, after: SortedRecords) throws {
    var old = try before?.next()
    var reported = try written.next()
    var now = try after.next()
    while let key = [old?.key, reported?.key, now?.key].compactMap({ $0 }).min() {
      try Interruption.check()
      let was = old?.key == key ? old : nil
      var wrote: SortedRecords.Entry?
      while let next = reported, next.key == key {
        wrote = next
        reported = try written.next()
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
      speaker: wrote == nil ? "before the import, which did not change it, the library had" : "the import wrote")
  }

  /// Whether a record is the queue row that restoring writes for a public item.
  private func isPublishedRow(_ found: SortedRecords.Entry) throws -> Bool {
    guard found.kind == .syncOperation else { return false }
    let isOne = try tape.withRecord(found.line.span) { PublishedRows.isOne($0) }
    if isOne { summary.normalised[PublishedRows.rule, default: 0] += 1 }
    return isOne
  }

  private func compare(
    _ expected: [UInt8], _ found: [UInt8], isCounted: Bool, kind: RecordKind, id: String, title: String,
    speaker: String
  ) throws {
    let isSame = expected == found
    if isSame, !isCounted { return }
    try tape.withRecord(expected.span) { mine in
      var walk = FieldWalk()
      if isSame {
        walk.count(mine)
      } else {
        try otherTape.withRecord(found.span) { theirs in
          walk.compare(mine, theirs) { path, left, right in
            // The path and the notation of a note are in the sidecar and may change while its text stays the same.
            if path.count >= 2, path[0] == .member("extras"),
              path[1] == .member("markdown") || path[1] == .member("provenance")
            {
              summary.normalised["how notes are typed", default: 0] += 1
              return
            }
            if path.count >= 2, path[0] == .member("extras"), case .member(let inner) = path[1],
              SidecarExtras.holds(inner)
            {
              summary.normalised["what other apps have of records", default: 0] += 1
              return
            }
            add(
              kind, id, id, title, JSONPointer(path), left.map(Self.text), right.map(Self.text), speaker)
          }
        }
      }
      if isCounted { summary.fields += walk.fields }
    }
  }

  /// Compares a new record with the hash of what was written.
  private func compare(_ hash: String, _ found: SortedRecords.Entry) throws {
    let own: String = try tape.withRecord(found.line.span) { node in
      var walk = FieldWalk()
      walk.count(node)
      summary.fields += walk.fields
      let whole = Digest.hex(Digest.sha256(found.line.span))
      guard whole != hash else { return whole }
      let bare = Self.withoutNote(found.line.span, node)
      return Digest.hex(Digest.sha256(bare.span))
    }
    guard own != hash else { return }
    add(
      found.kind, found.id, found.id, found.title, JSONPointer(), "a record with SHA-256 \(hash)",
      "one with \(own)", "the import wrote")
  }

  /// Returns a line without the extras that are written to the sidecar afterwards.
  private static func withoutNote(_ line: Span<UInt8>, _ node: JSONNode) -> [UInt8] {
    var cut: Range<Int>?
    node.forEachMember { name, value in
      guard name.equals("extras") else { return }
      var isNote = true
      value.forEachMember { inner, _ in
        if !SidecarExtras.holds(inner) { isNote = false }
      }
      if isNote { cut = name.span.lowerBound - 1..<value.span.upperBound }
    }
    guard let cut, cut.lowerBound > 0 else { return [UInt8](line) }
    return [UInt8](line.extracting(first: cut.lowerBound)) + [UInt8](line.extracting(droppingFirst: cut.upperBound))
  }

  /// Adds the changes that an import of the same sources would still make in the library.
  fileprivate func isStillWanted(_ decision: ImportDecision) throws {
    let id = decision.sourceID ?? decision.id
    guard let before = decision.before, let after = decision.after else {
      return add(decision.kind, id, nil, decision.title ?? "", JSONPointer(), nil, nil)
    }
    let count = summary.differences
    var walk = FieldWalk()
    try tape.withRecord(after.span) { mine in
      try otherTape.withRecord(before.span) { theirs in
        walk.compare(mine, theirs) { path, left, right in
          add(
            decision.kind, id, decision.id, decision.title ?? "", JSONPointer(path), left.map(Self.text),
            right.map(Self.text), "the source has")
        }
      }
    }
    // Only the spelling of the line would change. This is not a difference, but two imports in a row should not change
    // the spelling.
    if summary.differences == count { summary.normalised["another spelling", default: 0] += 1 }
  }

  private static func text(_ node: JSONNode) -> String { String(decoding: node.raw, as: UTF8.self) }

  private func add(
    _ kind: RecordKind, _ sourceID: String?, _ targetID: String?, _ title: String, _ path: JSONPointer,
    _ left: String?, _ right: String?, _ speaker: String = "the source has"
  ) {
    summary.differences += 1
    guard differences.count < Proof.kept else { return }
    differences.append(
      ProofDifference(
        kind: kind, sourceID: sourceID, targetID: targetID, title: title, path: path, source: left, target: right,
        speaker: speaker))
  }
}

/// The records that an import reports as written, in the order in which records are compared. They are sorted on disk.
private final class ImportWrites: ImportObserver {
  private let sorter = ExternalSorter { SortedRecords.key(of: $0).append(to: &$1) }

  func receive(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside:
      if let after = decision.after {
        try sorter.add(after.span)
      } else if let hash = decision.hashAfter {
        try add(decision.kind, decision.id, hash: hash)
      }
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  /// Adds the hash of a new record, because an import only reports the hash of such a record.
  private func add(_ kind: RecordKind, _ id: String, hash: String) throws {
    var line = ByteBuffer(capacity: 160)
    line.append("{\"kind\":")
    line.appendJSONString(kind.name)
    line.append(",\"id\":")
    line.appendJSONString(id)
    line.append(",\"sha256_of_line\":")
    line.appendJSONString(hash)
    line.append("}")
    try sorter.add(line.bytes.span)
  }

  /// Returns the hash that an entry represents; nil for a whole record.
  static func hash(of line: [UInt8]) -> String? {
    guard line.count < 1 << 12 else { return nil }
    return (try? JSONDocument(parsing: line))?.root["sha256_of_line"]?.string
  }

  func finish(_ tally: Tally) throws {}

  /// Returns all records, sorted. If there are several versions of a record, the latest one comes last.
  func sorted() throws -> SortedRecords {
    try sorter.sort()
    return SortedRecords(sorter)
  }
}

/// Records what an import would still change afterwards. No changes may remain if the library holds what the sources
/// contain.
private final class ImportReplay: ImportObserver {
  private let walk: ImportWalk

  init(_ walk: ImportWalk) { self.walk = walk }

  func receive(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside: try walk.isStillWanted(decision)
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  func finish(_ tally: Tally) throws {}
}
