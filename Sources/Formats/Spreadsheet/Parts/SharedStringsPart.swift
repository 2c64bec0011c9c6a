import JSONText
import XMLStream

/// Reads `xl/sharedStrings.xml`: the runs of a rich text are joined, readings above East Asian signs are left out.
final class SharedStringsPart: PartHandler {
  private let strings: SharedStrings
  private var raw = ByteBuffer(capacity: 1 << 12)
  private var text = ByteBuffer(capacity: 1 << 12)
  private var isInItem = false
  private var isInText = false
  private var reading = 0

  init(_ strings: SharedStrings) { self.strings = strings }

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
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
    if reading > 0 {
      reading -= 1
    } else if isInText {
      isInText = false
    } else if name.local.is("si") {
      isInItem = false
      text.removeAll()
      EscapedText.append(raw.bytes, to: &text)
      try strings.append(text.bytes)
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard isInText, reading == 0 else { return }
    raw.append(bytes)
    try CellLimit.check(raw.count)
  }
}
