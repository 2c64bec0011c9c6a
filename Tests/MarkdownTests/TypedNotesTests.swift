import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Notes as people type them, compared with counts made by hand. `Tests/Fixtures/notes-as-typed/COUNTS.tsv` lists each
/// note's type, sections, steps and boxes, and the words of comments and targets, which no checklist shows.
@Suite struct TypedNotesTests {
  private struct Counts {
    let name: String
    let type: String
    let sections, steps, boxes: Int
    let hidden: Set<String>
  }

  private let scratch = Scratch()
  private static let folder = Paths.root + "/Tests/Fixtures/notes-as-typed"

  private func counts() throws -> [Counts] {
    try String(contentsOfFile: Self.folder + "/COUNTS.tsv", encoding: .utf8).split(separator: "\n").map { line in
      let cells = line.split(separator: "\t").map(String.init)
      return Counts(
        name: cells[0], type: cells[1], sections: Int(cells[2]) ?? -1, steps: Int(cells[3]) ?? -1,
        boxes: Int(cells[4]) ?? -1,
        hidden: cells.count > 5 ? Set(cells[5].split(separator: " ").map(String.init)) : [])
    }
  }

  /// Copies the notes and returns their items as JSON, by file name.
  private func read() throws -> (folder: String, items: [String: JSONValue], report: JSONValue) {
    let folder = scratch["notes"]
    try FileManager.default.copyItem(atPath: Self.folder, toPath: folder)
    try FileManager.default.removeItem(atPath: folder + "/COUNTS.tsv")
    let answer = try Shell.fleetkit("convert", folder, "--to", scratch["all.jsonl"], "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    var items: [String: JSONValue] = [:]
    for line in try scratch.text("all.jsonl").split(separator: "\n") {
      let root = try JSONDocument(parsing: String(line)).root
      if let path = root["extras"]?["markdown"]?["path"]?.string { items[path] = root }
    }
    return (folder, items, try JSONDocument(parsing: answer.output).root)
  }

  private static func steps(_ item: JSONValue?) -> [JSONValue] {
    (item?["content_data"]?["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }
  }

  @Test func countsAreThoseMadeByHand() throws {
    let (folder, items, report) = try read()
    let counts = try counts()
    #expect(items.count == counts.count)
    for note in counts {
      let item = items[note.name]
      #expect(item?["content_type"]?.string == note.type, "\(note.name)")
      #expect((item?["content_data"]?["sections"]?.elements.count ?? 0) == note.sections, "\(note.name)")
      let titles = Self.steps(item).compactMap { $0["title"]?.string }
      #expect(titles.count == note.steps, "\(note.name): \(titles)")
      // Every word reaches an item.
      let text = try scratch.text("notes/" + note.name)
      let said = item?["content_data"]?.text ?? ""
      let body = text.replacing(/^---\n[\s\S]*?\n---\n/, with: "").replacing(/\[!\w+\]/, with: "")
      for word in body.split(whereSeparator: { !$0.isLetter })
      where !["x", "х", "✓"].contains(word) && !note.hidden.contains(String(word)) {
        let isAttribute = ["min", "mins", "minutes", "минут", "required", "Required", "optional", "h", "обязательно"]
          .contains(String(word))
        #expect(
          isAttribute || said.contains(word) || item?["title"]?.string?.contains(word) == true, "\(note.name): \(word)")
      }
    }
    #expect(counts.reduce(0) { $0 + $1.boxes } == 77)
    let codes = (report["findings"]?["items"]?.elements ?? []).compactMap { $0["code"]?.string }
    // All text that is left out or not understood is named.
    let expected = [
      "MKD0120": 0, "MKD0121": 5, "MKD0122": 1, "MKD0124": 1, "MKD0125": 4, "MKD0126": 1,
    ]
    for (code, count) in expected { #expect(codes.count { $0 == code } == count, "\(code)") }
    #expect(!folder.isEmpty)
  }

  /// Titles and details are in the order of the note.
  @Test func orderIsKept() throws {
    let (_, items, _) = try read()
    for note in try counts() where note.type == "checklist" {
      let text = try scratch.text("notes/" + note.name).replacing("\r\n", with: "\n")
      var at = text.startIndex
      for step in Self.steps(items[note.name]) {
        // The cells of a table come after its header.
        let details = note.boxes > 0 ? step["itemDescription"]?.string : nil
        for value in [step["title"]?.string?.components(separatedBy: " › ").last, details] {
          guard let value else { continue }
          let first = value.split(whereSeparator: { " \n".contains($0) }).first { $0.contains { $0.isLetter } } ?? ""
          let found = text.range(of: first, range: at..<text.endIndex)
          #expect(found != nil, "\(note.name): \(value)")
          at = found?.upperBound ?? at
        }
      }
    }
  }

  /// The title of every step without children is edited in the library. Each edit changes only its own line.
  @Test func editsComeBackInPlace() throws {
    let (folder, items, _) = try read()
    let library = scratch["boat.sqlite"]
    #expect(try Shell.fleetkit("import", folder, "--into", library, "--create", "-q").status == 0)
    var wanted: [String: Int] = [:]
    for note in try counts() where note.type == "checklist" {
      let titles = Self.steps(items[note.name]).compactMap { $0["title"]?.string }
      let leaves = titles.filter { title in !titles.contains { $0.hasPrefix(title + " › ") } }
      wanted[note.name] = leaves.count
      let id = try #require(items[note.name]?["id"]?.string)
      let content = try SQLiteShell.run(
        library, "SELECT content FROM checklists WHERE title = '\(items[note.name]?["title"]?.string ?? "")'")
      var sections = try #require(JSONSerialization.jsonObject(with: Data(content.utf8)) as? [[String: Any]])
      for section in sections.indices {
        var steps = sections[section]["items"] as? [[String: Any]] ?? []
        for step in steps.indices where leaves.contains(steps[step]["title"] as? String ?? "") {
          steps[step]["title"] = "\(steps[step]["title"] ?? "") again"
        }
        sections[section]["items"] = steps
      }
      let json = String(decoding: try JSONSerialization.data(withJSONObject: sections), as: UTF8.self)
      _ = try SQLiteShell.run(
        library,
        """
        UPDATE checklists SET content = '\(json.replacing("'", with: "''"))', updatedAt = '2027-01-01 10:00:00.000'
          WHERE title = '\(items[note.name]?["title"]?.string ?? "")';
        UPDATE library_content SET updatedAt = '2027-01-01 10:00:00.000' WHERE title = '\(items[note.name]?["title"]?.string ?? "")';
        """)
      #expect(!id.isEmpty)
    }
    let exported = try Shell.fleetkit("export", library, "--to", folder + "/", "--overwrite", "--json")
    #expect(exported.status == 0 && !exported.output.contains("MKD0119"), "\(exported.errors)")
    for note in try counts() {
      let before = try String(contentsOfFile: Self.folder + "/" + note.name, encoding: .utf8)
      let lines = NotesInPlaceTests.difference(before, try scratch.text("notes/" + note.name))
      // One of these titles spans two lines before the edit and one line afterwards.
      let more = note.name.hasPrefix("Night") || note.name.hasPrefix("Plain") ? 1 : 0
      #expect(lines.count == 2 * (wanted[note.name] ?? 0) + more, "\(note.name): \(lines)")
      #expect(lines.filter { $0.hasPrefix("+") }.allSatisfy { $0.contains(" again") }, "\(note.name): \(lines)")
    }
  }
}
