import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Synchronization
import Validation

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
    // Findings about the pack as a whole refer to places in its description, which contains no records.
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

/// Checks a pack's index against the files that it lists and the items in these files.
final class PackIndex {
  private let description: PackDescription
  private let image: BagImage
  private let findings: PackFindings
  private let items: [PackItem]
  /// The entries' numbers, by the names of their files in findings.
  private var entries: [String: Int] = [:]
  /// The lines of `data/pack.json`, for findings.
  private let lines: MemberLines
  private var shown = 0
  private var start = ByteBuffer(capacity: 512)

  private static let mostShown = 1000

  init(_ description: PackDescription, _ image: BagImage, _ findings: PackFindings, lines: MemberLines) {
    self.lines = lines
    self.description = description
    self.image = image
    self.findings = findings
    items = description.info?.items ?? []
    entries.reserveCapacity(items.count)
    for (number, item) in items.enumerated() { entries[findings.file("data/" + item.path)] = number }
  }

  /// The paths in the bag of the files that the index lists.
  var paths: Set<String> { Set(items.map { "data/" + $0.path }) }

  /// Returns findings for entries whose file is missing or has a different checksum.
  func mismatches() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for (number, item) in items.enumerated() {
      let path = "data/" + item.path
      guard let member = image.index(of: path) else {
        found.append(
          Diagnostic(
            .packFileMissing, "the pack does not contain '\(path)'", at: description.place(ofItem: number, "path"),
            record: "item \(item.id)", title: item.title))
        continue
      }
      let sha256 = image.members[member].sha256
      if !sha256.utf8.elementsEqual(item.sha256.utf8) {
        found.append(
          Diagnostic(
            .packFileDiffers, "the file '\(path)' has the checksum \(sha256)",
            at: description.place(ofItem: number, "sha256"), record: "item \(item.id)", title: item.title))
      }
    }
    return found
  }

  /// Checks the items in a batch against their entries.
  func check(_ batch: RecordBatch) {
    guard description.info != nil else { return }
    for record in batch.records where record.kind == .item {
      guard let number = entries[batch.locator.file(of: record)] else {
        findings.unlisted(record)
        continue
      }
      let item = items[number]
      if agrees(item, batch.line(record.slot).span) { continue }
      guard let root = (try? record.document())?.root else { continue }
      differs(number, "id", listed: item.id, is: record.id)
      differs(number, "content_type", listed: item.contentType.rawValue, is: root["content_type"]?.string ?? "")
      differs(number, "title", listed: item.title, is: root["title"]?.string ?? "")
      if let language = item.language {
        differs(number, "language", listed: language, is: root["language"]?.string ?? "")
      }
    }
  }

  /// Whether a canonical line begins with the values of its entry. Most lines do, and they are not parsed again.
  private func agrees(_ item: PackItem, _ line: Span<UInt8>) -> Bool {
    start.removeAll()
    start.append("{\"kind\":\"item\",\"id\":")
    start.appendJSONString(item.id)
    start.append(",\"content_type\":")
    start.appendJSONString(item.contentType.rawValue)
    start.append(",\"title\":")
    start.appendJSONString(item.title)
    start.append(",")
    guard line.extracting(first: start.count).equals(start.bytes.span) else { return false }
    guard let language = item.language else { return true }
    start.removeAll()
    start.append(",\"language\":")
    let name = start.count
    start.appendJSONString(language)
    start.append(",")
    // Quotes in strings are escaped with a backslash, and the envelope precedes all other objects.
    let sought = start.bytes.span
    var at = 0
    while let comma = line.firstIndex(of: UInt8(ascii: ","), from: at) {
      let rest = line.extracting(droppingFirst: comma).extracting(first: sought.count)
      if rest.extracting(first: name).equals(sought.extracting(first: name)) { return rest.equals(sought) }
      at = comma + 1
    }
    return false
  }

  private func differs(_ number: Int, _ member: String, listed: String, is value: String) {
    guard !listed.utf8.elementsEqual(value.utf8) else { return }
    let item = items[number]
    let place = description.place(ofItem: number, member)
    // Finding the lines of thousands of entries would take longer than everything else.
    shown += 1
    findings.report(
      Diagnostic(
        .packItemDiffers, "the index has '\(listed)', but the file has '\(value)'", at: place,
        record: "item \(item.id)", title: item.title,
        excerpt: shown <= Self.mostShown ? lines.located(place).excerpt : nil))
  }
}

