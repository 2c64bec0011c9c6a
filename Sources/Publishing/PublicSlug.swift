import Foundation
import Interchange

/// Makes an item's public id: its title as a slug, a dash, and eight upper-case hexadecimal digits.
///
/// A title is first transliterated to Latin letters, because every character other than a to z and 0 to 9 is left out:
/// nothing of a Cyrillic title would remain. The same title gives the same slug everywhere; only the digits differ.
/// - Source: the app's rule for public ids; `crew-safety-briefing-2663557A`
public enum PublicSlug {
  /// The maximum length of a slug without its digits, in characters.
  public static let longest = 50
  /// The number of digits after the slug and a dash.
  public static let digits = 8
  /// The slug of a title without usable letters.
  public static let nameless = "content"

  /// Makes a new public id.
  /// - Parameters:
  ///   - language: a BCP 47 tag; for German, umlauts are transliterated as in German.
  ///   - digits: eight upper-case hexadecimal digits.
  public static func make(_ title: String, language: String = "en", digits: String = randomDigits()) -> String {
    slug(title, language: language) + "-" + digits
  }

  /// Returns the first eight characters of a new UUID.
  public static func randomDigits() -> String { String(UUID().uuidString.prefix(digits)) }

  /// Returns the slug of a title: `[a-z0-9-]`, 1 to 50 characters, no dash at either end and no two in a row.
  public static func slug(_ title: String, language: String = "en") -> String {
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

/// The Latin letters for Hebrew and Arabic letters in public ids. These scripts do not write vowels: people who know
/// the title can read the result, but it is not a romanisation.
/// - Source: the consonants of ISO 259-3 and of ALA-LC, without diacritics
enum ConsonantTransliteration {
  static let table: [Unicode.Scalar: String] = {
    var letters: [Unicode.Scalar: String] = [:]
    for pair in pairs.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let parts = pair.unicodeScalars.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let letter = parts[0].first else { continue }
      letters[letter] = String(String.UnicodeScalarView(parts[1]))
    }
    return letters
  }()

  // The letters are written as code points, because text in these scripts runs from right to left.
  private static let pairs = """
    \u{5D0}=a \u{5D1}=b \u{5D2}=g \u{5D3}=d \u{5D4}=h \u{5D5}=v \u{5D6}=z \u{5D7}=h \u{5D8}=t \u{5D9}=y
    \u{5DA}=k \u{5DB}=k \u{5DC}=l \u{5DD}=m \u{5DE}=m \u{5DF}=n \u{5E0}=n \u{5E1}=s \u{5E2}=a \u{5E3}=f
    \u{5E4}=p \u{5E5}=ts \u{5E6}=ts \u{5E7}=k \u{5E8}=r \u{5E9}=sh \u{5EA}=t
    \u{621}= \u{622}=a \u{623}=a \u{624}=w \u{625}=i \u{626}=y \u{627}=a \u{628}=b \u{629}=a \u{62A}=t
    \u{62B}=th \u{62C}=j \u{62D}=h \u{62E}=kh \u{62F}=d \u{630}=dh \u{631}=r \u{632}=z \u{633}=s \u{634}=sh
    \u{635}=s \u{636}=d \u{637}=t \u{638}=z \u{639}=a \u{63A}=gh \u{641}=f \u{642}=q \u{643}=k \u{644}=l
    \u{645}=m \u{646}=n \u{647}=h \u{648}=w \u{649}=a \u{64A}=y \u{67E}=p \u{686}=ch \u{698}=zh \u{6A9}=k
    \u{6AF}=g \u{6CC}=y
    \u{660}=0 \u{661}=1 \u{662}=2 \u{663}=3 \u{664}=4 \u{665}=5 \u{666}=6 \u{667}=7 \u{668}=8 \u{669}=9
    \u{6F0}=0 \u{6F1}=1 \u{6F2}=2 \u{6F3}=3 \u{6F4}=4 \u{6F5}=5 \u{6F6}=6 \u{6F7}=7 \u{6F8}=8 \u{6F9}=9
    """
}
