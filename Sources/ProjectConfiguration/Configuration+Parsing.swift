import Validation

extension Configuration {
  /// Reads the text of a configuration.
  /// - Parameter file: its name in findings.
  /// - Parameter catalog: the rules that it may speak of.
  /// - Parameter scope: the folder that its globs count from.
  /// - Throws: `ConfigurationError` with everything that is wrong with it.
  public init(
    parsing bytes: [UInt8], file: String, catalog: RuleCatalog = RuleCatalog(),
    scope: PathScope = PathScope(folder: ".")
  ) throws(ConfigurationError) {
    self.init(scope: scope)
    path = file
    var reader = try ConfigurationReader(bytes, file: file, catalog: catalog)
    reader.read(into: &self)
    guard reader.findings.isEmpty else { throw reader.findings.error }
  }
}
