import Content

/// A mapped column as the row loop wants it: no references, nothing to look up.
///
/// Its owner calls `deallocate` once, when no copy of it is used any more.
struct EncodedColumn {
  enum Code: UInt8 {
    case text, date, bool, integer, real, tags, sections, itemStates, publicMetadata, payload
  }

  let code: Code
  let nullable: Bool
  /// Whether it refers to another record.
  let isReference: Bool
  /// The values that a column of a closed list may have; nil for any other column.
  let choices: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>?
  /// Result column, or -1 when this library does not have it.
  let position: Int
  /// `,"member":`
  let key: UnsafeBufferPointer<UInt8>
  /// What stands for a column that is not there.
  let absent: UnsafeBufferPointer<UInt8>
  /// The same where null is not allowed.
  let absentOrEmpty: UnsafeBufferPointer<UInt8>

  init(_ map: ColumnMap, position: Int) {
    code =
      switch map.kind {
      case .id, .reference, .text, .choice: .text
      case .date: .date
      case .bool: .bool
      case .integer: .integer
      case .real: .real
      case .tags: .tags
      case .sections: .sections
      case .itemStates: .itemStates
      case .publicMetadata: .publicMetadata
      case .payload: .payload
      }
    nullable = map.nullable
    if case .reference = map.kind { isReference = true } else { isReference = false }
    if case .choice(let known, _) = map.kind {
      let copy = UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>.allocate(capacity: known.count)
      _ = copy.initialize(from: known.map(Self.copied))
      choices = UnsafeBufferPointer(copy)
    } else {
      choices = nil
    }
    self.position = position
    key = Self.copied(",\"\(map.member)\":")
    let written = map.absent != "null" ? map.absent : code == .text ? "\"\"" : code == .integer ? "0" : "null"
    absentOrEmpty = Self.copied(written)
    // A column that every version has and this library lacks is read as empty; the schema's findings name it.
    absent = map.nullable || code == .date ? Self.copied(map.absent) : absentOrEmpty
  }

  static var null: UnsafeBufferPointer<UInt8> { nullText.buffer }
  static var nowhere: UnsafePointer<UInt8> { nullText.address }

  private struct Immortal: @unchecked Sendable {
    let address: UnsafePointer<UInt8>
    let buffer: UnsafeBufferPointer<UInt8>
  }

  private static let nullText: Immortal = {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4)
    _ = copy.initialize(from: "null".utf8)
    let buffer = UnsafeBufferPointer(copy)
    return Immortal(address: buffer.baseAddress.unsafelyUnwrapped, buffer: buffer)
  }()

  /// Frees the texts.
  func deallocate() {
    choices?.forEach { $0.deallocate() }
    choices?.deallocate()
    key.deallocate()
    if absent.baseAddress != absentOrEmpty.baseAddress { absent.deallocate() }
    absentOrEmpty.deallocate()
  }

  private static func copied(_ text: String) -> UnsafeBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8)
    return UnsafeBufferPointer(copy)
  }
}
