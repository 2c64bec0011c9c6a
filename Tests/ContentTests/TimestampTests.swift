import Content
import Testing

@Suite struct TimestampTests {
  @Test(
    arguments: [
      ("2026-01-05 10:11:12.345", "2026-01-05T10:11:12.345Z", []),
      ("2026-01-05T10:11:12Z", "2026-01-05T10:11:12.000Z", .otherForm),
      ("2026-01-05", "2026-01-05T00:00:00.000Z", .otherForm),
      ("2026-01-05 10:11", "2026-01-05T10:11:00.000Z", .otherForm),
      ("2026-01-05T13:11:12.1234567+03:00", "2026-01-05T10:11:12.123Z", [.otherForm, .cut]),
      ("2026-01-05 13:11:12.5 +0300", "2026-01-05T10:11:12.500Z", [.otherForm, .undecodable]),
      ("2026-01-05 10:11:12.345 ", "2026-01-05T10:11:12.345Z", [.otherForm, .undecodable]),
      ("2026-1-5", "2026-01-05T00:00:00.000Z", [.otherForm, .undecodable]),
      ("2026-13-05 00:00:00.000", "2027-01-05T00:00:00.000Z", .rollsOver),
      ("2025-02-29 00:00:00.000", "2025-03-01T00:00:00.000Z", .rollsOver),
      ("2024-02-29 23:59:59.999", "2024-02-29T23:59:59.999Z", []),
      ("1969-12-31 23:59:59.001", "1969-12-31T23:59:59.001Z", []),
      ("0000-01-01 00:00:00.000", "0000-01-01T00:00:00.000Z", []),
      ("9999-12-31 23:59:59.999", "9999-12-31T23:59:59.999Z", []),
    ] as [(String, String, Timestamp.Quirks)])
  func reads(_ text: String, _ expected: String, _ quirks: Timestamp.Quirks) throws {
    let (date, found) = try #require(Timestamp.parse(text))
    #expect(date.iso8601 == expected && found == quirks)
    #expect(date.columnText == expected.replacing("T", with: " ").replacing("Z", with: ""))
  }

  @Test(arguments: [
    "", "November 16", "05.01.2026", "2026-01-05 25", "2026-01-05X10:00:00", "20260105", "2026-01-05 10:11:12.",
    "2026-00-01",
  ])
  func refuses(_ text: String) { #expect(Timestamp.parse(text) == nil) }

  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00.000Z"), (797_072_400.136, "2026-04-05T09:00:00.136Z"),
      (-978_307_200.5, "1969-12-31T23:59:59.500Z"), (-63_113_904_000, "0001-01-01T00:00:00.000Z"),
      (252_423_993_599.999, "9999-12-31T23:59:59.999Z"), (-63_113_904_000.001, nil), (252_423_993_600, nil),
      (1e300, nil), (-.infinity, nil), (.infinity, nil), (.nan, nil),
    ] as [(Double, String?)])
  func secondsSince2001(_ seconds: Double, _ expected: String?) {
    let date = Timestamp(secondsSince2001: seconds)
    #expect(date?.iso8601 == expected)
    if let date { #expect(abs(date.secondsSince2001 - seconds) < 0.001) }
  }

  @Test func everyDayOfFourCenturiesComesBack() {
    for day in stride(from: Int64(-60_000), to: 90_000, by: 7) {
      let date = Timestamp(milliseconds: day * 86_400_000 + 12_345)
      #expect(Timestamp.parse(date.iso8601)?.0 == date)
    }
  }
}
