import JSONText

/// How large one record may be: it is kept in memory as a whole.
package enum RecordLimits {
  /// How many bytes a record may have as JSON, written out in full; twice its text where that is more.
  package static let bytes = 20 << 20
  /// The limit of values in words.
  package static let rule = "a million are allowed, and one more for every 16 bytes"

  /// Whether a record has few enough values. Names of members count, too.
  ///
  /// A value takes 16 bytes of memory once it is parsed, and some more while it is checked; `0,` takes two bytes of text.
  package static func fits(_ record: JSONNode) -> Bool {
    Int(record.token.next) - record.index <= 1_000_000 + Int(record.token.length) / 16
  }
}
