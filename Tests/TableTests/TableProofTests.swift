import Foundation
import JSONText
import TestSupport
import Testing

/// All of FleetKit's samples are converted to tables and compared: every value that is not preserved is a listed loss.
@Suite struct TableProofTests {
  private static let samples = [
    "samples/curated-checklists.jsonl", "samples/crew-handbook.json", "samples/phase1-library.sqlite", "samples/vault",
    "samples/ci", "samples/tables/spring-service.csv",
    // A damaged library: items without documents, and ids that occur twice.
    "Tests/Fixtures/libraries/library-v1.4.0-orphans.sqlite",
  ]
  private static let fixtures = [
    "odd-values.jsonl", "own-columns.csv", "sections-in-columns.csv", "title-above.csv", "units.csv", "totals.csv",
    "taches.csv", "tareas.csv", "attivita.csv", "trips.csv", "aufgaben.csv",
  ].map { "Tests/Fixtures/tables/\($0)" }

  @Test(arguments: samples + fixtures, ["csv", "xlsx"]) func nothingIsLostUnlisted(_ source: String, _ ending: String)
    throws
  {
    let scratch = Scratch()
    for shape in source.hasSuffix("trips.csv") ? ["charters"] : ["", "steps", "catalogue"] {
      let words = shape.isEmpty || source.hasSuffix(".csv") && shape == "catalogue" ? [] : ["--shape", shape]
      let answer = try Shell.run(
        Paths.command,
        ["convert", Paths.root + "/" + source, "--to", scratch["\(shape)x.\(ending)"], "--prove", "-q"] + words)
      // A row of one sample is wrong on purpose, and two texts of the damaged library are lost.
      let isPartial = source.hasSuffix("spring-service.csv") || source.hasSuffix("orphans.sqlite")
      #expect(answer.status == (isPartial ? 3 : 0), "\(shape): \(answer.errors)")
    }
  }

