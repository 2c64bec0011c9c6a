import FleetKit
import Foundation
import TestSupport
import Testing

/// Text from stores, plans, packs and libraries must never reach a terminal as control sequences.
@Suite struct PrintedTextTests {
  /// A string with escape sequences, C1 controls, DEL, bidirectional overrides and isolates, and a carriage return.
  static let text = "\u{1B}[31mred\u{1B}]0;title\u{7}\u{9B}2J\u{85}\u{7F}\u{202E}evil\u{2066}\u{2069}\rover"
  /// The same string as an SQL literal.
  static let sql = "'" + text + "'"
  /// The same string in JSON, escaped.
  static let json = #"\u001b[31mred\u001b]0;title\u0007\u009b2J\u0085\u007f\u202eevil\u2066\u2069\rover"#

  /// Runs the command and checks every character that it printed.
  @discardableResult
  private func run(_ arguments: [String], shows: Bool = false) throws -> Answer {
    let answer = try Shell.run(Paths.command, arguments)
    #expect(answer.status < 128 && answer.status != 70, "\(arguments) ended with \(answer.status): \(answer.errors)")
    for text in [answer.output, answer.errors] {
      let unsafe = text.unicodeScalars.first { scalar in
        switch scalar.value {
        case 0x0A, 0x09: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
      }
      #expect(
        unsafe == nil, "\(arguments) printed U+\(String(unsafe?.value ?? 0, radix: 16)): \(text.debugDescription)")
    }
    if shows { #expect((answer.output + answer.errors).contains("evil"), "\(arguments) shows nothing: \(answer)") }
    return answer
  }

  private func jsonIsValid(_ arguments: [String]) throws {
    let output = try run(arguments).output
    for line in output.split(separator: "\n") where line.first == "{" || line.first == "[" {
      // A JSON document of several lines is parsed as a whole.
      if (try? JSONDocument(parsing: String(line))) == nil {
        _ = try JSONDocument(parsing: output)
        return
      }
    }
  }

  private func library(_ scratch: Scratch) throws -> String {
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    #expect(try run(["import", Paths.root + "/samples/vault", "--into", library]).status < 4)
    #expect(try run(["publish", library, "--all", "--yes"]).status < 4)
    return library
  }

  /// Writes the text into every text column of every table.
  private func poison(_ path: String, except: Set<String> = []) throws {
    let columns = try SQLiteShell.run(
      path,
      """
      SELECT t.name || '|' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'grdb_%' AND c.type LIKE '%TEXT%'
      AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1;
      """)
    var updates = ["PRAGMA foreign_keys = OFF;"]
    for column in columns.split(separator: "\n") {
      let parts = column.split(separator: "|")
      if except.contains(String(parts[1])) { continue }
      // Where values must be unique, at least one row keeps its value.
      updates.append("UPDATE OR IGNORE \"\(parts[0])\" SET \"\(parts[1])\" = \(Self.sql);")
    }
    _ = try Shell.run("sqlite3", [path], input: updates.joined(separator: "\n"))
  }

  @Test func storesBesideLibraries() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    // The state decides whether a run is shown, and the payload decides whether a row is used.
    for keeps in [["state", "payload"], ["state", "payload", "id", "kind", "operation"], []] as [Set<String>] {
      let copy = scratch["\(keeps.count).sqlite"]
      for ending in ["", ".fleetkit"] {
        try FileManager.default.copyItem(atPath: library + ending, toPath: copy + ending)
      }
      try poison(copy + ".fleetkit/state.sqlite", except: keeps)
      try run(["runs", copy], shows: !keeps.isEmpty)
      try run(["runs", "show", "1", "--library", copy], shows: !keeps.isEmpty)
      try run(["queue", copy, "--all"], shows: true)
      try jsonIsValid(["runs", copy, "--json"])
      try jsonIsValid(["queue", copy, "--all", "--json"])
      for arguments in [
        ["list", copy], ["inspect", copy], ["doctor", copy, "-v"], ["sync", copy, "--dry-run", "-v"],
        ["undo", "1", "--library", copy, "--dry-run"], ["undo", "1", "--library", copy, "--yes"],
        ["import", Paths.root + "/samples/ci", "--into", copy], ["import", "--resume", "1", "--into", copy],
        ["update", copy, "--all", "--yes"], ["pull", copy], ["logout", copy], ["queue", "retry", copy, "--all"],
        ["backup", copy, "--to", scratch["backups"] + "/"], ["doctor", copy, "--repair", "--yes"],
      ] {
        try run(arguments)
      }
    }
  }

