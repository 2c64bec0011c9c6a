import Content
import RegistryModel

/// The tables that a registry is moved by, in an order in which every row follows the rows that it names.
///
/// Both stores have these tables and columns. Other tables are derived from these.
package struct StoreTable: Sendable, Equatable {
  /// How a column's values are stored.
  package enum Kind: Sendable {
    case id, text, texts, bytes, integer, truth, time
  }

  package let name: String
  package let columns: [(name: String, kind: Kind)]
  /// The column that orders the rows.
  package let key: String

  /// The names of the columns.
  package var names: [String] { columns.map(\.name) }

  package static func == (left: StoreTable, right: StoreTable) -> Bool { left.name == right.name }

  package static let content = StoreTable(
    name: "shared_content",
    columns: [
      ("number", .integer), ("id", .id), ("user_id", .id), ("author_username", .text), ("title", .text),
      ("description", .text), ("content_type", .text), ("tags", .texts), ("language", .text),
      ("language_base", .text), ("public_id", .text), ("can_fork", .truth), ("forked_from_id", .id),
      ("root_id", .id), ("chain_depth", .integer), ("original_author_username", .text),
      ("original_is_claimed", .truth), ("view_count", .integer), ("fork_count", .integer), ("created_at", .time),
      ("updated_at", .time), ("deleted_at", .time), ("digest", .bytes),
    ], key: "number")
  package static let documents = StoreTable(
    name: "content_documents", columns: [("number", .integer), ("content_data", .bytes)], key: "number")

  /// The items, each with its document in the last column; the document is null for an item that was erased.
  package static let items = StoreTable(
    name: "shared_content LEFT JOIN content_documents USING (number)",
    columns: content.columns + [documents.columns[1]],
    key: "number")

  /// All tables.
  package static let all = [
    StoreTable(
      name: "users",
      columns: [
        ("id", .id), ("apple_id", .text), ("email", .text), ("username", .text), ("created_at", .time),
        ("updated_at", .time),
      ], key: "id"),
    StoreTable(
      name: "profiles",
      columns: [
        ("user_id", .id), ("bio", .text), ("location", .text), ("nationality", .text), ("visibility", .text),
        ("social_links", .texts), ("community_memberships", .texts),
      ], key: "user_id"),
    StoreTable(
      name: "sessions",
      columns: [("id", .id), ("user_id", .id), ("created_at", .time), ("expires_at", .time)], key: "id"),
    StoreTable(
      name: "refresh_tokens",
      columns: [
        ("token_hash", .bytes), ("session_id", .id), ("created_at", .time), ("expires_at", .time), ("used_at", .time),
      ], key: "token_hash"),
    content, documents,
    StoreTable(
      name: "content_forks",
      columns: [("parent_shared_content_id", .id), ("child_shared_content_id", .id), ("created_at", .time)],
      key: "child_shared_content_id"),
    StoreTable(name: "content_recredited", columns: [("number", .integer)], key: "number"),
    StoreTable(
      name: "idempotency_keys",
      columns: [
        ("user_id", .id), ("key", .text), ("fingerprint", .bytes), ("status", .integer), ("headers", .texts),
        ("body", .bytes), ("created_at", .time),
      ], key: "user_id, key"),
  ]
}

/// A value of a table.
package enum StoredValue: Sendable, Equatable {
  case null
  case id(RegistryID)
  case text(String)
  case texts([String])
  case bytes([UInt8])
  case integer(Int64)
  case truth(Bool)
  case time(Timestamp)

  /// Compares strings by bytes.
  package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.id(let left), .id(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.texts(let left), .texts(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    case (.bytes(let left), .bytes(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.truth(let left), .truth(let right)): left == right
    case (.time(let left), .time(let right)): left == right
    default: false
    }
  }

  /// Appends the value for a digest: its size and its bytes.
  package func append(to bytes: inout [UInt8]) {
    func append(_ value: some Collection<UInt8>) {
      withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: value)
    }
    func append(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { append(Array($0)) } }
    switch self {
    case .null: append(Int64(-1))
    case .id(let id): append(id.text.utf8)
    case .text(let text): append(text.utf8)
    case .texts(let texts):
      append(Int64(texts.count))
      for text in texts { append(text.utf8) }
    case .bytes(let value): append(value)
    case .integer(let number): append(number)
    case .truth(let isTrue): append(isTrue ? 1 : 0)
    case .time(let time): append(time.milliseconds)
    }
  }
}

/// A store whose tables can be read.
package protocol StoreTableSource {
  /// Calls `body` with each row of a table, in the order of its key.
  func forEachRow(of table: StoreTable, _ body: ([StoredValue]) throws -> Void) throws
}
