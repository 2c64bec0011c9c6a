import JSONText

/// A value of the model that lists its members once, for both reading and writing.
///
/// A model object defines only names and properties. `Shapes` defines the members' types, defaults and order, and the
/// visitors look them up there.
protocol ModelObject: Sendable {
  /// Makes a value with all defaults, from which reading starts.
  init()

  /// Passes every property to `visitor`, which fills or writes it. The extra members come last.
  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError)
}

/// A member of an object that has no property. It is kept so that it is written again.
///
/// Extra members are unknown members, a record's `extras` object, an explicit `null` where the format omits members,
/// and values of public metadata with an unusual type. When a property of the same name has a value, the property is
/// written, and the extra member is not written.
/// - Source: formats/json-bundle.md, "Records"
public struct ExtraMember: Equatable, Sendable {
  /// The member's name, with escapes resolved.
  public var name: String
  /// The value as JSON text, with numbers as written.
  public var json: String

  /// Makes an extra member; `json` is checked when the member is written.
  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}

/// The reason why a record cannot be read as a typed value, or why a typed value cannot be written.
public struct ModelError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path from the record's outermost object to the value, or to the position where the value is missing.
  public let pointer: JSONPointer
  /// The expected value for a message, such as `a string` or `a whole number`.
  public let expected: String

  /// Makes an error for the value at `pointer`.
  public init(pointer: JSONPointer, expected: String) {
    self.pointer = pointer
    self.expected = expected
  }

  /// The path and the expected value on one line: `/tags/1: expected a string`.
  public var description: String {
    "\(pointer.steps.isEmpty ? "record" : "\(pointer)"): expected \(expected)"
  }
}

/// Visits the members of one object: `MemberReader` fills the properties, `MemberWriter` writes them.
protocol MemberVisitor: ~Copyable {
  /// Visits a value that is never missing.
  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value) throws(ModelError)

  /// Visits a value that may be missing.
  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value?) throws(ModelError)

  /// Visits an id. An empty id is derived when it is written.
  mutating func id(_ name: String, _ value: inout String) throws(ModelError)

  /// Visits an array of objects.
  mutating func objects<Object: ModelObject>(_ name: String, _ list: inout [Object]) throws(ModelError)

  /// Visits an object that contains one object for each id.
  mutating func table<Object: ModelObject>(
    _ name: String, _ table: inout [String: Object]
  ) throws(ModelError)

  /// Visits an object that may be missing.
  /// - Parameter blank: the value from which reading starts.
  /// - Parameter shape: its shape, if the member alone does not define the shape.
  mutating func object<Object: ModelObject>(
    _ name: String, _ object: inout Object?, blank: Object, shape: Shape?
  ) throws(ModelError)

  /// Visits any value but null, as JSON text.
  mutating func json(_ name: String, _ text: inout String?) throws(ModelError)

  /// Visits all members that were not visited before.
  mutating func extras(_ list: inout [ExtraMember]) throws(ModelError)
}

extension Shape {
  /// Returns the member called `name`.
  package func member(_ name: String) -> ShapeMember? {
    let index = index(of: name.utf8.span, from: 0)
    return index < 0 ? nil : members[index]
  }

  /// A shape without members, for objects that are only carried.
  static let empty = Shape([])
}

