import Foundation
import RegistryTestSupport
import Testing

/// Independent tools read the interface's description: one checks whether it is OpenAPI 3.1, one whether the registry
/// does what it describes.
///
/// The tools are installed in the judges' Python (`make judges`). Without it the tests are skipped; with
/// FLEETKIT_REQUIRE_JUDGES=1 they fail.
@Suite struct DescriptionJudgeTests {
  private static let registry = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  private static let environment = ProcessInfo.processInfo.environment
  private static let judges = environment["FLEETKIT_JUDGES"] ?? registry + "/../.build/judges"

  private static func has(_ program: String) -> Bool {
    environment["FLEETKIT_REQUIRE_JUDGES"] == "1"
      || FileManager.default.isExecutableFile(atPath: "\(judges)/bin/\(program)")
  }

  @Test(.enabled(if: has("openapi-spec-validator"), "the judge is not installed (make judges)"))
  func `openapi-spec-validator finds nothing`() async throws {
    let (status, output) = try await Self.run(
      "\(Self.judges)/bin/openapi-spec-validator",
      [Self.registry + "/Sources/RegistryAPI/Description/openapi.json"])
    #expect(status == 0, "\(output)")
  }

  /// This is the short form; the long one is `FLEETKIT_SCHEMATHESIS_CASES=5000 Registry/Tests/schemathesis.sh`.
  @Test(.enabled(if: has("schemathesis"), "the judge is not installed (make judges)"))
  func `schemathesis finds nothing`() async throws {
    let (status, output) = try await Self.run(
      Self.registry + "/Tests/schemathesis.sh", [], more: ["FLEETKIT_REGISTRY": ProcessServer.program])
    #expect(status == 0, "\(output)")
    #expect(output.contains("generated"))
  }

  private static func run(
    _ program: String, _ arguments: [String], more: [String: String] = [:]
  ) async throws -> (Int32, String) {
    let variables = environment.merging(["FLEETKIT_JUDGES": judges]) { $1 }.merging(more) { $1 }
    // The judge runs on a separate thread, because it takes a minute.
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let end = try SpawnedProcess.run(program, arguments, environment: variables)
            return (end.status, String(end.output.suffix(4000)))
          })
      }
    }
  }
}
