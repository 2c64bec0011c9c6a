import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

extension FormatID {
  /// A bundle with one record per line.
  public static let lines = FormatID(rawValue: "jsonl")
  /// A bundle that is one document.
  public static let document = FormatID(rawValue: "json")
}

/// The format of JSON bundles: `.jsonl` with one record per line, and `.json`, a single document with a list for each
/// kind.
///
/// - Source: formats/json-bundle.md
public struct JSONBundleFormat: Format {
  /// The two forms of a bundle.
  public enum Spelling: Sendable {
    /// A header line, then one record per line.
    case lines
    /// One object with a list for each kind of record.
    case document

    /// Creates the splitter that finds the records in an input. An input that is named like a file of lines, but has
    /// the lists in its header, is treated as a document.
    func splitter(of input: BundleInput, context: RunContext) throws -> any RecordSplitter {
      guard self == .lines else { return DocumentSplitter(input: input, context: context) }
      _ = try input.fill()
      return DocumentSplitter.isDocument(input.buffer.bytes.span)
        ? DocumentSplitter(input: input, context: context) : LineSplitter(input: input, context: context)
    }
  }

  /// The form of bundle that this format reads and writes.
  public let spelling: Spelling

  /// Creates the format for one form of bundle.
  public init(_ spelling: Spelling) { self.spelling = spelling }

  /// The version that this FleetKit writes, and the newest version that it fully supports.
  public static let version = 1
  /// The value of a bundle's `format` member.
  public static let formatName = "fleetkit.bundle"

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { spelling == .lines ? Self.lines : Self.document }

  private static let lines = FormatDescriptor(
    .lines, title: "JSON bundle, one record a line", page: "json-bundle", extensions: ["jsonl", "ndjson"],
    mediaType: "application/x-ndjson", keeps: Set(Feature.allCases), text: .lines)
  private static let document = FormatDescriptor(
    .document, title: "JSON bundle, one document", page: "json-bundle", extensions: ["json"],
    mediaType: "application/json", keeps: Set(Feature.allCases), text: .document)

  /// Recognizes a bundle by its name, if the extension is conclusive. Otherwise accepts text that starts with an object
  /// or an array.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    if descriptor.extensions.contains(source.pathExtension) { return true }
    guard !["sqlite", "db", "sqlite3", "md", "csv", "tsv"].contains(source.pathExtension) else { return false }
    var text = head.bytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    guard let first = text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    switch spelling {
    case .lines:
      return text.starts(with: Array("{\"kind\":".utf8))
        && !DocumentSplitter.isDocument(head.bytes.span)
    case .document:
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
      return !["txt", "text"].contains(source.pathExtension) || Self.beginsRecords(text)
    }
  }

  /// Whether text begins with an object or an array of objects. `[] Oil` and `[x] Coolant`, in contrast, are items in a
  /// pasted list.
  private static func beginsRecords(_ text: ArraySlice<UInt8>) -> Bool {
    let signs = text.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(2)
    return signs.elementsEqual("{\"".utf8) || signs.elementsEqual("{}".utf8) || signs.elementsEqual("[{".utf8)
  }

  /// Whether the file begins with the header of a bundle of lines. A document has no signature, because it can begin
  /// with any of its members.
  public func hasSignature(_ head: FileHead) -> Bool {
    spelling == .lines && head.starts(with: Array("{\"kind\":\"bundle\"".utf8))
      && !DocumentSplitter.isDocument(head.bytes.span)
  }

  /// Reports other programs' JSON, which is recognized by its members.
  public func stray(_ source: Source, head: FileHead) -> Stray? {
    StrayJSON.find(source, head: head, isLines: spelling == .lines)
  }

  /// Opens a bundle.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let input = try BundleInput(source)
    return JSONBundleReader(
      input: input, splitter: try spelling.splitter(of: input, context: context), context: context)
  }

  /// Opens the small bundles of a folder.
  public func reader(ofFiles sources: [Source], context: RunContext) throws -> (any ContentReader)? {
    BundleMembersReader(try BundleFiles(sources), spelling: spelling, context: context)
  }

  /// Creates a bundle.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try JSONBundleWriter(target, spelling: spelling, losses: context.losses)
  }
}

