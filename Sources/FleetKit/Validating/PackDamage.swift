import ArchiveIO
import ContentPack
import FleetKitCore

/// What is wrong with a pack that could not be opened, as findings: damage is content that is invalid.
enum PackDamage {
  /// - Parameter failure: why it could not be opened, or read on.
  /// - Returns: nil when the failure is not about what the pack holds, or has a place already.
  static func findings(_ entry: SourceList.Entry, _ failure: RunFailure) -> [Diagnostic]? {
    guard entry.format is ContentPackFormat, failure.finding == nil || failure.finding?.code == .packInfo else {
      return nil
    }
    guard failure.status == .mismatch || failure.status == .failed else { return nil }
    let report = try? BagCheck(entry.source.path, level: .content).run()
    if let report, !report.isValid { return report.findings }
    // What is missing, or may not be read, says nothing about the pack.
    guard failure.status == .mismatch else { return nil }
    return [
      Diagnostic(.packDamaged, failure.message, at: Place(file: entry.source.path), fix: failure.advice)
    ]
  }
}
