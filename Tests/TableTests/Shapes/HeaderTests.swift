import Interchange
import TableShapes
import Testing

@Suite struct HeaderTests {
  private func match(_ headers: [String], _ options: (inout TableOptions) -> Void = { _ in }) throws -> TableLayout? {
    var table = TableOptions()
    options(&table)
    return try HeaderMatch(table).layout(headers)
  }

  private func columns(_ headers: [String], _ options: (inout TableOptions) -> Void = { _ in }) throws -> [String] {
    let layout = try match(headers, options)
    return headers.indices.map { cell in
      layout?.cells.first { $0.value == cell }?.key.rawValue ?? "-"
    }
  }

  @Test func headersAreMatchedLoosely() throws {
    #expect(
      try columns(["Чек-лист", "РАЗДЕЛ", "Шаг", "Обязательно", "Минуты", "Метки", "Заме\u{301}тки", "Цена"])
        == ["checklist", "section", "item", "required", "minutes", "tags", "details", "-"])
    #expect(try columns(["List_Name", "Step", "Estimated-Minutes"]) == ["checklist", "item", "minutes"])
    #expect(try columns(["Title", "Step", "ID"]) == ["checklist", "item", "item_id"])
    #expect(try columns(["Название", "Description"]) == ["item", "details"])
    #expect(try columns(["Вопрос", "Отве\u{301}т", "Колода"]) == ["front", "back", "deck"])
    #expect(try columns(["Й", "Подробно", "Что сделать"]) == ["-", "details", "item"])
    #expect(try match(["Title", "Content", "Type"])?.shape == .catalogue)
    #expect(try match(["Price", "Amount"]) == nil)
  }

  @Test func mapsComeFirst() throws {
    #expect(
      try columns(["Что", "item", "Price"]) { $0.map = [("что", "item"), ("Price", "")] } == ["item", "-", "-"])
    let layout = try #require(try match(["Что", "item", "Price"]) { $0.map = [("что", "item"), ("Price", "")] })
    #expect(layout.leftOut == [2])
    #expect(layout.doubled.map(\.cell) == [1])
    #expect(throws: RunFailure.self) { try match(["a"]) { $0.map = [("a", "price")] } }
    #expect(throws: RunFailure.self) { try match(["a"]) { $0.shape = "rows" } }
    #expect(throws: RunFailure.self) { try ReadTables("item\nx") { $0.map = [("Nothing", "item")] } }
    #expect(throws: RunFailure.self) { try ReadTables("item\nx") { $0.key = "No" } }
    #expect(throws: RunFailure.self) { try ReadTables("price\nx") }
  }

  @Test func whatDescribesAListIsTakenFromTheFirstRowThatSaysIt() throws {
    let read = try ReadTables(
      """
      List | Step | About | Checklist tags | Description
      Leaving | Fenders | | | All six
      Leaving | Lines | Before leaving | harbour, crew |
      Leaving | Hatches | Something else | harbour, crew |
      """
    ) { $0.map = [("About", "checklist_description")] }
    let line = try #require(read.lines.first)
    #expect(line.contains(#""description":"Before leaving","tags":["harbour","crew"]"#))
    #expect(line.contains(#""itemDescription":"All six""#))
    let found = try #require(read.context.findings.kept.first { $0.code == .differingRows })
    #expect(found.place.line == 4 && found.place.column == 201, "\(found.place)")
  }

  /// The given options are either applied, or refused with a list of possible choices.
  @Test func aMapThatTheShapeHasNoColumnForIsRefused() throws {
    func refusal(_ text: String, _ map: [(String, String)]) -> RunFailure? {
      do {
        _ = try ReadTables(text) { $0.map = map }
        return nil
      } catch { return error as? RunFailure }
    }
    let description = try #require(refusal("List | Step | About\nx | y | z", [("About", "description")]))
    #expect(
      description.status == .usage && description.message.contains("'description'"))
    #expect(description.advice?.contains("'checklist_description'") == true)
    #expect(refusal("Step | Back\nx | y", [("Back", "hint")])?.advice?.contains("checklist_tags") == true)
    let twice = refusal("A | B\nx | y", [("A", "item"), ("B", "item")])
    #expect(twice?.status == .usage && twice?.message.contains("'A'") == true)
    #expect(refusal("Q | A | N\nx | y | z", [("Q", "question"), ("A", "answer"), ("N", "notes")]) == nil)
  }

  @Test func theHeaderMayStandBelowOtherLines() throws {
    let read = try ReadTables(
      """
      Our checklists | of 2026
      | Step | Price
      | One | 5
      """, path: "dir/Casting off.csv")
    #expect(try read.outline == ["Casting off: Casting off[One]"])
    #expect(read.codes == ["row-above-header", "columns-read", "kept-column"])
    #expect(
      read.context.findings.kept.map(\.place.description)
        == [1, 2, 2].enumerated().map { index, line in
          "dir/Casting off.csv:\(line):\(index == 2 ? 201 : 1)"
        })
    #expect(read.context.findings.kept[1].message.contains("'Step'"))
  }

  @Test func sheetsAreTablesOfTheirOwn() throws {
    let read = try ReadTables(
      [
        ("Deck", [["item"], ["Lines"]]), ("Prices", [["a", "b"], ["1", "2"]]),
        ("Words", [["front", "back"], ["Q", "A"]]),
      ],
      path: "book.xlsx", { _ in })
    #expect(try read.outline == ["Deck: Deck[Lines]", "Words: Q=A"])
    #expect(read.codes == ["sheet-left-out"])
  }
}
