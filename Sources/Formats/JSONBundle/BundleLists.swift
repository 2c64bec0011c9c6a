import Content

/// The names of a `.json` bundle's members.
enum BundleLists {
  /// Records whose kind is in themselves.
  static let anyKind = RecordKind("")
  /// The list of records of kinds that FleetKit does not know.
  static let others = "others"
  /// Members that are about the bundle itself.
  static let headerNames: Set<String> = ["format", "version", "min_reader", "$schema"]

  /// Members by which a document that is one record gives itself away.
  static let recordNames: Set<String> = [
    "kind", "id", "content_type", "content_data", "title", "description", "tags", "language", "name",
  ]

  /// The kind that a list holds; nil when the name is no list of records.
  static func kind(ofList name: String) -> RecordKind? {
    if name == others { return anyKind }
    return RecordKind.known.first { $0.listName == name }
  }

  /// The pseudo-kind of a member that FleetKit does not know: it travels as a record of its own.
  static func memberKind(_ name: String) -> RecordKind { RecordKind("member:" + name) }

  /// The name of the unknown member that a pseudo-kind stands for.
  static func memberName(_ kind: RecordKind) -> String? {
    kind.name.hasPrefix("member:") ? String(kind.name.dropFirst(7)) : nil
  }
}
