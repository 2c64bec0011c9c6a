import ArchiveIO
import Foundation
import Interchange
import JSONText
import XMLStream

/// The strings that cells refer to by number. The first 40 MB are kept in memory, and the rest in an unnamed file.
///
/// Every string is preceded by its length. The position of every eighth string is stored.
final class SharedStrings: @unchecked Sendable {
  /// The maximum number of bytes that are kept in memory.
  static let kept = 40 << 20
  /// The number of strings for each stored position.
  static let stride = 8

  /// The number of strings.
  private(set) var count = 0
  /// The file with the strings that are not in memory; -1 if all strings are in memory.
  private(set) var descriptor: Int32 = -1
  /// The number of bytes that are in memory.
  private(set) var inMemory = 0
  private let room: UnsafeMutableRawPointer
  private let capacity: Int
  private var places: [Int] = []
  private var onDisk = 0
  private var sink: ByteSink?

  /// Creates an empty table.
  /// - Parameter bytes: the maximum number of bytes that will be added. A generous estimate does no harm, because
  ///   unused memory is not allocated.
  init(expecting bytes: Int, kept: Int = SharedStrings.kept) {
    // A string takes at most four bytes more than in the XML, where tags surround it.
    capacity = max(64, min(bytes, kept))
    room = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    room.deallocate()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds a string.
  /// - Throws: `RunFailure` if the disk is full.
  func append(_ text: Span<UInt8>) throws {
    if count % Self.stride == 0 { places.append(inMemory + onDisk) }
    count += 1
    var length = UInt32(text.count).littleEndian
    if sink == nil, inMemory + 4 + text.count <= capacity {
      room.storeBytes(of: length, toByteOffset: inMemory, as: UInt32.self)
      text.withUnsafeBytes { text in
        if let base = text.baseAddress { (room + inMemory + 4).copyMemory(from: base, byteCount: text.count) }
      }
      inMemory += 4 + text.count
      return
    }
    let sink = try self.sink ?? spill()
    try withUnsafeBytes(of: &length) { try sink.write($0.bindMemory(to: UInt8.self).span) }
    try sink.write(text)
    onDisk += 4 + text.count
  }

  /// Finishes the table.
  func finish() throws {
    try sink?.flush()
    sink = nil
  }

  /// Returns the position of the block that contains a string.
  func place(of index: Int) -> Int { places[index / Self.stride] }

  /// Returns a pointer to the bytes in memory, beginning at a position.
  func bytes(at place: Int) -> UnsafeRawPointer { UnsafeRawPointer(room + place) }

  private func spill() throws -> ByteSink {
    let folder = TemporaryFolder.root
    descriptor = try FileBytes.unnamed(in: folder)
    let sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(folder)")
    self.sink = sink
    return sink
  }
}

/// Reads shared strings for one thread. Strings on disk are read through a window that grows as long as they are
/// requested in order.
///
/// The cursor is a value type, so that frequent changes to it are cheap.
struct SharedStringCursor: ~Copyable {
  private let strings: SharedStrings
  private let texts: Int
  private let inMemory: Int
  private var window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var start = 0
  private var count = 0
  private var last = -1
  private var next = 0

  /// Starts reading from a complete table.
  init(_ strings: SharedStrings) {
    self.strings = strings
    (texts, inMemory) = (strings.count, strings.inMemory)
  }

  deinit { window.deallocate() }

  /// Returns a string, which is valid until the next request.
  /// - Returns: the string; nil if no string has this number.
  /// - Throws: `RunFailure` if the file cannot be read.
  mutating func text(_ index: Int) throws -> UnsafeBufferPointer<UInt8>? {
    guard index >= 0, index < texts else { return nil }
    var (at, place) = (index - index % SharedStrings.stride, 0)
    if last >= at, last < index { (at, place) = (last + 1, next) } else { place = strings.place(of: at) }
    while true {
      let length = try length(at: place)
      if at == index {
        let base = try bytes(at: place + 4, length)
        (last, next) = (index, place + 4 + length)
        return UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: length)
      }
      place += 4 + length
      at += 1
    }
  }

  @inline(__always) private mutating func length(at place: Int) throws -> Int {
    Int(UInt32(littleEndian: try bytes(at: place, 4).loadUnaligned(as: UInt32.self)))
  }

  @inline(__always)
  private mutating func bytes(at place: Int, _ length: Int) throws -> UnsafeRawPointer {
    if place < inMemory { return strings.bytes(at: place) }
    let offset = place - inMemory
    if offset < start || offset + length > start + count { try fill(offset, length) }
    return UnsafeRawPointer(window.baseAddress.unsafelyUnwrapped + (offset - start))
  }

  private mutating func fill(_ offset: Int, _ length: Int) throws {
    // If the text is near the last one, read ahead. After a jump, read only a little.
    let isNear = offset >= start && offset - (start + count) < 4096
    let wanted = max(length, isNear ? 1 << 16 : 4096)
    if wanted > window.count {
      window.deallocate()
      window = .allocate(byteCount: wanted, alignment: 16)
    }
    (start, count) = (offset, 0)
    while count < wanted {
      let room = UnsafeMutableRawBufferPointer(rebasing: window[count..<wanted])
      let got = pread(strings.descriptor, room.baseAddress, room.count, off_t(offset + count))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
      if got == 0 { break }
      count += got
    }
    guard count >= length else { throw RunFailure(.internalError, "read a temporary file: it ends too early") }
  }
}

