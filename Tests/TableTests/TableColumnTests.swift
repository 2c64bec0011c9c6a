import TableShapes
import Testing

@Suite struct TableColumnTests {
  @Test func everyColumnHasOneName() {
    #expect(Set(TableColumn.allCases.map(\.rawValue)).count == TableColumn.allCases.count)
  }
}
