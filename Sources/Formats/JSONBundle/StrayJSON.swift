import Diagnostics
import Foundation
import Interchange
import JSONText

/// Recognizes JSON files in a folder that are not content, such as `package.json`, telemetry, or a baseline.
enum StrayJSON {
  /// Quoted names of members that only content has. A file with one of them is content, even if it is damaged.
  private static let signs = ["\"content_type\"", "\"content_data\"", "\"sections\"", "\"cards\""]

  /// The names of members that the outermost object of content can have. A file with one of them is content.
  private static let members: Set<String> = [
    "kind", "format", "content_type", "content_data", "title", "sections", "items", "cards", "markdown", "charters",
    "executions", "sync_operations", "attachments", "practice_sessions", "foreign", "others", "min_reader",
  ]

  /// The size limit for parsing, in bytes. A larger file counts as content if its first bytes contain a member of
  /// content.
  private static let largest = 1 << 20

  static func find(_ source: Source, head: FileHead, isLines: Bool) -> Stray? {
    if head.hasMember("content_type", "content_data", "sections", "cards") { return nil }
    let head = head.bytes
    guard !head.withUnsafeBytes(hasSign), !head.starts(with: Array("{\"kind\":".utf8)),
      let data = try? Data(contentsOf: URL(fileURLWithPath: source.path), options: .mappedIfSafe)
    else { return nil }
    if data.withUnsafeBytes(hasSign) { return nil }
    let stray = Stray.reported(
      Diagnostic(.foreignFile, "JSON without any content", at: Place(file: source.path)))
    let text = isLines ? data.prefix { $0 != 0x0A } : data
    guard text.count <= largest else {
      return head.withUnsafeBytes { head in members.contains { has("\"\($0)\"", in: head) } } ? nil : stray
    }
    // A damaged file without any of these members was never content.
    guard let document = try? JSONDocument(parsing: [UInt8](text)) else { return stray }
    let objects = document.root.kind == .array ? Array(document.root.elements.prefix(1)) : [document.root]
    if objects.first?["format"]?.string == "fleetkit.baseline" { return .own }
    let names = Set(objects.flatMap { $0.kind == .object ? $0.members.map(\.name) : [] })
    let isSchema = objects.first?["$schema"]?.string?.contains("json-schema.org") ?? false
    return isSchema || names.isDisjoint(with: members) ? stray : nil
  }

  private static func hasSign(_ text: UnsafeRawBufferPointer) -> Bool { signs.contains { has($0, in: text) } }

  private static func has(_ sign: String, in text: UnsafeRawBufferPointer) -> Bool {
    guard var at = text.baseAddress else { return false }
    let end = at + text.count
    let length = sign.utf8.count
    // The search looks for quotes, because every sign begins with a quote and quotes are rare.
    while end - at >= length, let quote = memchr(at, 0x22, end - at).map(UnsafeRawPointer.init) {
      if end - quote >= length, memcmp(quote, sign, length) == 0 { return true }
      at = quote + 1
    }
    return false
  }
}
