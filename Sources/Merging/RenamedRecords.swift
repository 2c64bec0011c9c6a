import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteLibrary

/// Finds records of a source that have another id there now: the one that this source used to have is gone, and a new
/// one is the same.
///
/// Without a question: where the text is the same, and unique on both sides. With a question: notes of a folder that was
/// moved, by their paths; and a note most of whose parts were in a note that is gone. Never by title.
/// - Source: docs/DESIGN.md, section 6
struct RenamedRecords {
  /// A record of the library that its source does not have any more.
  private struct Gone {
    let kind: RecordKind
    let target: String
    /// Its id in the source.
    let id: String
    let hash: String
  }

  /// A record of the source that the library does not have.
  private struct New {
    let kind: RecordKind
    let hash: String
    let place: String
    let title: String
    let type: String?
    /// The path of a note without an id.
    let path: String?
    let parts: TextParts?
  }

  /// The library's record that a new one is.
  private struct Match {
    let kind: RecordKind
    let target: String
    var former: (source: Int64, id: String)?
  }

  /// So many notes are compared with so many.
  private static let mostCompared = 1000

  private let writer: LibraryImportWriter
  private let source: CurrentSource

  init(_ writer: LibraryImportWriter, _ source: CurrentSource) {
    self.writer = writer
    self.source = source
  }

  /// Hands every record that was not found to `body`, with the library's record that it is when there is one.
  func settle(_ body: (Incoming, UnsafeBufferPointer<UInt8>?) throws -> Void) throws {
    let waiting = writer.unmatched
    if waiting.isEmpty { return }
    let gone = try self.gone()
    if gone.isEmpty, source.goneFolders.isEmpty { return try waiting.drain { try hand($0, nil, body) } }
    // Once to look at all of them, once to hand out.
    var new: [New] = []
    let again = StagedRecords(in: nil)
    try waiting.drain { entry in
      new.append(try look(at: entry, comparing: !gone.isEmpty && new.count < Self.mostCompared))
      try entry.original.withUnsafeBufferPointer {
        try again.add(
          entry.kind, place: entry.place, file: entry.file, before: nil, original: $0, line: entry.line,
          rows: entry.rows, isPartial: entry.isPartial, said: entry.said)
      }
    }
    var matches = Self.same(new, gone)
    try addMoved(new, to: &matches)
    try addRenamed(new, gone, to: &matches)
    var index = 0
    try again.drain { entry in
      defer { index += 1 }
      try hand(entry, matches[index], body)
    }
  }

  // MARK: Looking

  /// Records of the library that this source brought and does not have any more.
  private func gone() throws -> [Gone] {
    // Rows that are tried again are no source: what is not among them has not gone anywhere.
    if writer.isRetry { return [] }
    var found: [Gone] = []
    // A file that was renamed twice has left two traces of one record.
    var seen: Set<String> = []
    for kind in [RecordKind.charter, .item] {
      for (target, id, file, path) in try writer.ledger.unmet(source.id, kind) {
        // A file that is there and was not read now has not lost anything.
        guard writer.hasRead(file, path) || access(source.folder + "/" + path, F_OK) != 0,
          seen.insert(target).inserted, let line = try writer.record(kind, id: target)
        else { continue }
        found.append(Gone(kind: kind, target: target, id: id, hash: try ContentHash.of(line: line)))
      }
    }
    return found
  }

  private func look(at entry: StagedRecords.Entry, comparing: Bool) throws -> New {
    var tape = JSONTape(capacity: 256)
    let node = try writer.parse(entry.line, &tape)
    defer { withExtendedLifetime(tape) {} }
    let path = entry.kind == .item ? NotePath(node)?.path : nil
    return New(
      kind: entry.kind, hash: try ContentHash.of(line: entry.line), place: entry.place,
      title: node.member("title")?.string ?? "", type: node.member("content_type")?.string, path: path,
      parts: comparing && path != nil ? TextParts(node) : nil)
  }

  // MARK: Matching

  private static func same(_ new: [New], _ gone: [Gone]) -> [Int: Match] {
    let counts = new.reduce(into: [String: Int]()) { $0[$1.hash, default: 0] += 1 }
    let known = Dictionary(grouping: gone, by: \.hash)
    var matches: [Int: Match] = [:]
    for (index, one) in new.enumerated() where counts[one.hash] == 1 {
      guard let found = known[one.hash], found.count == 1, found[0].kind == one.kind else { continue }
      matches[index] = Match(kind: one.kind, target: found[0].target)
    }
    return matches
  }

