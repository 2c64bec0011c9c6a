import FleetKit

/// Builds a JSON text member by member.
struct JSONBuilder {
  private var text = ""
  private var needsComma = false

  /// The finished text.
  var result: String { text }

  mutating func object(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "{")
    body(&self)
    close("}")
  }

  mutating func array(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "[")
    body(&self)
    close("]")
  }

  mutating func string(_ name: String? = nil, _ value: String?) {
    raw(name, value.map(Self.quoted) ?? "null")
  }

  mutating func number(_ name: String? = nil, _ value: Int?) { raw(name, value.map(String.init) ?? "null") }

  mutating func number(_ name: String? = nil, _ value: Double) { raw(name, "\(value)") }

  mutating func bool(_ name: String? = nil, _ value: Bool) { raw(name, value ? "true" : "false") }

  /// A value that is JSON already.
  mutating func raw(_ name: String? = nil, _ value: String) {
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

  private static func quoted(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 2)
    buffer.appendJSONString(text)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
