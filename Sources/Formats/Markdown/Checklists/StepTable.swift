import Content
import Foundation
import MarkdownSyntax

/// A Markdown table whose rows are steps, because its header has a column for steps.
///
/// The step column holds the titles. Minutes, tags, required and optional are attributes, and a tick column is
/// notation. Each other column becomes a line of the details, such as `Quantity: 3`. The time is linear in the length
/// of the table.
/// - Source: formats/markdown.md, "Tables"
struct StepTable: Sendable {
  /// The meaning of a column.
  enum Column: Sendable {
    case title, details, section, required, optional, tags, done, number
    /// Minutes. If the header has no unit, the cells must have one.
    case minutes(hasUnit: Bool)
    case other
  }

  /// A row, with the ranges of its cells between the pipes.
  struct Row: Sendable {
    let line: Int
    let bytes: Range<Int>
    /// The cells in the order of the columns. A short row has fewer cells than the header.
    let cells: [Range<Int>]
    /// Cells beyond the last column of the header, which GitHub does not show.
    let excess: [Range<Int>]
  }

  let columns: [Column]
  let header: Row
  let rows: [Row]
  /// The line below the header.
  let delimiter: Range<Int>
  /// For each column, the text with which its lines in the details begin.
  let names: [[UInt8]]
  /// Whether the header alone proves that the rows are steps: it contains a word such as `Step` or `Task`, not just
  /// `Item`.
  let isSure: Bool

  /// Whether a column is for ticks.
  var hasTicks: Bool { columns.contains { if case .done = $0 { true } else { false } } }

  /// Reads a table.
  /// - Parameter lines: the lines of its block.
  /// - Returns: nil if no column of its header is for steps.
  init?(_ note: NoteLines, _ lines: Range<Int>) {
    guard lines.count >= 2, note.lines[lines.lowerBound].count <= 4096 else { return nil }
    let width = Self.cells(note, note.lines[lines.lowerBound])
    guard (1...64).contains(width.count) else { return nil }
    header = Row(line: lines.lowerBound, bytes: note.lines[lines.lowerBound], cells: width, excess: [])
    delimiter = note.lines[lines.lowerBound + 1]
    rows = lines.dropFirst(2).filter { !note.isBlank($0) }.map { line in
      let cells = Self.cells(note, note.lines[line])
      return Row(
        line: line, bytes: note.lines[line], cells: Array(cells.prefix(width.count)),
        excess: Array(cells.dropFirst(width.count)))
    }
    names = width.map { Self.value(note, $0).bytes }
    let words = names.map { TableWords.fold(String(decoding: $0, as: UTF8.self)) }
    guard let (title, isSure) = TableWords.title(words) else { return nil }
    self.isSure = isSure
    var columns = words.map { TableWords.column($0) }
    columns[title] = .title
    for index in columns.indices where index != title {
      // The cells decide what a header without words means, and what `Check` means if another column holds the steps.
      if words[index].isEmpty || TableWords.isCheck(words[index]) {
        let cells = rows.compactMap { $0.cells.count > index ? Self.trimmed(note, $0.cells[index]) : nil }
        let areTicks = cells.allSatisfy { Tick(note.text.span, $0) != nil }
        columns[index] = areTicks && !rows.isEmpty ? .done : .other
      }
    }
    self.columns = columns
  }

  // MARK: Cells

