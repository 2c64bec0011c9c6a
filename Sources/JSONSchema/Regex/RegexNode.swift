/// A regular expression as it was read, one case for each thing that ECMA-262 knows.
///
/// Its depth is bounded by `RegexParser.maximumDepth`, so that recursion over it is.
indirect enum RegexNode {
  /// Matches without consuming anything.
  case empty
  /// One code point; a surrogate (`\uD800`) is none that a text can hold and never matches.
  case scalar(UInt32)
  /// One code point of a class.
  case set(ScalarClass)
  /// All, one after the other.
  case sequence([RegexNode])
  /// The first that leads to a match.
  case alternatives([RegexNode])
  /// A capturing group; the first has index 1.
  case group(RegexNode, index: Int)
  /// A quantifier with the indices of the groups inside, which every round forgets.
  case repetition(RegexNode, RegexQuantifier, groups: Range<Int>)
  /// `^`.
  case start
  /// `$`.
  case end
  /// `\b`, or `\B` when negated.
  case wordBoundary(negated: Bool)
  /// Lookahead and lookbehind.
  case look(RegexNode, ahead: Bool, negated: Bool)
  /// `\1` or `\k<name>`, as an index into `ParsedRegex.references`.
  case backreference(Int)
}

/// How often something may be there.
struct RegexQuantifier {
  /// No upper limit; a text has fewer bytes than this.
  static let unlimited = Int32.max

  /// The least number of rounds.
  var least: Int32
  /// The most rounds.
  var most: Int32
  /// Whether more rounds are tried before fewer.
  var greedy: Bool
}

/// What the parser hands to the compiler.
struct ParsedRegex {
  /// The whole expression.
  var root: RegexNode
  /// The number of capturing groups.
  var groupCount: Int
  /// For every backreference in source order, the group it names.
  var references: [Int]
}

extension RegexNode {
  /// Whether this may match without consuming anything. Says yes when in doubt.
  var canBeEmpty: Bool {
    switch self {
    case .scalar, .set: false
    case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
    case .alternatives(let parts): parts.contains(where: \.canBeEmpty)
    case .group(let body, _): body.canBeEmpty
    case .repetition(let body, let quantifier, _): quantifier.least == 0 || body.canBeEmpty
    case .empty, .start, .end, .wordBoundary, .look, .backreference: true
    }
  }

  /// The class of a node that consumes exactly one code point, or nil.
  var singleClass: ScalarClass? {
    switch self {
    case .scalar(let scalar): ScalarClass(scalar...scalar)
    case .set(let set): set
    default: nil
    }
  }

  /// Whether every match begins at the start of the text.
  var isAnchored: Bool {
    switch self {
    case .start: true
    case .sequence(let parts): parts.first?.isAnchored ?? false
    case .alternatives(let parts): parts.allSatisfy(\.isAnchored)
    case .group(let body, _): body.isAnchored
    default: false
    }
  }
}
