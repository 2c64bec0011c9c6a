import JSONText

/// Reads payloads, which may come from any program.
enum Payload {
  /// Returns the slug that a payload names; nil when it names none.
  static func publicID(_ payload: [UInt8]?) -> String? {
    guard let payload, let document = try? JSONDocument(parsing: payload) else { return nil }
    return document.withRoot { root in
      root.kind == .object ? root.member("public_id")?.string.flatMap { $0.isEmpty ? nil : $0 } : nil
    }
  }

  /// Returns the id of the original that a payload names; nil when it names none.
  static func parent(_ payload: [UInt8]) -> String? {
    guard let document = try? JSONDocument(parsing: payload) else { return nil }
    return document.withRoot { root in root.kind == .object ? root.member("forked_from_id")?.string : nil }
  }

  /// Whether the payload contains the key `forked_from_id`: a fast check before parsing.
  static func mentionsParent(_ payload: [UInt8]) -> Bool {
    let word = Array("\"forked_from_id\"".utf8)
    return payload.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count >= word.count else { return false }
      var at = 0
      while at <= bytes.count - word.count {
        guard let found = memchr(start + at, 0x22, bytes.count - word.count - at + 1) else { return false }
        if memcmp(found, word, word.count) == 0 { return true }
        at = start.distance(to: found) + 1
      }
      return false
    }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
