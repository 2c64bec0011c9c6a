import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// The round-trip matrix, built from the registry: every format that can be written and read again, and is made to hold
/// all of a library.
@Suite struct MatrixTests {
  private static let all = FormatRegistry.standard.formats.map(\.descriptor)
  private static let writable = all.filter { $0.writes && $0.reads && partial[$0.name] == nil }

  /// Formats that keep a part, and the part. What they keep of it comes back: suites of their own look after that.
  private static let partial: [String: Set<Feature>] = {
    let table: Set<Feature> = [
      .checklists, .guides, .decks, .ids, .times, .tags, .language, .sections, .itemDetails, .required, .minutes,
    ]
    return [
      "csv": table, "xlsx": table, "todoist": [.checklists, .sections, .itemDetails, .minutes],
      "text": [.checklists, .guides, .decks, .sections, .itemDetails],
    ]
  }()

  /// What a format cannot hold of the samples; what is not listed must come back.
  private static let losses: [String: Set<LossReason>] = [
    "sqlite": [
      .noColumn, .skipped(.noTableForDecks), .skipped(.noTable(.attachment)),
    ],
    "jsonl": [], "json": [], "markdown": [], "fleetpack": [],
  ]
  /// The samples: 4 charters, 55 items that the app has tables for, 7 decks, 5 executions, 4 attachments.
  private static let beyondTheApp = 7 + 4

  /// What a format does not declare as lost comes back, whichever format it went through before.
  @Test(arguments: writable.map(\.name), writable.map(\.name))
  func whatGoesInComesBack(_ first: String, _ second: String) throws {
    let scratch = Scratch()
    func target(_ name: String, _ format: String) -> String {
      guard let format = Self.writable.first(where: { $0.name == format }), !format.takesFolders else {
        return scratch[name] + "/"
      }
      return scratch["\(name).\(format.extensions[0])"]
    }
    let one = target("one", first)
    let two = target("two", second)
    let source = try Self.samples(scratch)
    let lossy = [first, second].contains("sqlite")
    let loss = try Run.convert(source, to: one).context.losses
    try Run.convert(one, to: two)
    var comparison = Comparison(left: try SourceList([source]), right: try SourceList([two]))
    // A library has no decks, and gives a time to what has none; everything else must be the same.
    comparison.contentOnly = lossy
    let difference = try comparison.run(context: Run.context())
    #expect(difference.counts.onlyLeft == (lossy ? Self.beyondTheApp : 0), "\(difference.onlyLeft.map(\.title))")
    #expect(difference.counts.onlyRight == 0 && difference.counts.changed == 0, "\(difference.changed.prefix(2))")
    #expect(Self.losses[first]?.isSuperset(of: loss.byReason.map(\.reason)) == true, "\(loss.byReason)")
  }

  /// The samples as records that no note stands behind: notes without ids are other items wherever they are written,
  /// and tests of vaults look after them.
  private static func samples(_ scratch: Scratch) throws -> String {
    try Run.convert(Paths.root + "/samples", to: scratch["all.jsonl"])
    let lines = try scratch.text("all.jsonl").split(separator: "\n").map { line in
      let root = try JSONDocument(parsing: String(line)).root
      guard root["extras"]?["markdown"] != nil else { return String(line) }
      let members = root.members.filter { $0.name != "extras" }.map { "\"\($0.name)\":\($0.value.text)" }
      return "{\(members.joined(separator: ","))}"
    }
    return try scratch.write("samples.jsonl", lines.joined(separator: "\n") + "\n")
  }

  @Test func everyFormatHasItsPage() throws {
    let pages = [
      "sqlite": "sqlite-library", "json": "json-bundle", "jsonl": "json-bundle", "markdown": "markdown",
      "fleetpack": "content-pack", "csv": "csv", "xlsx": "spreadsheet", "todoist": "todoist",
      "text": "plain-text",
    ]
    #expect(Set(pages.keys) == Set(Self.all.map(\.name)), "a new format needs its page listed here")
    for (name, page) in pages {
      let text = try String(contentsOfFile: Paths.root + "/formats/\(page).md", encoding: .utf8)
      #expect(text.contains("keeps"), "\(page).md of \(name)")
    }
  }

  @Test func formatsKeepEverythingOrSayWhatTheyKeep() {
    for format in Self.all {
      #expect((Self.partial[format.name] == nil) == (Self.losses[format.name] != nil), "\(format.name)")
      if let keeps = Self.partial[format.name] { #expect(format.keeps == keeps, "\(format.name)") }
    }
  }
}
