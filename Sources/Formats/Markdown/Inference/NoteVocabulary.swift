/// Words in folder names, titles and headings that indicate a note's type, folded as in `WordFolding`.
///
/// Each entry matches the beginning of a word, so that `чеклист` finds `чеклисты`. A leading `=` requires the whole
/// word.
enum NoteVocabulary {
  /// A word and its weight, which is positive for a checklist.
  struct Entry {
    let stem: [UInt8]
    let isWhole: Bool
    let weight: Int
  }

  /// Folder names.
  static let folders = entries([
    (35, "checklist чеклист список списки procedure sop =sops процедур checks packing"),
    (-15, "note заметк"),
    (-35, "guide руководств theory теори статьи article manual учебн lesson урок reference справочн"),
    (
      -40,
      "log =logs logbook журнал journal дневник diary daily meeting встреч протокол recipe рецепт moc index blog блог"
    ),
  ])

  /// Titles and file names.
  static let titles = entries([
    (40, "checklist чеклист контрольныи"),
    (
      35,
      "preflight предполетн =list аптечк packlist packing provision shopping закупк список =сборы вещи снаряжени покупк inventory опис"
    ),
    (25, "briefing инструктаж before after перед после осмотр приемк handover checkin checkout checkup inspection"),
    (25, "departure arrival подготовк выход отход closing opening shutdown startup prestart predeparture predelivery"),
    (20, "todo list procedure процедур sop routine winteris winteriz консервац расконсервац drill"),
    (-30, "guide руководств note заметк notes theory теори =why почему overview обзор introduction введение =what"),
    (
      -35,
      "log logbook журнал journal дневник diary meeting встреч протокол recipe рецепт moc index оглавлени содержани"
    ),
    (-30, "glossary глоссари словарь термин faq история history lessons уроки review отзыв links ссылк resources книг"),
    (
      -35,
      "reference справочн cheatsheet =cheat contact контакт phone телефон =numbers номера alphabet алфавит phrase фраз"
    ),
    (-35, "abbreviation сокращени conversion mayday distress =signals сигналы =codes symptom симптом reason причин"),
    (-15, "=how как =types виды"),
  ])

  /// Headings inside the note.
  static let headings = entries([
    (-40, "ingredient ингредиент =method приготовлени attendees участники присутств agenda повестк =see смотри"),
    (-15, "introduction введение background overview обзор conclusion вывод итоги summary theory теори why почему"),
    (-25, "reason причин cause symptom симптом phone телефон contact контакт =numbers номера meaning значени"),
    (10, "checklist чеклист before after перед после"),
  ])

  /// Returns the entry with the greatest weight among the entries that the text contains, and the word that matched.
  static func find(_ entries: [Entry], in text: String) -> (weight: Int, word: String)? {
    var found: (weight: Int, word: String)?
    for word in WordFolding.words(text) {
      let bytes = Array(word.utf8)
      for entry in entries where bytes.starts(with: entry.stem) && (!entry.isWhole || bytes.count == entry.stem.count) {
        if found.map({ abs($0.weight) < abs(entry.weight) }) ?? true { found = (entry.weight, word) }
      }
    }
    return found
  }

  private static func entries(_ groups: [(Int, String)]) -> [Entry] {
    groups.flatMap { weight, words in
      words.split(separator: " ").map { word in
        let isWhole = word.hasPrefix("=")
        return Entry(stem: Array(word.utf8.drop { $0 == UInt8(ascii: "=") }), isWhole: isWhole, weight: weight)
      }
    }
  }
}

/// Folds words for comparison by the note classifier: converts them to lower case, replaces `ё` by `е` and `й` by `и`,
/// and removes accents.
enum WordFolding {
  /// Returns the words of text; hyphens inside words are removed (`чек-лист` becomes `чеклист`).
  static func words(_ text: String, most: Int = 32) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func flush() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in text.unicodeScalars {
      if words.count >= most { return words }
      if let folded = fold(scalar) {
        word.append(folded)
      } else if scalar == "-" || scalar == "\u{2010}" || isAccent(scalar) {
        continue
      } else {
        flush()
      }
    }
    flush()
    return words
  }

  /// Returns the first word of text, without the Markdown marks around it.
  static func first(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
    var start = range.lowerBound
    while start < range.upperBound, text[start] < 0x80, !isLetter(text[start]) { start += 1 }
    var end = start
    var isPlain = true
    while end < range.upperBound, end < start + 60 {
      let byte = text[end]
      if byte >= 0x80 || byte == UInt8(ascii: "-") { isPlain = false } else if !isLetter(byte) { break }
      end += 1
    }
    guard end > start else { return nil }
    guard isPlain else { return words(String(decoding: text.extracting(start..<end)), most: 1).first }
    return String(unsafeUninitializedCapacity: end - start) { buffer in
      for at in start..<end { buffer[at - start] = text[at] | 0x20 }
      return end - start
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isAccent(_ scalar: Unicode.Scalar) -> Bool { (0x300...0x36F).contains(scalar.value) }

  private static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x61...0x7A, 0x430...0x438, 0x43A...0x44F: return scalar
    case 0x41...0x5A: return Unicode.Scalar(scalar.value + 0x20)
    case 0x410...0x418, 0x41A...0x42F: return Unicode.Scalar(scalar.value + 0x20)
    case 0x419, 0x439: return "\u{438}"
    case 0x401, 0x451: return "\u{435}"
    case 0x30...0x39: return scalar
    default: return nil
    }
  }
}

