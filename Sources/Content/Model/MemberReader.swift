import JSONText

/// Fills a model object from one JSON object; what no property asked for is left over as extra members.
///
/// A missing member leaves the property as it is, so the defaults are those of the blank value.
/// - Throws: `ModelError` at a value of another type, at a required member that is missing or null, and at a
///   name that occurs twice.
struct MemberReader: MemberVisitor {
  private let shape: Shape
  private let pointer: JSONPointer
  private var left: [(name: String, value: JSONValue)]

  init(_ json: JSONValue, _ shape: Shape, at pointer: JSONPointer) throws(ModelError) {
    guard json.kind == .object else { throw ModelError(pointer: pointer, expected: "an object") }
    self.shape = shape
    self.pointer = pointer
    left = json.members
    var names = Set<String>()
    for (name, _) in left where !names.insert(name).inserted {
      throw ModelError(pointer: pointer.appending(.member(name)), expected: "one member of this name")
    }
  }

  /// Reads an object of the model.
  /// - Parameter blank: the value that members which are not there are taken from.
  static func read<Object: ModelObject>(
    _ json: JSONValue, _ shape: Shape, at pointer: JSONPointer, blank: Object = Object()
  ) throws(ModelError) -> Object {
    var reader = try MemberReader(json, shape, at: pointer)
    var object = blank
    try object.visit(&reader)
    return object
  }

  // MARK: Finding members

  private enum Found {
    case missing
    case null
    case value(JSONValue)
  }

  /// Takes a member out of those that are left.
  private mutating func take(_ name: String, _ expected: String) throws(ModelError) -> Found {
    let absent = shape.member(name)?.absent
    guard let position = left.firstIndex(where: { $0.name == name }) else {
      if absent == .refuse { throw ModelError(pointer: place(name), expected: expected) }
      return .missing
    }
    let value = left[position].value
    guard value.isNull else {
      left.remove(at: position)
      return .value(value)
    }
    if absent == .refuse { throw ModelError(pointer: place(name), expected: expected) }
    // Where nil is written by leaving the member out, a null that is there needs a place of its own.
    if absent != .omit { left.remove(at: position) }
    return .null
  }

  private func place(_ name: String) -> JSONPointer { pointer.appending(.member(name)) }

  // MARK: Members

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value) throws(ModelError) {
    guard case .value(let json) = try take(name, Value.expectation) else { return }
    value = try Value.read(json, as: shape.member(name)?.kind ?? .any, at: place(name))
  }

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value?) throws(ModelError) {
    switch try take(name, Value.expectation) {
    case .missing: return
    case .null: value = nil
    case .value(let json):
      let kind = shape.member(name)?.kind ?? .any
      do throws(ModelError) {
        value = try Value.read(json, as: kind, at: place(name))
      } catch {
        guard kind == .any else { throw error }
        left.append((name, json))  // the format allows any type here, so the record is sound
      }
    }
  }

  mutating func id(_ name: String, _ value: inout String) throws(ModelError) { try member(name, &value) }

  mutating func objects<Object: ModelObject>(_ name: String, _ list: inout [Object]) throws(ModelError) {
    guard case .value(let json) = try take(name, "an array of objects") else { return }
    guard json.kind == .array else { throw ModelError(pointer: place(name), expected: "an array of objects") }
    list = []
    for (position, element) in json.elements.enumerated() {
      list.append(try Self.read(element, child(name), at: place(name).appending(.element(position))))
    }
  }

  mutating func table<Object: ModelObject>(
    _ name: String, _ table: inout [String: Object]
  ) throws(ModelError) {
    guard case .value(let json) = try take(name, "an object") else { return }
    guard json.kind == .object else { throw ModelError(pointer: place(name), expected: "an object") }
    table = [:]
    for (key, value) in json.members {
      let place = place(name).appending(.member(key))
      let entry: Object = try Self.read(value, child(name), at: place)
      guard table.updateValue(entry, forKey: key) == nil else {
        throw ModelError(pointer: place, expected: "one member of this name")
      }
    }
  }

  mutating func object<Object: ModelObject>(
    _ name: String, _ object: inout Object?, blank: Object, shape: Shape?
  ) throws(ModelError) {
    switch try take(name, "an object") {
    case .missing:
      // An item that does not mention its document has an empty one; null says that there is none.
      if self.shape.member(name)?.absent == .literal { object = blank }
    case .null: object = nil
    case .value(let json): object = try Self.read(json, shape ?? child(name), at: place(name), blank: blank)
    }
  }

  private func child(_ name: String) -> Shape { shape.member(name)?.child ?? .empty }

  mutating func json(_ name: String, _ text: inout String?) throws(ModelError) {
    switch try take(name, "a value") {
    case .missing: return
    case .null: text = nil
    case .value(let json): text = json.text
    }
  }

  mutating func extras(_ list: inout [ExtraMember]) {
    list = left.map { ExtraMember(name: $0.name, json: $0.value.text) }
  }
}
