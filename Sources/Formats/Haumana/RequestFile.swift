import Diagnostics
import Foundation
import Interchange
import JSONText

/// A file with a BatchWriteItem request, checked before it is sent.
///
/// - Source: formats/haumana.md, "Sending to DynamoDB"; DynamoDB API reference, BatchWriteItem
struct RequestFile: Sendable {
  /// Haumana's tables, which have different keys.
  enum Table: String, CaseIterable, Sendable {
    case pieces, sessions

    /// The prefix of the table's file names.
    var fileName: String { self == .pieces ? "request" : "sessions" }
    /// The key attributes: the partition key and the sort key.
    var keys: (partition: String, sort: String) { self == .pieces ? ("userId", "pieceId") : ("pk", "sk") }
  }

  /// An item's key, as UTF-8 bytes, because DynamoDB distinguishes strings that differ only in normalization.
  struct Key: Hashable, Sendable {
    let partition: [UInt8]
    let sort: [UInt8]
  }

  /// A put and its key.
  struct Put: Sendable {
    let key: Key
    /// The put's bytes in the file: `{"PutRequest":{"Item":{…}}}`.
    let json: [UInt8]
  }

  let table: Table
  let path: String
  let puts: [Put]

  /// Returns the paths of a folder's request files, in order.
  static func paths(in folder: String, _ table: Table) -> [String] {
    var paths: [String] = []
    while true {
      let path = "\(folder)/\(table.fileName)-\(paths.count + 1).json"
      guard FileManager.default.fileExists(atPath: path) else { return paths }
      paths.append(path)
    }
  }

  /// Reads a file.
  /// - Parameter user: the user that every item must belong to.
  /// - Throws: `RunFailure` with status 2 when the file cannot be read, 4 when DynamoDB would refuse the request or an
  ///   item belongs to another user.
  init(_ path: String, _ table: Table, user: String) throws {
    self.table = table
    self.path = path
    let refuse = { (why: String) in
      RunFailure(.refused, "send '\(TerminalEscaping.escape(path))': \(why)")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read '\(TerminalEscaping.escape(path))': \(SystemError.last)")
    }
    let most = DynamoDBLimits.request
    guard data.count <= most else { throw refuse("it has \(data.count) bytes, but DynamoDB allows only \(most)") }
    guard let document = try? JSONDocument(parsing: Array(data)) else { throw refuse("it is not JSON") }
    let root = document.root.members
    guard root.count == 1, root[0].name == "RequestItems", root[0].value.members.count == 1,
      let list = root[0].value.members.first?.value, list.kind == .array
    else {
      throw refuse("it is not an object with RequestItems for one table")
    }
    guard (1...DynamoDBLimits.puts).contains(list.elements.count) else {
      throw refuse("it has \(list.elements.count) puts, but DynamoDB allows 1 to \(DynamoDBLimits.puts)")
    }
    var seen: Set<Key> = []
    puts = try list.elements.enumerated().map { index, element in
      func fail(_ why: String) -> RunFailure { refuse("put \(index + 1) \(why)") }
      guard element.members.count == 1, let put = element["PutRequest"], put.members.count == 1,
        let item = put["Item"], item.withNode({ HaumanaItem.isTyped($0) })
      else {
        throw fail("is not a PutRequest with an Item")
      }
      guard Set(item.members.map { Array($0.name.utf8) }).count == item.members.count else {
        throw fail("has a repeated attribute")
      }
      guard let key = Self.key(of: item, table) else {
        throw fail("does not have the table's key, \(table.keys.partition) and \(table.keys.sort)")
      }
      guard item["userId"]?["S"]?.string?.utf8.elementsEqual(user.utf8) == true else {
        throw fail("does not belong to the user given with --user")
      }
      guard seen.insert(key).inserted else { throw fail("has the same key as another put") }
      guard DynamoDBLimits.size(of: item) <= DynamoDBLimits.item else {
        throw fail("has more than \(DynamoDBLimits.item) bytes")
      }
      return Put(key: key, json: Array(element.text.utf8))
    }
  }

  /// Returns the key of a typed item; nil if it is incomplete or too long.
  static func key(of item: JSONValue, _ table: Table) -> Key? {
    guard let partition = item[table.keys.partition]?["S"]?.string, let sort = item[table.keys.sort]?["S"]?.string,
      (1...DynamoDBLimits.key.partition).contains(partition.utf8.count),
      (1...DynamoDBLimits.key.sort).contains(sort.utf8.count)
    else { return nil }
    return Key(partition: Array(partition.utf8), sort: Array(sort.utf8))
  }

  /// Returns the body of a request that writes puts to a table.
  static func body(_ puts: [Put], into table: String) -> [UInt8] {
    var body = Array("{\"RequestItems\":{\"\(table)\":[".utf8)
    for (index, put) in puts.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += put.json
    }
    return body + Array("]}}".utf8)
  }
}
