import Content
import Foundation
import Interchange
import JSONText

/// Chravel's object stores in the browser.
enum ChravelStore: String, CaseIterable, Sendable {
  case syncQueue, cache, tripOverview, messages, queue
}

/// The files of a dump, and the positions of their rows. Rows are parsed on demand.
///
/// - Source: formats/chravel.md
final class ChravelDump {
  /// A file of the dump.
  struct File: Sendable {
    let path: String
    /// The file's name in places; nil if it is the source itself.
    let member: String?
    let data: MappedFile
    /// The range after the last complete row, if the file ends too early or is damaged.
    var rest: (range: Range<Int>, message: String)?
  }

  /// A row, stored in as few bytes as possible, because a dump may have many rows.
  struct Element: Sendable {
    let range: Range<Int>
    private let fileNumber: Int32
    private let number: Int32
    /// The row's store; nil for a store that FleetKit does not recognize.
    let store: ChravelStore?
    /// Whether the row's key is stored outside its value.
    let isOutbound: Bool

    init(store: ChravelStore?, file: Int, index: Int, range: Range<Int>, isOutbound: Bool) {
      (self.store, self.range, self.isOutbound) = (store, range, isOutbound)
      (fileNumber, number) = (Int32(clamping: file), Int32(clamping: index))
    }

    var file: Int { Int(fileNumber) }
    /// The row's number among the rows of its store, from 0.
    var index: Int { Int(number) }
  }

  private(set) var files: [File] = []
  private(set) var elements: [Element] = []

  /// Finds the rows in the given files.
  /// - Throws: `RunFailure` with status 2 if a file cannot be read.
  init(_ paths: [(path: String, member: String?)]) throws {
    for (path, member) in paths {
      let data = try MappedFile(path)
      var file = File(path: path, member: member, data: data)
      let name = path.split(separator: "/").last.map { $0.split(separator: ".").first.map(String.init) ?? "" } ?? ""
      do {
        let bytes = data.bytes
        var splitter = DumpSplitter(store: name)
        var counts: [String: Int] = [:]
        splitter.run(bytes.bindMemory(to: UInt8.self).span) { found in
          let index = counts[found.store, default: 0]
          counts[found.store] = index + 1
          data.used(found.range.count)
          let store = ChravelStore(rawValue: found.store) ?? Self.store(of: bytes, found.range)
          elements.append(
            Element(
              store: store, file: files.count, index: index, range: found.range, isOutbound: found.isOutbound))
        }
        file.rest = splitter.rest
      }
      files.append(file)
    }
  }

  private static func store(of bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> ChravelStore? {
    let row = bytes.bindMemory(to: UInt8.self).span.extracting(range)
    return (try? JSONDocument(parsing: row)).flatMap { store(of: $0.root) }
  }

  /// Returns the store of a row. The store is recognized by members that only its rows have.
  static func store(of row: JSONValue) -> ChravelStore? {
    let names = Set(row.members.map(\.name))
    if names.contains("operationType") { return .syncQueue }
    if names.contains("cachedAt"), names.contains("entityType") { return .cache }
    if names.contains("itinerary") || names.contains("pinnedPlaces") { return .tripOverview }
    if names.contains("message"), names.contains("timestamp") { return .queue }
    return names.contains("content") || names.contains("author_name") ? .messages : nil
  }

  /// Parses a row.
  /// - Throws: `JSONError` if the row is not JSON.
  func row(_ element: Element) throws(JSONError) -> ChravelRow {
    let document = try JSONDocument(parsing: bytes(element.range, in: element.file))
    return ChravelRow(document.root, isOutbound: element.isOutbound)
  }

  /// The last requested list, cached because its objects are requested one after another.
  private var lastList: (row: Range<Int>, file: Int, name: String, items: [ChravelRow])?

  /// Returns the objects in one of a row's lists; empty if the row has no such list.
  func items(of element: Element, _ name: String) -> [ChravelRow] {
    if let last = lastList, last.row == element.range, last.file == element.file, last.name == name {
      return last.items
    }
    let items = (try? row(element))?[name]?.elements ?? []
    lastList = (element.range, element.file, name, items)
    return items
  }

  /// Returns a row's bytes as they are in the file.
  func bytes(_ range: Range<Int>, in file: Int) -> [UInt8] {
    files[file].data.used(range.count)
    return Array(files[file].data.bytes[range])
  }
}

/// Finds the rows in a dump file: the elements of the list if the file is a list, or the elements of the lists in a
/// Dexie export.
private struct DumpSplitter {
  struct Found {
    let store: String
    let range: Range<Int>
    let isOutbound: Bool
  }

