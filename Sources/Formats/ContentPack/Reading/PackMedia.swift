import ArchiveIO
import Content
import Foundation
import Interchange
import Synchronization

/// The bytes of a pack's attachments, unpacked one by one when a writer asks for them.
final class PackMedia: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    var unpacked: Set<Int> = []
  }

  private let image: BagImage
  /// Whether the files lie on the disk already.
  private let isFolder: Bool
  /// Numbers of files by the checksums of their bytes.
  private let numbers: [String: Int]
  private let findings: PackFindings
  private let state = Mutex(State())

  init(_ image: BagImage, _ picks: [Int], findings: PackFindings) {
    self.image = image
    self.findings = findings
    isFolder = PackFolder.isFolder(image.path)
    numbers = Dictionary(picks.map { (image.members[$0].sha256, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The file with the bytes of an attachment; nil when the pack does not have them.
  func number(of record: Record) -> Int? {
    guard !numbers.isEmpty, let root = (try? record.document())?.root, let hash = root["sha256"]?.string else {
      return nil
    }
    return numbers[hash]
  }

  /// Where the bytes lie on the disk.
  func path(of record: Record) -> String? {
    guard let number = number(of: record) else { return nil }
    let member = image.members[number]
    if isFolder { return (image.path.hasSuffix("/") ? image.path : image.path + "/") + member.path }
    return state.withLock { state in
      do {
        let folder = try state.folder ?? TemporaryFolder()
        state.folder = folder
        let path = folder.path + "/" + member.sha256
        if state.unpacked.insert(number).inserted { try image.extract(number, to: path) }
        return path
      } catch {
        findings.notUnpacked(member.path, error)
        return nil
      }
    }
  }
}
