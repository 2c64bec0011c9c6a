import CExpat
import Interchange

/// Reads XML from pieces of bytes and hands out what it finds, without keeping it.
///
/// Hostile texts are bounded: document types are refused before anything in them is looked at, so there are no entities
/// to grow and nothing to fetch; depth and the size of tags are limited; time is linear in the text. Feed pieces of some
/// kilobytes: a tag that is cut is looked at again with every piece, up to its limit.
///
/// UTF-8, UTF-16, ISO 8859-1 and, where the text names them, the encodings of `XMLCodePage` are understood. Used by one
/// thread at a time.
/// - Source: XML 1.0, Namespaces in XML 1.0; expat 2
package final class XMLStreamParser {
  private let parser: OpaquePointer
  private let limits: XMLLimits
  private let handler: any XMLHandler
  private var failure: (any Error)?
  private var stopped: (line: Int, column: Int)?
  private var depth = 0
  private var fed = 0

  /// Begins a text.
  /// - Throws: `RunFailure` when there is no memory.
  package init(_ handler: any XMLHandler, limits: XMLLimits = .standard) throws {
    let parser = limits.readsNamespaces ? XML_ParserCreateNS(nil, XMLName.separator) : XML_ParserCreate(nil)
    guard let parser else { throw RunFailure(.internalError, "begin to read XML: expat has no memory") }
    self.parser = parser
    self.limits = limits
    self.handler = handler
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { data, name, list in XMLStreamParser.with(data) { $0.begin(name, list) } },
      { data, name in XMLStreamParser.with(data) { $0.end(name) } })
    XML_SetCharacterDataHandler(parser) { data, start, count in
      XMLStreamParser.with(data) { $0.text(start, count) }
    }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, declares in
      XMLStreamParser.with(data) { $0.documentType(declares: declares != 0) }
    }
    XML_SetSkippedEntityHandler(parser) { data, name, _ in XMLStreamParser.with(data) { $0.skipped(name) } }
    XML_SetUnknownEncodingHandler(parser, { _, name, info in XMLCodePage.fill(info, for: name) }, nil)
  }

  deinit { XML_ParserFree(parser) }

  /// Reads the next bytes of the text.
  /// - Throws: `XMLProblem`, or what the handler threw; nothing can be read after that.
  package func feed(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, 1 << 16)
      fed += count
      try parse(rest.baseAddress?.assumingMemoryBound(to: CChar.self), count, isLast: false)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      // expat keeps what has begun and not ended; text is handed out as it comes.
      let begun = Int(XML_GetCurrentByteIndex(parser))
      if begun >= 0, fed - begun > limits.token {
        try fail(problem("a tag or a comment has more than \(limits.token) bytes", isRefusal: true))
      }
    }
  }

  /// Ends the text.
  /// - Throws: `XMLProblem` when something is missing; what the handler threw.
  package func finish() throws { try parse(nil, 0, isLast: true) }

  /// Where the parser is: the beginning of what it hands out at the moment, or of what its handler refused.
  package var position: (line: Int, column: Int) {
    stopped ?? (Int(XML_GetCurrentLineNumber(parser)), Int(XML_GetCurrentColumnNumber(parser)) + 1)
  }

  /// A problem at the place that the parser is at, for handlers to throw.
  package func problem(_ message: String, isRefusal: Bool = false) -> XMLProblem {
    let (line, column) = position
    return XMLProblem(message: message, line: line, column: column, isRefusal: isRefusal)
  }

  private func parse(_ start: UnsafePointer<CChar>?, _ count: Int, isLast: Bool) throws {
    if let failure { throw failure }
    let status = XML_Parse(parser, start, Int32(count), isLast ? 1 : 0)
    if let failure { throw failure }
    guard status != XML_STATUS_OK else { return }
    try fail(problem(message(XML_GetErrorCode(parser))))
  }

  private func fail(_ error: any Error) throws {
    failure = error
    throw error
  }

  private func message(_ code: XML_Error) -> String {
    switch code {
    case XML_ERROR_NO_ELEMENTS: "the text ends before it has begun"
    case XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR: "the text is cut off"
    case XML_ERROR_UNKNOWN_ENCODING: "its encoding is not known"
    default: XML_ErrorString(code).map { String(cString: $0) } ?? "expat says \(code.rawValue)"
    }
  }

  // MARK: - What expat calls

  /// The parser that expat carries along; whoever feeds it holds it.
  @inline(__always) private static func with(_ data: UnsafeMutableRawPointer?, _ body: (XMLStreamParser) -> Void) {
    guard let data else { return }
    Unmanaged<XMLStreamParser>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
  }

  private func begin(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard failure == nil, let name else { return }
    depth += 1
    if depth > limits.depth {
      stop(problem("more than \(limits.depth) elements lie in one another", isRefusal: true))
      return
    }
    do { try handler.begin(XMLName(start: name), XMLAttributes(list)) } catch { stop(error) }
  }

  private func end(_ name: UnsafePointer<CChar>?) {
    guard failure == nil, let name else { return }
    depth -= 1
    do { try handler.end(XMLName(start: name)) } catch { stop(error) }
  }

  private func text(_ start: UnsafePointer<CChar>?, _ count: Int32) {
    guard failure == nil, let start else { return }
    let bytes = UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
    do { try handler.text(UnsafeBufferPointer(start: bytes, count: Int(count))) } catch { stop(error) }
  }

  private func documentType(declares: Bool) {
    guard declares || !limits.allowsDocumentType else { return }
    stop(problem("it declares a document type, which files from strangers must not", isRefusal: true))
  }

  private func skipped(_ name: UnsafePointer<CChar>?) {
    stop(problem("the entity '\(name.map { String(cString: $0) } ?? "")' is declared nowhere"))
  }

  private func stop(_ error: any Error) {
    // expat goes on to the end of the tag before it stops.
    if stopped == nil { stopped = position }
    if failure == nil { failure = error }
    XML_StopParser(parser, 0)
  }
}
