import Content

/// Where things lie in a pack, below `data/`.
public enum PackPaths {
  /// What everything in a bag lies below.
  public static let payload = "data/"
  /// The bundle of everything that is no item.
  public static let records = "records.jsonl"
  /// Whose work the items are.
  public static let attribution = "ATTRIBUTION.md"
  /// The folder of attachments.
  public static let media = "media"

  /// The folder of items of a type.
  public static func folder(of type: ContentType) -> String {
    switch type {
    case .checklist: "checklists"
    case .practiceGuide: "guides"
    case .flashcardDeck: "decks"
    }
  }

  /// Where the bytes of an attachment lie: their SHA-256 with the ending of the attachment's name, as far as that is a
  /// plain one.
  public static func media(sha256: String, name: String) -> String {
    let bytes = Array(name.utf8)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "\(media)/\(sha256)" }
    let ending = bytes[(dot + 1)...].map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    let isPlain = ending.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isPlain, !ending.isEmpty, ending.count <= 8 else { return "\(media)/\(sha256)" }
    return "\(media)/\(sha256).\(String(decoding: ending, as: UTF8.self))"
  }
}
