/// A quick hash of short texts (FNV-1a, 64 bits): the same in every run, not made against attackers.
///
/// What shares a number is compared again, or a finding is lost; never is one made up.
package struct FNVHash {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Begins.
  package init() {}

  /// Takes the next byte or scalar.
  @inline(__always) package mutating func add(_ next: UInt64) { value = (value ^ next) &* 0x100_0000_01B3 }
}
