import FleetKit

/// The result of reading a file.
struct Reading {
  /// The canonical lines of the file's records.
  var lines: [[UInt8]] = []
  /// The number of rejected records.
  var rejected = 0
  /// Whether the source was read to its end.
  var isWhole = false

  /// Reads every record of a file, and asks for its place.
  /// - Parameter format: the name of the format, as in `--format`.
  init(_ path: String, format: String, options: ReadingOptions = ReadingOptions()) {
    let context = RunContext(reading: options, now: Timestamp(milliseconds: 1_700_000_000_000))
    let whole: Void? = attempt {
      let reader = try FormatRegistry.standard.format(FormatID(format)).reader(of: Source(path), context: context)
      while let batch = try reader.next() {
        rejected += batch.rejectedCount
        for record in batch.records { take(record) }
      }
    }
    isWhole = whole != nil
    // Messages and places are also made from content.
    for finding in context.findings.kept { _ = finding.message.utf8.count }
  }

  private mutating func take(_ record: Record) {
    let document: JSONDocument
    do {
      document = try record.document()
    } catch {
      finding("a record is not JSON: \(error)")
    }
    var pointers = [JSONPointer()]
    document.withRoot { root in Self.pointers(root, JSONPointer(), &pointers) }
    // A few places in each record are enough: records with thousands of members are read in the same way.
    for pointer in pointers.prefix(40) {
      _ = record.place(at: pointer)
      _ = record.locate(pointer, part: .value)
    }
    _ = try? TypedRecord(record).canonicalLine()
    lines.append(record.bytes)
  }

  private static func pointers(_ node: JSONNode, _ path: JSONPointer, _ all: inout [JSONPointer]) {
    guard all.count < 40 else { return }
    all.append(path)
    switch node.kind {
    case .object:
      node.forEachMember { (name: JSONNode, value: JSONNode) in
        if let name = name.string { pointers(value, path.appending(.member(name)), &all) }
      }
    case .array:
      var index = 0
      node.forEachElement { (value: JSONNode) in
        pointers(value, path.appending(.element(index)), &all)
        index += 1
      }
    default: break
    }
  }
}
