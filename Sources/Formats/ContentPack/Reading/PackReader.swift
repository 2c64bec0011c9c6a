import ArchiveIO
import Content
import Diagnostics
import Interchange

/// Reads a pack's content: first the items in their formats, then the other records.
///
/// Every file is checked against the manifests and the index in `data/pack.json` before the first record is returned.
/// Apart from the memory that the formats use, a few bytes are needed for each file.
final class PackReader: ContentReader {
  private let image: BagImage
  private let context: RunContext
  private let findings: PackFindings
  private let index: PackIndex
  private var head: RecordBatch?
  /// The functions that open the remaining readers. The next one is last.
  private var waiting: [() throws -> any ContentReader] = []
  private var current: (any ContentReader)?
  private var done = 0
  private let size: Int

  /// Opens a pack.
  /// - Parameter formats: the format that supplies the formats of the pack's files.
  /// - Throws: `RunFailure`: 2 if the pack cannot be read or has no description, 5 if a file does not match its
  ///   checksum, 6 if the pack requires a newer reader.
  init(_ source: Source, formats: ContentPackFormat, context: RunContext) throws {
    let image = try BagImage(source.path)
    self.image = image
    self.context = context
    guard let number = image.index(of: PackInfo.path) else { throw PackHead.missing(source.path) }
    let layout = PackLayout(image)
    let findings = PackFindings(context.findings, pack: source.path)
    self.findings = findings
    let description = try PackDescription(image.bytes(of: number), file: findings.file(PackInfo.path))
    let media = PackMedia(image, layout.media, findings: findings)
    context.keep(media)
    let scope = description.info?.name ?? ""
    func members(_ picks: [Int]) -> PackMembers { PackMembers(image, picks, idScope: scope, media: media) }
    let own = members([number])
    let lines = MemberLines(own)
    // Findings about the pack as a whole have places in its description, which contains no records.
    let locator = TextLocator(own, lines: lines, ended: Array(own.paths.indices))
    head = RecordBatch(locator: locator, traits: locator.traits, capacity: 64)
    index = PackIndex(description, image, findings, lines: lines)
    let content = layout.content(listed: index.paths)
    size = (content.documents + content.notes + layout.records).reduce(0) { $0 + image.members[$1].size }
    // The first reader is appended last, because readers are taken from the end.
    if !layout.records.isEmpty {
      waiting.append { try formats.lines.reader(of: members(layout.records), context: context) }
    }
    if !content.notes.isEmpty {
      waiting.append { try formats.notes.reader(of: members(content.notes), context: context) }
    }
    if !content.documents.isEmpty {
      waiting.append { try formats.document.reader(of: members(content.documents), context: context) }
    }
    for warning in image.warnings { findings.report(warning) }
    try check(description)
    for number in content.unread { findings.unread(image.members[number].path) }
  }

  /// Checks the description. A pack with an invalid description is not used, unless the run continues after errors.
  private func check(_ description: PackDescription) throws {
    for violation in description.violations { findings.report(violation) }
    if let failure = description.failure {
      guard context.reading.goesOn else { throw failure }
      if description.violations.isEmpty, let finding = failure.finding { findings.report(finding) }
    }
    if let info = description.info, info.formatVersion > PackInfo.currentFormatVersion {
      findings.report(
        Diagnostic(
          .packNewer, "the pack has format version \(info.formatVersion)",
          at: Place(file: findings.file(PackInfo.path), line: 1, column: 1)))
    }
    let wrong = index.mismatches()
    if let first = wrong.first, !context.reading.goesOn { throw RunFailure(.mismatch, first) }
    for finding in wrong { findings.report(finding) }
  }

  var progress: (done: Int, total: Int?) { (done + (current?.progress.done ?? 0), size) }

  func next() throws -> RecordBatch? {
    if let head {
      self.head = nil
      return head
    }
    while true {
      if let current {
        if let batch = try current.next() {
          index.check(batch)
          return batch
        }
        done += current.progress.done
        self.current = nil
      }
      guard let make = waiting.popLast() else { return nil }
      current = try make()
    }
  }
}
