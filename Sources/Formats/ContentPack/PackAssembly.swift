import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText

/// Collects a pack's content, then writes it as a bag. The order of the files does not depend on the order of the
/// input.
///
/// Rendered items are kept in an unnamed file, because file names depend on the titles of all items. Each item needs a
/// few hundred bytes of memory. Equal content gives equal bytes. An instance is used from one thread.
/// - Source: formats/content-pack.md
public final class PackAssembly {
  /// An item whose rendered text is in the spool.
  private struct Item {
    let id: String
    let type: ContentType
    let title: String
    let language: String?
    let slug: String
    let isNote: Bool
    let text: Range<Int>
    let sha256: String
    let lineage: Lineage?
  }

  /// The program name that packs contain as their bagging software.
  static let agent = "FleetKit"

  private let target: String
  private let texts: PackTexts
  private let bag: BagWriter
  private let spool: TextSpool
  private let folder: TemporaryFolder
  private let records: any ContentWriter
  private var hasRecords = false
  private var items: [Item] = []
  private var ids: Set<String> = []
  private var media = AttachedFiles()
  /// Waits for the items that are being rendered.
  private var making: (() throws -> Void)?

  /// Begins a pack.
  /// - Parameter isPublished: whether data that concerns only the author is left out of every item.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists, 2 if the file cannot be written.
  public init(_ target: Target, kind: ArchiveKind, formats: PackFormats, isPublished: Bool) throws {
    self.target = target.path
    texts = PackTexts(formats, isPublished: isPublished)
    spool = try TextSpool()
    folder = try TemporaryFolder()
    // The pack holds attachment files, which a bundle cannot hold.
    records = try formats.lines.writer(
      to: Target(folder.path + "/records.jsonl"), context: RunContext(now: Timestamp(milliseconds: 0)))
    bag = try BagWriter(target.path, kind: kind, overwrites: target.overwrites, time: PackEpoch.seconds)
  }

  /// The number of items.
  public var itemCount: Int { items.count }

  /// The number of items of each type.
  public var counts: [(type: ContentType, count: Int)] {
    ContentType.allCases.map { type in (type, items.count { $0.type == type }) }
  }