/// Reads `xl/sharedStrings.xml`. The runs of rich text are joined, and phonetic readings above East Asian characters
/// are left out.
final class SharedStringsPart: PlainPart {
  static let plainStart = "<si>"
  static let plainEnd: String? = "</si>"

  private let strings: SharedStrings
  private var raw = ByteBuffer(capacity: 1 << 12)
  private var text = ByteBuffer(capacity: 1 << 12)
  private var isInItem = false
  private var isInText = false
  private var reading = 0
  private var depth = 0
  /// Whether the open string was already read without the parser.
  private var isPassedOver = false

  init(_ strings: SharedStrings) { self.strings = strings }

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    depth += 1
    let local = name.local
    if reading > 0 {
      reading += 1
    } else if local.is("t") {
      isInText = isInItem
    } else if local.is("si") {
      isInItem = true
      raw.removeAll()
    } else if local.is("rPh") {
      reading = 1
    }
  }

  func end(_ name: XMLName) throws {
    depth -= 1
    if reading > 0 {
      reading -= 1
    } else if isInText {
      isInText = false
    } else if name.local.is("si") {
      isInItem = false
      if !isPassedOver { try add(raw.bytes.span) }
      isPassedOver = false
    }
  }

  /// Whether an item is open and no element inside it is.
  var isAtPlain: Bool { isInItem && !isInText && reading == 0 && depth == 2 }

  /// Skips the open string, which was already read without the parser.
  func passOver() { isPassedOver = true }

  /// Adds an item's text as it is written in the file, with its escapes.
  @inline(__always) func add(_ raw: Span<UInt8>) throws {
    guard CellEscaping.isEscaped(raw) else { return try strings.append(raw) }
    text.removeAll()
    CellEscaping.append(raw, to: &text)
    try strings.append(text.bytes.span)
  }

  func text(_ bytes: Span<UInt8>) throws {
    guard isInText, reading == 0 else { return }
    raw.append(bytes)
    try CellLimit.check(raw.count)
  }
}

/// Reads shared strings in the form that nearly all programs write, without the parser.
extension SharedStringsPart {
  /// Reads complete strings from bytes that are followed by a zero.
  /// - Parameter isFirst: whether the bytes begin inside an item, after its `<si>`.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside an item.
  func scanPlain(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool
  ) throws -> (at: Int, isIncomplete: Bool) {
    var xml = PlainXML(bytes, at: 0)
    // The buffer is local, because every access to a property of the part would be checked at run time.
    var plain = ByteBuffer(capacity: 1 << 12)
    var taken = 0
    var isInside = isFirst
    while true {
      plain.removeAll()
      // Bytes that end inside a tag or a reference cannot be distinguished from bytes that are not plain.
      guard Self.scanPlainItem(&xml, into: &plain, isInside: isInside) else { return (taken, count - xml.at < 64) }
      try add(plain.bytes.span)
      isInside = false
      xml.skipSpace()
      taken = xml.at
    }
  }

  @inline(__always)
  private static func scanPlainItem(_ xml: inout PlainXML, into plain: inout ByteBuffer, isInside: Bool) -> Bool {
    if isInside || xml.accept("<si>") { return scanContent(&xml, into: &plain) }
    guard xml.accept("<si"), let tag = xml.tag() else { return false }
    return tag.isEmpty || scanContent(&xml, into: &plain)
  }

  @inline(__always)
  private static func scanContent(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    // Most items consist of a single text.
    if xml.accept("<t>") {
      guard xml.text(into: &plain), xml.accept("</t>") else { return false }
      if xml.accept("</si>") { return true }
    }
    xml.skipSpace()
    while !xml.accept("</si>") {
      // Once the beginning of an element has been recognized, no other element is tried.
      if xml.accept("<t") {
        guard scanText(&xml, into: &plain) else { return false }
      } else if xml.accept("<r>") {
        guard scanRun(&xml, into: &plain) else { return false }
      } else if xml.accept("<rPh") {
        guard scanReading(&xml, into: &plain) else { return false }
      } else {
        guard xml.accept("<phoneticPr"), let tag = xml.tag(), tag.isEmpty else { return false }
      }
      xml.skipSpace()
    }
    return true
  }

  /// Reads the rest of a `<t>` element.
  private static func scanText(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    guard let tag = xml.tag() else { return false }
    return tag.isEmpty || xml.text(into: &plain) && xml.accept("</t>")
  }

  /// Reads the rest of an `<r>` element. Its formatting may only consist of empty elements.
  private static func scanRun(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    xml.skipSpace()
    if xml.accept("<rPr>") {
      xml.skipSpace()
      while !xml.accept("</rPr>") {
        guard !xml.accept("<si"), xml.scanEmptyElement() else { return false }
        xml.skipSpace()
      }
      xml.skipSpace()
    }
    while !xml.accept("</r>") {
      guard xml.accept("<t"), scanText(&xml, into: &plain) else { return false }
      xml.skipSpace()
    }
    return true
  }

  /// Reads the rest of an `<rPh>` element, whose text is not part of the cell.
  private static func scanReading(_ xml: inout PlainXML, into plain: inout ByteBuffer) -> Bool {
    guard let tag = xml.tag(), !tag.isEmpty, xml.accept("<t>") else { return false }
    let count = plain.count
    guard xml.text(into: &plain) else { return false }
    plain.truncate(to: count)
    return xml.accept("</t>") && xml.accept("</rPh>")
  }
}
