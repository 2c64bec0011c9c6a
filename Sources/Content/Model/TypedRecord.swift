import JSONText

/// A record as Swift values, for code that looks at content or makes some.
///
/// Every record that a reader gives out can be read; nothing of it is lost, except that numbers in `Double`
/// properties take the shortest spelling (`1.50` becomes `1.5`). For streams that only pass records on,
/// `Record` is the faster form.
/// - Source: formats/json-bundle.md, "Records"
public enum TypedRecord: Equatable, Sendable {
  case item(LibraryItem)
  case charter(Charter)
  case execution(ChecklistExecution)
  case syncOperation(SyncOperation)
  /// A record of a kind that FleetKit only carries, as JSON text.
  case other(kind: RecordKind, json: String)

  /// What the record is.
  public var kind: RecordKind {
    switch self {
    case .item: .item
    case .charter: .charter
    case .execution: .execution
    case .syncOperation: .syncOperation
    case .other(let kind, _): kind
    }
  }

  /// Reads a record that came from a reader.
  /// - Throws: `ModelError` at the first value that is not what its member allows.
  public init(_ record: Record) throws(ModelError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try record.document().root
    } catch {
      throw ModelError(pointer: JSONPointer(), expected: "JSON: \(error.message)")
    }
    try self.init(json: json, kind: record.kind)
  }

  /// Reads a record that people may have written: what the format lets them leave out takes its default.
  ///
  /// Ids that are not there stay empty and places stay nil until the record is written.
  /// - Parameter json: an object; its `kind` says what it is, without one it is an item.
  /// - Throws: `ModelError` at the first value that is not what its member allows, at a required member that
  ///   is missing, and at a name that occurs twice.
  public init(json: JSONValue) throws(ModelError) {
    guard json.kind == .object else { throw ModelError(pointer: JSONPointer(), expected: "an object") }
    var kind = RecordKind.item
    if let member = json["kind"] {
      guard let name = member.string else {
        throw ModelError(pointer: Self.kindPointer, expected: String.expectation)
      }
      kind = RecordKind(name)
    }
    try self.init(json: json, kind: kind)
  }

  private init(json: JSONValue, kind: RecordKind) throws(ModelError) {
    switch kind {
    case .item: self = .item(try Self.read(json, kind))
    case .charter: self = .charter(try Self.read(json, kind))
    case .execution: self = .execution(try Self.read(json, kind))
    case .syncOperation: self = .syncOperation(try Self.read(json, kind))
    default: self = .other(kind: kind, json: json.text)
    }
  }

  private static func read<Object: ModelObject>(
    _ json: JSONValue, _ kind: RecordKind
  ) throws(ModelError) -> Object {
    var reader = try MemberReader(json, Shapes.record(kind), at: JSONPointer())
    // The case says the kind, so it is no extra member.
    var name = kind.name
    try reader.member("kind", &name)
    var object = Object()
    try object.visit(&reader)
    return object
  }

  static let kindPointer = JSONPointer([.member("kind")])
}