  /// The languages of the items, sorted.
  public var languages: [String] {
    Set(items.compactMap(\.language)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether the pack has an item with the given id.
  public func hasItem(_ id: String) -> Bool { ids.contains(id) }

  // MARK: Collecting

  /// Adds the items of a batch.
  /// - Returns: The outcome for every record of the batch, in order.
  /// - Throws: `RunFailure` if the disk is full.
  public func add(items batch: RecordBatch, losses: LossLog) throws -> [Outcome] {
    let outcomes = try begin(items: batch, losses: losses)
    try settle()
    return outcomes
  }

  /// Adds the items of a batch. The items are rendered while the caller continues. The batch must not change until
  /// `settle` is called or the next batch is added.
  /// - Returns: The outcome for every record of the batch, in order.
  /// - Throws: `RunFailure` if the disk is full.
  public func begin(items batch: RecordBatch, losses: LossLog) throws -> [Outcome] {
    try settle()
    var outcomes = [Outcome](repeating: .noItem, count: batch.count)
    for (index, slot) in batch.slots.enumerated() where slot.kind == .item {
      let id = Record(batch: batch, index: index).id
      outcomes[index] = ids.insert(id).inserted ? .taken : .repeated
    }
    let texts = texts.begin(batch) { outcomes[$0] == .taken }
    making = { [unowned self] in try append(texts(), losses) }
    return outcomes
  }

  /// Waits until all added items are rendered. Before that, counts and languages may not include the last batch.
  /// - Throws: `RunFailure` if the disk is full.
  public func settle() throws {
    let wait = making
    making = nil
    try wait?()
  }

  private func append(_ texts: [PackTexts.Text], _ losses: LossLog) throws {
    for text in texts {
      for left in text.left { losses.record(.item, id: text.id, field: left.field, reason: left.reason) }
      let range = try spool.append(text.bytes.span)
      items.append(
        Item(
          id: text.id, type: text.type, title: text.title, language: text.language, slug: text.slug,
          isNote: text.isNote, text: range, sha256: text.sha256, lineage: text.lineage))
    }
  }

  /// The outcome for a record.
  public enum Outcome: Sendable {
    /// The record was added to the pack.
    case taken
    /// The pack already has an item with this id.
    case repeated
    /// The record is not an item.
    case noItem
  }

  /// Adds records that are not items to `data/records.jsonl`. The batch must not contain items.
  public func add(records batch: RecordBatch) throws {
    guard batch.count > 0 else { return }
    hasRecords = true
    var tally = Tally()
    try records.write(batch, tally: &tally, rejects: RejectsWriter(base: folder.path + "/rejects", asArray: false))
  }

  /// Adds an attachment's file.
  /// - Returns: false if the source does not have the file, or if the attachment has no checksum by which the file can
  ///   be found.
  /// - Throws: `RunFailure` with status 5 if the file does not match the attachment's checksum, 2 if it cannot be read.
  public func add(mediaOf record: Record) throws -> Bool { try media.add(record) }

  // MARK: Writing

  /// Writes the pack under a temporary name.
  /// - Parameter info: the pack's description. This function fills in its languages and items.
  /// - Returns: the description as written to the pack.
  /// - Throws: `RunFailure` if the disk is full, or if a file was changed in the meantime.
  @discardableResult
  public func prepare(_ info: PackInfo) throws -> PackInfo {
    try settle()
    var info = info
    if info.languages.isEmpty { info.languages = languages }
    try spool.seal()
    info.items = try writeItems()
    if hasRecords {
      var tally = Tally()
      try records.prepare(tally: &tally, rejects: RejectsWriter(base: folder.path + "/rejects", asArray: false))
      _ = try records.finish()
      try bag.add(PackPaths.payload + PackPaths.records, file: folder.path + "/records.jsonl")
    } else {
      records.abort()
    }
    try media.write(to: bag)
    try add(PackPaths.attribution, AttributionWriter(info: info).text(attributions(info.items)))
    try bag.prepare(first: (PackInfo.path, info.text), info: Self.bagInfo(info))
    return info
  }

  private func writeItems() throws -> [PackItem] {
    var index: [PackItem] = []
    index.reserveCapacity(items.count)
    for type in ContentType.allCases {
      let group = items.indices.filter { items[$0].type == type }
      let names = PackNames.names(of: group.map { PackNames.Item(slug: items[$0].slug, id: items[$0].id) })
      let paths = zip(group, names).map { number, name in
        (path: "\(PackPaths.folder(of: type))/\(name).\(items[number].isNote ? "md" : "json")", number: number)
      }
      for (path, number) in paths.sorted(by: { PackNames.isBefore($0.path, $1.path) }) {
        let item = items[number]
        try bag.add(PackPaths.payload + path, spool.text(item.text).span, sha256: item.sha256)
        index.append(
          PackItem(
            id: item.id, contentType: type, title: item.title, language: item.language, path: path,
            sha256: item.sha256))
        try Interruption.check()
      }
    }
    return index
  }

  private func attributions(_ index: [PackItem]) -> [(title: String, path: String, lineage: Lineage)] {
    let lineages = Dictionary(items.compactMap { item in item.lineage.map { (item.id, $0) } }, uniquingKeysWith: { $1 })
    return index.compactMap { item in lineages[item.id].map { (item.title, item.path, $0) } }
  }

  private static func bagInfo(_ info: PackInfo) -> BagInfo {
    var fields: [(label: String, value: String)] = []
    func add(_ label: String, _ value: String?) {
      if let value, !value.isEmpty { fields.append((label, PackLines.oneLine(value))) }
    }
    add("Source-Organization", info.publisher)
    add("External-Identifier", info.version.map { "\(info.name)@\($0.text)" } ?? info.name)
    add("External-Description", info.description)
    add("Bag-Software-Agent", Self.agent)
    add("Bagging-Date", PackEpoch.seconds.map { String(Timestamp(milliseconds: $0 * 1000).iso8601.utf8Prefix(10)) })
    return BagInfo(fields)
  }

  private func add(_ path: String, _ bytes: [UInt8]) throws {
    _ = try bag.add(PackPaths.payload + path, bytes.span)
  }

  /// Renames the pack to its final name.
  /// - Returns: the size in bytes of the file, or of all files in the folder.
  public func finish() throws -> Int {
    defer { folder.remove() }
    return try bag.finish()
  }

  /// Removes everything that was written.
  public func abort() {
    records.abort()
    bag.abort()
    folder.remove()
  }
}

/// The attachment files of a pack. Each file is stored once, even if several attachments refer to it.
struct AttachedFiles {
  private var files: [String: String] = [:]
  private var known: Set<String> = []

  /// Adds an attachment's file, if the source has it.
  /// - Throws: `RunFailure` with status 5 if the file does not match the attachment's checksum, 2 if it cannot be read.
  mutating func add(_ record: Record) throws -> Bool {
    guard let file = record.mediaPath, let root = (try? record.document())?.root,
      let sha256 = root["sha256"]?.string, Self.isHash(sha256)
    else { return false }
    let path = root["path"]?.string
    let name = root["name"]?.string ?? root["file_name"]?.string ?? path ?? ""
    if known.insert(sha256).inserted {
      let found = try FileDigest.sha256(of: file)
      guard found == sha256 else {
        throw RunFailure(
          .mismatch, "read '\(file)': the checksum of the attachment \(record.id) does not match; nothing was written",
          advice: "Put back the original file, or leave the attachment out.")
      }
    }
    let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    files[PackPaths.media(sha256: sha256, name: last)] = file
    return true
  }

  /// Writes the files in the order of their names.
  func write(to bag: BagWriter) throws {
    for (path, file) in files.sorted(by: { PackNames.isBefore($0.key, $1.key) }) {
      let member = try bag.add(PackPaths.payload + path, file: file)
      guard path.utf8.starts(with: "\(PackPaths.media)/\(member.sha256)".utf8) else {
        throw RunFailure(
          .failed, "read '\(file)': it changed while it was being read; nothing was written",
          advice: "Run the command again.")
      }
      try Interruption.check()
    }
  }

  /// Whether a string consists of 64 lower-case hexadecimal digits. Only such a string may be used as a file name.
  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }
  }
}

