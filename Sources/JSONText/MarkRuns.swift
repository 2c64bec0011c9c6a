/// Finds runs of combining marks that are too long, in the bytes of a JSON string as they are written.
///
/// Runs in canonical order cost nothing, however long they are; others must be sorted.
package enum MarkRuns {
  /// No run that is too long fits between two bytes that are this far apart: a mark has at least two bytes.
  private static let stride = 2 * JSONLimits.combiningMarks

  /// The offset of the first mark of a run of more than `JSONLimits.combiningMarks` that is out of order; nil where
  /// there is none.
  ///
  /// The bytes passed the parser. Looks at one character in 512 bytes, and at all only where one of these is a mark.
  static func tooLong(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    guard count > stride else { return nil }
    var probe = stride
    while probe < count {
      if isMark(base, count, around: probe) { return search(base, count) }
      probe += stride
    }
    return nil
  }

  /// Whether a text has such a run, so that no JSON could say it.
  @inline(__always)
  package static func isTooLong(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > stride, let base = text.baseAddress else { return false }
    return tooLong(base, text.count) != nil
  }

  /// The text with no more than `JSONLimits.combiningMarks` in a row.
  package static func cut(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard let base = text.baseAddress else { return [] }
    var kept: [UInt8] = []
    var at = 0
    var marks = 0
    while at < text.count {
      let (order, length) = character(base, text.count, at)
      let end = min(at + length, text.count)
      marks = order == 0 ? 0 : marks + 1
      if marks <= JSONLimits.combiningMarks { kept.append(contentsOf: text[at..<end]) }
      at = end
    }
    return kept
  }

  private static func search(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    var at = 0
    var first = 0
    var marks = 0
    var last: UInt8 = 0
    var isSorted = true
    while at < count {
      let (order, length) = character(base, count, at)
      if order != 0 {
        if marks == 0 {
          first = at
          isSorted = true
        }
        marks += 1
        if marks > 1, order < last || order == unsorted { isSorted = false }
        if !isSorted, marks > JSONLimits.combiningMarks { return first }
      } else {
        marks = 0
      }
      last = order
      at += length
    }
    return nil
  }

  /// Whether the byte may belong to a mark, written as itself or as an escape.
  private static func isMark(_ base: UnsafePointer<UInt8>, _ count: Int, around probe: Int) -> Bool {
    var start = probe
    if base[probe] >= 0x80 {
      while start > 0, base[start] & 0xC0 == 0x80 { start -= 1 }
      return character(base, count, start).order != 0
    }
    // Twelve bytes: the pair of escapes of one character.
    while start > 0, probe - start < 12 {
      if base[start] == UInt8(ascii: "\\"), start + 1 < count, base[start + 1] == UInt8(ascii: "u") { return true }
      start -= 1
    }
    return false
  }

  /// Marks that decompose into two of ascending class: several in a row are never in order.
  private static let unsorted: UInt8 = 255

  /// The combining class of the mark that begins here, 0 for other characters, and how many bytes it has.
  private static func character(_ base: UnsafePointer<UInt8>, _ count: Int, _ at: Int) -> (order: UInt8, length: Int) {
    let byte = base[at]
    var value: UInt32 = 0
    var length = 1
    switch byte {
    case UInt8(ascii: "\\"):
      guard at + 5 < count, base[at + 1] == UInt8(ascii: "u") else { return (0, 2) }
      value = unit(base, at)
      length = 6
      if value & 0xFC00 == 0xD800, at + 11 < count {
        value = 0x10000 + ((value & 0x3FF) << 10) + (unit(base, at + 6) & 0x3FF)
        length = 12
      }
    case ..<0x80: return (0, 1)
    case ..<0xE0: (value, length) = (UInt32(byte & 0x1F), 2)
    case ..<0xF0: (value, length) = (UInt32(byte & 0x0F), 3)
    default: (value, length) = (UInt32(byte & 0x07), 4)
    }
    if byte >= 0x80 {
      guard at + length <= count else { return (0, 1) }
      for index in 1..<length { value = value << 6 | UInt32(base[at + index] & 0x3F) }
    }
    guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return (0, length) }
    switch value {
    case 0xF73, 0xF75, 0xF81: return (unsorted, length)
    default: return (scalar.properties.canonicalCombiningClass.rawValue, length)
    }
  }

  private static func unit(_ base: UnsafePointer<UInt8>, _ at: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in at + 2..<at + 6 { value = value << 4 | (JSONStrings.hexValue(base[index]) ?? 0) }
    return value
  }
}