extension JSONBundleFormat: MemberFormat {
  /// Opens bundles, or single records as documents, that are contained in a larger file.
  public func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader {
    BundleMembersReader(members, spelling: spelling, context: context)
  }
}

extension JSONBundleFormat {
  /// Returns the writer that renders single records as human-readable JSON.
  public func itemWriter() -> any ItemTextWriter { IndentedRecord() }
}

/// Renders a record as JSON, indented by two spaces, with one member per line in canonical order and a final line
/// break.
private struct IndentedRecord: ItemTextWriter {
  func text(of item: Record, at path: String) -> [UInt8]? {
    item.withLine { IndentedJSON.text($0.span) }
  }
}

/// Renders a canonical line as human-readable JSON, indented by two spaces for each level. An array of scalars is
/// written on one line.
///
/// Values are copied byte for byte. Levels deeper than `deepest` are not indented, so that a line of a few kilobytes
/// cannot become a file of many megabytes.
enum IndentedJSON {
  /// The number of levels that are indented. The app's items have seven levels.
  private static let deepest = 16

  /// Returns the indented JSON with a final line break.
  static func text(_ line: Span<UInt8>) -> [UInt8] {
    var out = ByteBuffer(capacity: line.count * 2 + 256)
    write(line, into: &out)
    out.append(0x0A)
    return Array(out.bytes)
  }

  private static func write(_ line: Span<UInt8>, into out: inout ByteBuffer) {
    var depth = 0
    /// The end of the array of scalars that is being written. No line begins inside such an array.
    var flatEnd = -1
    var at = 0
    while at < line.count {
      let byte = line[at]
      switch byte {
      case UInt8(ascii: "\""):
        let end = self.end(ofStringAt: at, line)
        out.append(line.extracting(at..<end))
        at = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        out.append(byte)
        let next = skipSpace(at + 1, line)
        if next < line.count, line[next] == UInt8(ascii: "}") || line[next] == UInt8(ascii: "]") {
          out.append(line[next])
          at = next + 1
          continue
        }
        depth += 1
        if byte == UInt8(ascii: "["), flatEnd < at, let end = self.end(ofPlainArrayAt: at, line) { flatEnd = end }
        if flatEnd < at { beginLine(depth, &out) }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if flatEnd < at { beginLine(depth, &out) }
        out.append(byte)
      case UInt8(ascii: ","):
        out.append(byte)
        if flatEnd < at { beginLine(depth, &out) } else { out.append(UInt8(ascii: " ")) }
      case UInt8(ascii: ":"): out.append(": ")
      case 0x20, 0x09, 0x0A, 0x0D: break
      default: out.append(byte)
      }
      at += 1
    }
  }

  private static func beginLine(_ depth: Int, _ out: inout ByteBuffer) {
    guard depth <= deepest else { return }
    out.append(0x0A)
    for _ in 0..<max(0, depth) { out.append("  ") }
  }

  private static func skipSpace(_ start: Int, _ line: Span<UInt8>) -> Int {
    var at = start
    while at < line.count, line[at] == 0x20 || line[at] == 0x0A || line[at] == 0x0D || line[at] == 0x09 { at += 1 }
    return at
  }

  /// Returns the index after a string that begins at `start`.
  private static func end(ofStringAt start: Int, _ line: Span<UInt8>) -> Int {
    var at = start + 1
    while at < line.count, line[at] != UInt8(ascii: "\"") { at += line[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at + 1, line.count)
  }

  /// Returns the index of an array's closing bracket, if the array contains neither objects nor arrays; nil for any
  /// other array.
  private static func end(ofPlainArrayAt start: Int, _ line: Span<UInt8>) -> Int? {
    var at = start + 1
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "\""): at = end(ofStringAt: at, line)
      case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
      case UInt8(ascii: "]"): return at
      default: at += 1
      }
    }
    return nil
  }
}