  /// The content of each table, counted by hand: steps, sections, minutes, details and findings.
  @Test(arguments: [
    ("own-columns.csv", 3, 1, 180, 3, ["TBL0127": 1, "TBL0128": 1]),
    ("aufgaben.csv", 2, 2, 40, 2, ["TBL0202": 1]), ("sections-in-columns.csv", 5, 3, 0, 0, ["TBL0130": 1]),
    ("title-above.csv", 2, 1, 0, 2, [:]), ("units.csv", 5, 1, 330, 1, ["TBL0127": 1]),
    ("totals.csv", 4, 2, 0, 3, ["TBL0128": 1]), ("taches.csv", 3, 2, 15, 2, [:]),
    ("tareas.csv", 2, 2, 5, 2, [:]), ("attivita.csv", 2, 2, 5, 2, [:]),
  ])
  func countsAreThoseMadeByHand(
    _ name: String, _ steps: Int, _ sections: Int, _ minutes: Double, _ details: Int, _ codes: [String: Int]
  ) throws {
    let scratch = Scratch()
    let matrix = codes["TBL0130"] == nil ? [] : ["--matrix"]
    let answer = try Shell.run(
      Paths.command,
      ["convert", Paths.root + "/Tests/Fixtures/tables/" + name, "--to", scratch["a.jsonl"], "--json"] + matrix)
    #expect(answer.status == 0)
    let lines = try scratch.text("a.jsonl").split(separator: "\n")
    let items = try lines.map { try JSONDocument(parsing: String($0)).root }.filter { $0["kind"]?.string == "item" }
    let parts = items.flatMap { $0["content_data"]?["sections"]?.elements ?? [] }
    let all = parts.flatMap { $0["items"]?.elements ?? [] }
    #expect(all.count == steps && parts.count == sections)
    #expect(all.reduce(0) { $0 + (Double($1["estimatedMinutes"]?.text ?? "") ?? 0) } == minutes)
    #expect(all.count { $0["itemDescription"] != nil } == details)
    let found = try JSONDocument(parsing: answer.output).root["findings"]?["items"]?.elements ?? []
    for (code, count) in codes { #expect(found.count { $0["code"]?.string == code } == count, "\(code)") }
  }

  /// The hint for a table without a header names a text column, and with this option no row is lost.
  @Test func theHintForATableWithoutAHeaderLosesNothing() throws {
    let scratch = Scratch()
    let table = Paths.root + "/Tests/Fixtures/tables/no-header.csv"
    let refused = try Shell.fleetkit("convert", table, "--to", scratch["a.jsonl"])
    let hint = try #require(refused.errors.firstMatch(of: /--no-header --map (\S+)/))
    let answer = try Shell.fleetkit(
      "convert", table, "--to", scratch["a.jsonl"], "--no-header", "--map", String(hint.1), "--json", "-q")
    #expect(refused.status == 2 && answer.status == 0 && answer.output.contains(#""rows":{"read":3,"#))
    #expect(try scratch.text("a.jsonl").contains(#""title":"Lines""#))
  }

  /// Rows with the same id would form one item, and the second item would be lost in the first.
  @Test(arguments: ["csv", "xlsx"], ["checklist", "practice_guide", "flashcard_deck"])
  func aSecondItemOfAnIDIsRejected(_ ending: String, _ type: String) throws {
    let scratch = Scratch()
    let data =
      switch type {
      case "checklist": #"{"sections":[{"title":"S","items":[{"title":"a"}]}]}"#
      case "flashcard_deck": #"{"cards":[{"front":"a","back":"b"}]}"#
      default: #"{"markdown":"x"}"#
      }
    let lines = ["One", "Two"].map {
      #"{"kind":"item","id":"3A473796-0000-4000-8000-000000000001","content_type":"\#(type)","title":"\#($0)","content_data":\#(data)}"#
    }
    let source = try scratch.write("two.jsonl", lines.joined(separator: "\n") + "\n")
    let target = scratch["t.\(ending)"]
    let answer = try Shell.fleetkit("convert", source, "--to", target, "--prove")
    #expect(answer.status == 3 && answer.errors.contains("two.jsonl:2:1: error[WRT0101]"), "\(answer.errors)")
    #expect(try scratch.text("t.\(ending).rejects.jsonl").contains(#""title":"Two""#))
    #expect(try Shell.fleetkit("list", target, "-q").output.contains("One"))
    let stopped = try Shell.fleetkit("convert", source, "--to", scratch["s.\(ending)"], "--on-invalid", "stop")
    #expect(stopped.status == 2 && !scratch.names.contains("s.\(ending)"))
  }

  /// A written table is read unchanged: it causes no warning and produces the same table again.
  @Test(arguments: fixtures.dropLast(2) + fixtures.suffix(1), ["csv", "xlsx"])
  func writtenTablesAreStable(_ source: String, _ ending: String) throws {
    let scratch = Scratch()
    #expect(
      try Shell.fleetkit("convert", Paths.root + "/" + source, "--to", scratch["a.\(ending)"], "--shape", "steps", "-q")
        .status == 0)
    let second = try Shell.fleetkit(
      "convert", scratch["a.\(ending)"], "--to", scratch["b.\(ending)"], "--shape", "steps", "-v")
    #expect(second.status == 0 && !second.errors.contains("warning["), "\(second.errors)")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: scratch["a.\(ending)"]))
        == Data(contentsOf: URL(fileURLWithPath: scratch["b.\(ending)"])))
  }

  /// Columns of a table are restored from a library, including edits that were made in between.
  @Test func columnsComeBackFromALibrary() throws {
    let scratch = Scratch()
    let table = try scratch.write("t.csv", "Item,Quantity,Who\nRope,3,Ann\nLine,,Bob\n")
    #expect(try Shell.fleetkit("import", table, "--into", scratch["l.sqlite"], "--create", "-q").status == 0)
    #expect(try Shell.fleetkit("export", scratch["l.sqlite"], "--to", scratch["out.csv"], "-q").status == 0)
    let text = try scratch.text("out.csv")
    let lines = text.split(separator: "\n")
    #expect(lines[0].hasSuffix(",Quantity,Who") && lines[1].hasSuffix(",3,Ann") && lines[2].hasSuffix(",,Bob"))
    _ = try scratch.write("edited.csv", text.replacing(",3,Ann", with: ",4,Ann"))
    let again = try Shell.fleetkit("import", scratch["edited.csv"], "--into", scratch["l.sqlite"], "--json", "-q")
    #expect(again.status == 0 && again.output.contains("\"updated\":1"), "\(again.output)")
    let shown = try Shell.fleetkit("show", scratch["l.sqlite"], "--title", "t")
    #expect(shown.output.contains("Quantity: 4"), "\(shown.output)")
    let same = try Shell.fleetkit("import", scratch["edited.csv"], "--into", scratch["l.sqlite"], "--json", "-q")
    #expect(same.status == 0 && same.output.contains("\"updated\":0"), "\(same.output)")
  }

  /// Details that were edited since, and columns in a different order, do not count as differences.
  @Test(arguments: ["csv", "xlsx"]) func editedLinesAreProved(_ ending: String) throws {
    let scratch = Scratch()
    func item(_ number: Int, _ details: String, _ columns: String) -> String {
      #"{"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000\#(number)","content_type":"checklist","title":"L","#
        + #""content_data":{"sections":[{"title":"S","items":[{"title":"x","itemDescription":"\#(details)"}]}]},"#
        + #""extras":{"table":{"columns":[\#(columns)]}}}"# + "\n"
    }
    let bundle = try scratch.write(
      "a.jsonl",
      #"{"kind":"bundle","format":"fleetkit.bundle","version":1}"# + "\n"
        + item(1, #"Quantity: 3\nmore"#, #""Quantity""#)
        + item(2, #"Who: Ann\nQuantity: 3"#, #""Who","Quantity""#) + item(3, "Free", #""Other""#))
    let answer = try Shell.fleetkit("convert", bundle, "--to", scratch["a.\(ending)"], "--prove", "-q")
    #expect(answer.status == 0, "\(answer.errors)")
  }

  /// Rows that were rejected from a table without a header can be read again.
  @Test func rejectedRowsOfATableWithoutAHeaderAreReadAgain() throws {
    let scratch = Scratch()
    let table = try scratch.write("t.csv", "Deck,Lines,yes\nDeck,Fenders,perhaps\nBelow,Hatches,no\n")
    let words = ["--no-header", "--map", "1=section", "--map", "2=title", "--map", "3=required"]
    let first = try Shell.run(
      Paths.command, ["import", table, "--into", scratch["l.sqlite"], "--create"] + words)
    #expect(first.status == 3, "\(first.errors)")
    let folder = scratch["l.sqlite.fleetkit/rejects"]
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".csv") })
    let path = folder + "/" + name
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "Deck,Fenders,perhaps\n")
    try "Deck,Fenders,yes\n".write(toFile: path, atomically: false, encoding: .utf8)
    let retry = try Shell.fleetkit("import", "--retry", path, "--into", scratch["l.sqlite"])
    #expect(retry.status == 0, "\(retry.errors)")
    let shown = try Shell.fleetkit("show", scratch["l.sqlite"], "--title", "t").output
    let places = ["Lines", "Fenders", "Hatches"].compactMap { shown.range(of: $0)?.lowerBound }
    #expect(places.count == 3 && places == places.sorted(), "\(shown)")
  }

  /// Tables with many rows and an unknown column, and tables of several encodings in one folder.
  @Test func largeAndMixedTablesAreRead() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["in"], withIntermediateDirectories: true)
    var text = "List,Item,Quantity\n"
    for row in 0..<100_000 { text += "List \(row / 100),Step \(row),\(row)\n" }
    _ = try scratch.write("in/large.csv", text)
    let latin = Data("Aufgabe;Menge\n".utf8) + Data([0xD6]) + Data("l pr".utf8) + Data([0xFC]) + Data("fen;4\n".utf8)
    try latin.write(to: URL(fileURLWithPath: scratch["in/latin.csv"]))
    try Data(
      "Item,Quantity\nRope,3\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }.reduce(into: [0xFF, 0xFE]) {
        $0.append($1)
      }
    )
    .write(to: URL(fileURLWithPath: scratch["in/wide.csv"]))
    try Data([0x49, 0x74, 0x65, 0x6D, 0x0A, 0x00, 0x01, 0xFF, 0x0A]).write(
      to: URL(fileURLWithPath: scratch["in/bad.csv"]))
    let answer = try Shell.fleetkit("convert", scratch["in"], "--to", scratch["out.jsonl"], "--json", "-q")
    #expect(answer.status == 3, "\(answer.errors)")
    let out = try scratch.text("out.jsonl")
    #expect(out.split(separator: "\n").count > 1002 && out.contains("Quantity: 99999"))
    #expect(out.contains("Öl prüfen") && out.contains("Quantity: 3"))
  }
}
