/// A compiled expression, which consists of flat tables that never change.
///
/// The tables are stored as addresses, because the matcher's loop must avoid the cost of reference counts and checks.
final class RegexProgram: @unchecked Sendable {
  /// The steps. The first step is at index 0.
  let instructions: UnsafeMutableBufferPointer<RegexInstruction>
  /// The classes.
  let classes: UnsafeMutableBufferPointer<CompiledClass>
  /// The classes' ranges beyond ASCII: first, last, first, last …
  let ranges: UnsafeMutableBufferPointer<UInt32>
  /// The bytes of literals.
  let literals: UnsafeMutableBufferPointer<UInt8>
  /// The sets of bytes that branches use.
  let byteSets: UnsafeMutableBufferPointer<ByteSet>
  /// The classes' properties.
  let properties: [(property: UnicodeProperty, negated: Bool)]
  /// The number of registers that a match needs.
  let registerCount: Int
  /// Whether every match begins at the start of the text.
  let isAnchored: Bool
  /// The bytes with which a match can begin; nil if a match may be empty.
  let firstBytes: ByteSet?
  /// The byte with which every match begins, if there is a single one.
  let firstByte: UInt8?

  init(_ compiler: RegexCompiler, root: RegexNode) {
    instructions = Self.copy(compiler.instructions)
    classes = Self.copy(compiler.classes)
    ranges = Self.copy(compiler.ranges)
    literals = Self.copy(compiler.literals)
    byteSets = Self.copy(compiler.byteSets)
    properties = compiler.properties
    registerCount = compiler.registerCount
    isAnchored = root.isAnchored
    firstBytes = root.firstBytes
    firstByte = firstBytes?.onlyByte
  }

  deinit {
    instructions.deallocate()
    classes.deallocate()
    ranges.deallocate()
    literals.deallocate()
    byteSets.deallocate()
  }

  /// Copies plain values to a table. Every table has room for at least one value, so that it has an address.
  private static func copy<Element: BitwiseCopyable>(_ values: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, values.count))
    _ = copy.initialize(from: values)
    return copy
  }
}
