/// The name that others see: from the address's local part where that says one, else random.
enum Username {
  static let lengths = 3...30

  /// A name; the store makes it unique. Never an address: nothing of what stands behind `@` or `+` is in it.
  static func suggestion(for email: EmailAddress?, isPrivate: Bool) -> String {
    guard let email, !isPrivate, !email.isPrivateRelay else { return random() }
    var name = email.localPart.prefix { $0 != UInt8(ascii: "+") }.filter(isAllowed)
    name = Array(name.drop(while: isMark).prefix(lengths.upperBound))
    while let last = name.last, isMark(last) { name.removeLast() }
    guard lengths.contains(name.count) else { return random() }
    return String(decoding: name, as: UTF8.self)
  }

  /// A name that says nothing.
  static func random() -> String {
    // Without letters and digits that look alike.
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
    return "sailor-" + String(decoding: (0..<6).compactMap { _ in letters.randomElement() }, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || isMark(byte)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}
