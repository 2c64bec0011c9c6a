import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import XMLStream

/// The lists in a file, in processing order: charters come before their executions.
///
/// Memory grows with the file, up to `largest`.
struct AppFile {
  /// A list in the file.
  struct Stored {
    let list: AppList
    /// The list's key; nil for a file that consists of a single list.
    let key: String?
    let version: Int
    let content: Content
    /// The origin to which places refer.
    let origin: DraftOrigin
  }

  /// A key's value.
  enum Content {
    case text(Data)
    /// A value in a JSON document, by its token.
    case value(JSONDocument, Int)
    case rejected(RejectedDraft)
  }

  /// The type of a file, determined from its first bytes.
  enum Kind {
    case propertyList, json, other
  }

  private(set) var lists: [Stored] = []
  /// Keys that are not lists, limited to a readable number.
  private(set) var otherKeys: [String] = []
  /// The file's name in findings.
  let name: String
  let size: Int

  /// The maximum size of a file, in bytes. No app's settings reach this limit, because the system keeps them in memory.
  private static let largest = 256 << 20

  /// Reads a file's lists.
  /// - Throws: `RunFailure`: 2 if the file cannot be read or has no lists, 5 if it is damaged.
  init(_ source: Source) throws {
    let bytes = try Self.bytes(of: source)
    name = source.name
    size = bytes.count
    switch Self.kind(of: Array(bytes.prefix(4096))) {
    case .propertyList where bytes.starts(with: BinaryPropertyList.mark):
      guard let file = BinaryPropertyList(bytes) else { throw Self.failure(source, .mismatch, "it is truncated") }
      for (key, value) in file.members.lists { add(key, value, isText: false) }
      otherKeys = file.members.others
    case .propertyList:
      let members = try XMLPropertyList.members(of: bytes, source)
      for (key, value) in members.lists { add(key, value, isText: true) }
      otherKeys = members.others
    case .json, .other: addJSON(bytes, source)
    }
    guard !lists.isEmpty else { throw Self.failure(source, .failed, "it contains none of the app's lists") }
    lists.sort { left, right in
      let (first, second) = (Self.place(left.list), Self.place(right.list))
      return first == second ? left.version > right.version : first < second
    }
  }

  private static func place(_ list: AppList) -> Int { AppList.allCases.firstIndex(of: list) ?? 0 }

  /// Returns the type of a file.
  static func kind(of head: [UInt8]) -> Kind {
    if head.starts(with: BinaryPropertyList.mark) { return .propertyList }
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let signs = text.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    switch signs.first {
    case UInt8(ascii: "<"), 0, 0xFE, 0xFF:
      return String(decoding: head.lazy.filter { $0 != 0 }, as: UTF8.self).contains("<plist") ? .propertyList : .other
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // `[x] Coolant` is an item in a pasted list.
      guard let second = signs.dropFirst().first else { return .json }
      return "{[\"]}n-0123456789".utf8.contains(second) ? .json : .other
    default: return .other
    }
  }

  /// Reads a file's bytes.
  /// - Throws: `RunFailure` with status 2.
  static func bytes(of source: Source) throws -> [UInt8] {
    let descriptor = open(source.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    var bytes: [UInt8] = []
    if fstat(descriptor, &status) == 0 { bytes.reserveCapacity(min(Int(status.st_size), largest)) }
    var room = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let got = room.withUnsafeMutableBytes { FileRead.some(descriptor, into: $0) }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
      if got == 0 { return bytes }
      bytes += room[..<got]
      guard bytes.count <= largest else {
        throw RunFailure(
          .failed, "read '\(source.name)': it is larger than \(largest >> 20) MB, the limit for an app's settings")
      }
    }
  }

  private static func failure(_ source: Source, _ status: ExitStatus, _ message: String) -> RunFailure {
    RunFailure(
      status, Diagnostic(.notPredecessor, message, at: Place(file: source.name)),
      message: "read '\(source.name)': \(message)")
  }

  // MARK: Keys

  private mutating func add(_ key: String, _ value: PropertyListEntry, isText: Bool) {
    switch value.content {
    case .bytes(let text):
      let text = Data(text)
      add(key, .text(text), .member(key, text))
    case .node: break
    case .other(let what):
      // The place refers to the value in the XML. A binary file has no lines.
      add(
        key, .rejected(Self.reject(key, "its value is \(what)", value.range, json: "null")),
        isText ? .file : .member(key, Data()))
    }
  }

  private mutating func add(_ key: String, _ content: Content, _ origin: DraftOrigin) {
    guard let (list, version) = AppList.parse(key) else { return }
    lists.append(Stored(list: list, key: key, version: version, content: content, origin: origin))
  }

