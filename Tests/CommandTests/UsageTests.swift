import FleetKit
import Foundation
import TestSupport
import Testing

/// The help, and the messages about invalid arguments.
@Suite struct UsageTests {
  /// Examples are copied and lists are read in columns, so the parser must not wrap their lines.
  @Test func indentedLinesOfTheHelpAreNotWrapped() throws {
    let commands = try CommandHelp.root().all
    var seen = 0
    for command in commands {
      let help = try Shell.run(Paths.command, Array(command.words.dropFirst()) + ["--help"])
      let shown = Set(help.output.split(separator: "\n"))
      for line in command.discussion.split(separator: "\n") where line.hasPrefix("  ") {
        #expect(shown.contains(line), "\(command.words.joined(separator: " ")): \(line)")
        seen += 1
      }
    }
    #expect(seen > 200)
  }

  @Test func optionsAreUnderTheHeadingOfWhatTheyAreFor() throws {
    let headings = [
      "infer": "Notes in Markdown", "with-ticks": "Notes in Markdown", "map": "Tables", "matrix": "Tables",
      "sheet": "Tables", "delimiter": "Tables", "decks": "Other apps",
    ]
    var seen = 0
    // In `formats`, the format options refer to templates that the command writes.
    for command in try CommandHelp.root().all where command.words.last != "formats" {
      for (option, heading) in headings {
        guard let found = command.headings[option] else { continue }
        #expect(found == heading, "\(command.words.joined(separator: " ")) --\(option)")
        seen += 1
      }
    }
    #expect(seen > 50)
  }

  @Test(
    arguments: [
      (["improt"], "import"), (["exprot", "x.sqlite"], "export"), (["pack", "bild"], "build"),
      (["Validate"], "validate"),
      (["help", "convret"], "convert"), (["help", "pack", "verfy"], "verify"), (["help", "exit-staus"], "exit-status"),
    ])
  func aMisspelledVerbIsRecognised(_ words: [String], _ meant: String) throws {
    let answer = try Shell.run(Paths.command, words)
    #expect(answer.status == 64 && answer.output.isEmpty)
    #expect(answer.errors.contains("'\(meant)'?") && answer.errors.contains("Usage: fleetkit"), "\(answer.errors)")
  }

