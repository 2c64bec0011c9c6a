import Content
import Foundation
import Interchange
import JSONText
import Merging
import RecordSources
import Reports

/// The part of a plan before its changes.
struct PlanHead {
  /// The version of the plan's form that this FleetKit writes.
  static let version = 1

  /// The library's absolute path.
  var library = ""
  /// The fingerprint of the library; nil if it did not exist.
  var fingerprint: LibraryFingerprint?
  /// The last run that had changed the library; nil if no run had changed it.
  var run: Int64?
  var sources = PlanSources(files: [])
  /// The request of the import.
  var request = ImportRequest(json: "{}")
  /// The time that replaces times that are missing from the sources.
  var now = Timestamp(milliseconds: 0)
  /// The numbers of records for each outcome.
  var counts = "{}"

  /// Returns the totals, the numbers for each kind, and the numbers for rows.
  static func counts(_ tally: Tally, losses: Int) -> String {
    var json = JSONBuilder()
    json.object { json in
      write(tally.total, &json)
      json.number("losses", losses)
      json.object("kinds") { json in
        for kind in tally.order { json.object(kind.name) { write(tally[kind], &$0) } }
      }
      if !tally.rows.isEmpty { json.rows(tally.rows) }
    }
    return json.result
  }

  /// Describes the first number in which two runs differ; returns nil if all are equal.
  static func difference(_ planned: String, _ now: String) -> String? {
    difference((try? JSONDocument(parsing: planned))?.root, (try? JSONDocument(parsing: now))?.root, at: "/counts")
  }

  private static func difference(_ planned: JSONValue?, _ now: JSONValue?, at pointer: String) -> String? {
    guard let planned, let now, planned.kind == .object, now.kind == .object else {
      let texts = (planned?.text ?? "missing", now?.text ?? "missing")
      return texts.0.utf8.elementsEqual(texts.1.utf8)
        ? nil : "\(pointer) is \(texts.0) in the plan and would now be \(texts.1)"
    }
    if let twice = planned.duplicateName { return "\(pointer) has \(twice.text) twice" }
    for (name, value) in now.members {
      if let found = difference(planned[name], value, at: "\(pointer)/\(name)") { return found }
    }
    for (name, value) in planned.members where now[name] == nil {
      return difference(value, nil, at: "\(pointer)/\(name)")
    }
    return nil
  }

  private static func write(_ tally: KindTally, _ json: inout JSONBuilder) {
    json.number("read", tally.read)
    json.number("created", tally.created)
    json.number("updated", tally.updated)
    json.number("unchanged", tally.unchanged)
    json.number("rejected", tally.rejected)
    json.number("skipped", tally.skipped.values.reduce(0, +))
  }
}

/// The state of the source files, to detect changes.
struct PlanSources: Equatable {
  /// One file.
  struct File: Equatable {
    /// The file's absolute path.
    let path: String
    let size: Int
    /// The SHA-256 of the file in lower-case hexadecimal digits.
    let sha256: String
  }

  /// The files, sorted by the bytes of their paths.
  let files: [File]

  init(files: [File]) { self.files = files }

  /// Reads every file that an import of the sources may read.
  /// - Throws: `RunFailure` with status 2 if a file cannot be read.
  init(_ sources: SourceList, retry: RejectsRetry?) throws {
    var files: [File] = []
    for path in try Self.paths(sources, retry: retry) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      files.append(File(path: path, size: Int(status.st_size), sha256: try FileDigest.sha256(of: path)))
    }
    self.files = files
  }

  /// Returns the absolute paths of the files, sorted by their bytes.
  static func paths(_ sources: SourceList, retry: RejectsRetry?) throws -> [String] {
    var paths = Set<[UInt8]>()
    for entry in sources.entries where !entry.source.isStandardInput {
      let path = absolute(entry.source.path)
      guard isFolder(path) else {
        paths.insert(Array(path.utf8))
        continue
      }
      // Files that programs keep next to notes are not sources, except FleetKit's own files.
      let walk = try FolderWalk(path) { name in
        (!name.hasPrefix(".") || name.hasPrefix(".fleetkit")) && name != "node_modules"
      }
      let root = path.hasSuffix("/") ? path : path + "/"
      for name in walk.files { paths.insert(Array((root + name).utf8)) }
    }
    // The origin of rejected rows is in a file next to the rows.
    if let retry, retry.origin != nil {
      let reasons = try RetryOrigin.reasons(beside: retry.path)
      paths.insert(Array(absolute(reasons).utf8))
    }
    return paths.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Describes the first difference; returns nil if the lists are equal. Two empty lists are equal.
  func difference(from now: PlanSources) -> String? {
    let others = Dictionary(now.files.map { (Array($0.path.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    for one in files {
      guard let other = others[Array(one.path.utf8)] else {
        let isThere = access(one.path, F_OK) == 0
        return "'\(one.path)' is \(isThere ? "not what the plan was made from" : "missing")"
      }
      if one != other { return "'\(one.path)' has changed" }
    }
    let mine = Set(files.map { Array($0.path.utf8) })
    return now.files.first { !mine.contains(Array($0.path.utf8)) }.map { "'\($0.path)' did not exist" }
  }

  /// Returns sizes and times of the files, to detect whether a file was written to while it was read.
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

extension JSONBuilder {
  /// Adds the outcomes of the rows of tables.
  fileprivate mutating func rows(_ rows: RowTally) {
    object("rows") { json in
      json.number("read", rows.read)
      json.number("created", rows.created)
      json.number("updated", rows.updated)
      json.number("unchanged", rows.unchanged)
      json.number("rejected", rows.rejected)
      json.number("skipped", rows.skipped)
      json.number("removed", rows.removed)
      json.number("moved", rows.moved)
    }
  }
}
