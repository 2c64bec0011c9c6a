import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Splits a `.json` document: an object with a list for each kind, an array of items, or a single item.
///
/// The outermost object and its lists are scanned for structure only, element by element, so that a document of any
/// size can be streamed. The content of an element is parsed later. A document that is not valid JSON is refused as a
/// whole, because half a document would be useless.
final class DocumentSplitter: RecordSplitter {
  private enum State { case start, members, list, done }

  private let input: BundleInput
  private let context: RunContext
  private var state = State.start
  private var listed: RecordKind?
  private var isArrayDocument = false
  private var expectsComma = false
  /// The current offset in the buffer.
  private var at = 0
  private var position = TextPosition(line: 1, column: 1)
  /// The position in the document at which the buffer starts.
  private var origin = TextPosition(line: 1, column: 1)
  private var positioned = 0
  private var header: [(String, [UInt8])] = []
  private var names = Set<String>()

  /// The maximum length of an element, in bytes. Longer elements are refused to limit memory.
  private static let elementLimit = 512 << 20

  init(input: BundleInput, context: RunContext) {
    self.input = input
    self.context = context
  }

  func next() throws -> (spans: [RecordSpan], end: Int)? {
    if state == .done { return nil }
    // The buffer has been consumed up to `at`, so the remaining bytes now start at 0.
    at = 0
    positioned = 0
    origin = position
    var spans: [RecordSpan] = []
    while state != .done, spans.isEmpty || (at < BundleInput.chunk && spans.count < BundleInput.batchRecords) {
      switch state {
      case .start: try readStart(into: &spans)
      case .members: try readMember(into: &spans)
      case .list: try readElement(into: &spans)
      case .done: break
      }
      if spans.isEmpty, at >= BundleInput.chunk { break }
    }
    movePosition(to: at)
    return (spans, at)
  }

  // MARK: States

  private func readStart(into spans: inout [RecordSpan]) throws {
    while input.buffer.count < 3, try input.fill() {}
    if input.buffer.count >= 3, input.buffer.bytes.prefix(3).elementsEqual([0xEF, 0xBB, 0xBF]) {
      at = 3
      positioned = 3
    }
    switch try nextByte(or: "the file is empty") {
    case UInt8(ascii: "["):
      at += 1
      isArrayDocument = true
      listed = nil
      expectsComma = false
      state = .list
    case UInt8(ascii: "{"):
      let start = at
      at += 1
      if try isBundle() {
        expectsComma = false
        at = start + 1
        state = .members
      } else {
        at = start
        try appendElement(into: &spans)
        try finishDocument()
      }
    case let byte: throw failure(.unexpectedByte(byte, expected: "'{' or '['"))
    }
  }

  /// Whether the outermost object lists records. This is decided by the first member that can occur either only in a
  /// bundle or only in a record.
  private func isBundle() throws -> Bool {
    var isEmpty = true
    while true {
      let byte = try nextByte(or: "the object is not closed")
      if byte == UInt8(ascii: "}") { return isEmpty }
      if byte == UInt8(ascii: ",") {
        at += 1
        continue
      }
      let name = try readName()
      if name == "kind", try isBundleKind() { return true }
      if name == "format" || name == "items" || BundleLists.kind(ofList: name) != nil { return true }
      if BundleLists.recordNames.contains(name) { return false }
      if BundleLists.spelling.nearest(to: name) != nil { return true }
      isEmpty = isEmpty && BundleLists.headerNames.contains(name)
      _ = try nextByte(or: "a value is missing")
      at = try endOfValue()
    }
  }

  /// Whether the value after the name `kind` is `"bundle"`. In a record, it has a different value.
  private func isBundleKind() throws -> Bool {
    _ = try nextByte(or: "a value is missing")
    return input.buffer.bytes[at..<(try endOfValue())].elementsEqual("\"bundle\"".utf8)
  }

  /// Whether a file begins with a bundle header that also contains the lists of records. Such a file is a single
  /// document, regardless of its name.
  /// - Parameter head: the beginning of the file.
  static func isDocument(_ head: Span<UInt8>) -> Bool {
    var at = head.starts(with: "\u{FEFF}") ? 3 : 0
    func byte(passing others: Set<UInt8> = []) -> UInt8? {
      while at < head.count, [0x20, 0x0A, 0x0D, 0x09].contains(head[at]) || others.contains(head[at]) { at += 1 }
      return at < head.count ? head[at] : nil
    }
    func value() -> Range<Int>? {
      var scan = ValueScan(start: at)
      guard let end = scan.run(head, atEnd: false) else { return nil }
      defer { at = end }
      return at..<end
    }
    guard byte() == UInt8(ascii: "{") else { return false }
    at += 1
    var isBundle = false
    while byte(passing: [UInt8(ascii: ",")]) == UInt8(ascii: "\""), let quoted = value() {
      guard byte(passing: [UInt8(ascii: ":")]) != nil else { return false }
      let name = String(decoding: head.extracting(quoted.dropFirst().dropLast()))
      if isBundle, BundleLists.kind(ofList: name) != nil { return byte() == UInt8(ascii: "[") }
      guard let value = value() else { return false }
      if name == "kind" { isBundle = head.extracting(value).equals("\"bundle\"") }
    }
    return false
  }