  /// Returns the cells of a line, without the pipes at both ends.
  private static func cells(_ note: NoteLines, _ line: Range<Int>) -> [Range<Int>] {
    let text = note.text
    let inside = note.trimmed(line)
    var at = inside.lowerBound
    if at < inside.upperBound, text[at] == UInt8(ascii: "|") { at += 1 }
    var cells: [Range<Int>] = []
    var start = at
    while at < inside.upperBound {
      if text[at] == UInt8(ascii: "|") {
        cells.append(start..<at)
        start = at + 1
      }
      at += text[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    if start < inside.upperBound { cells.append(start..<inside.upperBound) }
    return cells
  }

  static func trimmed(_ note: NoteLines, _ cell: Range<Int>) -> Range<Int> { note.trimmed(cell) }

  /// Returns the text of a cell, with `\|` unescaped to a pipe.
  static func value(_ note: NoteLines, _ cell: Range<Int>) -> SourcedText {
    let inside = note.trimmed(cell)
    var joined = NoteLines.Joined()
    var start = inside.lowerBound
    for at in inside.dropLast() where note.text[at] == UInt8(ascii: "\\") && note.text[at + 1] == UInt8(ascii: "|") {
      joined.add(note.text.span, start..<at)
      start = at + 1
    }
    joined.add(note.text.span, start..<inside.upperBound)
    guard start > inside.lowerBound, !inside.isEmpty else { return SourcedText(note.text.span, inside) }
    var text = joined.sourced
    text.range = inside
    return text
  }

  /// Returns text as the content of a cell; nil if no cell can hold the text.
  static func cell(_ text: [UInt8]) -> [UInt8]? {
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return text.flatMap { $0 == UInt8(ascii: "|") ? [UInt8(ascii: "\\"), $0] : [$0] }
  }

  /// The content of a cell for a tick.
  enum Tick {
    case ticked, open

    init?(_ text: Span<UInt8>, _ cell: Range<Int>) {
      guard cell.count <= 16 else { return nil }
      let word = String(decoding: text.extracting(cell)).replacing("\u{FE0F}", with: "").lowercased()
      if Self.ticks.contains(word) {
        self = .ticked
      } else if Self.empty.contains(word) {
        self = .open
      } else {
        return nil
      }
    }

    private static let ticks: Set<String> = [
      "x", "[x]", "х", "[х]", "✓", "✔", "☑", "✅", "☒", "yes", "y", "done", "ok", "ja", "oui", "si", "sí", "sì", "да",
      "true",
    ]
    private static let empty: Set<String> = [
      "", "[ ]", "[]", "☐", "□", "⬜", "-", "–", "—", "no", "n", "nein", "non", "нет", "false",
    ]
  }

  // MARK: Steps

  /// The result of reading a row.
  struct Reading {
    var step: StepDraft
    /// The section cell; nil if the table has no section column.
    var section: SourcedText?
    /// The tick cell, if its tick is set.
    var ticked: Range<Int>?
    /// The attributes in the title cell's comment.
    var attributes: CommentAttributes?
    /// All bytes of the row that belong to no text.
    var marks: [Range<Int>] = []
  }

  /// Reads a row; its step has an empty title if the row has no title.
  func read(_ row: Row, _ note: NoteLines) -> Reading {
    var used: [Range<Int>] = []
    var reading = Reading(
      step: StepDraft(
        title: SourcedText(bytes: [], range: row.bytes.lowerBound..<row.bytes.lowerBound),
        range: note.trimmed(row.bytes)))
    var lines = CellLines()
    for (index, cell) in row.cells.enumerated() {
      let inside = note.trimmed(cell)
      switch attribute(index, inside, note) {
      case .none: break
      case .title:
        var label = inside
        if let found = CommentAttributes.read(note.text.span, inside, keys: CommentAttributes.stepKeys),
          found.attributes.areSound
        {
          reading.attributes = found.attributes
          label = note.trimmed(inside.lowerBound..<found.range.lowerBound)
        }
        reading.step.title = Self.value(note, label)
        used += Self.pieces(reading.step.title)
      case .section:
        let section = Self.value(note, inside)
        reading.section = section
        used += Self.pieces(section)
      case .ticked: reading.ticked = inside
      case .minutes(let digits):
        reading.step.minutes = SourcedText(note.text.span, digits)
        used.append(digits)
      case .required: reading.step.isRequired = true
      case .optional: reading.step.isOptional = true
      case .tags(let tags):
        reading.step.tags = tags.map { SourcedText(note.text.span, $0) }
        used += tags
      case .line:
        if inside.isEmpty { continue }
        let value = Self.value(note, inside)
        lines.add(isNamed(index) ? names[index] : nil, value)
        used += Self.pieces(value)
      }
    }
    reading.step.details = lines.text
    reading.marks = Self.gaps(in: row.bytes, between: used)
    return reading
  }

  /// The meaning of a cell.
  enum Attribute {
    case title, section, ticked, required, optional
    case minutes(Range<Int>)
    case tags([Range<Int>])
    /// A line of the details.
    case line
    /// No attribute, as for a box without a tick.
    case none
  }

  /// Returns the meaning of a cell: the attribute of its column, or a line of the details.
  func attribute(_ column: Int, _ cell: Range<Int>, _ note: NoteLines) -> Attribute {
    switch columns[column] {
    case .title: return .title
    case .section: return .section
    case .details, .other: return .line
    case .done: return Tick(note.text.span, cell).map { $0 == .ticked ? .ticked : .none } ?? .line
    case .required, .optional:
      guard let tick = Tick(note.text.span, cell) else { return word(cell, note) }
      guard tick == .ticked else { return .none }
      if case .required = columns[column] { return .required }
      return .optional
    case .number:
      return cell.allSatisfy { (0x30...0x39).contains(note.text[$0]) || note.text[$0] == 0x2E } ? .none : .line
    case .minutes(let hasUnit):
      if cell.isEmpty { return .none }
      return Self.minutes(note, cell, hasUnit: hasUnit).map { .minutes($0) } ?? .line
    case .tags: return cell.isEmpty ? .none : Self.tags(note, cell).map { .tags($0) } ?? .line
    }
  }

  /// Returns the meaning of a cell that holds `required` or `optional` as a word.
  private func word(_ cell: Range<Int>, _ note: NoteLines) -> Attribute {
    switch TableWords.column(TableWords.fold(String(decoding: note.text[cell], as: UTF8.self))) {
    case .required: .required
    case .optional: .optional
    default: .line
    }
  }

  /// Whether detail lines from a column begin with the column's name.
  func isNamed(_ column: Int) -> Bool {
    if case .details = columns[column] { return false }
    return !names[column].isEmpty
  }

  private static func minutes(_ note: NoteLines, _ cell: Range<Int>, hasUnit: Bool) -> Range<Int>? {
    let digits = note.trimmed(cell.lowerBound..<(cell.firstIndex { !isDigit(note.text[$0]) } ?? cell.upperBound))
    guard StepNotation.isPlainNumber(Array(note.text[digits])[...]) else { return nil }
    let unit = String(decoding: note.text[note.trimmed(digits.upperBound..<cell.upperBound)], as: UTF8.self)
      .lowercased()
    let isUnit = [
      "min", "min.", "mins", "minutes", "minute", "minuten", "minuti", "minutos", "'", "мин", "мин.", "минут",
    ]
    .contains(unit)
    return isUnit || unit.isEmpty && hasUnit ? digits : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") }

  /// Returns the tags of a cell.
  func tags(_ column: Int, _ cell: Range<Int>, _ note: NoteLines) -> [[UInt8]] {
    (Self.tags(note, cell) ?? []).map { Array(note.text[$0]) }
  }

  private static func tags(_ note: NoteLines, _ cell: Range<Int>) -> [Range<Int>]? {
    var tags: [Range<Int>] = []
    var start = cell.lowerBound
    let separator = cell.contains { note.text[$0] == UInt8(ascii: ",") } ? UInt8(ascii: ",") : 0x20
    for at in cell.lowerBound...cell.upperBound where at == cell.upperBound || note.text[at] == separator {
      var tag = note.trimmed(start..<at)
      if let first = tag.first, note.text[first] == UInt8(ascii: "#") { tag = first + 1..<tag.upperBound }
      if !tag.isEmpty { tags.append(tag) }
      start = at + 1
    }
    // An escaped pipe would split a tag into pieces, which a range cannot express.
    return cell.contains { note.text[$0] == UInt8(ascii: "\\") } ? nil : tags
  }

  /// Returns the note ranges from which the pieces of the text were read.
  private static func pieces(_ text: SourcedText) -> [Range<Int>] {
    guard !text.stretches.isEmpty else { return [text.range] }
    return text.stretches.enumerated().map { index, stretch in
      let end = index + 1 < text.stretches.count ? text.stretches[index + 1].value : text.bytes.count
      return stretch.source..<stretch.source + end - stretch.value
    }
  }

  private static func gaps(in row: Range<Int>, between used: [Range<Int>]) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var at = row.lowerBound
    for range in used.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if at < range.lowerBound { gaps.append(at..<range.lowerBound) }
      at = max(at, range.upperBound)
    }
    if at < row.upperBound { gaps.append(at..<row.upperBound) }
    return gaps
  }
}

/// The details of a step, joined from cells.
private struct CellLines {
  private var bytes: [UInt8] = []
  private var stretches: [SourcedText.Stretch] = []
  private var range: Range<Int>?

