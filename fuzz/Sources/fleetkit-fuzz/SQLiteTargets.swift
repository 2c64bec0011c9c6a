import FleetKit
import Foundation

/// Tests library images: every record is read, and the doctor examines them.
struct LibraryTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let path = workspace.write("library.sqlite", input)
    _ = Reading(path, format: "sqlite")
    attempt { try LibraryDoctor(path).examine() }
  }
}

/// Tests damaged library images with a write-ahead log and a journal: the readable data becomes a sound library.
///
/// The first byte gives the share of the input that becomes the log and the share that becomes the journal, in
/// sixteenths.
struct RecoveryTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let rest = input.dropFirst()
    let log = rest.suffix(rest.count * Int(first >> 4) / 16)
    let journal = rest.dropLast(log.count).suffix(rest.count * Int(first & 15) / 16)
    let path = workspace.write("library.sqlite", Array(rest.dropLast(log.count + journal.count)))
    _ = workspace.write("library.sqlite-wal", Array(log))
    _ = workspace.write("library.sqlite-journal", Array(journal))
    let target = workspace["recovered.sqlite"]
    for name in [target, target + ".fleetkit"] { try? FileManager.default.removeItem(atPath: name) }
    let report = attempt {
      try LibraryRecovery(path, to: target).run(now: Timestamp(milliseconds: 1_700_000_000_000))
    }
    // However much was recovered, the result must be a library.
    if report != nil, attempt({ try LibraryDoctor(target).examine() }) == nil {
      finding("the new library cannot be read")
    }
  }
}

/// Tests images of `state.sqlite` in the sidecar of a sound library.
struct StateTarget: FuzzTarget {
  private static let folder = "library.sqlite.fleetkit"
  private let workspace: Workspace
  private let library: String

  init() throws {
    workspace = try Workspace()
    library = workspace["library.sqlite"]
    let empty = workspace.write("empty.json", Array("[]".utf8))
    _ = try Conversion(sources: SourceList([empty]), target: Target(library)).run(
      context: RunContext(now: Timestamp(milliseconds: 1_700_000_000_000)))
    try workspace.folder(Self.folder)
  }

  func run(_ input: [UInt8]) {
    let path = workspace.write(Self.folder + "/state.sqlite", input)
    attempt { try RunList(library) }
    attempt {
      let queue = try LibraryQueue(library)
      _ = try queue.depth()
      _ = try queue.binding()
    }
    _ = Reading(library, format: "sqlite")
    attempt { try LibraryDoctor(library).examine() }
    // Commands that only read must not change any file.
    let names = try? FileManager.default.contentsOfDirectory(atPath: workspace[Self.folder])
    if names != ["state.sqlite"] { finding("reading left files: \(names ?? [])") }
    if workspace.read(path) != input { finding("reading changed the store") }
  }
}