  @Test func aWordThatResemblesNoVerbIsReported() throws {
    for words in [["frobnicate"], ["help", "nonsense"], ["pack", "xyzzy"], [""]] {
      let answer = try Shell.run(Paths.command, words)
      #expect(
        answer.status == 64 && answer.output.isEmpty && !answer.errors.contains("?"), "\(words): \(answer.errors)")
    }
    // The verb itself checks the arguments of its default subcommand.
    #expect(try Shell.fleetkit("queue", "no-such.sqlite").status == 2)
    #expect(try Shell.fleetkit("help", "pack", "build").output.contains("USAGE: fleetkit pack build"))
    #expect(try Shell.fleetkit("help", "help").status == 0)
  }

  @Test func exitStatusesHaveAPage() throws {
    for word in ["exit-status", "exit"] {
      let answer = try Shell.fleetkit("help", word)
      #expect(answer.status == 0 && answer.errors.isEmpty)
      let listed = answer.output.split(separator: "\n").filter { $0.hasPrefix("  ") }.compactMap {
        $0.split(separator: " ").first.flatMap { Int32($0) }
      }
      #expect(Set(listed).isSuperset(of: FleetKit.ExitStatus.allCases.map(\.rawValue)))
    }
  }

  @Test(arguments: [["convert"], ["list", "--infer", "maybe", "x"], ["list", "--frob"], ["improt"]])
  func usageErrorsBeginLikeAllOthers(_ words: [String]) throws {
    let answer = try Shell.run(Paths.command, words)
    #expect(answer.status == 64 && answer.errors.hasPrefix("fleetkit: "), "\(answer.errors)")
    #expect(answer.errors.contains("\nUsage: fleetkit") && answer.errors.contains("--help' for more information"))
  }

  /// Scripts may pass `--yes` to every verb, but the help lists the option only for verbs that ask.
  @Test func yesIsOfferedOnlyWhereSomethingIsAsked() throws {
    let asking: Set = [
      "fleetkit import", "fleetkit restore", "fleetkit migrate", "fleetkit publish", "fleetkit update",
      "fleetkit unpublish", "fleetkit queue cancel", "fleetkit queue rebind",
    ]
    let offering = try CommandHelp.root().all.filter { $0.options.contains("yes") }.map {
      $0.words.joined(separator: " ")
    }
    #expect(Set(offering) == asking)
    let handbook = Paths.root + "/samples/crew-handbook.json"
    for words in [["list", handbook], ["inspect", handbook], ["formats"], ["rules"], ["validate", handbook]] {
      #expect(try Shell.run(Paths.command, words + ["--yes"]).status == 0, "\(words)")
    }
  }

  @Test func aRefusalSaysWhyRecordsWereRejected() throws {
    let scratch = Scratch()
    let source = try scratch.write("bad.jsonl", "nonsense\n")
    for words in [["--to", scratch["o.md"]], ["--to", scratch["o"] + "/", "--to-format", "todoist"]] {
      let answer = try Shell.run(Paths.command, ["convert", source] + words)
      #expect(answer.status == 4 && answer.errors.contains("bad.jsonl:1:2: error[JSN0001]"), "\(answer.errors)")
      let quiet = try Shell.run(Paths.command, ["convert", source, "-q"] + words)
      #expect(quiet.status == 4 && !quiet.errors.contains("JSN0001"), "\(quiet.errors)")
    }
    #expect(scratch.names == ["bad.jsonl"])
  }

  /// The report goes to standard output, and the reason for the status goes to standard error.
  @Test func aPartialResultIsExplainedNextToItsReport() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite", as: "l.sqlite")
    try SQLiteShell.run(
      library, "UPDATE checklists SET content = substr(content, 1, length(content) - 40) WHERE rowid = 1;")
    let answer = try Shell.fleetkit("migrate", library, "--repair", "--yes", "--json")
    #expect(answer.status == 3 && ForeignJSON.parse(answer.output) != nil, "\(answer.errors)")
    #expect(answer.errors.contains("LIB0110") && answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")
    let bad = try scratch.write("a.jsonl", "{\"content_type\":\"checklist\",\"title\":\"T\"}\nnonsense\n")
    let partial = try Shell.fleetkit("convert", bad, "--to", scratch["b.jsonl"], "--json")
    #expect(partial.status == 3 && ForeignJSON.parse(partial.output) != nil)
    #expect(partial.errors.hasSuffix(scratch["b.jsonl"] + ".rejects.jsonl\n"), "\(partial.errors)")
  }

  @Test func countsAreWorded() throws {
    let scratch = Scratch()
    let source = try scratch.write(
      "a.jsonl",
      #"{"content_type":"practice_guide","title":"G","content_data":{"markdown":"word"}}"# + "\n"
        + #"{"content_type":"flashcard_deck","title":"D","content_data":{"cards":[{"front":"a","back":"b"}]}}"# + "\n"
        + #"{"content_type":"checklist","title":"C","content_data":{"sections":[{"title":"S","items":[{"title":"a"}]}]}}"#
        + "\n")
    let listed = try Shell.fleetkit("list", source, "-q").output
    for extent in ["1 word", "1 card", "1 step in 1"] { #expect(listed.contains(extent), "\(listed)") }
    #expect(!listed.contains("1 words") && !listed.contains("1 cards"), "\(listed)")
    let facts = try Shell.fleetkit("inspect", source).output
    #expect(facts.contains("1 step ·") && facts.contains("1 word in guides"), "\(facts)")
  }

  @Test func aRecordThatComesTwiceIsCountedOnce() throws {
    let scratch = Scratch()
    let head =
      #"{"kind":"item","id":"3A473796-0000-4000-8000-000000000009","content_type":"flashcard_deck","title":"A","#
    let sources = try ["b", "c"].map { back in
      try scratch.write(
        "\(back).jsonl", head + #""content_data":{"cards":[{"front":"a","back":"\#(back)"}]}}"# + "\n")
    }
    let answer = try Shell.run(
      Paths.command,
      ["import"] + sources + ["--into", scratch["l.sqlite"], "--create", "--on-conflict", "replace", "--json"])
    #expect(answer.status == 0 && answer.output.contains(#""kept_beside":1,"#), "\(answer.output)")
  }

  /// A copied note has the same id as the original, so the list distinguishes the two by file.
  @Test func recordsWithOneIDAreListedWithTheirPlaces() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["n"], withIntermediateDirectories: true)
    for name in ["a", "b", "c"] {
      _ = try scratch.write(
        "n/\(name).md",
        "---\nid: 3A473796-0000-4000-8000-000000000001\ntype: checklist\n---\n# Engine check\n\n- [ ] Oil \(name)\n")
    }
    let answer = try Shell.fleetkit("show", scratch["n"] + "/", "--title", "Engine*")
    #expect(answer.status == 64 && answer.output.isEmpty)
    for name in ["a", "b", "c"] { #expect(answer.errors.contains("n/\(name).md"), "\(answer.errors)") }
    #expect(answer.errors.contains("--path") && !answer.errors.contains("Give more of the id"))
    let one = try Shell.fleetkit("show", scratch["n"] + "/", "--title", "Engine*", "--path", "*/b.md")
    #expect(one.status == 0 && one.output.contains("Oil b"), "\(one.errors)")
  }
}
