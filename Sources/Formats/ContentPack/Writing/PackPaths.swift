import Content

/// The paths in a pack, relative to `data/`.
public enum PackPaths {
  /// The folder that contains a bag's payload.
  public static let payload = "data/"
  /// The bundle of all records that are not items.
  public static let records = "records.jsonl"
  /// The file that lists the origins of the items.
  public static let attribution = "ATTRIBUTION.md"
  /// The folder of attachment files.
  public static let media = "media"

  /// Returns the folder for items of a type.
  public static func folder(of type: ContentType) -> String {
    switch type {
    case .checklist: "checklists"
    case .practiceGuide: "guides"
    case .flashcardDeck: "decks"
    }
  }

  /// Returns the path of an attachment file: its SHA-256, with the extension of the attachment's name if the extension
  /// is short and plain.
  public static func media(sha256: String, name: String) -> String {
    let bytes = Array(name.utf8)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "\(media)/\(sha256)" }
    let ending = bytes[(dot + 1)...].map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    let isPlain = ending.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isPlain, !ending.isEmpty, ending.count <= 8 else { return "\(media)/\(sha256)" }
    return "\(media)/\(sha256).\(String(decoding: ending, as: UTF8.self))"
  }
}
