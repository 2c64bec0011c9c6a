import Foundation

/// Makes bundles of checklists, the same for the same number every time.
///
/// About 3 KB a record: two or three sections, six to fifteen steps, tags, descriptions, one in six in
/// Russian; ids in random order of time but written in order of id, as every bundle is.
struct BundleGenerator {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

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

  /// How a bundle is spelled.
  enum Spelling {
    /// `.jsonl`, a record a line.
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
      let spread = UInt64(index) * 0xFFFF_FFFF / UInt64(max(1, count))
      let line = record(id: uuid(prefix: UInt32(truncatingIfNeeded: spread)), index)
      text += isDocument ? (index == 0 ? "\n" : ",\n") + line : line + "\n"
      if text.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    if isDocument { text += "\n]\n}\n" }
    try file.write(contentsOf: Data(text.utf8))
  }

  private mutating func record(id: String, _ index: Int) -> String {
    let isRussian = index % 6 == 5
    let title = "\(isRussian ? pick(Self.russian) : pick(Self.verbs) + " " + pick(Self.things)) \(index)"
    let time = String(
      format: "2025-%02d-%02dT%02d:%02d:%02d.%03dZ", 1 + index % 12, 1 + index % 28, index % 24, index % 60,
      index / 7 % 60,
      index % 1000)
    let tags = "[\"\(pick(Self.tags))\",\"\(pick(Self.tags))-\(index % 50)\"]"
    let description = "\"" + pick(Self.details) + "\""
    var sections = ""
    let sectionCount = 2 + Int(next() % 2)
    for section in 0..<sectionCount {
      var items = ""
      for item in 0..<(3 + Int(next() % 3)) {
        let text = isRussian ? pick(Self.russian) : pick(Self.verbs) + " " + pick(Self.things)
        let detail = item % 3 == 0 ? ",\"itemDescription\":\"\(pick(Self.details))\"" : ""
        let minutes = item % 2 == 0 ? ",\"estimatedMinutes\":\(1 + item)" : ""
        items +=
          (items.isEmpty ? "" : ",") + "{\"id\":\"\(uuid())\",\"title\":\"\(text)\"\(detail),\"isOptional\":false,"
          + "\"isRequired\":\(item % 2 == 0),\"tags\":[\"\(pick(Self.tags))\"]\(minutes),\"sortOrder\":\(item)}"
      }
      sections +=
        (sections.isEmpty ? "" : ",") + "{\"id\":\"\(uuid())\",\"title\":\"Part \(section + 1)\",\"icon\":\"sailboat\","
        + "\"items\":[\(items)],\"isExpandedByDefault\":true,\"sortOrder\":\(section)}"
    }
    return
      "{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"checklist\",\"title\":\"\(title)\",\"description\":\(description),"
      + "\"tags\":\(tags),\"language\":\"\(isRussian ? "ru" : "en")\",\"visibility\":\"private\",\"sync_status\":\"pending\","
      + "\"creator_id\":null,\"forked_from_id\":null,\"fork_count\":0,\"original_author_username\":null,"
      + "\"original_author_user_id\":null,\"original_content_public_id\":null,\"rating_average\":null,\"rating_count\":0,"
      + "\"is_pinned\":false,\"pinned_order\":null,\"created_at\":\"\(time)\",\"updated_at\":\"\(time)\",\"published_at\":null,"
      + "\"public_id\":null,\"public_metadata\":null,\"content_data\":{\"id\":\"\(id)\",\"title\":\"\(title)\","
      + "\"description\":\(description),\"checklistType\":\"general\",\"sections\":[\(sections)],\"tags\":\(tags),"
      + "\"creatorID\":null,\"createdAt\":\"\(time)\",\"updatedAt\":\"\(time)\",\"syncStatus\":\"pending\"}}"
  }
}
