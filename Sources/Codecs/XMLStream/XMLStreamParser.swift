import CXML
import Interchange

/// Reads XML from pieces of bytes and hands out what it finds, without keeping it.
///
/// Hostile texts are bounded: document types are refused before anything in them is looked at, so there are no entities
/// to grow and nothing to fetch; depth, the size of tags, attributes, namespaces and different names are limited; time is
/// linear in the text. Feed pieces of some kilobytes: a tag that is cut is looked at again with every piece, up to its
/// limit.
///
/// UTF-8, UTF-16, ISO 8859-1, ASCII and, where the text names them, some encodings of one byte a character are
/// understood; libxml2 gets UTF-8. Used by one thread at a time.
/// - Source: XML 1.0, Namespaces in XML 1.0; libxml2's SAX2
package final class XMLStreamParser {
  private let stream: OpaquePointer
  private let limits: XMLLimits
  private let handler: any XMLHandler

  /// Whether the encoding is known.
  private var hasBegun = false
  private var encoding: XMLEncoding?
  /// How many bytes the mark of the encoding takes.
  private var mark = 0
  private var window = XMLWindow()
  /// Up to here libxml2 has what is in the window.
  private var fed = 0
  /// How many bytes libxml2 got that the text does not have.
  private var injected = 0
  private var isLast = false

  private var depth = 0
  /// The elements that declare namespaces and are open, and how many they declare in all.
  private var declaring: [(depth: Int, count: Int)] = []
  private var spaces = 0
  /// From how many bytes on the attributes of a cut tag are counted.
  private var counted = XMLStreamParser.piece
  private var isAfterReturn = false
  private var failure: (any Error)?

  /// How many bytes libxml2 gets at once.
  private static var piece: Int { 1 << 16 }
  /// How much of a section libxml2 may keep.
  private static var keptSection: Int { 1 << 12 }

  /// Begins a text; loads libxml2 when it is the first.
  /// - Throws: `RunFailure` with status 69 when the machine has no libxml2; with 70 when there is no memory.
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
    guard let stream else { throw RunFailure(.internalError, "begin to read XML: libxml2 has no memory") }
    self.stream = stream
    self.limits = limits
    self.handler = handler
    fleetkit_xml_set_data(stream, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { fleetkit_xml_close(stream) }

  /// What ends a run that needs libxml2 on a machine that has none.
  package static var missing: RunFailure {
    RunFailure(.unreachable, "read XML: reading it needs libxml2", advice: "Install it with: apt-get install libxml2")
  }

  /// Reads the next bytes of the text.
  /// - Throws: `XMLProblem`, or what the handler threw; nothing can be read after that.
  package func feed(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes.bindMemory(to: UInt8.self)
    while !rest.isEmpty {
      let count = min(rest.count, Self.piece)
      try read(UnsafeBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeBufferPointer(rebasing: rest[count...])
    }
  }

  /// Ends the text.
  /// - Throws: `XMLProblem` when something is missing; what the handler threw.
  package func finish() throws {
    isLast = true
    try read(UnsafeBufferPointer(start: nil, count: 0))
  }

  /// Where the parser is: the beginning of what it hands out at the moment, or of what its handler refused.
  package var position: (line: Int, column: Int) {
    let start = window.event().lowerBound
    return window.place(of: start).position
  }

  /// The bytes of what is handed out at the moment, counted from the first of the text: of a tag, a reference, or a
  /// piece of text. Pieces of text follow each other without a gap, but for comments and the marks of sections.
  /// In a text of another encoding than UTF-8 they are those of the text in UTF-8, behind the mark as it came.
  package var sourceRange: Range<Int> { source(window.event()) }

  /// The bytes of an attribute's value, without quotes, as `sourceRange` counts them; while its tag is handed out.
  /// - Parameter name: as the text has it, with its prefix.
  package func sourceRange(ofAttribute name: StaticString) -> Range<Int>? {
    let event = window.event()
    let tag = UnsafeBufferPointer(rebasing: window.bytes[event])
    let sought = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    guard let value = XMLTag.attributes(of: tag).first(where: { tag[$0.name].elementsEqual(sought) })?.value
    else { return nil }
    return source(event.lowerBound + value.lowerBound..<event.lowerBound + value.upperBound)
  }

  private func source(_ range: Range<Int>) -> Range<Int> {
    mark + window.start + range.lowerBound..<mark + window.start + range.upperBound
  }

  /// A problem at the place that the parser is at, for handlers to throw.
  package func problem(_ message: String, isRefusal: Bool = false) -> XMLProblem {
    problem(message, at: window.event().lowerBound, isRefusal: isRefusal)
  }

  private func problem(_ message: String, at index: Int, isRefusal: Bool = false) -> XMLProblem {
    let (line, column) = window.place(of: index).position
    return XMLProblem(message: message, line: line, column: column, isRefusal: isRefusal)
  }

  // MARK: - What is read

  private func read(_ bytes: UnsafeBufferPointer<UInt8>) throws {
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
    (encoding, mark) = XMLEncoding.of(start: window.bytes)
    window.decode(encoding, mark: mark, isLast: isLast)
    // By its first bytes, libxml2 would take a text for one of an encoding that is not known here.
    if let first = window.bytes.first, first != 0x3C, !XMLTag.isSpace(first) {
      throw problem(XMLErrorCode(number: 4), at: 0)
    }
    guard let name = XMLEncoding.name(in: window.bytes) else { return }
    let declared = String(decoding: window.bytes[name], as: UTF8.self)
    if encoding?.isUTF16 == true ? declared.uppercased().hasPrefix("UTF-16") : declared.uppercased() == "UTF-8" {
      return
    }
    guard encoding == nil, let other = XMLEncoding(declared) else {
      throw problem("its encoding is not known", at: name.lowerBound)
    }
    encoding = other
    window.decode(other, isLast: isLast)
  }

  /// Hands libxml2 what has come.
  private func give() throws {
    let isSound = encoding?.isSound ?? true
    let end = isLast || !isSound ? window.count : window.wholeEnd
    if fed > counted, window.bytes[0] == 0x3C, window.bytes[1] != 0x21, window.bytes[1] != 0x3F {
      // libxml2 compares each attribute with all others; so those of a long tag are counted before it ends.
      counted = fed + Self.piece
      let tag = UnsafeBufferPointer(rebasing: window.bytes[..<end])
      if XMLTag.attributes(of: tag).count > limits.attributes { throw crowded(at: 0) }
    }
    guard end > fed || isLast else { return }
    let start = fed
    fed = end
    let isFed = fleetkit_xml_feed(stream, window.bytes.baseAddress.map { $0 + start }, Int32(end - start), isLast)
    if let failure { throw failure }
    if !isFed { throw problem(XMLErrorCode(number: 0), at: index) }
    settle()
    if window.isInSection, fed > Self.keptSection {
      // libxml2 would keep the section until it ends; so it gets several.
      for mark in ["]]>", "<![CDATA["] as [StaticString] {
        injected += mark.utf8CodeUnitCount
        _ = fleetkit_xml_feed(stream, mark.utf8Start, Int32(mark.utf8CodeUnitCount), false)
      }
      if let failure { throw failure }
      settle()
    }
    // Not all versions mind what is left over.
    if isLast, window.next() < window.count { throw problem(XMLErrorCode(number: 5), at: window.next()) }
    if !isSound { throw problem("this is no character of its encoding", at: window.count) }
    if fed > limits.token {
      throw problem("a tag or a comment has more than \(limits.token) bytes", at: 0, isRefusal: true)
    }
  }

  /// Forgets what was handed out.
  private func settle() {
    let gone = window.trim(to: index)
    fed -= gone
    if gone > 0 { counted = Self.piece }
  }

  // MARK: - What libxml2 calls

  /// The parser of a stream; its caller holds it.
  @inline(__always) private static func with(_ data: UnsafeMutableRawPointer?, _ body: (XMLStreamParser) -> Void) {
    guard let data else { return }
    Unmanaged<XMLStreamParser>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
  }

  /// Up to where libxml2 is.
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
      return stop(problem("more than \(limits.depth) elements lie in one another", isRefusal: true))
    }
    let attributes = XMLAttributes(list, count: count, readsNamespaces: limits.readsNamespaces)
    do { try handler.begin(name, attributes) } catch { stop(error) }
  }

  /// The end of the tag that libxml2 is in; nil when it is cut, which libxml2 finds out later.
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
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard isSection, isAfterReturn || bytes.contains(0x0D) else {
      isAfterReturn = false
      return text(bytes)
    }
    // Some versions leave the ends of lines in sections as they are.
    var line: [UInt8] = []
    isAfterReturn = isAfterReturn && window.goesOnInSection()
    for byte in bytes {
      if byte != 0x0A || !isAfterReturn { line.append(byte == 0x0D ? 0x0A : byte) }
      isAfterReturn = byte == 0x0D
    }
    line.withUnsafeBufferPointer { text($0) }
  }

  private func text(_ bytes: UnsafeBufferPointer<UInt8>) {
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
        "it declares a document type, which files from strangers must not", at: window.next(), isRefusal: true)
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
    // libxml2 is not stopped: it may not expect that here, and it goes on to the end of the piece at most.
    failure = self.problem(code, at: index)
  }

  private func problem(_ code: XMLErrorCode, at index: Int) -> XMLProblem {
    let item = window.next()
    let bytes = window.bytes
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
