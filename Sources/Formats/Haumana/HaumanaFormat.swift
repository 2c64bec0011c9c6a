import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SourceFolders

extension FormatID {
  /// Exports, list files and API responses of Haumana.
  public static let haumana = FormatID(rawValue: "haumana")
  /// Haumana's tables in DynamoDB.
  public static let haumanaDynamoDB = FormatID(rawValue: "haumana-dynamodb")
}

extension DiagnosticCode {
  /// A Haumana file is damaged.
  static let notHaumana = DiagnosticCode(
    "HMN0101", "not-haumana", .error, "A Haumana file is damaged.",
    why: "its content cannot be read reliably",
    fix: "export it again")
  /// A piece is not uploaded yet.
  static let notUploaded = DiagnosticCode(
    "HMN0102", "not-uploaded", .note, "A piece or an operation on the phone is not uploaded yet.",
    why: "the cloud has an older version", fix: "nothing needs to be done; the newer version was used")
  /// Other users' items were left out.
  static let otherUsers = DiagnosticCode(
    "HMN0103", "other-users", .note, "Items of other users were left out.", why: "--user selects one of several users",
    fix: "nothing needs to be done")
  /// A time cannot be read.
  static let unreadableTime = DiagnosticCode(
    "HMN0104", "unreadable-time", .warning, "A piece has a time that cannot be read.",
    why: "versions of a piece are compared by their times; the text is kept", fix: "correct it in the source")
  /// A file in an S3 export does not match its manifest.
  static let manifestDiffers = DiagnosticCode(
    "HMN0105", "manifest-differs", .error, "A file in an S3 export does not match its manifest.",
    why: "it was changed or is incomplete; its items were read", fix: "download it again")
  /// An item, or the rest of a file, cannot be read.
  static let brokenItem = DiagnosticCode(
    "HMN0106", "broken-item", .error, "A Haumana item, or the rest of a file, cannot be read.",
    why: "it is damaged", fix: "correct it in the rejects and read the rejects again, or export it again")
  /// A scan has further pages.
  static let scanContinues = DiagnosticCode(
    "HMN0107", "scan-continues", .warning, "A page of a scan is not the last one.",
    why: "the items on the other pages are missing unless these pages are read as well",
    fix: "give all pages of the scan to one command")
  /// No deck was made for a piece.
  static let noDeck = DiagnosticCode(
    "HMN0108", "no-deck", .note, "A piece has no translation, so no deck was made.",
    why: "a card has a line on one side and its translation on the other", fix: "nothing needs to be done")

  /// DynamoDB would refuse an item.
  static let largeItem = DiagnosticCode(
    "HMN0111", "large-item", .error, "An item is larger than DynamoDB allows.",
    why: "the limit is 400 KB, including attribute names", fix: "shorten the text")
  /// An item has no user.
  static let itemWithoutUser = DiagnosticCode(
    "HMN0112", "item-without-user", .error, "An item has no user, which the tables' keys require.",
    why: "it was created before the user signed in", fix: "specify the user with --user ID")

  static let haumana = [
    largeItem, itemWithoutUser, notHaumana, notUploaded, otherUsers, unreadableTime, manifestDiffers, brokenItem,
    scanContinues, noDeck,
  ]
}

/// Code that both Haumana formats share.
private enum HaumanaShared {
  static let keeps: Set<Feature> = [
    .guides, .ids, .times, .tags, .language, .practiceSessions, .foreign, .unknownMembers,
  ]

  static func reader(
    of files: [HaumanaFile], _ source: Source, context: RunContext
  ) throws -> any ContentReader {
    let options = context.reading
    return try DraftReader(
      of: source, idScope: ["haumana"], traits: SourceTraits(hasManyFiles: files.contains { $0.member != nil }),
      context: context
    ) { HaumanaSource(source.name, files, options, findings: $0) }
  }

  /// Saves standard input as a file, because the input is read again to find places.
  static func kept(_ source: Source, _ context: RunContext) throws -> Source {
    guard source.isStandardInput else { return source }
    let folder = try TemporaryFolder()
    context.keep(folder)
    try StandardInput.copy(to: folder.path + "/haumana.json")
    return Source(folder.path + "/haumana.json", name: "-")
  }