  /// Adds a line with the column's name and the cell's value.
  mutating func add(_ name: [UInt8]?, _ value: SourcedText) {
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
    if let name {
      // The name takes the source position of the value.
      stretches.append(.init(value: bytes.count, source: value.range.lowerBound))
      bytes += name + [UInt8(ascii: ":"), 0x20]
    }
    let own = value.stretches.isEmpty ? [.init(value: 0, source: value.range.lowerBound)] : value.stretches
    stretches += own.map { .init(value: bytes.count + $0.value, source: $0.source) }
    bytes += value.bytes
    range = (range?.lowerBound ?? value.range.lowerBound)..<value.range.upperBound
  }

  /// The text; nil if there are no lines.
  var text: SourcedText? { range.map { SourcedText(bytes: bytes, range: $0, stretches: stretches) } }
}

/// The words that table headers in notes use, in six languages.
enum TableWords {
  /// Returns a header in lower case, without accents, signs and repeated blanks. A header that consists only of `✓` is
  /// kept.
  static func fold(_ header: String) -> String {
    let folded = header.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
    if let sign = folded.unicodeScalars.first, ticks.contains(sign), folded.unicodeScalars.count <= 2 { return "✓" }
    if folded == "#" || folded == "№" || folded == "n°" || folded == "nº" { return "#" }
    var words = ""
    for scalar in folded.unicodeScalars {
      if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        words.unicodeScalars.append(scalar)
      } else if !words.isEmpty, words.last != " " {
        words += " "
      }
    }
    return words.trimmingBlanks
  }

