import Content

extension MetadataKeys {
  /// Whether a name is that of a member which every envelope has.
  static func isEnvelope(_ name: String) -> Bool { envelope.contains(name) }

  private static let envelope = Set(Shapes.item.members.map(\.nameText))
}