/// Fills a model object from a JSON object. Members without a property become extra members.
///
/// A missing member leaves the property unchanged, so the blank value provides the defaults.
/// - Throws: `ModelError` at a value of a different type, at a missing or null required member, and at a name that
///   occurs twice.
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
  /// - Parameter blank: the value that provides missing members.
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

  /// Removes a member from the remaining ones and returns it.
  private mutating func removeMember(_ name: String, _ expected: String) throws(ModelError) -> Found {
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
    // Nil is written by omitting this member, so an explicit null must remain an extra member.
    if absent != .omit { left.remove(at: position) }
    return .null
  }

  private func place(_ name: String) -> JSONPointer { pointer.appending(.member(name)) }

  // MARK: Members

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value) throws(ModelError) {
    guard case .value(let json) = try removeMember(name, Value.expectation) else { return }
    value = try Value.read(json, as: shape.member(name)?.kind ?? .any, at: place(name))
  }

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value?) throws(ModelError) {
    switch try removeMember(name, Value.expectation) {
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
    guard case .value(let json) = try removeMember(name, "an array of objects") else { return }
    guard json.kind == .array else { throw ModelError(pointer: place(name), expected: "an array of objects") }
    list = []
    for (position, element) in json.elements.enumerated() {
      list.append(try Self.read(element, child(name), at: place(name).appending(.element(position))))
    }
  }

  mutating func table<Object: ModelObject>(
    _ name: String, _ table: inout [String: Object]
  ) throws(ModelError) {
    guard case .value(let json) = try removeMember(name, "an object") else { return }
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
    switch try removeMember(name, "an object") {
    case .missing:
      // A missing document is an empty one; null means that the item has no document.
      if self.shape.member(name)?.absent == .literal { object = blank }
    case .null: object = nil
    case .value(let json): object = try Self.read(json, shape ?? child(name), at: place(name), blank: blank)
    }
  }

  private func child(_ name: String) -> Shape { shape.member(name)?.child ?? .empty }

  mutating func json(_ name: String, _ text: inout String?) throws(ModelError) {
    switch try removeMember(name, "a value") {
    case .missing: return
    case .null: text = nil
    case .value(let json): text = json.text
    }
  }

  mutating func extras(_ list: inout [ExtraMember]) {
    list = left.map { ExtraMember(name: $0.name, json: $0.value.text) }
  }
}

/// Writes model objects as JSON for the canonicaliser.
///
/// The canonicaliser adds defaults and orders the members. The writer checks that each extra member is one JSON value,
/// so that its text cannot end the surrounding object.
/// - Throws: `ModelError` at a number or JSON text that cannot be written.
struct MemberWriter: MemberVisitor, ~Copyable {
  private var out: ByteBuffer
  private var shape: Shape
  private var path: [JSONPointer.Step] = []
  /// Names that were already written into the current object.
  private var written: [String] = []

  private init(_ shape: Shape) {
    out = ByteBuffer()
    self.shape = shape
  }

  /// Writes a record with its kind.
  static func write(_ record: some ModelObject, kind: RecordKind) throws(ModelError) -> ByteBuffer {
    var writer = MemberWriter(Shapes.record(kind))
    try writer.write(record, kind: kind)
    return writer.out
  }

  private mutating func write(_ object: some ModelObject, kind: RecordKind?) throws(ModelError) {
    out.append(UInt8(ascii: "{"))
    if let kind {
      key("kind")
      out.appendJSONString(kind.name)
    }
    var object = object
    try object.visit(&self)
    out.append(UInt8(ascii: "}"))
  }

  /// Writes an object inside the current one.
  private mutating func write(
    _ object: some ModelObject, _ shape: Shape, at step: JSONPointer.Step
  ) throws(ModelError) {
    let outer = (self.shape, written)
    self.shape = shape
    written = []
    path.append(step)
    try write(object, kind: nil)
    path.removeLast()
    (self.shape, written) = outer
  }

  private mutating func key(_ name: String) {
    if !written.isEmpty { out.append(UInt8(ascii: ",")) }
    written.append(name)
    out.appendJSONString(name)
    out.append(UInt8(ascii: ":"))
  }

  private func pointer(_ name: String) -> JSONPointer { JSONPointer(path + [.member(name)]) }

