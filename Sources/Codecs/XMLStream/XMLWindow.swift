import JSONText

/// The bytes of an XML text, in UTF-8, from the current event onwards, and their position in the text.
///
/// libxml2 reports where tags end. The position of a piece of text follows from the number of text bytes that the
/// handler has received since the last tag. The position is computed only on demand and when bytes leave the window.
/// Indexes count from the first byte of the window.
struct XMLWindow: ~Copyable {
  private var text = ByteBuffer(capacity: 1 << 17)
  /// The number of bytes that have left the window, without the byte order mark.
  private(set) var start = 0
  private var place = XMLPlace()
  /// The last position that was computed.
  private var asked = (index: 0, place: XMLPlace())
  /// The beginning of the event, or a position before it.
  private var cursor = XMLCursor()
  /// The number of text bytes that the handler has received between the cursor and the event.
  private var skipped = 0
  /// The number of text bytes in the event.
  private var length = 0
  /// The end of the event if the event is a tag.
  private var tagEnd: Int?

  /// The bytes in the window. They are valid until bytes are appended or removed.
  var bytes: UnsafeBufferPointer<UInt8> { text.bytes }
  var count: Int { text.count }
  /// Whether the text after the event is in a CDATA section. Valid only after `trim`.
  var isInSection: Bool { cursor.isInSection }

  /// Appends bytes of the text, and converts them if `encoding` is not nil.
  mutating func append(_ bytes: Span<UInt8>, _ encoding: XMLEncoding?, isLast: Bool) {
    if let encoding { encoding.convert(bytes, isLast: isLast, into: &text) } else { text.append(bytes) }
  }

  /// Removes the byte order mark from the first bytes and converts the remaining bytes if `encoding` is not nil.
  mutating func decode(_ encoding: XMLEncoding?, mark: Int = 0, isLast: Bool) {
    if mark > 0 {
      place = XMLPlace(isMarked: true)
      asked.place = place
    }
    guard let encoding else { return text.removeFirst(mark) }
    let raw = text.copy(mark..<text.count)
    text.removeAll()
    encoding.convert(raw.span, isLast: isLast, into: &text)
  }

  /// The end of the bytes that may be passed to libxml2. Bytes that may belong to an incomplete construct are held
  /// back.
  var wholeEnd: Int {
    var end = count
    while end > 0, count - end < 2, bytes[end - 1] == 0x5D { end -= 1 }
    if end < count { return end }
    if end > 0, bytes[end - 1] == 0x0D { return end - 1 }
    while end > 0, count - end < 4, bytes[end - 1] >= 0x80 {
      end -= 1
      if bytes[end] >= 0xC0 { break }
    }
    return end
  }

  // MARK: - The event

  /// Starts the event for a tag that ends at `end`.
  mutating func enter(tagEnd end: Int) {
    pass()
    tagEnd = end
  }

  /// Starts the event for a piece of text.
  mutating func enter(text count: Int) {
    pass()
    length = count
  }

  private mutating func pass() {
    if let tagEnd {
      cursor = XMLCursor(at: tagEnd)
      self.tagEnd = nil
      skipped = 0
    } else {
      skipped += length
      length = 0
    }
  }

  /// Returns the byte range of the event.
  mutating func event() -> Range<Int> {
    cursor.move(by: skipped, in: bytes.span)
    skipped = 0
    // The end of an empty element is the end of its tag.
    if cursor.at != tagEnd { cursor.passMarkup(in: bytes.span, isText: tagEnd == nil) }
    if let tagEnd { return cursor.at..<max(cursor.at, tagEnd) }
    var end = cursor
    end.move(by: length, in: bytes.span)
    return cursor.at..<end.at
  }

  /// Returns whether the text of the event continues in the same CDATA section.
  mutating func goesOnInSection() -> Bool {
    _ = event()
    var end = cursor
    end.move(by: length, in: bytes.span)
    return end.isInSection && !end.isEnd(in: bytes.span)
  }

  /// Moves past the event.
  private mutating func moveOn() {
    pass()
    cursor.move(by: skipped, in: bytes.span)
    skipped = 0
    cursor.passMarkup(in: bytes.span, isText: true)
  }

  /// Returns the index of the first byte after the event and after the comments and white space that follow it.
  mutating func next() -> Int {
    moveOn()
    var next = cursor
    next.passMarkup(in: bytes.span, isText: false)
    return next.at
  }

  /// Drops the bytes before `index`, or before the end of the event if that comes first.
  /// - Returns: the number of bytes that were dropped.
  mutating func trim(to index: Int) -> Int {
    moveOn()
    if !cursor.isInSection { cursor.at = max(cursor.at, index) }
    let gone = cursor.at
    place = place(of: gone)
    asked = (0, place)
    cursor.at = 0
    start += gone
    text.removeFirst(gone)
    return gone
  }

