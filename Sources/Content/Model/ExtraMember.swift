/// A member of an object that no property stands for, kept so that writing gives it back.
///
/// These are members that FleetKit does not know, a record's `extras` object, an explicit `null` where the
/// format leaves members out, and values of public metadata that have an unusual type. When a property of the
/// same name has a value, the property is written and the extra member is not.
/// - Source: formats/json-bundle.md, "Records"
public struct ExtraMember: Equatable, Sendable {
  /// The member's name, escapes resolved.
  public var name: String
  /// The value as JSON text, numbers as written.
  public var json: String

  /// Makes an extra member; `json` is checked when it is written.
  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}
