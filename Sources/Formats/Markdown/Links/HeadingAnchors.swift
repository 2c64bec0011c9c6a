import Validation

/// The numbers by which links may name a heading: its text, and what is left of it when marks are taken off.
enum HeadingAnchors {
  /// Longer headings are headings by mistake.
  private static let longest = 1024

  /// Appends the numbers of a heading; mostly it is one.
  static func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to keys: inout [UInt32]) {
    let key = LinkKey.heading(bytes, range)
    keys.append(key)
    guard range.count <= longest else { return }
    // Signs, links and names in braces are rare; all of them have one of these bytes.
    guard bytes[range].contains(where: { $0 == 0x5B || $0 == 0x7B || $0 >= 0xE2 || $0 == 0x26 || $0 == 0x3C }) else {
      return
    }
    var text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    if let name = takeName(&text) { keys.append(LinkKey.heading(name)) }
    let plain = LinkKey.heading(withoutSigns(withoutTargets(text)))
    if plain != key { keys.append(plain) }
  }

  /// Takes `{#name}` off, with which MkDocs, Hugo and others name a heading.
  private static func takeName(_ text: inout String) -> String? {
    guard text.utf8.last == UInt8(ascii: "}"), let open = text.utf8.lastIndex(of: UInt8(ascii: "{")) else { return nil }
    let inner = text[text.utf8.index(after: open)...].dropLast()
    // `{ #name }` and `{: #name .class }` as well.
    guard let mark = inner.split(whereSeparator: { " :".contains($0) }).first(where: { $0.hasPrefix("#") }) else {
      return nil
    }
    let name = String(mark.dropFirst())
    text = String(text[..<open])
    return name
  }

  /// `[the chain](chain.md)` reads `the chain`, `[[Chain|the chain]]` as well.
  private static func withoutTargets(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "[")) else { return text }
    var out: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "]"), bytes.first == UInt8(ascii: "("),
        let end = bytes.firstIndex(of: UInt8(ascii: ")"))
      {
        bytes = bytes[(end + 1)...]
      } else if byte == UInt8(ascii: "|"), let open = out.lastIndex(of: UInt8(ascii: "[")) {
        out.removeSubrange(open...)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Anchors have no emoji and no signs.
  private static func withoutSigns(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .otherSymbol, .modifierSymbol, .mathSymbol, .currencySymbol, .privateUse, .format, .enclosingMark: continue
      default: if scalar.value != 0xFE0F { out.append(scalar) }
      }
    }
    return String(out)
  }
}
