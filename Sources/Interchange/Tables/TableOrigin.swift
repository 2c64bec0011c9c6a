import Content
import Foundation
import JSONText

/// Where a table is from and how it was read: what its rejected rows need to be read as the first time.
///
/// A format makes one for the `RejectTable` of each table; `import --retry` gives it back to the reader.
public struct TableOrigin: Sendable, Equatable {
  /// The source's name, from which ids are derived: `source:` of a `.fleetkit.yml`, else the folder.
  public var source: String
  /// The folder that the source is, as an absolute path.
  public var folder: String
  /// The file's path within it.
  public var path: String
  /// The sheet of a workbook; nil where a file is one table.
  public var sheet: String?
  /// The name of the format that read it.
  public var format: String
  /// Headers and the columns that they were said to stand for.
  public var map: [String: String] = [:]
  /// The header of the column that tells rows apart.
  public var key: String?
  /// What a row stands for.
  public var shape: String?
  /// Whether all of its rows are data.
  public var noHeader = false
  /// What separates cells, where it was found out or said.
  public var delimiter: String?
  /// The cells of its header, without blanks around them; empty where that is not remembered.
  public var columns: [String] = []

  /// Describes a table.
  public init(source: String, folder: String, path: String, sheet: String? = nil, format: String) {
    self.source = source
    self.folder = folder
    self.path = path
    self.sheet = sheet
    self.format = format
  }

  /// The same with what the user said of reading it.
  public func with(_ options: TableOptions) -> TableOrigin {
    var origin = self
    origin.map = Dictionary(options.map.map { ($0.header, $0.column) }, uniquingKeysWith: { first, _ in first })
    origin.key = options.key
    origin.shape = options.shape
    origin.noHeader = options.noHeader
    return origin
  }

  /// One JSON object, for `RejectTable.origin`.
  public var json: String {
    var out = ByteBuffer()
    var separator = "{"
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      out.append(utf8: separator)
      out.appendJSONString(name)
      out.append(":")
      out.appendJSONString(value)
      separator = ","
    }
    add("source", source)
    add("folder", folder)
    add("path", path)
    add("sheet", sheet)
    add("format", format)
    add("key", key)
    add("shape", shape)
    if noHeader { out.append(",\"no_header\":true") }
    add("delimiter", delimiter)
    if !columns.isEmpty {
      out.append(",\"columns\":[")
      for (index, column) in columns.enumerated() {
        if index > 0 { out.append(",") }
        out.appendJSONString(column)
      }
      out.append("]")
    }
    if !map.isEmpty {
      out.append(",\"map\":")
      separator = "{"
      for (header, column) in map.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        add(header, column)
      }
      out.append("}")
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Reads what `json` wrote; nil when that is something else.
  public init?(_ node: JSONValue) {
    guard let source = node["source"]?.string, let path = node["path"]?.string else { return nil }
    self.init(
      source: source, folder: node["folder"]?.string ?? "", path: path, sheet: node["sheet"]?.string,
      format: node["format"]?.string ?? "csv")
    key = node["key"]?.string
    shape = node["shape"]?.string
    noHeader = node["no_header"]?.bool ?? false
    delimiter = node["delimiter"]?.string
    columns = node["columns"]?.elements.compactMap(\.string) ?? []
    for (name, value) in node["map"]?.members ?? [] { map[name] = value.string }
  }
}

/// What the file of reasons beside rejected rows says about reading them again: their table, and where each row belongs.
public struct RetryOrigin: Sendable {
  /// The table that the rows were rejected from.
  public let table: TableOrigin
  /// How many rows the file had; when it has another number now, numbers of rows mean nothing any more.
  public let rowCount: Int
  private let anchors: [Int32: StepAnchor]
  private let above: [Int32: [String: String]]

  /// Where the step of a row belongs.
  /// - Parameter row: the number of the row in the file of rejects, from 1, headers and empty rows not counted.
  public func anchor(ofRow row: Int) -> StepAnchor { Int32(exactly: row).flatMap { anchors[$0] } ?? .unknown }

  /// What a row left to the rows that stood above it, by column.
  /// - Parameter row: the number of the row in the file of rejects, from 1, headers and empty rows not counted.
  package func above(row: Int) -> [String: String] { Int32(exactly: row).flatMap { above[$0] } ?? [:] }

  /// Whether some row says this of the table that it stood in.
  package func says(_ name: String, _ value: String) -> Bool { above.values.contains { $0[name] == value } }

  /// Finds out about a file of rejected rows; nil when the reasons beside it say that it holds records, not rows.
  /// - Throws: `RunFailure` with status 2 when there are no reasons beside it, or they are something else.
  public init?(rejects path: String) throws {
    let reasons = try Self.reasons(beside: path)
    let name = Array((path as NSString).lastPathComponent.utf8)
    var tables: [[UInt8]: TableOrigin] = [:]
    var rows: [[UInt8]: (count: Int, anchors: [Int32: StepAnchor])] = [:]
    var above: [[UInt8]: [Int32: [String: String]]] = [:]
    guard let text = FileManager.default.contents(atPath: reasons) else {
      throw RunFailure(.failed, "read '\(reasons)': \(SystemError.last)")
    }
    for line in text.split(separator: 0x0A) {
      guard let node = (try? JSONDocument(parsing: Array(line)))?.root, node.kind == .object else {
        throw Self.unreadable(reasons)
      }
      guard let file = node["rejects"]?.string.map({ Array($0.utf8) }) else { continue }
      if let origin = node["origin"] {
        guard let table = TableOrigin(origin) else { throw Self.unreadable(reasons) }
        tables[file] = table
        continue
      }
      guard let number = node["record"]?.integer, let row = Int32(exactly: number) else { continue }
      let count = node["rows"]?.integer.flatMap { Int32(exactly: $0) } ?? 1
      rows[file, default: (0, [:])].count &+= Int(max(1, count))
      for (name, value) in node["above"]?.members ?? [] {
        above[file, default: [:]][row, default: [:]][name] = value.string
      }
      guard let after = node["after"] else { continue }
      rows[file]?.anchors[row] = after.string.map { .behind($0) } ?? .first
    }
    // A file that was saved under another name, with its reasons, is still the only one that they speak of.
    guard let key = tables[name] == nil && tables.count == 1 ? tables.keys.first : name, let table = tables[key] else {
      return nil
    }
    self.table = table
    rowCount = rows[key]?.count ?? 0
    anchors = rows[key]?.anchors ?? [:]
    self.above = above[key] ?? [:]
  }

  /// The file of reasons that belongs to a file of rejects.
  package static func reasons(beside path: String) throws -> String {
    let stem = (path as NSString).deletingPathExtension
    var candidates = [stem + ".reasons.jsonl"]
    // Further tables of a run have a number and share its reasons.
    let digits = stem.utf8.reversed().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    if digits > 0, stem.utf8.dropLast(digits).last == UInt8(ascii: "-") {
      candidates.append(String(decoding: stem.utf8.dropLast(digits + 1), as: UTF8.self) + ".reasons.jsonl")
    }
    guard let found = candidates.first(where: { access($0, F_OK) == 0 }) else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': '\(candidates[0])' is not beside it, which says where they are from",
        advice: "Keep both files together under the names that the import gave them.")
    }
    return found
  }

  private static func unreadable(_ path: String) -> RunFailure {
    RunFailure(
      .failed, "read '\(path)': it is not what an import writes beside rejected rows",
      advice: "Keep the file as the import wrote it.")
  }
}
