import Foundation
import TestSupport
import Testing

/// The JSON reports of verbs that call a registry.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct RegistryReportTests {
  @Test func printsWhatTheFileSays() throws {
    let (registry, other) = (try LocalRegistry(), try LocalRegistry())
    let folder = Scratch()
    _ = try folder.write("items.jsonl", TwoDevices.items)
    let name = "commands/registry/reports.md"
    let file = try CommandFile(
      Golden.folder() + "/" + name,
      environment: ["HOME": folder.path, "XDG_CONFIG_HOME": "", "URL": registry.url, "OTHER": other.url]
    ) { line in
      CommandFile.withoutIDs(line).replacing(registry.url, with: "URL").replacing(other.url, with: "OTHER")
        .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?/, with: "TIME")
    }
    try Golden.compare(file.run(in: folder), with: name)
  }
}
