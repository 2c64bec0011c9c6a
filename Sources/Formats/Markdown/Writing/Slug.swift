/// File names made of titles.
enum Slug {
  /// The name for a title: ASCII letters and digits with `-` between words, never empty.
  static func of(_ title: String) -> String {
    var slug = ""
    for byte in title.lowercased().utf8.prefix(60) {
      let isPlain = byte >= 0x61 && byte <= 0x7A || byte >= 0x30 && byte <= 0x39
      if isPlain { slug.unicodeScalars.append(UnicodeScalar(byte)) } else if slug.last != "-" { slug += "-" }
    }
    while slug.hasPrefix("-") { slug.removeFirst() }
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug.isEmpty ? "untitled" : slug
  }
}
