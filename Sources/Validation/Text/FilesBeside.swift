import Diagnostics
import Foundation

/// Answers whether a file that a guide names lies beside the file that the guide was read from.
///
/// Looks at names only, never inside files; each name once, and not at endlessly many.
struct FilesBeside {
  /// Who names more missing files has another problem.
  private static let most = 20_000
  /// Longer names are no names.
  private static let longest = 1024

  private var known: [String: Bool] = [:]

  /// Whether the file is there. False for guides of libraries and of standard input, which lie beside nothing.
  /// - Parameter path: as the link writes it, relative to the guide's folder.
  mutating func has(_ path: String, from place: Place) -> Bool {
    guard Self.isTextFile(place), let full = Self.resolved(path, beside: place.file) else { return false }
    if let answer = known[full] { return answer }
    guard known.count < Self.most else { return false }
    let answer = FileManager.default.fileExists(atPath: full)
    known[full] = answer
    return answer
  }

  /// Whether a place lies in a text file of its own.
  static func isTextFile(_ place: Place) -> Bool {
    place.row == nil && place.member == nil && place.line != nil && place.file != "-"
  }

  /// The path from where the program runs; nil for one that leads above the folders that the user named.
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
