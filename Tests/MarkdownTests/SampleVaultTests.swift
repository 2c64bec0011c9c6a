import Diagnostics
import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// The sample vault is read as its documentation page describes, row by row.
@Suite struct SampleVaultTests {
  private static let vault = Paths.root + "/samples/vault"

  /// Returns the tables of the page as rows of cells, without headers.
  private static func tables() throws -> [[[String]]] {
    let page = try String(contentsOfFile: vault + "/README.md", encoding: .utf8)
    var tables: [[[String]]] = []
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        isInside = false
        continue
      }
      if !isInside { tables.append([]) }
      isInside = true
      let cells = line.dropFirst().dropLast().components(separatedBy: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      tables[tables.count - 1].append(cells)
    }
    return tables.map { Array($0.dropFirst(2)) }
  }

  /// The result of reading: items by note path, attachments, and findings by file.
  private struct Reading {
    var items: [String: JSONValue] = [:]
    var attachments: [JSONValue] = []
    var findings: [String: Set<String>] = [:]

    init() throws {
      let scratch = Scratch()
      let summary = try Vaults.convert(SampleVaultTests.vault, to: scratch["a.jsonl"])
      #expect(summary.tally.total.rejected == 0)
      for line in try scratch.text("a.jsonl").split(separator: "\n").dropFirst() {
        let root = try JSONDocument(parsing: String(line)).root
        if root["kind"]?.string == "attachment" {
          attachments.append(root)
        } else {
          items[try #require(root["extras"]?["markdown"]?["path"]?.string)] = root
        }
      }
      for finding in summary.context.findings.kept {
        let file = String(finding.place.file.dropFirst(SampleVaultTests.vault.count + 1))
        findings[file.precomposedStringWithCanonicalMapping, default: []].insert(finding.code.id)
      }
    }
  }

  private static func extent(_ item: JSONValue) -> String {
    func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
    let content = item["content_data"]
    switch item["content_type"]?.string {
    case "checklist":
      let sections = content?["sections"]?.elements ?? []
      let steps = sections.reduce(0) { $0 + ($1["items"]?.elements.count ?? 0) }
      return count(sections.count, "section") + ", " + count(steps, "step")
    case "flashcard_deck": return count(content?["cards"]?.elements.count ?? 0, "card")
    default: return "guide"
    }
  }

  @Test func itemsAreWhatThePageSays() throws {
    let rows = try Self.tables()[0]
    let reading = try Reading()
    let types = ["checklist": "checklist", "guide": "practice_guide", "deck": "flashcard_deck"]
    #expect(Set(rows.map { $0[0] }) == Set(reading.items.keys))
    for row in rows {
      let item = try #require(reading.items[row[0]], "\(row[0])")
      #expect(item["content_type"]?.string == types[row[1]], "\(row[0])")
      #expect(item["title"]?.string == row[2])
      #expect(Self.extent(item) == row[3], "\(row[0])")
    }
    let page = try String(contentsOfFile: Self.vault + "/README.md", encoding: .utf8)
    let steps = rows.reduce(0) { $0 + (Int($1[3].firstMatch(of: /([0-9]+) step/)?.output.1 ?? "0") ?? 0) }
    let cards = rows.reduce(0) { $0 + (Int($1[3].firstMatch(of: /([0-9]+) card/)?.output.1 ?? "0") ?? 0) }
    func number(_ type: String) -> Int { rows.count { $0[1] == type } }
    #expect(
      page.contains(
        "\(rows.count) items: \(number("checklist")) checklists with \(steps) steps, \(number("guide")) guides, "
          + "\(number("deck")) decks with \(cards) cards."))
  }

  @Test func tagsDatesAndFindingsAreWhatThePageSays() throws {
    let rows = try Self.tables()[1]
    let reading = try Reading()
    #expect(rows.count == reading.items.count)
    for row in rows {
      let item = try #require(reading.items[row[0]], "\(row[0])")
      if !row[0].hasSuffix("/") {
        let tags = item["tags"]?.elements.compactMap(\.string) ?? []
        #expect(tags.joined(separator: ", ") == (row[1] == "none" ? "" : row[1]), "\(row[0])")
      }
      checkDates(row, item)
      var codes = Set(row[3].matches(of: /(MKD|LNT)[0-9]{4}/).map { String($0.output.0) })
      if row[3].contains("Inferred") { codes.insert("MKD0105") }
      let file = row[0].hasSuffix("/") ? String(row[0].dropLast()) : row[0]
      #expect(reading.findings[file] ?? [] == codes, "\(row[0])")
    }
  }

  private func checkDates(_ row: [String], _ item: JSONValue) {
    let provenance = item["extras"]?["provenance"]
    let isFile = (
      created: provenance?["created_at"]?.string == "file", updated: provenance?["updated_at"]?.string == "file"
    )
    let changed = row[2].firstMatch(of: /changed ([0-9-]+)/).map { String($0.output.1) }
    let created = row[2].firstMatch(of: /^[0-9]{4}-[0-9]{2}-[0-9]{2}/).map { String($0.output) }
    #expect(isFile.updated == (changed == nil) && isFile.created == (created == nil), "\(row[0])")
    if let changed { #expect(item["updated_at"]?.string?.hasPrefix(changed) == true, "\(row[0])") }
    if let created { #expect(item["created_at"]?.string?.hasPrefix(created) == true, "\(row[0])") }
    if row[2].contains("UTC+2") { #expect(item["created_at"]?.string == "2026-05-15T19:40:00.000Z") }
    #expect(row[2] != "none" || (created == nil && changed == nil))
  }

  @Test func imagesAreThoseThatNotesUse() throws {
    let rows = try Self.tables()[2]
    let reading = try Reading()
    #expect(reading.attachments.count == rows.count)
    for row in rows {
      let attachment = try #require(reading.attachments.first { $0["path"]?.string == row[0] }, "\(row[0])")
      let note = row[1].hasPrefix("flashcards/Knots") ? "flashcards/Knots/" : row[1]
      let id = reading.items[note]?["id"]?.string
      #expect(id != nil && attachment["item_ids"]?.elements.map(\.string) == [id], "\(row[0])")
    }
  }

  // MARK: Places

  @Test(arguments: [
    ("guides/Night watch.md", "LNT0304", "Watch bill 2026"),
    ("guides/Picking up a mooring.md", "LNT0305", "mooring-buoy.png"),
    ("guides/Heaving to.md", "MKD0103", "November 16"),
  ])
  func findingsPointAtTheWords(_ note: String, _ code: String, _ words: String) throws {
    let text = try String(contentsOfFile: Self.vault + "/" + note, encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    let line = try #require(lines.firstIndex { $0.contains(words) })
    let start = try #require(lines[line].range(of: words))
    let column = lines[line].distance(from: lines[line].startIndex, to: start.lowerBound) + 1
    let samples = Paths.root + "/samples"
    let report = try Shell.fleetkit("validate", "vault", "--report", "sarif", folder: samples)
    let results = try JSONDocument(parsing: report.output).root["runs"]?.elements.first?["results"]?.elements ?? []
    let place = try #require(results.first { $0["ruleId"]?.string == code })["locations"]?.elements.first?[
      "physicalLocation"]
    let uri = place?["artifactLocation"]?["uri"]?.string?.removingPercentEncoding
    let region = place?["region"]
    #expect(uri == "vault/" + note)
    #expect(region?["startLine"]?.text == "\(line + 1)" && region?["startColumn"]?.text == "\(column)")
    #expect(region?["endColumn"]?.text == "\(column + words.count)")
    let junit = try Shell.fleetkit("validate", "vault", "--report", "junit", "--fail-on", "warning", folder: samples)
    #expect(junit.status == 1 && junit.output.contains("vault/\(note):\(line + 1):\(column): warning[\(code)]"))
  }
}
