import FleetKit
import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing

/// The round-trip matrix, built from the format registry: every format that can be written and read again, and that is
/// meant to hold a whole library.
@Suite struct MatrixTests {
  private static let all = FormatRegistry.standard.formats.map(\.descriptor)
  /// Formats that are meant to hold a whole library.
  private static let complete = all.filter { $0.writes && $0.reads && $0.keeps.contains(.charters) }

  /// The parts of the samples that a library cannot hold. The other complete formats lose nothing.
  private static let losses: Set<LossReason> = [
    .noColumn, .skipped(.noTableForDecks), .skipped(.noTable(.attachment)),
  ]
  /// The number of decks and attachments in the samples, which the app cannot store. The samples contain 4 charters, 55
  /// items with a table in the app, 7 decks, 5 executions and 4 attachments.
  private static let beyondTheApp = 7 + 4

  /// Every value that a format does not declare as lost survives the conversion through any other format.
  @Test(arguments: complete.map(\.name), complete.map(\.name))
  func whatGoesInComesBack(_ first: String, _ second: String) throws {
    let scratch = Scratch()
    let one = Self.target("one", FormatID(first), scratch)
    let two = Self.target("two", FormatID(second), scratch)
    let source = try Self.samples(scratch)
    let lossy = [first, second].contains("sqlite")
    let loss = try Run.convert(source, to: one).context.losses
    try Run.convert(one, to: two)
    var comparison = Comparison(left: try SourceList([source]), right: try SourceList([two]))
    // A library has no decks and adds missing times. Everything else must be the same.
    comparison.contentOnly = lossy
    let difference = try comparison.run(context: Run.context())
    #expect(difference.counts.onlyLeft == (lossy ? Self.beyondTheApp : 0), "\(difference.onlyLeft.map(\.title))")
    #expect(difference.counts.onlyRight == 0 && difference.counts.changed == 0, "\(difference.changed.prefix(2))")
    let expected = first == "sqlite" ? Self.losses : []
    #expect(expected.isSuperset(of: loss.byReason.map(\.reason)), "\(loss.byReason)")
  }

  /// For every pair of formats, the second file has the content of the first, or each difference is reported as a loss.
  @Test(arguments: all.filter(\.reads).map(\.name), all.filter(\.writes).map(\.name))
  func nothingIsLostSilently(_ first: String, _ second: String) throws {
    let scratch = Scratch()
    let (from, to) = (
      try FormatRegistry.standard.format(FormatID(first)).descriptor,
      try FormatRegistry.standard.format(FormatID(second)).descriptor
    )
    let one = try Self.sources.path(of: from)
    let context = Self.context()
    var conversion = Conversion(
      sources: try SourceList([one], format: from.id), target: Target(Self.target("two", to.id, scratch)))
    conversion.targetFormat = to.id
    conversion.proves = true
    let kinds: Set<Feature> = [.checklists, .guides, .decks, .charters]
    let summary: RunSummary
    do {
      summary = try conversion.run(context: context)
    } catch let failure as RunFailure where failure.status == .refused {
      // No record of the source fits into the target.
      let held = from.keeps.intersection(kinds)
      #expect(held.isEmpty || !held.isSubset(of: to.keeps))
      return
    }
    #expect(summary.proof?.holds == true)
    if !from.keeps.intersection(kinds).isSubset(of: to.keeps) { #expect(context.losses.total > 0) }
  }

  /// Returns the context of a run that names a user, which is necessary for formats with the data of several users.
  private static func context() -> RunContext { Run.context(user: "191064050706105604154") }

  /// The samples in each format, created only once.
  private static let sources = Sources()

  private final class Sources: Sendable {
    private let made = Mutex<[FormatID: (path: String, scratch: Scratch)]>([:])

    func path(of format: FormatDescriptor) throws -> String {
      // A format that FleetKit cannot write, or cannot write from the samples, uses a fixture.
      let fixture = Paths.root + "/Tests/Fixtures/matrix/\(format.name).\(format.extensions[0])"
      if !format.writes || FileManager.default.fileExists(atPath: fixture) { return fixture }
      return try made.withLock { made in
        if let known = made[format.id] { return known.path }
        let scratch = Scratch()
        let path = MatrixTests.target(format.name, format.id, scratch)
        var conversion = Conversion(
          sources: try SourceList([try MatrixTests.samples(scratch)]), target: Target(path))
        conversion.targetFormat = format.id
        _ = try conversion.run(context: MatrixTests.context())
        made[format.id] = (path, scratch)
        return path
      }
    }
  }

  private static func target(_ name: String, _ format: FormatID, _ scratch: Scratch) -> String {
    guard let format = all.first(where: { $0.id == format }), !format.takesFolders, !format.writesFolders else {
      return scratch[name] + "/"
    }
    return scratch["\(name).\(format.extensions[0])"]
  }

  /// Returns the samples as records without notes behind them. Notes without ids become different items wherever they
  /// are written, and the vault tests cover them.
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
    for format in Self.all {
      let text = try String(contentsOfFile: Paths.root + "/formats/\(format.page).md", encoding: .utf8)
      #expect(text.contains("keeps"), "\(format.page).md of \(format.name)")
    }
  }

  @Test func identitiesAndCodesAreUnique() {
    #expect(Set(Self.all.map(\.id)).count == Self.all.count)
    let codes = FindingCodes.all.map(\.id)
    for format in Self.all { #expect(Set(codes).isSuperset(of: format.codes.map(\.id)), "\(format.name)") }
  }
}
