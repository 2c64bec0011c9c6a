import FleetKit

/// One kind of input, and all code that reads it.
protocol FuzzTarget {
  /// Reads one input. A trap, an unexpected error or a broken guarantee ends the process; `finding` reports which
  /// guarantee.
  func run(_ input: [UInt8])
}

/// Ends the process with a finding; libFuzzer then saves the input.
func finding(_ message: String) -> Never { fatalError(message) }

/// Runs code that may fail on bad input.
///
/// A `RunFailure` is a valid result, except one with status 70, which means that FleetKit contradicts itself. Any other
/// error is a finding, because the command would print it without a place and without a suitable exit status.
/// - Returns: the result; nil if the code failed.
@discardableResult
func attempt<Result>(_ body: () throws -> Result) -> Result? {
  do {
    return try body()
  } catch let failure as RunFailure {
    if failure.status == .internalError { finding("internal error: \(failure)") }
    return nil
  } catch {
    finding("unexpected error: \(type(of: error)): \(error)")
  }
}

/// The targets by name.
enum FuzzTargets {
  private static let makers: KeyValuePairs<String, @Sendable () throws -> any FuzzTarget> = [
    "archive": { try ArchiveTarget() },
    "csv": { try CSVTarget() },
    "json": { try JSONTarget() },
    "markdown": { try MarkdownTarget() },
    "pack": { try PackTarget() },
    "recover": { try RecoveryTarget() },
    "sqlite": { try LibraryTarget() },
    "state": { try StateTarget() },
    "xlsx": { try WorkbookTarget() },
  ]

  /// The names of all targets, in order.
  static var names: [String] { makers.map(\.key) }

  /// Prepares a target.
  /// - Throws: `RunFailure` with status 64 for an unknown name; other errors if the target's folder cannot be prepared.
  static func make(_ name: String) throws -> any FuzzTarget {
    guard let maker = makers.first(where: { $0.key == name })?.value else {
      throw RunFailure(.usage, "unknown target '\(name)'", advice: "Targets: \(names.joined(separator: ", ")).")
    }
    return try maker()
  }
}
