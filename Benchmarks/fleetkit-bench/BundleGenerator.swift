import Foundation

/// Makes bundles; the same number of records always gives the same bundle.
///
/// The bundles have checklists of about 3 KB: two or three sections, six to fifteen steps, tags, and descriptions.
struct BundleGenerator {
  /// The form of records.
  enum Shape {
    /// Records as FleetKit writes them: checklists with ids in order and members in the bundle's order; one in six is
    /// in Russian.
    case own
    /// Records as other programs write them: with random ids, and members in the bundle's order, sorted by name, or in
    /// random order. A third is in Russian, and every eighth record is a guide of 1 to 30 KB.
    case foreign
  }

  private enum Order { case bundle, name, random }

  private let shape: Shape
  private var order = Order.bundle
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(_ shape: Shape = .own) { self.shape = shape }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private mutating func pick(_ words: [String]) -> String { words[Int(next() % UInt64(words.count))] }

  private mutating func uuid(prefix: UInt32? = nil) -> String {
    let a = prefix.map(UInt64.init) ?? next() & 0xFFFF_FFFF
    let b = next()
    let c = next()
    return String(
      format: "%08X-%04X-4%03X-%04X-%012llX", UInt32(a), UInt32(b & 0xFFFF), UInt32(b >> 16 & 0xFFF),
      UInt32(0x8000 | b >> 32 & 0x3FFF), c & 0xFFFF_FFFF_FFFF)
  }

  private static let verbs = [
    "Check", "Close", "Open", "Secure", "Test", "Stow", "Inspect", "Read", "Confirm", "Clear",
  ]
  private static let things = [
    "the seacocks", "the bilge pump", "both anchors", "the VHF on channel 16", "the gas valve", "jackstays and tethers",
    "fuel and water levels", "the steering from stop to stop", "navigation lights", "the windlass breaker",
    "life jackets and lights", "the reefing lines", "engine oil and coolant", "the dinghy painter",
  ]
  private static let russian = [
    "Проверить кингстоны", "Закрыть газовый кран", "Уровень масла и антифриза", "Леера и страховочные концы",
    "Рация на 16 канале", "Закрепить якорь по-походному",
  ]
  private static let details = [
    "Look, then touch; a glance has never found a loose clamp.",
    "Note the figure in the log and compare it with yesterday's.",
    "Two people, one reads aloud, the other answers.", "If in doubt, stop and ask the skipper.",
  ]
  private static let tags = ["safety", "engine", "anchor", "rig", "radio", "deck", "galley", "night"]

  /// The file format of a bundle.
  enum Spelling {
    /// `.jsonl`, one record per line.
    case lines
    /// `.json`, one document with all records in one list.
    case document
  }

