import Diagnostics
import Validation
import YAMLText

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
    let document: YAMLDocument
    do {
      document = try bytes.withUnsafeBufferPointer { (bytes) throws(YAMLError) in try YAMLDocument(parsing: bytes) }
    } catch {
      let place = Place(file: file, line: error.line, column: error.column)
      throw ConfigurationError([Diagnostic(.configurationNotYAML, error.message, at: place)])
    }
    var reader = ConfigurationReader(document, file: file, catalog: catalog)
    reader.read(into: &self)
    guard reader.findings.isEmpty else {
      throw ConfigurationError(reader.findings.sorted { Self.order($0.place) < Self.order($1.place) })
    }
  }

  private static func order(_ place: Place) -> (Int, Int) { (place.line ?? 0, place.column ?? 0) }
}
