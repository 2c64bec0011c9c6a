import Content

/// What a pack says about itself: `data/pack.json`.
///
/// - Source: formats/schemas/pack.schema.json
public struct PackInfo: Sendable, Equatable {
  /// What the member `format` says.
  public static let format = "fleetkit.pack"
  /// The newest version of the format that this FleetKit writes and reads.
  public static let currentFormatVersion = 1
  /// Where it lies in a bag.
  public static let path = "data/pack.json"

  /// The version of the format that it is written in.
  public var formatVersion = PackInfo.currentFormatVersion
  /// The oldest format version whose readers understand the pack.
  public var minReader = 1
  /// What the pack is for.
  public var profile: PackProfile
  /// What the pack is called for good (`PackName`).
  public var name: String
  /// The version of the content; nil in backups, which need none.
  public var version: SemanticVersion?
  /// Who answers for the content; nil in backups.
  public var publisher: String?
  /// Under which terms the content may be used; nil in backups.
  public var licence: String?
  /// What the pack is for, in words.
  public var description: String?
  /// The languages of its items as BCP 47 tags.
  public var languages: [String] = []
  /// Former versions, the newest one first.
  public var previous: [PackPrevious] = []
  /// The index: every item once.
  public var items: [PackItem] = []
  /// Members that this FleetKit does not know, in the order of the text.
  public var extras: [ExtraMember] = []

  /// Describes a pack.
  public init(profile: PackProfile, name: String) {
    self.profile = profile
    self.name = name
  }

  /// The latest former version.
  public var parent: PackPrevious? { previous.first }
}
