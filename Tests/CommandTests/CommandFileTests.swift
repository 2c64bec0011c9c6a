import Foundation
import TestSupport
import Testing

/// Command tests written as Markdown; see `CommandFile`.
///
/// `FLEETKIT_RECORD=1` records the output of the commands in the files.
@Suite struct CommandFileTests {
  private static let folder = Golden.folder() + "/commands"
  static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
    $0.hasSuffix(".md")
  }.sorted()

  @Test(arguments: files)
  func printsWhatTheFileSays(_ name: String) throws {
    // Each command file runs in its own folder, which contains the samples.
    let scratch = Scratch()
    try FileManager.default.copyItem(atPath: Paths.root + "/samples", toPath: scratch["samples"])
    try FileManager.default.copyItem(atPath: Paths.libraries, toPath: scratch["libraries"])
    let file = try CommandFile(Self.folder + "/" + name) {
      name == "reports.md" ? CommandFile.withoutIDs($0) : $0
    }
    try Golden.compare(file.run(in: scratch), with: "commands/" + name)
  }
}
