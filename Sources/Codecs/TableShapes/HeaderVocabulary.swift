/// The words that headers use for the columns of each shape, in English, Russian, German, French, Spanish and Italian.
/// They are defined only here.
///
/// - Source: formats/tables.md, "Four shapes"
enum HeaderVocabulary {
  /// The columns that a word may mean, the most likely one first.
  struct Entry: Sendable {
    let columns: [TableColumn]
    /// Whether the word has a clear meaning. Words without a clear meaning are assigned the remaining columns.
    let isStrong: Bool
  }

  /// Returns the columns of a shape, in the order in which FleetKit writes them.
  static func columns(of shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps:
      [
        .checklist, .section, .item, .required, .optional, .minutes, .tags, .details, .language, .type, .checklistID,
        .sectionID, .itemID, .created, .updated,
      ]
    case .cards: [.deck, .front, .back, .hint, .tags, .language, .deckID, .cardID, .created, .updated]
    case .catalogue: [.title, .type, .document, .description, .tags, .language, .id, .created, .updated]
    case .charters: [.charter, .start, .end, .boat, .location, .charterID, .created, .updated]
    }
  }

  /// Returns the columns, other than the title, that describe a whole checklist or deck. They are written only if an
  /// item has a value for them.
  static func about(_ shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps: [.checklistDescription, .checklistTags]
    case .cards: [.deckDescription, .deckTags]
    case .catalogue, .charters: []
    }
  }

  /// Returns the columns that a table of a shape may have: the columns of the shape, the columns that describe the
  /// whole list, and the lineage columns.
  static func allColumns(of shape: TableShape) -> [TableColumn] {
    columns(of: shape) + about(shape) + (shape == .charters ? [] : TableColumn.lineage)
  }

  /// Returns the columns that a table must have to match a requested shape.
  static func needed(by shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps: [.item]
    case .cards: [.front, .back]
    case .catalogue: [.title]
    case .charters: [.charter, .start, .end]
    }
  }

  /// Returns the entry for a folded header, or nil if the word has no meaning in a table of the shape.
  static func entry(_ folded: String, in shape: TableShape) -> Entry? {
    let words =
      switch shape {
      case .steps: steps
      case .cards: cards
      case .catalogue: catalogue
      case .charters: charters
      }
    if let entry = words[folded] { return entry }
    // These are plural endings of English, French and Spanish. Plurals of other languages are separate words in the
    // vocabulary.
    for ending in ["s", "es"] where folded.utf8.count > ending.utf8.count + 3 && folded.hasSuffix(ending) {
      if let entry = words[String(folded.dropLast(ending.count))] { return entry }
    }
    return nil
  }

  /// Returns whether a folded header names a column with ticks for finished steps.
  static func isTicks(_ folded: String) -> Bool { ticks.contains(folded) }

  private static let ticks: Set<String> = Set(
    ("done, completed, finished, checked, ok, готово, выполнено, сделано, отметка, erledigt, fertig, abgehakt, fait, "
      + "terminé, coché, hecho, terminado, completado, fatto, completato, eseguito")
      .split(separator: ",").map { HeaderFold.fold(String($0)) })

  /// Returns the column that a word in `--map` names in a table of a shape, or nil if such a table cannot have the
  /// column.
  static func column(named word: String, in shape: TableShape) -> TableColumn? {
    let folded = HeaderFold.fold(word)
    if let exact = TableColumn.allCases.first(where: { HeaderFold.fold($0.rawValue) == folded }) {
      if allColumns(of: shape).contains(exact) { return exact }
      // A step has a title, whatever the title's column is called.
      return exact == .title && shape == .steps ? .item : nil
    }
    return entry(folded, in: shape)?.columns.first
  }

  /// Returns the column that a word in `--map` names in a table of any shape.
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
      [.tags],
      "tags, tag, labels, label, keywords, keyword, теги, тег, метки, метка, ключевые слова, ярлыки, schlagwörter, "
        + "schlagwort, stichwörter, stichwort, étiquette, mots clés, etiqueta, palabras clave, etichette, etichetta, "
        + "parole chiave", ""
    ),
    ([.language], "language, lang, язык, sprache, langue, idioma, lingua", ""),
    (
      [.created],
      "created, created at, creation date, date created, создано, дата создания, создан, erstellt, erstellt am, créé, "
        + "créé le, date de création, creado, fecha de creación, creato, data di creazione", ""
    ),
    (
      [.updated],
      "updated, updated at, modified, last modified, date modified, изменено, обновлено, дата изменения, geändert, "
        + "geändert am, modifié, modifié le, modificado, actualizado, modificato, aggiornato", ""
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
        + "чек-лист, чек лист, чек-листы, название чек-листа, список, списки, название списка, имя списка, checkliste, "
        + "checklisten, prüfliste, liste, listen, name der liste, liste de contrôle, nom de la liste, lista, "
        + "lista de verificación, lista de comprobación, nombre de la lista, lista di controllo, nome della lista, elenco",
      ""
    ),
    (
      [.section],
      "section, section title, section name, category, categories, heading, subheading, phase, area, zone, раздел, "
        + "разделы, секция, секции, категория, категории, заголовок, подраздел, этап, зона, bereich, bereiche, "
        + "abschnitt, abschnitte, kategorie, kategorien, rubrik, catégorie, rubrique, sección, secciones, categoría, "
        + "zona, sezione, sezioni, categoria, categorie, aree", ""
    ),
    ([.section, .checklist], "", "group, группа, gruppe, groupe, grupo, gruppo"),
    (
      [.item],
      "item, step, task, action, check, todo, to do, to-do, item title, step title, checklist item, what to do, шаг, "
        + "шаги, пункт, пункты, задача, задачи, действие, действия, дело, дела, что делать, что сделать, что проверить, "
        + "пункт чек-листа, aufgabe, aufgaben, schritt, schritte, arbeitsschritt, punkt, punkte, prüfpunkt, prüfpunkte, "
        + "tätigkeit, zu tun, zu erledigen, tâche, étape, élément, point, vérification, contrôle, à faire, que faire, "
        + "tarea, paso, elemento, elementi, acción, acciones, punto, punti, qué hacer, por hacer, compito, compiti, "
        + "attività, passo, passi, passaggio, passaggi, voce, voci, azione, azioni, controllo, controlli, cosa fare, "
        + "da fare", ""
    ),
    (
      [.item, .checklist], "",
      "title, name, название, наименование, имя, titel, bezeichnung, titre, nom, intitulé, título, nombre, titolo, nome"
    ),
    (
      [.required],
      "required, is required, mandatory, must, must have, obligatory, обязательно, обязательный, pflicht, "
        + "erforderlich, notwendig, muss, zwingend, obligatorisch, obligatoire, requis, nécessaire, obligatorio, requerido, "
        + "necesario, obbligatorio, richiesto, necessario", ""
    ),
    (
      [.optional],
      "optional, is optional, if needed, nice to have, необязательно, необязательный, по желанию, опционально, "
        + "freiwillig, fakultativ, optionnel, facultatif, opcional, facultativo, opzionale, facoltativo", ""
    ),
    (
      [.minutes],
      "minutes, min, mins, estimated minutes, duration, duration min, duration minutes, time min, time minutes, "
        + "минуты, минут, мин, длительность, время мин, время минут, продолжительность, minuten, "
        + "dauer, minute, durée, minutos, duración, minuti, durata", "time, время, zeit, temps, tiempo, tempo"
    ),
    (
      [.details],
      "details, detail, item description, step description, how, how to, подробности, подробно, как, "
        + "как делать, einzelheiten, erläuterung, erläuterungen, détails, détail, précisions, detalles, detalle, dettagli, "
        + "dettaglio",
      "description, notes, note, comment, comments, remark, remarks, описание, заметки, заметка, комментарий, "
        + "комментарии, примечание, примечания, пояснение, beschreibung, notiz, notizen, bemerkung, bemerkungen, "
        + "kommentar, kommentare, anmerkung, anmerkungen, hinweis, hinweise, remarque, commentaire, observation, "
        + "descripción, nota, comentario, observaciones, descrizione, commento, commenti, osservazioni"
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
    (
      [.front],
      "front, question, term, prompt, word, вопрос, вопросы, термин, термины, лицо, лицевая сторона, слово, frage, "
        + "fragen, vorderseite, begriff, begriffe, wort, recto, terme, mot, pregunta, anverso, término, palabra, domanda, "
        + "domande, fronte, termine, termini, parola", ""
    ),
    (
      [.back],
      "back, answer, definition, meaning, translation, ответ, ответы, определение, оборот, обратная сторона, "
        + "значение, перевод, antwort, antworten, rückseite, bedeutung, übersetzung, réponse, verso, définition, "
        + "traduction, respuesta, reverso, definición, significado, traducción, risposta, risposte, retro, definizione, "
        + "traduzione",
      ""
    ),
    (
      [.hint], "hint, clue, подсказка, tipp, indice, pista, suggerimento",
      "note, notes, comment, заметка, комментарий, hinweis, nota"
    ),
    (
      [.deck],
      "deck, deck name, deck title, колода, колоды, название колоды, kartenstapel, stapel, paquet, mazo, baraja, mazzo",
      "list, set, category, список, категория, набор, liste, lista"
    ),
    ([.deckDescription], "deck description, description of the deck, описание колоды", ""),
    ([.deckTags], "deck tags, теги колоды, метки колоды", ""),
    ([.deckID], "deck id, id колоды, ид колоды", ""),
    ([.cardID], "card id, id карточки, ид карточки", "id, uuid, guid, ид"),
  ])

  private static let catalogue = table([
    (
      [.title], "title, название, заголовок, titel, titre, título, titolo",
      "name, item, item title, наименование, имя, nom, nombre, nome"
    ),
    ([.type], "type, kind, content type, тип, вид, тип содержания", ""),
    (
      [.document],
      "document, content, body, text, markdown, json, content data, документ, текст, содержание, содержимое, "
        + "dokument, inhalt, contenu, texte, documento, contenido, texto, contenuto, testo", ""
    ),
    (
      [.description],
      "description, summary, abstract, описание, аннотация, кратко, beschreibung, zusammenfassung, descripción, descrizione",
      ""
    ),
    ([.id], "id, uuid, item id, content id, ид", ""),
  ])

  private static let charters = table(
    [
      (
        [.charter],
        "charter, charter name, trip, trip name, cruise, voyage, törn, reise, fahrt, croisière, travesía, crucero, viaje, "
          + "crociera, viaggio, чартер, поход, рейс, плавание",
        "name, title, titel, nom, titre, nombre, título, nome, "
          + "titolo, название, имя"
      ),
      (
        [.start],
        "start, start date, starts, begin, begins, from, departure, beginn, anfang, startdatum, von, abfahrt, début, "
          + "date de début, départ, du, inicio, fecha de inicio, salida, desde, inizio, data di inizio, data inizio, "
          + "partenza, dal, начало, дата начала, выход, отход, с", ""
      ),
      (
        [.end],
        "end, end date, ends, finish, to, until, return, ende, enddatum, bis, rückkehr, fin, date de fin, retour, au, "
          + "fecha de fin, regreso, hasta, fine, data di fine, data fine, ritorno, al, конец, окончание, дата окончания, "
          + "возвращение, до, по", ""
      ),
      (
        [.boat],
        "boat, boat name, yacht, vessel, ship, boot, schiff, bateau, voilier, barco, velero, barca, imbarcazione, лодка, "
          + "яхта, судно", ""
      ),
      (
        [.location],
        "location, place, port, harbour, harbor, marina, base, region, area, ort, hafen, revier, lieu, lugar, puerto, "
          + "luogo, porto, место, порт, марина, регион", ""
      ),
      ([.charterID], "charter id, trip id, id чартера", "id, uuid, ид"),
    ], sharing: [.created, .updated])

  private static func table(
    _ groups: [(columns: [TableColumn], strong: String, weak: String)], sharing: Set<TableColumn>? = nil
  ) -> [String: Entry] {
    var entries: [String: Entry] = [:]
    let shared = shared.filter { group in sharing.map { $0.isSuperset(of: group.columns) } ?? true }
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

/// Normalizes headers for comparison. The result has only lower-case letters and digits, without accents, with `е` for
/// `ё` and `ss` for `ß`.
enum HeaderFold {
  /// The largest number of bytes to fold. No header is longer, but a cell where a header is expected may be megabytes
  /// long.
  private static let most = 4096

  /// Returns the letters and digits of a header. Text that is longer than any header folds to its beginning and `…`.
  static func fold(_ header: String) -> String {
    var folded = String.UnicodeScalarView()
    for (number, scalar) in header.unicodeScalars.enumerated() {
      if number == most { return String(folded) + "…" }
      switch scalar.value {
      case 0x61...0x7A, 0x30...0x39: folded.append(scalar)
      case 0x41...0x5A: folded.append(Unicode.Scalar(scalar.value + 0x20) ?? scalar)
      case 0..<0x80, 0x300...0x36F: continue
      // In decomposed text, й and ё are two characters each. The code above dropped their marks.
      case 0x419, 0x439: folded.append("\u{438}")
      case 0x401, 0x451: folded.append("\u{435}")
      default:
        guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { continue }
        for small in scalar.properties.lowercaseMapping.unicodeScalars {
          if let plain = plain(small) { folded.append(contentsOf: plain.unicodeScalars) } else { folded.append(small) }
        }
      }
    }
    return String(folded)
  }

  /// Returns a lower-case Latin letter without its accent, or nil if it has no accent.
  private static func plain(_ letter: Unicode.Scalar) -> String? {
    switch letter {
    case "à"..."å", "ā", "ă", "ą": "a"
    case "æ": "ae"
    case "ç", "ć", "č": "c"
    case "ď", "đ": "d"
    case "è"..."ë", "ē", "ė", "ę", "ě": "e"
    case "ğ": "g"
    case "ì"..."ï", "ī", "ı": "i"
    case "ł": "l"
    case "ñ", "ń", "ň": "n"
    case "ò"..."ö", "ø", "ō", "ő": "o"
    case "œ": "oe"
    case "ř": "r"
    case "ś", "š", "ş": "s"
    case "ß": "ss"
    case "ť": "t"
    case "ù"..."ü", "ū", "ů", "ű": "u"
    case "ý", "ÿ": "y"
    case "ź", "ż", "ž": "z"
    default: nil
    }
  }
}
