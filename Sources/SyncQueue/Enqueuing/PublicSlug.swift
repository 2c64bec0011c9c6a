import Foundation
import Interchange

/// Makes an item's public id: its title as a slug, a dash, and eight upper-case hexadecimal digits.
///
/// A title is first transliterated to Latin letters, because every character other than a to z and 0 to 9 is left out:
/// nothing of a Cyrillic title would remain. The same title gives the same slug everywhere; only the digits differ.
/// - Source: the app's rule for public ids; `crew-safety-briefing-2663557A`
package enum PublicSlug {
  /// The maximum length of a slug without its digits, in characters.
  package static let longest = 50
  /// The number of digits after the slug and a dash.
  package static let digits = 8
  /// The slug of a title without usable letters.
  package static let nameless = "content"

  /// Makes a new public id.
  /// - Parameters:
  ///   - language: a BCP 47 tag; for German, umlauts are transliterated as in German.
  ///   - digits: eight upper-case hexadecimal digits.
  package static func make(_ title: String, language: String = "en", digits: String = randomDigits()) -> String {
    slug(title, language: language) + "-" + digits
  }

  /// Returns the first eight characters of a new UUID.
  package static func randomDigits() -> String { String(UUID().uuidString.prefix(digits)) }

  /// Returns the slug of a title: `[a-z0-9-]`, 1 to 50 characters, no dash at either end and no two in a row.
  package static func slug(_ title: String, language: String = "en") -> String {
    let isGerman = language.lowercased().prefix(2) == "de"
    let latin = Slug.latin(title) { (isGerman ? umlauts[$0] : nil) ?? ConsonantTransliteration.table[$0] }
    var out: [UInt8] = []
    for byte in latin.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): out.append(byte)
      case UInt8(ascii: " "), dash: if let last = out.last, last != dash { out.append(dash) }
      default: continue
      }
    }
    while out.last == dash { out.removeLast() }
    return out.isEmpty ? nameless : cut(out)
  }

  private static let dash = UInt8(ascii: "-")
  private static let umlauts: [Unicode.Scalar: String] = ["ä": "ae", "ö": "oe", "ü": "ue"]

  /// Cuts a slug that is too long: between words, if at least half of it remains.
  private static func cut(_ slug: [UInt8]) -> String {
    guard slug.count > longest else { return String(decoding: slug, as: UTF8.self) }
    var end = longest
    if slug[end] != dash, let space = slug[..<end].lastIndex(of: dash), space >= longest / 2 { end = space }
    while end > 0, slug[end - 1] == dash { end -= 1 }
    return String(decoding: slug[..<end], as: UTF8.self)
  }
}
