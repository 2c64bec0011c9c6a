import Content
import SQLiteIO

/// A fast 64-bit hash of the values of a row: whether the row is still what a run left.
///
/// It tells accidents apart, not attacks: whoever can write to a library can write anything into it. Numbers that are
/// the same number hash the same, whole or not, because SQLite turns one into the other as a column's type asks for.
struct RowHash {
  private var hash = FastHash()

  /// The hash of everything that was added.
  var state: UInt64 { hash.value }

  @inline(__always)
  private mutating func mix(_ word: UInt64) { hash.add(word) }

  private mutating func mix(_ bytes: UnsafeBufferPointer<UInt8>) { hash.add(bytes) }

  private mutating func mix(number: Double) {
    if let whole = Int64(exactly: number) { return mix(number: whole) }
    mix(2)
    mix(number.bitPattern)
  }

  private mutating func mix(number: Int64) {
    mix(1)
    mix(UInt64(bitPattern: number))
  }

  /// Adds what SQLite lends.
  @inline(__always)
  mutating func add(_ value: RowValue?) {
    guard let value else { return mix(0) }
    switch value.storage {
    case .null: mix(0)
    case .integer: mix(number: value.integer)
    case .real: mix(number: value.real)
    case .text:
      mix(3)
      mix(value.text)
    case .blob:
      mix(4)
      mix(value.blob)
    }
  }

  /// Adds a value of a journal.
  mutating func add(_ value: JournalValue) {
    switch value {
    case .null: mix(0)
    case .integer(let number): mix(number: number)
    case .real(let number): mix(number: number)
    case .text(let bytes):
      mix(3)
      bytes.withUnsafeBufferPointer { mix($0) }
    case .blob(let bytes):
      mix(4)
      bytes.withUnsafeBufferPointer { mix($0) }
    }
  }
}
