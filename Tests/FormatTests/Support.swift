import FleetKit
import Foundation
import TestSupport

/// Helpers for reading and converting.
enum Run {
  static func context(
    onInvalid: RunContext.OnInvalid = .reject, noLoss: Bool = false, errorLimit: RunContext.ErrorLimit = .none,
    dryRun: Bool = false, user: String? = nil
  ) -> RunContext {
    var reading = ReadingOptions()
    reading.user = user
    return RunContext(
      findings: DiagnosticLog(keepPerCode: 10_000), onInvalid: onInvalid, errorLimit: errorLimit, noLoss: noLoss,
      dryRun: dryRun, reading: reading, now: Timestamp(milliseconds: 1_767_607_872_345))
  }

  /// Returns every record of a source, parsed.
  static func records(_ path: String, context: RunContext = context()) throws -> [JSONValue] {
    var all: [JSONValue] = []
    try RecordScan(sources: SourceList([path])).run(context: context) { all.append(try $0.document().root) }
    return all
  }

  @discardableResult
  static func convert(_ from: String..., to target: String, context: RunContext = context()) throws -> RunSummary {
    try Conversion(sources: SourceList(from), target: Target(target)).run(context: context)
  }

  static func findings(_ path: String) throws -> [Diagnostic] {
    let context = context()
    _ = try records(path, context: context)
    return context.findings.kept
  }
}

/// The sample libraries of the app.
enum Libraries {
  static let sound = [
    "library-v1.0.0.sqlite", "library-v1.1.0.sqlite", "library-v1.3.0.sqlite", "library-v1.4.0.sqlite",
    "library-v1.5.0.sqlite", "library-v1.6.0.sqlite", "library-v1.6.0-buggy-queue.sqlite",
    "library-v1.6.0-snakecase-queue.sqlite", "library-v1.7.0.sqlite", "library-v1.9.0.sqlite", "library-v2.0.0.sqlite",
    "library-v2.2.0.sqlite", "library-v2.2.0-upgraded-from-v1.4.0.sqlite", "library-wal/library.sqlite",
  ]

  static func path(_ name: String) -> String { Paths.libraries + "/" + name }

  /// Returns the values that the app decodes from a library.
  static func dump(_ name: String) throws -> [String: Any] {
    let base = name == "library-wal/library.sqlite" ? "library-wal" : name.replacing(".sqlite", with: "")
    let data = try Data(contentsOf: URL(fileURLWithPath: Paths.libraries + "/dumps/\(base).json"))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }
}
