import Content
import Diagnostics
import Interchange
import JSONText
import TableShapes
import TestSupport
import Testing

/// Columns without a member in FleetKit become lines of the details, and become cells again when a table is written.
@Suite struct KeptColumnTests {
  /// Returns the details of all steps.
  private func details(_ read: ReadTables) throws -> [String?] {
    try read.records.flatMap { record in
      let sections = try record.document().root["content_data"]?["sections"]?.elements ?? []
      return sections.flatMap { $0["items"]?.elements.map { $0["itemDescription"]?.string } ?? [] }
    }
  }

  private static let table = """
    Section | Item | Notes | Quantity | Who | Done
    Deck | Fenders | All six | 3 | Ann | no
    Deck | Lines | | | Bob | x
    Below | Hatches | Shut | | |
    """

  @Test func cellsBecomeLines() throws {
    let read = try ReadTables(Self.table)
    #expect(try details(read) == ["All six\nQuantity: 3\nWho: Ann", "Who: Bob\nDone: x", "Shut"])
    #expect(read.codes == ["columns-read", "kept-column", "kept-column", "kept-column"])
    #expect(read.context.findings.kept.map(\.place.column) == [1, 301, 401, 501])
    #expect(read.lines.first?.hasSuffix(#","extras":{"table":{"columns":["Quantity","Who","Done"]}}}"#) == true)
    let dropped = try ReadTables(Self.table) { $0.map = [("who", "")] }
    #expect(try details(dropped) == ["All six\nQuantity: 3", "Done: x", "Shut"])
  }

  @Test func linesBecomeCellsAgain() throws {
    let read = try ReadTables(Self.table)
    let written = try WrittenTables(read.lines)
    let rows = try #require(written.sink.tables.first).rows
    #expect(rows[0].suffix(3) == ["Quantity", "Who", "Done"])
    #expect(rows.dropFirst().map { Array($0.suffix(3)) } == [["3", "Ann", ""], ["", "Bob", "x"], ["", "", ""]])
    #expect(rows.dropFirst().map { $0[7] } == ["All six", "", "Shut"])
    #expect(written.losses.isEmpty)
    #expect(try ReadTables(rows).lines.first?.contains(#""itemDescription":"All six\nQuantity: 3\nWho: Ann""#) == true)
    #expect(try details(ReadTables(rows)) == details(read))
  }

