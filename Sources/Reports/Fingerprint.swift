import Diagnostics

/// Identifies a finding by properties that do not change when lines and elements move or messages are reworded.
///
/// The fingerprint is a hash of 128 bits (FNV-1a), written as 32 digits. The hashed values are the code, the file's
/// name, the record, the row, the pointer with `*` for every index, and the message's quotations. Lines, columns and
/// the message's other words are not hashed. A collision would only hide a finding in the author's own baseline, so a
/// cryptographic hash is not needed.
package struct Fingerprint {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// Makes an empty fingerprint.
  package init() {}

  /// Returns a finding's fingerprint. `file` is the name of the finding's file in reports.
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
    for quotation in quotations(finding.message) { print.add(quotation) }
    return print.digits
  }

  /// The hash so far, as 32 digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Adds a value. Its length comes first, so that different lists of values never give the same bytes.
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

  /// Returns the strings that a message quotes in “ ”, " ", ` ` or ' ', in order. These are the values from the
  /// content.
  static func quotations(_ message: String) -> [String] {
    var found: [String] = []
    var current = ""
    var end: Unicode.Scalar?
    var previous: Unicode.Scalar = " "
    for scalar in message.unicodeScalars {
      if let close = end {
        if scalar == close {
          found.append(current)
          (current, end) = ("", nil)
        } else {
          current.unicodeScalars.append(scalar)
        }
      } else {
        switch scalar {
        case "“": end = "”"
        case "\"", "`": end = scalar
        // Inside a word, the character is an apostrophe.
        case "'" where !previous.properties.isAlphabetic && previous.properties.numericType == nil: end = scalar
        default: break
        }
      }
      previous = scalar
    }
    return found
  }

  /// Returns a pointer without its indices: `/*/items/*/title` for `/0/items/3/title`.
  package static func withoutIndices(_ pointer: String) -> String {
    pointer.split(separator: "/", omittingEmptySubsequences: false).map { step in
      !step.isEmpty && step.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? "*" : step
    }.joined(separator: "/")
  }
}
