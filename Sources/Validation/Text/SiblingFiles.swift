import Diagnostics
import Foundation

/// Checks whether a file that a guide names exists next to the guide's own file.
///
/// Only names are checked, and files are never opened. Each name is checked once, and the number of names is limited.
struct SiblingFiles {
  /// The maximum number of names that are checked. A guide with more missing files has another problem.
  private static let most = 20_000
  /// The maximum length of a name. Longer names are not file names.
  private static let longest = 1024

  private var known: [String: Bool] = [:]

  /// Whether the file exists. False for guides in libraries and from standard input, which have no folder.
  /// - Parameter path: the path in the link, relative to the guide's folder.
  mutating func has(_ path: String, from place: Place) -> Bool {
    guard Self.isTextFile(place), let full = Self.resolved(path, beside: place.file) else { return false }
    if let answer = known[full] { return answer }
    guard known.count < Self.most else { return false }
    let answer = FileManager.default.fileExists(atPath: full)
    known[full] = answer
    return answer
  }

  /// Whether a place is in a separate text file.
  static func isTextFile(_ place: Place) -> Bool {
    place.row == nil && place.member == nil && place.line != nil && place.file != "-"
  }

  /// Returns the path relative to the working folder. Returns nil if the path refers to a folder above those that the
  /// user named.
  static func resolved(_ path: String, beside file: String) -> String? {
    guard !path.isEmpty, path.utf8.count <= longest, file.utf8.count <= 4096 else { return nil }
    let decoded = FileName.decoded(path)
    guard !decoded.hasPrefix("/"), !decoded.utf8.contains(0) else { return nil }
    let isAbsolute = file.hasPrefix("/")
    var parts = file.split(separator: "/").dropLast().filter { $0 != "." }
    for part in decoded.split(separator: "/") where part != "." {
      if part == ".." {
        guard let last = parts.popLast(), last != ".." else { return nil }
      } else {
        parts.append(part)
      }
    }
    guard !parts.isEmpty else { return nil }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}
