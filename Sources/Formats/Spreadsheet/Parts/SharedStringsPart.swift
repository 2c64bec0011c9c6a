import JSONText
import XMLStream

/// Reads `xl/sharedStrings.xml`. The runs of rich text are joined, and phonetic readings above East Asian characters
/// are left out.
final class SharedStringsPart: PlainPart {
  static let plainStart = "<si>"
  static let plainEnd: StaticString? = "</si>"

  private let strings: SharedStrings
  private var raw = ByteBuffer(capacity: 1 << 12)
  private var text = ByteBuffer(capacity: 1 << 12)
  private var isInItem = false
  private var isInText = false
  private var reading = 0
  private var depth = 0
  /// Whether the open text was already read without the parser.
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
      if !isPassedOver { try add(raw.bytes) }
      isPassedOver = false
    }
  }

  /// Whether an item is open and no element inside it is.
  var isAtPlain: Bool { isInItem && !isInText && reading == 0 && depth == 2 }

  /// Skips the open text, which was already read without the parser.
  func passOver() { isPassedOver = true }

  /// Adds an item's text as it is written in the file, with its escapes.
  @inline(__always) func add(_ raw: UnsafeBufferPointer<UInt8>) throws {
    guard CellEscaping.isEscaped(raw) else { return try strings.append(raw) }
    text.removeAll()
    CellEscaping.append(raw, to: &text)
    try strings.append(text.bytes)
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard isInText, reading == 0 else { return }
    raw.append(bytes)
    try CellLimit.check(raw.count)
  }
}
