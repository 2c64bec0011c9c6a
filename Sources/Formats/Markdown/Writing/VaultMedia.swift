import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

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
  mutating func take(_ record: Record, _ staging: VaultStaging, _ context: RunContext) throws {
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
