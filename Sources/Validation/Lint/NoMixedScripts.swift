import Diagnostics

/// A word is written in one script.
///
/// A Cyrillic `с` looks like a Latin `c`, but a search for “check” does not find “сheck”. A word is reported if all its
/// letters in one script look like letters in the other. `--fix` writes the word in the script of its remaining
/// letters.
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [
///   {"title": "Before", "items": [{"title": "Oil \u0441heck"}]}]}}
/// ```
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "Прове\u0070ка", "language": "ru", "content_data": {"sections": []}}
/// ```
///
/// Units, hyphens and digits do not count as another script.
///
/// ```json good
/// {"content_type": "checklist", "title": "VHF-радио, 12В, GPS и λ-зонд", "language": "ru", "content_data": {"sections": [
///   {"title": "SMSка базе", "items": [{"title": "Wi-Fi выключен, насос 2 кВт"}]}]}}
/// ```
struct NoMixedScripts: Rule {
  static let code = DiagnosticCode(
    "LNT0407", "mixed-scripts", .warning, "A word mixes letters of two scripts that look alike.",
    why: "searches do not find the word, and speech output spells it out", fix: "type the word again in one script")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let signs = item.signs
    // Latin and other letters must both occur, next to each other.
    guard !signs.isDisjoint(with: [.cyrillic, .greek]), !signs.isDisjoint(with: .scriptMeetsScript) else { return }
    item.forEachText(with: .scriptMeetsScript) { text in
      let words = HomoglyphWord.all(in: text.bytes.span)
      guard let first = words.first else { return }
      report.finding(
        "the word \(Quotation.of(text.bytes.span, first.range)) mixes Latin and \(first.other.name) letters"
          + Quotation.more(words.count - 1),
        at: text.node, in: first.odd, label: first.label,
        edit: words.contains { $0.better != nil } ? .text(HomoglyphWord.fixed(text.bytes.span, words)) : nil)
    }
  }
}

/// A word in which letters of one script replace similar letters of another.
struct HomoglyphWord {
  /// The word's bytes.
  let range: Range<Int>
  /// The first letter in the wrong script, or in the rarer one if both are possible.
  let odd: Range<Int>
  /// The script that is mixed with Latin.
  let other: Script
  /// The word in one script; nil if both scripts are possible.
  let better: String?
  /// A description of the odd letter.
  let label: String

  /// Cyrillic and Greek letters, with the Latin letters that they resemble.
  private static let latin: [UInt32: UInt32] = {
    var pairs: [UInt32: UInt32] = [:]
    for (other, latin) in zip(
      "авеорсухіјѕАВЕКМНОРСТУХІЈЅ".replacing("в", with: "").unicodeScalars, "aeopcyxijsABEKMHOPCTYXIJS".unicodeScalars)
    { pairs[other.value] = latin.value }
    for (other, latin) in zip("οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ".unicodeScalars, "oABEZHIKMNOPTYX".unicodeScalars) {
      pairs[other.value] = latin.value
    }
    return pairs
  }()

  /// Latin letters, with the Russian letters that they resemble.
  private static let cyrillic: [UInt32: UInt32] = {
    var pairs: [UInt32: UInt32] = [:]
    for (latin, other) in zip("aeopcyxABEKMHOPCTYX".unicodeScalars, "аеорсухАВЕКМНОРСТУХ".unicodeScalars) {
      pairs[latin.value] = other.value
    }
    return pairs
  }()

  /// Returns the words in the text that mix scripts by mistake.
  static func all(in bytes: Span<UInt8>) -> [HomoglyphWord] {
    var words: [HomoglyphWord] = []
    var start = 0
    var latin = 0
    var other = 0
    var script = Script.cyrillic
    var at = 0
    while at <= bytes.count {
      let (scalar, length) = at < bytes.count ? UTF8Reader.scalar(bytes, at) : (0x20, 1)
      switch Script(scalar) {
      case .latin: latin += 1
      case .cyrillic, .greek:
        other += 1
        script = Script(scalar) ?? script
      default:
        if latin > 0, other > 0, at - start < 200, let word = HomoglyphWord(bytes, start..<at, script) {
          words.append(word)
        }
        latin = 0
        other = 0
        start = at + length
      }
      at += length
    }
    return words
  }

  private init?(_ bytes: Span<UInt8>, _ range: Range<Int>, _ script: Script) {
    var couldBeLatin = true
    var couldBeOther = script == .cyrillic
    var firstLatin: (Range<Int>, UInt32)?
    var firstOther: (Range<Int>, UInt32)?
    var at = range.lowerBound
    while at < range.upperBound {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      if Script(scalar) == .latin {
        firstLatin = firstLatin ?? (at..<at + length, scalar)
        couldBeOther = couldBeOther && Self.cyrillic[scalar] != nil
      } else {
        firstOther = firstOther ?? (at..<at + length, scalar)
        couldBeLatin = couldBeLatin && Self.latin[scalar] != nil
      }
      at += length
    }
    guard couldBeLatin || couldBeOther, let firstLatin, let firstOther else { return nil }
    let odd = couldBeLatin ? firstOther : firstLatin
    self.range = range
    self.odd = odd.0
    other = script
    label = "\(Self.scriptName(odd.1)) letter \(UTF8Reader.name(odd.1))"
    better = couldBeLatin && couldBeOther ? nil : Self.respelled(bytes, range, toLatin: couldBeLatin)
  }

  private static func scriptName(_ scalar: UInt32) -> String { Script(scalar)?.name ?? "" }

  private static func respelled(_ bytes: Span<UInt8>, _ range: Range<Int>, toLatin: Bool) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in UTF8Reader.string(bytes, range).unicodeScalars {
      let pairs = toLatin ? latin : cyrillic
      scalars.append(pairs[scalar.value].flatMap { Unicode.Scalar($0) } ?? scalar)
    }
    return String(scalars)
  }

  /// Returns the text with all words corrected that have exactly one correct spelling.
  static func fixed(_ bytes: Span<UInt8>, _ words: [HomoglyphWord]) -> String {
    var out: [UInt8] = []
    var done = 0
    for word in words {
      guard let better = word.better else { continue }
      out.append(contentsOf: bytes.extracting(done..<word.range.lowerBound))
      out += Array(better.utf8)
      done = word.range.upperBound
    }
    out.append(contentsOf: bytes.extracting(droppingFirst: done))
    return String(decoding: out, as: UTF8.self)
  }
}
