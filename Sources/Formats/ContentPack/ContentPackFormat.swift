import ArchiveIO
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
  /// The format of guides.
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
