import FleetKitCore
import Foundation
import Interchange

/// What the files of sources are, so that it can be told whether one has changed since.
struct PlanSources: Equatable {
  /// One file.
  struct File: Equatable {
    /// Its absolute path.
    let path: String
    let size: Int
    /// SHA-256 in lower-case hexadecimal digits.
    let sha256: String
  }

  /// Sorted by the bytes of their paths.
  let files: [File]

  init(files: [File]) { self.files = files }

  /// Reads every file that an import of the sources may read.
  /// - Throws: `RunFailure` with status 2 when one cannot be read.
  init(_ sources: SourceList, retry: RejectsRetry?) throws {
    var files: [File] = []
    for path in try Self.paths(sources, retry: retry) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      files.append(File(path: path, size: Int(status.st_size), sha256: try FileDigest.sha256(of: path)))
    }
    self.files = files
  }

  /// Absolute paths of the files, sorted by their bytes.
  static func paths(_ sources: SourceList, retry: RejectsRetry?) throws -> [String] {
    var paths = Set<[UInt8]>()
    for entry in sources.entries where !entry.source.isStandardInput {
      let path = absolute(entry.source.path)
      guard isFolder(path) else {
        paths.insert(Array(path.utf8))
        continue
      }
      // What a program keeps for itself beside notes is no source, apart from what FleetKit keeps there.
      let walk = try FolderWalk(path) { name in
        (!name.hasPrefix(".") || name.hasPrefix(".fleetkit")) && name != "node_modules"
      }
      let root = path.hasSuffix("/") ? path : path + "/"
      for name in walk.files { paths.insert(Array((root + name).utf8)) }
    }
    // Where rejected rows belong is said beside them.
    if let retry, retry.origin != nil {
      let reasons = try RetryOrigin.reasons(beside: retry.path)
      paths.insert(Array(absolute(reasons).utf8))
    }
    return paths.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is different now, in words; nil when nothing is. Empty lists are the same.
  func difference(from now: PlanSources) -> String? {
    let others = Dictionary(now.files.map { (Array($0.path.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    for one in files {
      guard let other = others[Array(one.path.utf8)] else {
        let isThere = access(one.path, F_OK) == 0
        return "'\(one.path)' is \(isThere ? "not what the plan was made from" : "gone")"
      }
      if one != other { return "'\(one.path)' is not what it was" }
    }
    let mine = Set(files.map { Array($0.path.utf8) })
    return now.files.first { !mine.contains(Array($0.path.utf8)) }.map { "'\($0.path)' was not there" }
  }

  /// Sizes and times of the files: whether somebody wrote to one while they were read.
  static func state(of paths: [String]) -> [Int] {
    paths.flatMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return [-1, 0, 0, 0] }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [Int(status.st_size), Int(time.tv_sec), Int(time.tv_nsec), Int(truncatingIfNeeded: status.st_ino)]
    }
  }

  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
