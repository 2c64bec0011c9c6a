import HTTPTypes
import Hummingbird

/// The key of an address in rate limits: a whole IPv4 address, or the upper half of an IPv6 address, whose lower half
/// the owner of a connection can choose freely.
package enum AddressKey {
  /// Returns the key of an address; a string that is not an address is its own key.
  package static func of(_ address: String) -> String {
    guard let groups = groups(of: address) else { return address }
    // ::ffff:a.b.c.d is an IPv4 address from a dual-stack socket.
    if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xffff {
      return "\(groups[6] >> 8).\(groups[6] & 255).\(groups[7] >> 8).\(groups[7] & 255)"
    }
    return groups[..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  /// Returns the eight groups of an IPv6 address; nil for everything else. A zone after `%` is dropped.
  static func groups(of address: String) -> [UInt16]? {
    var bytes = Array(address.utf8)
    if let zone = bytes.firstIndex(of: UInt8(ascii: "%")) { bytes.removeSubrange(zone...) }
    guard bytes.contains(UInt8(ascii: ":")), bytes.count <= 45 else { return nil }
    var groups: [UInt16] = []
    var gap: Int?
    var position = 0
    if bytes.starts(with: "::".utf8) {
      gap = 0
      position = 2
    }
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      let part = bytes[position..<end]
      if part.contains(UInt8(ascii: ".")) {
        guard end == bytes.endIndex, let four = IPv4.bytes(of: part) else { return nil }
        groups.append(UInt16(four[0]) << 8 | UInt16(four[1]))
        groups.append(UInt16(four[2]) << 8 | UInt16(four[3]))
      } else {
        guard !part.isEmpty, part.count <= 4, let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
          part.first != UInt8(ascii: "+")
        else { return nil }
        groups.append(group)
      }
      guard groups.count <= 8 else { return nil }
      if end == bytes.endIndex { break }
      position = end + 1
      if position == bytes.endIndex { return nil }
      if bytes[position] == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = groups.count
        position += 1
      }
    }
    guard let gap else { return groups.count == 8 ? groups : nil }
    guard groups.count < 8 else { return nil }
    groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
    return groups
  }
}

/// Parses IPv4 addresses.
enum IPv4 {
  /// Returns the four bytes of a dotted address; nil for everything else.
  static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ (48...57).contains($0) }),
        let byte = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// The client's address behind a trusted proxy.
package enum ForwardedAddress {
  static let field = HTTPField.Name("X-Forwarded-For") ?? .xContentTypeOptions
  static let scheme = HTTPField.Name("X-Forwarded-Proto") ?? .xContentTypeOptions

  /// Returns the last hop in `X-Forwarded-For`, which the trusted proxy wrote. Everything before it came from the
  /// client, who may have written anything. Returns nil if there is no hop or it is not an address.
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
