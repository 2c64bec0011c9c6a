import FleetKitCore
import Foundation
import Interchange

/// A hidden folder beside a target, in which the target is complete under its own name before it gets its place.
final class ProofStaging {
  /// Where the target is written.
  let target: Target
  private let final: Target
  private let folder: TemporaryFolder

  /// Makes the folder.
  /// - Throws: `RunFailure` with status 2 when the folder around it cannot be written.
  init(_ target: Target) throws {
    final = target
    let path = Self.trimmed(target.path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    folder = try TemporaryFolder(beside: path, ending: ".proof")
    self.target = target.staged(at: "\(folder.path)/\(name)\(target.isFolder ? "/" : "")")
  }

  /// Gives the target its place.
  /// - Throws: `RunFailure` with status 2, or 4 when something of that name appeared meanwhile.
  func publish() throws {
    defer { discard() }
    let path = Self.trimmed(final.path)
    let staged = Self.trimmed(target.path)
    if final.isFolder {
      // An empty folder is replaced; one with something in it is not.
      guard rename(staged, path) == 0 else {
        throw RunFailure(.refused, "write '\(final.path)': \(SystemError.last)")
      }
      return
    }
    let file = try AtomicFile(final)
    guard rename(staged, file.temporary) == 0 else {
      throw RunFailure(.failed, "name '\(final.path)': \(SystemError.last)")
    }
    try file.publish()
  }

  /// Runs `body`; what it says of the target when it fails is said of the name that the target would have had.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as RunFailure where failure.finding == nil {
      let (staged, path) = (Self.stem(target.path), Self.stem(final.path))
      throw RunFailure(
        failure.status, Self.replacing(staged, with: path, in: failure.message),
        advice: failure.advice.map { Self.replacing(staged, with: path, in: $0) })
    }
  }

  /// A path without slash and ending: advice may name a folder instead of a file.
  private static func stem(_ path: String) -> String { (trimmed(path) as NSString).deletingPathExtension }

  /// By bytes: paths are what the disk has.
  private static func replacing(_ old: String, with new: String, in text: String) -> String {
    let old = Array(old.utf8)
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if rest.starts(with: old) {
        out += Array(new.utf8)
        rest = rest.dropFirst(old.count)
      } else {
        out.append(rest.removeFirst())
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Removes everything that was not given its place.
  func discard() { folder.remove() }

  /// Whether there is a folder of that name with something in it.
  static func isFilledFolder(_ path: String) -> Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == false
  }

  private static func trimmed(_ path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
