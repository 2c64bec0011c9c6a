import JSONText

/// What a record is called.
enum RecordTitle {
  /// The title in a record's line; nil when it has none.
  static func of(_ line: [UInt8]?) -> String? {
    let root = line.flatMap { try? JSONDocument(parsing: $0) }?.root
    return root.flatMap { ($0["title"] ?? $0["name"])?.string }
  }
}
