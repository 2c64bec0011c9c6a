import HTTPTypes
import Hummingbird

/// The id of a request in answers and logs.
enum RequestName {
  static let field = HTTPField.Name("X-Request-Id") ?? .eTag

  /// Returns the client's own id if it is safe for a log, otherwise a new one.
  static func of(_ request: Request) -> String {
    of(request.headers[field])
  }

  /// Returns the id for a given value of the field.
  static func of(_ given: String?) -> String {
    if let given, isSane(given) { return given }
    var text = String(UInt64.random(in: 0 ... .max), radix: 16)
    if text.utf8.count < 16 { text = String(repeating: "0", count: 16 - text.utf8.count) + text }
    return text
  }

  /// Whether an id consists of letters, digits, `-`, `_` and `.`, at most 128: it cannot be a token, an address or a
  /// line break.
  static func isSane(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
