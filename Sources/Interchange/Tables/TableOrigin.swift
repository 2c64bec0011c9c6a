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
  /// What separates cells, where it was found out or said.
  public var delimiter: String?
  /// The cells of its header, without blanks around them; empty where nobody remembers.
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
    delimiter = node["delimiter"]?.string
    columns = node["columns"]?.elements.compactMap(\.string) ?? []
    for (name, value) in node["map"]?.members ?? [] { map[name] = value.string }
  }
}
