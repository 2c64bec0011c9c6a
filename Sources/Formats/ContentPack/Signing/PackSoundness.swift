import ArchiveIO
import Interchange

/// Checks that every file in a pack matches the pack's manifests.
enum PackSoundness {
  /// - Returns: the report, if the check found no errors.
  /// - Throws: `RunFailure` with status 5 that names the first error.
  @discardableResult
  static func require(_ path: String, doing: String, onProgress: ((Int, Int?) -> Void)?) throws -> BagCheck.Report {
    let report = try BagCheck(path, level: .content).run(onProgress: onProgress)
    guard let first = report.findings.first(where: { $0.severity == .error }) else { return report }
    let count = report.findings.count { $0.severity == .error }
    throw RunFailure(
      .mismatch, "\(doing): \(first.place): \(first.message)" + (count > 1 ? " (and \(count - 1) more)" : ""),
      advice: "Run 'fleetkit validate' on the pack to list all errors, then build it again.")
  }
}
