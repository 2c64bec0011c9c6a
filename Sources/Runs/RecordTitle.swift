import JSONText

/// Reads the title of a record.
enum RecordTitle {
  /// Returns the title in a record's line, if any.
  static func of(_ line: [UInt8]?) -> String? {
    let root = line.flatMap { try? JSONDocument(parsing: $0) }?.root
    return root.flatMap { ($0["title"] ?? $0["name"])?.string }
  }
}
