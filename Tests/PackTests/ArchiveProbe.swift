import ArchiveIO
import Foundation
import Interchange
import TestSupport

/// Reads archives as any other reader would, and returns the result.
enum ArchiveProbe {
  /// Returns the content of an archive: every name with its bytes.
  static func content(_ path: String, limits: ArchiveLimits = .standard) throws -> [String: [UInt8]] {
    let reader = try ArchiveReader(path, limits: limits)
    var content: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      var bytes: [UInt8] = []
      try reader.read { bytes += Array($0) }
      content[entry.path] = bytes
    }
    return content
  }

  /// Reads an archive without keeping its content, and returns the total size of its files in bytes.
  static func size(_ path: String, limits: ArchiveLimits = .standard) throws -> Int {
    let reader = try ArchiveReader(path, limits: limits)
    var count = 0
    while try reader.next() != nil { try reader.read { count += $0.count } }
    return count
  }

  /// The peak memory of this process in KiB; nil if the system does not report it.
  static var peak: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.split(separator: " ").dropLast().last ?? "") }
  }

  /// The current memory of this process in KiB, without mapped files; nil if the system does not report it.
  static var anonymous: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Int($0.split(separator: " ").dropLast().last ?? "") }
  }
}
