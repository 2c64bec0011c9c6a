import FleetKit
import Foundation
import TestSupport
import Testing

/// The round-trip matrix, built from the registry: every format that can be written and read again.
@Suite struct MatrixTests {
  private static let writable = FormatRegistry.standard.formats.map(\.descriptor).filter { $0.writes && $0.reads }

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
    let source = Paths.root + "/samples"
    let loss = try Run.convert(source, to: one).context.losses
    try Run.convert(one, to: two)
    var comparison = Comparison(left: try SourceList([source]), right: try SourceList([two]))
    let lossy = [first, second].contains("sqlite")
    // A library has no decks, and gives a time to what has none; everything else must be the same.
    comparison.contentOnly = lossy
    let difference = try comparison.run(context: Run.context())
    #expect(difference.counts.onlyLeft == (lossy ? 2 : 0), "\(difference.onlyLeft.map(\.title))")
    #expect(difference.counts.onlyRight == 0 && difference.counts.changed == 0, "\(difference.changed.prefix(2))")
    #expect(loss.total == (first == "sqlite" ? 2 : 0))
  }

  @Test func everyFormatHasItsPage() throws {
    for (name, page) in [
      ("sqlite", "sqlite-library"), ("json", "json-bundle"), ("jsonl", "json-bundle"), ("markdown", "markdown"),
    ] {
      #expect(Self.writable.contains { $0.name == name })
      let text = try String(contentsOfFile: Paths.root + "/formats/\(page).md", encoding: .utf8)
      #expect(text.contains("keeps"))
    }
    #expect(FormatRegistry.standard.formats.count == 4, "a new format needs its page listed here")
  }
}
