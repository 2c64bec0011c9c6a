import JSONText

/// What the ledger remembers of a migration, so that it can be undone.
struct MigrationRecord {
  let from: String
  let to: String
  /// `LibraryFingerprint` of the library after it.
  let after: String

  /// What such runs are called in the ledger.
  static let command = "migrate"

  init(from: String, to: String, after: String) {
    self.from = from
    self.to = to
    self.after = after
  }

  init?(_ text: String?) {
    guard let text, let root = (try? JSONDocument(parsing: text))?.root, let from = root["from"]?.string,
      let to = root["to"]?.string, let after = root["after"]?.string
    else { return nil }
    self.init(from: from, to: to, after: after)
  }

  var text: String { #"{"from":"\#(from)","to":"\#(to)","after":"\#(after)"}"# }
}
