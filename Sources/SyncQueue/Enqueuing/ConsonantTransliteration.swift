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
