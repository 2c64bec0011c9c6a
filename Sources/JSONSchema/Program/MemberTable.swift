/// A member that a schema names in `properties`, in `required`, or in both.
struct NamedMember {
  /// The start of the name in the program's bytes, and the length of the name.
  var name: UInt32
  var length: UInt32
  /// The node for the member's value; `Instruction.none` if only `required` names the member.
  var schema: UInt32
  /// The bit that marks the member as present; -1 if it is optional.
  var requiredBit: Int32
}

/// A compiled `patternProperties` entry.
struct PatternMember {
  var regex: UInt32
  var schema: UInt32
}

/// All rules that are checked in one pass over an object's members.
struct MemberTable {
  /// The named members, in the order of the schema.
  var first: UInt32 = 0
  var count: UInt32 = 0
  /// The slots of a hash table in `lists`, for tables that are too long to search. The mask is 0 if there is no hash
  /// table.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
  /// The entries of `patternProperties`.
  var firstPattern: UInt32 = 0
  var patternCount: UInt32 = 0
  /// The node for other members, and the node for all names; `Instruction.none` if the schema does not restrict them.
  var additional: UInt32 = Instruction.none
  var names: UInt32 = Instruction.none
  /// The number of required members.
  var requiredCount: UInt32 = 0
  /// The places of the keywords, for reports.
  var requiredPlace: UInt32 = 0
  var additionalPlace: UInt32 = 0
  var namesPlace: UInt32 = 0
  var propertiesPlace: UInt32 = 0
  var patternsPlace: UInt32 = 0
}
