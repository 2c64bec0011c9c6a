import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Validation

/// A vault file to which notes link, as a record.
struct VaultAttachment: Sendable {
  /// The attachment's id, which is derived from the vault's name and the file's path, so that it is the same in every
  /// run.
  let id: String
  /// The file's path in the vault.
  let path: String
  /// The file's size in bytes.
  let size: Int
  /// The SHA-256 of the file's bytes, as 64 lowercase hexadecimal digits.
  let sha256: String
  /// The sorted ids of the items that use the file.
  let itemIDs: [String]

  /// Reads a file to its end, in chunks; nil if the file cannot be read.
  /// - Parameter id: the attachment's existing id; nil to derive an id from the vault's name and the path.
  init?(path: String, in folder: String, source: String, id: String? = nil, itemIDs: [String]) throws {
    guard let descriptor = LinkPath.open(path, in: folder) else { return nil }
    defer { close(descriptor) }
    var digest = DigestStream()
    var size = 0
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { piece.deallocate() }
    while true {
      let got = read(descriptor, piece.baseAddress, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return nil }
      if got == 0 { break }
      digest.update(piece.span.extracting(first: got))
      size += got
      try Interruption.check()
    }
    self.id = id ?? CanonicalUUID.derived([source, path.precomposed])
    self.path = path
    self.size = size
    sha256 = Digest.hex(digest.finish())
    self.itemIDs = itemIDs
  }

  /// The file name without its folders.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Appends the record as a canonical line, without a line end.
  func write(into out: inout ByteBuffer) {
    out.append("{\"kind\":\"attachment\",\"id\":")
    out.appendJSONString(id)
    out.append(",\"path\":")
    out.appendJSONString(path)
    out.append(",\"name\":")
    out.appendJSONString(name)
    out.append(",\"media_type\":")
    out.appendJSONString(MediaType.of(FileName.last(path).ending))
    out.append(",\"bytes\":")
    out.append(utf8: String(size))
    out.append(",\"sha256\":")
    out.appendJSONString(sha256)
    out.append(",\"item_ids\":[")
    for (index, id) in itemIDs.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(id)
    }
    out.append("]}")
  }
}

/// The attachments of a library that was exported to the vault. Their records are in `.fleetkit/library.jsonl`, and
/// their files are among the notes.
struct ExportedAttachments {
  /// One exported attachment.
  struct Kept {
    let id: String
    let sha256: String?
    /// The canonical line.
    let line: [UInt8]
  }

  private(set) var byPath: [String: Kept] = [:]
  /// The attachments without a file in the vault.
  private(set) var others: [Kept] = []

  /// Removes the attachments from a batch and keeps them.
  mutating func extract(from batch: RecordBatch) {
    batch.keep { record in
      guard record.kind == .attachment else { return true }
      let root = (try? record.document())?.root
      let kept = Kept(id: record.id, sha256: root?["sha256"]?.string, line: record.bytes)
      let path = root.flatMap(Self.path)
      if let path, byPath[path] == nil { byPath[path] = kept } else { others.append(kept) }
      return false
    }
  }

  /// Returns the path of an attachment's file in a vault: its `path` if that path stays inside the vault, or its name
  /// under `attachments/`. Returns nil if the attachment has neither.
  static func path(of attachment: JSONValue) -> String? {
    if let path = attachment["path"]?.string, isInside(path) { return path }
    guard let name = attachment["name"]?.string ?? attachment["file_name"]?.string else { return nil }
    let path = "attachments/" + name
    return isInside(path) && !name.utf8.contains(UInt8(ascii: "/")) ? path : nil
  }

  /// Whether a path stays in its folder, is not hidden, and does not belong to a note.
  private static func isInside(_ path: String) -> Bool {
    path.utf8.count <= 1024 && !path.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") }
      && VaultPath.parts(of: path).allSatisfy { !$0.isEmpty && $0.first != "." && String($0).utf8.count <= 255 }
      && !VaultFile.isNote(path)
  }
}

