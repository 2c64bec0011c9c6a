import ArgumentParser
import FleetKit
import SQLiteLibrary

/// `fleetkit inspect`.
struct InspectVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what a library or file is, what it contains, and whether it is sound.",
    discussion: """
      Reads everything, checks every page of a library, and reports content that the app would silently lose, each \
      finding with its place. Changes nothing. The exit status is 0 if everything can be read, even if there are \
      findings, and 3 if some records cannot be read. If the source is a content pack or a backup, only its head is \
      read, and nothing is verified; use 'fleetkit verify' for that.

      EXAMPLES
        fleetkit inspect anyfleet.sqlite
        fleetkit inspect anyfleet.sqlite -v          show every finding in full
        fleetkit inspect anyfleet.sqlite --json      for scripts
      """)

  @Argument(help: ArgumentHelp("A library, a bundle, or a folder of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Sources") var clock: ClockOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let list = try SourceList(sources, format: source.fromFormat)
    try TableOptionValidation.check(reading.options, list)
    let context = RunContext(reading: reading.options, now: clock.time)
    let survey = try InspectionReport(list, context: context)
    try output.print(survey)
    if survey.rejected > 0 { throw ExitCode(ExitStatus.partial.rawValue) }
  }
}

/// The report of `inspect`, with the code that collects it.
struct InspectionReport: Report {
  private let sources: SourceList
  private let context: RunContext
  private var overviews: [(path: String, overview: LibraryOverview)] = []
  /// Packs; only their heads are read.
  private var packs: [PackHead] = []
  private var kinds: [RecordKind: Int] = [:]
  private var types: [String: Int] = [:]
  /// The numbers of foreign records, by the names that their apps use for them.
  private var foreignTypes: [String: Int] = [:]
  private var languages: [String: Int] = [:]
  private var tags: [String: Int] = [:]
  private var steps = 0
  private var words = 0
  private var published = 0
  private var withoutBody = 0
  private var recovered = 0
  private var first: String?
  private var last: String?
  /// The number of records that could not be read.
  private(set) var rejected = 0

  /// Whether everything could be read, and the content has no findings.
  private var isSound: Bool {
    packs.isEmpty && context.findings.total == 0 && withoutBody == 0 && recovered == 0 && rejected == 0
  }

  init(_ sources: SourceList, context: RunContext) throws {
    self.sources = sources
    self.context = context
    for entry in sources.entries {
      if let library = entry.format as? SQLiteLibraryFormat {
        overviews.append((entry.source.path, try library.overview(of: entry.source)))
      } else if entry.format is ContentPackFormat {
        packs.append(try PackHead(entry.source.path))
      }
    }
    var others = sources
    others.removeAll { $0.format is ContentPackFormat }
    rejected = try RecordScan(sources: others).run(context: context) { try add($0) }
  }

  private mutating func add(_ record: Record) throws {
    kinds[record.kind, default: 0] += 1
    let summary = try RecordSummary(record)
    if summary.isRecovered { recovered += 1 }
    if record.kind == .foreign, let type = record.withNode({ $0.member("type")?.string }).flatMap({ $0 }) {
      foreignTypes[type, default: 0] += 1
    }
    guard record.kind == .item else { return }
    types[summary.type, default: 0] += 1
    if let language = summary.language { languages[language, default: 0] += 1 }
    for tag in summary.tags ?? [] { tags[tag, default: 0] += 1 }
    guard let figures = summary.figures else { return }
    if !figures.hasBody { withoutBody += 1 }
    steps += figures.steps
    words += figures.words
    if figures.visibility == "public" { published += 1 }
    if let day = figures.updatedAt {
      first = min(first ?? day, day)
      last = max(last ?? day, day)
    }
  }

