import Content
import Diagnostics
import FleetKit
import Markdown
import Interchange
import JSONText
import Testing

/// Formats read files inside archives without unpacking them.
@Suite struct MemberReadingTests {
  private struct Read {
    var lines: [String] = []
    var rejected: [String] = []
    var files: [String] = []
    var findings: [Diagnostic] = []
    var batches = 0
    var records: [Record] = []
  }

  private func read(_ format: any MemberFormat, _ files: [(String, String)]) throws -> Read {
    let context = RunContext(now: Timestamp(milliseconds: 0))
    let reader = try format.reader(of: MemorySource(files), context: context)
    var read = Read()
    while let batch = try reader.next() {
      read.batches += 1
      read.lines += batch.records.map { String(decoding: $0.bytes, as: UTF8.self) }
      read.rejected += batch.rejected.map { String(decoding: $0.bytes, as: UTF8.self) }
      read.files += batch.locator.files
      read.records += batch.records
    }
    read.findings = context.findings.kept
    return read
  }

  private func item(_ number: Int, size: Int = 0) -> String {
    "{\"content_type\":\"practice_guide\",\n \"title\":\"T\(number)\",\"content_data\":{\"markdown\":\""
      + String(repeating: "word ", count: size / 5) + "\"}}\n"
  }

  @Test func manySmallDocumentsShareBatches() throws {
    let files = (0..<5000).map { ("data/checklists/\($0).json", item($0, size: 500)) }
    let read = try read(JSONBundleFormat(.document), files)
    #expect(read.lines.count == 5000 && read.rejected.isEmpty)
    #expect(read.batches < 5000 / 100)
    #expect(read.files == files.map { "first.fleetpack/" + $0.0 })
    let place = read.records[4321].locate(JSONPointer("/title") ?? JSONPointer()).place
    #expect(place.file == "first.fleetpack/data/checklists/4321.json" && place.line == 2 && place.column == 10)
    #expect(
      read.records[4321].locate(JSONPointer("/title") ?? JSONPointer()).excerpt?.hasPrefix(" \"title\":\"T4321\"")
        == true)
    #expect(Set(read.records.map(\.id)).count == 5000, "ids come from the pack's name and the file's path")
  }

  @Test func oneBrokenDocumentDoesNotHideTheOthers() throws {
    let broken = "{\"content_type\":\"practice_guide\",\n \"title\": oops}"
    let read = try read(
      JSONBundleFormat(.document),
      [("data/a.json", item(1)), ("data/b.json", broken), ("data/c.json", ""), ("data/d.json", item(2))])
    #expect(read.lines.count == 2 && read.rejected == [broken, ""])
    #expect(
      read.findings.map(\.place.description) == ["first.fleetpack/data/b.json:2:11", "first.fleetpack/data/c.json:1:1"])
    #expect(read.files.count == 4)
  }

  @Test func largeFilesComeInSeveralBatches() throws {
    let header = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    var text = header
    for number in 0..<3000 {
      text +=
        "{\"kind\":\"item\",\"content_type\":\"practice_guide\",\"title\":\"T\(number)\",\"content_data\":{\"markdown\":\""
        + String(repeating: "x", count: 1000) + "\"}}\n"
    }
    let read = try read(
      JSONBundleFormat(.lines), [("data/records.jsonl", String(text.dropLast())), ("data/b.jsonl", text)])
    #expect(read.lines.count == 6000 && read.rejected.isEmpty && read.batches > 4)
    #expect(read.files == ["first.fleetpack/data/records.jsonl", "first.fleetpack/data/b.jsonl"])
    #expect(read.records[2999].place().description == "first.fleetpack/data/records.jsonl:3001:1")
    #expect(read.records[5999].place().description == "first.fleetpack/data/b.jsonl:3001:1")
    let document = "{\"items\":[" + (0..<3000).map { item($0, size: 1000) }.joined(separator: ",") + "]}"
    let other = try self.read(JSONBundleFormat(.document), [("data/x.json", document), ("data/y.json", item(1))])
    #expect(other.lines.count == 3001 && other.batches > 2 && other.files.count == 2)
    #expect(other.records[2999].place().description == "first.fleetpack/data/x.json:5999:2")
  }

  @Test func notesAreReadFromMemory() throws {
    let notes = (0..<600).map {
      ("data/guides/\($0).md", HandPack.guide("Note \($0)", id: nil, body: "Text of \($0) with the the word."))
    }
    let read = try read(MarkdownFormat(bundle: JSONBundleFormat(.lines)), notes)
    #expect(read.lines.count == 600 && read.files.count == 600)
    let record = try #require(read.records.first { $0.title == "Note 321" })
    #expect(record.id == CanonicalUUID.derived(["hand-made", "guides/321.md", ""]))
    let place = record.locate(JSONPointer("/description") ?? JSONPointer())
    #expect(place.place.description == "first.fleetpack/data/guides/321.md:4:14")
    #expect(place.excerpt == "description: How to stay where we are.")
    #expect(record.mediaPath == nil && !record.batch.traits.checksLinks)
  }
}
