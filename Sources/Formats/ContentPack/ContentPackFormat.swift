import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange

extension FormatID {
  /// Content packs.
  public static let pack = FormatID(rawValue: "fleetpack")
}

/// The format of content packs: bags that hold content in other formats, as archives or folders.
///
/// - Source: formats/content-pack.md
public struct ContentPackFormat: Format {
  /// The format of `data/records.jsonl`.
  let lines: any MemberFormat
  /// The format of single records as JSON documents, for checklists, decks, and guides that a note cannot represent.
  let document: any MemberFormat
  /// The format of guides.
  let notes: any MemberFormat
  /// The format of the library in a backup.
  let library: any Format

  /// Creates the format from the formats of its files.
  public init(
    lines: any MemberFormat, document: any MemberFormat, notes: any MemberFormat, library: any Format
  ) {
    self.lines = lines
    self.document = document
    self.notes = notes
    self.library = library
  }

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .pack, title: "Content pack", page: "content-pack", extensions: ["fleetpack"],
    mediaType: "application/vnd.fleetkit.pack", keeps: Set(Feature.allCases), holdsFiles: true, differences: [.typing],
    codes: DiagnosticCode.bag + DiagnosticCode.pack)

  /// Recognizes a pack by its name, by being an archive of a kind that packs use, or by being a folder that contains a
  /// bag.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    if source.isStandardInput { return false }
    return descriptor.extensions.contains(source.pathExtension) || ArchiveKind.of(head.bytes) != nil
      || head.isEmpty && PackFolder.isBag(source.path)
  }

  /// Whether a file begins like a pack in a ZIP archive. Other archives can only be recognized after unpacking, and a
  /// folder may hold any number of archives that are not packs.
  public func hasSignature(_ head: FileHead) -> Bool {
    guard ArchiveKind.of(head.bytes) == .zip, head.count > 30 else { return false }
    let name = head.dropFirst(30).prefix(Int(head[26]) | Int(head[27]) << 8)
    return name.elementsEqual(PackInfo.path.utf8) || name.elementsEqual("bagit.txt".utf8)
  }

  /// Returns the home that all versions of a pack share, regardless of the folders that contain their files.
  public func home(of source: Source) -> SourceHome? {
    guard !source.isStandardInput, let info = try? PackHead(source.path).info, info.profile == .content else {
      return nil
    }
    let folder = URL(fileURLWithPath: source.path).standardizedFileURL.deletingLastPathComponent().path
    return SourceHome(name: "pack:" + info.name, folder: folder, path: ".", kind: .pack)
  }

  /// Opens a pack. No content is returned before every file has been checked against its checksum.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    if source.isStandardInput {
      throw RunFailure(
        .usage, "read a pack from standard input: a pack is a file or a folder", advice: "Give its path.")
    }
    if PackHead.isBackup(at: source.path) {
      return try SnapshotReader(source, library: library, context: context)
    }
    return try PackReader(source, formats: self, context: context)
  }
}

extension ContentPackFormat {
  /// The formats of the files in a pack.
  public var members: PackFormats { PackFormats(notes: notes, documents: document, lines: lines) }

  /// Begins a pack with the profile `copy`.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try PackWriter(target, formats: members, context: context)
  }

  /// Whether a target's name is an archive name.
  public func isNamed(by target: Target) -> Bool {
    guard !target.isFolder, let kind = ArchiveKind.named(target.path) else { return false }
    return kind != .folder
  }
}

/// Writes a faithful copy of all records as a pack with the profile `copy`.
///
/// Each item becomes a separate file, all other records are written to `data/records.jsonl`, and attachment files are
/// included. The pack's name is derived from the file's name, its version is 0.0.0, and its publisher and licence are
/// `NOASSERTION`.
/// - Source: formats/content-pack.md
public final class PackWriter: ContentWriter {
  private let target: String
  private let assembly: PackAssembly
  private let context: RunContext

  /// Begins a pack.
  /// - Throws: `RunFailure`: 4 if a file of that name exists, 64 for standard output.
  public init(_ target: Target, formats: PackFormats, context: RunContext) throws {
    if target.isStandardOutput {
      throw RunFailure(
        .usage, "write a pack to standard output: its beginning is written last", advice: "Specify a file or a folder.")
    }
    self.target = target.path
    self.context = context
    assembly = try PackAssembly(
      target, kind: ArchiveKind.named(target.path) ?? .fleetpack, formats: formats, isPublished: false)
  }