  /// Writes a bundle of `count` checklists to `path`.
  mutating func write(_ count: Int, to path: String, as spelling: Spelling = .lines) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
    defer { try? file.close() }
    let isDocument = spelling == .document
    var text =
      isDocument
      ? "{\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1,\n\"items\":["
      : "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    for index in 0..<count {
      let line = record(index, of: count)
      text += isDocument ? (index == 0 ? "\n" : ",\n") + line : line + "\n"
      if text.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    if isDocument { text += "\n]\n}\n" }
    try file.write(contentsOf: Data(text.utf8))
  }

  /// Writes each record to its own file, 500 in a folder.
  mutating func writeFiles(_ count: Int, to folder: String) throws {
    for index in 0..<count {
      let place = "\(folder)/\(index / 500)"
      if index % 500 == 0 { try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true) }
      try Data(record(index, of: count).utf8).write(to: URL(fileURLWithPath: "\(place)/record-\(index).json"))
    }
  }

  /// Returns a record: one line of a bundle.
  mutating func record(_ index: Int, of count: Int) -> String {
    let spread = UInt32(truncatingIfNeeded: UInt64(index) * 0xFFFF_FFFF / UInt64(max(1, count)))
    let id = quoted(uuid(prefix: shape == .own ? spread : nil))
    let isRussian = shape == .own ? index % 6 == 5 : next() % 3 == 0
    let isGuide = shape == .foreign && next() % 8 == 0
    if shape == .foreign { order = [.bundle, .name, .random][index % 3] }
    let title = quoted("\(isRussian ? pick(Self.russian) : pick(Self.verbs) + " " + pick(Self.things)) \(index)")
    let time = quoted(
      String(
        format: "2025-%02d-%02dT%02d:%02d:%02d.%03dZ", 1 + index % 12, 1 + index % 28, index % 24, index % 60,
        index / 7 % 60, index % 1000))
    let tags = "[\(quoted(pick(Self.tags))),\(quoted("\(pick(Self.tags))-\(index % 50)"))]"
    let description = quoted(pick(Self.details))
    let body =
      isGuide
      ? [("markdown", quoted(guide(isRussian)))]
      : [("checklistType", quoted("general")), ("sections", sections(isRussian))]
    let data = object(
      [("id", id), ("title", title), ("description", description)] + body + [
        ("tags", tags), ("creatorID", "null"), ("createdAt", time), ("updatedAt", time),
        ("syncStatus", quoted("pending")),
      ])
    let absent = [
      "creator_id", "forked_from_id", "original_author_username", "original_author_user_id",
      "original_content_public_id", "rating_average", "pinned_order", "published_at", "public_id", "public_metadata",
    ]
    var members: [String: String] = Dictionary(uniqueKeysWithValues: absent.map { ($0, "null") })
    members.merge([
      "kind": quoted("item"), "id": id, "content_type": quoted(isGuide ? "practice_guide" : "checklist"),
      "title": title, "description": description, "tags": tags, "language": quoted(isRussian ? "ru" : "en"),
      "visibility": quoted("private"), "sync_status": quoted("pending"), "fork_count": "0", "rating_count": "0",
      "is_pinned": "false", "created_at": time, "updated_at": time, "content_data": data,
    ]) { $1 }
    return object(Self.itemMembers.map { ($0, members[$0] ?? "null") })
  }

  /// The members of an item, in the bundle's order.
  private static let itemMembers = [
    "kind", "id", "content_type", "title", "description", "tags", "language", "visibility", "sync_status", "creator_id",
    "forked_from_id", "fork_count", "original_author_username", "original_author_user_id",
    "original_content_public_id", "rating_average", "rating_count", "is_pinned", "pinned_order", "created_at",
    "updated_at", "published_at", "public_id", "public_metadata", "content_data",
  ]

  private mutating func sections(_ isRussian: Bool) -> String {
    let sections = (0..<2 + Int(next() % 2)).map { section in
      let items = (0..<(3 + Int(next() % 3))).map { item in
        let text = isRussian ? pick(Self.russian) : pick(Self.verbs) + " " + pick(Self.things)
        return object(
          [("id", quoted(uuid())), ("title", quoted(text))]
            + (item % 3 == 0 ? [("itemDescription", quoted(pick(Self.details)))] : [])
            + [
              ("isOptional", "false"), ("isRequired", "\(item % 2 == 0)"), ("tags", "[\(quoted(pick(Self.tags)))]"),
            ] + (item % 2 == 0 ? [("estimatedMinutes", "\(1 + item)")] : []) + [("sortOrder", "\(item)")])
      }
      return object([
        ("id", quoted(uuid())), ("title", quoted("Part \(section + 1)")), ("icon", quoted("sailboat")),
        ("items", "[\(items.joined(separator: ","))]"), ("isExpandedByDefault", "true"), ("sortOrder", "\(section)"),
      ])
    }
    return "[\(sections.joined(separator: ","))]"
  }

  /// Returns a guide of 1 to 30 KB, escaped for JSON; most guides are short.
  private mutating func guide(_ isRussian: Bool) -> String {
    let length = 1_000 + Int(next() % 170) * Int(next() % 170)
    var text = ""
    while text.utf8.count < length {
      text += "## \(pick(Self.things))\\n\\n"
      for _ in 0..<4 + next() % 8 {
        text +=
          isRussian ? "\(pick(Self.russian)). " : "\(pick(Self.verbs)) \(pick(Self.things)). \(pick(Self.details)) "
      }
      text += "\\n\\n"
    }
    return text
  }

  /// Returns a JSON object whose members have this record's order.
  private mutating func object(_ members: [(name: String, value: String)]) -> String {
    var members = members
    switch order {
    case .bundle: break
    case .name: members.sort { $0.name < $1.name }
    case .random:
      for index in members.indices.dropFirst() { members.swapAt(index, Int(next() % UInt64(index + 1))) }
    }
    return "{\(members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}"
  }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
}
