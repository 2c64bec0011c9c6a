import Foundation

/// Recognizes software licences by their words.
package enum LicenceClassifier {
  private static let longest = 1500
  /// Parts of words, at least one of which occurs in each licence but rarely in other texts.
  private static let signs = ["icens", "ICENS", "ermission is hereby", "edistribution and use", "CC0"].map {
    Array($0.utf8)
  }
  private static let phrases = [
    "permission is hereby granted, free of charge", "gnu general public license", "gnu lesser general public license",
    "apache license version 2.0", "redistribution and use in source and binary forms", "mozilla public license",
    "creative commons attribution", "cc0 1.0 universal", "this is free and unencumbered software",
  ]

  /// Whether a text begins like a licence.
  package static func begins(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let head = UnsafeBufferPointer(rebasing: text.prefix(longest))
    // Almost no other text contains one of these parts.
    guard signs.contains(where: { has($0, head) }) else { return false }
    let words = String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isWhitespace)
    let joined = words.joined(separator: " ")
    return phrases.contains { joined.contains($0) }
  }

  private static func has(_ sign: [UInt8], _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var rest = text[...]
    while rest.count >= sign.count, let start = UnsafeBufferPointer(rebasing: rest).baseAddress,
      let found = memchr(start, Int32(sign[0]), rest.count)
    {
      rest = rest.dropFirst(UnsafeRawPointer(found) - UnsafeRawPointer(start))
      if rest.starts(with: sign) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
