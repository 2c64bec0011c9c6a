import JSONText

/// Reads plain XML: tags with attributes in double quotes, text, and the predefined references.
///
/// XML that is accepted here is also well formed for the parser. XML that is not accepted may still be well formed,
/// which the parser decides. The zero after the bytes is never passed.
struct PlainXML {
  /// A start tag: the ranges of the attributes that cells and rows have, and whether the element is empty.
  struct Tag {
    var r: Range<Int>?
    var s: Range<Int>?
    var t: Range<Int>?
    var isEmpty = false
  }

  /// The current offset.
  private(set) var at: Int
  private let base: UnsafePointer<UInt8>
  /// The names of the current tag's attributes that are not cell attributes, for detecting duplicates.
  private var others: [Range<Int>] = []

  /// Starts at an offset in bytes that are followed by a zero.
  init(_ base: UnsafePointer<UInt8>, at: Int) {
    self.base = base
    self.at = at
  }

  /// Skips white space between tags.
  @inline(__always) mutating func skipSpace() {
    while base[at] == 0x20 || base[at] == 0x0A || base[at] == 0x0D || base[at] == 0x09 { at += 1 }
  }

  /// Skips exactly these bytes, which must not contain a zero.
  /// - Returns: false if the bytes differ; in this case, nothing is skipped.
  @inline(__always) mutating func accept(_ literal: StaticString) -> Bool {
    let (start, count) = (literal.utf8Start, literal.utf8CodeUnitCount)
    var index = 0
    while index < count {
      // The zero at the end differs from every byte of the literal.
      guard base[at + index] == start[index] else { return false }
      index += 1
    }
    at += count
    return true
  }

  /// Reads the rest of a start tag, after the element's name.
  /// - Returns: the tag; nil if it is not plain.
  mutating func tag() -> Tag? {
    var tag = Tag()
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    while true {
      if base[at] == 0x3E {
        at += 1
        return tag
      }
      if base[at] == 0x2F {
        guard base[at + 1] == 0x3E else { return nil }
        at += 2
        tag.isEmpty = true
        return tag
      }
      guard base[at] == 0x20 else { return nil }
      while base[at] == 0x20 { at += 1 }
      if base[at] == 0x3E || base[at] == 0x2F { continue }
      guard let (name, value) = attribute() else { return nil }
      switch (name.count, base[name.lowerBound]) {
      case (1, 0x72):
        guard tag.r == nil else { return nil }
        tag.r = value
      case (1, 0x73):
        guard tag.s == nil else { return nil }
        tag.s = value
      case (1, 0x74):
        guard tag.t == nil else { return nil }
        tag.t = value
      default:
        guard others.count < 16, !others.contains(where: { bytes($0).span.equals(bytes(name).span) }) else {
          return nil
        }
        others.append(name)
      }
    }
  }

  /// Reads an element without content.
  mutating func scanEmptyElement() -> Bool {
    guard base[at] == 0x3C, Self.isLetter(base[at + 1]) else { return false }
    at += 2
    while Self.isLetter(base[at]) || base[at] >= 0x30 && base[at] <= 0x39 { at += 1 }
    return tag()?.isEmpty ?? false
  }

  /// Continues at an offset that a lookup returned.
  @inline(__always) mutating func skip(to place: Int) { at = place }

  /// Looks for `<c r="A1" s="1" t="s"><v>12</v></c>`, the usual form of a cell with a shared string.
  /// - Returns: the cell's values and the offset of its end; nil if the cell has a different form.
  @inline(__always) func sharedCell() -> (column: Int, row: Int, index: Int, end: Int)? {
    // Each comparison fails at the terminating zero, before any byte after it is read.
    var here = base + at
    func digits(_ most: Int) -> Int? {
      var (value, count) = (0, 0)
      while case let digit = Int(here.pointee) - 0x30, digit >= 0, digit <= 9 {
        value = value * 10 + digit
        count += 1
        here += 1
        guard count <= most else { return nil }
      }
      return count > 0 ? value : nil
    }
    func has(_ literal: StaticString) -> Bool {
      let (start, count) = (literal.utf8Start, literal.utf8CodeUnitCount)
      var index = 0
      while index < count {
        guard here[index] == start[index] else { return false }
        index += 1
      }
      here += count
      return true
    }
    guard has("<c r=\"") else { return nil }
    var column = 0
    while here.pointee >= 0x41, here.pointee <= 0x5A, column < 1 << 20 {
      column = column * 26 + Int(here.pointee - 0x40)
      here += 1
    }
    guard let row = digits(7), has("\" ") else { return nil }
    if has("s=\"") {
      guard digits(6) != nil, has("\" ") else { return nil }
    }
    guard has("t=\"s\"><v>"), let index = digits(10), has("</v></c>") else { return nil }
    return (column, row, index, here - base)
  }

