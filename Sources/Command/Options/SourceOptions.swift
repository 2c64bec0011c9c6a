import ArgumentParser
import FleetKit

/// The option `--from-format`.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long, help: "Read every source as this format (required with -); see 'fleetkit formats'.",
    completion: .formats
  )
  var fromFormat: FormatID?
}

extension FormatID: ExpressibleByArgument {
  /// Makes an id from the name as typed. The code that uses it checks whether the format exists.
  public init?(argument: String) { self.init(argument) }
}

extension CompletionKind {
  /// The names of all formats.
  static var formats: CompletionKind { .list(names) }
  private static let names = FormatRegistry.standard.formats.map(\.descriptor.name)
}
