import FleetKit
import Foundation

/// Images of libraries: every record is read, and the doctor examines them.
struct LibraryTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let path = workspace.write("library.sqlite", input)
    _ = Reading(path, format: "sqlite")
    attempt { try LibraryDoctor(path).examine() }
  }
}

/// Images of `state.sqlite` in the folder next to a sound library.
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
    // Commands that only look change nothing.
    let names = try? FileManager.default.contentsOfDirectory(atPath: workspace[Self.folder])
    if names != ["state.sqlite"] { finding("reading left files: \(names ?? [])") }
    if workspace.read(path) != input { finding("reading changed the store") }
  }
}
