import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText

/// Collects the content of a pack, then writes it as a bag in a fixed order, regardless of the order of the input.
///
/// Texts wait in an unnamed file, because file names depend on all titles. Memory is a few hundred bytes for each
/// item. The same content gives the same bytes. Used by one thread.
/// - Source: formats/content-pack.md
public final class PackAssembly {
  /// An item with its text in the spool.
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

  /// The program that packs name as their maker.
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
  /// Waits for the texts that are being made.
  private var making: (() throws -> Void)?

  /// Begins a pack.
  /// - Parameter isPublished: whether data that concerns only its maker is left out of every item.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists, 2 if it cannot be written.
  public init(_ target: Target, kind: ArchiveKind, formats: PackFormats, isPublished: Bool) throws {
    self.target = target.path
    texts = PackTexts(formats, isPublished: isPublished)
    spool = try TextSpool()
    folder = try TemporaryFolder()
    // The pack holds the bytes of attachments, which a bundle cannot.
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

  /// Whether the pack has an item with that id.
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

  /// Adds the items of a batch. Their texts are made while the caller continues. The batch must not change until
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
    making = { [unowned self] in try keep(texts(), losses) }
    return outcomes
  }

  /// Waits for the texts that are being made. Until then, counts and languages may lack the last batch.
  /// - Throws: `RunFailure` if the disk is full.
  public func settle() throws {
    let wait = making
    making = nil
    try wait?()
  }

  private func keep(_ texts: [PackTexts.Text], _ losses: LossLog) throws {
    for text in texts {
      for left in text.left { losses.record(.item, id: text.id, field: left.field, reason: left.reason) }
      let range = try text.bytes.withUnsafeBufferPointer { try spool.append($0) }
      items.append(
        Item(
          id: text.id, type: text.type, title: text.title, language: text.language, slug: text.slug,
          isNote: text.isNote, text: range, sha256: text.sha256, lineage: text.lineage))
    }
  }

  /// The outcome for a record.
  public enum Outcome: Sendable {
    /// It is in the pack.
    case taken
    /// The pack already has an item with this id.
    case repeated
    /// It is not an item.
    case noItem
  }

  /// Adds records that are not items to `data/records.jsonl`. The batch has no others.
  public func add(records batch: RecordBatch) throws {
    guard batch.count > 0 else { return }
    hasRecords = true
    var tally = Tally()
    try records.write(batch, tally: &tally, rejects: RejectsWriter(base: folder.path + "/rejects", asArray: false))
  }

  /// Adds the bytes of an attachment.
  /// - Returns: False if the source does not have them, or the attachment has no checksum to find them by.
  /// - Throws: `RunFailure` with status 5 if they do not match the attachment's checksum, 2 if they cannot be read.
  public func add(mediaOf record: Record) throws -> Bool { try media.add(record) }

  // MARK: Writing

  /// Writes everything under a temporary name.
  /// - Parameter info: the pack's description; languages and items are filled in here.
  /// - Returns: The description as written to the pack.
  /// - Throws: `RunFailure` if the disk is full, or a file was changed meanwhile.
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
        try bag.add(PackPaths.payload + path, spool.text(item.text), sha256: item.sha256)
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
    _ = try bytes.withUnsafeBufferPointer { try bag.add(PackPaths.payload + path, $0) }
  }

  /// Renames the pack to its final name.
  /// - Returns: The size of the file, or of all files of the folder, in bytes.
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
