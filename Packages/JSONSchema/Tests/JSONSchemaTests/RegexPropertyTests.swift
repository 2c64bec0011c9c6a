import Foundation
import JSONSchema
import TestTools
import Testing

/// `\p{…}` with every name in ECMA-262, compared with V8 on samples from all of Unicode.
@Suite struct RegexPropertyTests {
  @Test(
    .enabled(if: Shell.has("node"), "node is not installed"),
    .enabled(if: hasSameUnicode, "node or Swift has another version of Unicode than the tables: 17"))
  func everyNameMeansTheSame() throws {
    var random = SeededRandom(seed: 17)
    let scalars =
      (1..<0x300).compactMap(Unicode.Scalar.init)
      + (0..<600).compactMap { _ in Unicode.Scalar(UInt32(random.below(0x3100))) }
      + (0..<800).compactMap { _ in Unicode.Scalar(UInt32(random.below(0x20000))) }
      + (0..<100).compactMap { _ in Unicode.Scalar(UInt32(random.below(0x11_0000))) }
    let texts = scalars.map { String(Character($0)) }
    let words = { (list: String) in list.split(separator: " ").map(String.init) }
    let names =
      words(Self.categories) + words(Self.binary) + words(Self.categories).map { "gc=" + $0 }
      + words(Self.scripts).flatMap { ["sc=" + $0, "scx=" + $0] } + words(Self.unknown)
      + ["Script=Latin", "Script_Extensions=Latn", "General_Category=Lu"]
    let verdicts = try Self.verdicts(names, texts)
    try #require(verdicts.count == names.count)
    for (name, verdict) in zip(names, verdicts) {
      if verdict == "error" {
        #expect(throws: RegexSyntaxError.self, "\(name)") { try ECMARegex("\\p{\(name)}") }
        continue
      }
      guard let regex = try? ECMARegex("\\p{\(name)}") else {
        Issue.record("\(name) is a property")
        continue
      }
      let own = texts.map { regex.search($0) == .match ? "1" : "0" }.joined()
      if own != verdict {
        let wrong = zip(scalars, zip(own, verdict)).first { $0.1.0 != $0.1.1 }?.0
        Issue.record("\\p{\(name)} of U+\(String(wrong?.value ?? 0, radix: 16)): V8 disagrees")
      }
    }
    #expect(verdicts.filter { $0 == "error" }.count == Self.unknown.split(separator: " ").count)
  }

  /// Whether both implementations use the same Unicode version. Tables of different versions differ, which is not a
  /// bug. U+088F was added in Unicode 17.
  private static var hasSameUnicode: Bool {
    let version = try? Shell.run("node", ["-p", "process.versions.unicode"]).output.split(separator: ".").first
    return version == "17" && Unicode.Scalar(0x88F as UInt16)?.properties.age?.major == 17
  }

  private static func verdicts(_ names: [String], _ texts: [String]) throws -> [String] {
    let script = """
      const [names, texts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
      console.log(JSON.stringify(names.map(name => {
        let regex;
        try { regex = new RegExp(`\\\\p{${name}}`, 'u'); } catch (e) { return 'error'; }
        return texts.map(text => regex.test(text) ? '1' : '0').join('');
      })));
      """
    let input = String(decoding: try JSONEncoder().encode([names, texts]), as: UTF8.self)
    let answer = try Shell.run("node", ["-e", script], input: input)
    try #require(answer.status == 0, "\(answer.errors.prefix(500))")
    return try JSONDecoder().decode([String].self, from: Data(answer.output.utf8))
  }

  private static let categories = """
    C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use Cs Surrogate L Letter LC Cased_Letter Ll \
    Lowercase_Letter Lm Modifier_Letter Lo Other_Letter Lt Titlecase_Letter Lu Uppercase_Letter M Mark \
    Combining_Mark Mc Spacing_Mark Me Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl \
    Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Pe \
    Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation Ps Open_Punctuation S \
    Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol So Other_Symbol Z Separator Zl Line_Separator Zp \
    Paragraph_Separator Zs Space_Separator
    """

  private static let binary = """
    ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M \
    Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased \
    CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash \
    Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod \
    Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base \
    Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue \
    IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math \
    Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical \
    Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph \
    UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS
    """