  /// Text that a person writes into the details in another source is never split.
  @Test func textsOfOtherSourcesStayWhole() throws {
    let own = #"{"title":"Other","itemDescription":"Quantity: 3"}"#
    let line = try canonicalLine(
      #"{"kind":"item","id":"98A0B7C6-0000-4000-8000-000000000001","content_type":"checklist","title":"Other","#
        + #""content_data":{"sections":[{"title":"S","items":[\#(own)]}]}}"#)
    let rows = try #require(try WrittenTables([line] + ReadTables(Self.table).lines).sink.tables.first).rows
    #expect(rows[1][2] == "Other" && rows[1][7] == "Quantity: 3" && rows[1].suffix(3) == ["", "", ""])
    #expect(rows[2][7] == "All six" && rows[2].suffix(3) == ["3", "Ann", ""])
  }

  @Test(arguments: [
    "Mind\nQuantity: 3\nthe gap", "\nQuantity: 3", "Quantity: ", "Quantity:3", "Who: x\nQuantity: 3\nQuantity: 4",
    "Quantity: a\nQuantity: b", "\n\nWho: x", "Quantity: 1\nWho: 2\n", " \nQuantity: 1", "Other: 1\nWho: =1+1",
  ])
  func anyDetailsComeBack(_ text: String) throws {
    var json = ByteBuffer()
    json.appendJSONString(text)
    let quoted = String(decoding: json.bytes, as: UTF8.self)
    let line = try canonicalLine(
      #"{"kind":"item","id":"98A0B7C6-0000-4000-8000-000000000001","content_type":"checklist","title":"A","#
        + #""content_data":{"sections":[{"title":"S","items":[{"title":"x","itemDescription":\#(quoted)}]}]},"#
        + #""extras":{"table":{"columns":["Quantity","Who"]}}}"#)
    let rows = try #require(try WrittenTables([line]).sink.tables.first).rows
    #expect(try details(ReadTables(rows)) == [text], "\(rows)")
  }

  @Test func extrasThatAreNoNamesAreHarmless() throws {
    for extras in [#"{"table":5}"#, #"{"table":{"columns":{"a":1}}}"#, #"{"table":{"columns":[1,"",null]}}"#] {
      let line = try canonicalLine(
        #"{"kind":"item","id":"98A0B7C6-0000-4000-8000-000000000001","content_type":"checklist","title":"A","#
          + #""content_data":{"sections":[]},"extras":\#(extras)}"#)
      #expect(try WrittenTables([line]).sink.tables.first?.rows[0].count == 15)
    }
  }

  @Test func aColumnWithoutAHeaderIsKept() throws {
    let read = try ReadTables([["Item", "", "Minutes"], ["Fenders", "blue", "5"], ["Lines", "red", ""]])
    #expect(try details(read) == ["Column 2: blue", "Column 2: red"])
    #expect(read.codes == ["columns-read", "kept-column"])
    #expect(read.context.findings.kept.last?.place.description == "steps.csv:2:101")
  }

  @Test func aSecondColumnOfOneMeaningIsKept() throws {
    let read = try ReadTables("Item | Notes | Comment\nFenders | six | blue")
    #expect(try details(read) == ["six\nComment: blue"])
    #expect(read.codes == ["columns-read", "doubled-column"])
  }

  @Test func aRowWithNothingElseIsRejected() throws {
    let read = try ReadTables("Item | Notes | Who\n | | Ann\nFenders | |")
    #expect(read.rejected.count == 1 && read.codes.contains("row-without-title"))
  }

  /// The place of a part of the details is in the cell into which it was typed.
  @Test func partsOfLinesAreFoundInTheirCells() throws {
    let read = try ReadTables("Item | Notes | Quantity | Who\nFenders | six | 3 | Ann B")
    let record = try #require(read.records.first)
    let pointer = try #require(JSONPointer("/content_data/sections/0/items/0/itemDescription"))
    func place(_ range: Range<Int>) -> String { record.locate(pointer, part: .text(range)).place.description }
    // six\nQuantity: 3\nWho: Ann B
    #expect(place(1..<3) == "steps.csv:2:102")
    #expect(place(14..<15) == "steps.csv:2:201")
    #expect(place(25..<26) == "steps.csv:2:305")
  }

  @Test func manyColumnsAndRowsStayBounded() throws {
    let headers = ["item"] + (1...5000).map { "Column of our own \($0)" }
    let rows = [headers] + (1...3).map { row in ["Step \(row)"] + (1...5000).map { "\($0)" } }
    let read = try ReadTables(rows)
    #expect(try details(read).compactMap { $0?.split(separator: "\n").count } == [5000, 5000, 5000])
    let written = try #require(try WrittenTables(read.lines).sink.tables.first).rows
    #expect(written[0].count == 15 + 256)
    #expect(try details(ReadTables(written)) == details(read))
  }
}

/// Tables in people's own layouts.
@Suite struct OwnTableTests {
  private func minutes(_ header: String, _ cells: [String]) throws -> [Int64?] {
    let read = try ReadTables([["Item", header]] + cells.enumerated().map { ["Step \($0)", $1] })
    #expect(read.rejected.isEmpty)
    let items = try read.records.first?.document().root["content_data"]?["sections"]?[0]?["items"]?.elements ?? []
    // Values that are not numbers are kept in the details.
    for (item, cell) in zip(items, cells) where item["estimatedMinutes"] == nil && !cell.isEmpty {
      #expect(item["itemDescription"]?.string == "\(header): \(cell)")
    }
    return items.map { $0["estimatedMinutes"]?.integer }
  }

  @Test func unitsAreInHeadersAndCells() throws {
    let cells = ["1h", "1 h 30", "1h30", "1:30", "90 min", "5 mins", "1.5 h", "1,5 h", "1:30 h", "1 Std. 15 Min."]
    let expected: [Int64?] = [60, 90, 90, 90, 90, 5, 90, 90, 90, 75]
    for header in [
      "Time (h)", "Time (min)", "Duration", "Duration (hours)", "Dauer [Std.]", "Время, ч", "Durée en heures",
    ] {
      #expect(try minutes(header, cells) == expected, "\(header)")
    }
    #expect(try minutes("Time (h)", ["1.5", "1,5", "2", "0.25", "0"]) == [90, 90, 120, 15, 0])
    #expect(try minutes("Hours", ["1.5"]) == [90])
    #expect(try minutes("Time (min)", ["5", "5.0", ""]) == [5, 5, nil])
  }

  @Test func whatIsNotSureStaysText() throws {
    for header in ["Time (h)", "Time (min)", "Duration"] {
      #expect(
        try minutes(header, ["a while", "5-10", "1,234", "1.000", "5 6", "30 min 1 h", "-5", "2000 h", "?"])
          .allSatisfy { $0 == nil }, "\(header)")
    }
    #expect(try minutes("Duration", ["1,5", "2.5"]) == [nil, nil])
    // A time of day is not a duration.
    #expect(try minutes("Time", ["14:30", "08:00", "1:30", "5"]) == [nil, nil, 90, 5])
    #expect(try minutes("Time (h)", ["14:30"]) == [870])
    #expect(try ReadTables("Item | Hora\nOne | 10:30").codes.contains("kept-column"))
    let read = try ReadTables("Item | Time (h) | Notes\nOne | soon | careful\nTwo | 1 |")
    let found = try #require(read.context.findings.kept.first { $0.code == .minutesAsText })
    #expect(found.place.description == "steps.csv:2:101" && found.severity == .warning)
    #expect(read.lines.first?.contains(#""itemDescription":"careful\nTime (h): soon""#) == true)
    // A column that is named after a unit must contain numbers.
    #expect(try ReadTables("Item | Minutes\nOne | soon").rejected.count == 1)
    // A column with an unsupported unit is not used as a duration.
    #expect(try ReadTables("Item | Time (days)\nOne | 2").codes.contains("kept-column"))
  }

  @Test func totalsAreLeftOut() throws {
    for word in ["Total", "SUM", "Summe:", "Итого", "Total général", "Totale", "Gesamt", "Subtotal"] {
      let read = try ReadTables([["Task", "Quantity", "Amount"], ["Rope", "3", "10"], [word, "3", "10,00 €"]])
      #expect(try read.outline == ["steps: steps[Rope]"], "\(word)")
      #expect(read.codes.contains("total-row") && read.rejected.isEmpty)
      #expect(read.context.findings.kept.first { $0.code == .totalRow }?.place.line == 3)
    }
    // The total of a section.
    let grouped = try ReadTables(
      "List | Section | Task | Quantity\nA | Deck | Rope | 3\nA | Deck | Total | 3\nA | SUMME | | 3")
    #expect(grouped.context.findings.counts[.totalRow] == 2)
    let read = try ReadTables(
      """
      Section | Task | Notes | Minutes
      Deck | Total loss drill | | 5
      | Total | of fuel on board | 5
      | Total | |
      | Sum up | | 3
      Total | | | 13
      """)
    #expect(try read.outline == ["steps: Deck[Total loss drill, Total, Total, Sum up]"])
    // A table with ids was written by FleetKit.
    let own = try ReadTables("item | minutes | item_id\nTotal | 5 |\nOne | 5 |")
    #expect(try own.outline == ["steps: steps[Total, One]"])
  }

  @Test func tablesWithoutAHeader() throws {
    let text = "Engine | Check oil | 5\nEngine | Belt | \nDeck | Fenders | six"
    let read = try ReadTables(text) {
      $0.noHeader = true
      $0.map = [("1", "section"), ("2", "title")]
    }
    #expect(try read.outline == ["steps: Engine[Check oil, Belt] Deck[Fenders]"])
    #expect(read.lines.first?.contains(#""itemDescription":"Column 3: six""#) == true)
    #expect(read.lines.first?.contains("extras") == false)
    let one = try ReadTables("Check oil\nBelt\nitem") { $0.noHeader = true }
    #expect(try one.outline == ["steps: steps[Check oil, Belt, item]"])
    let cards = try ReadTables("Q | A") {
      $0.noHeader = true
      $0.map = [("1", "front"), ("2", "back")]
    }
    #expect(try cards.outline == ["steps: Q=A"])
    // A row that contains the column numbers is data.
    let numbers = try ReadTables("1 | 2\nx | y") {
      $0.noHeader = true
      $0.map = [("2", "item")]
    }
    #expect(try numbers.outline == ["steps: steps[2, y]"])
  }

  private func refusal(_ text: String, _ options: (inout TableOptions) -> Void = { _ in }) -> RunFailure? {
    do {
      _ = try ReadTables(text, options)
      return nil
    } catch { return error as? RunFailure }
  }

  /// The advice never turns a row that may be data into a header.
  @Test func adviceKeepsTheFirstRow() throws {
    let text = "Engine | Check oil\nEngine | Belt\nDeck | Fenders"
    let advice = try #require(refusal(text)?.advice)
    #expect(advice.contains("--no-header --map 2=item"))
    #expect(!advice.contains("Engine") && !advice.contains("Check oil"))
    #expect(refusal(text) { $0.map = [("1", "section")] }?.advice?.contains("--no-header") == true)
    #expect(refusal(text) { $0.noHeader = true }?.status == .usage)
    #expect(
      refusal(text) {
        $0.noHeader = true
        $0.map = [("3", "item")]
      }?.status == .usage)
  }

  @Test func aTitleAboveTheHeaderIsTheTitle() throws {
    let read = try ReadTables([["Shopping list", "", ""], ["Item", "Notes", "Section"], ["Rope", "", "Deck"]])
    #expect(try read.outline == ["Shopping list: Deck[Rope]"])
    #expect(read.codes == ["columns-read"])
    let more = try ReadTables([["Boat"], ["of 2026", "x"], ["Item", "Notes"], ["Rope", ""]])
    #expect(try more.outline == ["Boat: Boat[Rope]"])
    #expect(more.codes.filter { $0 == "row-above-header" }.count == 1)
    let word = try ReadTables([["Tasks", ""], ["Item", "Notes"], ["Rope", ""]])
    #expect(try word.outline == ["Tasks: Tasks[Rope]"])
    #expect(try ReadTables("Tasks\nRope\nitem").outline == ["steps: steps[Rope, item]"])
    let named = try ReadTables([["Lists", "", ""], ["List", "Item", "Notes"], ["A", "Rope", ""]])
    #expect(try named.outline == ["A: A[Rope]"])
    #expect(named.codes.contains("row-above-header"))
    // A single word in a list of one column is not a header.
    #expect(refusal("Rope\nCheck\nFenders") != nil)
  }

  @Test func columnsMayBeSections() throws {
    let text = """
      Engine | Deck | Galley
      Check oil | Fenders | Gas
      Belt | Lines |
      """
    let read = try ReadTables(text, path: "boat.csv")
    #expect(try read.outline == ["boat: Engine[Check oil, Belt] Deck[Fenders, Lines] Galley[Gas]"])
    #expect(read.codes == ["columns-as-sections"])
    let record = try #require(read.records.first)
    func place(_ pointer: String) throws -> String {
      record.locate(try #require(JSONPointer(pointer)), part: .value).place.description
    }
    #expect(try place("/content_data/sections/1/items/1/title") == "boat.csv:3:101")
    #expect(try place("/content_data/sections/2/items/0/title") == "boat.csv:2:201")
    // --map overrides it.
    #expect(try ReadTables(text) { $0.map = [("Deck", "item")] }.outline == ["steps: steps[Fenders, Lines]"])
  }

  @Test(arguments: [
    "Engine | Check oil\nEngine | Belt\nDeck | Fenders", "Price | Amount\nRope | 5\nLine | 7",
    "Engine | Deck\nOil | Fenders\nBelt | Lines", "A | B | C\nOne | | Two\nThree | Four | Five",
    "A | B | A\nOne | Two | Three", "Rope 12 mm | Deck | Galley\nOne | Two | Three", "A | B | C",
    "Check the oil level first | Fenders out | Gas off\nBelt | Lines | Stove",
  ])
  func inDoubtNothingIsGuessed(_ text: String) throws { #expect(refusal(text) != nil) }

  @Test func oneMaySayThatColumnsAreSections() throws {
    let read = try ReadTables("Engine | Deck\nOil | Fenders\n | Lines\nBelt | Oil") { $0.matrix = true }
    #expect(try read.outline == ["steps: Engine[Oil, Belt] Deck[Fenders, Lines, Oil]"])
  }

  @Test(arguments: [
    (
      ["Aufgaben", "Bereich", "Dauer", "Pflicht", "Bemerkungen", "Schlagwörter"],
      "item section minutes required details tags"
    ),
    (
      ["TÂCHES", "Catégorie", "durée", "obligatoire", "Commentaires", "étiquettes"],
      "item section minutes required details tags"
    ),
    (
      ["Tarea", "Categoría", "Duración", "obligatorio", "Notas", "Etiquetas"],
      "item section minutes required details tags"
    ),
    (
      ["Attività", "Sezione", "Durata", "obbligatorio", "Note", "Etichette"],
      "item section minutes required details tags"
    ),
    (["Tasks", "Sections", "Times", "Mandatory", "Comments", "Tags"], "item section minutes required details tags"),
    (
      ["Задачи", "Разделы", "Время", "Обязательно", "Комментарии", "Метки"],
      "item section minutes required details tags"
    ),
    (["Checkliste", "Schritt", "optional", "Sprache"], "checklist item optional language"),
    (["Liste", "Étape", "facultatif", "Langue"], "checklist item optional language"),
    (["Lista", "Paso", "opcional", "Idioma"], "checklist item optional language"),
    (["Elenco", "Passo", "facoltativo", "Lingua"], "checklist item optional language"),
    (["Frage", "Antwort", "Hinweis"], "front back hint"), (["Recto", "Verso", "Indice"], "front back hint"),
    (["Pregunta", "Respuesta", "Pista"], "front back hint"),
    (["Domanda", "Risposta", "Suggerimento"], "front back hint"),
  ])
  func headersAreWordsOfSixLanguages(_ headers: [String], _ columns: String) throws {
    let layout = try #require(try HeaderMatch(TableOptions()).layout(headers))
    let found = headers.indices.map { cell in layout.cells.first { $0.value == cell }?.key.rawValue ?? "-" }
    #expect(found.joined(separator: " ") == columns)
  }

  @Test(arguments: [
    ("Sheet1", "boat"), ("Tabelle1", "boat"), ("Лист1", "boat"), ("Feuil1", "boat"), ("Hoja 1", "boat"),
    ("Foglio1", "boat"),
    ("Deck", "Deck"), ("Sheet music", "Sheet music"),
  ])
  func aNewSheetIsCalledLikeItsFile(_ sheet: String, _ title: String) throws {
    let rows = [["item"], ["Lines"]]
    #expect(try ReadTables([(sheet, rows)], path: "boat.xlsx", { _ in }).outline == ["\(title): \(title)[Lines]"])
    // Empty sheets do not count, but other sheets do.
    #expect(
      try ReadTables([(sheet, rows), ("x", [])], path: "boat.xlsx", { _ in }).outline == ["\(title): \(title)[Lines]"])
    let two = try ReadTables([(sheet, rows), ("x", rows)], path: "boat.xlsx", { _ in })
    #expect(try two.outline.first == "\(sheet): \(sheet)[Lines]")
  }
}
