import Content
import Diagnostics
import Interchange
import JSONBundle
import JSONText
import SQLiteLibrary

/// Records that are removed from the library, or originals of changed records, kept on disk until they become a
/// bundle.
final class QuarantineWriter {
  private var kept: [LibraryDoctor.KeptRecord] = []
  private let spool: LineSpool

  init() throws { spool = try LineSpool() }

  var isEmpty: Bool { kept.isEmpty }

  /// The collected records, in the order of bundles.
  var entries: [LibraryDoctor.KeptRecord] {
    kept.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if a.kind != b.kind { return (a.kind.rank, a.kind.name) < (b.kind.rank, b.kind.name) }
      if let first = Int(a.id), let second = Int(b.id), first != second { return first < second }
      return (a.id, left.offset) < (b.id, right.offset)
    }.map(\.element)
  }

  /// Keeps a record unchanged.
  /// - Parameter title: the record's title, if the record itself has none.
  func add(_ line: UnsafeBufferPointer<UInt8>, title: String? = nil) throws {
    try spool.append(line.span)
    appendEntry(line, title, nil)
  }

  /// Keeps a record together with the reason for its quarantine, under `extras.quarantine`.
  func add(_ line: UnsafeBufferPointer<UInt8>, because reason: String, title: String? = nil) throws {
    var marked = ByteBuffer(capacity: line.count + 128)
    Self.append(line, reason, into: &marked)
    try spool.append(marked.bytes.span)
    appendEntry(line, title, reason)
  }

  private func appendEntry(_ line: UnsafeBufferPointer<UInt8>, _ title: String?, _ reason: String?) {
    kept.append(
      LibraryDoctor.KeptRecord(
        kind: RecordLine.kind(of: line.span) ?? .foreign, id: RecordLine.id(of: line.span) ?? "",
        title: title ?? RecordLine.title(of: line.span), reason: reason))
  }

  private static func append(_ line: UnsafeBufferPointer<UInt8>, _ reason: String, into out: inout ByteBuffer) {
    var words = ByteBuffer(capacity: 64)
    words.append("\"quarantine\":{\"reason\":")
    words.appendJSONString(reason)
    words.append("}")
    let extras = (try? JSONDocument(parsing: line.span))?.root["extras"]
    // Extras come last in a canonical line. Foreign records have no extras.
    let end = line.count - 1 - (extras == nil ? 0 : 1)
    out.append(UnsafeBufferPointer(rebasing: line[0..<max(0, end)]).span)
    if let extras {
      if !extras.members.isEmpty { out.append(",") }
      out.append(words.bytes.span)
      out.append("}}")
    } else {
      out.append(",\"extras\":{")
      out.append(words.bytes.span)
      out.append("}}")
    }
  }

  /// Writes a bundle of all records, synced and under its final name.
  /// - Throws: `RunFailure` if the bundle cannot be written.
  func publish(to path: String, now: Timestamp) throws {
    let context = RunContext(now: now)
    let writer = try JSONBundleFormat(.lines).writer(to: Target(path), context: context)
    var tally = Tally()
    let rejects = RejectsWriter(target: path, asArray: false)
    do {
      try spool.rewind()
      while try spool.advance() {
        let line = spool.line
        let batch = RecordBatch(locator: FileLocator(path, showing: .record), capacity: line.count + 64)
        batch.canonical.append(line.span)
        batch.appendSlot(RecordLine.kind(of: line.span) ?? .foreign, from: 0)
        try writer.write(batch, tally: &tally, rejects: rejects)
      }
      try writer.prepare(tally: &tally, rejects: rejects)
      _ = try writer.finish()
    } catch {
      writer.abort()
      throw error
    }
  }

  /// Adds the original content of damaged columns.
  /// - Throws: `RunFailure` if the text file cannot be written.
  func addTexts(to texts: OriginalTexts) throws {
    try spool.rewind()
    while try spool.advance() {
      guard let record = try? JSONDocument(parsing: spool.line.span) else { continue }
      try record.withRoot { try texts.add($0) }
    }
  }
}
