import FleetKit
import Foundation
import TestSupport
import Testing

/// Extreme numbers in every numeric location of files, stores and options. The tests run the real command, so a trap
/// shows as a signal. `FLEETKIT_EXTREME_ROUNDS` sets the number of random combinations to try (1 by default).
@Suite struct ExtremeNumberTests {
  // MARK: The command

  /// Runs the command, which must end on its own with a status that is documented for the case.
  @discardableResult
  func run(_ arguments: [String], _ allowed: Set<Int32>, _ why: String = "", input: String? = nil) throws
    -> Answer
  {
    let answer = try Shell.run(Paths.command, arguments, input: input)
    #expect(
      allowed.contains(answer.status),
      "\(arguments.joined(separator: " ")) ended with \(answer.status) \(why): \(answer.errors.suffix(600))")
    return answer
  }

  /// The exit statuses of verbs that read records and write all of them except unusable ones.
  static let written: Set<Int32> = [0, 3]
  /// The same statuses, and the statuses for a file that is unreadable as a whole and for a change that is refused.
  static let any: Set<Int32> = [0, 1, 2, 3, 4, 6]

  // MARK: Bundles

  /// Returns a bundle with one record for each number in each numeric member.
  private static func bundle(_ numbers: [String]) -> String {
    var lines = ["{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}"]
    var serial = 0
    func id() -> String {
      serial += 1
      let digits = String(serial)
      return "6D0939BC-A71B-49F8-B06C-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
    let time = "\"created_at\":\"2026-01-05T10:11:12.345Z\",\"updated_at\":\"2026-01-05T10:11:12.345Z\""
    for number in numbers {
      for member in ["latitude", "longitude"] {
        lines.append(
          """
          {"kind":"charter","id":"\(id())","name":"\(member)","start_date":"2026-01-05T10:11:12.345Z",\
          "end_date":"2026-01-06T10:11:12.345Z","\(member)":\(number),\(time)}
          """)
      }
      for member in ["fork_count", "rating_count", "pinned_order", "rating_average"] {
        lines.append(
          """
          {"kind":"item","id":"\(id())","content_type":"checklist","title":"\(member)","\(member)":\(number),\(time),\
          "content_data":{"sections":[]}}
          """)
      }
      for step in ["\"sortOrder\":\(number)", "\"estimatedMinutes\":\(number)"] {
        lines.append(
          """
          {"kind":"item","id":"\(id())","content_type":"checklist","title":"steps",\(time),"content_data":{"sections":[\
          {"id":"\(id())","title":"A","sortOrder":\(number),"items":[{"id":"\(id())","title":"B",\(step)}]}]}}
          """)
      }
      for card in ["\"sortOrder\":\(number)", "\"easeFactor\":\(number)", "\"interval\":\(number)"] {
        lines.append(
          """
          {"kind":"item","id":"\(id())","content_type":"flashcard_deck","title":"cards",\(time),"content_data":{"cards":[\
          {"id":"\(id())","front":"A","back":"B",\(card)},{"id":"\(id())","front":"C","back":"D","repetitions":\(number),\
          "lapses":\(number),"review":{"interval":\(number),"ease":\(number)}}]}}
          """)
      }
      lines.append(
        """
        {"kind":"sync_operation","id":\(number),"content_id":"\(id())","operation":"publish","retry_count":\(number),\
        "created_at":"2026-01-05T10:11:12.345Z"}
        """)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func bundlesAreReadAndWritten() throws {
    let scratch = Scratch()
    let first = try scratch.write("first.jsonl", Self.bundle(ExtremeNumbers.json))
    let other = try scratch.write("other.jsonl", Self.bundle(ExtremeNumbers.json.reversed()))
    try run(["validate", first], [1])
    for arguments in [["list", first], ["inspect", first], ["show", first, "6D0939BC-A71B-49F8-B06C-000000000001"]] {
      try run(arguments, Self.written)
    }
    try run(["diff", first, other], [1, 3])
    for (number, target) in ["a.jsonl", "a.json", "a.sqlite", "a.csv", "a.xlsx", "a.fleetpack"].enumerated() {
      try run(["convert", number % 2 == 0 ? first : other, "--to", scratch[target]], Self.written)
    }
    try run(["convert", first, "--to", scratch["vault"] + "/"], Self.written)
    for source in ["a.json", "a.csv", "a.xlsx", "vault", "a.fleetpack"] {
      try run(["list", scratch[source]], Self.written)
      try run(["import", scratch[source], "--into", scratch["a.sqlite"]], Self.written)
    }
    try run(["import", other, "--into", scratch["a.sqlite"], "--on-conflict", "newest"], Self.written)
    try run(["import", first, "--into", scratch["a.sqlite"], "--plan", scratch["plan.json"]], Self.written)
    try run(["apply", scratch["plan.json"]], Self.written)
    try run(["doctor", scratch["a.sqlite"]], [0, 1])
    try run(["publish", scratch["a.sqlite"], "--all", "--yes"], Self.written)
    try run(["sync", scratch["a.sqlite"], "--dry-run"], Self.written)
    try run(["queue", scratch["a.sqlite"]], [0])
    try run(["backup", scratch["a.sqlite"], "--to", scratch["backups"] + "/"], [0])
    try run(["verify", "--restore"] + backups(scratch), [0])
    try run(["restore"] + backups(scratch) + ["--to", scratch["b.sqlite"]], [0])
    try run(["diff", scratch["a.sqlite"], scratch["b.sqlite"]], [0])
  }

  func backups(_ scratch: Scratch) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: scratch["backups"])) ?? []
    return names.sorted().map { scratch["backups"] + "/" + $0 }
  }

  /// A value is kept unchanged, its record is rejected, or the loss is listed. Nothing else may happen.
  @Test func nothingIsChangedSilently() throws {
    let scratch = Scratch()
    let source = try scratch.write("first.jsonl", Self.bundle(ExtremeNumbers.json))
    // A bundle keeps every digit of a number that it can use.
    try run(["convert", source, "--to", scratch["second.jsonl"]], [3])
    let kept = try Self.values(scratch.text("second.jsonl"))
    let given = try Self.values(scratch.text("first.jsonl"))
    #expect(!kept.isEmpty && kept.count < given.count)
    for (place, number) in kept { #expect(given[place] == number, "\(place)") }
    // A value that a library rounds is listed as a loss.
    let answer = try run(["convert", scratch["second.jsonl"], "--to", scratch["a.sqlite"], "--json"], Self.written)
    let report = try JSONDocument(parsing: answer.output).root
    #expect((answer.number("/losses/total") ?? 0) > 0, "\(answer.output.prefix(600))")
    try run(["convert", scratch["second.jsonl"], "--to", scratch["no.sqlite"], "--no-loss"], [4])
    #expect(report["balances"]?.bool == true)
    try run(["export", scratch["a.sqlite"], "--to", scratch["third.jsonl"]], [0])
    for (place, number) in try Self.values(scratch.text("third.jsonl")) where !Self.isReal(place) {
      // -0 is equal to 0.
      #expect(kept[place] == number || number == "0" && kept[place]?.hasPrefix("-0") == true, "\(place)")
    }
  }

  private static func isReal(_ place: String) -> Bool {
    ["latitude", "longitude", "rating_average"].contains { place.hasSuffix("/" + $0) }
  }

  /// Returns every number among each record's own members, as written.
  private static func values(_ bundle: String) throws -> [String: String] {
    var values: [String: String] = [:]
    for line in bundle.split(separator: "\n").dropFirst() {
      let root = try JSONDocument(parsing: String(line)).root
      let name = root["title"]?.string ?? root["name"]?.string ?? ""
      guard let value = root[name], let id = root["id"]?.string else { continue }
      values["\(id)/\(name)"] = value.text
    }
    return values
  }

  @Test func versionsOfRecordsAreMerged() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: 7)
    func document(_ name: String) throws -> String {
      func number() -> String { ExtremeNumbers.json[Int(random.next() % UInt64(ExtremeNumbers.json.count))] }
      let minutes = "-9223372036854775808"
      return try scratch.write(
        name,
        """
        {"id":"6D0939BC-A71B-49F8-B06C-C047F24F4730","title":"A","tags":[],"createdAt":"2026-01-05T10:11:12Z",\
        "updatedAt":"2026-01-05T10:11:12Z","syncStatus":"pending","x":\(number()),"fork_count":\(number()),\
        "sections":[{"id":"29DF9536-C7E3-4EDF-8007-AC38EAAA33D1","title":"B","sortOrder":\(minutes),"items":[\
        {"id":"39DF9536-C7E3-4EDF-8007-AC38EAAA33D1","title":"\(name)","estimatedMinutes":\(number()),"sortOrder":\
        \(minutes)},{"id":"39DF9536-C7E3-4EDF-8007-AC38EAAA33D2","title":"D","y":[\(number())],"sortOrder":\(number())}]}]}
        """)
    }
    for round in 0..<6 * ExtremeNumbers.rounds {
      let files = try ["base.json", "ours.json", "theirs.json"].map { try document($0) }
      try run(["merge"] + files + ["--to", scratch["out.json"]], [0, 1, 2, 4], "in round \(round)")
      try run(["diff", files[1], files[2]], Self.any, "in round \(round)")
    }
    // The exponents of these numbers are the largest ones with which FleetKit computes.
    let spellings = ["10e9223372036854775807", "100e9223372036854775806", "10e-9223372036854775808", "0.1e-400"]
    let lines = spellings.map { spelling in
      let numbers = spellings.map { "{\"title\":\"A\",\"x\":\($0),\"y\":\(spelling)}" }
      return "{\"title\":\"A\",\"sections\":[{\"title\":\"B\",\"items\":[\(numbers.joined(separator: ","))]}]}"
    }
    let files = try lines.enumerated().map { try scratch.write("\($0).json", $1) }
    for index in files.indices {
      try run(["diff", files[0], files[index]], Self.any)
      try run(["merge", files[0], files[index], files[3 - index], "--to", scratch["m.json"]], [0, 1, 2, 4])
    }
  }

  // MARK: Headers, settings, plans

  @Test func headersAndSettings() throws {
    let scratch = Scratch()
    for number in ExtremeNumbers.json {
      let bundle = try scratch.write(
        "a.jsonl",
        "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":\(number),\"min_reader\":\(number)}\n")
      try run(["list", bundle], number.hasPrefix("-") ? [0, 2] : [0, 2, 6], number)
    }
    let folder = scratch["content"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in ExtremeNumbers.json + ExtremeNumbers.words + [".inf", "-.nan", "0o7777777777777777777777777"] {
      let settings = """
        version: 1
        limits:
          glance_characters: \(number)
          checklist_minutes: \(number)
          section_steps: \(number)
        """
      _ = try scratch.write("content/.fleetkit.yml", settings)
      try run(["validate", folder], [64], number)
    }
    for number in ExtremeNumbers.json {
      _ = try scratch.write("content/.fleetkit.yml", "version: \(number)\n")
      try run(["validate", folder], [64, 6], number)
    }
  }

  @Test func optionsAndVariables() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let source = try scratch.write("a.jsonl", Self.bundle(["1"]))
    for (index, number) in (ExtremeNumbers.json + ExtremeNumbers.words).enumerated() {
      let percent = index % 2 == 0 ? "%" : ""
      try run(["import", source, "--into", library, "--dry-run", "--max-errors=\(number)\(percent)"], [0, 3, 64])
      try run(
        ["sync", library, "--dry-run", index % 2 == 0 ? "--timeout=\(number)" : "--workers=\(number)"], [0, 3, 64])
      try run(["sync", library, "--watch", "--interval=\(number)", "--registry", "http://127.0.0.1:1/?"], [64])
      let unit = ["d", "h", "y", ""][index % 4]
      try run(["backup", library, "--to", scratch["b"] + "/", "--keep=\(number)\(unit)", "--dry-run"], [0, 64])
      try run(["undo", number, "--library", library, "--yes"], [64])
      try run(["validate", source, "--max-findings=\(number)"], [0, 1, 64])
      let answer = try Shell.run(
        Paths.command, ["list", source], environment: ["SOURCE_DATE_EPOCH": number])
      #expect(answer.status == 0 || answer.status == 3, "SOURCE_DATE_EPOCH=\(number): \(answer.errors)")
    }
  }

  @Test func plansAreRefused() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let source = try scratch.write("a.jsonl", Self.bundle(["1"]))
    try run(["import", source, "--into", library, "--plan", scratch["plan.json"]], Self.written)
    let plan = try scratch.text("plan.json")
    let places = plan.matches(of: /[:\[,] ?(-?[0-9]+)[,}\]\n]/).map { $0.1.startIndex..<$0.1.endIndex }
    #expect(places.count > 5)
    for (index, number) in ExtremeNumbers.json.enumerated() {
      var changed = plan
      for (place, range) in places.enumerated().reversed() where place % 5 == index % 5 {
        changed.replaceSubrange(range, with: number)
      }
      try run(["apply", scratch.write("changed.json", changed)], [2, 3, 4, 6], number)
    }
  }

  // MARK: Notes and tables

  @Test func notesAndTables() throws {
    let scratch = Scratch()
    let vault = scratch["vault"]
    try FileManager.default.createDirectory(atPath: vault, withIntermediateDirectories: true)
    var rows = ["checklist,section,step,minutes,id,required,forks"]
    var todoist = ["TYPE,CONTENT,PRIORITY,INDENT,DATE,DURATION,DURATION_UNIT"]
    for (index, number) in (ExtremeNumbers.json + ExtremeNumbers.words + [".inf", ".nan"]).enumerated() {
      _ = try scratch.write(
        "vault/\(index).md",
        """
        ---
        type: checklist
        fork_count: \(number)
        rating_count: \(number)
        rating_average: \(number)
        pinned_order: \(number)
        created: \(number)
        updated: "\(number)"
        x: \(number)
        ---
        # List \(index)

        See [[\(index)#Part-\(number)]] and [[\(index)#Part-9223372036854775807]].

        ## Part

        - [ ] Step · \(number) min <!-- id: x, minutes: \(number), sort: \(number) -->
        - [ ] Other (\(number) min) {minutes=\(number)}

        ```
        \(number)
        ```
        """)
      _ = try scratch.write(
        "vault/deck-\(index).md",
        """
        ---
        type: flashcard_deck
        ---
        # Deck \(index)

        Q: What?
        A: That. <!--SR:!2026-01-05,\(number),\(number)-->

        Front::Back <!--SR:!\(number)-01-05,3,250!2026-01-05,\(number),250-->

        Q\(number): What?
        A\(number): That.
        """)
      rows.append("A,B,step \(index),\(number),,\(number),\(number)")
      todoist.append("task,task \(index),\(number),\(number),\(number),\(number),minute")
    }
    let table = try scratch.write("a.csv", rows.joined(separator: "\n") + "\n")
    let tasks = try scratch.write("todoist.csv", todoist.joined(separator: "\n") + "\n")
    for source in [vault, table, tasks] {
      try run(["validate", source], [0, 1])
      try run(["list", source], Self.written)
      try run(["convert", source, "--to", scratch["\(UUID().uuidString).jsonl"]], Self.written)
      let library = scratch["\(UUID().uuidString).sqlite"]
      try run(["import", source, "--into", library, "--create"], Self.written)
      try run(["import", source, "--into", library], Self.written)
      try run(["export", library, "--to", scratch["\(UUID().uuidString)"] + "/"], Self.written)
    }
  }

  @Test func workbooks() throws {
    guard Shell.has("zip") else { return }
    let scratch = Scratch()
    let source = try scratch.write("a.csv", "checklist,section,step,minutes\nA,B,C,5\n")
    try run(["convert", source, "--to", scratch["a.xlsx"]], Self.written)
    try FileManager.default.createDirectory(atPath: scratch["x"], withIntermediateDirectories: true)
    #expect(try Shell.run("unzip", ["-q", scratch["a.xlsx"], "-d", scratch["x"]]).status == 0)
    let sheet = scratch["x/xl/worksheets/sheet1.xml"]
    let styles = scratch["x/xl/styles.xml"]
    let plain = try String(contentsOfFile: sheet, encoding: .utf8)
    let plainStyles = try String(contentsOfFile: styles, encoding: .utf8)
    let numbers = ExtremeNumbers.json + ExtremeNumbers.words
    for (index, number) in numbers.enumerated() {
      var text = plain
      switch index % 4 {
      case 0: text = text.replacing("<v>5</v>", with: "<v>\(number)</v>")
      case 1: text = text.replacing(#/ r="[0-9]+"/#, with: " r=\"\(number)\"")
      case 2:
        text = text.replacing(#/ s="[0-9]+"/#, with: " s=\"\(number)\"")
          .replacing("<v>5</v>", with: "<v>\(number)</v>")
      default: text = text.replacing(/<c r="A2"[^>]*>/, with: "<c r=\"A2\" t=\"s\"><v>\(number)</v></c><c r=\"B2\">")
      }
      try text.write(toFile: sheet, atomically: true, encoding: .utf8)
      // Dates, times and percentages of extreme size.
      let id = [14, 20, 46, 9, 10][index % 5]
      try plainStyles.replacing(/numFmtId="[0-9]+"/, with: "numFmtId=\"\(index % 2 == 0 ? "\(id)" : number)\"")
        .write(toFile: styles, atomically: true, encoding: .utf8)
      try? FileManager.default.removeItem(atPath: scratch["b.xlsx"])
      #expect(try Shell.run("zip", ["-qr", scratch["b.xlsx"], "."], folder: scratch["x"]).status == 0)
      // Status 5 means that the sheet is damaged.
      try run(["convert", scratch["b.xlsx"], "--to", scratch["\(index).jsonl"]], [0, 2, 3, 5], number)
    }
  }
}
