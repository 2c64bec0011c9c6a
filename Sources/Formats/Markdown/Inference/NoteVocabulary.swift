/// Words in folders, titles and headings that say what a note is; folded as in `FoldedWords`.
///
/// Each is the beginning of a word, so that `чеклист` finds `чеклисты`; `=` in front asks for the whole word.
enum NoteVocabulary {
  /// A word and how much it counts, positive for a checklist.
  struct Entry {
    let stem: [UInt8]
    let isWhole: Bool
    let weight: Int
  }

  /// Folders.
  static let folders = entries([
    (35, "checklist чеклист список списки procedure sop =sops процедур checks packing"),
    (-35, "guide руководств note заметк theory теори статьи article manual учебн lesson урок reference справочн"),
    (
      -40,
      "log =logs logbook журнал journal дневник diary daily meeting встреч протокол recipe рецепт moc index blog блог"
    ),
  ])

  /// Titles and names of files.
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
    (-15, "=how как =types виды"),
  ])

  /// Headings inside.
  static let headings = entries([
    (-40, "ingredient ингредиент =method приготовлени attendees участники присутств agenda повестк =see смотри"),
    (-15, "introduction введение background overview обзор conclusion вывод итоги summary theory теори why почему"),
    (10, "checklist чеклист before after перед после"),
  ])

  /// The weightiest entry that a text has, and the word that it was found in.
  static func find(_ entries: [Entry], in text: String) -> (weight: Int, word: String)? {
    var found: (weight: Int, word: String)?
    for word in FoldedWords.words(text) {
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
