import Content
import Diagnostics
import Foundation
import JSONText

/// Finds records of a source that have got another id there: one that this source used to have is gone, and a new
/// one says the same.
///
/// Only if the old one has vanished from the same source and the text is unique on both sides; never by title.
/// - Source: docs/DESIGN.md, section 6
struct RenamedRecords {
  private let writer: LibraryImportWriter
  private let source: Int64
  private let folder: String

  init(_ writer: LibraryImportWriter, _ source: Int64, folder: String) {
    self.writer = writer
    self.source = source
    self.folder = folder
  }

  /// Hands every record that was not found to `body`, with the library's record that it is when there is one.
  func settle(_ body: (Incoming, UnsafeBufferPointer<UInt8>?) throws -> Void) throws {
    let waiting = writer.unmatched
    if waiting.isEmpty { return }
    let known = try vanished()
    if known.isEmpty { return try waiting.drain { try hand($0, nil, body) } }
    // Once to count what says the same, once to hand out.
    var counts: [String: Int] = [:]
    let again = StagedRecords(in: nil)
    try waiting.drain { entry in
      counts[try ContentHash.of(line: entry.line), default: 0] += 1
      try entry.original.withUnsafeBufferPointer {
        try again.add(
          entry.kind, place: entry.place, file: entry.file, before: nil, original: $0, line: entry.line,
          rows: entry.rows, isPartial: entry.isPartial, said: entry.said)
      }
    }
    try again.drain { entry in
      let hash = try ContentHash.of(line: entry.line)
      let targets = known[hash] ?? []
      guard counts[hash] == 1, targets.count == 1, let target = targets.first, target.kind == entry.kind else {
        return try hand(entry, nil, body)
      }
      let line = try writer.record(target.kind, id: target.id)
      try hand(entry, line, body)
    }
  }

  /// Records of the library that this source brought and does not have any more, by what they say now.
  private func vanished() throws -> [String: [(kind: RecordKind, id: String)]] {
    // Rows that are tried again are no source: what is not among them has not gone anywhere.
    if writer.isRetry { return [:] }
    var found: [String: [(kind: RecordKind, id: String)]] = [:]
    for kind in [RecordKind.charter, .item] {
      for (target, file, path) in try writer.ledger.unmet(source, kind) {
        // A file that is there and was not read now has not lost anything.
        guard writer.hasRead(file, path) || access(folder + "/" + path, F_OK) != 0 else { continue }
        guard let line = try writer.record(kind, id: target) else { continue }
        let hash = try ContentHash.of(line: line)
        // A file that was renamed twice has left two traces of one record.
        if found[hash, default: []].contains(where: { $0.id == target }) { continue }
        found[hash, default: []].append((kind, target))
      }
    }
    return found
  }

  private func hand(
    _ entry: StagedRecords.Entry, _ existing: UnsafeBufferPointer<UInt8>?,
    _ body: (Incoming, UnsafeBufferPointer<UInt8>?) throws -> Void
  ) throws {
    var tape = JSONTape(capacity: 256)
    let node = try writer.parse(entry.line, &tape)
    try entry.original.withUnsafeBufferPointer { original in
      var incoming = Incoming(kind: entry.kind, node: node, line: entry.line, original: original, file: entry.file) {
        Place(file: entry.place)
      }
      incoming.rows = entry.rows.rows
      incoming.said = entry.said.map { writer.saids[$0] }
      if entry.isPartial { incoming.extent = writer.isRetry ? .some([]) : .mostly }
      try body(incoming, existing)
    }
    withExtendedLifetime(tape) {}
  }
}
