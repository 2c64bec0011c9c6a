import Diagnostics

/// Tells whether a finding is one that was there before: a hash of what stays when lines and elements move.
///
/// 128 bits (FNV-1a), 32 digits. Its parts are the code, the file's name, the record, the row, the pointer with `*` for
/// every index, and the message; never a line or a column. Whoever makes two findings collide hides one of them in
/// their own baseline, so a cryptographic hash would protect nobody.
package struct Fingerprint {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// Starts with nothing hashed.
  package init() {}

  /// The fingerprint of a finding whose file reports name `file`.
  package static func of(_ finding: Diagnostic, file: String) -> String {
    var print = Fingerprint()
    print.add(finding.code.id)
    print.add(file)
    print.add(finding.place.member)
    print.add(finding.record)
    print.add(finding.place.row?.table)
    print.add(finding.place.row?.id)
    print.add(finding.place.row?.column)
    print.add(withoutIndices(finding.place.pointer))
    print.add(finding.message)
    return print.digits
  }

  /// The hash so far as 32 digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Adds a part. Its length comes first, so that no two lists of parts give the same bytes.
  mutating func add(_ part: String?) {
    guard let part else { return add(bytes: "-".utf8) }
    add(bytes: "\(part.utf8.count):".utf8)
    add(bytes: part.utf8)
  }

  /// Adds bytes.
  package mutating func add(bytes: some Sequence<UInt8>) {
    // The prime of 128-bit FNV, 2^88 + 0x13B.
    for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
  }

  /// `/0/items/3/title` as `/*/items/*/title`.
  package static func withoutIndices(_ pointer: String) -> String {
    pointer.split(separator: "/", omittingEmptySubsequences: false).map { step in
      !step.isEmpty && step.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? "*" : step
    }.joined(separator: "/")
  }
}