  private var store: String
  private var isOutbound = false
  /// The range after the last complete row, if the file ends too early.
  private(set) var rest: (range: Range<Int>, message: String)?

  init(store: String) { self.store = store }

  mutating func run(_ bytes: Span<UInt8>, _ body: (Found) -> Void) {
    var at = skipBlanks(bytes, bytes.starts(with: "\u{FEFF}") ? 3 : 0)
    guard at < bytes.count else {
      rest = (0..<bytes.count, "the file is empty")
      return
    }
    if bytes[at] == UInt8(ascii: "[") { return list(bytes, from: &at, body) }
    // In a Dexie export, member names show where the rows are.
    var last = at
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "\"") else {
        at += 1
        continue
      }
      guard let end = endOfString(bytes, at) else { break }
      let name = bytes.extracting(at + 1..<end - 1)
      at = skipBlanks(bytes, end)
      guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else { continue }
      at = skipBlanks(bytes, at + 1)
      if name.equals("tableName"), at < bytes.count, let end = endOfString(bytes, at) {
        store = String(decoding: bytes.extracting(at + 1..<end - 1))
        at = end
      } else if name.equals("inbound") {
        isOutbound = bytes.starts(with: "false", at: at)
      } else if name.equals("rows"), at < bytes.count, bytes[at] == UInt8(ascii: "[") {
        list(bytes, from: &at, body)
        if rest != nil { return }
        last = at
      }
    }
    var end = bytes.count
    while end > 0, bytes[end - 1] <= 0x20 { end -= 1 }
    if end == 0 || bytes[end - 1] != UInt8(ascii: "}") {
      rest = (min(last, bytes.count)..<bytes.count, "the file ends in the middle of the export")
    }
  }

  /// Calls `body` with the elements of a list that begins at `at`, and moves `at` past the list.
  private mutating func list(_ bytes: Span<UInt8>, from at: inout Int, _ body: (Found) -> Void) {
    at = skipBlanks(bytes, at + 1)
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "]") {
        at += 1
        return
      }
      guard let end = endOfValue(bytes, at) else { break }
      body(Found(store: store, range: at..<end, isOutbound: isOutbound))
      at = skipBlanks(bytes, end)
      if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at = skipBlanks(bytes, at + 1) }
    }
    rest = (min(at, bytes.count)..<bytes.count, "the file ends in the middle of a row or of the list")
  }

  private func skipBlanks(_ bytes: Span<UInt8>, _ from: Int) -> Int {
    var at = from
    while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
    return at
  }

  private func endOfString(_ bytes: Span<UInt8>, _ from: Int) -> Int? {
    guard from < bytes.count, bytes[from] == UInt8(ascii: "\"") else { return nil }
    var at = from + 1
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "\"") { return at + 1 }
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// Returns the end of a value. An object or a list ends at its closing bracket, and any other value ends before a
  /// comma or a bracket.
  private func endOfValue(_ bytes: Span<UInt8>, _ from: Int) -> Int? {
    var at = from
    var depth = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        guard let end = endOfString(bytes, at) else { return nil }
        at = end
        if depth == 0 { return at }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return at > from ? at : nil }
        depth -= 1
        if depth == 0 { return at + 1 }
      case UInt8(ascii: ","):
        if depth == 0 { return at > from ? at : nil }
      default: break
      }
      at += 1
    }
    return nil
  }
}

/// The values of a row, or of an object inside a row. The types in a Dexie export have been applied.
struct ChravelRow: Sendable {
  let value: JSONValue
  /// The key of an outbound row.
  let key: String?
  private let types: [String: String]
  private let path: String

