import JSONText

/// Builds a JSON text member by member.
///
/// Characters that a terminal would obey, and the bracket of `##[`, which CI logs obey wherever it stands, are written as
/// `\u` escapes: the values stay the same, and printing the text does nothing.
package struct JSONBuilder {
  private var text = ""
  private var needsComma = false

  /// Makes an empty text.
  package init() {}

  /// The finished text.
  package var result: String { text }

  package mutating func object(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "{")
    body(&self)
    close("}")
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "[")
    body(&self)
    close("]")
  }

  package mutating func string(_ name: String? = nil, _ value: String?) {
    raw(name, value.map(Self.quoted) ?? "null")
  }

  package mutating func number(_ name: String? = nil, _ value: Int?) { raw(name, value.map(String.init) ?? "null") }

  package mutating func number(_ name: String? = nil, _ value: Double) { raw(name, "\(value)") }

  package mutating func bool(_ name: String? = nil, _ value: Bool) { raw(name, value ? "true" : "false") }

  /// A value that is JSON already.
  package mutating func raw(_ name: String? = nil, _ value: String) {
    key(name)
    text += value
    needsComma = true
  }

  private mutating func open(_ name: String?, _ bracket: String) {
    key(name)
    text += bracket
    needsComma = false
  }

  private mutating func close(_ bracket: String) {
    text += bracket
    needsComma = true
  }

  private mutating func key(_ name: String?) {
    if needsComma { text += "," }
    if let name { text += Self.quoted(name) + ":" }
    needsComma = false
  }

  static func quoted(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 2)
    buffer.appendJSONString(text)
    let quoted = String(decoding: buffer.bytes, as: UTF8.self)
    // The writer escaped everything below a space; what is left may still steer a terminal.
    var hashes = 0
    func isUnsafe(_ scalar: UnicodeScalar) -> Bool {
      defer { hashes = scalar == "#" ? hashes + 1 : 0 }
      return ReportText.escape(scalar, hashes: hashes) != nil
    }
    guard quoted.unicodeScalars.contains(where: isUnsafe) else { return quoted }
    hashes = 0
    var safe = ""
    for scalar in quoted.unicodeScalars {
      if isUnsafe(scalar) {
        let digits = String(scalar.value, radix: 16)
        safe += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