/// The parsed `data/pack.json` of an open pack, with the places of its values.
final class PackDescription {
  /// The parsed values; nil if the description cannot be used.
  let info: PackInfo?
  /// The reason why the description cannot be used; nil if it can be used.
  let failure: RunFailure?
  /// The schema violations, with their places.
  let violations: [Diagnostic]
  private let file: String
  private let text: UnsafeBufferPointer<UInt8>
  private let document: JSONDocument?
  private var counter = PlaceCounter()
  private lazy var entries: [JSONValue] = document?.root["items"]?.elements ?? []

  /// Parses the description.
  /// - Parameters:
  ///   - text: the bytes of the file, which must not move while the description is used.
  ///   - file: the file's name in findings.
  /// - Throws: `RunFailure` with status 6 if the pack requires a newer reader.
  init(_ text: UnsafeBufferPointer<UInt8>, file: String) throws {
    self.text = text
    self.file = file
    document = try? JSONDocument(parsing: text.span)
    do {
      info = try PackInfo(parsing: text.span, file: file)
      failure = nil
    } catch let failure as RunFailure {
      guard failure.status != .newer else { throw failure }
      info = nil
      self.failure = failure
    }
    violations = try document.map { try Self.violations($0, file) } ?? []
  }

  /// Returns the place of an index entry, or of a member in it.
  func place(ofItem number: Int, _ member: String? = nil) -> Place {
    guard entries.indices.contains(number) else { return Place(file: file, line: 1, column: 1) }
    let value = member.flatMap { entries[number][$0] } ?? entries[number]
    let span = value.span
    let start = counter.position(of: span.lowerBound, in: text.span)
    var place = Place(file: file, line: start.line, column: start.column)
    place.pointer = "/items/\(number)" + (member.map { "/" + $0 } ?? "")
    if member != nil {
      let end = counter.position(of: span.upperBound, in: text.span)
      place.endColumn = end.line == start.line ? end.column : nil
    }
    return place
  }

  private static func violations(_ document: JSONDocument, _ file: String) throws -> [Diagnostic] {
    let schema = try SchemaProgram(embedded: "pack")
    var counter = PlaceCounter()
    let found = document.withNode(document.root.tokenIndex) { schema.violations($0) }
    return document.withText { (text: Span<UInt8>) in
      found.sorted { $0.span.lowerBound < $1.span.lowerBound }.map {
        let start = counter.position(of: $0.span.lowerBound, in: text)
        let end = counter.position(of: $0.span.upperBound, in: text)
        return Diagnostic(
          SchemaCodes.code(ofKeyword: $0.keyword), $0.message,
          at: Place(
            file: file, line: start.line, column: start.column, endColumn: end.line == start.line ? end.column : nil,
            pointer: $0.pointer.description),
          fix: $0.fix, why: $0.reason, label: $0.found)
      }
    }
  }
}

/// Reports findings about a pack as a whole, with their places.
struct PackFindings: Sendable {
  private let log: DiagnosticLog
  /// The pack's name in findings, with a slash.
  private let prefix: String

  init(_ log: DiagnosticLog, pack: String) {
    self.log = log
    prefix = pack.hasSuffix("/") ? pack : pack + "/"
  }

  /// Returns the name of one of the pack's files in findings.
  func file(_ path: String) -> String { prefix + path }

