import Foundation
import Interchange
import JSONText

/// Where rejected records came from, when a file is one of rejects.
///
/// Records without ids get ids that are derived from their file's name. Rejected, corrected and read again they must
/// get the same ids as before, so the name is taken from the reasons that lie beside.
enum RejectsOrigin {
  /// The name of the file that every reject came from; nil when the file is not one of rejects.
  static func fileName(of path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    let reasons = path[..<dot] + ".reasons.jsonl"
    guard let data = FileManager.default.contents(atPath: String(reasons)) else { return nil }
    var found: String?
    for line in data.split(separator: 0x0A) {
      guard let place = (try? JSONDocument(parsing: Array(line)))?.root["place"]?.string else { return nil }
      // `file:line:column`
      let file = place.split(separator: ":", omittingEmptySubsequences: false).dropLast(2).joined(separator: ":")
      let name = JSONBundleReader.fileName(file)
      if name.isEmpty || (found != nil && found != name) { return nil }
      found = name
    }
    return found
  }
}