  private static let scripts = """
    Adlam Adlm Aghb Ahom Anatolian_Hieroglyphs Arab Arabic Armenian Armi Armn Avestan Avst Bali Balinese Bamu \
    Bamum Bass Bassa_Vah Batak Batk Beng Bengali Berf Beria_Erfe Bhaiksuki Bhks Bopo Bopomofo Brah Brahmi Brai \
    Braille Bugi Buginese Buhd Buhid Cakm Canadian_Aboriginal Cans Cari Carian Caucasian_Albanian Chakma Cham \
    Cher Cherokee Chorasmian Chrs Common Copt Coptic Cpmn Cprt Cuneiform Cypriot Cypro_Minoan Cyrillic Cyrl \
    Deseret Deva Devanagari Diak Dives_Akuru Dogr Dogra Dsrt Dupl Duployan Egyp Egyptian_Hieroglyphs Elba \
    Elbasan Elym Elymaic Ethi Ethiopic Gara Garay Geor Georgian Glag Glagolitic Gong Gonm Goth Gothic Gran \
    Grantha Greek Grek Gujarati Gujr Gukh Gunjala_Gondi Gurmukhi Guru Gurung_Khema Han Hang Hangul Hani \
    Hanifi_Rohingya Hano Hanunoo Hatr Hatran Hebr Hebrew Hira Hiragana Hluw Hmng Hmnp Hung Imperial_Aramaic \
    Inherited Inscriptional_Pahlavi Inscriptional_Parthian Ital Java Javanese Kaithi Kali Kana Kannada Katakana \
    Kawi Kayah_Li Khar Kharoshthi Khitan_Small_Script Khmer Khmr Khoj Khojki Khudawadi Kirat_Rai Kits Knda Krai \
    Kthi Lana Lao Laoo Latin Latn Lepc Lepcha Limb Limbu Lina Linb Linear_A Linear_B Lisu Lyci Lycian Lydi \
    Lydian Mahajani Mahj Maka Makasar Malayalam Mand Mandaic Mani Manichaean Marc Marchen Masaram_Gondi \
    Medefaidrin Medf Meetei_Mayek Mend Mende_Kikakui Merc Mero Meroitic_Cursive Meroitic_Hieroglyphs Miao Mlym \
    Modi Mong Mongolian Mro Mroo Mtei Mult Multani Myanmar Mymr Nabataean Nag_Mundari Nagm Nand Nandinagari Narb \
    Nbat New_Tai_Lue Newa Nko Nkoo Nshu Nushu Nyiakeng_Puachue_Hmong Ogam Ogham Ol_Chiki Ol_Onal Olck \
    Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic \
    Old_Uyghur Onao Oriya Orkh Orya Osage Osge Osma Osmanya Ougr Pahawh_Hmong Palm Palmyrene Pau_Cin_Hau Pauc \
    Perm Phag Phags_Pa Phli Phlp Phnx Phoenician Plrd Prti Psalter_Pahlavi Qaac Qaai Rejang Rjng Rohg Runic Runr \
    Samaritan Samr Sarb Saur Saurashtra Sgnw Sharada Shavian Shaw Shrd Sidd Siddham Sidetic Sidt SignWriting \
    Sind Sinh Sinhala Sogd Sogdian Sogo Sora Sora_Sompeng Soyo Soyombo Sund Sundanese Sunu Sunuwar Sylo \
    Syloti_Nagri Syrc Syriac Tagalog Tagb Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takr Takri Tale Talu Tamil \
    Taml Tang Tangsa Tangut Tavt Tayo Telu Telugu Tfng Tglg Thaa Thaana Thai Tibetan Tibt Tifinagh Tirh Tirhuta \
    Tnsa Todhri Todr Tolong_Siki Tols Toto Tulu_Tigalari Tutg Ugar Ugaritic Vai Vaii Vith Vithkuqi Wancho Wara \
    Warang_Citi Wcho Xpeo Xsux Yezi Yezidi Yi Yiii Zanabazar_Square Zanb Zinh Zyyy Unknown Zzzz
    """

  /// Names that Unicode defines or people use, but that ECMA-262 does not allow.
  private static let unknown = """
    Hyphen Grapheme_Link Other_Alphabetic Letters lower L& Greek Any=Y gc=Alpha sc=L Script=latin Script=Klingon \
    General_Category Basic_Emoji sc=Hrkt scx=Katakana_Or_Hiragana
    """
}
