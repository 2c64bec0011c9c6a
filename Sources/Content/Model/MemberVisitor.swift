/// Goes through the members of one object: `MemberReader` fills the properties, `MemberWriter` writes them.
protocol MemberVisitor: ~Copyable {
  /// A value that is always there.
  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value) throws(ModelError)

  /// A value that may be missing.
  mutating func member<Value: MemberValue>(_ name: String, _ value: inout Value?) throws(ModelError)

  /// An id that is derived when it is written, as long as it is empty.
  mutating func id(_ name: String, _ value: inout String) throws(ModelError)

  /// An array of objects.
  mutating func objects<Object: ModelObject>(_ name: String, _ list: inout [Object]) throws(ModelError)

  /// An object with one object for each id.
  mutating func table<Object: ModelObject>(
    _ name: String, _ table: inout [String: Object]
  ) throws(ModelError)

  /// An object that may be missing.
  /// - Parameter blank: what reading starts from.
  /// - Parameter shape: its shape where the member alone does not say it.
  mutating func object<Object: ModelObject>(
    _ name: String, _ object: inout Object?, blank: Object, shape: Shape?
  ) throws(ModelError)

  /// Any value but null, as JSON text.
  mutating func json(_ name: String, _ text: inout String?) throws(ModelError)

  /// Everything that was not asked for before.
  mutating func extras(_ list: inout [ExtraMember]) throws(ModelError)
}

extension Shape {
  /// The member called `name`.
  func member(_ name: String) -> ShapeMember? {
    var name = name
    let index = name.withUTF8 { self.index(of: $0, from: 0) }
    return index < 0 ? nil : members[index]
  }

  /// A shape without members, for objects that are only carried.
  static let empty = Shape([])
}