  /// Reads a row in one of the forms that dumps use: an object, `[key, value]`, or `{"$":[key,
  /// value],"$types":{"$":{…}}}`.
  init(_ row: JSONValue, isOutbound: Bool) {
    var (value, key) = (row, nil as String?)
    var list = row["$types"]
    var prefix = ""
    if let pair = row["$"], pair.kind == .array {
      (value, key) = (pair[1] ?? row, pair[0]?.string)
      list = row["$types"]?["$"]
      prefix = "1."
    } else if row.kind == .array, isOutbound || row.elements.count == 2 {
      (value, key) = (row[1] ?? row, row[0]?.string)
      list = value["$types"]
    }
    var types: [String: String] = [:]
    for (name, type) in list?.members ?? [] where name.hasPrefix(prefix) {
      types[String(name.dropFirst(prefix.count))] = type.string ?? type[0]?.string
    }
    (self.value, self.key, self.types, path) = (value, key, types, "")
  }

  private init(_ value: JSONValue, _ types: [String: String], _ path: String) {
    (self.value, self.types, self.path) = (value, types, path)
    key = nil
  }

  var isObject: Bool { value.kind == .object }

  /// Returns a member; nil if the member is missing, null, undefined, or a number that JSON cannot represent.
  subscript(name: String) -> ChravelRow? {
    guard name != "$types", let found = value[name], !found.isNull else { return nil }
    return inside(found, name)
  }

  private func inside(_ found: JSONValue, _ name: String) -> ChravelRow? {
    if types.isEmpty { return ChravelRow(found, types, "") }
    let escaped = name.replacing("~", with: "~0").replacing(".", with: "~1")
    let path = path.isEmpty ? escaped : path + "." + escaped
    if ["undef", "nan", "infinity", "negativeInfinity"].contains(types[path]) { return nil }
    return ChravelRow(found, types, path)
  }

  /// The elements of a list.
  var elements: [ChravelRow] {
    value.elements.enumerated().compactMap { inside($1, String($0)) }
  }

  func text(_ name: String) -> String? { self[name]?.value.string }
  func number(_ name: String) -> Int64? {
    guard let value = self[name]?.value, value.kind == .number else { return nil }
    return value.integer ?? value.double.flatMap { Int64(exactly: $0.rounded()) }
  }
  func flag(_ name: String) -> Bool? { self[name]?.value.bool }

  /// The value as a time: a string, or a number of milliseconds that Dexie marks as a date.
  var time: Timestamp? {
    if value.kind == .number, types[path] == "date" { return value.integer.map { Timestamp(milliseconds: $0) } }
    return value.string.flatMap { Timestamp.parse($0)?.0 }
  }

  /// Returns the value as plain JSON. Undefined values are left out, and dates become strings.
  /// - Parameters:
  ///   - name: the member that receives an outbound row's key, if the row lacks this member.
  ///   - excluded: members that are left out.
  func plain(key name: String? = nil, without excluded: [String] = []) -> [UInt8] {
    var json = ByteBuffer(capacity: 512)
    write(into: &json, key: name, without: excluded)
    return json.copy(0..<json.count)
  }

  /// Appends the value as plain JSON.
  func write(into out: inout ByteBuffer, key name: String? = nil, without excluded: [String] = []) {
    switch value.kind {
    case .object:
      out.append(UInt8(ascii: "{"))
      var isFirst = true
      if let name, let key, value[name] == nil {
        isFirst = false
        out.appendJSONString(name)
        out.append(UInt8(ascii: ":"))
        out.appendJSONString(key)
      }
      for (name, member) in value.members where name != "$types" && !excluded.contains(name) {
        guard let inner = inside(member, name) else { continue }
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        out.appendJSONString(name)
        out.append(UInt8(ascii: ":"))
        inner.write(into: &out)
      }
      out.append(UInt8(ascii: "}"))
    case .array:
      out.append(UInt8(ascii: "["))
      for (index, element) in value.elements.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        if let inner = inside(element, String(index)) { inner.write(into: &out) } else { out.append("null") }
      }
      out.append(UInt8(ascii: "]"))
    case .number where types[path] == "date":
      if let time { out.appendJSONString(time.iso8601) } else { out.append("null") }
    default: value.withNode { out.append($0.raw.span) }
    }
  }
}
