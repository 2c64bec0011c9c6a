import JSONText

/// How large one record may be: it is kept in memory as a whole.
package enum RecordLimits {
  /// How many bytes a record may have as JSON, written out in full; twice its text where that is more.
  package static let bytes = 20 << 20
  /// How many errors of one record are listed, and how many other findings.
  package static let findings = 10_000
  /// Follows the message of the last finding that is listed.
  package static let notListed = "; more such problems of this record are not listed"
  /// What is wrong with a record that does not fit.
  package static func problem(_ record: JSONNode) -> String { problem(values: values(record)) }

  /// What is wrong with a record of so many values.
  package static func problem(values: Int) -> String {
    "the record has \(values) values; a million are allowed, and one more for every 16 bytes"
  }

  /// Whether a record has few enough values. Names of members count, too.
  ///
  /// A value takes 16 bytes of memory once it is parsed, and some more while it is checked; `0,` takes two bytes of text.
  package static func fits(_ record: JSONNode) -> Bool {
    fits(values: values(record), bytes: Int(record.token.length))
  }

  /// Whether a text may have so many values.
  package static func fits(values: Int, bytes: Int) -> Bool { values <= 1_000_000 + bytes / 16 }

  /// Whether a record that was parsed on its own has few enough values.
  package static func fits(_ record: JSONDocument) -> Bool { record.withRoot { fits($0) } }

  private static func values(_ record: JSONNode) -> Int { Int(record.token.next) - record.index }
}
