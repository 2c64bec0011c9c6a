import JSONText
import SQLiteIO

/// A value of a row as a journal keeps it, with its type.
package enum JournalValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// A text of Swift; nil is NULL.
  package init(_ text: String?) { self = text.map { .text(Array($0.utf8)) } ?? .null }

  /// Copies what SQLite lends.
  package init(_ value: RowValue?) {
    switch value?.storage ?? .null {
    case .null: self = .null
    case .integer: self = .integer(value?.integer ?? 0)
    case .real: self = .real(value?.real ?? 0)
    case .text: self = .text(value.map { Array($0.text) } ?? [])
    case .blob: self = .blob(value.map { Array($0.blob) } ?? [])
    }
  }

  /// As text, for people.
  package var string: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let bytes), .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Binds it; columns count from 1.
  package func bind(to statement: SQLiteStatement, at index: Int) {
    switch self {
    case .null: statement.bindNull(at: index)
    case .integer(let number): statement.bind(number, at: index)
    case .real(let number): statement.bind(number, at: index)
    case .text(let bytes): statement.bind(utf8: bytes, at: index)
    case .blob(let bytes): statement.bind(blob: bytes, at: index)
    }
  }

  /// Appends it as a journal spells it: one byte of type, then the number, or length and bytes.
  func write(to out: inout ByteBuffer) {
    switch self {
    case .null: out.append(0)
    case .integer(let number):
      out.append(1)
      out.append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real(let number):
      out.append(2)
      out.append(fixed: number.bitPattern)
    case .text(let bytes):
      out.append(3)
      out.append(varint: UInt64(bytes.count))
      bytes.withUnsafeBufferPointer { out.append($0) }
    case .blob(let bytes):
      out.append(4)
      out.append(varint: UInt64(bytes.count))
      bytes.withUnsafeBufferPointer { out.append($0) }
    }
  }

  /// Appends a value that SQLite lends, without a copy between.
  @inline(__always)
  static func write(_ value: RowValue?, to out: inout ByteBuffer) {
    guard let value else { return out.append(0) }
    switch value.storage {
    case .null: out.append(0)
    case .integer:
      let number = value.integer
      out.append(1)
      out.append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real:
      out.append(2)
      out.append(fixed: value.real.bitPattern)
    case .text:
      let bytes = value.text
      out.append(3)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes)
    case .blob:
      let bytes = value.blob
      out.append(4)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes)
    }
  }
}

extension ByteBuffer {
  /// Appends a number in groups of seven bits, the lowest first.
  @inline(__always)
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends eight bytes, the lowest first.
  @inline(__always)
  mutating func append(fixed number: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
