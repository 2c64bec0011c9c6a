import ArgumentParser
import FleetKit

/// How a source is read.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long, help: "Read every source as this format (needed with -); see 'fleetkit formats'.", completion: .formats
  )
  var fromFormat: FormatID?
}

extension FormatID: ExpressibleByArgument {
  /// A name as it was typed; whether there is such a format is decided where it is used.
  public init?(argument: String) { self.init(argument) }
}

extension CompletionKind {
  /// The names of all formats.
  static var formats: CompletionKind { .list(names) }
  private static let names = FormatRegistry.standard.formats.map(\.descriptor.name)
}