  /// Returns the bytes of a range.
  @inline(__always) func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Reads an attribute `name="value"` that consists of printable ASCII without references.
  @inline(__always)
  private mutating func attribute() -> (name: Range<Int>, value: Range<Int>)? {
    let nameStart = at
    guard Self.isLetter(base[at]) else { return nil }
    while Self.isLetter(base[at]) || base[at] >= 0x30 && base[at] <= 0x3A { at += 1 }
    let name = nameStart..<at
    guard base[at] == 0x3D, base[at + 1] == 0x22 else { return nil }
    at += 2
    let valueStart = at
    while base[at] != 0x22 {
      guard base[at] >= 0x20, base[at] < 0x7F, base[at] != 0x3C, base[at] != 0x26 else { return nil }
      at += 1
    }
    let value = valueStart..<at
    at += 1
    return (name, value)
  }

  @inline(__always) private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
  }

  /// Appends text up to the next tag.
  /// - Returns: false if the text is not plain; a part of it may have been appended.
  mutating func text(into buffer: inout ByteBuffer) -> Bool {
    var from = at
    while true {
      let byte = base[at]
      if byte >= 0x20, byte < 0x80, byte != 0x3C, byte != 0x26, byte != 0x5D {
        at += 1
        continue
      }
      switch byte {
      case 0x3C:
        buffer.append(bytes(from..<at).span)
        return true
      case 0x09, 0x0A: at += 1
      case 0x5D:
        // "]]>" must not occur in text.
        if base[at + 1] == 0x5D, base[at + 2] == 0x3E { return false }
        at += 1
      case 0x26:
        buffer.append(bytes(from..<at).span)
        guard reference(into: &buffer) else { return false }
        from = at
      case 0x80...:
        let length = Self.length(base + at)
        guard length > 0 else { return false }
        at += length
      default: return false
      }
    }
  }

  /// Reads one of the five predefined references or a numeric reference.
  private mutating func reference(into buffer: inout ByteBuffer) -> Bool {
    if accept("&amp;") {
      buffer.append(0x26)
    } else if accept("&lt;") {
      buffer.append(0x3C)
    } else if accept("&gt;") {
      buffer.append(0x3E)
    } else if accept("&quot;") {
      buffer.append(0x22)
    } else if accept("&apos;") {
      buffer.append(0x27)
    } else {
      return number(into: &buffer)
    }
    return true
  }

  /// Reads a numeric reference such as `&#10;` or `&#xA;`.
  private mutating func number(into buffer: inout ByteBuffer) -> Bool {
    guard accept("&#") else { return false }
    let radix: UInt32 = accept("x") ? 16 : 10
    var value: UInt32 = 0
    let start = at
    while base[at] != 0x3B {
      let byte = UInt32(base[at])
      let digit: UInt32
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x37
      case 0x61...0x66: digit = byte - 0x57
      default: return false
      }
      guard digit < radix, at - start < 7 else { return false }
      value = value * radix + digit
      at += 1
    }
    guard at > start, value >= 0x20 || value == 9 || value == 10 || value == 13, value & 0xFFFF < 0xFFFE,
      let scalar = Unicode.Scalar(value)
    else { return false }
    at += 1
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(byte) }
    return true
  }

  /// Returns the length in bytes of the multi-byte character that begins here; 0 if it is invalid UTF-8 or not allowed
  /// in XML.
  private static func length(_ bytes: UnsafePointer<UInt8>) -> Int {
    // Each of these conditions stops at a zero before the byte after it is read.
    func isNext(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }
    let first = bytes[0]
    switch first {
    case 0xC2...0xDF: return isNext(1) ? 2 : 0
    case 0xE0...0xEF:
      guard isNext(1), isNext(2), first != 0xE0 || bytes[1] >= 0xA0, first != 0xED || bytes[1] < 0xA0 else { return 0 }
      // U+FFFE and U+FFFF are not characters.
      return first == 0xEF && bytes[1] == 0xBF && bytes[2] >= 0xBE ? 0 : 3
    case 0xF0...0xF4:
      guard isNext(1), isNext(2), isNext(3), first != 0xF0 || bytes[1] >= 0x90, first != 0xF4 || bytes[1] < 0x90
      else { return 0 }
      return 4
    default: return 0
    }
  }
}