  /// Returns the first bytes of a file with all whitespace removed; nil if the bytes cannot be JSON, or if they belong
  /// to a FleetKit bundle.
  static func compact(_ head: [UInt8]) -> String? {
    var head = head[...]
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head = head.dropFirst(3) }
    let text = String(decoding: head.filter { $0 > 0x20 }, as: UTF8.self)
    guard text.hasPrefix("{") || text.hasPrefix("["), !text.hasPrefix("{\"kind\":"), !text.contains("\"fleetkit.")
    else {
      return nil
    }
    return text
  }
}

/// The format of Haumana's export documents, of the list files that the app ships, and of its sync API's responses.
///
/// - Source: formats/haumana.md
public struct HaumanaFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .haumana, title: "Haumana export", page: "haumana", extensions: ["haumana"], mediaType: "application/json",
    keeps: HaumanaShared.keeps, options: [.user, .decks], differences: [.ownExtras],
    codes: DiagnosticCode.haumana)

  /// Recognizes a file by its content.
  public func recognises(_ source: Source, head: FileHead) -> Bool { hasSignature(head) }

  /// Whether the file is JSON with the members of an export, a response or a list file.
  public func hasSignature(_ head: FileHead) -> Bool {
    // Almost no other file has any of these members.
    guard head.hasMember("exportVersion", "serverPieces", "serverSessions", "pieceId", "lyrics"),
      let text = HaumanaShared.compact(head.bytes)
    else { return false }
    if text.contains("\"exportVersion\":"), text.contains("\"pieces\":[") || text.contains("\"user\":{") { return true }
    if text.contains("\"serverPieces\":[") || text.contains("\"serverSessions\":[") { return true }
    if text.contains("\"pieceId\":\"") { return true }
    return text.hasPrefix("[{") && text.contains("\"lyrics\":\"") && text.contains("\"title\":\"")
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a file.
  /// - Throws: `RunFailure`: 2 if it cannot be read, 4 if it has several users, 5 if it is damaged.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let file = try HaumanaShared.kept(source, context)
    return try HaumanaShared.reader(of: [HaumanaFile(path: file.path)], file, context: context)
  }

  /// Creates an export document.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try HaumanaWriter(target, context: context)
  }
}

/// The format of items from Haumana's DynamoDB tables: one item per line, scan responses, and exports to S3.
///
/// - Source: formats/haumana.md; DynamoDB developer guide, "DynamoDB table export output format"
public struct HaumanaDynamoDBFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .haumanaDynamoDB, title: "Haumana in DynamoDB", page: "haumana", extensions: ["dynamodb"],
    mediaType: "application/json", keeps: HaumanaShared.keeps, holdsFiles: true, fromFolders: .recognised,
    writesFolders: true,
    options: [.user, .decks, .upload], differences: [.ownExtras], codes: [])

  /// Recognizes a file by its content, and a folder by its manifest.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    head.isEmpty ? ExportFolder.find(in: source.path) != nil : hasSignature(head)
  }

  /// Whether the file contains typed items with the keys of Haumana's tables.
  public func hasSignature(_ head: FileHead) -> Bool {
    guard head.hasMember("S"), let text = HaumanaShared.compact(head.bytes), text.contains("\":{\"S\":\"")
    else { return false }
    if text.hasPrefix("{\"RequestItems\":{") { return true }
    return ["\"pieceId\":{", "\"sessionId\":{", "\"SK\":{", "\"sk\":{", "\"userId\":{"].contains { text.contains($0) }
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a file or an export.
  /// - Throws: `RunFailure`: 2 if it cannot be read, 4 if it has several users, 5 if it is damaged.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    if let folder = ExportFolder.find(in: source.path) {
      return try HaumanaShared.reader(of: try folder.files(), source, context: context)
    }
    let file = try HaumanaShared.kept(source, context)
    return try HaumanaShared.reader(of: [HaumanaFile(path: file.path)], file, context: context)
  }

  /// Returns false, because the format is only used when it is requested.
  public func isNamed(by target: Target) -> Bool { false }

  /// Creates a folder of requests.
  /// - Throws: `RunFailure` with status 4 if the folder exists and is not empty, 64 if the target is not a folder.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try RequestsWriter(target, context: context)
  }
}