  private static let ticks: Set<Unicode.Scalar> = ["✓", "✔", "☑", "✅", "☐"]

  /// Returns the step column, and whether its header word means an action; nil if no column is for steps.
  static func title(_ headers: [String]) -> (column: Int, isSure: Bool)? {
    if let index = headers.firstIndex(where: { steps.contains($0) }) { return (index, true) }
    if let index = headers.firstIndex(where: { items.contains($0) }) { return (index, false) }
    if let index = headers.firstIndex(where: { checks.contains($0) }) { return (index, true) }
    guard headers.contains(where: { done.contains($0) }) else { return nil }
    return headers.firstIndex { names.contains($0) }.map { ($0, true) }
  }

  /// Whether a header may mean either the item to check or the tick.
  fileprivate static func isCheck(_ header: String) -> Bool { checks.contains(header) }

  /// Returns the meaning of a header that is not the header of the step column.
  static func column(_ header: String) -> StepTable.Column {
    if done.contains(header) { return .done }
    if minutes.contains(header) { return .minutes(hasUnit: true) }
    if times.contains(header) { return .minutes(hasUnit: false) }
    if required.contains(header) { return .required }
    if optional.contains(header) { return .optional }
    if sections.contains(header) { return .section }
    if details.contains(header) { return .details }
    if tags.contains(header) { return .tags }
    return numbers.contains(header) ? .number : .other
  }

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(separator: ",").map { fold(String($0).trimmingBlanks) })
  }

  private static let steps = set(
    """
    step, steps, task, tasks, action, actions, to do, todo, what to do, шаг, шаги, задача, задачи, действие, действия, дело,
    дела, что делать, что сделать, что проверить, aufgabe, aufgaben, schritt, schritte, arbeit, arbeiten, tätigkeit,
    was zu tun ist, tâche, tâches, étape, étapes, à faire, tarea, tareas, paso, pasos, acción, acciones, qué hacer, attività,
    compito, compiti, passo, passi, passaggio, azione, azioni, cosa fare
    """)
  private static let items = set(
    """
    item, items, thing, things, what, пункт, пункты, предмет, вещь, вещи, что, punkt, punkte, gegenstand, gegenstände, was,
    artikel, élément, éléments, article, articles, objet, objets, quoi, elemento, elementos, artículo, artículos, cosa, cosas,
    qué, voce, voci, elementi, articolo, articoli, oggetto, oggetti, cose
    """)
  private static let checks = set(
    """
    check, checks, проверка, проверить, prüfung, prüfen, kontrolle, contrôle, contrôles, vérification, à vérifier,
    comprobación, comprobar, revisión, controllo, controlli, verifica, verificare
    """)
  private static let names = set(
    "name, title, equipment, название, наименование, имя, bezeichnung, titel, ausrüstung, nom, titre, nombre, título, nome, titolo"
  )
  private static let done = set(
    """
    done, ✓, ok, checked, complete, completed, tick, готово, сделано, выполнено, отметка, проверено, erledigt, fertig, geprüft,
    fait, vérifié, hecho, listo, revisado, fatto, verificato
    """)
  private static let minutes = set(
    """
    minutes, min, mins, time min, time in minutes, time minutes, duration min, duration minutes, минуты, минут, мин, время мин,
    длительность мин, minuten, zeit min, dauer min, durée min, temps min, minutos, duración min, tiempo min, minuti, durata min,
    tempo min
    """)
  private static let times = set(
    "time, duration, время, длительность, zeit, dauer, durée, temps, duración, tiempo, durata, tempo")
  private static let required = set(
    "required, mandatory, must, обязательно, pflicht, erforderlich, obligatoire, requis, obligatorio, requerido, obbligatorio, richiesto"
  )
  private static let optional = set(
    "optional, необязательно, по желанию, freiwillig, optionnel, facultatif, opcional, facoltativo, opzionale")
  private static let sections = set(
    """
    section, area, category, group, phase, раздел, секция, категория, группа, этап, abschnitt, bereich, kategorie, gruppe,
    catégorie, zone, rubrique, groupe, sección, categoría, área, grupo, sezione, categoria, gruppo, fase
    """)
  private static let details = set(
    """
    details, detail, notes, note, comment, comments, remark, remarks, description, hint, описание, примечание, примечания,
    комментарий, комментарии, заметки, подробности, bemerkung, bemerkungen, notiz, notizen, kommentar, kommentare, hinweis,
    hinweise, beschreibung, einzelheiten, remarque, remarques, commentaire, commentaires, détails, nota, notas, comentario,
    comentarios, observaciones, detalles, descripción, commento, commenti, dettagli, osservazioni, descrizione
    """)
  private static let tags = set("tags, tag, labels, теги, тег, метки, étiquettes, etiquetas, etichette")
  private static let numbers = set("#, no, nr, num, number, номер, nummer, numéro, número, numero")
}
