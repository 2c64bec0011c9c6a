/// Reads records: the values of a row or of an index entry.
/// - Source: https://sqlite.org/fileformat2.html, section 2.1
enum Record {
  enum Header: Equatable {
    /// The header is consistent. The values begin after `size` bytes.
    case sound(size: Int)
    /// The header extends past the bytes that are present.
    case cut
    case broken
  }

  /// Reads the serial types of a record.
  ///
  /// The serial types must fill the header exactly, and their values must fill the payload exactly.
  /// - Parameter range: the bytes of the payload that are present.
  /// - Parameter payload: the number of bytes in the whole payload.
  /// - Parameter serials: receives the serial types, including the valid ones of a broken header.
  static func header(
    _ bytes: [UInt8], _ range: Range<Int>, payload: Int, into serials: inout [Int]
  ) -> Header {
    serials.removeAll(keepingCapacity: true)
    guard let (size, first) = bytes.varint(range.lowerBound, before: range.upperBound), size >= 1, size <= payload
    else { return .broken }
    let end = range.lowerBound + Int(size)
    guard end <= range.upperBound else { return .cut }
    var position = first
    var sum = Int(size)
    while position < end {
      guard let (serial, next) = bytes.varint(position, before: end), serial >= 0, serial != 10, serial != 11
      else { return .broken }
      position = next
      sum += width(Int(serial))
      guard sum <= payload else { return .broken }
      serials.append(Int(serial))
    }
    return position == end && sum == payload ? .sound(size: Int(size)) : .broken
  }

  /// Returns the size in bytes of a value with a given serial type.
  @inline(__always)
  static func width(_ serial: Int) -> Int {
    switch serial {
    case 0, 8, 9: 0
    case 1...4: serial
    case 5: 6
    case 6, 7: 8
    default: max(0, (serial - 12) / 2)
    }
  }

  @inline(__always)
  static func storageClass(_ serial: Int) -> StorageClasses {
    switch serial {
    case 0: .null
    case 1...6, 8, 9: .integer
    case 7: .real
    default: serial % 2 == 0 ? .blob : .text
    }
  }

  /// Returns the values of a record, as far as they are present.
  /// - Parameter start: the offset at which the first value begins.
  /// - Parameter end: the end of the bytes that are present. If a text value extends past this end, it is the last
  ///   value and contains only the beginning of its text.
  static func values(
    _ bytes: [UInt8], from start: Int, to end: Int, serials: [Int], _ encoding: DatabaseEncoding
  ) -> [RecoveredValue] {
    var result: [RecoveredValue] = []
    result.reserveCapacity(serials.count)
    var position = start
    for serial in serials {
      let next = position + width(serial)
      guard position >= 0, next <= end, end <= bytes.count else {
        if position >= 0, position < end, end <= bytes.count, storageClass(serial) == .text {
          result.append(value(bytes[position..<end], serial, encoding))
        }
        break
      }
      result.append(value(bytes[position..<next], serial, encoding))
      position = next
    }
    return result
  }

  private static func value(_ bytes: ArraySlice<UInt8>, _ serial: Int, _ encoding: DatabaseEncoding) -> RecoveredValue {
    switch serial {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...6: return .integer(integer(bytes))
    case 7: return .real(Double(bitPattern: UInt64(bitPattern: integer(bytes))))
    default: return serial % 2 == 0 ? .blob(Array(bytes)) : .text(encoding.utf8(bytes))
    }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    var value: Int64 = bytes.first.map { $0 >= 0x80 } == true ? -1 : 0
    for byte in bytes { value = value << 8 | Int64(byte) }
    return value
  }
}

/// A value of a row as the file stores it.
package enum RecoveredValue: Equatable, Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// Text: the unchanged UTF-8 of the file, which may be invalid. Text in UTF-16 databases is converted.
  case text([UInt8])
  case blob([UInt8])

  /// The storage class of the value.
  package var storageClass: StorageClasses {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

/// A set of SQLite's five storage classes.
package struct StorageClasses: OptionSet, Hashable, Sendable {
  /// One bit for each class.
  package let rawValue: UInt8

  /// Creates a set from the bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// NULL.
  package static let null = StorageClasses(rawValue: 1)
  /// Integers of up to 64 bits.
  package static let integer = StorageClasses(rawValue: 2)
  /// Floating-point numbers.
  package static let real = StorageClasses(rawValue: 4)
  /// Text in the encoding of the database.
  package static let text = StorageClasses(rawValue: 8)
  /// Bytes.
  package static let blob = StorageClasses(rawValue: 16)
  /// Every class, as in a column without a type.
  package static let any: StorageClasses = [.null, .integer, .real, .text, .blob]
}
