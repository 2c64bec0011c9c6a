import ArchiveIO
import Content
import Foundation
import Interchange
import Synchronization

/// The bytes of a pack's attachments, unpacked one by one when a writer requests them. Those of a folder are copied
/// too: the bytes returned are the bytes that were checked, even if the folder changes meanwhile.
final class PackMedia: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    var unpacked: Set<Int> = []
  }

  private let image: BagImage
  /// The numbers of files, by the checksums of their bytes.
  private let numbers: [String: Int]
  private let findings: PackFindings
  private let state = Mutex(State())

  init(_ image: BagImage, _ picks: [Int], findings: PackFindings) {
    self.image = image
    self.findings = findings
    numbers = Dictionary(picks.map { (image.members[$0].sha256, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the number of the file with the bytes of an attachment; nil if the pack does not contain them.
  func number(of record: Record) -> Int? {
    guard !numbers.isEmpty, let root = (try? record.document())?.root, let hash = root["sha256"]?.string else {
      return nil
    }
    return numbers[hash]
  }

  /// Returns the path of the bytes on the disk.
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

  /// Writes the bytes to a temporary file. It is not needed after the run, so it is not synced to the disk.
  private func unpack(_ number: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    let sink = ByteSink(descriptor: descriptor, name: path)
    try sink.write(image.bytes(of: number))
    try sink.flush()
  }
}