/// Imperative verbs in English and Russian, folded as in `WordFolding`.
enum ImperativeWords {
  /// Whether a word is an imperative.
  static func contains(_ word: String) -> Bool {
    guard let first = word.utf8.first else { return false }
    return first < 0x80 ? english.contains(word) : isRussian(word)
  }

  private static let english = words(
    """
    add adjust agree air align anchor announce apply appoint arrange ask assign attach bail balance batten bend bleed blow
    book brief bring brush build buy calculate call carry cast center centre change charge check choose clean clear clip
    close coil collect compare complete confirm connect contact cook count cover cut deflate defrost deploy describe
    determine dip disconnect discuss dispose distribute document don download drain drop drop dry ease empty engage enter
    ensure establish examine exercise explain fasten fetch file fill find fit fix flake flush fold follow free fuel furl
    get give go grease halt hand hang haul heave hoist hold hook identify inflate inform insert inspect install issue keep
    label lash launch lay lead leave let lift light list load locate lock log look lower lubricate maintain make man
    measure monitor moor mount move note notify open operate order pack pay photograph pick place plan plot plug position
    pour practise practice prepare press prime print process protect pull pump put raise read rearrange rebook recharge
    record reduce reef refill refuel release remove renew repack repair repeat replace report reset return review rig
    rinse rotate run save scan scrub seal secure select send service set share shorten show shut sign slip sort
    sound spray start steer step stop store stow strike strip stretch sweep switch tack tag take talk tape tell tension
    test tidy tie tighten top touch trail train transfer trim try turn unclip unfold unlock unpack unplug untie unwind
    update use vacuum ventilate verify visit wait walk warn wash watch wear weigh winterise winterize wipe withdraw wrap
    write recheck doublecheck zip
    """)

  private static let russian = words(
    """
    проверь открои закрои включи выключи подними опусти возьми проследи убедись запусти заведи отдаи прими закрепи сними
    надень положи убери осмотри слеи залеи выбери трави позвони запиши вызови подготовь приготовь заполни измерь наполни
    заправь отключи подключи поставь установи вымои протри упакуи купи сдаи получи подпиши сфотографируи сообщи назначь
    раздаи покажи объясни расскажи напомни держи жди замени смажь промои осуши продуи стравь натяни ослабь сверни разверни
    """)

  /// Nouns that end like verbs.
  private static let nouns = words(
    """
    печать кровать сеть нить память мать рукоять плеть снасти части сети кости запчасти новости гости области ночь речь
    дочь нефть смесь путь пять шесть девять десять часть кисть трость тетрадь модель скорости емкости жидкости мощность
    лопасти пасть пристань площадь дверь двери ключ луч меч мяч плащ врач обруч мелочи мелочь
    """)

  private static let verbs = words("печь беречь сжечь течь вести везти нести внести отвести перевести завести навести")

  private static let infinitives = [
    "ать", "ять", "ить", "еть", "уть", "оть", "ыть", "йти", "ити", "сти", "зти", "чь", "ться", "тись", "чься",
  ]
  private static let imperatives = ["ите", "ьте", "итесь", "ьтесь"]

  private static func isRussian(_ word: String) -> Bool {
    if russian.contains(word) || verbs.contains(word) { return true }
    // Each letter takes two bytes, so the word must have at least four letters.
    guard word.utf8.count >= 8, !nouns.contains(word), !word.hasSuffix("ость"), !word.hasSuffix("ости") else {
      return false
    }
    return infinitives.contains { word.utf8.reversed().starts(with: $0.utf8.reversed()) }
      || imperatives.contains { word.utf8.reversed().starts(with: $0.utf8.reversed()) }
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
