/// The syntax tree of a regular expression, with one case for each construct of ECMA-262.
///
/// `RegexParser.maximumDepth` bounds the depth of the tree, and thereby the depth of recursion over it.
indirect enum RegexNode {
  /// Matches without consuming anything.
  case empty
  /// One code point. A surrogate (`\uD800`) cannot occur in a text and never matches.
  case scalar(UInt32)
  /// One code point of a class.
  case set(ScalarClass)
  /// A sequence of nodes.
  case sequence([RegexNode])
  /// Alternatives, of which the first one that allows a match is used.
  case alternatives([RegexNode])
  /// A capturing group. The first group has index 1.
  case group(RegexNode, index: Int)
  /// A quantifier, with the indices of the groups inside it, which are cleared in every round.
  case repetition(RegexNode, RegexQuantifier, groups: Range<Int>)
  /// `^`.
  case start
  /// `$`.
  case end
  /// `\b`, or `\B` when negated.
  case wordBoundary(negated: Bool)
  /// A lookahead or lookbehind.
  case look(RegexNode, ahead: Bool, negated: Bool)
  /// `\1` or `\k<name>`, as an index into `ParsedRegex.references`.
  case backreference(Int)
}

/// The bounds of a quantifier.
struct RegexQuantifier {
  /// The value that means no upper limit. A text has fewer bytes than this.
  static let unlimited = Int32.max

  /// The smallest number of rounds.
  var least: Int32
  /// The largest number of rounds.
  var most: Int32
  /// Whether more rounds are tried before fewer rounds.
  var greedy: Bool
}

/// The output of the parser for the compiler.
struct ParsedRegex {
  /// The whole expression.
  var root: RegexNode
  /// The number of capturing groups.
  var groupCount: Int
  /// The group of every backreference, in source order.
  var references: [Int]
}

extension RegexNode {
  /// Whether the node may match without consuming text. In doubtful cases, this is true.
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

  /// The class of a node that consumes exactly one code point; nil for other nodes.
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
