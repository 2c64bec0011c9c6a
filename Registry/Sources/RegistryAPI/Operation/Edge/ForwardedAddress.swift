import HTTPTypes
import Hummingbird

/// The client's address behind a trusted proxy.
package enum ForwardedAddress {
  static let field = HTTPField.Name("X-Forwarded-For") ?? .xContentTypeOptions
  static let scheme = HTTPField.Name("X-Forwarded-Proto") ?? .xContentTypeOptions

  /// Returns the last hop in `X-Forwarded-For`, which the trusted proxy wrote. Everything before it came from the
  /// client, who may have written anything. Returns nil when there is no hop or it is not an address.
  static func of(_ request: Request, peer: String?) -> String? {
    // Repeated fields form one list; the last hop in the last field is the nearest.
    guard let list = request.headers[values: field].last else { return nil }
    return address(in: list)
  }

  /// Returns the last address of a list, without port and brackets.
  package static func address(in list: String) -> String? {
    let blanks: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var hop = Array(list.utf8)[...]
    if let comma = hop.lastIndex(of: UInt8(ascii: ",")) { hop = hop[(comma + 1)...] }
    hop = hop.drop(while: blanks)
    while let last = hop.last, blanks(last) { hop.removeLast() }
    guard hop.count <= 64 else { return nil }
    if hop.first == UInt8(ascii: "["), let end = hop.firstIndex(of: UInt8(ascii: "]")) {
      hop = hop[(hop.startIndex + 1)..<end]
    } else if hop.filter({ $0 == UInt8(ascii: ":") }).count == 1, let colon = hop.firstIndex(of: UInt8(ascii: ":")) {
      hop = hop[..<colon]
    }
    let text = String(decoding: hop, as: UTF8.self)
    return IPv4.bytes(of: hop) != nil || AddressKey.groups(of: text) != nil ? text : nil
  }
}
