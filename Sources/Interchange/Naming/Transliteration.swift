/// What letters of other alphabets are in Latin, small letters only.
/// - Source: BGN/PCGN 1947 (Russian), 1965 (Ukrainian), 1979 (Belarusian), 2013 (Bulgarian) without their signs;
///   ELOT 743 (Greek)
enum Transliteration {
  static let letters: [Unicode.Scalar: String] = {
    var letters: [Unicode.Scalar: String] = [:]
    for pair in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      guard let letter = pair.unicodeScalars.first else { continue }
      letters[letter] = String(pair.unicodeScalars.dropFirst())
    }
    return letters
  }()

  private static let table = """
    аa бb вv гg дd еe ёyo жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ыy ь эe юyu яya
    іi їyi єye ґg ўw
    ђdj ѓg ѕdz јj љlj њnj ћc ќk џdz ѐe ѝi
    ѣe ѳf ѵi ѡo ѫu ѧya
    әa ғg қq ңn өo ұu үu һh җzh ӣi ӯu ҷch ҳh
    αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt φf χch ψps ωo
    ßss æae œoe øo đd ðd þth łl ıi ŋn ħh əe ĸk ŧt ſs ƒf
    """
}
