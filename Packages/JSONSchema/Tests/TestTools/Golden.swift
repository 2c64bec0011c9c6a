import Foundation
import Testing

/// Complete texts that are compared with the `Golden` folder in the caller's `Tests` folder. Other tests check codes,
/// statuses, counts and places.
///
/// `FLEETKIT_RECORD=1` rewrites the files. A test that rewrote a file fails, so that someone reviews the change.
public enum Golden {
  /// Compares a text with a golden file, and stops at the first line that differs.
  /// - Parameters:
  ///   - name: the file's path within the folder.
  ///   - caller: the path of a source file below `Tests`.
  public static func compare(
    _ found: String, with name: String, caller: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = folder(of: caller) + "/" + name
    let expected = try? String(contentsOfFile: path, encoding: .utf8)
    let records = ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1"
    if expected == nil || records && expected != found {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try found.write(toFile: path, atomically: true, encoding: .utf8)
      Issue.record("\(name) was recorded; read it", sourceLocation: sourceLocation)
      return
    }
    let theirs = (expected ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    let ours = found.split(separator: "\n", omittingEmptySubsequences: false)
    for index in 0..<max(theirs.count, ours.count) {
      let left = index < theirs.count ? String(theirs[index]) : "(end)"
      let right = index < ours.count ? String(ours[index]) : "(end)"
      try #require(left == right, "\(name):\(index + 1)", sourceLocation: sourceLocation)
    }
  }

  /// Returns the folder of the golden files for the tests in a source file.
  public static func folder(of caller: String = #filePath) -> String {
    var url = URL(fileURLWithPath: caller)
    while url.lastPathComponent != "Tests" && url.pathComponents.count > 1 { url.deleteLastPathComponent() }
    return url.path + "/Golden"
  }
}