/// An unnamed temporary file of texts, which are written one after another and then read in any order.
final class TextSpool {
  private let descriptor: Int32
  private let sink: ByteSink
  private var mapping: UnsafeRawBufferPointer?
  /// The number of appended bytes.
  var count: Int { sink.count }

  /// Creates an empty spool in the folder for temporary files.
  /// - Throws: `RunFailure` if that folder is not writable.
  init() throws {
    descriptor = try UnlinkedFile.descriptor()
    sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(TemporaryFolder.root)")
  }

  deinit {
    if let mapping, let base = mapping.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), mapping.count) }
    close(descriptor)
  }

  /// Appends a text.
  /// - Returns: the text's position.
  /// - Throws: `RunFailure` if the disk is full.
  func append(_ text: Span<UInt8>) throws -> Range<Int> {
    let start = sink.count
    try sink.write(text)
    return start..<start + text.count
  }

  /// Ends writing. Texts can be read after this call.
  /// - Throws: `RunFailure` if the disk is full or the file cannot be mapped into memory.
  func seal() throws {
    try sink.flush()
    guard sink.count > 0 else { return }
    guard let base = mmap(nil, sink.count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw RunFailure(.failed, "read a temporary file: \(SystemError.last)")
    }
    mapping = UnsafeRawBufferPointer(start: base, count: sink.count)
  }

  /// Returns a text, which is valid as long as the spool exists.
  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    let bytes = mapping?.bindMemory(to: UInt8.self) ?? UnsafeBufferPointer(start: nil, count: 0)
    return bytes.extracting(range.upperBound <= bytes.count ? range : 0..<0)
  }
}

/// Renders lines for a pack's text files.
enum PackLines {
  /// Returns a string on one line: line breaks and other control characters become spaces.
  static func oneLine(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value)
      let isLineEnd = scalar.value == 0x2028 || scalar.value == 0x2029
      out.append(isControl || isLineEnd ? " " : scalar)
    }
    return String(out).trimmingCharacters(in: .whitespaces)
  }
}

/// The time that is written to packs. The time is only set if the environment specifies it.
enum PackEpoch {
  /// The value of `SOURCE_DATE_EPOCH`, in seconds since 1970; nil if it is missing or out of range for a pack.
  /// - Source: https://reproducible-builds.org/specs/source-date-epoch/
  static var seconds: Int64? {
    guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      // The years 1970 to 9999 can be stored in every kind of archive.
      (0...253_402_300_799).contains(seconds)
    else { return nil }
    return seconds
  }
}

extension String {
  /// Returns the first bytes of an ASCII string.
  func utf8Prefix(_ count: Int) -> String { String(decoding: utf8.prefix(count), as: UTF8.self) }
}
