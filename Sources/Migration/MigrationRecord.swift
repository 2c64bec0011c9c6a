import JSONText

/// The record of a migration in the ledger. It contains what is needed to undo the migration.
struct MigrationRecord {
  let from: String
  let to: String
  /// The `DatabaseContentHash` of the library after the migration.
  let after: String
  /// The SHA-256 of the backup from before the migration; nil in records made by FleetKit before version 0.2.
  let backup: String?

  /// The command of migrations in the ledger.
  static let command = "migrate"

  init(from: String, to: String, after: String, backup: String) {
    self.from = from
    self.to = to
    self.after = after
    self.backup = backup
  }

  init?(_ text: String?) {
    guard let text, let root = (try? JSONDocument(parsing: text))?.root, let from = root["from"]?.string,
      let to = root["to"]?.string, let after = root["after"]?.string
    else { return nil }
    self.from = from
    self.to = to
    self.after = after
    backup = root["backup_sha256"]?.string
  }

  var text: String {
    let members = [("from", from), ("to", to), ("after", after), ("backup_sha256", backup ?? "")]
    var out = ByteBuffer(capacity: 256)
    for (name, value) in members {
      out.append(out.count == 0 ? "{" : ",")
      out.appendJSONString(name)
      out.append(":")
      out.appendJSONString(value)
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
