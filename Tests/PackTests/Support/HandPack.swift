import ArchiveIO
import Content
import ContentPack
import FleetKit
import Foundation
import TestSupport

/// A pack that a test writes file by file, without the pack builder.
struct HandPack {
  /// The files below `data/` with their texts, in order.
  var files: [(path: String, text: String)] = []
  /// The index entries as JSON; nil lists the files that were added.
  var index: [String] = []
  var name = "hand-made"
  var version = "1.0.0"
  /// Members of `pack.json` in addition to the required ones, each followed by a comma.
  var more = ""

  /// The id of a checklist whose step causes no findings.
  static let checklistID = "9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10"
  static let guideID = "1E0E8A0C-4A0F-4B52-9E43-5E2C7E0D1F01"

  /// Adds a file that the index lists.
  mutating func add(_ path: String, _ text: String, id: String, type: String, title: String, language: String = "en") {
    files.append((path, text))
    let hash = Digest.hex(Digest.sha256(text.utf8.span))
    index.append(
      """
          {"id": "\(id)", "content_type": "\(type)", "title": "\(title)", "language": "\(language)",
           "path": "\(path)", "sha256": "\(hash)"}
      """)
  }

  /// Returns a checklist as JSON on several lines.
  static func checklist(
    _ title: String = "Leaving the berth", id: String = checklistID, step: String = "Start the engine",
    minutes: String = "5"
  ) -> String {
    """
    {
      "kind": "item",
      "id": "\(id)",
      "content_type": "checklist",
      "title": "\(title)",
      "description": "Before we cast off.",
      "language": "en",
      "created_at": "2026-01-05T10:11:12.345Z",
      "updated_at": "2026-01-05T10:11:12.345Z",
      "content_data": {
        "sections": [
          {"title": "Engine", "items": [
            {"title": "\(step)", "estimatedMinutes": \(minutes)}
          ]}
        ]
      }
    }

    """
  }

  /// Returns a note with front matter and text.
  static func guide(_ title: String = "Anchoring", id: String? = guideID, body: String = "Five times the depth.")
    -> String
  {
    """
    ---
    type: guide
    \(id.map { "id: \($0)\n" } ?? "")title: \(title)
    description: How to stay where we are.
    language: en
    created: 2026-01-05T10:11:12.345Z
    updated: 2026-01-05T10:11:12.345Z
    ---

    \(body)

    """
  }

  /// A pack with one checklist and one guide.
  static var small: HandPack {
    var pack = HandPack()
    pack.add("checklists/berth.json", checklist(), id: checklistID, type: "checklist", title: "Leaving the berth")
    pack.add("guides/anchoring.md", guide(), id: guideID, type: "practice_guide", title: "Anchoring")
    return pack
  }

  /// The content of `pack.json`.
  var info: String {
    """
    {
      "format": "fleetkit.pack",
      "format_version": 1,
      "min_reader": 1,
      "name": "\(name)",
      "version": "\(version)",
      "publisher": "Blue Sea Sailing School",
      "licence": "CC-BY-4.0",
      "description": "What a crew needs.",
      "languages": ["en"],
      \(more)"items": [
    \(index.joined(separator: ",\n"))
      ]
    }

    """
  }

  /// Writes the pack.
  /// - Parameter info: the content of `pack.json` if it differs from `info`.
  @discardableResult
  func write(_ path: String, _ kind: ArchiveKind, info: String? = nil) throws -> String {
    let bag = try BagWriter(path, kind: kind)
    for file in files {
      _ = try bag.add("data/" + file.path, Array(file.text.utf8).span)
    }
    try bag.prepare(first: (PackInfo.path, Array((info ?? self.info).utf8)), info: BagInfo())
    _ = try bag.finish()
    return path
  }

  /// Returns the name of a pack of the given kind in a folder.
  static func name(_ kind: ArchiveKind) -> String { kind == .folder ? "first" : "first." + kind.rawValue }
}
