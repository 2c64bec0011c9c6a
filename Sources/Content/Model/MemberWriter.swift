import JSONText

/// Writes model objects as JSON that the canonicaliser understands.
///
/// Leaves defaults and whatever is out of order to the canonicaliser; makes sure that each extra member is
/// one JSON value, so that no text can end the object that it stands in.
/// - Throws: `ModelError` at a number or a JSON text that cannot be written.
struct MemberWriter: MemberVisitor, ~Copyable {
  private var out: ByteBuffer
  private var shape: Shape
  private var path: [JSONPointer.Step] = []
  /// Names that the current object has already.
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

  /// Writes an object that stands inside the current one.
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

  /// Says nil where leaving the member out may say something else: a document takes over what the item says.
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
    // A dictionary has no order of its own; errors must not depend on the run.
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
