import ArgumentParser

/// How a source is read.
struct SourceOptions: ParsableArguments {
  @Option(name: .long, help: "Read every source as this format (needed with -); see 'fleetkit formats'.")
  var fromFormat: String?
}
