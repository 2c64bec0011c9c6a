import Content
import FleetKit
import Foundation

/// Scripted content as records.
extension MergeElement {
  /// Returns the canonical line that a library would hold.
  func line() throws -> [UInt8] {
    let type = kind == .checklist ? "checklist" : kind == .guide ? "practice_guide" : "flashcard_deck"
    var document: [(String, String)] = []
    switch kind {
    case .checklist: document.append(("sections", Self.array(try children.map { try $0.json() })))
    case .deck: document.append(("cards", Self.array(try children.map { try $0.json() })))
    default: document.append(("markdown", Self.quote(text ?? "")))
    }
    document += members.filter { $0.path.count == 2 && $0.path[0] == "content_data" }.map { ($0.path[1], $0.json) }
    var record = [
      ("kind", "\"item\""), ("id", Self.quote(Self.uuid("record"))), ("content_type", Self.quote(type)),
      ("title", Self.quote(title)), ("tags", Self.array(tags.map(Self.quote))),
      ("content_data", Self.object(document)),
    ]
    if kind != .guide, let text { record.append(("description", Self.quote(text))) }
    for (path, json) in members where path.count == 1 { record.append((path[0], json)) }
    return Array(try TypedRecord.other(kind: .item, json: Self.object(record)).canonicalLine().utf8)
  }

  private func json() throws -> String {
    var own: [(String, String)] = [("id", Self.quote(Self.uuid(id)))]
    let isCard = kind == .step && members.contains { $0.path == ["front"] }
    if isCard { throw NotationError("front is no member of its own: \(id)") }
    own.append((kind == .step && isOfDeck ? "front" : "title", Self.quote(title)))
    if kind == .section {
      own.append(("items", Self.array(try children.map { try $0.json() })))
      if let text { own.append(("description", Self.quote(text))) }
    } else if isOfDeck {
      own.append(("back", Self.quote(text ?? "")))
      own.append(("tags", Self.array(tags.map(Self.quote))))
    } else {
      if let text { own.append(("itemDescription", Self.quote(text))) }
      own.append(("isRequired", "\(isRequired)"))
      own.append(("isOptional", "\(isOptional)"))
      own.append(("tags", Self.array(tags.map(Self.quote))))
      if let minutes { own.append(("estimatedMinutes", "\(minutes)")) }
    }
    for (path, json) in members {
      own.removeAll { $0.0 == path[0] }
      own.append((path[0], json))
    }
    return Self.object(own)
  }

  /// Marks steps as cards, because the notation does not distinguish them.
  func inDeck() -> MergeElement {
    var copy = self
    if kind == .deck {
      copy.children = children.map {
        var card = $0; card.isOfDeck = true; return card
      }
    }
    return copy
  }

  /// Returns an id that looks random, as the app's ids do, and that depends only on the short id.
  static func uuid(_ short: String) -> String {
    let digest = Digest.sha256(short.utf8.span)
    var hex = Array(Digest.hex(digest).uppercased().prefix(32))
    hex[12] = "4"
    hex[16] = "8"
    let text = String(hex)
    var parts: [Substring] = []
    var at = text.startIndex
    for length in [8, 4, 4, 4, 12] {
      let end = text.index(at, offsetBy: length)
      parts.append(text[at..<end])
      at = end
    }
    return parts.joined(separator: "-")
  }

  // MARK: JSON

  private static func quote(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case _ where scalar.value < 0x20:
        out += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { quote($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
  }
}