  private func readMember(into spans: inout [RecordSpan]) throws {
    var byte = try nextByte(or: "the object is not closed")
    if byte == UInt8(ascii: "}") {
      at += 1
      try checkHeader()
      return try finishDocument()
    }
    if expectsComma {
      guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte(byte, expected: "',' or '}'")) }
      at += 1
      byte = try nextByte(or: "the object is not closed")
    }
    let nameAt = at
    let name = try readName()
    guard names.insert(name).inserted else {
      movePosition(to: nameAt)
      throw RunFailure(
        .duplicateMember, "the member \"\(name)\" occurs twice in one object", at: place,
        advice: "Merge the two lists into one.")
    }
    byte = try nextByte(or: "a value is missing")
    if byte == UInt8(ascii: "["), let kind = BundleLists.kind(ofList: name) {
      at += 1
      listed = kind == BundleLists.anyKind ? nil : kind
      expectsComma = false
      state = .list
      return
    }
    let start = at
    at = try endOfValue()
    expectsComma = true
    if BundleLists.headerNames.contains(name) || name == "kind" {
      header.append((name, input.buffer.copy(start..<at)))
    } else if BundleLists.kind(ofList: name) != nil {
      movePosition(to: start)
      throw RunFailure(.typeMismatch, "'\(name)' must be an array of records", at: place)
    } else {
      movePosition(to: start)
      spans.append(
        RecordSpan(
          start: start, length: at - start, line: position.line, column: position.column,
          listed: BundleLists.memberKind(name)))
    }
  }

  private func readElement(into spans: inout [RecordSpan]) throws {
    var byte = try nextByte(or: "the array is not closed")
    if byte == UInt8(ascii: "]") {
      at += 1
      expectsComma = true
      if isArrayDocument { return try finishDocument() }
      state = .members
      return
    }
    if expectsComma {
      guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte(byte, expected: "',' or ']'")) }
      at += 1
      byte = try nextByte(or: "the array is not closed")
      if byte == UInt8(ascii: "]") { throw failure(.unexpectedByte(byte, expected: "a value")) }
    }
    try appendElement(into: &spans)
    expectsComma = true
  }

  private func appendElement(into spans: inout [RecordSpan]) throws {
    let start = at
    movePosition(to: start)
    at = try endOfValue()
    spans.append(
      RecordSpan(
        start: start, length: at - start, line: position.line, column: position.column, listed: listed))
  }

  private func finishDocument() throws {
    state = .done
    while true {
      while at < input.buffer.count {
        guard [0x20, 0x09, 0x0A, 0x0D].contains(input.buffer.bytes[at]) else { throw failure(.textAfterValue) }
        at += 1
      }
      if try !input.fill() { return }
    }
  }

  private func checkHeader() throws {
    var text = "{"
    for (name, value) in header {
      text += (text == "{" ? "" : ",") + "\"\(name)\":" + String(decoding: value, as: UTF8.self)
    }
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: text + "}")
    } catch {
      throw RunFailure(.failed, "read '\(input.name)': the header is not JSON: \(error.message)")
    }
    try BundleHeader.check(document.root, place: Place(file: input.name, line: 1, column: 1), context)
  }

  // MARK: Pieces

  /// Returns the next byte that is not white space. Reads more input when the buffer ends.
  private func nextByte(or complaint: String) throws -> UInt8 {
    while true {
      while at < input.buffer.count {
        let byte = input.buffer.start[at]
        if byte != 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 { return byte }
        at += 1
      }
      if try !input.fill() {
        throw failure(input.buffer.count == 0 && position.line == 1 ? .empty : .unexpectedEnd)
      }
    }
  }

  /// Reads a member name and its colon.
  private func readName() throws -> String {
    let byte = try nextByte(or: "a member name is missing")
    guard byte == UInt8(ascii: "\"") else {
      throw failure(.unexpectedByte(byte, expected: "a member name in quotes"))
    }
    let start = at
    at = try endOfValue()
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: input.buffer.bytes.span.extracting(start..<at))
    } catch {
      at = start + error.offset
      throw failure(error.reason)
    }
    let colon = try nextByte(or: "':' is missing")
    guard colon == UInt8(ascii: ":") else { throw failure(.unexpectedByte(colon, expected: "':'")) }
    at += 1
    return document.root.string ?? ""
  }

  /// Returns the offset after the value that starts at `at`. Only brackets and quotes are examined.
  private func endOfValue() throws -> Int {
    var scan = ValueScan(start: at)
    while true {
      if let end = scan.run(input.buffer.bytes.span, atEnd: input.isAtEnd) { return end }
      if input.buffer.count - at > Self.elementLimit {
        throw RunFailure(.failed, "\(place): the value is longer than 512 MiB")
      }
      if input.isAtEnd {
        // The strict parser finds the exact position of the error.
        var tape = JSONTape()
        do {
          _ = try tape.parse(input.buffer.bytes.span, in: at..<input.buffer.count)
        } catch {
          at = error.offset
          throw failure(error.reason)
        }
        throw failure(.unexpectedEnd)
      }
      _ = try input.fill()
    }
  }

  private var place: Place {
    Place(file: input.name, line: position.line, column: position.column)
  }

  private func failure(_ reason: JSONError.Reason) -> RunFailure {
    movePosition(to: at)
    let error = JSONError(reason, at: at)
    let advice = error.advice(in: input.buffer.bytes.span, from: origin) ?? DiagnosticCode.notJSON.fix
    return RunFailure(
      .notJSON, error.message, at: place, advice: advice.prefix(1).uppercased() + advice.dropFirst() + ".")
  }

  /// Advances the line and the column to `offset`.
  private func movePosition(to offset: Int) {
    var (line, column) = (position.line, position.column)
    let end = min(offset, input.buffer.count)
    TextPosition.walk(input.buffer.bytes.span, from: min(positioned, end), to: end, &line, &column)
    position = TextPosition(line: line, column: column)
    positioned = max(positioned, end)
  }
}