  /// Adds the notes of a folder that was moved.
  private func addMoved(_ new: [New], to matches: inout [Int: Match]) throws {
    let open = new.indices.filter { matches[$0] == nil && new[$0].path != nil }
    var best: (folder: String, found: [Int: Match])?
    for folder in source.goneFolders where !open.isEmpty {
      var found: [Int: Match] = [:]
      for index in open {
        let id = UUIDText.derived(ofNote: new[index].path ?? "", in: folder.path)
        guard let target = try writer.ledger.item(id, of: folder.id), try writer.record(.item, id: target) != nil else {
          continue
        }
        found[index] = Match(kind: .item, target: target, former: (folder.id, id))
      }
      if found.count * 2 > open.count, found.count > best?.found.count ?? 0 { best = (folder.path, found) }
    }
    guard let best else { return }
    let count = best.found.count
    let what = "\(count) note\(count == 1 ? "" : "s") of '\(best.folder)', which is not there any more"
    let isSame = try isAccepted(
      "'\(source.folder)' has \(what). Was the folder moved?",
      Diagnostic(
        .maybeRenamed, "it has \(what); \(count == 1 ? "a new item was" : "new items were") created",
        at: Place(file: source.folder)))
    guard isSame else { return }
    writer.context.findings.report(
      Diagnostic(.renamedNote, "it has \(what): the same items", at: Place(file: source.folder)))
    for (index, match) in best.found.sorted(by: { $0.key < $1.key }) {
      matches[index] = match
      try note(new[index], match, "it was in '\(best.folder)'")
    }
  }

  /// Adds notes that were renamed and edited.
  private func addRenamed(_ new: [New], _ gone: [Gone], to matches: inout [Int: Match]) throws {
    let taken = Set(matches.values.map(\.target))
    var old: [(gone: Gone, title: String, parts: TextParts)] = []
    for one in gone where one.kind == .item && !taken.contains(one.target) && old.count < Self.mostCompared {
      guard let line = try writer.record(.item, id: one.target) else { continue }
      var tape = JSONTape(capacity: 256)
      let node = try writer.parse(line, &tape)
      if let parts = TextParts(node) { old.append((one, node.member("title")?.string ?? "", parts)) }
      withExtendedLifetime(tape) {}
    }
    let open = new.indices.filter { matches[$0] == nil && new[$0].parts != nil }
    let pairs = TextParts.pairs(open.compactMap { new[$0].parts }, old.map(\.parts))
    for (index, other) in pairs {
      let (one, former) = (new[open[index]], old[other])
      let path = try self.path(of: former.gone.target).map { " ('\($0)')" } ?? ""
      let what = "“\(former.title)”\(path), which is not there any more"
      let isSame = try isAccepted(
        "\(one.place): “\(one.title)” has most of \(what). Is it the same item?",
        Diagnostic(
          .maybeRenamed, "most of it is from \(what); a new item was created", at: Place(file: one.place),
          record: "item \(former.gone.target)", title: one.title))
      guard isSame else { continue }
      let match = Match(kind: .item, target: former.gone.target, former: (source.id, former.gone.id))
      matches[open[index]] = match
      writer.context.findings.report(
        Diagnostic(
          .renamedNote, "most of it is from \(what): the same item", at: Place(file: one.place),
          record: "item \(match.target)", title: one.title))
      try note(one, match, "it was “\(former.title)”\(path)")
    }
  }

  /// Whether a match is taken; a warning says what becomes of it otherwise.
  private func isAccepted(_ question: String, _ warning: Diagnostic) throws -> Bool {
    switch writer.policy.renames {
    case .accept: return true
    case .ask(let ask):
      // An answer is no reason for a warning.
      return try ask(question)
    case .decline:
      writer.context.findings.report(warning)
      return false
    }
  }

  private func note(_ new: New, _ match: Match, _ reason: String) throws {
    guard let observer = writer.observer else { return }
    var decision = ImportDecision(.rename, match.kind)
    decision.id = match.target
    decision.title = new.title
    decision.type = new.type
    decision.place = new.place
    decision.reason = reason
    try observer.note(decision)
  }

  /// The path that an item's note had.
  private func path(of target: String) throws -> String? {
    guard let kept = try writer.ledger.record(BesideExtras.kind, id: target) else { return nil }
    return (try? JSONDocument(parsing: kept))?.root["extras"]?["markdown"]?["path"]?.string
  }

  // MARK: Handing out

  private func hand(
    _ entry: StagedRecords.Entry, _ match: Match?, _ body: (Incoming, UnsafeBufferPointer<UInt8>?) throws -> Void
  ) throws {
    var tape = JSONTape(capacity: 256)
    let node = try writer.parse(entry.line, &tape)
    let existing = try match.flatMap { try writer.record($0.kind, id: $0.target) }
    try entry.original.withUnsafeBufferPointer { original in
      var incoming = Incoming(kind: entry.kind, node: node, line: entry.line, original: original, file: entry.file) {
        Place(file: entry.place)
      }
      incoming.rows = entry.rows.rows
      incoming.said = entry.said.map { writer.saids[$0] }
      incoming.former = match?.former
      if entry.isPartial { incoming.extent = writer.isRetry ? .some([]) : .mostly }
      try body(incoming, existing)
    }
    withExtendedLifetime(tape) {}
  }
}
