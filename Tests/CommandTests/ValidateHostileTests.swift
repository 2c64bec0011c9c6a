import Foundation
import TestSupport
import Testing

/// Content that tries to control a terminal, a CI log or a report parser is displayed but has no effect.
@Suite struct ValidateHostileTests {
  private static let reports = ["text", "jsonl", "sarif", "junit", "github"]

  /// Hostile strings that are inserted wherever content has text.
  private static let texts = [
    "\u{1B}[31mred\u{1B}]0;title\u{7}\u{1B}[2J", "::error file=a,line=1::forged", "a\n::error::forged",
    "a\r\n::set-output name=x::y\r\n##[command]z", "\u{202E}gnp.exe\u{2066}\u{2069}\u{200F}", "a]]><failure/>&lt;!--",
    "a\u{0}b\u{8}\u{7F}\u{9B}31m\u{85}\u{2028}::warning::x", "%0A::error::x%0D%25", "\u{FFFE}\u{FFFF}\u{FEFF}",
    "\\u001b[31m\\n::error::x", "</system-out></testsuite>", "{0} [click](https://example.org)", "'\"`$(id)",
  ]

  /// Returns `text` as a JSON string with all necessary escapes.
  private static func json(_ text: String) -> String {
    var quoted = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22, 0x5C, 0..<0x20: quoted += "\\u" + String(0x10000 + Int(unit), radix: 16).dropFirst()
      default: quoted += String(utf16CodeUnits: [unit], count: 1)
      }
    }
    return quoted + "\""
  }

  /// Returns records that contain the text in every member and have as many different mistakes as possible.
  private static func records(_ text: String) -> [String] {
    let t = json(text)
    return [
      "{\"content_type\":\"checklist\",\"id\":\(t),\"title\":\(t),\"description\":\(t),\"tags\":[\(t),\(t),7],\(t):1,"
        + "\"language\":\(t),\"visibility\":\(t),\"content_data\":{\"sections\":[{\"title\":\(t),\"items\":[{\"title\":\(t),"
        + "\"id\":\(t),\"isRequired\":\(t)},{\"title\":\(t),\"isRequired\":true,\"isOptional\":true}]}]}}",
      "{\"content_type\":\"checklist\",\"title\":\(t),\"tags\":[\(t),\(t)],\"language\":\(t),\"content_data\":{\"sections\":"
        + "[{\"title\":\(t),\"items\":[]},{\"title\":\(t),\"items\":[{\"title\":\(t),\"isRequired\":true,\"isOptional\":true}]}]}}",
      "{\"content_type\":\(t),\"title\":\(t)}",
      "{\"content_type\":\"practice_guide\",\"title\":\(t),\"content_data\":{\"markdown\":\(json(text + "\n[a](http://" + text + ")"))}}",
      "{\"kind\":\(t),\"title\":\(t)}",
      "{\"kind\":\"charter\",\"name\":\(t),\"start_date\":\(t),\"end_date\":\"2026-06-13\"}",
    ]
  }

  /// Expects that the output has no control characters, and that every line begins with FleetKit's own text.
  private static func expectHarmless(
    _ arguments: [String], in folder: String, limit: Int = 4 << 20, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var total: Int?
    for report in ["jsonl"] + reports.filter({ $0 != "jsonl" }) {
      let answer = try Shell.run(
        Paths.command, ["validate"] + arguments + ["--report", report, "--max-findings", "0"], folder: folder)
      #expect(answer.status == 1, "\(report): \(answer.errors.prefix(500))", sourceLocation: sourceLocation)
      for (name, text) in [("out", answer.output), ("err", answer.errors)] {
        let steering = text.unicodeScalars.first { scalar in
          scalar != "\n"
            && (scalar.properties.generalCategory == .control || [0x2028, 0x2029, 0xFEFF].contains(scalar.value)
              || scalar.properties.isBidiControl)
        }
        #expect(
          steering == nil, "\(report) \(name): U+\(String(steering?.value ?? 0, radix: 16))",
          sourceLocation: sourceLocation)
        #expect(text.utf8.count < limit, "\(report) \(name): \(text.utf8.count)", sourceLocation: sourceLocation)
      }
      let lines = answer.output.unicodeScalars.split(separator: "\n").map(String.init)
      let commands = lines.filter { $0.hasPrefix("::") || $0.contains("##[") }
      #expect(!answer.errors.contains("\n::") && !answer.errors.hasPrefix("::"), sourceLocation: sourceLocation)
      switch report {
      case "jsonl":
        for line in lines {
          #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line.prefix(300))")
        }
        total = lines.count - 1
        #expect(commands.isEmpty, sourceLocation: sourceLocation)
      case "sarif":
        #expect(
          (try? JSONSerialization.jsonObject(with: Data(answer.output.utf8))) != nil, sourceLocation: sourceLocation)
        #expect(commands.isEmpty, sourceLocation: sourceLocation)
      case "junit":
        #expect(commands.isEmpty, sourceLocation: sourceLocation)
        try expectXML(answer.output, sourceLocation)
      case "github":
        #expect(
          commands.allSatisfy { $0.contains(/^::(error|warning|notice) file=[^:\r\n]*,title=[^:\r\n]*::/) },
          sourceLocation: sourceLocation)
        #expect(commands.count == total && lines.count == commands.count + 1, sourceLocation: sourceLocation)
      default:
        #expect(commands.isEmpty, "\(commands.first ?? "")", sourceLocation: sourceLocation)
        let headings = lines.count {
          $0.contains(/\s(error|warning|note)\[[A-Z]{3}[0-9]{4}\]\s/) && !$0.hasPrefix("  ")
        }
        #expect(headings == total, sourceLocation: sourceLocation)
      }
    }
    #expect(total ?? 0 > 0, sourceLocation: sourceLocation)
  }

  /// Expects that Python's parser accepts the XML and finds only FleetKit's elements.
  private static func expectXML(_ text: String, _ sourceLocation: SourceLocation) throws {
    let script = """
      import sys, xml.etree.ElementTree as tree
      known = {"testsuites", "testsuite", "testcase", "failure", "properties", "property", "system-out", "system-err"}
      root = tree.fromstring(sys.stdin.buffer.read())
      assert {element.tag for element in root.iter()} <= known
      """
    let answer = try Shell.run("python3", ["-c", script], input: text)
    #expect(answer.status == 0, "\(answer.errors.suffix(500))", sourceLocation: sourceLocation)
  }

  @Test(arguments: texts.indices)
  func inFiles(_ index: Int) throws {
    let scratch = Scratch()
    let records = Self.records(Self.texts[index])
    _ = try scratch.write("content.json", "[" + records.joined(separator: ",\n") + "]")
    _ = try scratch.write("content.jsonl", records.joined(separator: "\n") + "\n" + Self.texts[index] + "\n")
    try Self.expectHarmless([".", "--profile", "publish"], in: scratch.path)
  }

  /// If the user's own schema is used, the schema's strings are content, too.
  @Test(arguments: texts.indices)
  func withASchema(_ index: Int) throws {
    let scratch = Scratch()
    let t = Self.json(Self.texts[index])
    let schema = try scratch.write(
      "s.json",
      "{\"description\":\(t),\"required\":[\(t)],\"properties\":{\(t):{\"description\":\(t),\"const\":\(t)},"
        + "\"a\":{\"enum\":[\(t)],\"description\":\(t)}},\"additionalProperties\":false}")
    _ = try scratch.write(
      "data.json", "{\"a\":\(t),\"x\":\(t),\"y\(t.dropFirst()):1,\"a\":\(Self.json("b" + Self.texts[index]))}")
    try Self.expectHarmless(["data.json", "--schema", schema], in: scratch.path)
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func inLibraries() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    var sql = ""
    let cells = [
      ("library_content", "title"), ("library_content", "description"), ("library_content", "tags"),
      ("library_content", "visibility"), ("library_content", "createdAt"), ("library_content", "publicID"),
      ("checklists", "title"), ("checklists", "content"), ("practice_guides", "markdown"), ("charters", "name"),
      ("charters", "startDate"), ("checklistExecutionStates", "itemStates"), ("sync_queue", "payload"),
      ("library_content", "publicMetadata"),
    ]
    for (index, text) in Self.texts.enumerated() {
      let (table, column) = cells[index % cells.count]
      for (bytes, offset) in [(Data(text.utf8), 0), (Data("[{\"title\":\(Self.json(text)),\"items\":[7]}]".utf8), 1)] {
        let hex = bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        sql += "UPDATE \(table) SET \(column) = CAST(X'\(hex)' AS TEXT) WHERE rowid IN "
        sql += "(SELECT rowid FROM \(table) LIMIT 1 OFFSET \(offset));\n"
        sql += "UPDATE checklists SET content = CAST(X'\(hex)' AS TEXT) WHERE rowid IN "
        sql += "(SELECT rowid FROM checklists LIMIT 1 OFFSET \(index));\n"
        sql += "UPDATE library_content SET title = CAST(X'\(hex)' AS TEXT) WHERE rowid IN "
        sql += "(SELECT rowid FROM library_content LIMIT 1 OFFSET \(index));\n"
      }
    }
    let id = Data("A\u{1B}[31m\n::error::\u{202E}".utf8).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    sql += "PRAGMA foreign_keys = OFF; UPDATE checklists SET id = CAST(X'\(id)' AS TEXT) WHERE rowid IN "
    sql += "(SELECT rowid FROM checklists LIMIT 1 OFFSET 2);\n"
    _ = try SQLiteShell.run(library, sql)
    try Self.expectHarmless(["library.sqlite", "--profile", "publish"], in: scratch.path)
  }

  @Test func inNamesOfFiles() throws {
    let scratch = Scratch()
    for text in Self.texts {
      let name = text.replacing("/", with: "_").replacing("\u{0}", with: "_").replacing("\u{FFFE}", with: "_")
      let path = scratch[name + ".json"]
      let folder = scratch["in " + name]
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for path in [path, folder + "/" + name + ".jsonl"] {
        try Data("{\"content_type\":7}\nx\n".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(scratch.names.count == 2 * Self.texts.count)
    try Self.expectHarmless(["."], in: scratch.path)
    let schema = try scratch.write("s.json", "false")
    try Self.expectHarmless(["--schema", schema, "."], in: scratch.path)
    // Unreadable sources and fixed files are named, too.
    let missing = try Shell.fleetkit("validate", "x\u{1B}[31m\n::error::y.json", folder: scratch.path)
    #expect(missing.status == 2 && !missing.errors.contains("\u{1B}") && !missing.errors.contains("\n::"))
  }

  /// With a million characters in one title, reports stay small, however many findings refer to the title.
  @Test func endlessTexts() throws {
    let scratch = Scratch()
    let long = String(repeating: "Лодка \u{1B}[1m", count: 1 << 16)
    let t = Self.json(long)
    let steps = (0..<50).map { _ in "{\"title\":\(Self.json("x")),\"isRequired\":true,\"isOptional\":true}" }
    _ = try scratch.write(
      "content.json",
      "[{\"content_type\":\"checklist\",\"title\":\(t),\"content_data\":{\"sections\":[{\"title\":\"A\",\"items\":["
        + steps.joined(separator: ",") + "]}]}},{\"content_type\":\"checklist\",\"title\":\(t),\"tags\":[\(t),7,8,9],"
        + "\"language\":\(t),\"visibility\":\(t)},{\"content_type\":\(t),\"title\":\(t)}]")
    try Self.expectHarmless(["content.json", "--profile", "publish"], in: scratch.path, limit: 2 << 20)
  }
}
