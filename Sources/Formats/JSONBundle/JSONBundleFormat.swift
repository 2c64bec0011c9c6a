import Content
import Interchange

/// JSON bundles: `.jsonl`, one record a line, and `.json`, one document with a list for each kind.
///
/// - Source: formats/json-bundle.md
public struct JSONBundleFormat: Format {
  /// The two spellings of a bundle.
  public enum Spelling: Sendable {
    /// A header line, then one record a line.
    case lines
    /// One object with a list for each kind of record.
    case document
  }

  /// Which spelling this is.
  public let spelling: Spelling

  /// Makes the format for one spelling.
  public init(_ spelling: Spelling) { self.spelling = spelling }

  /// The version that this FleetKit writes, and the newest that it understands fully.
  public static let version = 1
  /// The name in a bundle's `format` member.
  public static let formatName = "fleetkit.bundle"

  /// Names and abilities.
  public var descriptor: FormatDescriptor {
    switch spelling {
    case .lines:
      FormatDescriptor(
        name: "jsonl", title: "JSON bundle, one record a line", extensions: ["jsonl", "ndjson"],
        mediaType: "application/x-ndjson", keeps: Set(Feature.allCases))
    case .document:
      FormatDescriptor(
        name: "json", title: "JSON bundle, one document", extensions: ["json"],
        mediaType: "application/json", keeps: Set(Feature.allCases))
    }
  }

  /// By name where the name says it; otherwise a text that starts with an object or an array.
  public func recognises(_ source: Source, head: [UInt8]) -> Bool {
    if descriptor.extensions.contains(source.pathExtension) { return true }
    guard !["sqlite", "db", "sqlite3", "md", "csv", "tsv"].contains(source.pathExtension) else { return false }
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    guard let first = text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    switch spelling {
    case .lines: return text.starts(with: Array("{\"kind\":".utf8))
    case .document:
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
      return !["txt", "text"].contains(source.pathExtension) || Self.beginsRecords(text)
    }
  }

  /// Whether a text begins with an object, or an array of them: `[] Oil` and `[x] Coolant` are items of a pasted list.
  private static func beginsRecords(_ text: ArraySlice<UInt8>) -> Bool {
    let signs = text.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(2)
    return signs.elementsEqual("{\"".utf8) || signs.elementsEqual("{}".utf8) || signs.elementsEqual("[{".utf8)
  }

  /// The header of a bundle of lines; a document can begin in too many ways.
  public func hasSignature(_ head: [UInt8]) -> Bool {
    spelling == .lines && head.starts(with: Array("{\"kind\":\"bundle\"".utf8))
  }

  /// Opens a bundle.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let input = try BundleInput(source)
    let splitter: any RecordSplitter =
      switch spelling {
      case .lines: LineSplitter(input: input, context: context)
      case .document: DocumentSplitter(input: input, context: context)
      }
    return JSONBundleReader(input: input, splitter: splitter, context: context)
  }

  /// Begins a bundle.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try JSONBundleWriter(target, spelling: spelling, losses: context.losses)
  }
}
