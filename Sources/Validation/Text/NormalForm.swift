// Foundation has the tables of Unicode's normal forms. Only texts with combining marks are processed here.
import Foundation

/// Unicode's composed form (NFC), in which й is one scalar instead of two.
package enum NormalForm {
  /// The minimum number of scalars in a piece that is composed separately.
  private static let piece = 64
  /// The maximum number of scalars in a piece. Foundation's running time grows with the square of a piece's length.
  private static let longest = 512

  /// Returns the text in composed form.
  ///
  /// The time is linear in the length, because the text is composed in pieces. A piece begins at a character that never
  /// composes with the previous one. A stretch of more than 512 scalars without such a character, which no language
  /// has, is left unchanged.
  package static func composed(_ text: String) -> String {
    var composed = ""
    composed.reserveCapacity(text.utf8.count)
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    var count = 0
    func take(to end: String.Index) {
      let piece = String(scalars[start..<end])
      composed += count > longest ? piece : piece.precomposedStringWithCanonicalMapping
      start = end
      count = 0
    }
    var index = start
    while index < scalars.endIndex {
      if count >= piece, canCut(before: scalars[index]) { take(to: index) }
      count += 1
      scalars.formIndex(after: &index)
    }
    take(to: scalars.endIndex)
    return composed
  }

  /// Whether a character is a starter that does not compose with a preceding character.
  private static func canCut(before scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300, 0x3400..<0xA000, 0xAC00..<0xD7A4: return true
    case 0x300..<0x370: return false
    default:
      let category = scalar.properties.generalCategory
      return category == .lowercaseLetter || category == .uppercaseLetter || category == .spaceSeparator
    }
  }
}