  private static func reject(_ key: String, _ message: String, _ range: Range<Int>, json: String) -> RejectedDraft {
    RejectedDraft(
      AppList.parse(key)?.list.kind ?? .item, title: key, json: Array(json.utf8),
      problems: [RejectedDraft.Problem(.unreadableList, "\(key): \(message)", at: range)], range: range)
  }

  // MARK: JSON

  private mutating func addJSON(_ bytes: [UInt8], _ source: Source) {
    let probe = ListProbe.classify(bytes)
    var list = AppList(fileName: source.path)
    if case .lists(let found) = probe {
      if found == nil, let document = try? JSONDocument(parsing: bytes) { return addKeys(document) }
      // If the document cannot be parsed, its lists are unknown. The file's name then determines the list, with
      // checklists as the default.
      list = found ?? list ?? .checklists
    }
    guard let list else { return }
    lists = [Stored(list: list, key: nil, version: 1, content: .text(Data(bytes)), origin: .file)]
  }

  /// Adds the lists in an object that has the property list's keys.
  private mutating func addKeys(_ document: JSONDocument) {
    var members = StoredMembers()
    document.withRoot { root in
      root.forEachMember { name, value in
        members.add(name.string) {
          guard value.kind == .string else { return PropertyListEntry(content: .node(value.index), range: value.span) }
          // The value is either JSON as a string or data in Base64.
          let text = value.string ?? ""
          let isJSON = text.contains("\"") || ["[]", "{}"].contains(text)
          let data = isJSON ? nil : Data(base64Encoded: text)
          return PropertyListEntry(content: .bytes(data.map(Array.init) ?? Array(text.utf8)), range: value.span)
        }
      }
    }
    otherKeys = members.others
    for (key, value) in members.lists {
      switch value.content {
      case .bytes: add(key, value, isText: true)
      case .node(let token):
        if document.withNode(token, { !$0.isNull }) { add(key, .value(document, token), .file) }
      case .other(let what):
        let text = document.withText { (text: Span<UInt8>) in String(decoding: text.extracting(value.range)) }
        add(key, .rejected(Self.reject(key, what, value.range, json: text)), .file)
      }
    }
  }
}

/// An entry in the outermost dictionary of a property list.
struct PropertyListEntry {
  enum Content {
    /// Data, or the UTF-8 bytes of a string.
    case bytes([UInt8])
    /// Any other value in a JSON document, by its token.
    case node(Int)
    /// A value of another type, with a description for messages.
    case other(String)
  }

  var content: Content
  /// The value's range in the file, if the file is text.
  var range = 0..<0
}

/// The entries of the outermost dictionary that FleetKit reads.
///
/// Only these entries are kept, because a malicious file can have millions of keys that all refer to one value.
struct StoredMembers {
  private(set) var lists: [(key: String, value: PropertyListEntry)] = []
  /// Keys that are not lists, limited to a readable number.
  private(set) var others: [String] = []

  /// The maximum number of lists that are read, which exceeds the number of lists in any version of the app.
  private static let most = 8

  /// Adds a member.
  /// - Parameter value: creates the value. It is only called for lists, and once for each key.
  mutating func add(_ key: String?, _ value: () -> PropertyListEntry) {
    guard let key, AppList.parse(key) != nil, lists.count < Self.most else {
      if others.count < 100 { others.append(key ?? "…") }
      return
    }
    switch lists.count(where: { $0.key == key }) {
    case 0: lists.append((key, value()))
    case 1:
      lists.append(
        (key, PropertyListEntry(content: .other("repeated; only the first one is read"), range: value().range)))
    default: break
    }
  }
}

/// The outermost dictionary of a binary property list.
///
/// Only the dictionary, its keys, and the values of lists are read, each once and within the file's bounds. References
/// in values are not followed, so shared or circular references do no harm.
/// - Source: Apple's CFBinaryPList.c
struct BinaryPropertyList {
  static let mark = Array("bplist".utf8)

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  private(set) var members = StoredMembers()

  /// The maximum length of a key that can be a list name, in bytes.
  private static let longestKey = 256

