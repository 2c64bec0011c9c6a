import JSONText
import XMLStream

/// Records a parser's events, one per line.
final class XMLRecorder: XMLHandler {
  private(set) var events: [String] = []
  private var current = ""
  /// The name of the element at whose beginning an error is thrown.
  var refuses: String?

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    flush()
    if name.text == refuses { throw Refusal() }
    let list = attributes.map { "\(shown($0.name)):\(String(decoding: $0.value, as: UTF8.self))" }
    events.append("<" + ([shown(name)] + list).joined(separator: " "))
  }

  func end(_ name: XMLName) {
    flush()
    events.append(">" + shown(name))
  }

  func text(_ bytes: Span<UInt8>) { current += String(decoding: bytes) }

  struct Refusal: Error {}

  private func flush() {
    if !current.isEmpty { events.append("'" + current) }
    current = ""
  }

  private func shown(_ name: XMLName) -> String {
    let space = name.namespace
    return space.isEmpty ? name.text : "{\(space)}" + name.local.text
  }

  /// Parses bytes in chunks and returns the events.
  static func events(_ bytes: [UInt8], piece: Int = 1 << 16, limits: XMLLimits = .standard) throws -> [String] {
    let recorder = XMLRecorder()
    try parse(bytes, recorder, piece: piece, limits: limits)
    return recorder.events
  }

  /// Parses bytes in chunks.
  static func parse(
    _ bytes: [UInt8], _ recorder: XMLRecorder, piece: Int = 1 << 16, limits: XMLLimits = .standard
  ) throws {
    let parser = try XMLStreamParser(recorder, limits: limits)
    var rest = bytes.span
    while !rest.isEmpty {
      try parser.feed(rest.extracting(first: piece))
      rest = rest.extracting(droppingFirst: piece)
    }
    try parser.finish()
  }

  /// Returns the problem of a text; nil if it is valid.
  static func problem(_ text: String, limits: XMLLimits = .standard) -> XMLProblem? {
    do {
      _ = try events(Array(text.utf8), limits: limits)
      return nil
    } catch {
      return error as? XMLProblem
    }
  }
}