  /// Writes records.
  public func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    let outcomes = try assembly.add(items: batch, losses: context.losses)
    var others: [RecordSlot] = []
    for (index, outcome) in outcomes.enumerated() {
      let slot = batch.slots[index]
      switch outcome {
      case .taken: tally[slot.kind].created += 1
      case .repeated:
        // A pack's index must contain each id only once.
        let record = Record(batch: batch, index: index)
        try rejects.add(record, .duplicateRecord, "the pack already has an item \(record.id)", &tally, context)
      case .noItem:
        tally[slot.kind].created += 1
        others.append(slot)
        if slot.kind == .attachment { try addMedia(Record(batch: batch, index: index)) }
      }
    }
    batch.slots = others
    try assembly.add(records: batch)
  }

  private func addMedia(_ record: Record) throws {
    guard record.mediaPath != nil, try !assembly.add(mediaOf: record) else { return }
    context.losses.record(
      .attachment, id: record.id, field: "", reason: .noChecksum)
  }

  /// Writes the pack under a temporary name.
  public func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    var info = PackInfo(profile: .copy, name: PackName.of(path: target))
    info.version = SemanticVersion("0.0.0")
    info.publisher = "NOASSERTION"
    info.licence = "NOASSERTION"
    try assembly.prepare(info)
  }

  /// Renames the pack to its final name.
  public func finish() throws -> Int { try assembly.finish() }

  /// Removes everything that was written.
  public func abort() { assembly.abort() }
}

/// The formats in which the files of a pack are written and read. The format registry supplies them, because formats do
/// not depend on each other.
public struct PackFormats: Sendable {
  /// The format of notes in Markdown, which is used for guides.
  public let notes: any MemberFormat
  /// The format of single records as JSON documents. It is used for checklists, decks, and guides that a note cannot
  /// represent.
  public let documents: any MemberFormat
  /// The format of bundles with one record a line, which is used for all other records.
  public let lines: any MemberFormat

  /// Creates the set of formats.
  public init(notes: any MemberFormat, documents: any MemberFormat, lines: any MemberFormat) {
    self.notes = notes
    self.documents = documents
    self.lines = lines
  }
}

extension DiagnosticCode {
  /// `data/pack.json` cannot be used.
  public static let packInfo = DiagnosticCode(
    "PCK0101", "pack-info", .error, "A pack's description is missing or invalid.",
    why: "without a valid data/pack.json, the content's publisher and the items' files are unknown",
    fix: "build the pack again, or correct data/pack.json and the manifests")
  /// The index names a file that does not exist.
  public static let packFileMissing = DiagnosticCode(
    "PCK0301", "pack-file-missing", .error, "A pack's index names a file that the pack does not contain.",
    why: "content that the index lists is missing", fix: "ask the publisher for a complete pack, or build it again")
  /// The checksum in the index differs from the file's checksum.
  public static let packFileDiffers = DiagnosticCode(
    "PCK0302", "pack-file-differs", .error, "The checksum of a file in a pack differs from the one in the index.",
    why: "either the file or the index was changed after the publisher wrote it",
    fix: "ask the publisher for the pack again, or build it again")
  /// An index entry differs from the item's file.
  public static let packItemDiffers = DiagnosticCode(
    "PCK0303", "pack-item-differs", .error, "A pack's index disagrees with an item's file.",
    why: "lists made from the index show wrong data", fix: "build the pack again")
  /// An item is missing from the index.
  public static let packItemUnlisted = DiagnosticCode(
    "PCK0304", "pack-item-unlisted", .error, "An item in a pack is missing from the index.",
    why: "lists made from the index do not show all of the pack's content", fix: "build the pack again")
  /// A file is not part of the content.
  public static let packFileUnread = DiagnosticCode(
    "PCK0305", "pack-file-unread", .warning, "A file in a pack was not read.",
    why: "its content is not imported",
    fix: "move content to a path that packs use; formats/content-pack.md lists them")
  /// The pack has a newer format version, but this FleetKit may read it.
  public static let packNewer = DiagnosticCode(
    "PCK0306", "pack-newer", .warning, "A pack has a newer format version than this FleetKit supports.",
    why: "new parts of the format may be ignored", fix: "update FleetKit")
  /// The archive is damaged. `validate` reports this finding.
  public static let packDamaged = DiagnosticCode(
    "PCK0307", "pack-damaged", .error, "A pack is damaged, or the file is not a pack.",
    why: "FleetKit uses a pack only if all of its files match their checksums", fix: "download or copy the pack again")

  /// All codes for findings about packs.
  package static let pack = [
    packInfo, packFileMissing, packFileDiffers, packItemDiffers, packItemUnlisted, packFileUnread, packNewer,
    packDamaged,
  ]
}
