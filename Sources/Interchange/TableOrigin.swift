import Content
import Foundation
import JSONText

/// The origin of a table and how the table was read. Rejected rows of the table can be read again in the same way with
/// this data.
///
/// A format makes an origin for the `RejectTable` of each table; `import --retry` passes it back to the reader.
public struct TableOrigin: Sendable, Equatable {
  /// The source's name, from which ids are derived: `source:` of a `.fleetkit.yml`, otherwise the folder.
  public var source: String
  /// The folder of the source, as an absolute path.
  public var folder: String
  /// The file's path within that folder.
  public var path: String
  /// The sheet of a workbook; nil if a file is one table.
  public var sheet: String?
  /// The name of the format that the table was read in.
  public var format: String
  /// Headers and the columns that the user assigned to them.
  public var map: [String: String] = [:]
  /// The header of the column that identifies rows.
  public var key: String?
  /// The meaning of a row.
  public var shape: String?
  /// Whether all of the table's rows are data.
  public var noHeader = false
  /// The separator of cells, if it was detected or given.
  public var delimiter: String?
  /// The cells of the header, without blanks around them; empty if the cells are not stored.
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

  /// The origin as one JSON object, for `RejectTable.origin`.
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

  /// Parses the output of `json`; nil if the value is something else.
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

/// The data for reading rejected rows again: the table that they come from, and the position of each row. The reasons
/// file next to the rejects file holds this data.
public struct RetryOrigin: Sendable {
  /// The table that the rows were rejected from.
  public let table: TableOrigin
  /// The number of rows of the file. If this number has changed, row numbers are no longer valid.
  public let rowCount: Int
  private let anchors: [Int32: StepAnchor]
  private let above: [Int32: [String: String]]

  /// Returns the position of a row's step.
  /// - Parameter row: the number of the row in the rejects file, from 1, without headers and empty rows.
  public func anchor(ofRow row: Int) -> StepAnchor { Int32(exactly: row).flatMap { anchors[$0] } ?? .unknown }

  /// Returns the values that a row took from the rows above it, by column.
  /// - Parameter row: the number of the row in the rejects file, from 1, without headers and empty rows.
  package func above(row: Int) -> [String: String] { Int32(exactly: row).flatMap { above[$0] } ?? [:] }

  /// Whether any of the rows took this value from a row above it in the original table.
  package func inherits(_ name: String, _ value: String) -> Bool { above.values.contains { $0[name] == value } }

  /// Reads the reasons file of a file of rejected rows; nil if the rejects file contains records, not rows.
  /// - Throws: `RunFailure` with status 2 if the reasons file is missing, or a file with its name is not a reasons
  ///   file.
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
    // If the rejects file was renamed together with its reasons file, it is still the only file that the reasons refer
    // to.
    guard let key = tables[name] == nil && tables.count == 1 ? tables.keys.first : name, let table = tables[key] else {
      return nil
    }
    self.table = table
    rowCount = rows[key]?.count ?? 0
    anchors = rows[key]?.anchors ?? [:]
    self.above = above[key] ?? [:]
  }

  /// Returns the reasons file that belongs to a rejects file.
  package static func reasons(beside path: String) throws -> String {
    let stem = (path as NSString).deletingPathExtension
    var candidates = [stem + ".reasons.jsonl"]
    // The file names of a run's additional tables contain a number. These tables share the reasons file of the first
    // one.
    let digits = stem.utf8.reversed().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    if digits > 0, stem.utf8.dropLast(digits).last == UInt8(ascii: "-") {
      candidates.append(String(decoding: stem.utf8.dropLast(digits + 1), as: UTF8.self) + ".reasons.jsonl")
    }
    guard let found = candidates.first(where: { access($0, F_OK) == 0 }) else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': the reasons file '\(candidates[0])' is not in the same folder",
        advice: "Keep both files together under the names that the import gave them.")
    }
    return found
  }

  private static func unreadable(_ path: String) -> RunFailure {
    RunFailure(
      .failed, "read '\(path)': it is not a reasons file written by an import",
      advice: "Keep the file as the import wrote it.")
  }
}