  private var kindsInOrder: [(RecordKind, Int)] {
    kinds.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }
  }

  private func frequent(_ counts: [String: Int], _ most: Int) -> [(String, Int)] {
    Array(counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most)).map { ($0.key, $0.value) }
  }

  // MARK: Text

  func render(_ output: OutputOptions) {
    renderContent()
    if !output.quiet { SummaryRenderer.findings(context.findings, verbose: output.verbose) }
    ExplanationRenderer.print(context)
    if isSound { Terminal.print("\n  Sound: no problems found.") }
  }

  private func renderContent() {
    for (number, pack) in packs.enumerated() {
      if number > 0 { Terminal.print("") }
      PackReport(pack).render()
    }
    if packs.count == sources.entries.count { return }
    if !packs.isEmpty { Terminal.print("") }
    for (path, overview) in overviews {
      Terminal.print(TerminalEscaping.escape(path))
      let version = overview.schemaVersion.map { "schema v\($0)" } ?? "no schema version"
      let newer = overview.isNewer ? ", newer than this FleetKit supports" : ""
      Terminal.print("  AnyFleet library, \(version)\(newer), \(Figures.bytes(overview.bytes)), every page checked")
    }
    for entry in sources.entries where !(entry.format is SQLiteLibraryFormat || entry.format is ContentPackFormat) {
      Terminal.print(TerminalEscaping.escape(entry.source.path))
      Terminal.print("  \(entry.format.descriptor.title)")
    }
    Terminal.print("")
    var table = Table(["records", "count"], rightAligned: [1])
    for (kind, count) in kindsInOrder {
      table.add([kind.plural, "\(count)"])
      for (type, number) in frequent(
        kind == .item ? types : kind == .foreign ? foreignTypes : [:], kind == .item ? 5 : 20)
      {
        table.add([
          "  " + (kind == .item ? type.replacing("_", with: " ") + "s" : TerminalEscaping.escape(type)), "\(number)",
        ])
      }
    }
    for line in table.lines(width: Terminal.width) { Terminal.print(line) }
    if kinds.isEmpty { Terminal.print("  (nothing)") }
    var facts: [String] = []
    if steps > 0 { facts.append(Plural.count(steps, "step")) }
    if words > 0 { facts.append("\(Plural.count(words, "word")) in guides") }
    if published > 0 { facts.append("\(published) published") }
    if !languages.isEmpty {
      facts.append(
        "languages " + frequent(languages, 6).map { "\(TerminalEscaping.escape($0.0)) \($0.1)" }.joined(separator: ", ")
      )
    }
    if let first, let last { facts.append("changed \(first.prefix(10)) … \(last.prefix(10))") }
    if !facts.isEmpty { Terminal.print("\n  " + facts.joined(separator: " · ")) }
    if !tags.isEmpty {
      let shown = frequent(tags, 10).map { "\(TerminalEscaping.escape($0.0)) \($0.1)" }
      Terminal.print("  tags: " + shown.joined(separator: ", "))
    }
    if withoutBody > 0 { Terminal.print("  \(withoutBody) without a body: the app lists them but cannot open them") }
    if recovered > 0 { Terminal.print("  \(recovered) recovered from damaged content; the records keep the originals") }
    if rejected > 0 { Terminal.print("  \(rejected) cannot be read") }
  }

  // MARK: JSON

  func encode(to encoder: any Encoder) throws {
    let inspected = sources.entries.map { entry in
      let path = entry.source.path
      return InspectedSource(
        path: path, format: entry.format.descriptor.name,
        library: overviews.first { $0.path == path }.map { InspectedLibrary($0.overview) },
        pack: packs.first { $0.path == path }.map { PackReport($0) })
    }
    let members = InspectMembers(
      sources: inspected, kinds: Members(kindsInOrder.map { ($0.0.name, $0.1) }), types: Members(frequent(types, 100)),
      foreignTypes: Members(frequent(foreignTypes, 100)), languages: Members(frequent(languages, 100)),
      tags: Members(frequent(tags, 1000)), steps: steps, words: words,
      published: published, withoutBody: withoutBody, recovered: recovered, rejected: rejected,
      findings: FindingsReport(context.findings), explanations: ExplanationReport.all(context))
    try members.encode(to: encoder)
  }
}

private struct InspectMembers: Encodable {
  let command = "inspect"
  let sources: [InspectedSource]
  let kinds, types, foreignTypes, languages, tags: Members<Int>
  let steps, words, published, withoutBody, recovered, rejected: Int
  let findings: FindingsReport
  @IfPresent var explanations: [ExplanationReport]?
}

private struct InspectedSource: Encodable {
  let path, format: String
  @Inlined var library: InspectedLibrary?
  @Inlined var pack: PackReport?
}

