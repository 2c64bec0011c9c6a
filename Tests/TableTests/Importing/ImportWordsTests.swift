import Foundation
import TestSupport
import Testing

/// The messages about an import of tables. `Tests/Golden/commands/importing.md` contains their texts.
@Suite struct ImportWordsTests {
  private static let table = """
    checklist,section,item,minutes
    Departure,Deck,Check the fenders,a while

    """

  @Test func oneRowIsNotMany() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(first.status == 3 && first.errors.contains("--retry") && first.errors.hasSuffix("-import.csv\n"))
    let dry = try Shell.fleetkit(
      "import", "steps.csv", "--into", "l.sqlite", "--dry-run", "--json", folder: scratch.path)
    #expect(dry.status == 3 && dry.number("/rows/read") == 1 && dry.number("/rows/rejected") == 1)
    #expect(dry.text("/rejects") == nil)
  }

  @Test func aLibraryDoesNotHaveWhatWasRejected() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    let again = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(again.status == 3 && again.number("/rows/rejected") == 1 && again.number("/rows/unchanged") == 0)
    #expect(again.number("/total/created") == 0 && again.number("/total/updated") == 0)
  }

  @Test func aHeaderAloneIsNothingToImport() throws {
    let scratch = Scratch()
    _ = try scratch.write("good.csv", Self.table.replacing("a while", with: "5"))
    _ = try scratch.write("steps.csv", "checklist,section,item,minutes\n")
    let good = try Shell.fleetkit("import", "good.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    #expect(good.status == 0)
    let none = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(none.status == 0 && none.number("/total/read") == 0, "\(none.errors)")
    let same = try Shell.fleetkit("import", "good.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(same.status == 0 && same.number("/rows/read") == 1 && same.number("/rows/unchanged") == 1)
  }

  @Test func retriedRowsThatAreDoneLeaveAFileBehind() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table + "Departure,Deck,Dog the hatches,long\n")
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    let path = String(try #require(first.errors.split(separator: "\n").last))
    let rejects = try String(contentsOfFile: scratch[path], encoding: .utf8)
    try rejects.replacing("a while", with: "5").write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let half = try Shell.fleetkit("import", "--retry", path, "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(half.status == 3 && half.number("/rows/created") == 1 && half.number("/rows/rejected") == 1)
    try rejects.replacing("a while", with: "5").replacing("long", with: "5")
      .write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let all = try Shell.fleetkit("import", "--retry", path, "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(all.status == 0 && all.number("/rows/rejected") == 0, "\(all.errors)")
    #expect(FileManager.default.fileExists(atPath: scratch[path]))
  }

  @Test func adviceOfValidateFitsAFileThatNobodyImports() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let answer = try Shell.fleetkit("validate", "steps.csv", folder: scratch.path)
    #expect(answer.status == 1 && answer.output.contains("[TBL0113]"), "\(answer.output)")
    #expect(scratch.names == ["steps.csv"], "no file of rejects was written")
  }

  @Test func refusingToReplaceAFileNamesTheFlag() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table.replacing("a while", with: "5"))
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    for name in ["t.csv", "t.xlsx", "t.jsonl", "t.md"] {
      _ = try scratch.write(name, "mine")
      let answer = try Shell.fleetkit("export", "l.sqlite", "--to", name, folder: scratch.path)
      #expect(answer.status == 4 && answer.errors.contains("--overwrite"), "\(name): \(answer.errors)")
      #expect(try scratch.text(name) == "mine")
    }
    // The message does not suggest an option that the command does not have.
    let template = try Shell.fleetkit("formats", "--template", "t.csv", "--shape", "steps", folder: scratch.path)
    #expect(template.status == 4 && !template.errors.contains("--overwrite"))
  }

  @Test func aShapeThatWasAskedForNamesItsHeaders() throws {
    let scratch = Scratch()
    _ = try scratch.write("words.csv", "alpha,beta\n1,2\n")
    let cards = try Shell.fleetkit("validate", "words.csv", "--shape", "cards", folder: scratch.path)
    #expect(cards.output.contains("'front'") && cards.output.contains("'back'"), "\(cards.output)")
    let steps = try Shell.fleetkit("convert", "words.csv", "--to", "x.jsonl", "--shape", "steps", folder: scratch.path)
    #expect(steps.errors.contains("'item'") && steps.errors.contains("'checklist'"), "\(steps.errors)")
    #expect(steps.errors.contains("--no-header --map 2=item") && !steps.errors.contains("alpha="), "\(steps.errors)")
    let help = try Shell.fleetkit("help", "import", folder: scratch.path)
    #expect(help.output.contains("fleetkit formats"))
  }

  // MARK: - Delimiters, and options without an effect

  @Test func whoWritesSaysTheDelimiter() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", "item,minutes,details\n\"Lines, doubled\",5,a;b\n")
    for (word, sign) in [("semicolon", ";"), (";", ";"), ("tab", "\t"), ("\\t", "\t"), ("\t", "\t"), ("comma", ",")] {
      let answer = try Shell.fleetkit(
        "convert", "steps.csv", "--to", "out.csv", "--overwrite", "--delimiter", word, folder: scratch.path)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(try scratch.text("out.csv").hasPrefix("checklist\(sign)section\(sign)item\(sign)"), "\(word)")
      let back = try Shell.fleetkit(
        "convert", "out.csv", "--to", "-", "--to-format", "jsonl", "--delimiter", word, folder: scratch.path)
      #expect(back.output.contains("Lines, doubled") && back.output.contains("\"a;b\""))
    }
    let excel = try Shell.fleetkit(
      "convert", "steps.csv", "--to", "excel.csv", "--excel", "--delimiter", ";", folder: scratch.path)
    #expect(excel.status == 0)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scratch["excel.csv"])))
    #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF] + Array("checklist;section;".utf8)))
    let template = try Shell.fleetkit(
      "formats", "--template", "cards.csv", "--delimiter", "semicolon", folder: scratch.path)
    #expect(template.status == 0)
    #expect(try scratch.text("cards.csv").hasPrefix("deck;front;back;"))
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    let todoist = try Shell.fleetkit(
      "export", "l.sqlite", "--to", "todo.csv", "--to-format", "todoist", "--delimiter", ";", folder: scratch.path)
    #expect(todoist.status == 0)
    #expect(try scratch.text("todo.csv").hasPrefix("TYPE;CONTENT;"))
  }

  @Test func whoReadsSaysItAgainstWhatTheTextSays() throws {
    let scratch = Scratch()
    // Commas produce more cells, and the first line names the comma, too.
    _ = try scratch.write("steps.csv", "sep=,\nitem;details,a,b\nLines;one,two,three\n")
    let found = try Shell.fleetkit("validate", "steps.csv", folder: scratch.path)
    #expect(found.status == 1)
    let said = try Shell.fleetkit(
      "convert", "steps.csv", "--to", "all.jsonl", "--delimiter", "semicolon", "--map", "details,a,b=details",
      folder: scratch.path)
    #expect(said.status == 0, "\(said.errors)")
    #expect(try scratch.text("all.jsonl").contains("\"itemDescription\":\"one,two,three\""))
    let wrong = try Shell.fleetkit("validate", "steps.csv", "--delimiter", "tab", folder: scratch.path)
    #expect(wrong.output.contains("--delimiter"), "\(wrong.output)")
  }

  @Test func flagsThatMeanNothingAreRefused() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table.replacing("a while", with: "5"))
    let commands = [
      ["import", "steps.csv", "--into", "l.sqlite", "--create", "--sheet", "Steps"],
      ["validate", "steps.csv", "--sheet", "Steps"], ["list", "steps.csv", "--sheet", "Steps"],
      ["convert", "steps.csv", "--to", "x.xlsx", "--excel"], ["convert", "steps.csv", "--to", "x.jsonl", "--excel"],
      ["formats", "--template", "steps.xlsx", "--excel"], ["formats", "--template", "steps.xlsx", "--delimiter", ";"],
      ["formats", "--excel"], ["convert", "steps.csv", "--to", "x.csv", "--delimiter", "colon"],
    ]
    for command in commands {
      let answer = try Shell.run(Paths.command, command, folder: scratch.path)
      #expect(answer.status == 64, "\(command): \(answer.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["steps.csv"])
    _ = try Shell.fleetkit("convert", "steps.csv", "--to", "b.xlsx", "-q", folder: scratch.path)
    let xlsx = try Shell.fleetkit("convert", "b.xlsx", "--to", "c.xlsx", "--delimiter", ";", folder: scratch.path)
    #expect(xlsx.status == 64 && xlsx.errors.contains("--delimiter"))
    let both = try Shell.fleetkit("list", "b.xlsx", "steps.csv", "--sheet", "Steps", folder: scratch.path)
    #expect(both.status == 64 && both.errors.contains("'steps.csv'"), "\(both.errors)")
    _ = try scratch.write("pack.yml", "name: steps\nversion: 1.0.0\npublisher: a\nlicence: CC0-1.0\n")
    for (source, flag, value) in [("steps.csv", "--sheet", "Steps"), ("b.xlsx", "--delimiter", ";")] {
      let pack = try Shell.fleetkit(
        "pack", "build", source, "--config", "pack.yml", "--to", "a.fleetpack", flag, value, folder: scratch.path)
      #expect(pack.status == 64 && pack.errors.contains(flag), "\(pack.errors)")
    }
  }

  // MARK: - The report of an import

  @Test func deletionsThatWaitForARejectedRowAreSaid() throws {
    let scratch = Scratch()
    let header = "checklist,section,item,minutes\n"
    _ = try scratch.write(
      "steps.csv", header + "Departure,Deck,Fenders,5\nDeparture,Deck,Lines,5\nDeparture,Deck,Light,5\n")
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    // The step of the rejected row itself is kept, which needs no message.
    _ = try scratch.write(
      "steps.csv", header + "Departure,Deck,Fenders,5\nDeparture,Deck,Lines,x\nDeparture,Deck,Light,5\n")
    let kept = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", folder: scratch.path)
    #expect(kept.status == 3 && !kept.errors.contains("IMP0108"))
    // In this case a step was deleted from the table. Every import reports it.
    _ = try scratch.write("steps.csv", header + "Departure,Deck,Fenders,5\nDeparture,Deck,Lines,x\n")
    for _ in 0..<2 {
      let waiting = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
      let kept = try #require(waiting.findings.first { $0.code == "IMP0108" }, "\(waiting.output)")
      #expect(kept.place == "steps.csv:2:1" && kept.severity == "warning")
      #expect(kept.message.contains("'Light'") && kept.message.numbers == [1, 3], "\(kept.message)")
    }
    // A row that cannot be split into cells could belong to any step.
    _ = try scratch.write("steps.csv", header + "Departure,Deck,Fenders,5\nDeparture,Deck,Lines,5,5\n")
    let torn = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    let both = torn.findings.first { $0.code == "IMP0108" }?.message ?? ""
    #expect(both.contains("'Lines'") && both.contains("'Light'") && both.numbers.contains(2), "\(both)")
    _ = try scratch.write("steps.csv", header + "Departure,Deck,Fenders,5\nDeparture,Deck,Lines,5\n")
    let whole = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(whole.status == 0 && whole.number("/steps/removed") == 1, "\(whole.output)")
  }

  @Test func sectionsThatChangedAreSaid() throws {
    let scratch = Scratch()
    let rows = "A,Deck,Fenders\nA,Deck,Lines\nA,Below,Hatches\nA,Below,Stove\n"
    _ = try scratch.write("steps.csv", "checklist,section,item\n" + rows)
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    _ = try scratch.write(
      "steps.csv", "checklist,section,item\n" + rows.replacing("Below", with: "Under deck") + "A,Ashore,Keys\n")
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(first.value("/sections") as? [String: Int] == ["changed": 1, "added": 1, "removed": 0, "moved": 0])
    let renamed = (first.value("/step_changes") as? [[String: String]])?.first { $0["change"] == "changed" }
    #expect(renamed?["part"] == "section" && renamed?["title"] == "Below" && renamed?["new_title"] == "Under deck")
    _ = try scratch.write(
      "steps.csv", "checklist,section,item\nA,Under deck,Hatches\nA,Under deck,Stove\nA,Deck,Fenders\nA,Deck,Lines\n")
    let second = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(second.output.utf8)) as? [String: Any])
    #expect((json["sections"] as? [String: Int]) == ["changed": 0, "added": 0, "removed": 1, "moved": 1])
    let parts = (json["step_changes"] as? [[String: String]] ?? []).filter { $0["change"] == "removed" }.map {
      $0["part"]
    }
    #expect(parts.contains("section") && parts.contains("step"))
  }

  @Test func findingsOfAFileComeLineByLine() throws {
    let scratch = Scratch()
    // Two kinds of findings alternate, because they come from different stages of the reader.
    var text = "TYPE,CONTENT,PRIORITY,INDENT,DATE\n"
    for number in 0..<6 { text += number % 2 == 0 ? "task,Step \(number),x,1,\n" : "task,Step \(number),4,99,\n" }
    _ = try scratch.write("trip.csv", text + "foo,,,,\ntask,Short,4\n")
    let answer = try Shell.fleetkit("convert", "trip.csv", "--to", "x.jsonl", "--json", folder: scratch.path)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
    let items = try #require((json["findings"] as? [String: Any])?["items"] as? [[String: Any]])
    #expect(items.compactMap { $0["line"] as? Int } == [2, 3, 4, 5, 6, 7, 8, 9])
    _ = try scratch.write(
      "list.csv",
      "title,document,type,language\nA,text,nonsense type,en\nB,{,checklist,en\n,text,practice_guide,en\nC,text,,1\n")
    let people = try Shell.fleetkit("convert", "list.csv", "--to", "y.jsonl", "-v", folder: scratch.path)
    let lines = people.errors.split(separator: "\n").compactMap { line in
      line.hasPrefix("list.csv:") ? Int(line.split(separator: ":")[1]) : nil
    }
    #expect(
      Set(lines).isSuperset(of: [2, 3, 4, 5]) && lines.prefix(4) == lines.prefix(4).sorted()[...], "\(people.errors)")
  }
}
