import ArchiveIO
import Interchange

/// Whether every file of a pack matches its manifests.
enum PackSoundness {
  /// - Returns: The report of the check, if it found no errors.
  /// - Throws: `RunFailure` with status 5 that names the first thing that is wrong.
  @discardableResult
  static func require(_ path: String, doing: String, onProgress: ((Int, Int?) -> Void)?) throws -> BagCheck.Report {
    let report = try BagCheck(path, level: .content).run(onProgress: onProgress)
    guard let first = report.findings.first(where: { $0.severity == .error }) else { return report }
    let count = report.findings.count { $0.severity == .error }
    throw RunFailure(
      .mismatch, "\(doing): \(first.place): \(first.message)" + (count > 1 ? " (and \(count - 1) more)" : ""),
      advice: "Run 'fleetkit validate' on it to list all that is wrong, then build it again.")
  }
}
