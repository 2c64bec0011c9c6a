import Validation

/// Numbers under which links find what they name. Two texts that share a number by chance hide a dead link, never more.
enum LinkKey {
  /// A file's name or path: capital and small letters are alike, and so are composed and decomposed ones (NFC, NFD).
  static func name(_ text: some StringProtocol) -> UInt64 {
    var hash = FNVHash()
    var isASCII = true
    for byte in text.utf8 {
      if byte >= 0x80 {
        isASCII = false
        break
      }
      hash.add(UInt64(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte))
    }
    if isASCII { return hash.value }
    hash = FNVHash()
    for byte in folded(text) { hash.add(UInt64(byte)) }
    return hash.value
  }

  /// A name as it is compared.
  static func folded(_ text: some StringProtocol) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }
    return Array(NormalForm.composed(NormalForm.composed(String(text)).lowercased()).utf8)
  }

  /// A title or an alias: how words are set apart does not matter either.
  static func title(_ text: String) -> UInt64 { TextKey.hash(text, .words) }

  /// A heading: letters and digits count. So one number serves for Obsidian's links (`#Before start`) and for the
  /// anchors of GitHub and others (`#before-start`).
  static func heading(_ text: String) -> UInt32 { short(TextKey.hash(text, .letters)) }

  /// A heading, as bytes of a note.
  static func heading(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt32 {
    short(TextKey.hash(bytes, .letters, in: range))
  }

  /// A block's mark, `^abc`; never the same as a heading's.
  static func block(_ mark: some StringProtocol) -> UInt32 {
    var hash = FNVHash()
    hash.add(0x5E)
    for byte in mark.utf8 { hash.add(UInt64(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)) }
    return short(hash.value)
  }

  private static func short(_ value: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: value ^ value >> 32) }
}
