import Content
import Foundation

/// The values in the name of a backup: `anyfleet-20261121T231800Z.fleetpack` is a backup of `anyfleet` at that time.
///
/// Only the backup's content is certain. The name is used for files that cannot be read.
package struct BackupName {
  /// The name of the library.
  package let library: String
  /// The time when the backup was taken, in whole seconds.
  package let takenAt: Timestamp

  private let file: String

  /// Whether the file is newer than a backup. Within one second, the later name counts as newer.
  func isNewer(than backup: BackupFile) -> Bool {
    let (mine, theirs) = (takenAt.milliseconds / 1000, backup.info.takenAt.milliseconds / 1000)
    return mine != theirs ? mine > theirs : backup.name.utf8.lexicographicallyPrecedes(file.utf8)
  }

  /// Parses the name of a file; nil for names that `fleetkit backup` does not produce.
  package init?(_ path: String) {
    let name = (path as NSString).lastPathComponent
    // The name is read from the end, because the library's own name may contain a time.
    guard let dash = name.lastIndex(of: "-") else { return nil }
    let stamp = name[name.index(after: dash)...].prefix(16)
    guard BackupTarget.isStamp(stamp) else { return nil }
    let digits = Array(stamp)
    func part(_ range: Range<Int>) -> String { String(digits[range]) }
    let text =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    guard let time = Timestamp.parse(text)?.0 else { return nil }
    library = String(name[..<dash])
    takenAt = time
    file = name
  }
}