private struct InspectedLibrary: Encodable {
  let schemaVersion: String?
  let newer: Bool
  let bytes, pageSize: Int
  let journalMode: String
  let migrations: [String]
  let tables: Members<Int>

  init(_ overview: LibraryOverview) {
    (schemaVersion, newer, bytes) = (overview.schemaVersion, overview.isNewer, overview.bytes)
    (pageSize, journalMode, migrations) = (overview.pageSize, overview.journalMode, overview.migrations)
    tables = Members(overview.rows.map { ($0.table, $0.count) })
  }
}

/// The part of `inspect`'s report about a pack, read from the pack's head.
struct PackReport: Encodable {
  private struct Backup: Encodable {
    let profile = PackProfile.backup.rawValue
    let library: String
    let schemaVersion: String?
    let takenAt: Timestamp
    let counts: Members<Int>
    @IfPresent var parent: BackupInfo.Parent?
  }

  private struct Content: Encodable {
    let profile, name: String
    let version, publisher, licence, description: String?
    let languages: [String]
    let types: Members<Int>
    let items: Int
  }

  private let packing: String
  private let bytes: Int?
  private let hasSignature: Bool
  private let verified = false
  @Inlined private var backup: Backup?
  @Inlined private var content: Content?
  @TextOnly private var head: PackHead

  init(_ head: PackHead) {
    self.head = head
    (packing, bytes, hasSignature) = (head.kind.rawValue, head.bytes, head.hasSignature)
    if let info = head.backup {
      backup = Backup(
        library: info.library, schemaVersion: info.schema, takenAt: info.takenAt, counts: info.countsByKind,
        parent: info.parent)
    } else if let info = head.info {
      content = Content(
        profile: info.profile.rawValue, name: info.name, version: info.version?.text, publisher: info.publisher,
        licence: info.licence, description: info.description, languages: info.languages,
        types: Members(Self.counts(info)), items: info.items.count)
    }
  }

  func render() {
    Terminal.print(TerminalEscaping.escape(head.path))
    let size = head.bytes.map { ", " + Figures.bytes($0) } ?? ""
    if let backup = head.backup {
      Terminal.print("  \(backup.isIncremental ? "Incremental backup" : "Backup") of a library, \(archive)\(size)")
      print(backup)
    } else if let info = head.info {
      Terminal.print(
        "  \(info.profile == .copy ? "Copy of a source, as a content pack" : "Content pack"), \(archive)\(size)")
      print(info)
    }
    fact("signature", head.hasSignature ? "\(head.path).minisig" : "none")
    Terminal.print(
      "\n  Nothing was verified. To check the pack against its checksums, run 'fleetkit verify'.")
  }

  private var archive: String {
    switch head.kind {
    case .fleetpack: "tar in zstd"
    case .zip: "ZIP"
    case .tarGzip: "tar in gzip"
    case .folder: "a folder"
    }
  }

  private func fact(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    let padded = name + String(repeating: " ", count: max(0, 12 - name.count))
    Terminal.print("  \(padded) \(TerminalEscaping.escape(text))")
  }

  private func print(_ info: PackInfo) {
    fact("name", info.name)
    fact("version", info.version?.text)
    fact("publisher", info.publisher)
    fact("licence", info.licence)
    fact("description", info.description)
    fact("languages", info.languages.joined(separator: ", "))
    let types = Self.counts(info).map { Plural.count($0.1, $0.0.replacing("_", with: " ")) }
    fact("items", "\(info.items.count)" + (types.isEmpty ? "" : ": " + types.joined(separator: ", ")))
    fact("former", info.parent.map { "version \($0.version.text)" })
  }

  private func print(_ backup: BackupInfo) {
    fact("library", backup.library + (backup.schema.map { ", schema v\($0)" } ?? ""))
    fact("taken at", backup.takenAt.iso8601)
    fact("records", backup.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", "))
    if let parent = backup.parent { fact("parent", "\(parent.file), taken at \(parent.takenAt.iso8601)") }
  }

  /// The number of items of each type, in the app's order.
  private static func counts(_ info: PackInfo) -> [(String, Int)] {
    ContentType.allCases.compactMap { type in
      let count = info.items.count { $0.contentType == type }
      return count > 0 ? (type.rawValue, count) : nil
    }
  }

}
