import CXML
import Interchange

/// Parses XML that arrives in pieces and passes the content to a handler without keeping it.
///
/// The parser is safe for hostile texts. It rejects document types before it reads their content, so that entities
/// cannot expand and nothing is fetched. It limits the depth, the size of tags, and the number of attributes,
/// namespaces and different names. Time is linear in the length of the text. Feed pieces of several kilobytes: an
/// incomplete tag is scanned again with every piece, up to its size limit.
///
/// The supported encodings are UTF-8, UTF-16, ISO 8859-1, ASCII and, if the text names them, some single-byte
/// encodings. libxml2 always receives UTF-8. Only one thread at a time may use a parser.
/// - Source: XML 1.0, Namespaces in XML 1.0; libxml2's SAX2
package final class XMLStreamParser {
  private let stream: OpaquePointer
  private let limits: XMLLimits
  private let handler: any XMLHandler

  /// Whether the encoding has been determined.
  private var hasBegun = false
  private var encoding: XMLEncoding?
  /// The length of the byte order mark in bytes.
  private var mark = 0
  private var window = XMLWindow()
  /// The end of the bytes in the window that were passed to libxml2.
  private var fed = 0
  /// The number of bytes that were passed to libxml2 but are not in the text.
  private var injected = 0
  private var isLast = false

  private var depth = 0
  /// The open elements that declare namespaces, and the total number of namespaces that they declare.
  private var declaring: [(depth: Int, count: Int)] = []
  private var spaces = 0
  /// The size at which the attributes of an incomplete tag are counted next.
  private var counted = XMLStreamParser.piece
  private var isAfterReturn = false
  private var failure: (any Error)?

  /// The largest number of bytes that are passed to libxml2 in one call.
  private static var piece: Int { 1 << 16 }
  /// The largest number of bytes of a CDATA section that libxml2 may keep.
  private static var keptSection: Int { 1 << 12 }

  /// Creates a parser for one text. The first parser loads libxml2.
  /// - Throws: `RunFailure` with status 69 if libxml2 is not installed, 70 if there is not enough memory.
  package init(_ handler: any XMLHandler, limits: XMLLimits = .standard) throws {
    guard fleetkit_xml_load() else { throw Self.missing }
    let stream = fleetkit_xml_open(
      fleetkit_xml_calls(
        begin: { data, name, list, count, spaces in
          XMLStreamParser.with(data) { $0.begin(name, list, Int(count), spaces: Int(spaces)) }
        },
        end: { data, name in XMLStreamParser.with(data) { $0.end(name) } },
        text: { data, start, count, isSection in
          XMLStreamParser.with(data) { $0.text(start, Int(count), isSection: isSection) }
        },
        document_type: { data in XMLStreamParser.with(data) { $0.documentType() } },
        problem: { data, problem in XMLStreamParser.with(data) { $0.found(problem) } }))
    guard let stream else { throw RunFailure(.internalError, "read XML: there is not enough memory for libxml2") }
    self.stream = stream
    self.limits = limits
    self.handler = handler
    fleetkit_xml_set_data(stream, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { fleetkit_xml_close(stream) }

  /// The failure of a run that needs libxml2 if libxml2 is not installed.
  package static var missing: RunFailure {
    RunFailure(.unreachable, "read XML: libxml2 is not installed", advice: "Install it with: apt-get install libxml2")
  }

  /// Reads the next bytes of the text.
  /// - Throws: `XMLProblem`, or the handler's error. The parser cannot be used after an error.
  package func feed(_ bytes: Span<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      try read(rest.extracting(first: Self.piece))
      rest = rest.extracting(droppingFirst: Self.piece)
    }
  }

  /// Signals the end of the text.
  /// - Throws: `XMLProblem` if the text is incomplete, or the handler's error.
  package func finish() throws {
    isLast = true
    try read(Span())
  }

  /// The parser's position: the beginning of the current event, or of the event for which the handler threw an error.
  package var position: (line: Int, column: Int) {
    let start = window.event().lowerBound
    return window.place(of: start).position
  }

  /// The byte range of the current event, which is a tag, a reference or a piece of text, counted from the start of the
  /// text. There are no gaps between pieces of text, except for comments and the delimiters of CDATA sections. For a
  /// text in an encoding other than UTF-8, the range refers to the text in UTF-8, after the unchanged byte order mark.
  package var sourceRange: Range<Int> { source(window.event()) }

  /// Returns the byte range of an attribute's value, without quotes, counted like `sourceRange`. The range is valid
  /// only while the attribute's tag is the current event.
  /// - Parameter name: the attribute's name in the text, with its prefix.
  package func sourceRange(ofAttribute name: StaticString) -> Range<Int>? {
    let event = window.event()
    let tag = window.bytes.span.extracting(event)
    guard let value = XMLTag.attributes(of: tag).first(where: { tag.extracting($0.name).equals(name) })?.value
    else { return nil }
    return source(event.lowerBound + value.lowerBound..<event.lowerBound + value.upperBound)
  }

  private func source(_ range: Range<Int>) -> Range<Int> {
    mark + window.start + range.lowerBound..<mark + window.start + range.upperBound
  }

  /// Creates a problem at the parser's position, for handlers to throw.
  package func problem(_ message: String, isRefusal: Bool = false) -> XMLProblem {
    problem(message, at: window.event().lowerBound, isRefusal: isRefusal)
  }

  private func problem(_ message: String, at index: Int, isRefusal: Bool = false) -> XMLProblem {
    let (line, column) = window.place(of: index).position
    return XMLProblem(message: message, line: line, column: column, isRefusal: isRefusal)
  }

  // MARK: - What is read

  private func read(_ bytes: Span<UInt8>) throws {
    if let failure { throw failure }
    window.append(bytes, encoding, isLast: isLast)
    do {
      if !hasBegun {
        let hasLine = window.count >= 4 && window.bytes.contains(0x3E) || window.count > Self.piece
        guard hasLine || isLast else { return }
        hasBegun = true
        try findEncoding()
      }
      try give()
    } catch {
      failure = error
      throw error
    }
  }

  private func findEncoding() throws {
    (encoding, mark) = XMLEncoding.of(start: window.bytes.span)
    window.decode(encoding, mark: mark, isLast: isLast)
    // libxml2 would guess an unsupported encoding from any other first bytes.
    if let first = window.bytes.first, first != 0x3C, !XMLTag.isSpace(first) {
      throw problem(XMLErrorCode(number: 4), at: 0)
    }
    guard let name = XMLEncoding.name(in: window.bytes.span) else { return }
    let declared = String(decoding: window.bytes[name], as: UTF8.self)
    if encoding?.isUTF16 == true ? declared.uppercased().hasPrefix("UTF-16") : declared.uppercased() == "UTF-8" {
      return
    }
    guard encoding == nil, let other = XMLEncoding(declared) else {
      throw problem("its encoding is not supported", at: name.lowerBound)
    }
    encoding = other
    window.decode(other, isLast: isLast)
  }

  /// Passes the available bytes to libxml2.
  private func give() throws {
    let isSound = encoding?.isSound ?? true
    let end = isLast || !isSound ? window.count : window.wholeEnd
    if fed > counted, window.bytes[0] == 0x3C, window.bytes[1] != 0x21, window.bytes[1] != 0x3F {
      // libxml2 compares each attribute with all others, so the attributes of a long tag are counted before the tag
      // ends.
      counted = fed + Self.piece
      let tag = window.bytes.span.extracting(first: end)
      if XMLTag.attributes(of: tag).count > limits.attributes { throw crowded(at: 0) }
    }
    guard end > fed || isLast else { return }
    let start = fed
    fed = end
    let isFed = fleetkit_xml_feed(stream, window.bytes.baseAddress.map { $0 + start }, Int32(end - start), isLast)
    if let failure { throw failure }
    if !isFed { throw problem(XMLErrorCode(number: 0), at: index) }
    dropReadBytes()
    if window.isInSection, fed > Self.keptSection {
      // libxml2 would keep the whole section until its end, so the section is split into several.
      for mark in ["]]>", "<![CDATA["] as [StaticString] {
        injected += mark.utf8CodeUnitCount
        _ = fleetkit_xml_feed(stream, mark.utf8Start, Int32(mark.utf8CodeUnitCount), false)
      }
      if let failure { throw failure }
      dropReadBytes()
    }
    // Not all versions of libxml2 report trailing bytes.
    if isLast, window.next() < window.count { throw problem(XMLErrorCode(number: 5), at: window.next()) }
    if !isSound { throw problem("this is not a valid character in the text's encoding", at: window.count) }
    if fed > limits.token {
      throw problem("a tag or a comment has more than \(limits.token) bytes", at: 0, isRefusal: true)
    }
  }

  /// Drops the bytes of events that the handler has received.
  private func dropReadBytes() {
    let gone = window.trim(to: index)
    fed -= gone
    if gone > 0 { counted = Self.piece }
  }

  // MARK: - What libxml2 calls

  /// Calls `body` with the parser of a stream. The caller of the parser keeps it alive.
  @inline(__always) private static func with(_ data: UnsafeMutableRawPointer?, _ body: (XMLStreamParser) -> Void) {
    guard let data else { return }
    Unmanaged<XMLStreamParser>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
  }

  /// The offset of libxml2's position in the window.
  @inline(__always) private var index: Int {
    max(0, min(fleetkit_xml_consumed(stream) - injected - window.start, fed))
  }

  @inline(__always) private func name(_ name: fleetkit_xml_name) -> XMLName? {
    guard let local = name.local else { return nil }
    let readsNamespaces = limits.readsNamespaces
    return XMLName(
      start: local, prefix: readsNamespaces ? nil : name.prefix, space: readsNamespaces ? name.space : nil)
  }

  private func begin(
    _ name: fleetkit_xml_name, _ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, spaces: Int
  ) {
    guard failure == nil, let name = self.name(name), let end = tagEnd else { return }
    window.enter(tagEnd: end)
    isAfterReturn = false
    depth += 1
    if spaces > 0 {
      declaring.append((depth, spaces))
      self.spaces += spaces
      if self.spaces > limits.attributes {
        return stop(problem("more than \(limits.attributes) namespaces are declared", isRefusal: true))
      }
    }
    if count > limits.attributes { return stop(crowded(at: window.event().lowerBound)) }
    if depth > limits.depth {
      return stop(problem("elements nest deeper than \(limits.depth) levels", isRefusal: true))
    }
    let attributes = XMLAttributes(list, count: count, readsNamespaces: limits.readsNamespaces)
    do { try handler.begin(name, attributes) } catch { stop(error) }
  }

  /// The end of the tag that libxml2 is reading; nil if the tag is incomplete, which libxml2 will report.
  @inline(__always) private var tagEnd: Int? {
    var at = index
    if at < fed, window.bytes[at] == 0x2F { at += 1 }
    return at < fed && window.bytes[at] == 0x3E ? at + 1 : nil
  }

  private func end(_ name: fleetkit_xml_name) {
    guard failure == nil, let name = self.name(name) else { return }
    window.enter(tagEnd: index)
    isAfterReturn = false
    if let last = declaring.last, last.depth == depth { spaces -= declaring.removeLast().count }
    depth -= 1
    do { try handler.end(name) } catch { stop(error) }
  }

  private func text(_ start: UnsafePointer<UInt8>?, _ count: Int, isSection: Bool) {
    guard failure == nil, let start else { return }
    let bytes = UnsafeBufferPointer(start: start, count: count).span
    guard isSection, isAfterReturn || bytes.contains(0x0D) else {
      isAfterReturn = false
      return text(bytes)
    }
    // Some versions of libxml2 leave line ends in CDATA sections unchanged.
    var line: [UInt8] = []
    isAfterReturn = isAfterReturn && window.goesOnInSection()
    for at in bytes.indices {
      let byte = bytes[at]
      if byte != 0x0A || !isAfterReturn { line.append(byte == 0x0D ? 0x0A : byte) }
      isAfterReturn = byte == 0x0D
    }
    text(line.span)
  }

  private func text(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    window.enter(text: bytes.count)
    do { try handler.text(bytes) } catch { stop(error) }
  }

  private func documentType() {
    guard failure == nil else { return }
    let at = index
    let declares = at < fed && window.bytes[at] == 0x5B
    if declares || !limits.allowsDocumentType {
      let problem = problem(
        "it declares a document type, which is not allowed", at: window.next(), isRefusal: true)
      stop(problem)
    } else {
      window.enter(tagEnd: at + 1)
    }
  }

  private func found(_ problem: fleetkit_xml_problem) {
    let code = XMLErrorCode(number: problem.code)
    guard failure == nil,
      problem.is_fatal || problem.is_namespace && limits.readsNamespaces || code.isUndeclaredEntity
    else { return }
    // libxml2 is not stopped here, because it may not support that. It continues at most to the end of the piece.
    failure = self.problem(code, at: index)
  }

  private func problem(_ code: XMLErrorCode, at index: Int) -> XMLProblem {
    let item = window.next()
    let bytes = window.bytes.span
    let index = isLast && code.isAtEnd && depth > 0 ? bytes.count : index
    if isLast, index >= bytes.count || code.isAtEnd, item < bytes.count, bytes[item] == 0x3C {
      return problem("the text is cut off", at: item)
    }
    let message = code.message(in: bytes, at: index, isOpen: depth > 0)
    return problem(message, at: code.place(in: bytes, at: index, item: min(item, index)), isRefusal: code.isLimit)
  }

  private func crowded(at index: Int) -> XMLProblem {
    problem("a tag has more than \(limits.attributes) attributes", at: index, isRefusal: true)
  }

  private func stop(_ error: any Error) {
    if failure == nil { failure = error }
    fleetkit_xml_stop(stream)
  }
}

/// Receives the content that an `XMLStreamParser` finds, in order. Parsing ends if the handler throws an error.
///
/// Names, attributes and text are in the parser's memory and are valid only during the call. The parser skips comments
/// and processing instructions.
package protocol XMLHandler: AnyObject {
  /// Handles the beginning of an element. An empty element ends immediately afterwards.
  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws

  /// Handles the end of an element.
  func end(_ name: XMLName) throws

  /// Handles a piece of an element's text, in UTF-8. Text arrives in any number of pieces, which are split between
  /// characters.
  func text(_ bytes: Span<UInt8>) throws
}

/// The limits beyond which an XML text is rejected as hostile.
///
/// - Source: docs/DESIGN.md §7
package struct XMLLimits: Sendable, Hashable {
  /// The maximum nesting depth of elements.
  package var depth = 256
  /// The largest size of a tag, comment or processing instruction in bytes. The parser keeps each one in memory until
  /// it ends.
  package var token = 1 << 20
  /// The largest number of attributes in a tag, and of namespaces that open elements may declare. libxml2 compares each
  /// one with all others.
  package var attributes = 1000
  /// Whether a text may name a document type, which is never fetched. A document type with declarations is always
  /// rejected.
  package var allowsDocumentType = false
  /// Whether names have their namespace instead of their prefix. This is a little slower.
  package var readsNamespaces = false

  /// The limits that FleetKit uses.
  package static let standard = XMLLimits()

  /// Creates the standard limits, which can be changed afterwards.
  package init() {}
}

/// The reason why an XML text cannot be used, and its position.
package struct XMLProblem: Error, Sendable, CustomStringConvertible {
  /// The message for the user.
  package let message: String
  /// The line, counted from 1.
  package let line: Int
  /// The column in Unicode scalars, counted from 1.
  package let column: Int
  /// Whether the text is well-formed so far but exceeds a limit.
  package let isRefusal: Bool

  /// The position followed by the message.
  package var description: String { "\(line):\(column): \(message)" }
}

/// Translates libxml2's error numbers to FleetKit's messages and positions.
///
/// - Source: libxml2, `xmlParserErrors`
struct XMLErrorCode {
  let number: Int32

  /// Whether the text exceeds a limit.
  fileprivate var isLimit: Bool { number == FLEETKIT_XML_TOO_MANY_NAMES || number == 110 || number == 114 }

  /// Whether the end of the text is missing, or content follows the last element.
  var isAtEnd: Bool { number == 4 || number == 5 || number == 77 }

  /// Whether a reference names an entity that is not declared.
  fileprivate var isUndeclaredEntity: Bool { number == 26 || number == 27 }

  /// Returns the offset of the problem.
  /// - Parameters:
  ///   - index: the offset up to which libxml2 has read.
  ///   - item: the offset at which the tag or the piece of text begins.
  func place(in bytes: Span<UInt8>, at index: Int, item: Int) -> Int {
    switch number {
    case 9 where item < index && bytes[item] == 0x26, 26, 27, 64, 200...205: item
    case 42: repeated(in: bytes.extracting(item..<index)).map { item + $0 } ?? item
    case 76: min(item + 2, bytes.count)  // the name in the end tag
    default: index
    }
  }

  /// Returns the message for the user.
  /// - Parameter isOpen: whether an element is still open.
  func message(in bytes: Span<UInt8>, at index: Int, isOpen: Bool) -> String {
    switch number {
    case _ where isAtEnd && isOpen: "an element has no end tag"
    case _ where isAtEnd && index >= bytes.count: "the text is empty"
    case 4, 5: "only comments can precede the first element or follow the last one"
    case 9: "this character is not allowed in XML"
    case 26, 27: "the entity '\(entity(in: bytes, at: index))' is not declared"
    case 38: "a value contains '<'"
    case 39, 40: "a value is not in quotes"
    case 41: "an attribute has no value"
    case 42: "an attribute occurs twice"
    case 62: "the text of an element contains ']]>'"
    case 76: "an end tag does not match its element"
    case 80: "a comment contains '--'"
    case 200...205: "a prefix or namespace is used incorrectly"
    case FLEETKIT_XML_TOO_MANY_NAMES: "it has more than \(FLEETKIT_XML_NAMES) different element and attribute names"
    case _ where isLimit: "its names are too long"
    default: "it is not well-formed"
    }
  }

  private func entity(in bytes: Span<UInt8>, at index: Int) -> String {
    guard let start = bytes.extracting(first: index).lastIndex(where: { $0 == 0x26 }) else { return "" }
    let rest = bytes.extracting(droppingFirst: start + 1).extracting(first: 64)
    let end = rest.firstIndex { $0 == 0x3B || $0 == 0x3C || $0 <= 0x20 } ?? rest.count
    return String(decoding: rest.extracting(first: end))
  }

  /// Returns the offset of the first attribute name that repeats an earlier one in a tag.
  private func repeated(in tag: Span<UInt8>) -> Int? {
    var seen: Set<[UInt8]> = []
    return XMLTag.attributes(of: tag).first { !seen.insert(Array(tag.extracting($0.name))).inserted }?.name.lowerBound
  }
}
