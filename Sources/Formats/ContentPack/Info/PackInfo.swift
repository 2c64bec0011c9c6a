import Content

/// The description of a pack in `data/pack.json`.
///
/// - Source: formats/schemas/pack.schema.json
public struct PackInfo: Sendable, Equatable {
  /// The value of the member `format`.
  public static let format = "fleetkit.pack"
  /// The format version that this FleetKit writes, and the newest one that it reads.
  public static let currentFormatVersion = 1
  /// The description's path in a bag.
  public static let path = "data/pack.json"

  /// The format version that the pack is written in.
  public var formatVersion = PackInfo.currentFormatVersion
  /// The oldest format version whose readers understand the pack.
  public var minReader = 1
  /// The pack's purpose.
  public var profile: PackProfile
  /// The pack's permanent name (see `PackName`).
  public var name: String
  /// The content's version; nil in backups, which need no version.
  public var version: SemanticVersion?
  /// The person or organization responsible for the content; nil in backups.
  public var publisher: String?
  /// The terms under which the content may be used; nil in backups.
  public var licence: String?
  /// A human-readable description of the pack.
  public var description: String?
  /// The languages of the items, as BCP 47 tags.
  public var languages: [String] = []
  /// The earlier versions, newest first.
  public var previous: [PackPrevious] = []
  /// The index, with one entry for every item.
  public var items: [PackItem] = []
  /// Members that this FleetKit does not recognize, in file order.
  public var extras: [ExtraMember] = []

  /// Creates the description of a pack.
  public init(profile: PackProfile, name: String) {
    self.profile = profile
    self.name = name
  }

  /// The latest earlier version.
  public var parent: PackPrevious? { previous.first }
}
