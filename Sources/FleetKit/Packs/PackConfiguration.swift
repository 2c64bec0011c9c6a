import ProjectConfiguration
import ContentPack
import FleetKitCore
import Interchange

/// What a `pack.yml` says: who publishes what under which licence, and which items.
///
/// - Source: formats/schemas/pack-config.schema.json
public struct PackConfiguration: Sendable {
  /// The name that the file has in a folder of content.
  public static let fileName = "pack.yml"

  /// What the pack is called for good; nil to take it from the name of the file.
  public var name: String?
  /// The version of the content.
  public var version: SemanticVersion
  /// Who answers for the content.
  public var publisher: String
  /// Under which terms it may be used.
  public var licence: String
  /// What the pack is for.
  public var description: String?
  /// Its languages; empty to take those of the items.
  public var languages: [String] = []
  /// Which items go in; nil takes all.
  public var selection: Selection?

  /// Describes a pack.
  public init(version: SemanticVersion, publisher: String, licence: String) {
    self.version = version
    self.publisher = publisher
    self.licence = licence
  }

  /// Reads a file.
  /// - Throws: `ConfigurationError` with everything that is wrong with it.
  public init(file path: String) throws(ConfigurationError) {
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.read(path)
    } catch {
      throw ConfigurationError([Diagnostic(.configurationUnreadable, error.message, at: Place(file: path))])
    }
    try self.init(parsing: bytes, file: path)
  }

  /// Reads the text of a file.
  /// - Parameter file: its name in findings.
  /// - Throws: `ConfigurationError` with everything that is wrong with it.
  public init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    var reader = try PackConfigurationReader(bytes, file: file)
    self = try reader.read()
  }

  /// The smallest file of this kind, for messages.
  public static let smallest = """
    version: 1.0.0
    publisher: Blue Sea Sailing School
    licence: CC-BY-4.0

    """
}
