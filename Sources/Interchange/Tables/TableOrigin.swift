import Content
import Foundation
import JSONText

/// The origin of a table and how it was read: what is needed to read its rejected rows like the first time.
///
/// A format makes one for the `RejectTable` of each table; `import --retry` passes it back to the reader.
public struct TableOrigin: Sendable, Equatable {
  /// The source's name, from which ids are derived: `source:` of a `.fleetkit.yml`, otherwise the folder.
  public var source: String
  /// The folder of the source, as an absolute path.
  public var folder: String
  /// The file's path within it.
  public var path: String
  /// The sheet of a workbook; nil if a file is one table.
  public var sheet: String?
  /// The name of the format that read it.
  public var format: String
  /// Headers and the columns that the user assigned to them.
  public var map: [String: String] = [:]
  /// The header of the column that identifies rows.
  public var key: String?
  /// The meaning of a row.
  public var shape: String?
  /// Whether all of its rows are data.
  public var noHeader = false
  /// The separator of cells, if it was detected or given.
  public var delimiter: String?
  /// The cells of its header, without blanks around them; empty if they are not stored.
  public var columns: [String] = []

  /// Creates the origin of a table.
  public init(source: String, folder: String, path: String, sheet: String? = nil, format: String) {
    self.source = source
    self.folder = folder
    self.path = path
    self.sheet = sheet
    self.format = format
  }

  /// Returns the same origin with the user's options.
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

  /// Parses the output of `json`; nil if it is something else.
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

/// The data for reading rejected rows again, from the file of reasons next to them: their table, and the position of
/// each row.
public struct RetryOrigin: Sendable {
  /// The table that the rows were rejected from.
  public let table: TableOrigin
  /// The number of rows of the file; if it has changed, row numbers are no longer valid.
  public let rowCount: Int
  private let anchors: [Int32: StepAnchor]
  private let above: [Int32: [String: String]]

  /// Returns the position of a row's step.
  /// - Parameter row: the number of the row in the file of rejects, from 1, headers and empty rows not counted.
  public func anchor(ofRow row: Int) -> StepAnchor { Int32(exactly: row).flatMap { anchors[$0] } ?? .unknown }

  /// Returns the values that a row took from the rows above it, by column.
  /// - Parameter row: the number of the row in the file of rejects, from 1, headers and empty rows not counted.
  package func above(row: Int) -> [String: String] { Int32(exactly: row).flatMap { above[$0] } ?? [:] }

  /// Whether some row has this value from the table that it came from.
  package func says(_ name: String, _ value: String) -> Bool { above.values.contains { $0[name] == value } }

  /// Reads the file of reasons of a file of rejected rows; nil if the file of rejects has records, not rows.
  /// - Throws: `RunFailure` with status 2 if the reasons are missing, or are something else.
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
    // A file that was saved under another name, with its reasons, is still the only one that they refer to.
    guard let key = tables[name] == nil && tables.count == 1 ? tables.keys.first : name, let table = tables[key] else {
      return nil
    }
    self.table = table
    rowCount = rows[key]?.count ?? 0
    anchors = rows[key]?.anchors ?? [:]
    self.above = above[key] ?? [:]
  }

  /// Returns the file of reasons that belongs to a file of rejects.
  package static func reasons(beside path: String) throws -> String {
    let stem = (path as NSString).deletingPathExtension
    var candidates = [stem + ".reasons.jsonl"]
    // Further tables of a run have a number and share the reasons of the first.
    let digits = stem.utf8.reversed().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    if digits > 0, stem.utf8.dropLast(digits).last == UInt8(ascii: "-") {
      candidates.append(String(decoding: stem.utf8.dropLast(digits + 1), as: UTF8.self) + ".reasons.jsonl")
    }
    guard let found = candidates.first(where: { access($0, F_OK) == 0 }) else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': their reasons '\(candidates[0])' are not in the same folder",
        advice: "Keep both files together under the names that the import gave them.")
    }
    return found
  }

  private static func unreadable(_ path: String) -> RunFailure {
    RunFailure(
      .failed, "read '\(path)': it is not a file of reasons that an import writes",
      advice: "Keep the file as the import wrote it.")
  }
}