/// Small files of a folder, all of which are held in memory.
final class BundleFiles: MemberSource {
  let name = ""
  let idScope = ""
  let time = Timestamp(milliseconds: 0)
  let paths: [String]
  let areFiles = true
  private let sources: [Source]
  private let ranges: [Range<Int>]
  private let text: ByteBuffer

  /// Reads the files.
  /// - Throws: `RunFailure` if a file cannot be read.
  init(_ sources: [Source]) throws {
    self.sources = sources
    paths = sources.map(\.path)
    var text = ByteBuffer(capacity: BundleInput.chunk)
    ranges = try sources.map { source in
      let start = text.count
      try Self.read(source, into: &text)
      return start..<text.count
    }
    self.text = text
  }

  private static func read(_ source: Source, into text: inout ByteBuffer) throws {
    func failure() -> RunFailure { RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
    let file = open(source.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    var got = 0
    repeat {
      // The first read almost always returns the whole file, and the second read returns no bytes.
      got = try text.append(room: 1 << 14) { room throws -> Int in
        while true {
          let got = Foundation.read(file, room.baseAddress, room.count)
          if got >= 0 { return got }
          if errno != EINTR { throw failure() }
        }
      }
    } while got > 0
  }

  func index(of path: String) -> Int? { paths.firstIndex { $0.utf8.elementsEqual(path.utf8) } }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: text.bytes[ranges[index]]) }

  func shown(_ index: Int) -> String { sources[index].name }

  func idScope(of index: Int) -> [String] {
    JSONBundleReader.idScope(sources[index].name, sources[index].idName)
  }
}

/// Recognizes JSON files in a folder that are not content, such as `package.json`, telemetry, or a baseline.
///
/// A file that is empty, or that is not JSON from its first character on, counts as content: such a file was emptied or
/// overwritten, so its reader must report an error.
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
    guard !hasSign(head.span), !head.starts(with: Array("{\"kind\":".utf8)),
      let data = try? Data(contentsOf: URL(fileURLWithPath: source.path), options: .mappedIfSafe)
    else { return nil }
    if data.withUnsafeBytes({ hasSign($0.bindMemory(to: UInt8.self).span) }) { return nil }
    let stray = Stray.reported(
      Diagnostic(.foreignFile, "JSON without any content", at: Place(file: source.path)))
    let text = isLines ? data.prefix { $0 != 0x0A } : data
    guard text.count <= largest else {
      return members.contains { has("\"\($0)\"", in: head.span) } ? nil : stray
    }
    // A damaged file without any of these members was never content; settings with comments are an example.
    guard let document = try? JSONDocument(parsing: [UInt8](text)) else {
      return data.withUnsafeBytes { bytes in
        let text = bytes.bindMemory(to: UInt8.self).span
        return isNotJSON(text) || members.contains { has("\"\($0)\"", in: text) } ? nil : stray
      }
    }
    let objects = document.root.kind == .array ? Array(document.root.elements.prefix(1)) : [document.root]
    if objects.first?["format"]?.string == "fleetkit.baseline" { return .own }
    let names = Set(objects.flatMap { $0.kind == .object ? $0.members.map(\.name) : [] })
    let isSchema = objects.first?["$schema"]?.string?.contains("json-schema.org") ?? false
    return isSchema || names.isDisjoint(with: members) ? stray : nil
  }

  /// Whether the text begins with something other than an object, an array, or a comment before one of them.
  private static func isNotJSON(_ text: Span<UInt8>) -> Bool {
    let start = text.starts(with: "\u{FEFF}") ? 3 : 0
    let first = text.firstIndex(from: start) { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first.map { !"{[/".utf8.contains(text[$0]) } ?? true
  }

  private static func hasSign(_ text: Span<UInt8>) -> Bool { signs.contains { has($0, in: text) } }

  private static func has(_ sign: String, in text: Span<UInt8>) -> Bool {
    let sign = sign.utf8.span
    var from = 0
    // The search looks for quotes, because every quoted name begins with a quote and quotes are rare.
    while let quote = text.firstIndex(of: 0x22, from: from), text.count - quote >= sign.count {
      if text.extracting(quote..<quote + sign.count).equals(sign) { return true }
      from = quote + 1
    }
    return false
  }
}
