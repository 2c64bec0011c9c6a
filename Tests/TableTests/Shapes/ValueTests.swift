import JSONText
import TableShapes
import Testing

@Suite struct ValueTests {
  /// Returns the minutes that each cell means; nil if the row is rejected.
  private func minutes(_ cells: [String]) throws -> [Int64?] {
    try cells.map { cell in
      let read = try ReadTables([["item", "minutes"], ["x", cell]])
      return try read.records.first?.document().root["content_data"]?["sections"]?[0]?["items"]?[0]?[
        "estimatedMinutes"]?
        .integer
    }
  }

  @Test func minutesHaveUnits() throws {
    #expect(
      try minutes(["5", "5 min", "5мин.", "1:30", "01:30:00", "1 h", "1 ч 15 мин", "0.5 h", "5.0", "90'", "0"]) == [
        5, 5, 5, 90, 90, 60, 75, 30, 5, 90, 0,
      ])
    #expect(
      try minutes([
        "soon", "7.5", "-5", "100001", "1:75", "5 parsecs", "99999999999999999999", "1:30:15", "5 6 7", ":", "h",
      ]).allSatisfy {
        $0 == nil
      })
  }

  @Test func yesAndNoAreWordsOfManyLanguages() throws {
    func required(_ cell: String) throws -> Bool? {
      let read = try ReadTables([["item", "required"], ["x", cell]])
      return try read.records.first?.document().root["content_data"]?["sections"]?[0]?["items"]?[0]?["isRequired"]?.bool
    }
    for word in [
      "yes", "ДА", "x", "Х", "✓", "1", "TRUE", "+", "истина", "ja", "WAHR", "oui", "Vrai", "sí", "si\u{301}", "SÌ",
      "verdadero", "pflicht",
    ] {
      #expect(try required(word) == true, "\(word)")
    }
    for word in ["", "no", "Нет", "0", "FALSE", "-", "—", "ЛОЖЬ", "Nein", "FALSCH", "non", "faux", "falso", "não"] {
      #expect(try required(word) == false, "\(word)")
    }
    for word in ["perhaps", "2", "не знаю"] { #expect(try required(word) == nil, "\(word)") }
  }

  @Test func typesLanguagesAndTimesAreChecked() throws {
    func rejects(_ column: String, _ cell: String) throws -> Bool {
      try !ReadTables([["item", column], ["x", cell]]).rejected.isEmpty
    }
    for word in ["general", "Pre-charter", "check in", "перед чартером", "later_type"] {
      #expect(try !rejects("type", word), "\(word)")
    }
    #expect(try rejects("type", "Some thing!"))
    for word in ["en", "RU", "pt-BR", "русский"] { #expect(try !rejects("language", word), "\(word)") }
    #expect(try rejects("language", "Elvish speech"))
    for word in ["2026-01-05", "2026-01-05 10:11", "2026-01-05T10:11:12Z"] { #expect(try !rejects("created", word)) }
    for word in ["yesterday", "2026-13-05", "5.1.26"] { #expect(try rejects("created", word), "\(word)") }
  }
}
