import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// Reads backups from end to end before others go because of them, each file once.
///
/// A backup is sound when every checksum in it holds and each backup that it needs is, by SHA-256 of the whole file,
/// the one that it was made after. That one was put together when its child was made, so its bytes are known good.
final class BackupSoundness {
  private let onProgress: (@Sendable (String, Int, Int) -> Void)?
  private let files: [String: [BackupFile]]
  private let parents: ParentIdentities
  private var problems: [String: String?] = [:]
  private var hashes: [String: String?] = [:]

  /// Prepares to read some of the backups of a folder.
  /// - Parameter proved: paths whose own checksums were found to hold just now.
  init(_ all: [BackupFile], proved: [String], onProgress: (@Sendable (String, Int, Int) -> Void)?) {
    self.onProgress = onProgress
    files = Dictionary(grouping: all, by: \.identity)
    parents = ParentIdentities(all)
    let known = Set(proved.map { BackupTarget.file($0) ?? $0 })
    for file in all where known.contains(BackupTarget.file(file.path) ?? file.path) {
      problems[file.path] = .some(nil)
    }
  }

  /// Why a backup cannot be relied on; nil when it is sound.
  /// - Throws: `RunFailure` when the user stops it.
  func problem(of file: BackupFile) throws -> String? {
    if let problem = try ownProblem(of: file) { return "it is damaged: " + problem }
    var child = file
    // Circles, which only forgers make, end where a file would be its own parent's child.
    var seen: Set<String> = [file.path]
    while let parent = child.info.parent {
      let candidates = parents.of(child).flatMap { files[$0] } ?? []
      guard let found = try candidates.first(where: { try hash(of: $0) == parent.sha256 }) else {
        return
          "it cannot be restored: '\(candidates.first?.name ?? parent.file)' is not the backup any more that it was "
          + "made after"
      }
      guard seen.insert(found.path).inserted else { return "it cannot be restored: its backups go round in a circle" }
      child = found
    }
    return nil
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

  /// SHA-256 of a whole file; nil when it cannot be read.
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
