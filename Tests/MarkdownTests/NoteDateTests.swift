import Content
import JSONText
import Testing
import YAMLText

@testable import Markdown

/// Dates as people and programs write them.
@Suite struct NoteDateTests {
  @Test(arguments: [
    ("2024-03-01 10:00:00 +0300", "2024-03-01T07:00:00.000Z"),
    ("2024-3-1", "2024-03-01T00:00:00.000Z"),
    ("2024-03-01 Fri", "2024-03-01T00:00:00.000Z"),
    ("2024-03-01, 10:15", "2024-03-01T10:15:00.000Z"),
    ("2024/03/01", "2024-03-01T00:00:00.000Z"),
    ("01.03.2024 10:15", "2024-03-01T10:15:00.000Z"),
    ("31/12/2024", "2024-12-31T00:00:00.000Z"),
    ("12/31/2024", "2024-12-31T00:00:00.000Z"),
    ("20240301", "2024-03-01T00:00:00.000Z"),
    ("202403011015", "2024-03-01T10:15:00.000Z"),
    ("20240301101530", "2024-03-01T10:15:30.000Z"),
    ("1709251200", "2024-03-01T00:00:00.000Z"),
    ("1709251200123", "2024-03-01T00:00:00.123Z"),
    ("[[2024-01-05]]", "2024-01-05T00:00:00.000Z"),
    ("date(2024-01-05)", "2024-01-05T00:00:00.000Z"),
    ("Friday, March 1st 2024, 10:15:00 am", "2024-03-01T10:15:00.000Z"),
    ("Friday, March 1st 2024, 12:15:00 am", "2024-03-01T00:15:00.000Z"),
    ("1 March 2024 1:05pm", "2024-03-01T13:05:00.000Z"),
    ("Fri, 01 Mar 2024 10:00:00 GMT", "2024-03-01T10:00:00.000Z"),
    ("Fri Mar 01 2024 10:00:00 GMT+0300 (Moscow Standard Time)", "2024-03-01T07:00:00.000Z"),
    ("1 марта 2024 г.", "2024-03-01T00:00:00.000Z"),
    ("пт, 1 мар. 2024, 10:15", "2024-03-01T10:15:00.000Z"),
  ])
  func fullDates(_ text: String, _ instant: String) {
    #expect(NoteDate.parse(text)?.iso8601 == instant, "\(text)")
  }

  /// Incomplete or ambiguous dates, half of which would have to be invented.
  @Test(arguments: [
    "01/02/2024", "2024", "2024-03", "March 2024", "1 марта", "2024-02-30", "30.02.2024", "{{date}}", "yesterday",
    "<% tp.date.now() %>", "2024-03-01 25:00", "2024-03-01 13:00 pm", "1/2/24", "2024-03-01 Europe/Moscow", "",
    "2024030110", "99999999", "12", "[[]]", "date()", "1 2 3 2024", "March March 2024", "10:15",
    "2024-03-01 2024-03-02",
  ])
  func looseDates(_ text: String) { #expect(NoteDate.parse(text) == nil, "\(text)") }

  private func metadata(_ yaml: String) throws -> NoteMetadata {
    let yaml = yaml
    let document = try YAMLDocument(parsing: yaml.utf8.span, firstLine: 2)
    return NoteMetadata(document.json)
  }

  private func created(_ yaml: String) throws -> String? {
    try metadata(yaml).member("created_at").map { String(decoding: $0.json, as: UTF8.self) }
  }

  @Test(arguments: [
    "date created: Tuesday, January 2nd 2024, 12:00:00 am\n", "Created: 2024-01-02\n", "created: [[2024-01-02]]\n",
    "creation date: 2024-01-02\n", "date:\n  created: 2024-01-02\n", "created: 20240102\ndate: 2023-01-01\n",
  ])
  func keysOfPlugins(_ yaml: String) throws {
    #expect(try created(yaml) == "\"2024-01-02T00:00:00.000Z\"", "\(yaml)")
  }

  @Test func bothDatesOfABlog() throws {
    let metadata = try metadata("date:\n  created: 2024-01-02\n  updated: 2024-02-03\n")
    #expect(metadata.member("updated_at")?.json == Array("\"2024-02-03T00:00:00.000Z\"".utf8))
    #expect(metadata.problems.isEmpty)
    #expect(try self.metadata("date:\n  posted: 1\n").problems.map(\.key) == ["date"])
  }

  @Test(arguments: [
    ("tag: boat\n", "[\"boat\"]"), ("Tags: [a, b]\n", "[\"a\",\"b\"]"),
    ("tags: night; watch\n", "[\"night\",\"watch\"]"),
  ])
  func tagsAsPeopleWriteThem(_ yaml: String, _ tags: String) throws {
    #expect(try metadata(yaml).member("tags")?.json == Array(tags.utf8))
  }

  @Test(arguments: ["type: [checklist]\n", "type: \"[[Checklist]]\"\n", "type: [[checklist]]\n", "type: Checklist\n"])
  func typesAsLinks(_ yaml: String) throws { #expect(try metadata(yaml).type == .checklist, "\(yaml)") }
}
