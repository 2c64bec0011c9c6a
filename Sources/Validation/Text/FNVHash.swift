/// A quick hash of short texts (FNV-1a, 64 bits): the same in every run, not made against attackers.
///
/// What shares a number is compared again, or a finding is lost; never is one made up.
struct FNVHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Takes the next byte or scalar.
  @inline(__always) mutating func add(_ next: UInt64) { value = (value ^ next) &* 0x100_0000_01B3 }
}
