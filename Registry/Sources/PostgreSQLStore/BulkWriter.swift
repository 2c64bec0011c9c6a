import Content
import RegistryModel
import RegistryStore

/// Writes many items with COPY, inside a transaction of its caller.
///
/// The rows of `shared_content` go through a temporary table, because the server computes the stems of their words.
final class BulkWriter {
  /// An item with its row.
  struct Item {
    /// The values of `StoreTable.content`.
    let row: [StoredValue]
    let number: Int64
    let id: RegistryID
    let createdAt: Timestamp
    let isPublic: Bool
    let texts: Texts
  }

  /// The values of an item that take time to compute.
  struct Texts: Sendable {
    /// The tags in the form in which they are compared.
    let tags: [String]
    /// The words of a public item.
    let words: [String]
    /// Nil for an item that was erased.
    let document: [UInt8]?
    fileprivate let json: PostgreSQLValue

    init(tags: [String], words: [String], document: [UInt8]?) {
      self.tags = SearchWords.folded(tags)
      self.words = words
      self.document = document
      json = document.map(JSONBDocument.value) ?? .json(nil)
    }
  }

  private let connection: PostgreSQLConnection
  private static let columns = StoreTable.content.names.joined(separator: ", ")

  /// Makes the temporary table.
  init(_ connection: PostgreSQLConnection) throws {
    self.connection = connection
    try connection.run(
      """
      CREATE TEMP TABLE IF NOT EXISTS staged_content AS
      SELECT \(Self.columns), NULL::jsonb AS content_data, '{}'::text[] AS folded, '{}'::text[] AS all_words
      FROM shared_content LIMIT 0
      """)
  }

  /// Writes items with their documents and tags.
  func insert(_ items: [Item]) throws {
    try connection.run("TRUNCATE staged_content")
    try connection.copy(into: "staged_content", StoreTable.content.names + ["content_data", "folded", "all_words"]) {
      for item in items {
        $0.append(
          item.row.map(PostgreSQLValue.init) + [item.texts.json, .texts(item.texts.tags), .texts(item.texts.words)])
      }
    }
    try connection.run(
      """
      INSERT INTO shared_content (\(Self.columns), content_data, folded_tags, words)
      SELECT \(Self.columns), content_data, folded,
        CASE WHEN deleted_at IS NULL
          THEN \(SearchWords.vector("all_words")) END
      FROM staged_content ORDER BY number
      """)
    try connection.copy(into: "content_documents", ["number", "document"]) {
      for item in items {
        if let document = item.texts.document { $0.append([.integer(item.number), .bytes(document)]) }
      }
    }
    try connection.copy(into: "content_tags", ["tag", "created_at", "id", "number"]) {
      for item in items where item.isPublic {
        for tag in item.texts.tags {
          $0.append([.text(tag), .time(item.createdAt), .id(item.id), .integer(item.number)])
        }
      }
    }
  }
}

/// The rows of a COPY in PostgreSQL's binary form.
struct CopyRows {
  fileprivate var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

  /// Appends a row.
  mutating func append(_ values: [PostgreSQLValue]) {
    append(Int16(values.count))
    for value in values {
      let start = bytes.count
      append(Int32(-1))
      guard value.write(into: &bytes) else { continue }
      let length = UInt32(bytes.count - start - 4)
      for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
    }
  }

  fileprivate mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension PostgreSQLConnection {
  /// Copies rows into a table.
  func copy(into table: String, _ columns: [String], _ rows: (inout CopyRows) throws -> Void) throws {
    var copied = CopyRows()
    try rows(&copied)
    copied.append(Int16(-1))
    try copy("COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)", copied.bytes)
  }
}

extension PostgreSQLValue {
  init(_ value: StoredValue) {
    switch value {
    case .null: self = .text(nil)
    case .id(let id): self = .id(id)
    case .text(let text): self = .text(text)
    case .texts(let texts): self = .texts(texts)
    case .bytes(let bytes): self = .bytes(bytes)
    case .integer(let number): self = .integer(number)
    case .truth(let isTrue): self = .truth(isTrue)
    case .time(let time): self = .time(time)
    }
  }
}