/// Finds the end of a JSON value by its brackets and quotes, across chunks. The value's content is not checked.
private struct ValueScan {
  private var at: Int
  private let start: Int
  private var depth = 0
  private var inString = false

  init(start: Int) {
    at = start
    self.start = start
  }

  /// Returns the offset after the value, or nil if more bytes are needed.
  mutating func run(_ bytes: Span<UInt8>, atEnd: Bool) -> Int? {
    let count = bytes.count
    var at = at
    var depth = depth
    var inString = inString
    defer {
      self.at = at
      self.depth = depth
      self.inString = inString
    }
    while at < count {
      if inString {
        at = JSONStrings.plainEnd(bytes, from: at)
        if at == count { break }
      }
      let byte = bytes[at]
      if inString {
        if byte == UInt8(ascii: "\\") {
          if at + 1 >= count { return nil }
          at += 2
          continue
        }
        at += 1
        if byte == UInt8(ascii: "\"") {
          inString = false
          if depth == 0 { return at }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        inString = true
        at += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth <= 1 { return depth == 1 ? at + 1 : at }
        depth -= 1
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: " "), 0x0A, 0x0D, 0x09:
        // A scalar ends at the first of these bytes.
        if depth == 0, at > start { return at }
        at += 1
      default: at += 1
      }
    }
    return atEnd && depth == 0 && !inString && at > start ? at : nil
  }
}

/// The member names of a `.json` bundle.
enum BundleLists {
  /// The pseudo-kind for lists whose records name their own kinds.
  fileprivate static let anyKind = RecordKind("")
  /// The name of the list for records of unrecognized kinds.
  static let others = "others"
  /// The members that describe the bundle itself.
  static let headerNames: Set<String> = ["format", "version", "min_reader", "$schema"]

  /// The members by which a document is recognized as a single record.
  fileprivate static let recordNames = Set(Shapes.item.members.map(\.nameText)).union(["kind", "name"])
    .subtracting(["created_at", "updated_at", "extras"])

  /// The list names with which a misspelled name is compared to find the intended one.
  static let spelling = Spelling.Words(RecordKind.known.compactMap(\.listName))

  /// Returns the kind of records in a list; nil if no list has this name.
  static func kind(ofList name: String) -> RecordKind? {
    if name == others { return anyKind }
    return RecordKind.known.first { $0.listName == name }
  }

  /// Returns the pseudo-kind of an unknown member, which is stored as a separate record.
  fileprivate static func memberKind(_ name: String) -> RecordKind { RecordKind("member:" + name) }

  /// Returns the name of the unknown member that a pseudo-kind represents; nil for any other kind.
  static func memberName(_ kind: RecordKind) -> String? {
    kind.name.hasPrefix("member:") ? String(kind.name.dropFirst(7)) : nil
  }
}