/// The media types of files that people keep with their notes.
private enum MediaType {
  private static let types = [
    "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "gif": "image/gif", "gpx": "application/gpx+xml",
    "heic": "image/heic", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "kml": "application/vnd.google-earth.kml+xml", "m4a": "audio/mp4",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "pdf": "application/pdf",
    "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain",
    "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "zip": "application/zip",
  ]

  /// Returns the media type for a file extension in lower case.
  static func of(_ ending: String?) -> String { ending.flatMap { types[$0] } ?? "application/octet-stream" }
}

/// Writes the attachments' files back to a vault, if the source has their bytes.
///
/// An existing file is never replaced, because it may be the only copy.
struct VaultMedia {
  /// The staged files, with their paths in the vault.
  private(set) var staged: [(name: String, path: String)] = []
  private var taken: Set<String> = []
  /// The folders of the staged files.
  private var folders: Set<String> = []

  /// Stages the bytes of an attachment, unless the vault already has them.
  /// - Throws: `RunFailure` with status 2 if the bytes cannot be copied.
  mutating func stage(_ record: Record, _ staging: VaultStaging, _ context: RunContext) throws {
    guard let source = record.mediaPath, let root = (try? record.document())?.root else {
      return
    }
    guard staging.place != .nowhere, let path = ExportedAttachments.path(of: root) else {
      let reason: LossReason = staging.place == .nowhere ? .noBytesInOutput : .noFileName
      return context.losses.record(.attachment, id: record.id, field: "", reason: reason)
    }
    let isFree = try isFree(path, root["sha256"]?.string, staging)
    let folded = VaultPath.folded(path)
    guard !taken.contains(folded), !folders.contains(folded), isFree != .taken,
      !VaultPath.folders(of: folded).contains(where: taken.contains)
    else { return Self.report(path, staging, context) }
    taken.insert(folded)
    folders.formUnion(VaultPath.folders(of: folded))
    guard isFree == .free else { return }
    let name = "media-\(staged.count)"
    try Self.copy(source, to: staging.path + "/" + name)
    staged.append((name, path))
  }

  /// Leaves out files whose paths conflict with notes.
  /// - Parameter isBlocked: returns whether a note prevents a file from being written to a path.
  mutating func leaveOut(_ staging: VaultStaging, _ context: RunContext, where isBlocked: (String) -> Bool) {
    for file in staged where isBlocked(file.path) { Self.report(file.path, staging, context) }
    staged.removeAll { isBlocked($0.path) }
  }

  private static func report(_ path: String, _ staging: VaultStaging, _ context: RunContext) {
    let message = "another file has the attachment's path; that file was not changed"
    context.findings.report(Diagnostic(.leftAlone, message, at: Place(file: staging.target + "/" + path)))
  }

  private enum Way { case free, same, taken }

  /// Returns whether a file can be written to a path.
  private func isFree(_ path: String, _ sha256: String?, _ staging: VaultStaging) throws -> Way {
    guard staging.place == .existingFolder else { return .free }
    for folder in VaultPath.folders(of: path)
    where ![.nothing, .folder].contains(VaultPath.entry(at: staging.target + "/" + folder)) { return .taken }
    switch VaultPath.entry(at: staging.target + "/" + path) {
    case .nothing: return .free
    case .file:
      let own = try VaultAttachment(path: path, in: staging.target, source: "", itemIDs: [])
      return own?.sha256 == sha256 ? .same : .taken
    case .folder, .other: return .taken
    }
  }

  private static func copy(_ source: String, to target: String) throws {
    let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else { throw VaultStaging.failure("read", source) }
    defer { close(input) }
    let output = open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard output >= 0 else { throw VaultStaging.failure("write", target) }
    defer { close(output) }
    do {
      try FileCopy.copy(from: input, to: output)
    } catch {
      throw RunFailure(.failed, "copy '\(source)': \(error.message)")
    }
  }
}
