import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// Reads backups from end to end before others are removed in their favour. Each file is read once.
///
/// A backup is sound if every checksum in it matches, and if each backup that it needs is still the file that it was
/// based on, according to the SHA-256 of that file. A parent was assembled when its child was made, so the parent's
/// bytes were good then.
final class BackupSoundness {
  /// The reason why a backup cannot be relied on.
  struct Problem {
    /// The path of the damaged, replaced or missing file: the backup itself, or a backup that it needs.
    let culprit: String
    /// What is wrong with the backup: a clause in which `it` is the backup.
    let message: String
  }

  private let onProgress: (@Sendable (String, Int, Int) -> Void)?
  private let files: [String: [BackupFile]]
  private let parents: ParentIdentities
  private var problems: [String: String?] = [:]
  private var hashes: [String: String?] = [:]

  /// Prepares to read some of the backups of a folder.
  /// - Parameter proved: paths of files whose own checksums were just verified.
  init(_ all: [BackupFile], proved: [String] = [], onProgress: (@Sendable (String, Int, Int) -> Void)?) {
    self.onProgress = onProgress
    files = Dictionary(grouping: all, by: \.identity)
    parents = ParentIdentities(all)
    let known = Set(proved.map { BackupTarget.file($0) ?? $0 })
    for file in all where known.contains(BackupTarget.file(file.path) ?? file.path) {
      problems[file.path] = .some(nil)
    }
  }

  /// Returns the reason why a backup cannot be relied on; nil if it is sound.
  /// - Throws: `RunFailure` if the user stops it.
  func problem(of file: BackupFile) throws -> Problem? {
    if let problem = try ownProblem(of: file) {
      return Problem(culprit: file.path, message: "it is damaged: " + problem)
    }
    var child = file
    // Cycles, which occur only in forged backups, end at the first file that repeats.
    var seen: Set<String> = [file.path]
    while let parent = child.info.parent {
      let candidates = parents.of(child).flatMap { files[$0] } ?? []
      guard let found = try candidates.first(where: { try hash(of: $0) == parent.sha256 }) else {
        return unmet(parent, candidates.first, of: child)
      }
      guard seen.insert(found.path).inserted else {
        return Problem(culprit: found.path, message: "it cannot be restored: its backups form a cycle")
      }
      child = found
    }
    return nil
  }

  /// Returns the problem with the backup that a child needs: it is missing, cannot be read, or is a different backup.
  private func unmet(_ parent: BackupInfo.Parent, _ candidate: BackupFile?, of child: BackupFile) -> Problem {
    let name = (parent.file as NSString).lastPathComponent
    let path = URL(fileURLWithPath: child.path).deletingLastPathComponent().relativePath + "/" + name
    let culprit = candidate?.path ?? path
    guard candidate == nil, access(path, F_OK) != 0 else {
      return Problem(
        culprit: culprit,
        message: "it cannot be restored: '\(candidate?.name ?? name)' is no longer the backup that it is based on"
      )
    }
    return Problem(culprit: culprit, message: "it cannot be restored: '\(name)', which it needs, is missing")
  }

  private func ownProblem(of file: BackupFile) throws -> String? {
    if let known = problems[file.path] { return known }
    let problem: String?
    do {
      let onProgress = onProgress
      let check = try BagCheck(file.path, level: .content).run { done, total in
        onProgress?("Checking \(file.name)", done, total ?? done)
      }
      problem = check.findings.first { $0.severity == .error }?.message
    } catch let failure as RunFailure where failure.status != .interrupted {
      problem = failure.message
    }
    problems[file.path] = .some(problem)
    return problem
  }

  /// Returns the SHA-256 of a whole file; nil if the file cannot be read.
  private func hash(of file: BackupFile) throws -> String? {
    if let known = hashes[file.path] { return known }
    let hash: String?
    do {
      let onProgress = onProgress
      hash = try FileDigest.sha256(of: file.path) { onProgress?("Checking \(file.name)", $0, $1) }
    } catch let failure as RunFailure where failure.status != .interrupted {
      hash = nil
    }
    hashes[file.path] = .some(hash)
    return hash
  }
}
