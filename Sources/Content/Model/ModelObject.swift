/// A value of the model that names its members once, for reading and for writing.
///
/// Only names and properties stand here. What a member must be, when it is left out and in which order it is
/// written is said in `Shapes`, which the visitors look up.
protocol ModelObject: Sendable {
  /// A value with every default, from which reading starts.
  init()

  /// Shows every property to `visitor`, which fills or writes it; the extra members come last.
  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError)
}
