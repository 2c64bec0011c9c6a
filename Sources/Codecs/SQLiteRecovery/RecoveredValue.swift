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
