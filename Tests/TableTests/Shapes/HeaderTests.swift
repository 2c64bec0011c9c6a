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

  @Test func theHeaderMayStandBelowOtherLines() throws {
    let read = try ReadTables(
      """
      Our checklists | of 2026
      | Step | Price
      | One | 5
      """, path: "dir/Casting off.csv")
    #expect(try read.outline == ["Casting off: Casting off[One]"])
    #expect(read.codes == ["columns-read", "unread-column"])
    #expect(read.context.findings.kept[1].place.description == "dir/Casting off.csv:2:201")
    #expect(read.context.findings.kept[0].message == "its rows are steps: 'Step' as item")
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