  // MARK: Members

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value) throws(ModelError) {
    key(name)
    guard value.write(as: shape.member(name), into: &out) else {
      throw ModelError(pointer: pointer(name), expected: Value.expectation)
    }
  }

  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value?) throws(ModelError) {
    if var present = value { try member(name, &present) } else { null(name) }
  }

  mutating func id(_ name: String, _ value: inout String) throws(ModelError) {
    if !value.isEmpty { try member(name, &value) }
  }

  /// Writes nil as null where a missing member may have another meaning: a document inherits missing values from its
  /// item.
  private mutating func null(_ name: String) {
    guard let member = shape.member(name), member.nullable, member.absent != .omit else { return }
    key(name)
    out.append("null")
  }

  mutating func objects<Object: ModelObject>(_ name: String, _ list: inout [Object]) throws(ModelError) {
    let child = shape.member(name)?.child ?? .empty
    key(name)
    path.append(.member(name))
    out.append(UInt8(ascii: "["))
    for (position, object) in list.enumerated() {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      try write(object, child, at: .element(position))
    }
    out.append(UInt8(ascii: "]"))
    path.removeLast()
  }

  mutating func table<Object: ModelObject>(
    _ name: String, _ table: inout [String: Object]
  ) throws(ModelError) {
    let child = shape.member(name)?.child ?? .empty
    key(name)
    path.append(.member(name))
    out.append(UInt8(ascii: "{"))
    // A dictionary has no order, and errors must be the same in every run.
    for (position, entry) in table.sorted(by: { $0.key < $1.key }).enumerated() {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(entry.key)
      out.append(UInt8(ascii: ":"))
      try write(entry.value, child, at: .member(entry.key))
    }
    out.append(UInt8(ascii: "}"))
    path.removeLast()
  }

  mutating func object<Object: ModelObject>(
    _ name: String, _ object: inout Object?, blank: Object, shape: Shape?
  ) throws(ModelError) {
    guard let object else { return null(name) }
    let child = shape ?? self.shape.member(name)?.child ?? .empty
    key(name)
    try write(object, child, at: .member(name))
  }

  mutating func json(_ name: String, _ text: inout String?) throws(ModelError) {
    if let text { try raw(name, text) } else { null(name) }
  }

  mutating func extras(_ list: inout [ExtraMember]) throws(ModelError) {
    let properties = written
    for extra in list where !properties.contains(extra.name) { try raw(extra.name, extra.json) }
  }

  private mutating func raw(_ name: String, _ text: String) throws(ModelError) {
    key(name)
    do throws(JSONError) {
      out.append(utf8: try JSONDocument(parsing: text).root.text)
    } catch {
      throw ModelError(pointer: pointer(name), expected: "JSON: \(error.message)")
    }
  }
}

/// A Swift type that a member's value can be.
protocol MemberValue: Sendable {
  /// The expected value, as a phrase for an error.
  static var expectation: String { get }

  /// Reads a value that is not null.
  static func read(_ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer) throws(ModelError) -> Self

  /// Appends the value as JSON; returns false if JSON cannot represent it.
  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool
}

extension MemberValue {
  static func mismatch(_ pointer: JSONPointer) -> ModelError {
    ModelError(pointer: pointer, expected: expectation)
  }
}

extension String: MemberValue {
  static var expectation: String { "a string" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> String {
    if let string = json.string { return string }
    // Numeric ids are common in hand-made files. The number's text becomes the id.
    let isID = kind == .identifier || kind == .innerIdentifier || kind == .recordID
    guard isID, json.kind == .number else { throw mismatch(pointer) }
    return json.text
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.appendJSONString(self)
    return true
  }
}

extension Bool: MemberValue {
  static var expectation: String { "true or false" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Bool {
    guard let bool = json.bool else { throw mismatch(pointer) }
    return bool
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(self ? "true" : "false")
    return true
  }
}

extension Int: MemberValue {
  static var expectation: String { "a whole number" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Int {
    guard let integer = json.integer.flatMap(Int.init(exactly:)) else { throw mismatch(pointer) }
    return integer
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(utf8: String(self))
    return true
  }
}

extension Double: MemberValue {
  static var expectation: String { "a number" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Double {
    guard let double = json.double else { throw mismatch(pointer) }
    return double
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    if isNaN { return false }
    // The library's reader represents infinity as a number beyond the range.
    out.append(utf8: isInfinite ? (self < 0 ? "-1e999" : "1e999") : spelling(as: member))
    return true
  }

  /// Returns the number's text. Library columns that are null when empty give `38.0`; the app's encoder writes `38`.
  private func spelling(as member: ShapeMember?) -> String {
    let text = "\(self)"
    return member?.absent != .null && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension Timestamp: MemberValue {
  static var expectation: String { "a date and time" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Timestamp {
    guard let text = json.string, let (time, quirks) = parse(text), !quirks.contains(.rollsOver) else {
      throw mismatch(pointer)
    }
    return time
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    // Apple's decoder accepts no fraction in a tick's time.
    if member?.kind == .tickTime { out.appendJSONString(wholeSeconds) } else { out.appendJSONDate(self) }
    return true
  }
}

extension [String]: MemberValue {
  static var expectation: String { "an array of strings" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> [String] {
    guard json.kind == .array else { throw mismatch(pointer) }
    var all: [String] = []
    for (position, element) in json.elements.enumerated() {
      all.append(try String.read(element, as: .text, at: pointer.appending(.element(position))))
    }
    return all
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(UInt8(ascii: "["))
    for (position, element) in enumerated() {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(element)
    }
    out.append(UInt8(ascii: "]"))
    return true
  }
}