  /// Reads the dictionary; returns nil if the file is damaged before the first value.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    let trailer = bytes.count - 32
    guard trailer >= 8 else { return nil }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
      let table = Self.number(bytes, trailer + 24, 8), count <= bytes.count, table <= trailer
    else { return nil }
    self.count = count
    self.table = table
    guard let top = object(top), top.type == 0xD, top.count <= bytes.count,
      top.start + 2 * top.count * referenceSize <= trailer
    else { return nil }
    var members = StoredMembers()
    for index in 0..<top.count {
      let at = top.start + index * referenceSize
      guard let reference = Self.number(bytes, at, referenceSize), let key = object(reference) else { return nil }
      members.add(key.count > Self.longestKey ? nil : text(key)) {
        value(Self.number(bytes, at + top.count * referenceSize, referenceSize))
      }
    }
    self.members = members
  }

  private func value(_ reference: Int?) -> PropertyListEntry {
    guard let reference, let found = object(reference) else {
      return PropertyListEntry(content: .other("outside the file"))
    }
    if found.type == 4 {
      guard found.start + found.count <= bytes.count else { return PropertyListEntry(content: .other("truncated")) }
      return PropertyListEntry(content: .bytes(Array(bytes[found.start..<found.start + found.count])))
    }
    if let text = text(found) { return PropertyListEntry(content: .bytes(Array(text.utf8))) }
    let what =
      switch found.type {
      case 0: "a boolean"
      case 1, 2: "a number"
      case 3: "a date"
      case 5, 6: "a damaged string"
      case 0xA: "an array"
      case 0xD: "a dictionary"
      default: "of another type"
      }
    return PropertyListEntry(content: .other(what))
  }

  private func text(_ object: (type: Int, count: Int, start: Int)) -> String? {
    let size = object.type == 6 ? 2 * object.count : object.count
    guard object.type == 5 || object.type == 6, object.start + size <= bytes.count else { return nil }
    let part = bytes[object.start..<object.start + size]
    if object.type == 5 { return String(decoding: part, as: UTF8.self) }
    return String(
      decoding: stride(from: part.startIndex, to: part.endIndex, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      },
      as: UTF16.self)
  }

  /// Returns an object's type, its number of elements, and the offset at which they begin; nil if the object is outside
  /// the file.
  private func object(_ index: Int) -> (type: Int, count: Int, start: Int)? {
    guard index < count, let at = Self.number(bytes, table + index * offsetSize, offsetSize), at < table else {
      return nil
    }
    let type = Int(bytes[at] >> 4)
    let short = Int(bytes[at] & 15)
    guard short == 15, type >= 4 else { return (type, short, at + 1) }
    guard at + 1 < bytes.count, bytes[at + 1] >> 4 == 1, bytes[at + 1] & 15 < 4 else { return nil }
    let size = 1 << Int(bytes[at + 1] & 15)
    guard let long = Self.number(bytes, at + 2, size), long <= bytes.count else { return nil }
    return (type, long, at + 2 + size)
  }

  /// Reads a big-endian number of `size` bytes. Returns nil if the number is outside the file or larger than any
  /// offset.
  private static func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int? {
    guard at >= 0, at <= bytes.count - size else { return nil }
    let value = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value > 1 << 40 ? nil : Int(value)
  }
}

/// The outermost dictionary of an XML property list, with the places of its values.
private final class XMLPropertyList: XMLHandler {
  private var members = StoredMembers()
  private weak var parser: XMLStreamParser?
  private var depth = 0
  private var key: String?
  private var text: [UInt8] = []
  private var start = 0
  private var isDictionary = false

  /// - Throws: `RunFailure`: 5 if the file is damaged, 2 if it contains something that is refused, 69 if libxml2 is
  ///   missing.
  static func members(of bytes: [UInt8], _ source: Source) throws -> StoredMembers {
    let handler = XMLPropertyList()
    var limits = XMLLimits.standard
    limits.allowsDocumentType = true
    let parser = try XMLStreamParser(handler, limits: limits)
    handler.parser = parser
    do {
      try parser.feed(bytes.span)
      try parser.finish()
    } catch let problem as XMLProblem {
      let place = Place(file: source.name, line: problem.line, column: problem.column)
      throw RunFailure(
        problem.isRefusal ? .failed : .mismatch, Diagnostic(.notPredecessor, problem.message, at: place),
        message: "read '\(source.name)': \(problem.message) (line \(problem.line), column \(problem.column))")
    }
    return handler.members
  }

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    depth += 1
    if depth == 2 { isDictionary = name.is("dict") }
    guard depth == 3, isDictionary else { return }
    text = []
    start = parser?.sourceRange.lowerBound ?? 0
  }

  func end(_ name: XMLName) throws {
    defer { depth -= 1 }
    guard depth == 3, isDictionary else { return }
    if name.is("key") {
      key = String(decoding: text, as: UTF8.self)
      return
    }
    guard let key else { return }
    self.key = nil
    let range = start..<max(start, parser?.sourceRange.upperBound ?? start)
    members.add(key) { PropertyListEntry(content: content(name), range: range) }
  }

  private func content(_ name: XMLName) -> PropertyListEntry.Content {
    guard name.is("data") else {
      return name.is("string") ? .bytes(text) : .other("<\(name.text.prefix(40))>")
    }
    let plain = text.filter { $0 > 0x20 }
    return Data(base64Encoded: Data(plain)).map { .bytes(Array($0)) } ?? .other("not valid Base64")
  }

  func text(_ bytes: Span<UInt8>) throws {
    if depth == 3, isDictionary { bytes.withUnsafeBytes { text.append(contentsOf: $0) } }
  }
}