  /// Returns the position of a byte. The time is proportional to the distance from the last byte that was queried.
  mutating func place(of index: Int) -> XMLPlace {
    if asked.index > index { asked = (0, place) }
    asked.place.pass(bytes.extracting(asked.index..<index))
    asked.index = index
    return asked.place
  }
}

/// A position in the text between two tags of an XML text.
struct XMLCursor {
  var at = 0
  private(set) var isInSection = false

  init(at: Int = 0) { self.at = at }

  /// Moves by a number of text bytes as the handler receives them: a line end counts as one byte, and a reference as
  /// its expansion.
  mutating func move(by count: Int, in bytes: Span<UInt8>) {
    var left = count
    while left > 0, at < bytes.count {
      switch bytes[at] {
      case 0x3C where !isInSection, 0x5D where isEnd(in: bytes):
        guard passOne(in: bytes) else { return }
      case 0x26 where !isInSection:
        let (size, meaning) = Self.reference(bytes.extracting(droppingFirst: at))
        at += size
        left -= meaning
      case 0x0D:
        at += at + 1 < bytes.count && bytes[at + 1] == 0x0A ? 2 : 1
        left -= 1
      default:
        at += 1
        left -= 1
      }
    }
  }

  /// Skips comments, processing instructions and the delimiters of CDATA sections.
  /// - Parameter isText: whether white space is text, which is not skipped.
  fileprivate mutating func passMarkup(in bytes: Span<UInt8>, isText: Bool) {
    while at < bytes.count {
      if !isText, !isInSection, XMLTag.isSpace(bytes[at]) {
        at += 1
      } else {
        guard bytes[at] == 0x3C && !isInSection || isEnd(in: bytes), passOne(in: bytes) else { return }
      }
    }
  }

  /// Returns whether the CDATA section ends at the cursor.
  func isEnd(in bytes: Span<UInt8>) -> Bool {
    isInSection && at + 2 < bytes.count && bytes[at] == 0x5D && bytes[at + 1] == 0x5D && bytes[at + 2] == 0x3E
  }

  /// Skips one comment, processing instruction or delimiter.
  /// - Returns: false if the cursor is not at a complete one.
  private mutating func passOne(in bytes: Span<UInt8>) -> Bool {
    if isInSection {
      at += 3
      isInSection = false
      return true
    }
    let rest = bytes.extracting(droppingFirst: at)
    if rest.starts(with: "<![CDATA[") {
      at += 9
      isInSection = true
      return true
    }
    let isComment = rest.starts(with: "<!--")
    guard isComment || rest.starts(with: "<?") else { return false }
    var end = isComment ? 6 : 3
    while end < rest.count {
      if rest[end] == 0x3E, isComment ? rest[end - 1] == 0x2D && rest[end - 2] == 0x2D : rest[end - 1] == 0x3F {
        at += end + 1
        return true
      }
      end += 1
    }
    return false
  }

  /// Returns the length of a reference in bytes, and the length of its expansion.
  private static func reference(_ bytes: Span<UInt8>) -> (size: Int, meaning: Int) {
    let size = (bytes.firstIndex(of: 0x3B) ?? bytes.count - 1) + 1
    guard size > 3, bytes[1] == 0x23 else { return (size, 1) }
    let isHex = bytes[2] == 0x78
    var scalar: UInt32 = 0
    for at in (isHex ? 3 : 2)..<(size - 1) {
      let byte = bytes[at]
      scalar = scalar &* (isHex ? 16 : 10) &+ UInt32(byte & 15) &+ (byte > 0x39 ? 9 : 0)
    }
    return (size, scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4)
  }
}

/// A line and column in a text.
struct XMLPlace {
  private var lines = 0
  private var column = 0
  private var isAfterReturn = false

  /// Creates the position at the start of a text. A byte order mark counts as a character.
  init(isMarked: Bool = false) { column = isMarked ? 1 : 0 }

  /// The line and column, counted from 1.
  var position: (line: Int, column: Int) { (lines + 1, column + 1) }

  /// Moves past these bytes.
  mutating func pass(_ part: UnsafeBufferPointer<UInt8>) {
    var returns = isAfterReturn ? 1 : 0
    for byte in part { returns += byte == 0x0D ? 1 : 0 }
    // The compiler optimizes plain loops well.
    var last = part.count
    while last > 0, part[last - 1] != 0x0A, part[last - 1] != 0x0D { last -= 1 }
    if last > 0 { column = 0 }
    for byte in part[last...] { column += byte & 0xC0 == 0x80 ? 0 : 1 }
    for byte in part[..<last] { lines += byte == 0x0A ? 1 : 0 }
    if returns == 0 { return }
    for byte in part {
      if byte == 0x0D { lines += 1 } else if byte == 0x0A, isAfterReturn { lines -= 1 }
      isAfterReturn = byte == 0x0D
    }
  }
}