  /// Reports a file that is not part of the pack's format.
  func unread(_ path: String) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file is not part of the pack's content; it was not read", at: Place(file: file(path))))
  }

  /// Reports a record that is missing from the index.
  func unlisted(_ record: Record) {
    let place = Place(file: record.batch.locator.file(of: record), line: 1, column: 1)
    log.report(
      Diagnostic(
        .packItemUnlisted, "the index in \(PackInfo.path) does not list this item", at: place,
        record: "item \(record.id)", title: record.title))
  }

  /// Reports an attachment that could not be unpacked.
  fileprivate func notUnpacked(_ path: String, _ error: any Error) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file could not be unpacked: \((error as? RunFailure)?.message ?? "\(error)")",
        at: Place(file: file(path)), severity: .error))
  }

  /// Reports any other finding.
  func report(_ finding: Diagnostic) { log.report(finding) }
}

/// The files of a pack that are in one format, as a source for this format.
final class PackMembers: MemberSource {
  private let image: BagImage
  /// The file numbers in the image.
  private let picks: [Int]
  private let numbers: [String: Int]
  private let media: PackMedia
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]

  init(_ image: BagImage, _ picks: [Int], idScope: String, media: PackMedia) {
    self.image = image
    self.picks = picks
    self.idScope = idScope
    self.media = media
    name = image.path
    paths = picks.map { image.members[$0].path }
    numbers = Dictionary(paths.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    time = PackTime.of(image.info)
  }

  var folder: String { "data/" }

  /// Whether FleetKit rendered the files. The files match the manifests, so they are unchanged since the pack was
  /// written.
  var isRendered: Bool { image.info["Bag-Software-Agent"] == PackAssembly.agent }

  func index(of path: String) -> Int? {
    // Names with different bytes belong to different files, even if the names look the same.
    guard let index = numbers[path], paths[index].utf8.elementsEqual(path.utf8) else { return nil }
    return index
  }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { image.bytes(of: picks[index]) }

  func mediaPath(of record: Record) -> String? { media.path(of: record) }

  func hasMedia(of record: Record) -> Bool { media.number(of: record) != nil }
}

/// The creation time of a pack, which is used for notes without a time.
enum PackTime {
  /// Returns the date in the bag's information; otherwise 1 January 1980, the earliest date that ZIP can represent.
  static func of(_ info: BagInfo) -> Timestamp {
    let day = info["Bagging-Date"] ?? ""
    let bagged = day.utf8.count == 10 ? Timestamp.parse(day + "T00:00:00Z")?.0 : nil
    return bagged ?? Timestamp(milliseconds: 315_532_800_000)
  }
}

/// A pack's attachment files. They are unpacked one by one when a writer requests them. Files in a folder are copied as
/// well, so that the checked bytes are returned even if the folder changes in the meantime.
final class PackMedia: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    var unpacked: Set<Int> = []
  }

  private let image: BagImage
  /// The file numbers, by checksum.
  private let numbers: [String: Int]
  private let findings: PackFindings
  private let state = Mutex(State())

  init(_ image: BagImage, _ picks: [Int], findings: PackFindings) {
    self.image = image
    self.findings = findings
    numbers = Dictionary(picks.map { (image.members[$0].sha256, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the number of an attachment's file; nil if the pack does not contain the file.
  func number(of record: Record) -> Int? {
    guard !numbers.isEmpty, let root = (try? record.document())?.root, let hash = root["sha256"]?.string else {
      return nil
    }
    return numbers[hash]
  }

  /// Unpacks an attachment's file and returns its path.
  func path(of record: Record) -> String? {
    guard let number = number(of: record) else { return nil }
    let member = image.members[number]
    return state.withLock { state in
      do {
        let folder = try state.folder ?? TemporaryFolder()
        state.folder = folder
        let path = folder.path + "/" + member.sha256
        if !state.unpacked.contains(number) { try unpack(number, to: path) }
        state.unpacked.insert(number)
        return path
      } catch {
        findings.notUnpacked(member.path, error)
        return nil
      }
    }
  }

  /// Writes a file's bytes to a temporary file. The temporary file is not needed after the run, so it is not synced to
  /// the disk.
  private func unpack(_ number: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    let sink = ByteSink(descriptor: descriptor, name: path)
    try sink.write(image.bytes(of: number).span)
    try sink.flush()
  }
}
