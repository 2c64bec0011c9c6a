import Foundation
import JSONText
import TestSupport
import Testing

/// A stranger's folder with notes, a table, and files of other programs.
@Suite struct StrangersFolderTests {
  private let scratch = Scratch()

  /// Files, each with the code of the finding that names it; nil if the content is imported.
  private static let files: [(name: String, bytes: [UInt8], code: String?)] = [
    ("Departure.md", Array("# Departure\n\n- [ ] Gas off\n- [ ] Lines ready\n- [ ] Engine\n".utf8), nil),
    ("README.md", Array("# Boat\n\nMy notes.\n".utf8), "MKD0110"),
    ("AUTHORS.md", Array("# Crew\n\n- [ ] Ann\n- [ ] Bob\n- [ ] Cem\n".utf8), nil),
    ("CHANGELOG.md", Array("# Changelog\n\n## [1.0.0] - 2026-01-01\n\n- thing\n".utf8), "FIL0101"),
    ("Changes.md", Array("# Changes\n\nThe boat has new sails since May.\n".utf8), nil),
    ("terms.md", Array("MIT License\n\nPermission is hereby granted, free of charge, to any person\n".utf8), "FIL0101"),
    ("LICENSE", Array("Apache License\nVersion 2.0, January 2004\n".utf8), "FIL0101"),
    ("package.json", Array(#"{"name":"x","version":"1.0.0"}"#.utf8), "FIL0101"),
    ("tsconfig.json", Array("{ // a comment\n\"compilerOptions\": {}}".utf8), "FIL0101"),
    ("telemetry.jsonl", Array("{\"a\":1}\n{\"a\":2}\n".utf8), "FIL0101"),
    ("Thumbs.db", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 7, count: 600), "FIL0102"),
    ("Plan.docx", archive("word/document.xml"), "FIL0102"),
    ("Stores.ods", archive("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "FIL0102"),
    ("Knots.apkg", archive("collection.anki21"), "FIL0102"),
    ("manual.pdf", Array("%PDF-1.4\n".utf8), "FIL0102"), ("old.txt", Array("Call the marina\n".utf8), "FIL0102"),
    ("conf.yaml", Array("a: b\n".utf8), "FIL0101"), ("blob.bin", [0, 1, 2, 3, 0, 0, 9], "FIL0101"),
    ("gear.csv", Array("Item,Minutes\nRope,5\n".utf8), "TBL0119"),
    ("broken.json", Array(#"{"kind":"item","content_type":"checklist","title":"T","content_data":{"#.utf8), "JSN0001"),
    ("pic.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], nil),
  ]

  /// Returns a ZIP archive with one uncompressed member.
  private static func archive(_ name: String, _ content: String = "") -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let (name, content) = (Array(name.utf8), Array(content.utf8))
    let sizes = number(0, 4) + number(content.count, 4) + number(content.count, 4) + number(name.count, 2)
    let local = [0x50, 0x4B, 3, 4] + number(20, 2) + number(0, 8) + sizes + number(0, 2) + name + content
    let entry = [0x50, 0x4B, 1, 2] + number(20, 2) + number(20, 2) + number(0, 8) + sizes + number(0, 16) + name
    let end = [0x50, 0x4B, 5, 6] + number(0, 4) + number(1, 2) + number(1, 2) + number(entry.count, 4)
    return local + entry + end + number(local.count, 4) + number(0, 2)
  }

  private func folder() throws -> String {
    for (name, bytes, _) in Self.files {
      let path = scratch["boat/" + name]
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    _ = try SQLiteShell.run(scratch["boat/weather.sqlite"], "CREATE TABLE wind (a, b); INSERT INTO wind VALUES (1, 2)")
    return scratch["boat"]
  }

  @Test func theImportGoesOnAndNamesEveryFile() throws {
    let answer = try Shell.fleetkit("import", try folder(), "--into", scratch["l.sqlite"], "--create", "--json", "-q")
    #expect(answer.status == 3)
    let report = try JSONDocument(parsing: answer.output).root
    let findings = report["findings"]?["items"]?.elements ?? []
    func codes(_ name: String) -> Set<String> {
      Set(findings.filter { $0["file"]?.string?.hasSuffix("/boat/" + name) == true }.compactMap { $0["code"]?.string })
    }
    for (name, _, code) in Self.files {
      if let code { #expect(codes(name).contains(code), "\(name): \(codes(name))") }
    }
    #expect(codes("weather.sqlite") == ["FIL0101"] && codes("pic.png").isEmpty)
    let titles = try SQLiteShell.run(scratch["l.sqlite"], "SELECT title FROM library_content ORDER BY title")
    #expect(titles == "Changes\nCrew\nDeparture\n")
  }

  /// The format of an archive's member does not determine the format of the archive.
  @Test func aPackWithADocumentIsAPack() throws {
    let document = String(decoding: Self.archive("word/document.xml"), as: UTF8.self)
    let path = scratch["photos.zip"]
    try Data(Self.archive("x.docx", document)).write(to: URL(fileURLWithPath: path))
    let answer = try Shell.fleetkit("list", path)
    #expect(answer.status == 2 && !answer.errors.contains("Word"))
  }

  /// A large document counts as content even if its records have no member that items have.
  @Test func largeJSONWithCharters() throws {
    let charters = (0..<20_000).map {
      #"{"id":"3A473796-0000-4000-8000-\#(String(format: "%012d", $0))","name":"Trip number \#($0)"}"#
    }
    try FileManager.default.createDirectory(atPath: scratch["big"], withIntermediateDirectories: true)
    _ = try scratch.write("big/all.json", #"{ "charters": ["# + charters.joined(separator: ",\n") + "]}")
    _ = try scratch.write(
      "big/map.json", #"{"type":"FeatureCollection","features":["# + String(repeating: "1,", count: 600_000) + "1]}")
    let answer = try Shell.fleetkit("convert", scratch["big"], "--to", scratch["o.jsonl"], "--json", "-q")
    #expect(answer.status == 0, "\(answer.errors.prefix(300))")
    let report = try JSONDocument(parsing: answer.output).root
    let findings = report["findings"]?["items"]?.elements ?? []
    #expect(findings.contains { $0["code"]?.string == "FIL0101" && $0["file"]?.string?.hasSuffix("map.json") == true })
    #expect(try scratch.text("o.jsonl").split(separator: "\n").count { $0.contains(#""kind":"charter""#) } == 20_000)
  }

  @Test func validateFailsOnWhatIsBroken() throws {
    let folder = try folder()
    let answer = try Shell.fleetkit("validate", folder)
    #expect(answer.status == 1 && answer.output.contains("broken.json") || answer.errors.contains("broken.json"))
    try FileManager.default.removeItem(atPath: folder + "/broken.json")
    #expect(try Shell.fleetkit("validate", folder).status == 0)
  }

  /// Everything that did not arrive is on the first screen. Findings that require no action are summarized in one line.
  @Test func theFirstScreenHasAllOfIt() throws {
    let answer = try Shell.fleetkit("import", try folder(), "--into", scratch["l.sqlite"], "--create")
    #expect(answer.errors.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(answer.errors)")
    for name in ["broken.json", "README.md", "Plan.docx", "Stores.ods", "Knots.apkg", "old.txt", "gear.csv"] {
      #expect(answer.errors.contains(name), "\(name)")
    }
    #expect(answer.errors.contains("package.json") && !answer.errors.contains("note["))
  }

  /// The rejects contain the broken file unchanged, so that it can be corrected there.
  @Test func theBrokenFileCanBeCorrectedAmongTheRejects() throws {
    let folder = try folder()
    _ = try Shell.fleetkit("import", folder, "--into", scratch["l.sqlite"], "--create", "-q")
    let rejects = try FileManager.default.contentsOfDirectory(atPath: scratch["l.sqlite.fleetkit/rejects"])
    let name = try #require(rejects.first { $0.hasSuffix("import.jsonl") })
    let text = try scratch.text("l.sqlite.fleetkit/rejects/" + name)
    #expect(text.hasPrefix(#"{"kind":"item","content_type":"checklist","title":"T""#))
    _ = try scratch.write("l.sqlite.fleetkit/rejects/" + name, text.replacing("\n", with: "\"sections\":[]}}\n"))
    let again = try Shell.fleetkit(
      "import", "--retry", scratch["l.sqlite.fleetkit/rejects/" + name], "--into", scratch["l.sqlite"], "-q")
    #expect(again.status == 0, "\(again.errors)")
  }

  /// A document that is given as an argument is reported with its kind.
  @Test(arguments: ["Plan.docx", "Stores.ods", "Knots.apkg", "manual.pdf"])
  func aNamedDocumentIsNamedForWhatItIs(_ name: String) throws {
    let answer = try Shell.fleetkit("import", try folder() + "/" + name, "--into", scratch["l.sqlite"], "--create")
    #expect(answer.status == 2 && answer.errors.contains("fleetkit formats") && !answer.errors.contains("bagit"))
  }

  /// Findings of an earlier import of the same files are summarized in one line.
  @Test func aRepeatedImportIsShort() throws {
    let note = "# List checklist\n\n- [x] A %%why%%\n- [ ] B · 5 minz\n"
    try FileManager.default.createDirectory(atPath: scratch["n"], withIntermediateDirectories: true)
    for number in 1...5 { _ = try scratch.write("n/\(number).md", note.replacing("List", with: "List \(number)")) }
    let library = scratch["l.sqlite"]
    func run() throws -> String {
      let answer = try Shell.fleetkit("import", scratch["n"], "--into", library, "--create")
      #expect(answer.status == 0)
      return answer.errors
    }
    let first = try run()
    #expect(first.contains("MKD0125") && first.contains("MKD0121"))
    let second = try run()
    #expect(!second.contains("MKD0125") && !second.contains("MKD0121"))
    // After a change to one file, only that file is reported again.
    _ = try scratch.write("n/3.md", note.replacing("List", with: "List 3") + "- [ ] C\n")
    let third = try run()
    #expect(third.contains("3.md") && third.contains("MKD0121") && !third.contains("1.md"))
  }

  /// A file that was imported before counts as content, whatever it contains now.
  @Test(arguments: ["{\"a\":1}\n", "// settings\n{\"a\":1}\n", "7\n"])
  func aFileThatWasImportedIsContent(_ text: String) throws {
    let note = #"{"kind":"item","content_type":"practice_guide","title":"T","content_data":{"markdown":"x"}}"# + "\n"
    try FileManager.default.createDirectory(atPath: scratch["n"], withIntermediateDirectories: true)
    for name in ["a.jsonl", "b.jsonl"] { _ = try scratch.write("n/" + name, note) }
    _ = try scratch.write("n/other.jsonl", text)
    let library = scratch["l.sqlite"]
    #expect(try Shell.fleetkit("import", scratch["n"], "--into", library, "--create").status == 0)
    _ = try scratch.write("n/b.jsonl", text)
    let answer = try Shell.fleetkit("import", scratch["n"], "--into", library, "--json")
    #expect(answer.status == 3)
    let findings = answer.findings
    #expect(findings.contains { $0.code == "FIL0103" && $0.place.contains("n/b.jsonl") }, "\(findings)")
    #expect(!findings.contains { $0.code == "FIL0103" && $0.place.contains("other") })
    #expect(!findings.contains { $0.code == "MRG0105" || $0.code == "IMP0105" })
  }

  /// A file that cannot be read to its end does not hide the other files.
  @Test func aFileForANewerReaderHidesNoOther() throws {
    try FileManager.default.createDirectory(atPath: scratch["n"], withIntermediateDirectories: true)
    let bad = #"{"content_type":"practice_guide","title":7,"content_data":{"markdown":"x"}}"#
    for name in ["a.json", "c.json"] { _ = try scratch.write("n/" + name, bad) }
    _ = try scratch.write("n/b.json", #"{"format":"fleetkit.bundle","version":9,"min_reader":9,"items":[]}"#)
    let answer = try Shell.fleetkit("validate", scratch["n"], "--json")
    #expect(answer.status == 6)
    for name in ["a.json", "b.json", "c.json"] { #expect(answer.output.contains("n/" + name), "\(answer.output)") }
  }

  /// The names of links that are not followed are reported, and so are names that are not valid UTF-8.
  @Test func linksThatAreNotFollowedAreNamed() throws {
    let folder = scratch["n"]
    try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
    _ = try scratch.write("n/a.json", #"{"content_type":"practice_guide","title":"A","content_data":{"markdown":"x"}}"#)
    for (link, end) in [("again", "inner"), ("dead.json", "nowhere.json"), ("b.json", "a.json")] {
      try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: end)
    }
    _ = try Shell.run("/bin/sh", ["-c", "cp a.json \"$(printf '\\377.json')\""], folder: folder)
    let answer = try Shell.fleetkit("convert", folder, "--to", scratch["out.jsonl"], "--json")
    let found = try JSONDocument(parsing: answer.output).root["findings"]?["items"]?.elements ?? []
    let files = found.filter { $0["code"]?.string == "FIL0102" }.compactMap { $0["file"]?.string }
    #expect(Set(files) == [folder + "/again", folder + "/dead.json", folder + "/"], "\(answer.output)")
    #expect(found.allSatisfy { $0["severity"]?.string == "warning" || $0["code"]?.string != "FIL0102" })
  }
}
