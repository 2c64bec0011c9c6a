/// A member that a schema names, in `properties` or in `required` or in both.
struct NamedMember {
  /// Where the name begins in the program's bytes, and its length.
  var name: UInt32
  var length: UInt32
  /// The node for its value; `Instruction.none` when only `required` names it.
  var schema: UInt32
  /// Which bit says that the member is there; -1 when it may be missing.
  var requiredBit: Int32
}

/// A compiled `patternProperties` entry.
struct PatternMember {
  var regex: UInt32
  var schema: UInt32
}

/// Everything that is checked in one walk over an object's members.
struct MemberTable {
  /// The named members, in the order of the schema.
  var first: UInt32 = 0
  var count: UInt32 = 0
  /// Slots of a hash table in `lists`, for tables that are too long to search; the mask is 0 when there is none.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
  /// The entries of `patternProperties`.
  var firstPattern: UInt32 = 0
  var patternCount: UInt32 = 0
  /// The node for other members, and for every name; `Instruction.none` without.
  var additional: UInt32 = Instruction.none
  var names: UInt32 = Instruction.none
  /// How many members are required.
  var requiredCount: UInt32 = 0
  /// Places of the keywords, for reports.
  var requiredPlace: UInt32 = 0
  var additionalPlace: UInt32 = 0
  var namesPlace: UInt32 = 0
  var propertiesPlace: UInt32 = 0
  var patternsPlace: UInt32 = 0
}
