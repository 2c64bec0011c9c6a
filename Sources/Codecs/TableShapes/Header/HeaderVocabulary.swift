/// The words that headers use for columns, in English and Russian, for each shape: the one place that knows them.
///
/// - Source: formats/tables.md, "Three shapes"
enum HeaderVocabulary {
  /// A word and the columns that it may stand for, the likeliest first.
  struct Entry: Sendable {
    let columns: [TableColumn]
    /// Whether the word says what it means; weak ones take what is left over.
    let isStrong: Bool
  }

  /// The columns of a shape, in the order in which FleetKit writes them.
  static func columns(of shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps:
      [
        .checklist, .section, .item, .required, .optional, .minutes, .tags, .details, .language, .type, .checklistID,
        .sectionID, .itemID, .created, .updated,
      ]
    case .cards: [.deck, .front, .back, .hint, .tags, .language, .deckID, .cardID, .created, .updated]
    case .catalogue: [.title, .type, .document, .description, .tags, .language, .id, .created, .updated]
    }
  }

  /// What is said of a whole checklist or deck beside its title; written where an item says it.
  static func about(_ shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps: [.checklistDescription, .checklistTags]
    case .cards: [.deckDescription, .deckTags]
    case .catalogue: []
    }
  }

  /// The columns that a table of a shape may have: those of the shape, what is said of the whole, and whose work it is.
  static func allColumns(of shape: TableShape) -> [TableColumn] {
    columns(of: shape) + about(shape) + TableColumn.lineage
  }

  /// The columns without which a table has not the shape that someone asked for.
  static func needed(by shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps: [.item]
    case .cards: [.front, .back]
    case .catalogue: [.title]
    }
  }

  /// The entry of a folded header; nil for words that mean nothing in a table of the shape.
  static func entry(_ folded: String, in shape: TableShape) -> Entry? {
    switch shape {
    case .steps: steps[folded]
    case .cards: cards[folded]
    case .catalogue: catalogue[folded]
    }
  }

  /// The column that a word of `--map` names in a table of a shape; nil where such a table has none.
  static func column(named word: String, in shape: TableShape) -> TableColumn? {
    let folded = HeaderFold.fold(word)
    if let exact = TableColumn.allCases.first(where: { HeaderFold.fold($0.rawValue) == folded }) {
      return allColumns(of: shape).contains(exact) ? exact : nil
    }
    return entry(folded, in: shape)?.columns.first
  }

  /// The column that a word of `--map` names, in any shape.
  static func column(named word: String) -> TableColumn? {
    let folded = HeaderFold.fold(word)
    if let exact = TableColumn.allCases.first(where: { HeaderFold.fold($0.rawValue) == folded }) { return exact }
    for shape in TableShape.allCases {
      if let entry = entry(folded, in: shape) { return entry.columns.first }
    }
    return nil
  }

  private static let shared: [(columns: [TableColumn], strong: String, weak: String)] = [
    (
      [.tags], "tags, tag, labels, label, keywords, keyword, теги, тег, метки, метка, ключевые слова, ярлыки",
      ""
    ),
    ([.language], "language, lang, язык", ""),
    ([.created], "created, created at, creation date, date created, создано, дата создания, создан", ""),
    (
      [.updated], "updated, updated at, modified, last modified, date modified, изменено, обновлено, дата изменения", ""
    ),
    ([.forkedFromID], "forked from id, forked from", ""),
    ([.forkCount], "fork count, forks", ""),
    ([.originalAuthorUsername], "original author username, original author, автор оригинала", ""),
    ([.originalAuthorUserID], "original author user id", ""),
    ([.originalContentPublicID], "original content public id, original public id", ""),
  ]

  private static let steps = table([
    (
      [.checklist],
      "checklist, check list, checklist title, checklist name, list, list name, title of the list, list title, "
        + "чек-лист, чек лист, название чек-листа, список, название списка, имя списка", ""
    ),
    (
      [.section],
      "section, section title, section name, category, heading, subheading, phase, раздел, секция, категория, "
        + "заголовок, подраздел, этап", ""
    ),
    ([.section, .checklist], "", "group, группа"),
    (
      [.item],
      "item, step, task, action, check, todo, to do, to-do, item title, step title, checklist item, what to do, шаг, "
        + "пункт, задача, действие, дело, что делать, что сделать, что проверить, пункт чек-листа", ""
    ),
    ([.item, .checklist], "", "title, name, название, наименование, имя"),
    ([.required], "required, is required, mandatory, must, must have, obligatory, обязательно, обязательный", ""),
    (
      [.optional],
      "optional, is optional, if needed, nice to have, необязательно, необязательный, по желанию, опционально",
      ""
    ),
    (
      [.minutes],
      "minutes, min, mins, estimated minutes, duration, duration min, duration minutes, time min, time minutes, "
        + "минуты, минут, мин, длительность, время мин, время минут, продолжительность", "time, время"
    ),
    (
      [.details],
      "details, detail, item description, step description, how, how to, подробности, подробно, как, как делать",
      "description, notes, note, comment, comments, remark, remarks, описание, заметки, заметка, комментарий, "
        + "комментарии, примечание, примечания, пояснение"
    ),
    (
      [.checklistDescription],
      "checklist description, list description, description of the list, description of the checklist, "
        + "описание чек-листа, описание списка", ""
    ),
    ([.checklistTags], "checklist tags, list tags, теги чек-листа, теги списка, метки чек-листа", ""),
    ([.type], "type, kind, checklist type, тип, вид, тип чек-листа", ""),
    ([.checklistID], "checklist id, list id, ид чек-листа, id чек-листа, id списка", ""),
    ([.sectionID], "section id, id раздела, ид раздела, id секции", ""),
    ([.itemID], "item id, step id, task id, id шага, ид шага, id пункта, id задачи", "id, uuid, ид"),
  ])

  private static let cards = table([
    ([.front], "front, question, term, prompt, word, вопрос, термин, лицо, лицевая сторона, слово", ""),
    (
      [.back],
      "back, answer, definition, meaning, translation, ответ, определение, оборот, обратная сторона, значение, перевод",
      ""
    ),
    ([.hint], "hint, clue, подсказка", "note, notes, comment, заметка, комментарий"),
    ([.deck], "deck, deck name, deck title, колода, название колоды", "list, set, category, список, категория, набор"),
    ([.deckDescription], "deck description, description of the deck, описание колоды", ""),
    ([.deckTags], "deck tags, теги колоды, метки колоды", ""),
    ([.deckID], "deck id, id колоды, ид колоды", ""),
    ([.cardID], "card id, id карточки, ид карточки", "id, uuid, guid, ид"),
  ])

  private static let catalogue = table([
    ([.title], "title, название, заголовок", "name, item, item title, наименование, имя"),
    ([.type], "type, kind, content type, тип, вид, тип содержания", ""),
    (
      [.document],
      "document, content, body, text, markdown, json, content data, документ, текст, содержание, содержимое", ""
    ),
    ([.description], "description, summary, abstract, описание, аннотация, кратко", ""),
    ([.id], "id, uuid, item id, content id, ид", ""),
  ])

  private static func table(
    _ groups: [(columns: [TableColumn], strong: String, weak: String)]
  ) -> [String: Entry] {
    var entries: [String: Entry] = [:]
    for group in groups + shared {
      for (words, isStrong) in [(group.strong, true), (group.weak, false)] {
        for word in words.split(separator: ",") {
          let folded = HeaderFold.fold(String(word))
          if entries[folded] == nil { entries[folded] = Entry(columns: group.columns, isStrong: isStrong) }
        }
      }
    }
    return entries
  }
}

/// Headers as they are compared: small letters and digits alone, `ё` as `е`, no accents.
enum HeaderFold {
  /// No header is longer, and cells of megabytes may stand where a header is looked for.
  private static let most = 4096

  /// The letters and digits of a header; what is longer than any header folds to its beginning and `…`.
  static func fold(_ header: String) -> String {
    var folded = String.UnicodeScalarView()
    for (number, scalar) in header.unicodeScalars.enumerated() {
      if number == most { return String(folded) + "…" }
      switch scalar.value {
      case 0x61...0x7A, 0x30...0x39: folded.append(scalar)
      case 0x41...0x5A: folded.append(Unicode.Scalar(scalar.value + 0x20) ?? scalar)
      case 0..<0x80, 0x300...0x36F: continue
      // A text that was taken apart has й and ё as two characters each; the marks are left out above.
      case 0x419, 0x439: folded.append("\u{438}")
      case 0x401, 0x451: folded.append("\u{435}")
      default:
        guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { continue }
        folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(folded)
  }
}