/// The folder of an S3 export.
private struct ExportFolder {
  let path: String

  /// Finds the export in a folder: either the folder itself or the only export in its subfolder `AWSDynamoDB`.
  static func find(in path: String) -> ExportFolder? {
    let files = FileManager.default
    var folder = path
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder = String(folder.dropLast()) }
    for base in [folder, folder + "/AWSDynamoDB"] {
      if files.fileExists(atPath: base + "/manifest-files.json") { return ExportFolder(path: base) }
      guard base != folder || base.hasSuffix("/AWSDynamoDB") else { continue }
      let exports = ((try? files.contentsOfDirectory(atPath: base)) ?? []).filter {
        files.fileExists(atPath: "\(base)/\($0)/manifest-files.json")
      }
      if exports.count == 1 { return ExportFolder(path: "\(base)/\(exports[0])") }
    }
    return nil
  }

  /// Returns the data files that the manifest lists.
  /// - Throws: `RunFailure` with status 5 if the manifests are damaged, or a file is missing.
  func files() throws -> [HaumanaFile] {
    for name in ["manifest-files", "manifest-summary"] { try check(name) }
    var files: [HaumanaFile] = []
    let manifest = path + "/manifest-files.json"
    let bytes = try read(manifest)
    for (index, line) in bytes.split(separator: 0x0A).enumerated() where line.contains(where: { $0 > 0x20 }) {
      guard let entry = (try? JSONDocument(parsing: Array(line)))?.root,
        let key = entry["dataFileS3Key"]?.string, let items = entry["itemCount"]?.integer,
        let md5 = entry["md5Checksum"]?.string, let name = key.split(separator: "/").last, name != "..", name != "."
      else {
        throw damaged("\(manifest):\(index + 1)", "not a manifest entry")
      }
      let file = "\(path)/data/\(name)"
      guard FileManager.default.fileExists(atPath: file) else {
        throw damaged("\(manifest):\(index + 1)", "the file 'data/\(name)' is missing")
      }
      files.append(HaumanaFile(path: file, member: "data/\(name)", expected: (Int(clamping: items), md5)))
    }
    let sum = files.reduce(0) { $0 + ($1.expected?.items ?? 0) }
    if FileManager.default.fileExists(atPath: path + "/manifest-summary.json"),
      let summary = (try? JSONDocument(parsing: try read(path + "/manifest-summary.json")))?.root,
      let count = summary["itemCount"]?.integer, count != Int64(sum)
    {
      throw damaged(path + "/manifest-summary.json", "it lists \(count) items, but the files have \(sum)")
    }
    return files
  }

  /// Compares a manifest with its checksum, if the checksum file exists.
  private func check(_ name: String) throws {
    let sum = "\(path)/\(name).md5"
    guard FileManager.default.fileExists(atPath: sum), FileManager.default.fileExists(atPath: "\(path)/\(name).json")
    else { return }
    let wanted = String(decoding: try read(sum), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    let found = try FileMD5.base64(of: "\(path)/\(name).json")
    if found != wanted { throw damaged("\(path)/\(name).json", "its MD5 is \(found), but '\(name).md5' has \(wanted)") }
  }

  private func read(_ file: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw RunFailure(.failed, "read '\(file)': \(SystemError.last)")
    }
    return Array(data)
  }

  private func damaged(_ place: String, _ why: String) -> RunFailure {
    RunFailure(
      .mismatch, "read '\(path)': damaged at \(TerminalEscaping.escape(place)): \(why)", advice: "Download it again.")
  }
}

/// Computes MD5, the checksum that DynamoDB's manifests use.
enum FileMD5 {
  /// Returns a file's checksum in Base64.
  static func base64(of path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { room.deallocate() }
    let digest = StreamingDigest(.md5)
    while true {
      let got = FileRead.some(descriptor, into: room)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { return Data(digest.finish()).base64EncodedString() }
      digest.update(room.assumingMemoryBound(to: UInt8.self).span.extracting(first: got))
    }
  }
}
