/// What stands for a text in tables of groups: 128 bits of a hash that differs from run to run, so that nobody can make
/// two texts with the same one.
struct KeyHash: Hashable {
  let first: Int
  let second: Int

  /// The hash of a text of some sort.
  init(_ text: UnsafeBufferPointer<UInt8>, kind: UInt8) {
    var one = Hasher()
    var two = Hasher()
    one.combine(kind)
    two.combine(kind ^ 0x80)
    one.combine(bytes: UnsafeRawBufferPointer(text))
    two.combine(bytes: UnsafeRawBufferPointer(text))
    first = one.finalize()
    second = two.finalize()
  }
}