  @Test func libraries() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    for keeps in [
      ["id", "type", "visibility", "tags", "createdAt", "updatedAt", "startDate", "endDate"],
      ["id", "type", "tags"], ["type"], [],
    ] as [Set<String>] {
      let copy = scratch["\(keeps.count).sqlite"]
      try FileManager.default.copyItem(atPath: library, toPath: copy)
      try poison(copy, except: keeps)
      for arguments in [
        ["list", copy], ["inspect", copy], ["validate", copy], ["doctor", copy, "-v"], ["queue", copy, "--all"],
        ["show", copy, "--title", "*"], ["list", copy, "--type", "charter"], ["publish", copy, "--all", "--yes"],
        ["export", copy, "--to", scratch["v\(keeps.count)"] + "/", "-v"], ["diff", copy, library, "-v"],
        ["doctor", copy, "--repair", "--yes", "-v"], ["migrate", copy, "--dry-run"],
      ] {
        try run(arguments)
      }
      try jsonIsValid(["list", copy, "--json"])
    }
    // A table and a column with the string in their names.
    try SQLiteShell.run(library, "CREATE TABLE \"x\(Self.text)\" (\"c\(Self.text)\" TEXT);")
    for verb in ["inspect", "doctor", "list", "migrate"] {
      try run([verb, library] + (verb == "migrate" ? ["--dry-run"] : []))
    }
  }

  @Test func plansAndBundles() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let source = try scratch.write(
      "a.jsonl",
      """
      {"kind":"bundle","format":"fleetkit.bundle","version":1}
      {"kind":"item","id":"6D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"checklist","title":"\(Self.json)",\
      "description":"\(Self.json)","tags":["\(Self.json)"],"\(Self.json)":1,"content_data":{"sections":[{"title":"\
      \(Self.json)","items":[{"title":"\(Self.json)","details":"\(Self.json)","\(Self.json)":"\(Self.json)"}]}]}}
      {"kind":"\(Self.json)","id":"\(Self.json)"}
      {"kind":"item","id":"\(Self.json)","content_type":"\(Self.json)","title":7}
      {"kind":"charter","id":"\(Self.json)","name":"\(Self.json)","start_date":"\(Self.json)"}

      """)
    for verb in ["list", "inspect", "validate"] { try run([verb, source]) }
    try run(["show", source, "6D0939BC-A71B-49F8-B06C-C047F24F4730"], shows: true)
    let shown = try run(["show", source, "6D0939BC-A71B-49F8-B06C-C047F24F4730", "--json"]).output
    #expect(try JSONDocument(parsing: shown).root["title"]?.string == Self.text)
    try run(["diff", source, Paths.root + "/samples/curated-checklists.jsonl", "-v"])
    try run(["import", source, "--into", library, "--dry-run", "-v"])
    try run(["import", source, "--into", library, "--plan", scratch["plan.json"]])
    let plan = try scratch.text("plan.json")
    let texts = plan.matches(of: /: ("[^"\\]*")/).map { $0.1.startIndex..<$0.1.endIndex }
    for index in 0..<min(20, texts.count) {
      var changed = plan
      changed.replaceSubrange(texts[index], with: "\"" + Self.json + "\"")
      try run(["apply", scratch.write("changed.json", changed)])
    }
    try run(["apply", scratch["plan.json"]])
    try run(["list", library], shows: true)
  }

  @Test func packsBackupsAndNames() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let pack = scratch["pack"]
    #expect(
      try run([
        "pack", "build", Paths.root + "/samples/ci", "--config", Paths.root + "/samples/pack/pack.yml", "--to",
        pack + "/",
      ]).status == 0)
    let info = pack + "/data/pack.json"
    let text = try String(contentsOfFile: info, encoding: .utf8)
    let texts = text.matches(of: /: ?("[^"\\]*")/).map { $0.1.startIndex..<$0.1.endIndex }
    for range in texts.prefix(12) {
      var changed = text
      changed.replaceSubrange(range, with: "\"" + Self.json + "\"")
      try changed.write(toFile: info, atomically: true, encoding: .utf8)
      for verb in ["inspect", "verify", "list"] { try run([verb, pack]) }
      try run(["pack", "verify", pack])
    }
    for file in ["bag-info.txt", "manifest-sha256.txt", "bagit.txt", "fetch.txt"] {
      let path = pack + "/" + file
      let before = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      try (before + "\(Self.text.replacing("\r", with: "")): \(Self.text)\n").write(
        toFile: path, atomically: true, encoding: .utf8)
      for verb in ["inspect", "verify"] { try run([verb, pack]) }
      try before.write(toFile: path, atomically: true, encoding: .utf8)
    }
    try "x".write(toFile: pack + "/data/" + Self.text, atomically: true, encoding: .utf8)
    for verb in ["inspect", "verify", "list"] { try run([verb, pack]) }
    // Names of files and folders that contain the string.
    let folder = scratch[Self.text]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try run(["backup", library, "--to", folder + "/"])
    try run(["backups", folder])
    try run(["verify", folder + "/x"], shows: true)
    try "# A\n\n- [ ] B\n".write(toFile: folder + "/\(Self.text).md", atomically: true, encoding: .utf8)
    for arguments in [
      ["list", folder], ["validate", folder], ["inspect", folder], ["import", folder, "--into", library],
    ] {
      try run(arguments)
    }
    try run(["runs", library])
    try run(["nothing\(Self.text)"])
    try run(["list", "--\(Self.text)"])
  }
}
